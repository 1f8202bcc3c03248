package cpa

import (
	"fmt"
	"math"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
	"racecard/datasets/words"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
	"racecard/models/limit"
)

// Of returns the job of a profile and a description of its table. It takes the most likely plan of the next run,
// for an input of some bytes (NaN: as past runs). If the tokens of past runs are not known, a run takes as long on any
// number of tokens that can do its work as past runs took on theirs: a warning says so.
func Of(p *modelfile.Profile, inputBytes float64) (Job, remaining.About, error) {
	plan := jobmodel.NextPlan(p, inputBytes)
	if err := limit.Stages(fmt.Sprintf("the model of job %q", p.Job), len(plan.Stages), limit.Table,
		"remaining times of larger plans are not simulated; racecard whatif is for single runs"); err != nil {
		return Job{}, remaining.About{}, err
	}
	about := remaining.About{
		Job: p.Job, Plan: plan.Plan, Resolution: plan.Resolution, Stages: len(plan.Stages), Runs: plan.Runs,
		OldestS: p.Runs.OldestS, NewestS: p.Runs.NewestS, Warnings: append([]string{}, p.Warnings...),
	}
	for _, f := range plan.RunFactors {
		if f.Tokens != nil && (about.MostTokens == nil || *f.Tokens > *about.MostTokens) {
			about.MostTokens = f.Tokens
		}
	}
	if plan != p.Main() {
		about.Warnings = append(about.Warnings, fmt.Sprintf("the next run is expected to have another plan than most "+
			"past runs: the table is of that, which %s had", words.Of(plan.Runs, "run", "runs")))
	}
	o := jobmodel.DefaultOptions()
	if o.InputBytes = inputBytes; !math.IsNaN(inputBytes) {
		about.InputBytes = &inputBytes
	}
	job := jobmodel.NewJob(p)
	m, err := job.Model(o)
	if err != nil {
		return Job{}, about, err
	}
	indicators, err := m.Progress()
	if err != nil {
		return Job{}, about, err
	}
	about.Tasks = int(m.Plan.Tasks())
	about.Graph = graph(m)
	about.Warnings = append(about.Warnings, m.Warnings...)
	if w, err := otherPlans(job, m.Completion, o); err != nil {
		return Job{}, about, err
	} else if w != "" {
		about.Warnings = append(about.Warnings, w)
	}
	unlimited := int32(0)
	whole := m.ByStage && about.MostTokens != nil
	switch {
	case whole && plan.SeveralTokens():
		unlimited = int32(len(plan.Stages))
		about.Warnings = append(about.Warnings, "how long single tasks take is not known: what tokens do is told by "+
			"the times of whole runs")
	case whole:
		unlimited = int32(len(plan.Stages))
		about.Warnings = append(about.Warnings, fmt.Sprintf("how long single tasks take is not known, and all past runs held "+
			"%s: how long a run takes on others is a guess", words.Of(*about.MostTokens, "token", "tokens")))
	case m.ByStage:
		unlimited = int32(len(plan.Stages))
		about.Warnings = append(about.Warnings, "how long single tasks take is not known: on any number of tokens a "+
			"run takes as long as past runs did on theirs")
	case about.MostTokens == nil:
		about.Warnings = append(about.Warnings, "how many tokens past runs held is not known: on any number that can do the "+
			"work a run takes as long as past runs did on theirs; `racecard whatif` simulates one run on others")
	}
	o.Simulated = 0 // the totals are not used
	with := func(tokens int32) (Setting, error) {
		o := o
		o.Tokens = float64(tokens)
		if m.ByStage && !whole {
			o.Tokens = 0
		}
		m, err := job.Model(o)
		if err != nil {
			return Setting{}, err
		}
		out := Setting{Plan: m.Plan, Slowness: m.Slowness, Tokens: unlimited, Options: sim.Options{Machine: m.Machine}}
		// A control loop must not act on times that are a guess: beyond the tokens of past runs simulations count.
		if most := about.MostTokens; most == nil || int64(tokens) <= *most {
			out.Times = m.Completion
		}
		return out, nil
	}
	out := Job{Progress: indicators, With: with, InputBytes: inputBytes}
	out.Past, out.Tokens = Past(plan)
	if most := about.MostTokens; most != nil && (whole || !m.ByStage) {
		out.Most = int32(min(*most, sim.MaxTokens))
	}
	return out, about, nil
}

// Past returns the courses of past runs of a plan, oldest first, and how many tokens they held on average: see [Job].
func Past(plan *modelfile.Plan) ([]Course, int32) { return courses(plan), held(plan) }

// apparent is the factor from which on other plans are said to change the p95 of a run.
const apparent = 1.1

// otherPlans says by how much runs take longer or shorter if all plans count that the next run may have, as in a
// forecast; "" where that is little. own are the times of the plan that the table is of.
func otherPlans(job *jobmodel.Job, own []float64, o jobmodel.Options) (string, error) {
	all, err := job.Complete(o)
	if err != nil || all.Times.Len() == 0 || len(own) == 0 {
		return "", err
	}
	this, any := quantile.Quantile(quantile.Sort(own), 0.95), quantile.Quantile(all.Times, 0.95)
	if any < apparent*this && this < apparent*any {
		return "", nil
	}
	return fmt.Sprintf("the next run may have another plan: of this one, which the table is of, 95%% of runs take at most "+
		"%s, of all plans that it may have %s", words.Seconds(this), words.Seconds(any)), nil
}

// held returns the mean number of tokens that past runs held; 0 if it is not known for any run.
func held(plan *modelfile.Plan) int32 {
	tokens, n := 0.0, 0.0
	for i := range plan.RunFactors {
		if x := plan.RunFactors[i].Tokens; x != nil {
			tokens, n = tokens+float64(*x), n+1
		}
	}
	if n == 0 {
		return 0
	}
	return int32(min(math.MaxInt32, max(1, math.Round(tokens/n))))
}

// graph returns the plan of a model with the totals by which its indicators weigh stages.
func graph(m *jobmodel.Model) remaining.Graph {
	g := remaining.Graph{Stages: m.Totals, Edges: make([]remaining.Edge, len(m.Edges))}
	for i, e := range m.Edges {
		g.Edges[i] = remaining.Edge{Parent: e.Parent, Child: e.Child, Kind: e.Kind.String()}
	}
	return g
}
