package jobmodel

import (
	"fmt"
	"slices"

	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/sim"
	"racecard/models/workload"
)

// Recorded is one run as it was, ready to be simulated again.
type Recorded struct {
	Names []string
	// Plan has the recorded durations: every task takes as long as all of its attempts together, except copies of slow
	// ones, after its recorded latency. The first stage, later stages and the end of the run wait for the driver as
	// long as recorded. With the tokens that it held, the simulation repeats the run.
	Plan sim.Plan
	// Elsewhere is Plan for other tokens. First attempts of a stage on a machine load code and fill caches; here, there
	// are as many of them as machines. With the tokens that the run held, it repeats the run as well.
	Elsewhere sim.Plan
	Edges     []trace.Edge // of both
	Tokens    []sim.Step   // that the run held, from its submission on; none where the trace does not tell
	Machine   int32        // tokens of a machine, for [sim.Options].Machine
	// per stage: seconds from the submission of the run to its start; NaN where that is not known
	Start    []float64
	End      float64 // seconds from submission to end; NaN where it is not known
	Warnings []string
}

// Elastic reports, by an error, why a run cannot be simulated on other tokens than it held: it is one program that
// takes them all at once, and the trace does not tell how long it takes on fewer or more.
func Elastic(run *trace.Run) error {
	if tokens := run.TokensPerAttempt(); tokens > 1 {
		return fmt.Errorf("run %q is one program on %d tokens at once: a trace does not tell how long it takes on others",
			run.ID, tokens)
	}
	return nil
}

// Record returns a run as a plan of constant durations. It fails on a run without stages, and on a stage without
// any known run time, neither of an attempt nor its own.
func Record(run *trace.Run) (*Recorded, error) {
	if len(run.Stages) == 0 {
		return nil, fmt.Errorf("run %q: no stages", run.ID)
	}
	submit := run.Submit
	if !submit.Known() {
		submit = run.Start
	}
	r := &Recorded{End: run.Completion().Seconds()}
	run, skipped := workload.FillSkipped(run)
	for _, v := range skipped {
		r.Warnings = append(r.Warnings, fmt.Sprintf("stage %d: taken as skipped, without work: neither its number of "+
			"tasks, nor times or attempts are known", v))
	}
	driver := profile.Times(run)
	work := workload.AfterBarriers(run)
	var err error
	for v := range run.Stages {
		st := &run.Stages[v]
		exact, elsewhere, err := r.stage(work, int32(v), driver.Latency)
		if err != nil {
			return nil, fmt.Errorf("run %q: stage %d (%s): %w", run.ID, v, st.Name, err)
		}
		for _, x := range []struct {
			took trace.Duration
			to   *sim.Dist
		}{{driver.Held[v], &exact.Delay}, {driver.Delay[v], &elsewhere.Delay}} {
			if x.took <= 0 { // unknown, too
				continue
			}
			if *x.to, err = sim.Constant(simulatedDuration(float64(x.took))); err != nil {
				return nil, fmt.Errorf("run %q: stage %d (%s): delay: %w", run.ID, v, st.Name, err)
			}
		}
		r.Plan.Stages, r.Elsewhere.Stages = append(r.Plan.Stages, exact), append(r.Elsewhere.Stages, elsewhere)
		r.Names = append(r.Names, st.Name)
		r.Start = append(r.Start, st.Start.Since(submit).Seconds())
	}
	for _, x := range []struct {
		took trace.Duration
		to   *sim.Dist
	}{{driver.StartUp, &r.Plan.StartUp}, {driver.WindDown, &r.Plan.WindDown}} {
		if x.took <= 0 { // unknown, too
			continue
		}
		if *x.to, err = sim.Constant(simulatedDuration(float64(x.took))); err != nil {
			return nil, fmt.Errorf("run %q: driver: %w", run.ID, err)
		}
	}
	r.Elsewhere.StartUp, r.Elsewhere.WindDown = r.Plan.StartUp, r.Plan.WindDown
	r.Edges = workload.Edges(run.Edges, func(stage int32) int64 { return int64(r.Plan.Stages[stage].Tasks) })
	r.Plan.Edges = simulated(r.Edges)
	r.Elsewhere.Edges = r.Plan.Edges
	r.allocation(run, submit)
	return r, nil
}

