package twosample

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// autoregressive returns a series of order 1 with variance 1.
func autoregressive(rng *rand.Rand, n int, r float64) []float64 {
	out := []float64{rng.NormFloat64()}
	for len(out) < n {
		out = append(out, r*out[len(out)-1]+math.Sqrt(1-r*r)*rng.NormFloat64())
	}
	return out
}

// Spells are found where there are some, and are not taken for changes; independent values, a step, two steps, a ramp
// and weeks with two short days are not taken for spells.
func TestSpells(t *testing.T) {
	const n, series = 60, 300
	rng := rand.New(rand.NewPCG(5, 6))
	noise := func(level func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = level(i) + rng.NormFloat64()
		}
		return out
	}
	for _, tc := range []struct {
		name        string
		draw        func() []float64
		least, most float64 // median of Spells
		changes     int     // of the series that [Scan] may call changed at 0.0005, at most: 5%
		fewest      int     // at least
	}{
		{"independent", func() []float64 { return noise(func(int) float64 { return 0 }) }, 1, 1, 3, 0},
		{"spells of 0.8", func() []float64 { return autoregressive(rng, n, 0.8) }, 3, 15, 15, 0},
		{"a step", func() []float64 { return noise(func(i int) float64 { return 3 * float64(i/30) }) }, 1, 1, 300, 290},
		{"two steps", func() []float64 {
			return noise(func(i int) float64 { return 3*float64(i/30) + 3*float64(i/45) })
		}, 1, 1, 300, 280},
		{"a ramp", func() []float64 {
			return noise(func(i int) float64 { return 4 * min(1, max(0, float64(i-20)/15)) })
		}, 1, 1, 300, 285},
		{"weeks", func() []float64 {
			return noise(func(i int) float64 { return 3*float64(i/30) - 3*float64(i%7/5) })
		}, 1, 1, 300, 285},
	} {
		var all []float64
		changed := 0
		for range series {
			values := tc.draw()
			spells := Spells(values)
			all = append(all, spells)
			if Scan(values, 4, spells) < 0.0005 {
				changed++
			}
		}
		slices.Sort(all)
		if m := all[series/2]; m < tc.least || m > tc.most {
			t.Errorf("%s: median of spells %v", tc.name, m)
		}
		if changed > tc.changes || changed < tc.fewest {
			t.Errorf("%s: %d of %d series changed", tc.name, changed, series)
		}
	}
	for _, values := range [][]float64{nil, {1}, slices.Repeat([]float64{2}, 50)} {
		if got := Spells(values); got != 1 {
			t.Errorf("%v: %v", values, got)
		}
	}
}

// Twice the variance of means makes two standard deviations √2 of them; one of 1 leaves p alone.
func TestInSpells(t *testing.T) {
	if got, want := InSpells(math.Erfc(math.Sqrt2), 2), math.Erfc(1); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	for _, p := range []float64{0, 0.01, 1} {
		if got := InSpells(p, 1); got != p {
			t.Errorf("%v became %v", p, got)
		}
	}
}
