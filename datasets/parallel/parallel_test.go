package parallel

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 100} {
		squares, told := make([]int, 20), 0
		o := Options{Workers: workers, Progress: func(done, of int) {
			if told++; done != told || of != 20 {
				t.Errorf("%d of %d are done, after %d", done, of, told)
			}
		}}
		if err := Each(t.Context(), 20, o, func(_ context.Context, i int) error {
			squares[i] = i * i
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for i, x := range squares {
			if x != i*i {
				t.Errorf("%d workers: item %d was not done", workers, i)
			}
		}
		if told != 20 {
			t.Errorf("progress was told %d times", told)
		}
	}
	if err := Each(t.Context(), 0, Options{}, nil); err != nil {
		t.Error(err)
	}
}

func TestWithKeepsOneItemAtATimePerWorker(t *testing.T) {
	var made atomic.Int32
	err := With(t.Context(), 1000, Options{Workers: 4}, func() func(context.Context, int) error {
		made.Add(1)
		busy := false
		return func(context.Context, int) error {
			if busy {
				return errors.New("two items at once")
			}
			busy = true
			busy = false
			return nil
		}
	})
	if err != nil || made.Load() > 4 {
		t.Errorf("%d workers: %v", made.Load(), err)
	}
}

// Every item from 5 on fails: the error is that of an item, the context of others ends, and nothing begins after it.
// With one worker it is the first.
func TestErrors(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var begun atomic.Int32
		err := Each(t.Context(), 1000, Options{Workers: workers}, func(ctx context.Context, i int) error {
			begun.Add(1)
			if i >= 5 {
				return fmt.Errorf("item %d", i)
			}
			return nil
		})
		if err == nil || workers == 1 && err.Error() != "item 5" || begun.Load() > int32(5+workers) {
			t.Errorf("%d workers: %v after %d items", workers, err, begun.Load())
		}
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := Each(ctx, 10, Options{Workers: 1}, func(_ context.Context, i int) error {
		if i == 3 {
			cancel(cause)
		}
		return nil
	})
	if !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
}

// The second item fails while the first one waits, and ends with the error of the context: the failure is told, not its
// consequence.
func TestAFailureIsToldInsteadOfWhatItCanceled(t *testing.T) {
	failure := errors.New("too large")
	err := Each(t.Context(), 2, Options{Workers: 2}, func(ctx context.Context, i int) error {
		if i == 1 {
			return failure
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
}