// stage returns a stage whose tasks take their recorded times: in the recorded form, and for other tokens.
func (r *Recorded) stage(run *trace.Run, v int32, latency []trace.Duration) (exact, elsewhere sim.Stage, err error) {
	first, last := attemptsOf(run, v)
	attempts := run.Attempts[first:last]
	warm := profile.FirstOnMachine(attempts)
	work := workload.Of(&run.Stages[v], attempts, nil)
	if work.Filled > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("stage %d: %s the mean of the others: no run time is known", v,
			words.Of(work.Filled, "task takes", "tasks take")))
	}
	if work.Dropped > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("stage %d: %s left out: no run time is known", v,
			words.Of(work.Dropped, "task is", "tasks are")))
	}
	var took, waited, cold, later []int64
	var isCold []bool
	if work.Basis == workload.Recorded {
		took, waited, isCold = slices.Clone(work.Durations), make([]int64, work.Tasks), make([]bool, work.Tasks)
	}
	for _, again := range work.Retries {
		took[again.Task] = simulatedDuration(float64(took[again.Task] + again.After))
	}
	task := -1
	for i, k := range work.TaskOf(&run.Stages[v], attempts) {
		if k < 0 {
			continue
		}
		if k != task {
			task, waited[k] = k, simulatedDuration(max(0, float64(latency[first+i])))
		}
		isCold[k] = isCold[k] || warm[i]
	}
	for i, x := range took {
		if isCold[i] {
			cold = append(cold, x)
		} else {
			later = append(later, x)
		}
	}
	if len(took) == 0 {
		st := &run.Stages[v]
		d := st.End.Since(st.Start)
		if d < 0 {
			return exact, elsewhere, fmt.Errorf("neither run times of its attempts nor its own are known")
		}
		exact.Tasks = 1
		exact.Duration, err = sim.Constant(simulatedDuration(float64(d)))
		r.Warnings = append(r.Warnings, fmt.Sprintf("stage %d: no run times of attempts are known: it is one task "+
			"that takes as long as the stage did", v))
		return exact, exact, err
	}
	exact.Tasks = int32(len(took))
	if exact.Duration, err = sim.InOrder(took); err != nil {
		return exact, elsewhere, err
	}
	if slices.Max(waited) > 0 {
		if exact.Latency, err = sim.InOrder(waited); err != nil {
			return exact, elsewhere, err
		}
	}
	elsewhere = exact
	if len(cold) == 0 || len(later) == 0 {
		return exact, elsewhere, nil
	}
	// A task that becomes the first on its machine takes at least as long as a recorded first task; a recorded first
	// task that no longer is the first takes at most the median time of later tasks.
	slices.Sort(later)
	median := later[len(later)/2]
	firsts := make([]int64, len(took))
	for i, k := 0, 0; i < len(took); i++ {
		firsts[i] = took[i]
		if isCold[i] {
			took[i] = min(took[i], median)
			continue
		}
		firsts[i] = max(took[i], cold[k%len(cold)])
		k++
	}
	if elsewhere.First, err = sim.InOrder(firsts); err != nil {
		return exact, elsewhere, err
	}
	elsewhere.Duration, err = sim.InOrder(took)
	return exact, elsewhere, err
}

// attemptsOf locates the attempts of a stage among the attempts of a run, which are sorted by stage.
func attemptsOf(run *trace.Run, v int32) (first, last int) {
	at := func(v int32) int {
		i, _ := slices.BinarySearchFunc(run.Attempts, v, func(a trace.Attempt, v int32) int {
			return int(a.Stage) - int(v)
		})
		return i
	}
	return at(v), at(v + 1)
}

// allocation sets the tokens that the run held, by [trace.Run.Held].
func (r *Recorded) allocation(run *trace.Run, submit trace.Instant) {
	held := run.Held()
	r.Machine = max(1, int32(min(held.PerMachine, sim.MaxTokens)))
	for _, s := range held.Steps {
		step := sim.Step{Tokens: int32(min(s.Tokens, sim.MaxTokens))}
		if s.At.Known() {
			step.At = max(0, int64(s.At.Since(submit)))
		}
		if n := len(r.Tokens); n > 0 && r.Tokens[n-1].At == step.At {
			r.Tokens[n-1] = step
		} else {
			r.Tokens = append(r.Tokens, step)
		}
	}
	switch held.Basis {
	case trace.HeldUse:
		r.Warnings = append(r.Warnings, fmt.Sprintf("the trace does not say which tokens the run held: it is given "+
			"%d, the most it used at once", held.Most))
	case trace.HeldUnknown:
		r.Warnings = append(r.Warnings, "the trace does not say which tokens the run held, nor when its tasks ran: "+
			"it cannot be repeated as it was")
	}
}
