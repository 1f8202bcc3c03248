package jobmodel

import (
	"fmt"
	"math"

	"racecard/datasets/modelfile"
)

// stageFactors says how the stages of a plan differ from the run that they are in: with other tokens, some slow down more than others.
// Input and time are left to the run as a whole: that a single stage follows them is told apart from its own noise too seldom, and
// predictions got worse for it.
type stageFactors struct {
	plan        *modelfile.Plan
	options     Options
	regressions map[string]*regression // by the tokens and weights of the runs that know a stage
}

func newStageFactors(p *modelfile.Plan, o Options) *stageFactors {
	return &stageFactors{plan: p, options: o, regressions: map[string]*regression{}}
}

// stageFactor turns what is typical of a stage into what to expect of it in the run asked for, at the slowness of that run: the
// logarithm of a duration is narrowed by a factor around a middle and shifted.
type stageFactor struct{ middle, narrow, shift float64 }

// at returns what to expect in the place of a typical duration, in seconds.
func (f stageFactor) at(seconds float64) float64 {
	if !(seconds > 0) || f.narrow == 1 && f.shift == 0 {
		return seconds
	}
	return math.Exp(f.middle + f.shift + f.narrow*(math.Log(seconds)-f.middle))
}

// of returns the factor of a stage: by how much it is slower at the tokens asked for than at those of past runs on average. What tokens
// explain of the differences between past runs is taken out of the spread of its durations, which pool all runs.
func (s *stageFactors) of(v int) stageFactor {
	t := &s.plan.Stages[v].Typical
	none := stageFactor{narrow: 1}
	if len(t.Runs) != len(s.plan.RunFactors) {
		return none
	}
	past, next := runs(s.plan, s.options, func(i int) *float64 { return t.Runs[i] })
	if len(past) < 2 || math.IsNaN(next.tokens) {
		return none
	}
	for i := range past {
		past[i].input, past[i].order = math.NaN(), 0
	}
	next.input, next.order = math.NaN(), 0
	y, key := make([]float64, len(past)), make([]byte, 0, 24*len(past))
	for i := range past {
		y[i] = past[i].y
		key = fmt.Appendf(key, "%v %v ", past[i].tokens, past[i].weight)
	}
	r := s.regressions[string(key)]
	if r == nil {
		r = newRegression(past, next)
		s.regressions[string(key)] = r
	}
	f, without := r.explain(y)
	explained := variance(without, r.weights)
	d := &t.Later
	switch {
	case d.N > 0:
	case t.First != nil && t.First.N > 0:
		d = t.First
	default:
		d = &t.Elapsed
	}
	var logs, weights []float64
	for i, x := range d.Values {
		if x <= 0 {
			continue
		}
		logs, weights = append(logs, math.Log(float64(x)/1e6)), append(weights, 1)
		if d.Weights != nil {
			weights[len(weights)-1] = d.Weights[i]
		}
	}
	total := variance(logs, weights)
	out := stageFactor{middle: mean(logs, weights), narrow: 1, shift: f.mean() - mean(without, r.weights)}
	if explained > 0 && total > 0 {
		out.narrow = math.Sqrt(max(0, 1-explained/total))
	}
	return out
}

// mean is weighted; NaN for none.
func mean(xs, weights []float64) float64 {
	sum, weight := 0.0, 0.0
	for i, x := range xs {
		sum, weight = sum+weights[i]*x, weight+weights[i]
	}
	return sum / weight
}

// variance is weighted, of the xs themselves.
func variance(xs, weights []float64) float64 {
	middle, sum, weight := mean(xs, weights), 0.0, 0.0
	for i, x := range xs {
		sum, weight = sum+weights[i]*(x-middle)*(x-middle), weight+weights[i]
	}
	return sum / weight
}
