package figuretest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// run is one run of an application.
type run struct {
	id      string
	app     *Application
	status  string
	seconds float64
	input   float64
	slow    float64 // factor on the time of every stage
}

func drawRuns(r *rand.Rand, a *Application, n int) []run {
	out := make([]run, n)
	for i := range out {
		factor := 0.7 + 0.6*r.Float64()
		if i%3 == 0 {
			factor = 0.98 + 0.04*r.Float64()
		}
		slow := math.Exp(a.Spread * r.NormFloat64())
		x := run{id: fmt.Sprintf("%s-%03d", a.Name, i+1), app: a, status: "succeeded", input: 4e8 * factor,
			slow: slow * (0.6 + 0.4*factor)}
		if n > 1 && r.Float64() < 0.03 {
			x.status = "failed"
		}
		x.seconds = 3 + 1.6*criticalPath(a, false)*x.slow
		out[i] = x
	}
	return out
}

func recurrence(apps []Application, runs []run, least int) *result.Recurrence {
	rec := &result.Recurrence{MinRuns: least, ByStatus: map[string]int{}, ShareOfRuns: 1, Runs: len(runs),
		Header: result.Header{Available: true, Needs: []string{"jobs.name", "jobs.submit", "jobs.end", "jobs.status"},
			LeftOut: map[string]int64{"succeeded without a known completion time": 1}},
		Rules: []string{"dates, clock times and UUIDs become #",
			"hexadecimal strings of 8 or more with a digit become #", "runs of 5 or more digits become #"}}
	var covs, similar, within []float64
	byName := map[string][]run{}
	for _, x := range runs {
		byName[x.app.Name] = append(byName[x.app.Name], x)
	}
	for i := range apps {
		mine := byName[apps[i].Name]
		for _, x := range mine {
			rec.ByStatus[x.status]++
		}
		job := recurringJob(&apps[i], mine)
		shown := drift(&job, mine, i)
		rec.Succeeded += job.Runs
		if job.Runs < least {
			continue
		}
		groups := similarInput(mine)
		var own []float64
		for _, g := range groups {
			own, similar = append(own, g.CoV), append(similar, g.CoV)
		}
		job.SimilarCoV, job.SimilarSets = result.Number(summarise(own).P50), len(own)
		rec.Groups = append(rec.Groups, groups...)
		covs = append(covs, job.CoV)
		rec.Jobs = append(rec.Jobs, job)
		within = append(within, float64(job.Drift.CoVWithin))
		if job.Drift.Drifting {
			rec.Drifting++
		}
		if len(rec.Shown) < result.MostShown {
			rec.Shown = append(rec.Shown, shown)
		}
	}
	sort.SliceStable(rec.Jobs, func(i, j int) bool { return rec.Jobs[i].Impact > rec.Jobs[j].Impact })
	sort.SliceStable(rec.Shown, func(i, j int) bool { return rec.Shown[i].Drifting && !rec.Shown[j].Drifting })
	rec.CoVWithin, rec.CostBasis = summarise(within), "task_seconds"
	divide(rec)
	rec.Recurring, rec.CoV, rec.CoVSimilarInput = len(covs), summarise(covs), summarise(similar)
	r := source(11)
	rec.Intervals = result.Intervals{Level: 0.95, Method: "bootstrap percentile", Resamples: 200,
		Of: map[string]map[string]result.Interval{"cov": intervals(r, covs)}}
	if len(similar) > 0 {
		rec.Intervals.Of["cov_similar_input"] = intervals(r, similar)
	}
	return rec
}

func recurringJob(a *Application, runs []run) result.RecurringJob {
	job := result.RecurringJob{Name: a.Name, MinInput: result.Number(math.Inf(1)),
		MaxInput: result.Number(math.Inf(-1))}
	var times []float64
	slowest, fastest := math.Inf(-1), math.Inf(1)
	for _, x := range runs {
		if x.status != "succeeded" {
			job.Failed++
			continue
		}
		times = append(times, x.seconds)
		job.MinInput, job.MaxInput = min(job.MinInput, result.Number(x.input)),
			max(job.MaxInput, result.Number(x.input))
		if x.seconds > slowest {
			slowest, job.SlowestRun = x.seconds, x.id
		}
		if x.seconds < fastest {
			fastest, job.FastestRun = x.seconds, x.id
		}
	}
	s := summarise(times)
	job.Runs, job.MeanS, job.SdS = s.N, s.Mean, deviation(times)
	job.CoV = job.SdS / job.MeanS
	job.MinS, job.P50S, job.P90S, job.MaxS = s.Min, s.P50, s.P90, s.Max
	return job
}

func deviation(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	mean, sum := summarise(xs).Mean, 0.0
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(len(xs)-1))
}

// similarInput groups succeeded runs whose inputs are within 10% of the smallest, groups of three and more.
func similarInput(runs []run) []result.SimilarInputSet {
	ok := lists.Kept(runs, func(x run) bool { return x.status == "succeeded" })
	sort.Slice(ok, func(i, j int) bool { return ok[i].input < ok[j].input })
	var out []result.SimilarInputSet
	for from := 0; from < len(ok); {
		to := from
		var times []float64
		for to < len(ok) && ok[to].input <= 1.1*ok[from].input {
			times = append(times, ok[to].seconds)
			to++
		}
		if len(times) >= 3 {
			mean := summarise(times).Mean
			out = append(out, result.SimilarInputSet{Name: ok[from].app.Name, Runs: len(times),
				MinInput: ok[from].input, MaxInput: ok[to-1].input, MeanS: mean, CoV: 0.8 * deviation(times) / mean})
		}
		from = to
	}
	return out
}
