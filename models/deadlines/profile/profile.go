package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/limit"
	"racecard/models/workload"
)

// Builder gathers the runs of one recurring job. The zero value is ready for use.
type Builder struct {
	names         map[string]struct{}
	runs          []*observed
	notSucceeded  int
	withoutStages int
	tooLarge      int // runs of more than limit.Profile stages
}

// Add adds a run, which it neither keeps nor changes. Runs that did not succeed, and runs without stages or of more
// than [limit.Profile], are only counted.
func (b *Builder) Add(run *trace.Run) {
	if b.names == nil {
		b.names = map[string]struct{}{}
	}
	b.names[run.Name] = struct{}{}
	switch {
	case !run.Status.Well():
		b.notSucceeded++
	case len(run.Stages) == 0:
		b.withoutStages++
	case len(run.Stages) > limit.Profile:
		b.tooLarge++
	default:
		run, _ = workload.FillSkipped(run)
		b.runs = append(b.runs, observe(run))
	}
}

// TooLarge returns how many runs have more stages than a profile is fitted to.
func (b *Builder) TooLarge() int { return b.tooLarge }

// Runs returns how many runs a profile can be fitted to.
func (b *Builder) Runs() int { return len(b.runs) }

// Only returns a Builder with some of the runs that a profile can be fitted to, by their number in the order in which
// they were added, from 0.
func (b *Builder) Only(keep func(i int) bool) *Builder {
	some := &Builder{names: b.names}
	for i, r := range b.runs {
		if keep(i) {
			some.runs = append(some.runs, r)
		}
	}
	return some
}

// Check returns an error that says why no profile can be fitted, nil if one can.
func (b *Builder) Check() error {
	switch {
	case len(b.runs) > 0:
		return nil
	case b.tooLarge > 0:
		return fmt.Errorf("no run to fit to: there are %s; %s; single runs of up to %s stages can be replayed, by "+
			"racecard whatif", b.large(), b.Unusable(), words.Count(limit.WhatIf))
	}
	return fmt.Errorf("no run to fit to: %s", b.Unusable())
}

// Unusable says how many runs a profile cannot be fitted to, and why.
func (b *Builder) Unusable() string {
	return fmt.Sprintf("%d did not succeed, %d %s no stages", b.notSucceeded, b.withoutStages,
		words.Either(b.withoutStages == 1, "has", "have"))
}

// Fit returns the profile of the runs of one job, which must have at least one that can be used.
func Fit(runs []*trace.Run, o Options) (*modelfile.Profile, error) {
	var b Builder
	for _, r := range runs {
		b.Add(r)
	}
	name := ""
	if len(runs) > 0 {
		name = runs[0].JobName(o.RawNames)
	}
	return b.Fit(name, o)
}

// Fit returns the profile of the runs that were added; name is the job's ([trace.Run.JobName]). It depends neither on
// the order in which runs were added nor on how their stages are numbered. Runs are in the order of their submissions,
// not of their ends: of runs that overlap the longest would come last, as if runs took longer and longer.
func (b *Builder) Fit(name string, o Options) (*modelfile.Profile, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := b.Check(); err != nil {
		return nil, fmt.Errorf("job %q: %w", name, err)
	}
	runs := slices.Clone(b.runs)
	slices.SortStableFunc(runs, func(x, y *observed) int {
		return cmp.Or(cmp.Compare(x.begun, y.begun), cmp.Compare(x.id, y.id))
	})
	weights, undated := o.weigh(runs)
	p := &modelfile.Profile{
		Format: modelfile.Format, Version: modelfile.Version, Job: name, RawNames: sortedNames(b.names),
		Runs: modelfile.Runs{Used: len(runs), NotSucceeded: b.notSucceeded, WithoutStages: b.withoutStages,
			Effective: effective(weights)},
		Options:  modelfile.Options{MinEmpirical: o.MinEmpirical, MaxValues: o.MaxValues},
		Warnings: []string{},
	}
	if o.HalfLifeS > 0 {
		p.Options.HalfLifeS = &o.HalfLifeS
	}
	for _, r := range runs {
		if r.at.Known() {
			s := float64(r.at) / 1e6
			if p.Runs.OldestS == nil || s < *p.Runs.OldestS {
				p.Runs.OldestS = &s
			}
			if p.Runs.NewestS == nil || s > *p.Runs.NewestS {
				p.Runs.NewestS = &s
			}
		}
	}
	p.Plans = o.plans(runs, weights)
	p.Resolution = p.Main().Resolution
	p.Warnings = append(p.Warnings, warnings(p, undated)...)
	if b.tooLarge > 0 {
		p.Warnings = append(p.Warnings, "left out: "+b.large())
	}
	return p, nil
}

