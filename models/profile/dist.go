package profile

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

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

// keep returns the values and, where they differ, their weights, or evenly spaced quantiles of too many of them: the k-th
// of m is the smallest value with a share of at least k/(m-1) of the weight at or below it, so the smallest and the largest
// stay.
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
// seconds. Zeros, which those families do not know, and a single value leave the observations themselves.
func best(sorted []value) (family string, params []modelfile.Param) {
	if sorted[0].x <= 0 {
		return modelfile.Empirical, nil
	}
	var sum, mean, meanLog float64
	for _, v := range sorted {
		x := float64(v.x) / 1e6
		sum += v.w
		mean += v.w * x
		meanLog += v.w * math.Log(x)
	}
	mean, meanLog = mean/sum, meanLog/sum
	var square float64
	for _, v := range sorted {
		d := math.Log(float64(v.x)/1e6) - meanLog
		square += v.w * d * d
	}
	mu, sigma := meanLog, math.Sqrt(square/sum)
	shape := gammaShape(math.Log(mean) - meanLog)
	families := []struct {
		name    string
		free    float64
		logProb func(float64) float64
		params  []modelfile.Param
	}{
		{modelfile.Exponential, 1, distuv.Exponential{Rate: 1 / mean}.LogProb, []modelfile.Param{{Name: "mean_s", Value: mean}}},
		{modelfile.Gamma, 2, distuv.Gamma{Alpha: shape, Beta: shape / mean}.LogProb,
			[]modelfile.Param{{Name: "shape", Value: shape}, {Name: "scale_s", Value: mean / shape}}},
		{modelfile.Lognormal, 2, distuv.LogNormal{Mu: mu, Sigma: sigma}.LogProb,
			[]modelfile.Param{{Name: "mu", Value: mu}, {Name: "sigma", Value: sigma}}},
	}
	n := float64(len(sorted))
	lowest := math.Inf(1)
	for _, f := range families {
		var likelihood float64
		for _, v := range sorted {
			likelihood += v.w / sum * n * f.logProb(float64(v.x)/1e6)
		}
		if aic := 2*f.free - 2*likelihood; aic < lowest { // H. Akaike, 1974
			lowest, family, params = aic, f.name, f.params
		}
	}
	if params == nil {
		return modelfile.Empirical, nil
	}
	return family, params
}

// gammaShape solves log k - digamma(k) = s for s > 0: the shape of a gamma distribution of which s is the logarithm of the
// mean less the mean of the logarithm. It starts from T. P. Minka's approximation ("Estimating a Gamma distribution", 2002)
// and takes his generalised Newton steps.
func gammaShape(s float64) float64 {
	k := (3 - s + math.Sqrt((s-3)*(s-3)+24*s)) / (12 * s)
	for range 50 {
		const h = 1e-5
		f := math.Log(k) - mathext.Digamma(k) - s
		slope := 1/k - (mathext.Digamma(k*(1+h))-mathext.Digamma(k*(1-h)))/(2*h*k)
		next := 1 / (1/k + f/(k*k*slope))
		if !(next > 0) || math.IsInf(next, 1) || math.Abs(next-k) <= 1e-12*k {
			break
		}
		k = next
	}
	return k
}
