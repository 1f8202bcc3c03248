package figuretest

import (
	"math"

	"racecard/datasets/result"
)

// Answers returns the documents of waste, compare, explain, forecast and plan for a few jobs. Names of jobs are job and
// others that begin with it.
func Answers(job string) []result.Document {
	return []result.Document{Waste(job), Comparison(job), Explanation(job), Forecast(job), Agenda(job)}
}

// Waste classifies the core-hours of three jobs; the numbers are made up.
func Waste(job string) *result.Waste {
	w := &result.Waste{Header: result.Header{Available: true}, PeriodS: 5_000_000, Within: 0.1}
	nan := result.Number(math.NaN())
	for i, held := range []float64{120, 60, 8} {
		c := result.WasteClasses{Useful: 0.6 * held, Failed: 0.05 * held, Speculative: 0.02 * held,
			BarrierIdle: 0.15 * held, TailIdle: 0.06 * held, Driver: 0.04 * held, Unused: 0.08 * held}
		amount := result.WasteAmount{Runs: 30, HeldCoreH: held, WastedCoreH: 0.4 * held, HeldMemGBh: nan,
			WastedMemGBh: nan, Cost: nan, WastedCost: nan}
		j := result.WasteJob{Job: job + "-abc"[:i], WasteAmount: amount, Classes: c, Succeeded: 30, GCShare: nan,
			WasteAdvice: result.NoAdvice("none of its runs succeeded")}
		if i == 0 {
			j.WasteAdvice = result.WasteAdvice{Simulated: 3, CurrentCores: 40, RecommendedCores: 28, SavingPerMonth: 19,
				SavingInterval: &result.Interval{14, 22}, MemSavingPerMon: nan}
		}
		w.Jobs = append(w.Jobs, j)
		sum := &w.Classes
		for _, x := range []struct{ to, from *float64 }{{&sum.Useful, &c.Useful}, {&sum.Failed, &c.Failed},
			{&sum.Speculative, &c.Speculative}, {&sum.BarrierIdle, &c.BarrierIdle}, {&sum.TailIdle, &c.TailIdle},
			{&sum.Driver, &c.Driver}, {&sum.Unused, &c.Unused}} {
			*x.to += *x.from
		}
		w.Runs, w.HeldCoreH, w.WastedCoreH = w.Runs+30, w.HeldCoreH+held, w.WastedCoreH+0.4*held
	}
	w.HeldMemGBh, w.WastedMemGBh, w.Cost, w.WastedCost = nan, nan, nan, nan
	return w
}

// Comparison has a job that became slower, one that became faster, one that did not change, and one with too few runs.
func Comparison(job string) *result.Comparison {
	nan := result.Number(math.NaN())
	none := result.ChangeCause{Kind: "none", SinceS: nan, Share: nan, From: nan, To: nan, Parts: []result.CausePart{},
		Also: []result.AlsoCause{}}
	seconds := func(p50 float64) result.Summary { return result.Summary{N: 30, Mean: p50, P50: p50, P95: 1.3 * p50} }
	slower := result.ChangeCause{Kind: "stage", Stage: job, SinceS: 1_790_816_400, Run: job + "-0030", Share: 0.94,
		From: 200, To: 440, Parts: []result.CausePart{{What: "stage", Stage: job, Seconds: 90}}}
	return &result.Comparison{Header: result.Header{Available: true}, Level: 0.001, Compared: 3,
		Correction: "Benjamini-Hochberg", Jobs: []result.ComparedJob{
			{Job: job, Before: seconds(228), After: seconds(321), Change: 0.41, Interval: [2]result.Number{0.37, 0.45},
				PValue: 1e-9, Changed: true, Cause: slower},
			{Job: job + "-b", Before: seconds(600), After: seconds(420), Change: -0.3,
				Interval: [2]result.Number{-0.36, -0.24}, PValue: 1e-7, Changed: true, Cause: none},
			{Job: job + "-c", Before: seconds(90), After: seconds(92), Change: 0.02,
				Interval: [2]result.Number{-0.04, 0.07}, PValue: 0.6, Cause: none},
			{Job: job + "-d", Before: seconds(90), After: seconds(92), Change: nan,
				Interval: [2]result.Number{nan, nan}, PValue: nan, Cause: none},
		}}
}

// Explanation is of a run that took 104 s longer than usual.
func Explanation(job string) *result.Explanation {
	return &result.Explanation{Header: result.Header{Available: true}, Run: job + "-0058", Job: job, TookS: 550,
		UsualS:    446,
		UsualRuns: 30, UsualFrom: 391, UsualTo: 514, Parts: []result.CausePart{{What: "input", Seconds: 89},
			{What: "unexplained", Seconds: 15}, {What: "contention", Seconds: -7}, {What: "stage", Stage: job,
				Seconds: 6}, {What: "queueing", Seconds: 0.6}, {What: "driver", Seconds: 0.4}},
		Slowest: []result.SlowTask{{Stage: job, Task: 13, Status: "succeeded", Machine: job, Seconds: 64, MedianS: 49}}}
}

// Forecast is of a job that ran on 4 to 8 cores, for 2 to 32.
func Forecast(job string) *result.Forecast {
	f := &result.Forecast{Header: result.Header{Available: true}, Job: job, Runs: 60, UsualS: 320,
		TokensSeen: [2]result.Number{4, 8}, InputSeen: [2]result.Number{2e9, 9e9}, Input: 7e9, DeadlineS: 330,
		Sure: 0.95, Start: "01:50", Deadline: "01:56"}
	for _, n := range []int{2, 4, 8, 16, 32} {
		p50 := 1500/float64(n) + 60
		c := result.ForecastTokens{Tokens: n, P50S: p50, P90S: 1.1 * p50, P95S: 1.2 * p50, CoreH: p50 * float64(n) / 3600,
			Extrapolated: n < 4 || n > 8}
		if c.P95S < 330 {
			c.Chance = 1
		}
		f.Tokens = append(f.Tokens, c)
	}
	f.Fewest = &f.Tokens[2]
	return f
}

// Agenda is a day of three jobs on 16 cores; one of them misses its deadline too often.
func Agenda(job string) *result.Agenda {
	a := &result.Agenda{Header: result.Header{Available: true}, Tokens: 16, Days: 400, Sure: 0.95, Fewest: 24}
	nan := result.Number(math.NaN())
	for i, due := range []result.Number{3900, 6000, nan} {
		start := 3600 + 1500*float64(i)
		j := result.AgendaJob{Job: job + "-abc"[:i], Runs: 30, After: []string{}, Start: "01:00", P50End: "01:05",
			P95End: "01:07", StartS: start, P50EndS: start + 330, P95EndS: start + 420, DeadlineS: due, Chance: nan}
		if due > 0 {
			j.Deadline, j.Chance = "01:05", 1
			if i == 0 {
				j.Chance = 0.2
			}
		}
		a.Jobs = append(a.Jobs, j)
	}
	for at := 3600.0; at < 7200; at += 60 {
		u := result.AgendaUse{FromS: at, ToS: at + 60}
		for i := range a.Jobs {
			if j := &a.Jobs[i]; at >= j.StartS && at < j.P95EndS {
				u.Mean, u.P95 = u.Mean+6, u.P95+8
			}
		}
		a.Use = append(a.Use, u)
	}
	return a
}
