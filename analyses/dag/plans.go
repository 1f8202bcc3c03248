package dag

import (
	"cmp"
	"maps"
	"slices"

	"racecard/analyses/extreme"
	"racecard/analyses/quantile"
	"racecard/datasets/jobname"
	"racecard/datasets/result"
)

// plan is a plan among runs.
type plan struct {
	first, runs int // the first run that has it, and how many have
	names       map[string]struct{}
}

// job is a name among runs.
type job struct {
	runs, succeeded int
	plans           map[uint64]int // runs per plan
}

// plans counts the runs with the same plan, over all and by recurring job: a name with at least MinRuns
// succeeded runs with stages.
func (p *Partial) plans() result.Plans {
	all, jobs, names := map[uint64]*plan{}, map[string]*job{}, map[string]string{}
	for i := range p.shapes {
		s := &p.shapes[i]
		of := all[s.Plan]
		if of == nil {
			of = &plan{first: i, names: map[string]struct{}{}}
			all[s.Plan] = of
		}
		of.runs++
		if s.Name == "" {
			continue
		}
		name, ok := names[s.Name]
		if !ok {
			if name = s.Name; !p.opts.RawNames {
				name = jobname.Normalize(s.Name)
			}
			names[s.Name] = name
		}
		of.names[name] = struct{}{}
		j := jobs[name]
		if j == nil {
			j = &job{plans: map[uint64]int{}}
			jobs[name] = j
		}
		j.runs++
		j.plans[s.Plan]++
		if s.Succeeded {
			j.succeeded++
		}
	}
	out := result.Plans{Distinct: len(all), Shapes: p.shapeCounts(), Common: p.common(all)}
	p.jobPlans(&out, jobs)
	return out
}

// shapeCounts counts runs and plans of each shape.
func (p *Partial) shapeCounts() []result.ShapeCount {
	of := map[string]*result.ShapeCount{}
	plans := map[uint64]struct{}{}
	most := map[string]int32{}
	for i := range p.shapes {
		s := &p.shapes[i]
		c := of[s.Shape]
		if c == nil {
			c = &result.ShapeCount{Shape: s.Shape}
			of[s.Shape] = c
		}
		c.Runs++
		if s.Stages > most[s.Shape] {
			most[s.Shape], c.JobID = s.Stages, s.JobID
		}
		if _, seen := plans[s.Plan]; !seen { // two shapes are never one plan
			plans[s.Plan] = struct{}{}
			c.Plans++
		}
	}
	out := []result.ShapeCount{}
	for _, name := range Shapes() {
		if c := of[name]; c != nil {
			out = append(out, *c)
		}
	}
	return out
}

// common lists the plans that most runs have.
func (p *Partial) common(all map[uint64]*plan) []result.Plan {
	hashes := slices.SortedFunc(maps.Keys(all), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(all[b].runs, all[a].runs), cmp.Compare(all[a].first, all[b].first))
	})
	out := []result.Plan{}
	for _, h := range hashes[:min(len(hashes), result.MostPlans)] {
		s := &p.shapes[all[h].first]
		out = append(out, result.Plan{
			Plan: result.PlanHash(h), Shape: s.Shape, Stages: int(s.Stages), Runs: all[h].runs, Names: len(all[h].names), JobID: s.JobID, Name: s.Name,
		})
	}
	return out
}

// jobPlans fills in how many plans recurring jobs have.
func (p *Partial) jobPlans(out *result.Plans, jobs map[string]*job) {
	out.Jobs = []result.JobPlans{}
	var counts []float64
	one := 0
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		j := jobs[name]
		if j.succeeded < p.opts.MinRuns {
			continue
		}
		counts = append(counts, float64(len(j.plans)))
		if len(j.plans) == 1 {
			one++
		}
		var common uint64
		most := 0
		for h, n := range j.plans { // the choice among equals does not depend on the order
			if n > most || n == most && h < common {
				common, most = h, n
			}
		}
		out.Jobs = append(out.Jobs, result.JobPlans{
			Name: name, Runs: j.runs, Plans: len(j.plans), Share: float64(most) / float64(j.runs), Common: result.PlanHash(common),
		})
	}
	slices.SortStableFunc(out.Jobs, func(a, b result.JobPlans) int { return cmp.Compare(b.Plans, a.Plans) })
	out.Jobs = out.Jobs[:min(len(out.Jobs), result.MostPlans)]
	out.ShareOfOne = result.Number(float64(one) / float64(len(counts)))
	out.PerJob = quantile.Summarize(quantile.Sort(counts))
}

// extremes returns the runs at the ends of the scales.
func (p *Partial) extremes() []result.ExtremeRun {
	type scale = extreme.Scale[result.RunShape]
	return extreme.Runs(p.shapes, func(s *result.RunShape) (string, string) { return s.JobID, s.Name },
		scale{What: "most stages", Of: func(s *result.RunShape) float64 { return float64(s.Stages) }},
		scale{What: "most barriers", Of: func(s *result.RunShape) float64 { return float64(s.Barriers) }},
		scale{What: "most stages on the critical path", Of: func(s *result.RunShape) float64 { return float64(s.PathStages) }},
		scale{What: "longest critical path in seconds", Of: func(s *result.RunShape) float64 { return s.CriticalPathS }},
		scale{What: "widest", Of: func(s *result.RunShape) float64 { return float64(s.Width) }},
		scale{What: "most task-seconds", Of: func(s *result.RunShape) float64 { return s.TaskSeconds }})
}
