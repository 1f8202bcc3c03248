package profile

import (
	"math"
	"slices"

	"racecard/analyses/distfit"
	"racecard/datasets/modelfile"
)

// value is an observation, in microseconds or a count, and its weight.
type value struct {
	x int64
	w float64
}

// pool makes a distribution of durations in microseconds. values are sorted in place.
func (o Options) pool(values []value) modelfile.Dist {
	sortValues(values)
	d := modelfile.Dist{N: int64(len(values)), Family: modelfile.None, Values: []int64{}}
	if len(values) == 0 {
		return d
	}
	mean := weightedMean(values) / 1e6
	d.MeanS = &mean
	d.Values, d.Weights = o.keep(values)
	switch {
	case values[0].x == values[len(values)-1].x:
		d.Family = modelfile.Constant
	case len(values) >= o.MinEmpirical:
		d.Family = modelfile.Empirical
	default:
		d.Family, d.Params = best(values)
	}
	return d
}

// counts makes a distribution of counts. values are sorted in place.
func (o Options) counts(values []value) modelfile.Counts {
	sortValues(values)
	c := modelfile.Counts{N: int64(len(values)), Values: []int64{}}
	if len(values) > 0 {
		mean := weightedMean(values)
		c.Mean = &mean
		c.Values, c.Weights = o.keep(values)
	}
	return c
}

func sortValues(values []value) {
	slices.SortFunc(values, func(a, b value) int {
		switch {
		case a.x < b.x || a.x == b.x && a.w < b.w:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
}

func weightedMean(sorted []value) float64 {
	var sum, weight float64
	for _, v := range sorted {
		sum += v.w * float64(v.x)
		weight += v.w
	}
	return sum / weight
}

// keep returns the values and, where they differ, their weights, or evenly spaced quantiles of too many of them: the
// k-th of m is the smallest value with a share of at least k/(m-1) of the weight at or below it, so the smallest and
// the largest stay.
func (o Options) keep(sorted []value) (xs []int64, weights []float64) {
	if len(sorted) <= o.MaxValues {
		var sum float64
		equal := true
		for _, v := range sorted {
			xs = append(xs, v.x)
			sum += v.w
			equal = equal && v.w == sorted[0].w
		}
		if !equal {
			for _, v := range sorted {
				weights = append(weights, v.w/sum)
			}
		}
		return xs, weights
	}
	var sum, below float64
	for _, v := range sorted {
		sum += v.w
	}
	at := 0
	below = sorted[0].w
	for k := range o.MaxValues - 1 {
		for below < sum*float64(k)/float64(o.MaxValues-1) && at < len(sorted)-1 {
			at++
			below += sorted[at].w
		}
		xs = append(xs, sorted[at].x)
	}
	return append(xs, sorted[len(sorted)-1].x), nil
}

// best returns the likeliest of the families for few observations, with its parameters by maximum likelihood, times in
// seconds: by Akaike's criterion corrected for few observations (C. M. Hurvich and C.-L. Tsai, "Regression and Time
// Series Model Selection in Small Samples", Biometrika 76, 1989). Zeros, which those families do not know, and fewer
// than four observations, too few for two parameters, leave the observations themselves. So do Pareto distributions
// without a mean.
func best(sorted []value) (family string, params []modelfile.Param) {
	if sorted[0].x <= 0 || len(sorted) < 4 {
		return modelfile.Empirical, nil
	}
	sample, n := weightedSample(sorted), float64(len(sorted))
	lowest := math.Inf(1)
	family = modelfile.Empirical
	for _, f := range distfit.Families() {
		fit, err := f.Fit(sample)
		if err != nil {
			continue
		}
		if p, ok := fit.(distfit.Pareto); ok && p.Alpha <= 1 {
			continue
		}
		k := float64(f.Parameters)
		likelihood := distfit.LogLikelihood(fit, sample) * n / float64(sample.N())
		if aic := 2*k - 2*likelihood + 2*k*(k+1)/(n-k-1); aic < lowest {
			lowest, family, params = aic, f.Name, parameters(fit.Params())
		}
	}
	return family, params
}

// weightedSample is a sample in seconds in which every observation occurs as often as its weight says, to a millionth
// of the largest.
func weightedSample(sorted []value) *distfit.Sample {
	largest := 0.0
	for _, v := range sorted {
		largest = max(largest, v.w)
	}
	seconds, times := make([]float64, len(sorted)), make([]int64, len(sorted))
	for i, v := range sorted {
		seconds[i], times[i] = float64(v.x)/1e6, int64(math.Round(1e6*v.w/largest))
	}
	return distfit.NewSample(seconds, times, 0, distfit.Rounded)
}

// parameters gives the parameters of a fit their names in profiles.
func parameters(params []distfit.Param) []modelfile.Param {
	inSeconds := map[string]string{"mean": "mean_s", "scale": "scale_s", "min": "min_s"}
	out := make([]modelfile.Param, len(params))
	for i, p := range params {
		out[i] = modelfile.Param{Name: p.Name, Value: p.Value}
		if name, ok := inSeconds[p.Name]; ok {
			out[i].Name = name
		}
	}
	return out
}
