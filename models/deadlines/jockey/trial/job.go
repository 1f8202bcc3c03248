package trial

import (
	"fmt"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/cpa"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/sim"
)

// Job is a recurring job: its actual runs, and the knowledge about it.
type Job struct {
	Name  string
	Plan  sim.Plan
	Model *jobmodel.Model
	// Stage is, for every stage of Model, the stage of Plan that it stands for.
	Stage []int
	// Recorded holds runs that were not learned from. Where there are any, they are executed instead of draws of Plan.
	Recorded []Recording
	// Inflation is how run times of Model change with tokens, for [sim.Options].Inflation: as the law of past runs has
	// it. Runs of Plan change alike. Empty where tokens are known to change nothing.
	Inflation []float64
	// Table is the job for tables of remaining times, and About describes it: the policies know no more. Tables of
	// the zero Table are made of Model on any number of tokens.
	Table cpa.Job
	About remaining.About
	// Slowness holds equally likely factors on all run times of a run of Plan; empty for none.
	Slowness []float64
}

// Modelled returns the job of a profile, whose runs are draws of its model with random slowness, on up to most tokens:
// how well controlled runs represent it depends on the fit of the model.
func Modelled(p *modelfile.Profile, most int) (Job, error) {
	table, about, err := cpa.Of(p, math.NaN())
	if err != nil {
		return Job{}, err
	}
	m, err := jobmodel.New(p, jobmodel.DefaultOptions())
	if err != nil {
		return Job{}, err
	}
	j := drawn(m)
	j.Table, j.About = table, about
	if m.ByStage {
		return j, nil // which cannot be run, and is said to
	}
	r, err := newResponse(p, most)
	if err != nil {
		return Job{}, err
	}
	typical := 1.0
	if len(m.Slowness) > 0 {
		typical = quantile.Quantile(quantile.Sort(m.Slowness), 0.5)
	}
	if j.Inflation, err = r.inflation(m.Plan, 0, typical, m.Machine); err != nil {
		return Job{}, fmt.Errorf("job %s: %w", p.Job, err)
	}
	return j, nil
}

// drawn returns a job whose runs are draws of a model, on any number of tokens.
func drawn(m *jobmodel.Model) Job {
	j := Job{Name: m.Job, Plan: m.Plan, Model: m, Stage: make([]int, len(m.Plan.Stages)), Slowness: m.Slowness}
	for i := range j.Stage {
		j.Stage[i] = i
	}
	return j
}

// Train simulates past runs of a job, each on a number of guaranteed tokens and undisturbed, and learns its model from
// what a trace of them would hold.
func Train(g Generated, runs, tokens int, s uint64) (Job, error) {
	c, err := sim.Compile(g.Plan)
	if err != nil {
		return Job{}, fmt.Errorf("job %s: %w", g.Name, err)
	}
	runner := sim.NewRunner(c)
	var past []*trace.Run
	for k := range runs {
		run, err := record(fmt.Sprintf("%s-%d", g.Name, k), g, runner, tokens, seed.Stream(s, "past run of "+
			g.Name, uint64(k)).Uint64())
		if err != nil {
			return Job{}, fmt.Errorf("job %s: %w", g.Name, err)
		}
		past = append(past, run)
	}
	p, err := profile.Fit(past, profile.DefaultOptions())
	if err != nil {
		return Job{}, err
	}
	o := jobmodel.DefaultOptions()
	o.Tokens, o.Seed = float64(tokens), s
	m, err := jobmodel.New(p, o)
	if err != nil {
		return Job{}, err
	}
	j := Job{Name: g.Name, Plan: g.Plan, Model: m, Stage: make([]int, len(m.Names))}
	for i, name := range m.Names { // every run has all stages, so each name is there once
		if _, err := fmt.Sscanf(name, stageName, &j.Stage[i]); err != nil {
			return Job{}, fmt.Errorf("job %s: stage %q: %w", g.Name, name, err)
		}
	}
	return j, nil
}

// stageName is the name of a stage in the trace of a run.
const stageName = "stage-%d"

// record simulates one run and returns what a trace of it would hold: attempts with their times, and the tokens it
// held.
func record(id string, g Generated, runner *sim.Runner, tokens int, number uint64) (*trace.Run, error) {
	run := trace.NewRun(id)
	run.Name, run.Status = g.Name, trace.Succeeded
	for i := range g.Plan.Stages {
		s := trace.NewStage()
		s.Name, s.Tasks = fmt.Sprintf(stageName, i), int64(g.Plan.Stages[i].Tasks)
		run.Stages = append(run.Stages, s)
	}
	for _, e := range g.Plan.Edges {
		run.Edges = append(run.Edges, trace.Edge(e))
	}
	slices.SortFunc(run.Edges, trace.CompareEdges)
	var began []int64 // of the attempt on each slot
	tries := map[[2]int32]int32{}
	res, err := runner.Run(&sim.Options{Allocation: []sim.Step{{Tokens: int32(tokens)}}, Observe: func(e sim.Event,
		_ sim.Progress) {
		for int(e.Slot) >= len(began) {
			began = append(began, 0)
		}
		if e.Kind == sim.Started {
			began[e.Slot] = e.Now
			return
		}
		task := [2]int32{e.Stage, e.Task}
		a := trace.NewAttempt(e.Stage, e.Task, tries[task])
		tries[task]++
		a.Status = trace.Succeeded
		if e.Kind == sim.Failed {
			a.Status = trace.Failed
		}
		a.Start, a.End = trace.Instant(began[e.Slot]), trace.Instant(e.Now)
		a.Duration = a.End.Since(a.Start)
		run.Attempts = append(run.Attempts, a)
	}}, fixed(number))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(run.Attempts, func(a, b trace.Attempt) int {
		return slices.Compare([]int32{a.Stage, a.Task, a.Attempt}, []int32{b.Stage, b.Task, b.Attempt})
	})
	run.Submit, run.Start, run.End = 0, 0, trace.Instant(res.End)
	run.Allocations = []trace.Allocation{{At: 0, Tokens: int64(tokens), Spare: trace.None, Machines: trace.None}}
	return run, nil
}

// fixed is a random source that returns one number; a simulated run is a function of it.
type fixed uint64

// Uint64 implements [rand.Source].
func (f fixed) Uint64() uint64 { return uint64(f) }
