package trial

import (
	"errors"
	"fmt"
	"math"

	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// policy is a way to give a job tokens. To add one, list it in policies.
type policy struct {
	name, about string
	start       func(x *execution) (chooser, error)
}

// chooser decides about the tokens of one run.
type chooser interface {
	decide(nowS float64, done []float64) jockey.Decision
	due(s float64) error // the deadline is now that, since the start
	periodS() float64    // between decisions, for the deadline at the start; 0: there are none after the first
}

// names of policies that are treated apart.
const (
	maxAllocation = "max-allocation"
	boundName     = "bound"
)

// policies returns those that are compared.
func policies(o Options) []policy {
	return []policy{
		{"jockey", "the loop, with the mean of a table of simulated remaining times and Amdahl's law of the stages " +
			"as they are", looping(o.Loop, o.how(o.Blend))},
		{"jockey-2012", "the loop as published: a table alone, slack 1.2, hysteresis 0.2, dead zone 3 min, period 1 " +
			"min, largest remaining time", looping(published(o), how{indicator: o.Indicator})},
		{"no-adaptation", "the allocation that the table says at the start, to the end", func(x *execution) (chooser,
			error) {
			l, err := looping(o.Loop, o.how(0))(x)
			if err != nil {
				return nil, err
			}
			return quota(l.decide(0, make([]float64, len(x.subject.tasks))).Tokens), nil
		}},
		{"no-simulator", "the loop, with Amdahl's law alone", looping(o.Loop, o.how(1))},
		{maxAllocation, "all tokens, to the end", func(*execution) (chooser, error) { return quota(o.Loop.Max), nil }},
		{"oracle", "work over time to the deadline, both known beforehand, to the end", func(x *execution) (chooser,
			error) {
			tokens, err := x.oracle(o)
			return quota(tokens), err
		}},
	}
}

// bound is the loop without errors of prediction.
func bound(o Options) policy {
	return policy{boundName, "the loop, with the true remaining time of that very run on every allocation",
		func(x *execution) (chooser, error) {
			return newLoop(x, &truth{x: x}, o.Loop, o.how(0))
		}}
}

// published are the parameters of the paper, for as many tokens.
func published(o Options) jockey.Options {
	p := jockey.PaperOptions()
	p.Min, p.Max = o.Loop.Min, o.Loop.Max
	return p
}

// how returns the method of the loop with a weight of Amdahl's law.
func (o Options) how(blend float64) how { return how{blend, o.Indicator, o.Dwell, o.Limit} }

// looping is a policy that adapts.
func looping(o jockey.Options, h how) func(x *execution) (chooser, error) {
	return func(x *execution) (chooser, error) { return newLoop(x, x.subject.estimator(h), o, h) }
}

// quota is a constant allocation.
type quota int

func (q quota) decide(nowS float64, _ []float64) jockey.Decision {
	return jockey.Decision{NowS: nowS, Progress: math.NaN(), Raw: int(q), Tokens: int(q)}
}

func (q quota) due(float64) error { return nil }

func (q quota) periodS() float64 { return 0 }

// loop is Jockey's, with any estimator.
type loop struct {
	e         estimator
	c         *jockey.Controller
	progress  *progress.Plan
	indicator progress.Indicator
	every     float64
	subject   *subject // nil: the loop is not limited
	begun     bool     // a task has ended: start-up is not slowness
}

func newLoop(x *execution, e estimator, o jockey.Options, h how) (*loop, error) {
	u, err := jockey.Deadline(x.dueS)
	if err != nil {
		return nil, err
	}
	c, err := jockey.NewController(e, u, o)
	l := &loop{e: e, c: c, progress: x.subject.progress, indicator: h.indicator, every: period(o, x)}
	if h.limit {
		l.subject = x.subject
	}
	return l, err
}

// mostDecisions bounds the periods of the loop in the critical path of a job: a period far below it decides nothing
// new, and a run would not end.
const mostDecisions = 10_000

// period is the time between two decisions in a run.
func period(o jockey.Options, x *execution) float64 {
	return max(o.Period(x.dueS), x.subject.info.CriticalS/mostDecisions)
}

func (l *loop) decide(nowS float64, done []float64) jockey.Decision {
	p := l.progress.At(l.indicator, done)
	l.e.observe(nowS, done, p)
	if l.subject != nil {
		l.c.SetLimit(min(l.subject.widest, l.subject.left(done)))
	}
	d := l.c.Decide(nowS, p)
	if l.begun = l.begun || p > 0; !l.begun {
		l.c.Forget()
	}
	return d
}

func (l *loop) due(s float64) error {
	u, err := jockey.Deadline(s)
	l.c.SetUtility(u)
	return err
}

func (l *loop) periodS() float64 { return l.every }

// truth simulates the future of the run: the same run from the start, with its grants so far and a constant
// number of tokens from now on.
type truth struct {
	x     *execution
	now   int64
	known map[float64]float64 // remaining time by tokens, from now on
	steps []sim.Step
	err   error
}

func (t *truth) observe(nowS float64, _ []float64, _ float64) {
	t.now, t.known = micros(nowS), map[float64]float64{}
}

// Remaining implements [jockey.Estimator]. All quantiles are the same.
func (t *truth) Remaining(_, tokens, _ float64) float64 {
	if s, ok := t.known[tokens]; ok {
		return s
	}
	o := t.x.c.cluster
	t.steps = t.steps[:0]
	for _, s := range t.x.granted {
		if s.At < t.now {
			t.steps = append(t.steps, s)
		}
	}
	t.steps = append(t.steps, sim.Step{At: t.now, Tokens: int32(math.Ceil(tokens))})
	o.Allocation = t.steps
	res, err := t.x.other().Run(&o, fixed(t.x.c.number))
	s := float64(res.End-t.now) / second
	if errors.Is(err, sim.ErrTooLong) { // losses on so few tokens may go on for ever
		s, err = float64(sim.MaxDuration-t.now)/second, nil
	}
	if err != nil {
		t.err, s = fmt.Errorf("true remaining time: %w", err), math.NaN()
	}
	t.known[tokens] = s
	return s
}
