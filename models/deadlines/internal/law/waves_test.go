package law

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Runs that are submitted before any that was under way has ended are one wave.
func TestWaves(t *testing.T) {
	run := func(submit, seconds float64) Run { return Run{Submit: submit, Seconds: seconds} }
	for _, test := range []struct {
		what string
		runs []Run
		want []float64
	}{
		{"one after the other", []Run{run(0, 5), run(10, 5), run(20, 5)}, []float64{-3, -2, -1}},
		{"submitted as the one before ends", []Run{run(0, 10), run(10, 10), run(20, 10)}, []float64{-3, -2, -1}},
		{"each ends after the next is submitted", []Run{run(0, 15), run(10, 15), run(20, 15)}, []float64{-2, -2, -1}},
		{"three at once, twice", []Run{run(0, 5), run(0, 6), run(1, 7), run(100, 9), run(100, 5), run(101, 5)},
			[]float64{-2, -2, -2, -1, -1, -1}},
		{"two ends between two submissions", []Run{run(0, 5), run(1, 6), run(50, 5)}, []float64{-2, -2, -1}},
		{"submissions not known", []Run{run(0, 5), run(0, 5), run(math.NaN(), 5)}, []float64{-3, -2, -1}},
		{"one run", []Run{run(0, 5)}, []float64{-1}},
	} {
		if got := waves(test.runs); !slices.Equal(got, test.want) {
			t.Errorf("%s: places %v, want %v", test.what, got, test.want)
		}
	}
}

// Runs of one night that wait for each other take longer one after the other. That is no trend of the job: the next
// run takes as long as any of them. The same times from night to night are a trend, and it goes on.
func TestQueueIsNoTrend(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var queued, nightly []Run
	for i := range 12 {
		seconds := 100 * math.Pow(1.2, float64(i)) * math.Exp(0.02*rng.NormFloat64())
		queued = append(queued, Run{Submit: float64(i), Seconds: seconds, InputBytes: nan, Tokens: nan, Expected: nan})
		nightly = append(nightly, queued[i])
		nightly[i].Submit *= day
	}
	longest := queued[11].Seconds
	if got := times(t, queued, unknown()); got[100] > 0.6*longest || got[180] > 1.5*longest {
		t.Errorf("after 12 runs at once, of up to %.0f s, half take at most %.0f s and 90%% %.0f s", longest, got[100],
			got[180])
	}
	if got, want := times(t, nightly, unknown())[100], longest*1.2; math.Abs(got/want-1) > 0.1 {
		t.Errorf("after 12 nights, of up to %.0f s, half take at most %.0f s, want %.0f", longest, got, want)
	}
}
