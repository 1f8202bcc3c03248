package trial

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/sim"
)

// Worlds in which jobs run.
const (
	ModelledWorld = "modelled" // draws of the model
	RecordedWorld = "recorded" // recorded runs that the model did not learn from
)

// Recording is a recorded run that is executed again: its tasks take their recorded durations, including
// attempts that failed before they succeeded; its stages and its end wait for the driver as recorded. It is not
// modified.
type Recording struct {
	ID   string
	Plan sim.Plan
	// Stage is, for every stage of the model, the stage of Plan that it stands for.
	Stage []int
	// Inflation is how run times change with tokens, for [sim.Options].Inflation: as measured over all runs, 1 at the
	// tokens that the run held. Empty where those are not known.
	Inflation []float64
	Machine   int32 // tokens of a machine, for [sim.Options].Machine

	tasks    []float64 // of the stages of the model
	compiled *sim.Compiled
}

// executable is a run that can be recorded for the model of a job once that is fitted.
type executable struct {
	id       string
	recorded *jobmodel.Recorded
	placed   profile.Placed
	tokens   float64 // 0: not known
	byStage  bool
}

// observe keeps the parts of a run needed to execute it again. It fails on a run without stages, and on a run
// with unknown durations.
func observe(run *trace.Run) (executable, error) {
	r, err := jobmodel.Record(run)
	if err != nil {
		return executable{}, err
	}
	e := executable{id: run.ID, recorded: r, placed: profile.Place(run), byStage: len(run.Attempts) == 0}
	for _, s := range r.Tokens {
		e.tokens = max(e.tokens, float64(s.Tokens))
	}
	return e, nil
}

// mostExecuted is how many runs of a job are executed again.
const mostExecuted = 100

// Newest keeps the newest runs of a job, which are executed again once its model is fitted to the runs before them. The
// zero value is ready for use.
type Newest struct {
	ends []trace.Instant // of all runs, in the order in which they were added
	kept []kept
}

// kept is a run that may be among the newest.
type kept struct {
	number int // in the order in which runs were added
	run    executable
	ok     bool // it can be executed
}

// Add adds a run, which it neither keeps nor changes. Runs are added as they are to a [profile.Builder], but for those
// that it leaves out.
func (n *Newest) Add(run *trace.Run) {
	x, err := observe(run)
	k := kept{number: len(n.ends), run: x, ok: err == nil}
	n.ends = append(n.ends, run.End)
	if n.kept = append(n.kept, k); len(n.kept) == 2*mostExecuted {
		slices.SortFunc(n.kept, func(a, b kept) int { return n.compare(a.number, b.number) })
		n.kept = slices.Delete(n.kept, 0, mostExecuted)
	}
}

// compare orders runs by their ends.
func (n *Newest) compare(a, b int) int {
	return cmp.Or(cmp.Compare(n.ends[a], n.ends[b]), cmp.Compare(a, b))
}

// Replayed returns the job of the runs that were added, whose newest half, at most a hundred runs, is executed again,
// and whose model is fitted to the others. All of them are in b, and measured is fitted to all.
func (n *Newest) Replayed(ctx context.Context, b *profile.Builder, measured *modelfile.Profile, o profile.Options,
	most int) (Job, error) {
	order := lists.Order(len(n.ends), n.compare)
	newer := lists.Set(order[max(len(order)/2, len(order)-mostExecuted):])
	fitted, err := b.Only(func(i int) bool { return !newer[i] }).Fit(measured.Job, o)
	if err != nil {
		return Job{}, err
	}
	slices.SortFunc(n.kept, func(a, b kept) int { return n.compare(a.number, b.number) })
	var executions []executable
	for _, k := range n.kept {
		if newer[k.number] && k.ok {
			executions = append(executions, k.run)
		}
	}
	return replay(ctx, fitted, measured, executions, most)
}

// replay returns the job of a profile that was fitted in this process, run as recorded: the executions that have the
// plan of its model. Their run times change with up to most tokens as measured is fitted to: a profile of all runs of
// the job. Policies know the older runs only.
func replay(ctx context.Context, fitted, measured *modelfile.Profile, executions []executable, most int) (Job, error) {
	job, p := fitted.Job, jobmodel.NextPlan(fitted, math.NaN())
	j, err := Modelled(fitted, most)
	if err != nil {
		return Job{}, err
	}
	response, err := newResponse(measured, most)
	if err != nil {
		return Job{}, err
	}
	for i := range executions {
		if err := ctx.Err(); err != nil {
			return Job{}, err
		}
		e := &executions[i]
		in := e.placed.In(p)
		if in == nil || e.byStage {
			continue
		}
		r := Recording{ID: e.id, Plan: e.recorded.Elsewhere, Stage: make([]int, len(in)), Machine: e.recorded.Machine,
			tasks: make([]float64, len(in))}
		for v, stage := range in {
			r.Stage[stage], r.tasks[stage] = v, float64(r.Plan.Stages[v].Tasks)
		}
		if r.compiled, err = sim.Compile(r.Plan); err != nil {
			return Job{}, fmt.Errorf("job %s: run %s: %w", job, e.id, err)
		}
		if e.tokens > 0 {
			if r.Inflation, err = response.inflation(r.Plan, e.tokens, 1, r.Machine); err != nil {
				return Job{}, fmt.Errorf("job %s: run %s: %w", job, e.id, err)
			}
		}
		j.Recorded = append(j.Recorded, r)
	}
	if len(j.Recorded) == 0 {
		return Job{}, fmt.Errorf("job %s: none of %d newer runs can be executed again: task durations are not known, "+
			"or the plan is another one", job, len(executions))
	}
	return j, nil
}
