package anatomy

import (
	"cmp"
	"math"
	"slices"

	"racecard/analyses/changepoint"
	"racecard/analyses/internal/twosample"
	"racecard/analyses/quantile"
)

// Cause is the reason why the runs of a job take longer, or less long, than earlier ones.
type Cause struct {
	Kind    Kind // Unexplained where no cause stands out
	Stage   string
	Seconds float64 // by which it changed the mean run
	Share   float64 // of all parts that changed in the direction of the whole, in [0, 1]: the confidence
	At      int     // index of the first run with the new level: -1 where it is not dated
	Before  float64 // the median of what the kind is about before that run, and
	After   float64 // from it on; see Measure
	Parts   []Part  // changes of the means of all parts, largest first
}

// sure is the largest probability with which a cause may differ by chance.
const sure = 0.01

// leading is the least share that a cause must have.
const leading = 0.35

// leastSegment is the least number of runs before and after a dated change.
const leastSegment = 3

// FindCause returns the cause of the difference between the runs after and the runs before. runs are in time
// order, if dated is true; after has one value per run, with at least one of either kind. The parts of each
// run's waterfall against the usual run before are compared between before and after, so that effects of input
// and cores are no step of another part. The cause is the largest part in the direction of the change, if it is
// at least 35% of the total in that direction and differs with p < 0.01 ([twosample.MannWhitney]). Its date is
// the likeliest single step of that part ([changepoint.Step]).
func FindCause(runs []Run, after []bool, dated bool) Cause {
	var before []Run
	for i := range runs {
		if !after[i] {
			before = append(before, runs[i])
		}
	}
	var beta float64
	if dated {
		beta = elasticity(runs)
	} else {
		beta = elasticity(before)
	}
	usual := UsualOf(before, beta)
	series := map[Part][]float64{} // the seconds of the key are 0
	for i := range runs {
		for _, p := range waterfall(&runs[i], &usual) {
			key := Part{Kind: p.Kind, Stage: p.Stage}
			if series[key] == nil {
				series[key] = make([]float64, len(runs))
			}
			series[key][i] += p.Seconds
		}
	}
	c := Cause{Kind: Unexplained, At: -1, Before: math.NaN(), After: math.NaN()}
	total := 0.0
	for key, values := range series {
		old, young := halves(values, after)
		key.Seconds = middle90(young) - middle90(old)
		c.Parts = append(c.Parts, key)
	}
	slices.SortFunc(c.Parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Seconds), math.Abs(a.Seconds)), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Stage, b.Stage))
	})
	for _, p := range c.Parts {
		total += p.Seconds
	}
	var along float64
	lead := -1
	for i, p := range c.Parts {
		if p.Seconds*total > 0 {
			along += math.Abs(p.Seconds)
			if lead < 0 {
				lead = i
			}
		}
	}
	if lead < 0 {
		return c
	}
	p := c.Parts[lead]
	values := series[Part{Kind: p.Kind, Stage: p.Stage}]
	old, young := halves(values, after)
	share := math.Abs(p.Seconds) / along
	if share < leading || twosample.MannWhitney(quantile.Sort(old), quantile.Sort(young)) >= sure {
		return c
	}
	c.Kind, c.Stage, c.Seconds, c.Share = p.Kind, p.Stage, p.Seconds, share
	if dated {
		if at, gain := changepoint.Step(values, leastSegment); gain > 3*math.Log(float64(len(values))) {
			c.At = at
		}
	}
	c.measure(runs, after)
	return c
}

// measure fills in what the cause is about, before and after.
func (c *Cause) measure(runs []Run, after []bool) {
	var old, young []float64
	for i := range runs {
		v := runs[i].Measure(c.Kind, c.Stage)
		if c.At >= 0 && i >= c.At || c.At < 0 && after[i] {
			young = append(young, v)
		} else {
			old = append(old, v)
		}
	}
	c.Before, c.After = quantile.Quantile(quantile.Sort(old), 0.5), quantile.Quantile(quantile.Sort(young), 0.5)
}

// Measure returns what a kind of cause is about: bytes of input, cores, seconds of queueing or of the driver, the share
// of core-seconds in attempts that failed, core-seconds of a stage's successful attempts, or the seconds of its
// longest; for other kinds the completion time.
func (r *Run) Measure(kind Kind, stage string) float64 {
	s := r.find(stage)
	if s == nil {
		s = &Stage{}
	}
	switch kind {
	case Queueing:
		return r.Queued
	case Cores:
		return r.Cores
	case Input:
		return r.Input
	case Driver:
		return r.Driver
	case Slower:
		return s.Work
	case Skew:
		return s.Longest
	case Failures:
		var failed, all float64
		for i := range r.Stages {
			failed += r.Stages[i].Failed
			all += r.Stages[i].Work + r.Stages[i].Failed
		}
		return failed / max(all, 1e-9)
	}
	return r.Seconds
}

// halves divides values of runs by whether these lie after.
func halves(values []float64, after []bool) (old, young []float64) {
	for i, v := range values {
		if after[i] {
			young = append(young, v)
		} else {
			old = append(old, v)
		}
	}
	return old, young
}

// middle90 returns the mean of values without the twentieth of them at either end.
func middle90(values []float64) float64 {
	s := quantile.Sort(values).Values()
	cut := len(s) / 20
	return quantile.Mean(s[cut : len(s)-cut])
}
