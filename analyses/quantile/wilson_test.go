package quantile

import (
	"math"
	"testing"
)

// Of 10 of 100: the middle is (0.1 + 3.84146/200) / 1.0384146 = 0.1147974, half of the width 1.959964/1.0384146 ·
// √(0.09/100 + 3.84146/40000) = 0.0595683. Of none of 10 the upper end is z²/(n + z²) = 3.84146/13.84146.
func TestWilson(t *testing.T) {
	for _, test := range []struct{ p, n, low, high float64 }{{0.1, 100, 0.0552291, 0.1743657}, {0, 10, 0, 0.2775328},
		{1, 10, 0.7224672, 1}} {
		if got := Wilson(test.p, test.n); math.Abs(got[0]-test.low) > 1e-6 || math.Abs(got[1]-test.high) > 1e-6 {
			t.Errorf("%v of %v: %v, want %v to %v", test.p, test.n, got, test.low, test.high)
		}
	}
	for n := 1.0; n < 200; n++ {
		if none, all := Wilson(0, n), Wilson(1, n); none[0] != 0 || all[1] != 1 {
			t.Errorf("none and all of %v: %v, %v", n, none, all)
		}
	}
}
