package trial

import (
	"fmt"
	"math"

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

// Execution is a run that can be recorded for the model of a job once that is fitted.
type Execution struct {
	id       string
	recorded *jobmodel.Recorded
	placed   profile.Placed
	tokens   float64 // 0: not known
	byStage  bool
}

// Observe keeps the parts of a run needed to execute it again. It fails on a run without stages, and on a run
// with unknown durations.
func Observe(run *trace.Run) (Execution, error) {
	r, err := jobmodel.Record(run)
	if err != nil {
		return Execution{}, err
	}
	e := Execution{id: run.ID, recorded: r, placed: profile.Place(run), byStage: len(run.Attempts) == 0}
	for _, s := range r.Tokens {
		e.tokens = max(e.tokens, float64(s.Tokens))
	}
	return e, nil
}

// Replayed returns the job of a profile that was fitted in this process, run as recorded: the executions that have the
// plan of its model. Their run times change with up to most tokens as measured is fitted to: a profile of all runs of
// the job. Policies know the older runs only.
func Replayed(fitted, measured *modelfile.Profile, executions []Execution, most int) (Job, error) {
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
