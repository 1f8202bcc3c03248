package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/seed"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
	"racecard/models/internal/experiment"
)

// Compare runs jobs under every policy, on a cluster on which things go wrong. Jobs that cannot be run are left out
// with a warning; it is an error if none can.
func Compare(ctx context.Context, jobs []Job, o Options) (*result.Jockey, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("no jobs to run")
	}
	c := &comparison{o: o, policies: policies(o), variants: variants(o)}
	if o.Sensitive == 0 {
		c.variants = nil
	}
	indicators := []progress.Indicator{o.Indicator}
	if o.Sensitive > 0 {
		for k := range progress.Count {
			if k != o.Indicator {
				indicators = append(indicators, k)
			}
		}
	}
	var failed []error
	for i, j := range jobs {
		switch s, err := prepare(ctx, j, o, indicators); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			failed = append(failed, err)
			c.warnings = append(c.warnings, "left out: "+err.Error())
		default:
			c.subjects = append(c.subjects, s)
		}
		c.report(i+1, len(jobs), 0, 1)
	}
	for len(c.subjects) > 0 {
		err := c.runAll(ctx)
		long := (*tooLong)(nil)
		switch {
		case err == nil:
			return c.result()
		case !errors.As(err, &long):
			return nil, err
		}
		failed = append(failed, err)
		c.warnings = append(c.warnings, "left out: "+err.Error())
		c.subjects = slices.DeleteFunc(c.subjects, func(s *subject) bool { return s == long.of })
	}
	return nil, failed[0]
}

// tooLong says that a controlled run of a job takes longer than a simulation can.
type tooLong struct {
	of  *subject
	err error
}

func (e *tooLong) Error() string { return e.err.Error() }
func (e *tooLong) Unwrap() error { return e.err }

// preparing is the share of preparing jobs in the progress that is reported.
const preparing = 0.25

func (c *comparison) report(jobs, ofJobs, runs, ofRuns int) {
	if c.o.Progress != nil {
		share := preparing*float64(jobs)/float64(ofJobs) + (1-preparing)*float64(runs)/float64(ofRuns)
		c.o.Progress(int(share*1000), 1000)
	}
}

// comparison is the state of Compare.
type comparison struct {
	o        Options
	subjects []*subject
	warnings []string
	policies []policy
	variants []variant
	outcomes []outcome // by setting
}

// outcome is the result of one setting.
type outcome struct {
	runs      []result.JockeyRun // by policy, and the bound where it was made
	sensitive []result.JockeyRun // by variant; nil where none was made
}

// settings is how many there are.
func (c *comparison) settings() int { return c.o.Replicates * c.perReplicate() }

func (c *comparison) perReplicate() int { return c.o.PerReplicate(len(c.subjects)) }

// setting draws the n-th controlled run. It depends on the seed and n alone, and n on the replicate before all else, so
// that more replicates add runs.
func (c *comparison) setting(n int) (*setting, error) {
	i := n % c.perReplicate()
	all := scenarios()
	x := &setting{scenario: i % len(all), deadline: i / len(all) % c.o.deadlines(),
		subject: c.subjects[i/len(all)/c.o.deadlines()]}
	r := rand.New(seed.Stream(c.o.Seed, "controlled run", uint64(n)))
	x.c = conditions{failures: 1, changeAtS: math.NaN(), number: r.Uint64()}
	deadline := x.subject.info.Deadlines[x.deadline]
	if err := all[x.scenario].draw(r, &x.c, deadline, 1); err != nil {
		return nil, fmt.Errorf("job %s: %s: %w", x.subject.Name, all[x.scenario].name, err)
	}
	x.execute(r)
	x.dueS = deadline - x.c.delayS
	x.newDueS = x.dueS
	switch {
	case x.c.changed > 1:
		x.newDueS = x.c.changed * deadline
	case x.c.changed > 0:
		x.newDueS = min(deadline, max(x.c.changed*deadline, x.subject.reachable(c.o, x.deadline, x.c.changeAtS)))
	}
	if x.c.failures == 1 {
		return x, nil
	}
	p := *x.plan
	p.Stages = slices.Clone(p.Stages)
	for i := range p.Stages {
		f := &p.Stages[i].Failure
		f.Probability = max(f.Probability, min(maxFailure, max(leastFailure, f.Probability)*x.c.failures))
	}
	var err error
	x.compiled, err = sim.Compile(p)
	return x, err
}

