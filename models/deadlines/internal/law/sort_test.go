package law

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Points are in the order that comparisons give them.
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
		if n == 100 { // a range of which a thousandth is too small for a float
			for i := range all {
				all[i].x = float64(i%7) * math.SmallestNonzeroFloat64
			}
		}
		want := slices.Clone(all)
		slices.SortFunc(want, func(a, b point) int {
			return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.weight, b.weight))
		})
		if got := new(sorter).sorted(all); !slices.Equal(got, want) {
			t.Errorf("%d points: %v, want %v", n, got, want)
		}
	}
}

func BenchmarkSorted(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]point, 50_000)
	for i := range all {
		all[i] = point{rng.NormFloat64(), rng.Float64()}
	}
	for b.Loop() {
		new(sorter).sorted(slices.Clone(all))
	}
}
