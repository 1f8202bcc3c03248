package twosample

import (
	"math"
	"math/rand/v2"
	"testing"

	"racecard/analyses/quantile"
)

// exactSums against all ways, by hand: of 0, 0, 1, 3, 4 any two. Their sums are 0, 1, 1, 3, 3, 4, 4, 4, 5, 7, with a
// mean of 3.2: 7 and 0 are at least 3 from it.
func TestExactSums(t *testing.T) {
	for _, test := range []struct {
		chosen []int
		want   float64
	}{{[]int{3, 4}, 0.1}, {[]int{0, 0}, 0.2}, {[]int{0, 1}, 0.4}, {[]int{0, 3}, 1}} {
		if got := exactSums([]int{0, 0, 1, 3, 4}, test.chosen, 4); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", test.chosen, got, test.want)
		}
	}
}

func logNormal(rng *rand.Rand, n int, shift, sd float64) quantile.Sorted {
	x := make([]float64, n)
	for i := range x {
		x[i] = 100 * math.Exp(shift+sd*rng.NormFloat64())
		if rng.IntN(20) == 0 {
			x[i] *= 5
		}
	}
	return quantile.Sort(x)
}

// Samples of one distribution, outliers and all, are rarely told apart: of p-values, as many as should be are below a
// level. Approximate and exact probabilities agree.
func TestClippedMeansKeepsItsLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 6))
	for _, n := range [][2]int{{4, 9}, {7, 53}, {14, 46}, {60, 80}} {
		const tries = 2000
		below := map[float64]float64{0.02: 0, 0.05: 0}
		for range tries {
			p := ClippedMeans(logNormal(rng, n[0], 0, 0.1), logNormal(rng, n[1], 0, 0.1))
			for level := range below {
				if p <= level {
					below[level]++
				}
			}
		}
		for level, k := range below {
			if share, sd := k/tries, math.Sqrt(level*(1-level)/tries); share > level+3*sd || share < level/3 {
				t.Errorf("%v: %v of p-values are at most %v", n, share, level)
			}
		}
	}
}

// A change within the earlier sample: half of it has the later level. Ranks hardly see it, means do.
func TestClippedMeansOfMixtures(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 19))
	means, ranks := 0, 0
	for range 100 {
		before := quantile.Sort(append(append([]float64(nil), logNormal(rng, 26, 0, 0.05).Values()...),
			logNormal(rng, 20, 0.5, 0.05).Values()...))
		after := logNormal(rng, 14, 0.5, 0.05)
		if ClippedMeans(before, after) < 0.001 {
			means++
		}
		if MannWhitney(before, after) < 0.001 {
			ranks++
		}
	}
	if means < 60 || means < 2*ranks {
		t.Errorf("means find %d of 100, ranks %d", means, ranks)
	}
	if p := ClippedMeans(quantile.Sort(nil), quantile.Sort([]float64{1})); p != 1 {
		t.Errorf("of nothing: %v", p)
	}
	if p := ClippedMeans(quantile.Sort([]float64{2, 2, 2}), quantile.Sort([]float64{2, 2})); p != 1 {
		t.Errorf("of equal values: %v", p)
	}
}
