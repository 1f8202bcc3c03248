package backtest

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
)

// covered are the levels of which coverage is told.
var covered = [...]float64{0.5, 0.75, 0.9, 0.95}

// classes of the histogram of probability integral transforms.
const classes = 10

// score sums up predictions. With none, it holds empty slices.
func score(runs []result.BacktestRun, methods []string) result.BacktestScore {
	s := result.BacktestScore{Predicted: len(runs), Coverage: []result.BacktestCoverage{}, PIT: make([]int, classes),
		Sharpness: result.Number(math.NaN()), Errors: map[string]result.BacktestErrors{}}
	for _, method := range methods {
		s.Errors[method] = errorsOf(runs, method)
	}
	if len(runs) == 0 {
		return s
	}
	s.PITRange = evenly(len(runs))
	widths := make([]float64, len(runs))
	for i := range runs {
		r := &runs[i]
		s.PIT[min(classes-1, int(r.PIT*classes))]++
		widths[i] = (r.Quantiles[5] - r.Quantiles[1]) / r.Quantiles[3]
	}
	slices.Sort(widths)
	s.Sharpness = result.Number(quantile.Quantile(widths, 0.5))
	for _, level := range covered {
		k := slices.Index(result.BacktestLevels[:], level)
		n := 0
		for i := range runs {
			if runs[i].ObservedS <= runs[i].Quantiles[k] {
				n++
			}
		}
		share := float64(n) / float64(len(runs))
		s.Coverage = append(s.Coverage, result.BacktestCoverage{Level: level, Share: share, Interval: quantile.Wilson(share, float64(len(runs)))})
	}
	return s
}

// evenly returns between which numbers of n runs a class of the histogram holds with a probability of 95%, at least, if all are
// alike: quantiles of the binomial distribution.
func evenly(n int) [2]int {
	d := distuv.Binomial{N: float64(n), P: 1. / classes}
	at := func(p float64) int { return sort.Search(n, func(k int) bool { return d.CDF(float64(k)) >= p }) }
	return [2]int{at(0.025), at(0.975)}
}

// errorsOf sums up the relative errors of a method over the runs that it predicts.
func errorsOf(runs []result.BacktestRun, method string) result.BacktestErrors {
	var signed []float64
	for i := range runs {
		if e := runs[i].Predictions[method]/runs[i].ObservedS - 1; !math.IsNaN(e) && !math.IsInf(e, 0) {
			signed = append(signed, e)
		}
	}
	return summarize(signed)
}

// summarize sums up relative errors.
func summarize(signed []float64) result.BacktestErrors {
	absolute := make([]float64, len(signed))
	for i, e := range signed {
		absolute[i] = math.Abs(e)
	}
	slices.Sort(signed)
	slices.Sort(absolute)
	return result.BacktestErrors{
		N: len(signed), MedianAbsolute: result.Number(quantile.Quantile(absolute, 0.5)), MeanAbsolute: result.Number(quantile.Mean(absolute)),
		P90Absolute: result.Number(quantile.Quantile(absolute, 0.9)), MedianSigned: result.Number(quantile.Quantile(signed, 0.5)),
		MeanSigned: result.Number(quantile.Mean(signed)),
	}
}

// versus compares racecard with a method, per job over the runs that both predict.
func versus(jobs [][]result.BacktestRun, method string) result.BacktestVersus {
	v := result.BacktestVersus{Method: method}
	for _, runs := range jobs {
		both := slices.DeleteFunc(slices.Clone(runs), func(r result.BacktestRun) bool {
			return math.IsNaN(r.Predictions[method]) || math.IsNaN(r.Predictions[Racecard])
		})
		if len(both) == 0 {
			continue
		}
		v.Jobs++
		if errorsOf(both, Racecard).MedianAbsolute < errorsOf(both, method).MedianAbsolute {
			v.Better++
		}
	}
	return v
}
