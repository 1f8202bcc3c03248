package figure

import (
	"math"
	"slices"
	"testing"

	"racecard/datasets/result"
)

func TestOneIn(t *testing.T) {
	for share, want := range map[float64]string{1: "100%", 0.1: "10%", 0.01: "1%", 0.001: "1 in 1,000",
		1e-5: "1 in 100,000", 1e-7: "1 in 10 M"} {
		if got := oneIn(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// Merged bins keep the integral: five bins on a scale of two become 3 + 2.
func TestVisible(t *testing.T) {
	s := visible(result.Series{FromS: 10, BinS: 2, Values: []float64{1, 2, 6, 4, math.NaN()}}, 2)
	if s.FromS != 10 || s.BinS != 6 || !slices.Equal(s.Values, []float64{3, 2}) {
		t.Errorf("merged %+v", s)
	}
	if s := visible(result.Series{BinS: 1, Values: []float64{1, 2}}, 2); len(s.Values) != 2 {
		t.Errorf("bins that can be seen were merged: %+v", s)
	}
}

func TestUntilBelow(t *testing.T) {
	got := untilBelow([]float64{1, 2, 3, 4, 5}, []float64{1, 0.5, 0.01, 0.001, 0.5}, 0.1)
	if want := []point{{1, 1}, {2, 0.5}, {3, 0.01}}; !slices.Equal(got, want) {
		t.Errorf("%v: the first point below ends the line", got)
	}
}
