package compare

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/quantile"
)

func TestWindowsAreThoseSpeltOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Windows
		var all []float64
		for range rapid.IntRange(1, 10).Draw(t, "stretches") {
			x, n := rapid.Float64Range(0, 1).Draw(t, "index"), rapid.Int64Range(1, 3).Draw(t, "windows")
			w = append(w, quantile.Weighted{Value: x, Weight: n})
			for range n {
				all = append(all, x)
			}
		}
		mean := quantile.Mean(all)
		got, want := w.Summary(), quantile.Summarize(quantile.Sort(all))
		if math.Abs(got.Mean-want.Mean) > 1e-12 || math.Abs(w.Mean()-mean) > 1e-12 {
			t.Fatalf("means %g and %g, want %g", got.Mean, w.Mean(), want.Mean)
		}
		if got.Mean = want.Mean; got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}
