package trial

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"racecard/analyses/quantile"
	"racecard/datasets/remaining"
	"racecard/datasets/result"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/cpa"
	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// subject is a job made ready for controlled runs. It is not modified by them.
type subject struct {
	Job
	real     *sim.Compiled
	tasks    []float64 // of the stages of the model
	progress *progress.Plan
	tables   [progress.Count]*remaining.Table // those that are wanted
	widest   int                              // most tasks of the model that run at once: more tokens help nobody
	info     result.JockeyJob
	onTime   []int // of each deadline: the smallest constant allocation with which 95% of undisturbed runs meet it
}

// undisturbed is how many runs the critical path and the deadlines of a job come from.
const undisturbed = 200

// prepare simulates a job for its tables and deadlines.
func prepare(ctx context.Context, j Job, o Options, indicators []progress.Indicator) (*subject, error) {
	if j.Model.ByStage {
		return nil, fmt.Errorf("job %s: the run times of its tasks are not known: tokens would change nothing", j.Name)
	}
	s := &subject{Job: j, tasks: make([]float64, len(j.Stage))}
	var err error
	if s.real, err = sim.Compile(j.Plan); err != nil {
		return nil, fmt.Errorf("job %s: %w", j.Name, err)
	}
	if s.progress, err = j.Model.Progress(); err != nil {
		return nil, fmt.Errorf("job %s: %w", j.Name, err)
	}
	for i, k := range j.Stage {
		s.tasks[i] = float64(j.Plan.Stages[k].Tasks)
	}
	if s.widest, err = widest(j.Model.Plan, o.Seed); err != nil {
		return nil, fmt.Errorf("job %s: %w", j.Name, err)
	}
	c := cpa.DefaultOptions()
	c.Allocations, c.Replicates, c.Seed, c.Crew = grid(o.Loop.Min, o.Loop.Max), o.Simulated, o.Seed,
		cpa.NewCrew(o.Workers)
	of, about := j.Table, j.About
	if of.With == nil {
		of, about.Job = cpa.Job{InputBytes: math.NaN(), With: func(int32) (cpa.Setting, error) {
			return cpa.Setting{Plan: j.Model.Plan, Slowness: j.Model.Slowness}, nil
		}}, j.Name
	}
	of.Progress = s.progress
	for _, k := range indicators {
		c.Indicator = k
		if s.tables[k], err = cpa.Build(ctx, of, about, c); err != nil {
			return nil, fmt.Errorf("job %s: %w", j.Name, err)
		}
	}
	return s, s.deadlines(o)
}

// widest returns the most tasks that run at once in some runs on a token per task.
func widest(p sim.Plan, from uint64) (int, error) {
	c, err := sim.Compile(p)
	if err != nil {
		return 0, err
	}
	runner, most := sim.NewRunner(c), int32(0)
	for k := range 20 {
		res, err := runner.Run(&sim.Options{Allocation: []sim.Step{{Tokens: int32(c.Tasks())}}},
			seed.Stream(from, "run on a token per task", uint64(k)))
		if err != nil {
			return 0, err
		}
		most = max(most, res.PeakRunning)
	}
	return int(most), nil
}

// left returns how many tasks are not done.
func (s *subject) left(done []float64) int {
	sum := 0.0
	for i, n := range s.tasks {
		sum += n - math.Round(n*done[i])
	}
	return int(sum)
}

// grid returns the allocations of tables, each at most a quarter more than the one before.
func grid(least, most int) []int32 {
	var out []int32
	for a := least; a < most; a = max(a+1, a*5/4) {
		out = append(out, int32(a))
	}
	return append(out, int32(most))
}

// ends returns the run times, in seconds, of undisturbed runs on a number of tokens, and their median work. inflation
// is for [sim.Options].Inflation.
func (s *subject) ends(o Options, runner *sim.Runner, tokens int, inflation []float64) (endS quantile.Sorted,
	workS float64, err error) {
	var ends, work []float64
	for k := range undisturbed {
		random := seed.Stream(o.Seed, "undisturbed run of "+s.Name, uint64(k))
		res, err := runner.Run(&sim.Options{Allocation: []sim.Step{{Tokens: int32(tokens)}},
			Scale: s.slowness(rand.New(random)), Machine: s.Model.Machine, Inflation: inflation}, random)
		if err != nil {
			return quantile.Sorted{}, 0, fmt.Errorf("job %s: %w", s.Name, err)
		}
		ends, work = append(ends, float64(res.End)/1e6), append(work, float64(res.TokenTime)/1e6)
	}
	return quantile.Sort(ends), quantile.Quantile(quantile.Sort(work), 0.5), nil
}

// slowness draws how slow a run is.
func (j *Job) slowness(r *rand.Rand) float64 {
	if len(j.Slowness) == 0 {
		return 1
	}
	return j.Slowness[r.IntN(len(j.Slowness))]
}

