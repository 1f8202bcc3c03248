package compare

import (
	"cmp"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/machines/jobs"
	"racecard/models/workload"
)

// Document sums up the outcomes of one workload, in the order of schedulers. perJob keeps the times of single jobs in
// the document; they are in its table in any case.
func Document(s *Setup, w *Workload, count *jobs.Count, outcomes []*Outcome, perJob bool) *result.Carbyne {
	doc := &result.Carbyne{
		Header: result.Header{Available: true, LeftOut: count.LeftOut}, Seed: s.Parameters.Seed,
		Altruism: s.Parameters.Altruism,
		Workload: work(s, w, count), Schedulers: map[string]*result.CarbyneScheduler{},
	}
	var carbyne *Outcome
	without := 0 // jobs without a factor of improvement
	for _, o := range outcomes {
		doc.Order = append(doc.Order, o.Scheduler)
		doc.Schedulers[o.Scheduler] = scheduler(w, o, perJob)
		if o.Scheduler == "carbyne" {
			carbyne = o
		}
	}
	if len(outcomes) > 0 {
		m := outcomes[0].Machines
		doc.Workload.MakespanBoundS = float64(Bound(w.Jobs, m)) / 1e6
		doc.Cluster = result.CarbyneCluster{Machines: m.Len(), Pooled: s.Pooled, Total: map[string]float64{}}
		total := m.Space().Amounts(m.Total())
		for _, r := range m.Space().Resources() {
			doc.Cluster.Total[r.String()] = total[r]
		}
	}
	for _, o := range outcomes {
		var factors []float64
		if carbyne != nil {
			factors = ratios(o.JCT, carbyne.JCT)
			if o != carbyne {
				without = max(without, len(factors)-len(finite(factors)))
				improve(doc, o.Scheduler, factors)
			}
		}
		doc.Runs = append(doc.Runs, runs(w, o, factors)...)
	}
	if doc.Warnings = warnings(doc); without > 0 {
		doc.Warnings = append(doc.Warnings, words.Of(without, "job takes", "jobs take")+" no time under carbyne, and some "+
			"under others: no ratio of times counts them")
	}
	return doc
}

// improve adds the factors of improvement of carbyne over another scheduler, of jobs that have one.
func improve(doc *result.Carbyne, other string, ratios []float64) {
	if ratios = finite(ratios); len(ratios) == 0 {
		return
	}
	if doc.Improvement == nil {
		doc.Improvement, doc.Slowed = map[string]result.Summary{}, map[string]result.CarbyneSlowed{}
		intervals := quantile.NewIntervals()
		doc.Intervals = &intervals
	}
	sorted := quantile.Sort(ratios)
	doc.Improvement[other] = quantile.Summarize(sorted)
	doc.Slowed[other] = result.CarbyneSlowed{Below1: result.Number(below(ratios, 1)),
		Below08: result.Number(below(ratios, 0.8))}
	quantile.AddIntervals(doc.Intervals, other, sorted, doc.Seed)
}

// summarize describes values, which it leaves as they are.
func summarize(values []float64) result.Summary {
	return quantile.Summarize(quantile.Sort(values))
}

// below returns the share of values below a limit, NaN if there are none. Times are whole microseconds: a value that
// differs from the limit by rounding only is not below it.
func below(values []float64, limit float64) float64 {
	n := lists.Count(values, func(x float64) bool { return x < limit-1e-9 })
	return float64(n) / float64(len(values))
}

func work(s *Setup, w *Workload, count *jobs.Count) result.CarbyneWorkload {
	out := result.CarbyneWorkload{
		Jobs: len(w.Jobs), Arrivals: s.Arrivals(), InterarrivalS: unset(s.InterarrivalS), Sampled: s.Jobs > 0,
		Stretch: unset(w.Stretch - 1),
		Load:    unset(s.Load), DemandScale: s.DemandScale, DrawnDemands: map[string]int64{},
		DrawnDurations: count.Drawn[0],
		StageDurations: count.StageTimes[0], MeanTasks: count.MeanTasks, SkippedStages: count.Skipped,
		Retries:              count.Retries,
		DemandDistribution:   workload.DemandDistribution,
		DurationDistribution: workload.DurationDistribution, Error: s.Error.Share, ErrorSome: s.Error.Some,
	}
	if !math.IsNaN(float64(out.Stretch)) {
		out.Stretch = result.Number(w.Stretch)
	}
	for r, n := range count.DrawnDemands {
		if n > 0 {
			out.DrawnDemands[trace.Resource(r).String()] = n
		}
	}
	for _, j := range w.Jobs {
		out.Stages += int64(len(j.Stages))
		out.Tasks += j.Tasks()
		out.TaskSeconds += j.TaskSeconds()
	}
	return out
}

