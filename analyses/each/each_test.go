package each

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		done := make([]int, n)
		if err := Do(t.Context(), n, func() func(int) { return func(i int) { done[i]++ } }); err != nil {
			t.Fatal(err)
		}
		for i, times := range done {
			if times != 1 {
				t.Errorf("item %d of %d was done %d times", i, n, times)
			}
		}
	}
}

func TestDoEndsEarly(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var done atomic.Int64
	err := Do(ctx, 1e9, func() func(int) {
		return func(int) {
			if done.Add(1) == 10 {
				cancel(why)
			}
		}
	})
	if !errors.Is(err, why) || done.Load() > 1e6 {
		t.Errorf("%v after %d items", err, done.Load())
	}
}