// deadlines sets the deadlines of a job: multiples of the critical path, each raised if most of the tokens would
// not suffice, and the given ones. A given deadline that no number of tokens meets is an error.
func (s *subject) deadlines(o Options) error {
	runner := sim.NewRunner(s.real)
	free, work, err := s.ends(o, runner, s.real.Tasks(), nil)
	if err != nil {
		return err
	}
	p95, err := s.met(o, runner)
	if err != nil {
		return err
	}
	table := s.tables[o.Indicator]
	s.info = result.JockeyJob{Job: s.Name, Stages: len(s.Plan.Stages), Barriers: barriers(s.Plan),
		Tasks: s.real.Tasks(), WorkS: work, CriticalS: quantile.Quantile(free, 0.5), P95S: p95, FastestS: free.Min()}
	s.info.EarliestS = s.feasible(o, 0).EarliestS
	if !(s.info.CriticalS > 0) {
		return fmt.Errorf("job %s: half of its runs take no time at all: there is nothing to set deadlines by", s.Name)
	}
	for _, x := range o.Deadlines {
		d := max(x*s.info.CriticalS, s.info.P95S)
		s.info.Deadlines, s.info.Raised = append(s.info.Deadlines, d), append(s.info.Raised, d > x*s.info.CriticalS)
	}
	for _, d := range o.DeadlinesS {
		if f := s.feasible(o, d); !f.Possible() {
			return fmt.Errorf("job %s: %w", s.Name, f.Err())
		}
		s.info.Deadlines, s.info.Raised = append(s.info.Deadlines, d), append(s.info.Raised, false)
	}
	for _, d := range s.info.Deadlines {
		a := o.Loop.Min
		for a < o.Loop.Max && table.Remaining(0, float64(a), 0.95) > d {
			a++
		}
		s.onTime = append(s.onTime, a)
	}
	return nil
}

// met returns the time in seconds that 95% of undisturbed runs meet with most of the tokens, or with fewer where these
// make runs shorter.
func (s *subject) met(o Options, runner *sim.Runner) (float64, error) {
	least := math.Inf(1)
	all := []int32{int32(s.most(o))}
	if len(s.Inflation) > 0 {
		all = grid(1, s.most(o))
	}
	for _, a := range all {
		ends, _, err := s.ends(o, runner, int(a), s.Inflation)
		if err != nil {
			return 0, err
		}
		least = min(least, quantile.Quantile(ends, 0.95))
	}
	return least, nil
}

// feasible says at the start whether a deadline can be met.
func (s *subject) feasible(o Options, deadlineS float64) jockey.Feasibility {
	return o.Loop.Feasible(s.tables[o.Indicator], 0, 0, s.info.FastestS, deadlineS)
}

// most is the number of tokens that deadlines are raised for.
func (s *subject) most(o Options) int { return max(1, int(math.Round(o.Share*float64(o.Loop.Max)))) }

// reachable is the earliest deadline, since the start, that 95% of undisturbed runs on time meet when it is set at an
// instant: from then on with most of the tokens.
func (s *subject) reachable(o Options, deadline int, atS float64) float64 {
	table, tokens := s.tables[o.Indicator], float64(s.onTime[deadline])
	left := table.Remaining(0, tokens, 0.5) - atS
	i := remaining.Steps - 1
	for i > 0 && table.Remaining(remaining.Progress(i), tokens, 0.5) < left {
		i--
	}
	return atS + table.Remaining(remaining.Progress(i), float64(s.most(o)), 0.95)
}

// barriers counts the stages that read all of a parent.
func barriers(p sim.Plan) int {
	found := map[int32]bool{}
	for _, e := range p.Edges {
		if e.Kind != trace.OneToOne {
			found[e.Child] = true
		}
	}
	return len(found)
}

// estimator is the estimator of a loop.
type estimator interface {
	jockey.Estimator
	// observe says how far the run is before it is asked: the fraction of the tasks done of every stage of the model,
	// and its progress.
	observe(nowS float64, done []float64, progress float64)
}

// learned is a table, blended with Amdahl's law.
type learned struct {
	jockey.Estimator
	aged   *jockey.Aged   // nil: it does not matter how long a run stands still
	staged *jockey.Staged // nil: Amdahl's law alone
	amdahl *jockey.Amdahl
}

func (e learned) observe(nowS float64, done []float64, progress float64) {
	if e.aged != nil {
		e.aged.Observe(nowS, progress)
	}
	if e.staged != nil {
		e.staged.Observe(done)
		return
	}
	e.amdahl.Observe(done)
}

// how is the method by which a loop estimates the remaining time, and its settings beyond the loop's options.
type how struct {
	blend     float64 // weight of Amdahl's law
	indicator progress.Indicator
	dwell     bool // count how long the run stands still
	limit     bool // to the tasks that are left
}

// estimator returns one for a run.
func (s *subject) estimator(h how) estimator {
	e := learned{amdahl: jockey.NewAmdahl(s.progress, len(s.tasks))}
	e.amdahl.Inflation = s.Inflation
	if h.blend == 1 {
		e.Estimator = e.amdahl
		return e
	}
	e.staged = &jockey.Staged{Table: s.tables[h.indicator], Stages: e.amdahl, Weight: h.blend}
	if h.dwell {
		e.aged = &jockey.Aged{Table: s.tables[h.indicator]}
		e.staged.Table = e.aged
	}
	e.Estimator = e.staged
	return e
}
