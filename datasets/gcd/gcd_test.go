package gcd

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The result is the largest number that divides both, by trying all.
func TestOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64Range(0, 200).Draw(t, "a"), rapid.Int64Range(-200, 200).Draw(t, "b")
		want := max(a, uint64(max(b, -b))) // if one is 0
		if a > 0 && b != 0 {
			for want = min(a, uint64(max(b, -b))); a%want != 0 || b%int64(want) != 0; want-- {
			}
		}
		if got := Of(a, b); got != want {
			t.Errorf("Of(%d, %d) = %d, want %d", a, b, got, want)
		}
	})
	if got := Of(0, math.MinInt64); got != 1<<63 {
		t.Errorf("of the least number %d", got)
	}
}
