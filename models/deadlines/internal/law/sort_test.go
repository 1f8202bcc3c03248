package law

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Points are in the order that comparisons give them, and keep their weights. Points within a step may change places.
func TestSortedAsCompared(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 100, 5000} {
		all := make([]point, n)
		for i := range all {
			all[i] = point{rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4)), rng.Float64()}
			switch rng.IntN(8) {
			case 0:
				all[i].x = math.Round(all[i].x) // ties, and zeros of both signs
			case 1:
				all[i].x = math.Copysign(0, all[i].x)
			case 2:
				all[i] = all[rng.IntN(i+1)]
			}
		}
		if n == 100 { // a range of which a step is too small for a float
			for i := range all {
				all[i].x = float64(i%7) * math.SmallestNonzeroFloat64
			}
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b point) int { return cmp.Compare(a.x, b.x) })
		got := new(sorter).sorted(slices.Clone(all))
		wantSum, sum, step := 0.0, 0.0, 0.0
		if n > 0 {
			step = (want[n-1].x - want[0].x) / (fine - 1)
		}
		for i := range want {
			if math.Abs(got[i].x-want[i].x) > 2*step+1e-300 {
				t.Fatalf("%d points: the %d-th is at %v, want %v", n, i, got[i].x, want[i].x)
			}
			wantSum, sum = wantSum+want[i].weight, sum+got[i].weight
		}
		if math.Abs(sum-wantSum) > 1e-9*wantSum {
			t.Errorf("%d points weigh %v, want %v", n, sum, wantSum)
		}
	}
}
