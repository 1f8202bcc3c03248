package quantile

import (
	"math"
	"testing"
)

// 8 of 10, with z = 1.96 and z² = 3.8415: the middle is (0.8 + 0.19207) / 1.38415 = 0.71674, half the width
// 1.96 / 1.38415 x sqrt(0.016 + 0.0096036) = 0.22658. None of 10: up to z² / (n + z²) = 3.8415 / 13.8415 = 0.27753.
func TestWilson(t *testing.T) {
	for _, test := range []struct{ share, n, low, high float64 }{{0.8, 10, 0.49016, 0.94332}, {0, 10, 0, 0.27753}, {1, 10, 0.72247, 1}} {
		got := Wilson(test.share, test.n)
		if math.Abs(got[0]-test.low) > 1e-4 || math.Abs(got[1]-test.high) > 1e-4 {
			t.Errorf("%v of %v: got %v, want %v to %v", test.share, test.n, got, test.low, test.high)
		}
	}
}