// unset returns x, or unknown if x is 0.
func unset(x float64) result.Number {
	if x == 0 {
		return result.Number(math.NaN())
	}
	return result.Number(x)
}

func scheduler(w *Workload, o *Outcome, perJob bool) *result.CarbyneScheduler {
	series := o.Books.Series()
	out := &result.CarbyneScheduler{
		JCT: summarize(o.JCT), JCTBySize: bySize(w, o), MakespanS: float64(o.Result.Makespan) / 1e6,
		Jain: o.Jain.Summary(), JainCapped: o.Capped.Summary(),
		Utilization: map[string]result.Number{}, TasksMean: result.Number(o.Books.Tasks()), Plans: o.Plans,
		Fallbacks: o.Fallbacks,
		Events:    int64(len(w.Jobs)) + o.Result.Ended, Instants: o.Result.Instants, Steps: o.Result.Steps,
		Failed:  o.Result.Failed,
		Clamped: o.Result.Clamped, BinS: series.Width(), Used: map[string][]float64{}, Tasks: series.Tasks(),
	}
	left := o.Machines.Space().Amounts(&o.AtStart)
	if o.Altruistic {
		out.LeftoverAtStart = map[string]float64{}
	}
	for _, r := range o.Machines.Space().Resources() {
		out.Utilization[r.String()] = result.Number(o.Books.Utilization(r))
		out.Used[r.String()] = series.Used(r)
		if o.Altruistic {
			out.LeftoverAtStart[r.String()] = left[r]
		}
	}
	if o.Books.Follow != "" {
		f := &result.CarbyneFollowed{Job: o.Books.Follow}
		if k := slices.IndexFunc(w.Jobs, func(j *jobs.Job) bool { return j.ID == f.Job }); k >= 0 {
			f.Name = w.Jobs[k].Name
		}
		for _, step := range o.Books.Running() {
			f.AtS, f.Own, f.All = append(f.AtS, float64(step.At)/1e6), append(f.Own, int(step.Own)),
				append(f.All, int(step.All))
		}
		out.Followed = f
	}
	if perJob {
		out.JCTByJob = map[string]float64{}
		for i, j := range w.Jobs {
			out.JCTByJob[j.ID] = o.JCT[i]
		}
	}
	return out
}

// bySize sums up the times of quarters of the jobs, by their task-seconds.
func bySize(w *Workload, o *Outcome) (out []result.CarbyneSize) {
	order := BySize(w.Jobs)
	const classes = 4
	for c := range classes {
		part := order[c*len(order)/classes : (c+1)*len(order)/classes]
		if len(part) == 0 {
			continue
		}
		jct := lists.Map(part, func(i int) float64 { return o.JCT[i] })
		out = append(out, result.CarbyneSize{UpTo: result.Number(w.Jobs[part[len(part)-1]].TaskSeconds()),
			JCT: summarize(jct)})
	}
	return out
}

// BySize returns the indices of jobs in ascending order of their task-seconds, equal ones by index.
func BySize(all []*jobs.Job) []int {
	order, size := make([]int, len(all)), make([]float64, len(all))
	for i, j := range all {
		order[i], size[i] = i, j.TaskSeconds()
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	return order
}

// runs are the rows of the table about one outcome; ratios are nil without carbyne.
func runs(w *Workload, o *Outcome, ratios []float64) []result.CarbyneRun {
	out := make([]result.CarbyneRun, len(w.Jobs))
	for i, j := range w.Jobs {
		out[i] = result.CarbyneRun{Scheduler: o.Scheduler, JobID: j.ID, Name: j.Name,
			ArrivalS: float64(j.Arrival) / 1e6, JCTS: o.JCT[i],
			Stages: len(j.Stages), Tasks: int(j.Tasks()), TaskSeconds: j.TaskSeconds(), Improvement: math.NaN()}
		if ratios != nil {
			out[i].Improvement = ratios[i]
		}
	}
	return out
}