// large says how many runs were too large.
func (b *Builder) large() string {
	return fmt.Sprintf("%d of the runs with more than %s stages, the most that a model is fitted to", b.tooLarge,
		words.Count(limit.Profile))
}

// maxNames bounds the names of runs that a profile lists.
const maxNames = 100

func sortedNames(names map[string]struct{}) []string {
	out := make([]string, 0, len(names))
	for n := range names {
		out = append(out, n)
	}
	slices.Sort(out)
	return out[:min(len(out), maxNames)]
}

// leastWeight is the least weight of a run, so that runs much older than the half-life still have a mean.
const leastWeight = 1e-9

// weigh returns the weights of runs, 1 for the newest, and the number of runs without a time, which get the same
// weight.
func (o Options) weigh(runs []*observed) (weights []float64, undated int) {
	newest := runs[len(runs)-1].begun
	weights = make([]float64, len(runs))
	for i, r := range runs {
		weights[i] = 1
		if o.HalfLifeS == 0 {
			continue
		}
		if age := newest.Since(r.begun); age.Known() {
			weights[i] = max(leastWeight, math.Exp2(-age.Seconds()/o.HalfLifeS))
		} else {
			undated++
		}
	}
	return weights, undated
}

// effective is L. Kish's effective sample size ("Survey Sampling", 1965).
func effective(weights []float64) float64 {
	var sum, squares float64
	for _, w := range weights {
		sum += w
		squares += w * w
	}
	return sum * sum / squares
}

// group is the runs that have one plan.
type group struct {
	runs    []*observed
	weights []float64
	weight  float64
}

// plans groups runs by plan: by the hash, and by the edges, as different plans may share a hash. The plan with
// most weight comes first; among equal ones, the newest run's plan.
func (o Options) plans(runs []*observed, weights []float64) []modelfile.Plan {
	var groups []*group
	of := map[uint64][]*group{}
	total := 0.0
	for i, r := range runs {
		var g *group
		for _, h := range of[r.hash] {
			if slices.Equal(h.runs[0].data, r.data) && len(h.runs[0].stages) == len(r.stages) {
				g = h
			}
		}
		if g == nil {
			g = &group{}
			of[r.hash] = append(of[r.hash], g)
			groups = append(groups, g)
		}
		g.runs, g.weights, g.weight = append(g.runs, r), append(g.weights, weights[i]), g.weight+weights[i]
		total += weights[i]
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.runs[len(b.runs)-1].begun, a.runs[len(a.runs)-1].begun))
	})
	plans := make([]modelfile.Plan, len(groups))
	for i, g := range groups {
		plans[i] = o.plan(g)
		plans[i].ShareOfRuns = g.weight / total
		plans[i].Plan = result.PlanHash(g.runs[0].hash)
	}
	return plans
}

// FewRuns is the number of runs below which it is not known how runs differ.
const FewRuns = 3

func warnings(p *modelfile.Profile, undated int) []string {
	var out []string
	main := p.Main()
	if main.Runs < FewRuns {
		of := words.Either(len(p.Plans) == 1, "fitted to", "the commonest plan has")
		out = append(out, fmt.Sprintf("%s %s only: how runs differ is not known from fewer than %d", of,
			words.Of(main.Runs, "run", "runs"), FewRuns))
	}
	if main.Resolution == modelfile.ByStage {
		told := "so that other allocations cannot be told apart from noise"
		if main.SeveralTokens() {
			told = "what tokens do is told by the times of whole runs"
		}
		lack := "no durations of single attempts: stages"
		if len(main.Stages) == 1 && main.Stages[0].Name == wholeRun {
			lack = "no times of stages or tasks: runs"
		}
		out = append(out, lack+" are known as a whole only, "+told)
	}
	if main.ShareOfRuns < 0.5 {
		out = append(out, fmt.Sprintf("the commonest of %d plans covers %.0f%% of the runs", len(p.Plans),
			100*main.ShareOfRuns))
	}
	if undated > 0 {
		out = append(out, fmt.Sprintf("%d runs have no time: they weigh as much as the newest", undated))
	}
	if w := incomplete(p); w != "" {
		out = append(out, w)
	}
	return out
}

// incomplete returns the warning about runs without a completion time, or "" if all have one. A replay of their tasks
// stands for that time, without the time outside tasks.
func incomplete(p *modelfile.Profile) string {
	runs, without := 0, 0
	for i := range p.Plans {
		for k := range p.Plans[i].RunFactors {
			runs++
			if p.Plans[i].RunFactors[k].CompletionS == nil {
				without++
			}
		}
	}
	const outside = "time outside tasks (start-up, driver, waiting)"
	switch {
	case without == 0:
		return ""
	case without < runs:
		return fmt.Sprintf("%d of %d past runs have no completion time: %s is not counted in those", without, runs,
			outside)
	}
	return "no past run has a completion time: " + outside + " is not known and not counted"
}
