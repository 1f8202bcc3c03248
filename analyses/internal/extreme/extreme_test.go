package extreme

import (
	"math"
	"slices"
	"testing"

	"racecard/datasets/result"
)

func TestRuns(t *testing.T) {
	type run struct {
		id   string
		a, b float64
	}
	nan := math.NaN()
	runs := []run{{"x", 1, nan}, {"y", 3, nan}, {"z", 3, nan}, {"w", nan, nan}}
	got := Runs(runs, func(r *run) (string, string) { return r.id, "job" },
		Scale[run]{"most", func(r *run) float64 { return r.a }}, Scale[run]{"least", func(r *run) float64 {
			return -r.a
		}},
		Scale[run]{"unknown", func(r *run) float64 { return r.b }})
	want := []result.ExtremeRun{{What: "most", JobID: "y", Name: "job", Value: 3}, {What: "least", JobID: "x",
		Name: "job", Value: -1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: the first of equals, and nothing where nothing is known", got, want)
	}
}
