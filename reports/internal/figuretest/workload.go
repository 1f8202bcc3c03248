package figuretest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"racecard/datasets/result"
)

// workload invents the load of a cluster over a number of days: arrivals that follow the hours of the day, from Monday
// 2 March 2026 on, and tasks with lognormal durations.
func workload(r *rand.Rand, days, runs int) *result.Workload {
	const start = 1_772_409_600 // 2026-03-02 00:00 UTC
	span := float64(days) * 86_400
	var at []float64
	for len(at) < runs {
		t := span * r.Float64()
		if r.Float64() < 0.55+0.45*math.Cos(2*math.Pi*(t/86_400-0.58)) {
			at = append(at, start+t)
		}
	}
	sort.Float64s(at)
	w := &result.Workload{Header: available("jobs.submit|jobs.start|jobs.status|stages.tasks|tasks.duration"),
		Runs: int64(runs), TimeBase: "unix",
		ByStatus: map[string]int64{"succeeded": int64(runs - runs/50), "failed": int64(runs / 50)}}
	w.Arrivals = arrivals(at, start, days)
	durations, tasks, completion, gaps := lognormal(r, 8*runs, 2.5, 1.4), lognormal(r, runs, 2, 1.1),
		lognormal(r, runs, 4, 0.8), []float64{}
	for i := range tasks {
		tasks[i] = math.Ceil(tasks[i])
	}
	for i := range at[1:] {
		gaps = append(gaps, at[i+1]-at[i])
	}
	w.Durations = result.Durations{Header: available("jobs.submit|jobs.start", "jobs.end"),
		Completion:   summarise(completion),
		Unsuccessful: summarise(completion[:runs/50]), Wait: summarise(gaps[:runs/2]), Top1: 0.08,
		Extremes: []result.ExtremeRun{{What: "longest completion time, s", JobID: "job-0007", Name: "nightly",
			Value: summarise(completion).Max}}}
	w.Durations.LeftOut = map[string]int64{"runs without a known completion time": 3}
	w.TasksPerJob = result.TasksPerJob{Header: available("stages.tasks|tasks.task"), Tasks: summarise(tasks),
		Top1: 0.15, Extremes: []result.ExtremeRun{}}
	w.TaskDurations = result.TaskDurations{Header: available("tasks.duration"), Duration: summarise(durations),
		Unsuccessful: summarise(durations[:40]), Top1: 0.21, Extremes: []result.ExtremeRun{}}
	w.Fits = []result.Fitted{fitted("interarrival_s", "time between one arrival and the next", "s", gaps),
		fitted("completion_s", "completion time of a run", "s", completion), fitted("tasks_per_job", "tasks of a run",
			"", tasks), fitted("task_duration_s", "duration of a task attempt", "s", durations)}
	w.Concurrency = concurrency(r, start, span, runs)
	w.Failures, w.Machines = failures(r, int64(8*runs))
	w.Cutoff = cutoff(r, runs)
	w.Intervals = result.Intervals{Level: 0.95, Method: "bootstrap percentile", Resamples: 200,
		Of: map[string]map[string]result.Interval{"completion_s": intervals(r, completion[:min(runs, 500)])}}
	return w
}

func available(needs ...string) result.Header {
	return result.Header{Available: true, Needs: needs}
}

func arrivals(at []float64, start float64, days int) result.Arrivals {
	n := len(at)
	a := result.Arrivals{Header: available("jobs.submit|jobs.start"), N: int64(n), FirstS: at[0], LastS: at[n-1],
		PerHour: result.Number(float64(n) / float64(days) / 24), GapCoV: 1.3, AtRhythm: "hours of the week from " +
			"Monday 00:00 UTC", HourOf: make([]result.Cell, 168), Counts: result.Series{FromS: start, BinS: 3600,
			Values: make([]float64, 24*days)}}
	var gaps []float64
	for i, t := range at {
		h := int(t-start) / 3600
		a.Counts.Values[min(h, 24*days-1)]++
		a.HourOf[h%168].Arrivals++
		if i > 0 {
			gaps = append(gaps, t-at[i-1])
			if d := t - at[i-1]; d > a.Longest.Seconds {
				a.Longest = result.Gap{FromS: at[i-1], ToS: t, Seconds: d}
			}
		}
	}
	for h := range 24 * days {
		a.HourOf[h%168].Hours++
	}
	a.Gap = summarise(gaps)
	for i, w := range []float64{1, 10, 60, 600, 3600, 6 * 3600, 86_400} {
		windows := float64(days) * 86_400 / w
		x := result.Index{WindowS: w, Windows: int64(windows), Mean: float64(n) / windows, Index: 1 +
			0.02*math.Pow(4, float64(i)),
			Low: 1 - 1.96*math.Sqrt(2/windows), High: 1 + 1.96*math.Sqrt(2/windows), PeakToMean: 3, PeakAtS: at[0]}
		if windows >= 10 {
			x.Variance = x.Index * x.Mean
			a.Index = append(a.Index, x)
		}
	}
	if days >= 3 {
		a.Rhythm = &result.Rhythm{Days: days - 1, ShareOfVariance: 0.61, P: 0.001, Lag24: 0.66, PeakHour: 14,
			QuietHour: 2, PeakToMean: 1.7, Bound: 0.1}
	}
	return a
}

