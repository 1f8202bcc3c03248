package recurrence

import (
	"cmp"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// Units of the cost of runs. The first one that is known for a run of every recurring job is used.
var costs = [...]struct {
	name string
	of   func(*observed) float64 // NaN when not known
}{
	{"task_seconds", func(r *observed) float64 { return r.work }},
	{"token_seconds", func(r *observed) float64 {
		if r.tokens <= 0 { // also null
			return math.NaN()
		}
		return float64(r.tokens) * (r.seconds - max(0, orZero(r.queued)))
	}},
	{"run_seconds", func(r *observed) float64 { return r.seconds }},
}

// orZero returns x, or 0 when it is not known.
func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// costBasis returns the index of the unit of cost.
func costBasis(jobs []*job) int {
	for i := range len(costs) - 1 {
		unknown := slices.ContainsFunc(jobs, func(j *job) bool {
			return !slices.ContainsFunc(j.at, func(at int32) bool {
				r := j.in.at(at)
				return !math.IsNaN(costs[i].of(&r))
			})
		})
		if !unknown {
			return i
		}
	}
	return len(costs) - 1
}

// cost returns the cost of runs. A run of unknown cost counts with the mean of the others.
func cost(runs []observed, basis int) float64 {
	var sum, known float64
	for i := range runs {
		if c := costs[basis].of(&runs[i]); !math.IsNaN(c) {
			sum += c
			known++
		}
	}
	return sum / known * float64(len(runs))
}

// describe returns the row of a job and its groups of similar input, and keeps the job's terms of sums over
// jobs.
func (j *job) describe(basis int) (result.RecurringJob, []result.SimilarInputSet) {
	runs := j.runs()
	j.stragglers, j.ends = stragglers(runs), ends(runs)
	for i := range runs {
		j.work += orZero(runs[i].work)
		j.worst = max(j.worst, runs[i].excess)
	}
	v := j.JobVariation
	row := result.RecurringJob{
		Name: v.Name, Runs: v.Runs, Failed: v.Failed, MeanS: v.MeanS, SdS: v.SdS, CoV: v.CoV,
		MinS: v.MinS, P50S: v.P50S, P90S: v.P90S, MaxS: v.MaxS, SlowestRun: v.SlowestRun, FastestRun: v.FastestRun,
		MinInput: result.Number(math.NaN()), MaxInput: result.Number(math.NaN()), SimilarCoV: result.Number(math.NaN()),
		Cost: result.Number(cost(runs, basis)), Stragglers: j.stragglers,
	}
	groups, least, most := j.similar(runs)
	if most >= 0 {
		row.MinInput, row.MaxInput = result.Number(least), result.Number(most)
	}
	covs := lists.Map(groups, func(g result.SimilarInputSet) float64 { return g.CoV })
	row.SimilarSets, row.SimilarCoV = len(groups), result.Number(quantile.Quantile(quantile.Sort(covs), 0.5))

	lasting := slices.DeleteFunc(runs, func(o observed) bool { return o.seconds == 0 }) // they have a logarithm
	d := drifts(lasting, row.CoV)
	row.Drift, row.Causes = d.Drift, explain(lasting, &d)
	row.Impact = row.Drift.CoVWithin * row.Drift.CoVWithin * row.Cost
	return row, groups
}

// stragglers adds up the stragglers of runs.
func stragglers(runs []observed) result.Stragglers {
	var out result.Stragglers
	var excess, work, worst float64
	for i := range runs {
		r := &runs[i]
		out.Attempts += int64(r.attempts)
		out.Stragglers += int64(r.stragglers)
		excess += r.excess
		work += orZero(r.work)
		if r.excess > worst {
			worst, out.WorstRun = r.excess, r.id
		}
	}
	return settled(out, excess, work)
}

// settled fills in the figures that follow from counts, excess and task-seconds.
func settled(s result.Stragglers, excess, work float64) result.Stragglers {
	nan := result.Number(math.NaN())
	s.Share, s.ExcessS, s.ExcessShare = nan, nan, nan
	if s.Attempts > 0 {
		s.Share = result.Number(float64(s.Stragglers) / float64(s.Attempts))
		s.ExcessS, s.ExcessShare = result.Number(excess), result.Number(excess/work)
	}
	return s
}

// shown returns the jobs whose runs a figure shows: those that drift first, then by impact. rows are by descending
// impact.
func shown(rows []result.RecurringJob, jobs []*job) []result.ShownJob {
	named := make(map[string]*job, len(jobs))
	for _, j := range jobs {
		named[j.Name] = j
	}
	order := make([]*result.RecurringJob, len(rows))
	for i := range rows {
		order[i] = &rows[i]
	}
	slices.SortStableFunc(order, func(a, b *result.RecurringJob) int { return -cmp.Compare(rank(a), rank(b)) })
	out := []result.ShownJob{}
	for _, row := range order {
		if len(out) == result.MostShown {
			break
		}
		runs := named[row.Name].runs()
		for len(runs) > 0 && !runs[0].at.Known() {
			runs = runs[1:]
		}
		if len(runs) < 2 {
			continue
		}
		s := result.ShownJob{Name: row.Name, Drifting: row.Drift.Drifting, Points: []result.RunPoint{}}
		step := max(1, float64(len(runs))/result.MostPoints)
		for at := 0.0; int(at) < len(runs); at += step {
			r := &runs[int(at)]
			s.Points = append(s.Points, result.RunPoint{AtS: float64(r.at) / 1e6, Seconds: r.seconds})
		}
		out = append(out, s)
	}
	return out
}

func rank(row *result.RecurringJob) int {
	if row.Drift.Drifting {
		return 1
	}
	return 0
}
