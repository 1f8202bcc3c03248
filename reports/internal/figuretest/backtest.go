package figuretest

import (
	"fmt"
	"math"
	"sort"

	"racecard/datasets/result"
)

// Backtest returns the results of [Leftover] with a backtest of its runs.
func Backtest() *result.Bundle { return withBacktest(Leftover(), 4, 15) }

// LargeBacktest is [Backtest] of 60 jobs with 100 runs each.
func LargeBacktest() *result.Bundle { return withBacktest(Leftover(), 60, 100) }

// HeldOut returns the results of [Leftover] of a trace whose runs have no times.
func HeldOut() *result.Bundle {
	b := Leftover()
	e := func(median, signed float64) result.BacktestErrors {
		x := result.Number(median)
		return result.BacktestErrors{N: 202, MedianAbsolute: x, MeanAbsolute: x, P90Absolute: 3 * x,
			MedianSigned: result.Number(signed), MeanSigned: result.Number(signed)}
	}
	doc := &result.Backtest{Header: result.Header{Available: true, Warnings: []string{"no run tells how long it took"}},
		Jobs: 22, MinRuns: 3, After: 2, Methods: []string{"racecard", "pooled", "nearest"},
		BacktestScore: result.BacktestScore{Sharpness: result.Number(math.NaN()), PIT: make([]int, 10)},
		Held: &result.BacktestHeld{Runs: 198, Stages: 1815, Errors: map[string]map[string]result.BacktestErrors{
			"duration_p50": {"racecard": e(0.11, 0.02), "pooled": e(0.27, 0.1), "nearest": e(0.12, -0.01)},
			"duration_p90": {"racecard": e(0.13, 0.03), "pooled": e(0.33, 0.2), "nearest": e(0.12, -0.02)},
			"work":         {"racecard": e(0.08, 0.03), "pooled": e(0.34, 0.3), "nearest": e(0.13, 0.01)}}}}
	b.Documents["backtest"] = doc
	return b
}

func withBacktest(b *result.Bundle, jobs, runs int) *result.Bundle {
	doc := backtest(jobs, runs)
	b.Documents["backtest"], b.Tables["backtest"] = doc, doc.Table()
	return b
}

// backtest makes up calibrated predictions with errors of about 10%.
func backtest(jobs, runs int) *result.Backtest {
	r := source(31)
	d := &result.Backtest{Header: result.Header{Available: true, Needs: []string{"jobs.end"},
		LeftOut: map[string]int64{"did not succeed": 1}},
		Jobs: jobs, MinRuns: 10, After: 3, Last: 100, Replicates: 500, Seed: 1,
		Methods: []string{"racecard", "last", "mean5", "amdahl", "stages"}}
	names := []string{"sales-rollup-#", "customer-360", "page-importance", "clicks-by-customer"}
	for j := range jobs {
		name := names[j%len(names)]
		if j >= len(names) {
			name += fmt.Sprint("-", j)
		}
		first, sigma := len(d.PerRun), 0.07+0.02*float64(j%4)
		for i := range runs {
			typical := 30 * math.Exp(0.3*r.NormFloat64()+float64(j%5)*0.2)
			z := r.NormFloat64()
			run := result.BacktestRun{Job: name, JobID: fmt.Sprintf("%s/%d", name, i), Before: 3 + i, Tokens: 2,
				InputBytes: 1e9 * typical, ObservedS: typical * math.Exp(sigma*z),
				PIT: (1 + math.Erf(z/math.Sqrt2)) / 2}
			for k, at := range [7]float64{-1.645, -1.282, -0.674, 0, 0.674, 1.282, 1.645} {
				run.Quantiles[k] = typical * math.Exp(sigma*at)
			}
			run.Predictions = map[string]float64{"racecard": typical}
			for k, m := range d.Methods[1:] {
				run.Predictions[m] = typical * math.Exp((0.12+0.08*float64(k))*r.NormFloat64())
			}
			d.PerRun = append(d.PerRun, run)
		}
		d.PerJob = append(d.PerJob,
			result.BacktestJob{Job: name, Runs: runs + 3, Resolution: []string{"attempt", "stage"}[j%2],
				BacktestScore: scored(d.PerRun[first:], d.Methods)})
	}
	d.BacktestScore = scored(d.PerRun, d.Methods)
	for _, m := range d.Methods[1:] {
		d.Versus = append(d.Versus, result.BacktestVersus{Method: m, Jobs: jobs, Better: jobs - 1})
	}
	return d
}

// scored counts and sums up runs; intervals are made up.
func scored(runs []result.BacktestRun, methods []string) result.BacktestScore {
	n := float64(len(runs))
	s := result.BacktestScore{Predicted: len(runs), PIT: make([]int, 10), Sharpness: 0.24,
		Errors: map[string]result.BacktestErrors{}}
	s.PITRange = [2]int{int(0.1*n - 1.9*math.Sqrt(0.09*n)), int(math.Ceil(0.1*n + 1.9*math.Sqrt(0.09*n)))}
	for i := range runs {
		s.PIT[min(9, int(10*runs[i].PIT))]++
	}
	for k, level := range map[int]float64{3: 0.5, 4: 0.75, 5: 0.9, 6: 0.95} {
		within := 0.0
		for i := range runs {
			if runs[i].ObservedS <= runs[i].Quantiles[k] {
				within++
			}
		}
		half := 2 * math.Sqrt(level*(1-level)/n)
		s.Coverage = append(s.Coverage, result.BacktestCoverage{Level: level, Share: within / n,
			Interval: result.Interval{max(0, within/n-half), min(1, within/n+half)}})
	}
	sort.Slice(s.Coverage, func(i, k int) bool { return s.Coverage[i].Level < s.Coverage[k].Level })
	for _, m := range methods {
		var signed, absolute []float64
		for i := range runs {
			e := runs[i].Predictions[m]/runs[i].ObservedS - 1
			signed, absolute = append(signed, e), append(absolute, math.Abs(e))
		}
		sort.Float64s(signed)
		sort.Float64s(absolute)
		s.Errors[m] = result.BacktestErrors{N: len(runs), MedianAbsolute: result.Number(quantile(absolute, 0.5)),
			MeanAbsolute: result.Number(summarise(absolute).Mean),
			P90Absolute:  result.Number(quantile(absolute, 0.9)), MedianSigned: result.Number(quantile(signed, 0.5)),
			MeanSigned: result.Number(summarise(signed).Mean)}
	}
	return s
}

// BacktestOf returns a backtest in which jobs are called name, for names that try to leave their place.
func BacktestOf(name string) *result.Backtest {
	d := backtest(4, 15)
	for i := range d.PerJob {
		d.PerJob[i].Job = name
	}
	d.Methods[1], d.Versus[0].Method = name, name
	d.Warnings = append(d.Warnings, name)
	return d
}
