package figure

import (
	"math"
	"testing"

	"racecard/datasets/result"
)

// Of values at heights 0, 1/2 and 1 the curve passes 3 a quarter of the way from 2 to 6: 1/2 - 1/8 are beyond.
func TestBeyond(t *testing.T) {
	c := quantileCurve("c", []float64{1, 2, 6}, result.Summary{}, lookAt(0))
	for x, want := range map[float64]float64{3: 0.375, 2: 0.5, 1.5: 0.75, 0: 1} {
		if got := c.beyond(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("beyond %v: %v, want %v", x, got, want)
		}
	}
}
