package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// Workloads are numbers, 10 times the setting's key plus the seed; settings 0 and 2 share theirs. Each is drawn once,
// whatever the number of workers, and every point sees its own.
func TestRun(t *testing.T) {
	keys := []int{1, 2, 1}
	for _, workers := range []int{0, 1, 7} {
		var mu sync.Mutex
		drawn, told := map[int]int{}, 0
		got, err := Run(t.Context(), Grid[int, string]{
			Settings: 3, Seeds: 2, Policies: 4, Workers: workers,
			Key: func(setting, seed int) any { return [2]int{keys[setting], seed} },
			Workload: func(_ context.Context, setting, seed int) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				drawn[10*keys[setting]+seed]++
				return 10*keys[setting] + seed, nil
			},
			Run: func(_ context.Context, w int, at Point) (string, error) {
				return fmt.Sprint(w, at), nil
			},
			Progress: func(done, of int) { told = done },
		})
		if err != nil || told != 24 {
			t.Fatalf("%v, told of %d points", err, told)
		}
		for s := range 3 {
			for p := range 4 {
				var of []string
				for _, m := range got.Seeds(s, p) {
					of = append(of, *m)
				}
				want := []string{fmt.Sprint(10*keys[s], Point{s, 0, p}), fmt.Sprint(10*keys[s]+1, Point{s, 1, p})}
				if !slices.Equal(of, want) {
					t.Errorf("setting %d, policy %d: %v, want %v", s, p, of, want)
				}
			}
		}
		for w, n := range drawn {
			if n != 1 || len(drawn) != 4 {
				t.Errorf("workload %d was drawn %d times, of %d", w, n, len(drawn))
			}
		}
	}
}

func TestRunStopsAtAnError(t *testing.T) {
	bad := errors.New("bad")
	for _, failing := range []string{"workload", "run"} {
		_, err := Run(t.Context(), Grid[int, int]{
			Settings: 5, Seeds: 1, Policies: 2, Workers: 1,
			Workload: func(_ context.Context, setting, _ int) (int, error) {
				if failing == "workload" && setting == 2 {
					return 0, bad
				}
				return 0, nil
			},
			Run: func(_ context.Context, _ int, at Point) (int, error) {
				if at.Setting > 2 {
					t.Error("a point begins after one that failed")
				}
				if at.Setting == 2 {
					return 0, bad
				}
				return 0, nil
			},
		})
		if !errors.Is(err, bad) {
			t.Errorf("%s: %v", failing, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Grid[int, int]{Settings: 1, Seeds: 1, Policies: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOver(t *testing.T) {
	a, b, c := 3., 1., 8.
	got := Over([]*float64{&a, &b, &c}, func(k int, m *float64) float64 { return *m + float64(k) })
	if got.Median != 3 || got.Low != 2 || got.High != 10 {
		t.Errorf("%+v; want 3 of 2 to 10", got)
	}
}
