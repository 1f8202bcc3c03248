package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A step of six standard deviations is dated exactly, also with single values far off.
func TestStepIsDated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		at := rapid.IntRange(10, 50).Draw(t, "at")
		values := make([]float64, 60)
		for i := range values {
			values[i] = 100 + rng.NormFloat64()
			if i >= at {
				values[i] += 8
			}
		}
		odd := rapid.SampledFrom([]int{3, 30, 56}).Draw(t, "odd")
		if odd < at-3 || odd > at+3 {
			values[odd] = 1000
		}
		if got, gain := Step(values, 3); got < at-1 || got > at+1 || gain < 100 {
			t.Errorf("dated to %d, gain %v, want %d", got, gain, at)
		}
	})
}

// Split 1 1 1 | 3 3 3 gains (3-1)² x 3 x 3 / 6 = 6 over the variance of the noise, here next to nothing. Too short
// series have no step.
func TestStepByHand(t *testing.T) {
	if at, gain := Step([]float64{1, 1, 1, 3, 3, 3}, 1); at != 3 || !(gain > 1e9) {
		t.Errorf("at %d, gain %v", at, gain)
	}
	for _, short := range [][]float64{nil, {1}, {1, 2, 3}} {
		if at, gain := Step(short, 2); at != 0 || gain != 0 {
			t.Errorf("%v: at %d, gain %v", short, at, gain)
		}
	}
	if sd := Noise([]float64{1, 2, 1, 2}); math.Abs(sd-1/(math.Sqrt2*0.6745)) > 1e-12 {
		t.Errorf("noise %v", sd)
	}
}
