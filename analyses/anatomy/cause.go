package anatomy

import (
	"cmp"
	"math"
	"slices"

	"racecard/analyses/changepoint"
	"racecard/analyses/internal/twosample"
	"racecard/analyses/quantile"
)

// Cause is the reason why the runs of a job take longer, or shorter, than earlier ones.
type Cause struct {
	Kind    Kind // Unexplained where no cause stands out
	Stage   string
	Seconds float64 // by which it changed the mean run
	Share   float64 // of all parts that changed in the direction of the whole, in [0, 1]: the confidence
	At      int     // index of the first run with the new level: -1 where it is not dated
	Gradual bool    // it is dated, and a straight line fits the part better than a step
	Before  float64 // the median of the measure of the kind before that run
	After   float64 // the same from that run on; see Measure
	Parts   []Part  // changes of the means of all parts, largest first
	Also    []Cause // further causes, of the same direction, without Parts and Also
}

// sure is the largest probability with which a cause may differ by chance.
const sure = 0.05

// The least shares of a cause and of further ones.
const (
	leading = 0.35
	further = 0.15
)

// leastSegment is the least number of runs before and after a dated change.
const leastSegment = 3

// FindCause returns the cause of the difference between the runs after and the runs before. runs are in time order, if
// dated is true; after has one value per run, with at least one of either kind. The parts of each run's waterfall
// against the usual run before are compared between before and after, so that effects of input and cores do not show as
// a step of another part. The direction of the change is the direction of the median completion time. The cause is the
// largest part in this direction, if it is at least 35% of the total in the direction and there is evidence for it: p <
// 0.05 ([twosample.MannWhitney]), or a step in the direction that gains more than 3 ln n ([changepoint.Step]), wherever
// the runs are divided. That step is its date. The median of the part's measure must have changed in the direction,
// too. Further causes meet the same conditions with at least 15% of the total. If own is true, the runs are divided
// where their times likeliest changed: a part that is the whole difference of all runs then has this date, as there is
// one series of times.
func FindCause(runs []Run, after []bool, dated, own bool) Cause {
	var before []Run
	var seconds []float64
	for i := range runs {
		seconds = append(seconds, runs[i].Seconds)
		if !after[i] {
			before = append(before, runs[i])
		}
	}
	learn := before
	if dated {
		learn = runs
	}
	usual := UsualOf(before, elasticity(learn))
	usual.Powers = powers(learn)
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
	none := Cause{Kind: Unexplained, At: -1, Before: math.NaN(), After: math.NaN()}
	for key, values := range series {
		old, young := halves(values, after)
		key.Seconds = middle90(young) - middle90(old)
		none.Parts = append(none.Parts, key)
	}
	slices.SortFunc(none.Parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Seconds), math.Abs(a.Seconds)), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Stage, b.Stage))
	})
	change := -1
	if dated && own && alone(series) {
		change = slices.Index(after, true)
	}
	direction := medianOf(halves(seconds, after))
	var along float64
	for _, p := range none.Parts {
		along += max(0, p.Seconds*sign(direction))
	}
	var found []Cause
	for _, p := range none.Parts {
		share, least := p.Seconds*sign(direction)/along, further
		if len(found) == 0 {
			least = leading
		}
		switch c, known := causeOf(p, runs, series[Part{Kind: p.Kind, Stage: p.Stage}], after, dated, change); {
		case !(share > 0):
			continue
		case share >= least && known:
			c.Share = share
			found = append(found, c)
		case len(found) == 0: // the largest part is not known to have changed
			return none
		}
	}
	if len(found) == 0 {
		return none
	}
	c := found[0]
	c.Parts, c.Also = none.Parts, found[1:]
	return c
}

// alone reports whether one part at most differs between runs.
func alone(series map[Part][]float64) bool {
	var most []float64
	for _, values := range series {
		most = append(most, max(slices.Max(values), -slices.Min(values)))
	}
	slices.Sort(most)
	n := len(most)
	return n < 2 || most[n-2] <= 1e-9*most[n-1]
}

// medianOf returns the difference of the medians.
func medianOf(old, young []float64) float64 {
	return quantile.Quantile(quantile.Sort(young), 0.5) - quantile.Quantile(quantile.Sort(old), 0.5)
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

// causeOf returns a part that changed as a cause; false where there is no evidence that it did. values holds the
// seconds of the part, by run; change is the index of the run from which they are known to differ, -1 if none is.
func causeOf(p Part, runs []Run, values []float64, after []bool, dated bool, change int) (Cause, bool) {
	c := Cause{Kind: p.Kind, Stage: p.Stage, Seconds: p.Seconds, At: -1}
	switch {
	case change > 0:
		c.At, c.Gradual = change, gradual(values, change)
	case dated:
		at, gain := changepoint.Step(values, leastSegment)
		if n := len(values); gain > 3*math.Log(float64(n)) && medianOf(values[:at], values[at:])*p.Seconds > 0 {
			c.At, c.Gradual = at, gradual(values, at)
		}
	}
	old, young := halves(values, after)
	if c.At < 0 && twosample.MannWhitney(quantile.Sort(old), quantile.Sort(young)) >= sure {
		return c, false
	}
	c.measure(runs, after)
	return c, c.agrees()
}

// gradual reports whether a straight line through values in time order leaves less of their variation than a step.
func gradual(values []float64, at int) bool {
	y := changepoint.Clip(values, changepoint.Noise(values))
	n := float64(len(y))
	m1, m2 := quantile.Mean(y[:at]), quantile.Mean(y[at:])
	k := float64(at)
	mean := (m1*k + m2*(n-k)) / n
	var xy float64
	for i, v := range y {
		xy += (float64(i) - (n-1)/2) * (v - mean)
	}
	xx := n * (n*n - 1) / 12
	return xy*xy/xx > k*(m1-mean)*(m1-mean)+(n-k)*(m2-mean)*(m2-mean)
}

// agrees reports whether the measure of the cause changed in the direction of its seconds.
func (c *Cause) agrees() bool {
	switch d := c.After - c.Before; c.Kind {
	case Cores:
		return d*c.Seconds < 0
	case Contention, Driver, Unexplained:
		return true
	case Slower: // the work of a run without known stages is not measured
		return d*c.Seconds > 0 || c.Stage == ""
	default:
		return d*c.Seconds > 0
	}
}

// measure fills in the measure of the cause before and after.
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

// Measure returns the quantity that a kind of cause refers to: bytes of input, cores, seconds of queueing or of the
// driver, the share of core-seconds in attempts that failed, core-seconds of a stage's successful attempts, or the
// seconds of its longest; for other kinds the completion time.
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

// halves divides values of runs into those before and those after.
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
