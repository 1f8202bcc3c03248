package trial

import (
	"errors"
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/sim"
)

// setting is a controlled run before a policy is chosen.
type setting struct {
	subject  *subject
	deadline int // which of the job
	scenario int
	c        conditions
	plan     *sim.Plan // that runs
	stage    []int     // for every stage of the model, the stage of plan that it stands for
	tasks    []float64 // of the stages of the model
	dueS     float64   // the deadline since the job's start
	newDueS  float64   // after it has changed; dueS where it does not
	compiled *sim.Compiled
}

// execution is a controlled run under a policy.
type execution struct {
	*setting
	granted []sim.Step
	spare   *sim.Runner            // for runs beside this one
	line    *result.JockeyTimeline // nil: not wanted
}

const second = 1e6 // microseconds

func micros(s float64) int64 { return int64(math.Round(s * second)) }

// other is a runner for other runs of the same plan.
func (x *execution) other() *sim.Runner {
	if x.spare == nil {
		x.spare = sim.NewRunner(x.compiled)
	}
	return x.spare
}

// work is the token-time that the run takes on a number of tokens, in seconds.
func (x *execution) work(tokens int) (float64, error) {
	o := x.c.cluster
	o.Allocation = []sim.Step{{Tokens: int32(tokens)}}
	res, err := x.other().Run(&o, fixed(x.c.number))
	return float64(res.TokenTime) / second, err
}

// oracle returns the fewest tokens that suffice if the work of the run is spread evenly over the time to its deadline.
// Where run times change with tokens, so does the work: the fewest, of the allocations of tables, that suffice for
// theirs, or else those that need the least time for it.
func (x *execution) oracle(o Options) (int, error) {
	work, err := x.work(o.Loop.Max)
	tokens := max(1, jockey.OracleTokens(work, x.newDueS))
	if len(x.c.cluster.Inflation) == 0 || err != nil {
		return tokens, err
	}
	least := math.Inf(1)
	for _, a := range grid(o.Loop.Min, o.Loop.Max) {
		work, err = x.work(int(a))
		if errors.Is(err, sim.ErrTooLong) { // losses on so few tokens may go on for ever
			continue
		}
		if err != nil {
			return 0, err
		}
		if jockey.OracleTokens(work, x.newDueS) <= int(a) {
			return int(a), nil
		}
		if s := work / float64(a); s < least {
			tokens, least = int(a), s
		}
	}
	return tokens, nil
}

// run makes a controlled run.
func (x *execution) run(p policy, runner *sim.Runner) (result.JockeyRun, error) {
	out := result.JockeyRun{Job: x.subject.Name, Policy: p.name}
	choose, err := p.start(x)
	if err != nil {
		return out, fmt.Errorf("job %s: %s: %w", x.subject.Name, p.name, err)
	}
	done := make([]float64, len(x.subject.tasks))
	var usage jockey.Usage
	var last int64
	var d jockey.Decision
	x.granted = x.granted[:0]
	decide := func(now int64, running int32) {
		d = choose.decide(float64(now)/second, done)
		x.granted = append(x.granted, sim.Step{At: now, Tokens: int32(d.Tokens)})
		x.note(d, int(running))
		out.Warned = out.Warned || d.Late
		if d.Tokens > out.MostTokens {
			out.MostTokens, out.MostAtS = d.Tokens, d.NowS+x.c.delayS
		}
	}
	decide(0, 0)

	o := x.c.cluster
	o.Allocation = []sim.Step{{Tokens: int32(d.Tokens)}}
	var failed error
	ticks := newTicks(choose.periodS(), x.c.changeAtS)
	if ticks.step > 0 {
		o.Period = ticks.step
		o.Control = func(now int64, pr sim.Progress) int32 {
			if now == ticks.change && failed == nil {
				failed = choose.due(x.newDueS)
			}
			if !ticks.due(now) || failed != nil {
				return int32(d.Tokens)
			}
			for i, k := range x.stage {
				done[i] = float64(pr.Done[k]) / x.tasks[i]
			}
			usage.Add(d.Tokens, float64(now-last)/second)
			last = now
			decide(now, pr.Running)
			return int32(d.Tokens)
		}
	}
	res, err := runner.Run(&o, fixed(x.c.number))
	if err == nil {
		err = failed
	}
	if l, ok := choose.(*loop); ok && err == nil {
		if t, ok := l.e.(*truth); ok {
			err = t.err
		}
	}
	if err != nil {
		return out, fmt.Errorf("job %s: %s: %w", x.subject.Name, p.name, err)
	}
	usage.Add(d.Tokens, float64(res.End-last)/second)
	out.DelayS, out.DeadlineS, out.EndS = x.c.delayS, x.newDueS+x.c.delayS, float64(res.End)/second+x.c.delayS
	out.WorkS, out.SpareS = float64(res.TokenTime)/second, float64(res.SpareTime)/second
	out.TokenS, out.MeanTokens = usage.TokenSeconds(), usage.TokenSeconds()/usage.Seconds()
	out.Oracle = jockey.OracleTokens(out.WorkS, x.newDueS)
	out.AboveOracle, out.RatioToOracle = usage.AboveOracle(out.Oracle), usage.RatioToOracle(out.Oracle)
	out.Failures, out.Evictions, out.Lost = int(res.Failures), int(res.Evictions), int(res.Losses+res.OutputsLost)
	return out, nil
}

// ticks are the instants at which a run is asked about its tokens: periods of the loop, and once when the deadline
// changes.
type ticks struct{ step, period, change int64 }

// newTicks rounds both to a number with two digits of the period, so that one tick is seldom less than a hundredth of
// it.
func newTicks(periodS, changeAtS float64) ticks {
	if !(periodS > 0) {
		return ticks{}
	}
	unit := max(1, int64(math.Pow(10, math.Floor(math.Log10(periodS*second))-1)))
	t := ticks{period: max(1, micros(periodS)/unit) * unit, change: -1}
	t.step = t.period
	if !math.IsNaN(changeAtS) {
		t.change = max(1, micros(changeAtS)/unit) * unit
		t.step = divisor(t.period, t.change)
	}
	return t
}

func (t ticks) due(now int64) bool { return now%t.period == 0 || now == t.change }

// divisor returns the greatest common divisor of two positive numbers.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
