package quantile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/seed"
)

// Expected values are NumPy's: numpy.quantile([1, 2, 4, 8], p), default method "linear".
func TestQuantile(t *testing.T) {
	values := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.1: 1.3, 0.25: 1.75, 0.5: 3, 0.75: 5, 0.9: 6.8, 1: 8} {
		if got := Quantile(values, p); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v is %v, want %v", p, got, want)
		}
	}
	if got := Quantile([]float64{7}, 0.3); got != 7 {
		t.Errorf("quantile of one value is %v", got)
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("quantile of nothing is %v", got)
	}
}

func TestCoV(t *testing.T) {
	// mean 4, squared deviations 9 + 4 + 0 + 1 + 16 = 30... of {1, 2, 4, 5, 8}: sum 20, mean 4, variance 30/4 = 7.5
	if got, want := CoV([]float64{1, 2, 4, 5, 8}), math.Sqrt(7.5)/4; math.Abs(got-want) > 1e-12 {
		t.Errorf("CoV %v, want %v", got, want)
	}
	for _, values := range [][]float64{nil, {3}, {0, 0}} {
		if got := CoV(values); !math.IsNaN(got) {
			t.Errorf("CoV(%v) is %v, want NaN", values, got)
		}
	}
}

func TestSummarize(t *testing.T) {
	s := Summarize([]float64{8, 1, 4, 2})
	if s.N != 4 || s.Mean != 3.75 || s.Min != 1 || s.P50 != 3 || s.Max != 8 {
		t.Errorf("summary %+v", s)
	}
	if s := Summarize(nil); s.N != 0 || !math.IsNaN(s.Mean) || !math.IsNaN(s.Max) {
		t.Errorf("summary of nothing %+v", s)
	}
}

// bootstrapSlow draws whole resamples.
func bootstrapSlow(sorted []float64, p, level float64, resamples int, rng *rand.Rand) result.Interval {
	draws := make([]float64, resamples)
	sample := make([]float64, len(sorted))
	for i := range draws {
		for k := range sample {
			sample[k] = sorted[rng.IntN(len(sorted))]
		}
		slices.Sort(sample)
		draws[i] = Quantile(sample, p)
	}
	slices.Sort(draws)
	return result.Interval{Quantile(draws, (1-level)/2), Quantile(draws, (1+level)/2)}
}

func TestBootstrapAgainstResampling(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 5, 40} {
		sorted := make([]float64, n)
		for i := range sorted {
			sorted[i] = rng.ExpFloat64()
		}
		slices.Sort(sorted)
		spread := sorted[n-1] - sorted[0]
		for _, p := range []float64{0, 0.1, 0.5, 0.9, 1} {
			fast := Bootstrap(sorted, p, 0.95, 40_000, rand.NewPCG(3, 4))
			slow := bootstrapSlow(sorted, p, 0.95, 40_000, rng)
			for i := range fast {
				if math.Abs(fast[i]-slow[i]) > 0.03*spread {
					t.Errorf("n %d, p %v: interval %v, by resampling %v", n, p, fast, slow)
				}
			}
		}
	}
}

func TestIntervalsAreReproducible(t *testing.T) {
	sorted := []float64{1, 2, 3, 5, 8, 13}
	a, b := NewIntervals(), NewIntervals()
	AddIntervals(&a, "x", sorted, 7)
	AddIntervals(&b, "x", sorted, 7)
	if a.Of["x"]["p50"] != b.Of["x"]["p50"] || len(a.Of["x"]) != 7 {
		t.Errorf("%v and %v", a.Of, b.Of)
	}
	if i := a.Of["x"]["p50"]; i[0] > 4 || i[1] < 4 || i[0] < 1 || i[1] > 13 {
		t.Errorf("interval %v does not hold the median 4, or leaves the sample", i)
	}
}

func BenchmarkBootstrap(b *testing.B) {
	sorted := make([]float64, 1_000_000)
	for i := range sorted {
		sorted[i] = float64(i)
	}
	for b.Loop() {
		Bootstrap(sorted, 0.9, Level, Resamples, seed.Stream(1, "bench", 0))
	}
}
