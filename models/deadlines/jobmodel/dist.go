package jobmodel

import (
	"fmt"
	"math"

	"racecard/analyses/distfit"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/models/deadlines/sim"
)

// tabulated is how many equally likely values stand for a distribution with weights or of a family.
const tabulated = 4096

// beyond bounds draws from a family that was fitted to few observations: at most this many times the largest,
// and at least one part in this many of the smallest. The observations carry no information farther out.
const beyond = 10

// table returns the quantiles of a distribution, in seconds, at the middles of equally likely parts. It must not be
// changed.
func (j *Job) table(d *modelfile.Dist, quantile func(p float64) float64) []float64 {
	of, _ := j.quantiles.get(d, mostQuantiles, func() ([]float64, error) {
		low, high := float64(d.Values[0])/1e6/beyond, float64(d.Values[len(d.Values)-1])/1e6*beyond
		of := make([]float64, tabulated)
		for i := range of {
			of[i] = max(low, min(high, quantile((float64(i)+0.5)/tabulated)))
		}
		return of, nil
	})
	return of
}

// optional is a distribution, or the zero one, which draws 0, where nothing was observed.
func (j *Job) optional(d *modelfile.Dist, change func(seconds float64) float64) (sim.Dist, error) {
	if d.N == 0 || d.Values[len(d.Values)-1] == 0 {
		return sim.Dist{}, nil
	}
	return j.dist(d, change)
}

// unchanged leaves durations as they are.
func unchanged(seconds float64) float64 { return seconds }

// dist returns a distribution of a profile for simulation, with every duration changed by an ascending function.
func (j *Job) dist(d *modelfile.Dist, change func(seconds float64) float64) (sim.Dist, error) {
	if d.N == 0 {
		return sim.Dist{}, fmt.Errorf("nothing was observed")
	}
	quantile, err := quantiles(d)
	if err != nil {
		return sim.Dist{}, err
	}
	changed := func(seconds float64) int64 { return simulatedDuration(1e6 * change(seconds)) }
	if quantile != nil {
		return sim.Empirical(lists.Map(j.table(d, quantile), changed))
	}
	return sim.Empirical(lists.Map(d.Values, func(x int64) int64 { return changed(float64(x) / 1e6) }))
}

// simulatedDuration bounds a duration in microseconds, recorded or extrapolated, to one that a simulation takes. A run
// with a task of the longest ends in [sim.ErrTooLong].
func simulatedDuration(us float64) int64 {
	if us < sim.MaxDuration {
		return int64(math.Round(us))
	}
	return sim.MaxDuration // NaN, too: a number beyond all bounds times 0
}

// quantiles returns the quantile function of a distribution, in seconds, or nil for one of equally likely values.
func quantiles(d *modelfile.Dist) (func(p float64) float64, error) {
	param := func(i int) float64 { return d.Params[i].Value }
	switch d.Family {
	case modelfile.Constant:
		return nil, nil
	case modelfile.Empirical:
		if d.Weights == nil {
			return nil, nil
		}
		return weighted(d.Values, d.Weights), nil
	case modelfile.Exponential:
		return distfit.Exponential{Mean: param(0)}.Quantile, nil
	case modelfile.Gamma:
		return distfit.Gamma{Shape: param(0), Scale: param(1)}.Quantile, nil
	case modelfile.Lognormal:
		return distfit.Lognormal{Mu: param(0), Sigma: param(1)}.Quantile, nil
	case modelfile.Pareto:
		return distfit.Pareto{Min: param(0), Alpha: param(1)}.Quantile, nil
	case modelfile.Weibull:
		return distfit.Weibull{Shape: param(0), Scale: param(1)}.Quantile, nil
	}
	return nil, fmt.Errorf("family %q cannot be drawn from", d.Family)
}

// weighted returns the smallest value, in seconds, with a share of at least p of the weight at or below it. It must be
// asked for ascending p.
func weighted(values []int64, weights []float64) func(p float64) float64 {
	i, below := 0, weights[0]
	return func(p float64) float64 {
		for below < p && i < len(values)-1 {
			i++
			below += weights[i]
		}
		return float64(values[i]) / 1e6
	}
}
