package recurrence

import (
	"math"
	"slices"

	"racecard/analyses/changepoint"
	"racecard/analyses/internal/trend"
	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// TrendLevel is the p-value below which a trend is reported. Of a hundred jobs without a trend, one has a lower
// p-value.
const TrendLevel = 0.01

// drift is how the completion time of a job changes over time.
type drift struct {
	result.Drift
	known  bool      // there are enough runs, and not all at one time
	level  []float64 // per run in time order: the mean log completion of its segment, or the line through all
	freely int       // parameters that level has beyond the mean
}

// drifts looks for changes of level and for a trend. runs are in time order; those at unknown times are left out. cov
// is the variation over all of them.
func drifts(runs []observed, cov float64) drift {
	nan := result.Number(math.NaN())
	d := drift{Drift: result.Drift{TrendP: nan, TrendOverSpan: nan, TrendFromS: nan, TrendToS: nan,
		CoVWithin: result.Number(cov), Changes: []result.Change{}}}
	first := 0
	for first < len(runs) && !runs[first].at.Known() {
		first++
	}
	runs = runs[first:]
	d.Runs = len(runs)
	if len(runs) < 2*changepoint.MinLength || runs[0].at == runs[len(runs)-1].at {
		return d
	}
	d.known = true
	times, seconds := make([]int64, len(runs)), make([]float64, len(runs))
	for i := range runs {
		times[i], seconds[i] = int64(runs[i].at), runs[i].seconds
	}
	span := float64(times[len(times)-1] - times[0])
	series := trend.NewSeries(times, seconds)
	slope := trend.TheilSen(series)
	_, p := trend.MannKendall(series)
	d.TrendP = result.Number(p)
	d.TrendOverSpan = result.Number(slope * span / median(seconds))
	changes := changepoint.Find(series)
	d.Drifting = len(changes) > 0 || p < TrendLevel
	var steps, line drift
	if len(changes) > 0 {
		steps = segment(runs, changes)
	}
	if p < TrendLevel {
		line = detrend(times, seconds, slope)
	}
	switch {
	case line.known && !(steps.known && steps.CoVWithin <= line.CoVWithin):
		d.CoVWithin, d.level, d.freely, d.TrendFromS, d.TrendToS = line.CoVWithin, line.level, line.freely,
			line.TrendFromS, line.TrendToS
	case steps.known:
		d.CoVWithin, d.level, d.freely, d.Changes = steps.CoVWithin, steps.level, steps.freely, steps.Changes
	}
	return d
}

// median returns the median of values, which it does not modify.
func median(values []float64) float64 {
	return quantile.Quantile(quantile.Sort(values), 0.5)
}

// segment describes the segments between changes of level. The variation within segments is the root mean square of the
// CoVs within each, weighted by their degrees of freedom.
func segment(runs []observed, changes []int) (d drift) {
	d.freely = len(changes)
	var squares, freedom float64
	begin := 0
	var before result.Number
	for _, end := range append(slices.Clone(changes), len(runs)) {
		var seconds []float64
		var logs float64
		for i := begin; i < end; i++ {
			seconds = append(seconds, runs[i].seconds)
			logs += math.Log(runs[i].seconds) / float64(end-begin)
		}
		sorted := quantile.Sort(seconds)
		cov := quantile.CoV(seconds) // of at least five runs that took longer than no time
		squares += float64(len(seconds)-1) * cov * cov
		freedom += float64(len(seconds) - 1)
		level := result.Number(quantile.Quantile(sorted, 0.5))
		if begin > 0 {
			d.Changes = append(d.Changes, result.Change{AtS: trace.Duration(runs[begin].at).Seconds(),
				JobID: runs[begin].id, Before: before, After: level})
		}
		before = level
		for range seconds {
			d.level = append(d.level, logs)
		}
		begin = end
	}
	d.known, d.CoVWithin = true, result.Number(math.Sqrt(squares/freedom))
	return d
}

// detrend describes a trend: the line of a given slope with as many runs above as below. The variation along it
// is the variation of completion times divided by the line's values. It is unknown if the line falls to zero.
func detrend(times []int64, seconds []float64, slope float64) (d drift) {
	d.freely = 1
	rest, ratios := make([]float64, len(times)), make([]float64, len(times))
	for i := range times {
		rest[i] = seconds[i] - slope*float64(times[i]-times[0])
	}
	start := median(rest)
	for i := range times {
		line := start + slope*float64(times[i]-times[0])
		if !(line > 0) || math.IsInf(line, 0) {
			return drift{}
		}
		d.level, ratios[i] = append(d.level, math.Log(line)), seconds[i]/line
	}
	slices.Sort(ratios)
	d.known, d.CoVWithin = true, result.Number(quantile.CoV(ratios))
	d.TrendFromS, d.TrendToS = result.Number(start), result.Number(math.Exp(d.level[len(times)-1]))
	return d
}