func lognormal(r *rand.Rand, n int, mu, sigma float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp(mu + sigma*r.NormFloat64())
	}
	return out
}

// fitted returns consistent fits of a lognormal and an exponential distribution.
func fitted(of, what, unit string, values []float64) result.Fitted {
	s := append([]float64(nil), values...)
	sort.Float64s(s)
	n := float64(len(s))
	f := result.Fitted{Of: of, What: what, Unit: unit, N: int64(len(s)), Distinct: len(s), Tested: min(len(s), 5000),
		Resamples: 200}
	var mu, squares float64
	for _, x := range s {
		mu += math.Log(x) / n
		squares += math.Log(x) * math.Log(x) / n
	}
	sigma, mean := math.Sqrt(squares-mu*mu), summarise(s).Mean
	for i := range 60 {
		f.At = append(f.At, s[0]*math.Pow(s[len(s)-1]/s[0], float64(i)/59))
	}
	best := result.FamilyFit{Family: "lognormal", Params: map[string]float64{"mu": mu, "sigma": sigma}, KS: 0.012,
		AD: 0.9, PKS: 0.31, PAD: 0.27}
	other := result.FamilyFit{Family: "exponential", Params: map[string]float64{"mean": mean}, DeltaAIC: 1234,
		AIC: 1234, KS: 0.21, AD: 88, PKS: 1.0 / 201, PAD: 1.0 / 201}
	for _, x := range f.At {
		best.Above = append(best.Above, 0.5*math.Erfc((math.Log(x)-mu)/sigma/math.Sqrt2))
		other.Above = append(other.Above, math.Exp(-x/mean))
	}
	f.Families = []result.FamilyFit{best, other}
	f.Tail = &result.TailFit{From: s[9*len(s)/10], Alpha: 1.8, N: int64(n / 10), Share: 0.1, KS: 0.03, P: 0.2}
	for i, x := range s {
		if k := len(f.Curve); i%max(1, len(s)/100) == 0 && (k == 0 || x > f.Curve[k-1].X) {
			f.Curve = append(f.Curve, result.Point{X: x, Share: 1 - float64(i)/n})
		}
	}
	return f
}

func concurrency(r *rand.Rand, start, span float64, runs int) result.Concurrency {
	bin := span / 600
	wave := func(scale float64) result.Series {
		s := result.Series{FromS: start, BinS: bin}
		for i := range 600 {
			t := float64(i) * bin
			s.Values = append(s.Values, scale*(0.55+0.45*math.Cos(2*math.Pi*(t/86_400-0.6)))*(0.8+0.4*r.Float64()))
		}
		return s
	}
	load := func(scale float64, n int) *result.Concurrent {
		s := wave(scale)
		sum := summarise(s.Values)
		sum.N = n
		return &result.Concurrent{N: int64(n), Without: 4, FromS: start, ToS: start + span, Mean: sum.Mean,
			Peak: math.Ceil(sum.Max * 1.1), PeakAtS: start, Weighted: sum, Idle: 0.02, Series: s}
	}
	flat := result.Series{FromS: start, BinS: bin, Values: make([]float64, 600)}
	for i := range flat.Values {
		flat.Values[i] = 260
	}
	used := wave(200)
	return result.Concurrency{Header: available("tasks.start|jobs.submit|jobs.start", "tasks.end|jobs.end"),
		Tasks: load(200, 8*runs), Runs: load(12, runs),
		Utilization: []result.Utilization{{Resource: "tokens", What: "attempts under way / tokens held, over runs " +
			"whose tokens are known",
			Share: summarise(used.Values).Mean / 260, ByBin: summarise(used.Values), Used: used, There: flat}}}
}

