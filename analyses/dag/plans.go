package dag

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"racecard/analyses/internal/extreme"
	"racecard/analyses/quantile"
	"racecard/datasets/jobname"
	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// planned is a run with its plan and its name.
type planned struct {
	plan uint64
	name int32 // position in names.list; -1 for a run without a name
	at   int32 // position of the run
}

// names numbers the names of jobs.
type names struct {
	raw  bool
	read map[string]int32 // by the name as read
	job  map[string]int32 // by the name of the job
	list []string         // of jobs
	good []int32          // per job: runs that succeeded
}

// number returns the position of the job that a name stands for.
func (n *names) number(read string) int32 {
	at, ok := n.read[read]
	if ok {
		return at
	}
	name := read
	if !n.raw {
		name = jobname.Normalize(read)
	}
	if at, ok = n.job[name]; !ok {
		at = int32(len(n.list))
		n.job[name], n.list, n.good = at, append(n.list, name), append(n.good, 0)
	}
	n.read[read] = at
	return at
}

// plans counts the runs with the same plan, over all and by recurring job: a name with at least MinRuns runs with
// stages that succeeded, or whose outcome the trace does not state.
func (p *Partial) plans() result.Plans {
	n := &names{raw: p.opts.RawNames, read: map[string]int32{}, job: map[string]int32{}}
	runs := make([]planned, 0, p.shapes.Len())
	for i, s := range p.shapes.All() {
		r := planned{s.Plan, -1, int32(i)}
		if s.Name != "" {
			r.name = n.number(s.Name)
			if s.Succeeded {
				n.good[r.name]++
			}
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b planned) int {
		return cmp.Or(cmp.Compare(a.plan, b.plan), cmp.Compare(a.name, b.name), cmp.Compare(a.at, b.at))
	})
	out := p.tally(runs)
	slices.SortFunc(runs, func(a, b planned) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.plan, b.plan))
	})
	p.jobPlans(&out, runs, n)
	return out
}

// plan is a plan among runs.
type plan struct {
	hash        uint64
	first       int32 // the first run that has it
	runs, names int   // that have it
}

// together yields the groups of adjacent runs with the same key.
func together[K comparable](runs []planned, key func(*planned) K) iter.Seq[[]planned] {
	return func(yield func([]planned) bool) {
		for from := 0; from < len(runs); {
			to := from + 1
			for to < len(runs) && key(&runs[to]) == key(&runs[from]) {
				to++
			}
			if !yield(runs[from:to]) {
				return
			}
			from = to
		}
	}
}

func planOf(r *planned) uint64 { return r.plan }
func nameOf(r *planned) int32  { return r.name }

// tally counts runs and plans of each shape, and lists the plans that most runs have. runs are sorted by plan, then by
// name.
func (p *Partial) tally(runs []planned) result.Plans {
	var all []plan
	for same := range together(runs, planOf) {
		of := plan{hash: same[0].plan, first: same[0].at, runs: len(same)}
		for named := range together(same, nameOf) {
			of.first = min(of.first, named[0].at)
			if named[0].name >= 0 {
				of.names++
			}
		}
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b plan) int { return cmp.Compare(a.first, b.first) })
	order := lists.Order(len(all), func(a, b int32) int { return cmp.Compare(all[b].runs, all[a].runs) })
	common := make([]result.Plan, min(len(all), result.MostPlans))
	place := map[int32]int{} // index of a plan in out.Common, by its first run
	for k := range common {
		place[all[order[k]].first] = k
	}
	shapes := map[string]*result.ShapeCount{}
	most := map[string]int32{}
	next := 0
	for i, s := range p.shapes.All() {
		c := shapes[s.Shape]
		if c == nil {
			c = &result.ShapeCount{Shape: s.Shape}
			shapes[s.Shape] = c
		}
		c.Runs++
		if s.Stages > most[s.Shape] {
			most[s.Shape], c.JobID = s.Stages, strings.Clone(s.JobID)
		}
		if next == len(all) || int32(i) != all[next].first {
			continue
		}
		c.Plans++ // two shapes are never one plan
		if k, ok := place[int32(i)]; ok {
			of := &all[next]
			common[k] = result.Plan{
				Plan: result.PlanHash(of.hash), Shape: s.Shape, Stages: int(s.Stages), Runs: of.runs, Names: of.names,
				JobID: strings.Clone(s.JobID), Name: strings.Clone(s.Name),
			}
		}
		next++
	}
	out := result.Plans{Distinct: len(all), Shapes: []result.ShapeCount{}, Common: common}
	for _, name := range Shapes() {
		if c := shapes[name]; c != nil {
			out.Shapes = append(out.Shapes, *c)
		}
	}
	return out
}

// jobPlans fills in how many plans recurring jobs have. runs are sorted by name, then by plan.
func (p *Partial) jobPlans(out *result.Plans, runs []planned, n *names) {
	out.Jobs = []result.JobPlans{}
	var counts []float64
	one := 0
	for job := range together(runs, nameOf) {
		name := job[0].name
		if name < 0 || int(n.good[name]) < p.opts.MinRuns {
			continue
		}
		row := result.JobPlans{Name: n.list[name], Runs: len(job)}
		most := 0
		for same := range together(job, planOf) { // in the order of hashes: of equal plans, the lowest
			row.Plans++
			if len(same) > most {
				most, row.Common = len(same), result.PlanHash(same[0].plan)
			}
		}
		row.Share = float64(most) / float64(row.Runs)
		counts = append(counts, float64(row.Plans))
		if row.Plans == 1 {
			one++
		}
		out.Jobs = append(out.Jobs, row)
	}
	slices.SortFunc(out.Jobs, func(a, b result.JobPlans) int {
		return cmp.Or(cmp.Compare(b.Plans, a.Plans), cmp.Compare(a.Name, b.Name))
	})
	out.Jobs = slices.Clone(out.Jobs[:min(len(out.Jobs), result.MostPlans)])
	for i := range out.Jobs {
		out.Jobs[i].Name = strings.Clone(out.Jobs[i].Name)
	}
	out.ShareOfOne = result.Number(float64(one) / float64(len(counts)))
	out.PerJob = quantile.Summarize(quantile.Sort(counts))
}

// extremes returns the runs at the ends of the scales.
func (p *Partial) extremes() []result.ExtremeRun {
	type scale = extreme.Scale[result.RunShape]
	return extreme.Each(p.shapes.All(), func(s *result.RunShape) (string, string) {
		return strings.Clone(s.JobID), strings.Clone(s.Name)
	},
		scale{What: "most stages", Of: func(s *result.RunShape) float64 { return float64(s.Stages) }},
		scale{What: "most barriers", Of: func(s *result.RunShape) float64 { return float64(s.Barriers) }},
		scale{What: "most stages on the critical path", Of: func(s *result.RunShape) float64 {
			return float64(s.PathStages)
		}},
		scale{What: "longest critical path in seconds", Of: func(s *result.RunShape) float64 {
			return s.CriticalPathS
		}},
		scale{What: "widest", Of: func(s *result.RunShape) float64 { return float64(s.Width) }},
		scale{What: "most task-seconds", Of: func(s *result.RunShape) float64 { return s.TaskSeconds }})
}