// execute selects the executed run: a recorded run, drawn alike for all policies, or the job's plan with the
// slowness of a run.
func (x *setting) execute(r *rand.Rand) {
	s := x.subject
	if len(s.Recorded) == 0 {
		x.plan, x.stage, x.tasks, x.compiled = &s.Plan, s.Stage, s.tasks, s.real
		x.c.cluster.Inflation, x.c.cluster.Machine = s.Inflation, s.Model.Machine
		x.c.scale(s.slowness(r))
		return
	}
	k := r.IntN(len(s.Recorded))
	run := &s.Recorded[k]
	x.plan, x.stage, x.tasks, x.compiled = &run.Plan, run.Stage, run.tasks, run.compiled
	x.c.cluster.Inflation, x.c.cluster.Machine = run.Inflation, run.Machine
}

// Bounds of the probability that attempts fail where failures are frequent, so that every job has some, and ends.
const (
	leastFailure = 0.01
	maxFailure   = 0.5
)

// runAll makes all controlled runs, on o.Workers goroutines. A controlled run is the workload that all policies share;
// they run it one after the other, as whether a deadline was in reach is told by the policy with all tokens.
func (c *comparison) runAll(ctx context.Context) error {
	got, err := experiment.Run(ctx, experiment.Grid[*setting, outcome]{
		Settings: c.settings(), Seeds: 1, Policies: 1, Workers: c.o.Workers,
		Workload: func(_ context.Context, n, _ int) (*setting, error) { return c.setting(n) },
		Run: func(_ context.Context, x *setting, at experiment.Point) (outcome, error) {
			out, err := c.run(x, at.Setting)
			if errors.Is(err, sim.ErrTooLong) {
				err = &tooLong{x.subject, err}
			}
			return out, err
		},
		Progress: func(done, of int) { c.report(1, 1, done, of) },
	})
	if err != nil {
		return err
	}
	c.outcomes = lists.Indexed(c.settings(), func(n int) outcome { return *got.At(experiment.Point{Setting: n}) })
	return nil
}

// run makes the n-th controlled run, under every policy and with every parameter changed.
func (c *comparison) run(x *setting, n int) (outcome, error) {
	var out outcome
	runner, spare := sim.NewRunner(x.compiled), sim.NewRunner(x.compiled)
	replicate := n / c.perReplicate()
	under := func(p policy) (result.JockeyRun, error) {
		e := &execution{setting: x, spare: spare}
		r, err := e.run(p, runner)
		r.Scenario, r.Replicate = scenarios()[x.scenario].name, replicate
		return r, err
	}
	all := c.policies
	if replicate < c.o.Bound {
		all = append(slices.Clone(all), bound(c.o))
	}
	beyond := true // no policy met the deadline, that with all tokens neither
	for _, p := range all {
		r, err := under(p)
		if err != nil {
			return out, err
		}
		beyond = beyond && r.EndS > r.DeadlineS
		out.runs = append(out.runs, r)
	}
	if replicate < c.o.Sensitive {
		for _, v := range c.variants {
			r, err := under(v.policy)
			if err != nil {
				return out, err
			}
			out.sensitive = append(out.sensitive, r)
		}
	}
	for _, runs := range [][]result.JockeyRun{out.runs, out.sensitive} {
		for i := range runs {
			runs[i].OutOfReach = beyond && runs[i].EndS > runs[i].DeadlineS
		}
	}
	return out, nil
}
