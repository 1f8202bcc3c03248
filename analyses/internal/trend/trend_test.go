package trend

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// slow is the statistic by its definition, and its variance over all orders of the values, which must be few.
func slow(times []int64, values []float64) (s, variance float64) {
	statistic := func(v []float64) (s float64) {
		for j := range v {
			for i := range j {
				if times[i] != times[j] {
					s += sign(v[j] - v[i])
				}
			}
		}
		return s
	}
	v := slices.Clone(values)
	var orders float64
	var walk func(from int)
	walk = func(from int) {
		if from == len(v) {
			x := statistic(v)
			variance += x * x
			orders++
			return
		}
		for i := from; i < len(v); i++ {
			v[from], v[i] = v[i], v[from]
			walk(from + 1)
			v[from], v[i] = v[i], v[from]
		}
	}
	walk(0)
	return statistic(values), variance / orders
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// The variance with ties is that over all orders of the values, exactly.
func TestMannKendallAgainstAllOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		var times []int64
		var values []float64
		for range n {
			times = append(times, int64(rapid.IntRange(0, 4).Draw(t, "time")))
			values = append(values, float64(rapid.IntRange(0, 4).Draw(t, "value")))
		}
		slices.Sort(times)
		shuffledTimes, shuffled := make([]int64, n), make([]float64, n)
		for i, from := range rapid.Permutation(indices(n)).Draw(t, "order") { // a series puts them in order again
			shuffledTimes[i], shuffled[i] = times[from], values[from]
		}
		s, p := MannKendall(NewSeries(shuffledTimes, shuffled))
		want, variance := slow(times, values)
		if s != want {
			t.Fatalf("%v %v: %v, want %v", times, values, s, want)
		}
		wantP := 1.0
		if s != 0 && variance > 1e-9 {
			wantP = min(1, 2*distuv.UnitNormal.Survival((math.Abs(s)-1)/math.Sqrt(variance)))
		}
		if math.Abs(p-wantP) > 1e-9 {
			t.Errorf("%v %v: p %v, want %v", times, values, p, wantP)
		}
	})
}

// Ten observations, one of them out of order: 1 2 3 4 5 6 7 8 10 9: of 45 pairs 44 rise and 1 falls, s = 43. Without
// ties the variance is 10 x 9 x 25 / 18 = 125, z = 42 / sqrt(125) = 3.7566, p = 0.000172.
func TestMannKendallByHand(t *testing.T) {
	times := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 10, 9}
	s, p := MannKendall(NewSeries(times, values))
	if s != 43 || math.Abs(p-0.000172) > 1e-6 {
		t.Errorf("s %v, p %v, want 43 and 0.000172", s, p)
	}
	if s, p := MannKendall(NewSeries(times, make([]float64, 10))); s != 0 || p != 1 {
		t.Errorf("of equal values s is %v, p %v", s, p)
	}
	if s, p := MannKendall(Series{}); s != 0 || p != 1 {
		t.Errorf("of nothing s is %v, p %v", s, p)
	}
}

// Values 0, 1, 3 and 10 at times 0, 1, 2 and 2: slopes 1, 3/2, 5, 2 and 9, none between the last two; the median is 2.
func TestTheilSenByHand(t *testing.T) {
	if got := TheilSen(NewSeries([]int64{0, 1, 2, 2}, []float64{0, 1, 3, 10})); got != 2 {
		t.Errorf("slope %v, want 2", got)
	}
	if got := TheilSen(NewSeries([]int64{5, 5}, []float64{1, 2})); !math.IsNaN(got) {
		t.Errorf("slope %v at one time", got)
	}
}

// A line with noise, and a tenth of the observations far off it: the slope is found, by all pairs and by few.
func TestTheilSenFindsSlope(t *testing.T) {
	for _, n := range []int{100, MaxPairs + 1, 5000} {
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		var times []int64
		var values []float64
		for i := range n {
			times = append(times, int64(i*10))
			values = append(values, 5+0.03*float64(i*10)+rng.NormFloat64())
			if i%10 == 5 {
				values[i] += 1000
			}
		}
		if got := TheilSen(NewSeries(times, values)); math.Abs(got-0.03) > 0.01 {
			t.Errorf("%d observations: slope %v, want about 0.03", n, got)
		}
	}
}

func BenchmarkMannKendall(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	times, values := make([]int64, 1_000_000), make([]float64, 1_000_000)
	for i := range times {
		times[i], values[i] = int64(i), float64(rng.IntN(1000))
	}
	n := 0
	for b.Loop() {
		MannKendall(NewSeries(times, values))
		n += len(times)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "runs/s")
}
