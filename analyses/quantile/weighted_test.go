package quantile

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Levels 0.2 for 3 s, 0.5 for 1 s, 0.9 for 6 s, and 0.7 for an instant: of 10 s, 30% are at or below 0.2, 40% at or
// below 0.5, all at or below 0.9. The mean is (0.6 + 0.5 + 5.4) / 10 = 0.65.
func TestByWeight(t *testing.T) {
	d := ByWeight([]Weighted{{0.9, 6}, {0.2, 3}, {0.7, 0}, {0.5, 1}})
	s := d.Summary()
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"n", float64(s.N), 3}, {"mean", s.Mean, 0.65}, {"min", s.Min, 0.2}, {"p10", s.P10, 0.2}, {"p25", s.P25, 0.2},
		{"p50", s.P50, 0.9}, {"p75", s.P75, 0.9}, {"max", s.Max, 0.9},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
	if c := d.Curve(); len(c) != 101 || c[0] != 0.2 || c[30] != 0.2 || c[31] != 0.5 || c[40] != 0.5 || c[41] != 0.9 ||
		c[100] != 0.9 {
		t.Errorf("curve %v", c)
	}
	if s := ByWeight([]Weighted{{1, 0}}).Summary(); s.N != 0 || !math.IsNaN(s.Mean) {
		t.Errorf("summary of nothing %+v", s)
	}
	if ByWeight(nil).Curve() != nil {
		t.Error("a curve of nothing")
	}
}

// Both distributions against their definitions on values spelt out, with many ties.
func TestDistributionsAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var values []Weighted
		var all []float64
		for range rapid.IntRange(0, 12).Draw(t, "values") {
			v := Weighted{float64(rapid.IntRange(0, 4).Draw(t, "value")), int64(rapid.IntRange(0, 5).Draw(t, "weight"))}
			values = append(values, v)
			for range v.Weight {
				all = append(all, v.Value)
			}
		}
		slices.Sort(all)
		byCount, byWeight := ByCount(slices.Clone(values)), ByWeight(slices.Clone(values))
		want := Summarize(Sort(slices.Clone(all)))
		if got := byCount.Summary(); got.N != want.N || !near(got.Mean, want.Mean) || !near(got.P25, want.P25) ||
			!near(got.P50, want.P50) || !near(got.P99, want.P99) || !near(got.Max, want.Max) {
			t.Errorf("by count %+v, want %+v", got, want)
		}
		for i, got := range byWeight.Curve() {
			least := slices.IndexFunc(all, func(v float64) bool { // the smallest value with the share at or below it
				below, _ := slices.BinarySearch(all, v+0.5)
				return 100*below >= i*len(all)
			})
			if got != all[least] {
				t.Errorf("quantile %d%% by weight is %v, want %v of %v", i, got, all[least], all)
			}
		}
	})
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }

// x = 1, 2, 2, 4 and y = 1, 3, 2, 4. Pearson: deviations -1.25, -0.25, -0.25, 1.75 and -1.5, 0.5, -0.5, 1.5, sum of
// products 4.5, of squares 4.75 and 5. Spearman: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4, sum of products 4.5, of squares
// 4.5 and 5.
func TestCorrelate(t *testing.T) {
	x, y := []float64{1, 2, 2, 4, math.NaN(), 9}, []float64{1, 3, 2, 4, 7, math.NaN()}
	c := Correlate(Observe(x), Observe(y), nil)
	if c.N != 4 || !near(float64(c.Pearson), 4.5/math.Sqrt(4.75*5)) ||
		!near(float64(c.Spearman), 4.5/math.Sqrt(4.5*5)) {
		t.Errorf("got %+v", c)
	}
	for _, undefined := range [][]float64{nil, {1}, {2, 2, 2}} {
		other := make([]float64, len(undefined))
		for i := range other {
			other[i] = float64(i)
		}
		c := Correlate(Observe(undefined), Observe(other), nil)
		if !math.IsNaN(float64(c.Pearson)) || !math.IsNaN(float64(c.Spearman)) || c.N != len(undefined) {
			t.Errorf("of %v: %+v, want NaN", undefined, c)
		}
	}
}

// A pair that weighs w counts as w pairs, and rank correlation as Pearson's of ranks with ties averaged.
func TestCorrelateAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x, y, w, allX, allY []float64
		for range rapid.IntRange(2, 8).Draw(t, "pairs") {
			a, b := float64(rapid.IntRange(0, 4).Draw(t, "x")), float64(rapid.IntRange(0, 4).Draw(t, "y"))
			n := rapid.IntRange(0, 3).Draw(t, "weight")
			x, y, w = append(x, a), append(y, b), append(w, float64(n))
			for range n {
				allX, allY = append(allX, a), append(allY, b)
			}
		}
		got := Correlate(Observe(x), Observe(y), w)
		if len(allX) < 2 {
			return
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"Pearson", float64(got.Pearson), pearsonSlow(allX, allY)},
			{"Spearman", float64(got.Spearman), pearsonSlow(ranksSlow(allX), ranksSlow(allY))},
		} {
			if math.Abs(c.got-c.want) > 1e-9 || math.IsNaN(c.got) != math.IsNaN(c.want) {
				t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
			}
		}
	})
}

func pearsonSlow(x, y []float64) float64 {
	mx, my := Mean(x), Mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy, xx, yy = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my)
	}
	if xx < 1e-12 || yy < 1e-12 {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}

// ranksSlow counts, for every value, those below it and half of the others equal to it.
func ranksSlow(values []float64) []float64 {
	ranks := make([]float64, len(values))
	for i, v := range values {
		for k, x := range values {
			if x < v {
				ranks[i]++
			} else if x == v && k != i {
				ranks[i] += 0.5
			}
		}
	}
	return ranks
}