func failures(r *rand.Rand, attempts int64) (result.Failures, []result.MachineLoad) {
	f := result.Failures{Header: available("tasks.status"), Attempts: attempts, Ended: attempts, Bad: 93, WastedS: 2210,
		WastedShare: 0.013,
		ByStatus: map[string]result.Spent{"succeeded": {Attempts: attempts - 93, TaskSeconds: 170_000},
			"failed": {Attempts: 70, TaskSeconds: 1800}}, Reasons: []result.Reason{
			{Reason: "ExceptionFailure: java.io.IOException", Status: "failed", Spent: result.Spent{Attempts: 52,
				TaskSeconds: 1300}, Example: "job-0007, stage 2, task 1, attempt 0"},
			{Reason: "ExecutorLostFailure", Status: "lost", Spent: result.Spent{Attempts: 23, TaskSeconds: 410},
				Example: "job-0012, stage 0, task 4, attempt 0"},
			{Reason: "", Status: "killed", Spent: result.Spent{Attempts: 18, TaskSeconds: 500},
				Example: "job-0001, stage 0, task 9, attempt 1"},
		},
		Retries: result.Retries{Tasks: attempts - 90, Retried: 88, Attempts: []int64{attempts - 178, 85, 3},
			Speculative: 12}, Extremes: []result.ExtremeRun{}}
	var machines []result.MachineLoad
	for i := range 24 {
		m := result.MachineLoad{Machine: fmt.Sprintf("host-%02d", i), Attempts: attempts / 24, Failed: int64(r.IntN(5)),
			TaskSeconds: 7000, P: 0.5, Q: 0.9}
		if i == 7 {
			m.Failed, m.P, m.Q, m.Suspect = 21, 1e-9, 2.4e-8, true
			f.Machines.Suspects = []result.MachineLoad{m}
		}
		machines = append(machines, m)
	}
	f.Machines.Machines, f.Machines.Rate, f.Machines.Discovery = 24, result.Number(75/float64(attempts)), 0.05
	return f, machines
}

// cutoff draws jobs of two kinds and divides them.
func cutoff(r *rand.Rand, jobs int) result.Cutoff {
	c := result.Cutoff{Header: available("tasks.duration"), Jobs: int64(jobs), Clear: true,
		Reason: "at this cutoff the share of task-seconds in long jobs exceeds the share of jobs that are long by " +
			"most, 78 percentage points"}
	var means []float64
	var total float64
	for i := range jobs {
		m := 20 * r.ExpFloat64()
		if i%11 == 0 {
			m = 900 * r.ExpFloat64()
		}
		means = append(means, m)
		total += m
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(means)))
	sum, best := 0.0, 0
	for i, m := range means[:jobs-1] {
		sum += m
		row := result.CutoffRow{CutoffS: means[i+1], Long: int64(i + 1), ShareOfJobs: float64(i+1) / float64(jobs),
			ShareOfTime: sum / total, ShareTasks: 0.3}
		if i%max(1, jobs/150) == 0 {
			c.Curve = append(c.Curve, row)
			if k := len(c.Curve) - 1; row.ShareOfTime-row.ShareOfJobs > c.Curve[best].ShareOfTime-c.Curve[best].ShareOfJobs {
				best = k
			}
		}
	}
	c.Suggested = &c.Curve[best]
	c.Rows = []result.CutoffRow{c.Curve[0], *c.Suggested, c.Curve[len(c.Curve)-1]}
	return c
}

// oneRun is the load of a single run of one task, too little for most statistics.
func oneRun() *result.Workload {
	nan := result.Number(math.NaN())
	none, one := summarise(nil), summarise([]float64{12})
	return &result.Workload{Header: available("jobs.submit|jobs.start|jobs.status|stages.tasks|tasks.duration"),
		Runs: 1, TimeBase: "relative",
		ByStatus: map[string]int64{"succeeded": 1},
		Arrivals: result.Arrivals{Header: available("jobs.submit|jobs.start"), N: 1, PerHour: nan, GapCoV: nan,
			AtOnce: nan, Gap: none,
			Counts: result.Series{BinS: 1, Values: []float64{1}}, HourOf: make([]result.Cell, 24)},
		Durations: result.Durations{Header: available("jobs.end"), Completion: one, Unsuccessful: none, Wait: none,
			Top1: nan},
		TasksPerJob: result.TasksPerJob{Header: available("stages.tasks|tasks.task"), Tasks: summarise([]float64{1}),
			Top1: nan},
		TaskDurations: result.TaskDurations{Header: available("tasks.duration"), Duration: one, Unsuccessful: none,
			Top1: nan},
		Concurrency: result.Concurrency{Header: available("tasks.start|jobs.submit|jobs.start"),
			Runs: &result.Concurrent{N: 1, ToS: 12, Mean: 1, Peak: 1,
				Weighted: summarise([]float64{1}), Series: result.Series{BinS: 1, Values: []float64{1, 1, 1}}}},
		Failures: result.Failures{Header: result.Header{Missing: []string{"tasks.status"}}, WastedShare: nan,
			Machines: result.MachineTest{Rate: nan}},
		Fits: []result.Fitted{{Of: "completion_s", What: "completion time of a run", Unit: "s", N: 1,
			Curve: []result.Point{{X: 12, Share: 1}}}},
		Cutoff: result.Cutoff{Header: available("tasks.duration"), Jobs: 1, Reason: "all jobs have the same mean " +
			"task duration"},
	}
}
