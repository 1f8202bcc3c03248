package twosample

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/quantile"
)

func repeat(values []float64, times int) quantile.Sorted {
	return quantile.Sort(slices.Repeat(values, times))
}

// The p-values are SciPy 1.14's mannwhitneyu: exact, and asymptotic with ties and continuity.
func TestMannWhitneyAgainstSciPy(t *testing.T) {
	exact := MannWhitney(quantile.Sort([]float64{1.1, 2.3, 3.7, 4.2, 9.1}),
		quantile.Sort([]float64{2.9, 5.5, 6.1, 7.7, 8.8, 10.3}))
	if math.Abs(exact-0.17748917748917747) > 1e-12 {
		t.Errorf("exact: %v", exact)
	}
	normal := MannWhitney(repeat([]float64{1, 2, 2, 3, 5, 5, 6}, 4), repeat([]float64{2, 3, 4, 5, 7, 8}, 5))
	if math.Abs(normal-0.018263418565444983) > 1e-12 {
		t.Errorf("normal: %v", normal)
	}
	if p := MannWhitney(quantile.Sorted{}, quantile.Sort([]float64{1})); p != 1 {
		t.Errorf("p %v of an empty sample", p)
	}
}

// 10 to 18 against 20, 21, 23, 24, 26, 27, 28, 30, 33: medians 14 and 26, the interval after Price and Bonett in SciPy.
func TestMedianRatioByHand(t *testing.T) {
	change, interval := MedianRatio(quantile.Sort([]float64{10, 11, 12, 13, 14, 15, 16, 17, 18}),
		quantile.Sort([]float64{20, 21, 23, 24, 26, 27, 28, 30, 33}))
	for i, d := range []float64{change - 12.0/14, interval[0] - 0.4215782401013162, interval[1] - 1.4261623416456666} {
		if math.Abs(d) > 1e-4 { // 1.96 and the quantile
			t.Errorf("%d: off by %v", i, d)
		}
	}
}

// SciPy's false_discovery_control.
func TestBenjaminiHochberg(t *testing.T) {
	got := BenjaminiHochberg([]float64{0.01, 0.04, 0.03, 0.2, 0.001})
	for i, want := range []float64{0.025, 0.05, 0.05, 0.2, 0.005} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v", got)
		}
	}
}

// 1 3 2 | 12 11 13: K = 9 is reached in the middle alone, by 2 of the 6! / (3! 3!) = 20 divisions: p = 0.1, where the
// approximation says 2 exp(-6 x 81 / (216 + 36)) = 0.2907. The order of a series decides: sorted it has the largest K.
func TestPettitt(t *testing.T) {
	if p := Pettitt([]float64{1, 3, 2, 12, 11, 13}); math.Abs(p-0.1) > 1e-12 {
		t.Errorf("p %v", p)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 30).Draw(t, "values")
		if p, least := Pettitt(values), Pettitt(slices.Sorted(slices.Values(values))); p < least-1e-12 || p > 1 {
			t.Errorf("p %v, sorted %v", p, least)
		}
	})
}

// The definition by all orders of seven values: the bound is never below it, and near it where K is as large as can be.
func TestPettittBoundsAllOrders(t *testing.T) {
	const n = 7
	largest := func(order []float64) float64 {
		u, k := 0.0, 0.0
		for _, x := range order[:n-1] {
			u += 2*x - (n - 1)
			k = max(k, math.Abs(u))
		}
		return k
	}
	var orders [][]float64
	var permute func(order []float64, k int)
	permute = func(order []float64, k int) {
		if k == n {
			orders = append(orders, slices.Clone(order))
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			permute(order, k+1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute([]float64{0, 1, 2, 3, 4, 5, 6}, 0)
	for _, order := range orders[:500] {
		k, as := largest(order), 0
		for _, other := range orders {
			if largest(other) >= k {
				as++
			}
		}
		share := float64(as) / float64(len(orders))
		if p := Pettitt(order); p < share-1e-12 && p < 0.5 || k == 12 && p > 1.2*share {
			t.Fatalf("%v: K %v, p %v; %v of all orders have as large a K", order, k, p, share)
		}
	}
}
