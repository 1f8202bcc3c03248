package quantile

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/datasets/result"
	"racecard/datasets/seed"
)

// Level and Resamples are the defaults of [Intervals].
const (
	Level     = 0.95
	Resamples = 2000
)

// Percentiles are the percentiles of a Summary that get intervals, by their JSON names.
var percentiles = []struct {
	name string
	p    float64
}{{"p10", .10}, {"p25", .25}, {"p50", .50}, {"p75", .75}, {"p90", .90}, {"p95", .95}, {"p99", .99}}

// bootstrap returns the percentile-bootstrap confidence interval of quantile p: the (1-level)/2 and (1+level)/2
// quantiles of the type 7 quantile over resamples of the sample, drawn with replacement (B. Efron, "Bootstrap Methods:
// Another Look at the Jackknife", Annals of Statistics 7(1), 1979).
//
// Resamples are not materialised: only the order statistics that the quantile interpolates are drawn. Order statistic k
// of n uniform draws is Beta(k, n-k+1), and given it the next one is the least of n-k uniform draws above it, so a
// resample costs O(1) however large the sample is.
//
// Intervals of extreme quantiles of small samples end at the extremes of the sample and are too narrow.
func bootstrap(sorted Sorted, p, level float64, resamples int, src rand.Source) result.Interval {
	n := sorted.Len()
	if n == 0 {
		return result.Interval{math.NaN(), math.NaN()}
	}
	k, f := position(n, p)
	draws := make([]float64, resamples)
	lower := distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k), Src: src}
	rng := rand.New(src)
	at := func(u float64) float64 { return sorted.values[min(int(u*float64(n)), n-1)] }
	for i := range draws {
		u := lower.Rand()
		draws[i] = at(u)
		if f > 0 {
			above := 1 - math.Pow(rng.Float64(), 1/float64(n-k-1))
			draws[i] = between(draws[i], at(u+(1-u)*above), f)
		}
	}
	drawn := Sort(draws)
	return result.Interval{Quantile(drawn, (1-level)/2), Quantile(drawn, (1+level)/2)}
}

// NewIntervals returns an empty set of 95% bootstrap intervals.
func NewIntervals() result.Intervals {
	return result.Intervals{
		Level: Level, Method: "percentile bootstrap", Resamples: Resamples,
		Of: map[string]map[string]result.Interval{},
	}
}

// AddIntervals adds, under name, the intervals of the percentiles of a [result.Summary] of the sample. The random
// numbers depend on the seed, the name and the percentile only.
func AddIntervals(to *result.Intervals, name string, sorted Sorted, rootSeed uint64) {
	if sorted.Len() == 0 {
		return
	}
	to.Of[name] = map[string]result.Interval{}
	for i, q := range percentiles {
		src := seed.Stream(rootSeed, "bootstrap "+name, uint64(i))
		to.Of[name][q.name] = bootstrap(sorted, q.p, to.Level, to.Resamples, src)
	}
}
