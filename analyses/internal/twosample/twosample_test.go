package twosample

import (
	"math"
	"math/rand/v2"
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

// 1 3 2 | 12 11 13: the middle is the farthest apart, 81 / 21 squared standard deviations, which 2 of the
// 6! / (3! 3!) = 20 divisions there reach, and none at another place: p = 0.1.
func TestScan(t *testing.T) {
	if p := Scan([]float64{1, 3, 2, 12, 11, 13}, 1, 1); math.Abs(p-0.1) > 1e-12 {
		t.Errorf("p %v", p)
	}
	for _, values := range [][]float64{nil, {1}, {1, 2, 3, 4, 5}, {2, 2, 2, 2, 2, 2}} {
		if p := Scan(values, 3, 1); p != 1 {
			t.Errorf("%v: p %v", values, p)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 40).Draw(t, "values")
		least := rapid.IntRange(1, 5).Draw(t, "least")
		if p, sorted := Scan(values, least, 1), Scan(slices.Sorted(slices.Values(values)), least, 1); p < sorted-1e-12 ||
			!(p >= 0 && p <= 1) {
			t.Errorf("p %v, sorted %v", p, sorted)
		}
	})
}

// Series in random order seldom have a small p-value. One of 500 values whose last 15 are a fifth larger has, with a
// noise of a tenth.
func TestScanOfLongSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{31, 60, 500} {
		small, found := 0, 0
		const series = 2000
		for range series {
			values := make([]float64, n)
			for i := range values {
				values[i] = 0.1 * rng.NormFloat64()
			}
			if Scan(values, 4, 1) < 0.02 {
				small++
			}
			for i := n - 15; i < n; i++ {
				values[i] += 0.2
			}
			if Scan(values, 4, 1) < 1e-4 {
				found++
			}
		}
		if small > series*3/100 {
			t.Errorf("%d values in random order: p is below 2%% in %d of %d", n, small, series)
		}
		if found < series*9/10 && n == 500 {
			t.Errorf("the last 15 of %d values are larger: found in %d of %d", n, found, series)
		}
	}
}

// Of 45 values, the first seven are the smallest: 2 / (45! / (7! 38!)) at that place, of which there are 38 others. In
// standard deviations they are no farther apart than some values in the middle of every thousandth series.
func TestScanNearEnds(t *testing.T) {
	values := make([]float64, 45)
	for i := range values {
		values[i] = float64(i * 7 % 45)
		if i < 7 {
			values[i] -= 100
		}
	}
	if p := Scan(values, 4, 1); p < 4.4e-8 || p > 39*4.5e-8 {
		t.Errorf("p %v", p)
	}
}

// The definition by all orders of seven values: the bound is never below it, and near it where no order is farther apart.
func TestScanBoundsAllOrders(t *testing.T) {
	const n = 7
	smallest := func(order []float64) float64 {
		u, p := 0.0, 1.0
		for i, x := range order[:n-1] {
			u += 2*x - (n - 1)
			p = min(p, apart(i+1, n, math.Abs(u)))
		}
		return p
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
	of := make([]float64, len(orders))
	for i, order := range orders {
		of[i] = smallest(order)
	}
	for i, order := range orders[:500] {
		k, as := of[i], 0
		for _, other := range of {
			if other <= k+1e-9 {
				as++
			}
		}
		share := float64(as) / float64(len(orders))
		if p := Scan(order, 1, 1); p < share-1e-12 || share < 0.06 && p > 1.2*share {
			t.Fatalf("%v: smallest p %v, p %v; %v of all orders have one as small", order, k, p, share)
		}
	}
}

// Against the exact distribution, but at its end, where [apart] takes the exact one.
func TestSaddlepoint(t *testing.T) {
	for _, n := range [][2]int{{4, 56}, {7, 38}, {15, 25}, {25, 30}} {
		for u := 3; u < n[0]*n[1]/4; u += 1 + u/2 {
			exact, near := lower(n[0], n[1], u), saddlepoint(n[0], n[1], u)
			if math.Abs(near/exact-1) > 0.05 {
				t.Errorf("%v, %d: %v, exactly %v", n, u, near, exact)
			}
		}
	}
}
