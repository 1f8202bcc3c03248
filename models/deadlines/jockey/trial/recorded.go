package trial

import (
	"fmt"
	"math"

	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
	"racecard/models/deadlines/cpa"
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
	// Inflation is how run times change with tokens, for [sim.Options].Inflation: as measured over past runs, 1 at the tokens that the
	// run held. Empty where those are not known.
	Inflation []float64

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

// Replayed returns the job of a profile that was fitted in this process, run as recorded: the executions that have its main plan, with run
// times that change with up to most tokens as past runs measured.
func Replayed(fitted *modelfile.Profile, executions []Execution, most int) (Job, error) {
	job, p := fitted.Job, &fitted.Plans[0]
	m, err := jobmodel.New(fitted, 0, jobmodel.DefaultOptions())
	if err != nil {
		return Job{}, err
	}
	j := Modelled(m)
	j.Past, j.Tokens = cpa.Past(p)
	slowdown, err := inflation(fitted, most)
	if err != nil {
		return Job{}, err
	}
	for i := range executions {
		e := &executions[i]
		in := e.placed.In(p)
		if in == nil || e.byStage {
			continue
		}
		r := Recording{ID: e.id, Plan: e.recorded.Elsewhere, Stage: make([]int, len(in)), tasks: make([]float64, len(in))}
		for v, stage := range in {
			r.Stage[stage], r.tasks[stage] = v, float64(r.Plan.Stages[v].Tasks)
		}
		if r.compiled, err = sim.Compile(r.Plan); err != nil {
			return Job{}, fmt.Errorf("job %s: run %s: %w", job, e.id, err)
		}
		if e.tokens > 0 {
			held := slowdown[min(len(slowdown), int(math.Ceil(e.tokens)))-1]
			for _, x := range slowdown {
				r.Inflation = append(r.Inflation, x/held)
			}
		}
		j.Recorded = append(j.Recorded, r)
	}
	if len(j.Recorded) == 0 {
		return Job{}, fmt.Errorf("job %s: none of %d newer runs can be executed again: task durations are not known, or the plan is another one", job, len(executions))
	}
	return j, nil
}

// inflation returns how much slower tasks are on 1 to most tokens, up to a constant, as the model of the plan has it. Between the
// allocations of a table it is linear.
func inflation(fitted *modelfile.Profile, most int) ([]float64, error) {
	at := grid(1, most)
	factor := make([]float64, len(at))
	for k, a := range at {
		o := jobmodel.DefaultOptions()
		o.Tokens, o.Simulated = float64(a), 1 // nobody asks for totals
		m, err := jobmodel.New(fitted, 0, o)
		if err != nil {
			return nil, err
		}
		if factor[k], err = tokenTime(m, a); err != nil {
			return nil, fmt.Errorf("job %s: %w", fitted.Job, err)
		}
		if !(factor[k] > 0) {
			return nil, fmt.Errorf("job %s: its tasks take no time", fitted.Job)
		}
	}
	out := make([]float64, 0, most)
	for k := range at {
		if k == 0 {
			out = append(out, factor[0])
			continue
		}
		for a := at[k-1] + 1; a <= at[k]; a++ {
			share := float64(a-at[k-1]) / float64(at[k]-at[k-1])
			out = append(out, factor[k-1]+share*(factor[k]-factor[k-1]))
		}
	}
	return out, nil
}

// tokenTime returns the time of a model's runs on some tokens, in token-microseconds, up to a constant.
func tokenTime(m *jobmodel.Model, tokens int32) (float64, error) {
	c, err := sim.Compile(m.Plan)
	if err != nil {
		return 0, err
	}
	runner, sum := sim.NewRunner(c), 0.0
	for k := range fixed(20) { // the same for all tokens
		res, err := runner.Run(&sim.Options{Allocation: []sim.Step{{Tokens: tokens}}, Machine: m.Machine}, k)
		if err != nil {
			return 0, err
		}
		sum += float64(res.TokenTime)
	}
	return sum, nil
}
