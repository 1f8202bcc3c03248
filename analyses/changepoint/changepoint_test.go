package changepoint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/internal/trend"
)

// findSlow tries every way to cut the series.
func findSlow(times []int64, values []float64) (best []int, least float64) {
	z := standardisedRanks(values)
	least = math.Inf(1)
	var walk func(changes []int, begin int, cost float64)
	walk = func(changes []int, begin int, cost float64) {
		for end := begin + MinLength; end <= len(z); end++ {
			if end < len(z) && (len(z)-end < MinLength || times[end] == times[end-1]) {
				continue
			}
			var mean, squares float64
			for _, x := range z[begin:end] {
				mean += x / float64(end-begin)
			}
			for _, x := range z[begin:end] {
				squares += (x - mean) * (x - mean)
			}
			if end == len(z) {
				if cost+squares < least-1e-9 {
					best, least = slices.Clone(changes), cost+squares
				}
				continue
			}
			walk(append(changes, end), end, cost+squares+3*math.Log(float64(len(z))))
		}
	}
	walk(nil, 0, 0)
	return best, least
}

func TestAgainstEveryCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var values []float64
		for range rapid.IntRange(1, 4).Draw(t, "segments") {
			level := rapid.Float64Range(0, 30).Draw(t, "level")
			for range rapid.IntRange(3, 12).Draw(t, "length") {
				values = append(values, level+rapid.Float64Range(0, 5).Draw(t, "value"))
			}
		}
		if len(values) < 2*MinLength || standardisedRanks(values) == nil {
			t.Skip("too few values, or all of them equal: there is nothing to part")
		}
		times := order(len(values))
		for i := 1; i < len(times); i++ {
			if rapid.IntRange(0, 3).Draw(t, "same time") == 0 {
				times[i] = times[i-1]
			}
		}
		want, least := findSlow(times, values)
		if got := byRanks(trend.NewSeries(times, values)); !slices.Equal(got, want) && cost(values, got) > least+1e-9 {
			t.Errorf("%v: changes at %v, want %v", values, got, want)
		}
	})
}

// cost is what a way to cut the series costs.
func cost(values []float64, changes []int) (sum float64) {
	z := standardisedRanks(values)
	begin := 0
	for _, end := range append(slices.Clone(changes), len(z)) {
		var mean float64
		for _, x := range z[begin:end] {
			mean += x / float64(end-begin)
		}
		for _, x := range z[begin:end] {
			sum += (x - mean) * (x - mean)
		}
		begin = end
	}
	return sum + 3*math.Log(float64(len(z)))*float64(len(changes))
}

// order returns n times, one after the other.
func order(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

// series returns segments of given lengths and levels with noise of standard deviation 1.
func series(rng *rand.Rand, segments ...[2]float64) (out []float64) {
	for _, s := range segments {
		for range int(s[0]) {
			out = append(out, s[1]+rng.NormFloat64())
		}
	}
	return out
}

func TestFindsChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name   string
		values []float64
		want   []int
		within int
	}{
		{"nothing", nil, nil, 0},
		{"too short", series(rng, [2]float64{4, 0}, [2]float64{5, 50}), nil, 0},
		{"constant", make([]float64, 50), nil, 0},
		{"one step", series(rng, [2]float64{10, 0}, [2]float64{12, 50}), []int{10}, 0},
		{"up and down", series(rng, [2]float64{20, 0}, [2]float64{20, 50}, [2]float64{20, 0}), []int{20, 40}, 0},
		{"stairs", series(rng, [2]float64{20, 0}, [2]float64{20, 50}, [2]float64{20, 100}), []int{20, 40}, 0},
		{"one value far off", append(series(rng, [2]float64{15, 0}),
			append([]float64{1e9}, series(rng, [2]float64{15, 0})...)...), nil, 0},
		{"a million", series(rng, [2]float64{300_000, 0}, [2]float64{700_000, 1}), []int{300_000}, 1000},
	} {
		got := Find(trend.NewSeries(order(len(test.values)), test.values))
		near := len(got) == len(test.want)
		for i := 0; near && i < len(got); i++ {
			near = math.Abs(float64(got[i]-test.want[i])) <= float64(test.within)
		}
		if !near {
			t.Errorf("%s: changes at %v, want %v", test.name, got, test.want)
		}
	}
}

// Ten runs at one time, then ten at another: whatever their order, a level changes only between the two.
func TestTimesThatAreTheSame(t *testing.T) {
	values := series(rand.New(rand.NewPCG(1, 2)), [2]float64{5, 0}, [2]float64{5, 50}, [2]float64{10, 100})
	times := make([]int64, 20)
	if got := Find(trend.NewSeries(times, values)); got != nil {
		t.Errorf("changes at %v, all at one time", got)
	}
	for i := 10; i < 20; i++ {
		times[i] = 1
	}
	if got := Find(trend.NewSeries(times, values)); !slices.Equal(got, []int{10}) {
		t.Errorf("changes at %v, want 10", got)
	}
}

// The share of series without order in which a change is found.
func TestFalseAlarms(t *testing.T) {
	for _, n := range []int{10, 20, 50, 200} {
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		found, times := 0, 2000
		for range times {
			if len(Find(trend.NewSeries(order(n), series(rng, [2]float64{float64(n), 0})))) > 0 {
				found++
			}
		}
		t.Logf("%d values: %.1f%%", n, 100*float64(found)/float64(times))
		if found > times*4/100 {
			t.Errorf("%d values without order: a change in %d of %d", n, found, times)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{20, 200, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			times, values := order(n), series(rand.New(rand.NewPCG(1, 1)), [2]float64{float64(n), 0})
			runs := 0
			for b.Loop() {
				Find(trend.NewSeries(times, values))
				runs += n
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
