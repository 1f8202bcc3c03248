package changepoint

import (
	"math"
	"testing"
)

// Ramps and steps without noise are found as they are, and nothing is left of them.
func TestLikeliestRamp(t *testing.T) {
	for _, want := range []Ramp{{From: 5, To: 5, Rise: 3}, {From: 3, To: 12, Rise: -2}, {From: 1, To: 19, Rise: 1}} {
		values := make([]float64, 20)
		for i := range values {
			values[i] = 7 + want.At(i)
		}
		got := LikeliestRamp(values, 100)
		if got.From != want.From || got.To != want.To || math.Abs(got.Rise-want.Rise) > 1e-9 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := LikeliestRamp([]float64{2, 2, 2}, 10); got.Rise != 0 {
		t.Errorf("of equal values: %+v", got)
	}
	if got := LikeliestRamp([]float64{0, 0, 4, 4}, 0); got.From != 2 || got.To != 2 || got.Rise != 4 {
		t.Errorf("of steps alone: %+v", got)
	}
	if got := LikeliestRamp(nil, 10); got.Rise != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}
