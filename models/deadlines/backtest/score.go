package backtest

import (
	"maps"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// covered are the levels whose coverage is reported.
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
	// not predicted by racecard
	runs = slices.DeleteFunc(slices.Clone(runs), func(r result.BacktestRun) bool { return math.IsNaN(r.PIT) })
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
	s.Sharpness = result.Number(quantile.Quantile(quantile.Sort(widths), 0.5))
	s.Coverage = coverage(runs, Racecard)
	return s
}

// coverage returns how many runs took at most each quantile of the distribution of a method; nothing where it predicts
// none.
func coverage(runs []result.BacktestRun, method string) []result.BacktestCoverage {
	var out []result.BacktestCoverage
	for _, level := range covered {
		k := slices.Index(result.BacktestLevels[:], level)
		hours := map[float64]hits{}
		for i := range runs {
			if d, ok := runs[i].Distributions[method]; ok {
				at := math.Floor(runs[i].Submit.Seconds() / hour)
				hours[at] = hours[at].with(runs[i].ObservedS <= d[k])
			}
		}
		if share, n := together(hours); n > 0 {
			out = append(out, result.BacktestCoverage{Level: level, Share: share, Interval: quantile.Wilson(share, n)})
		}
	}
	return out
}

// hour is how long runs share the state of a cluster, in seconds: runs of one hour may be late together.
const hour = 3600

// hits counts runs, and how many took at most the predicted time.
type hits struct{ of, n float64 }

func (h hits) with(hit bool) hits {
	h.of++
	if hit {
		h.n++
	}
	return h
}

// together returns the share of runs that hit, and how many independent runs would show it as surely. Runs of different
// hours are independent, runs of one hour need not be. The share varies as it does between hours, if that is more than
// the share of independent runs varies: the design effect of L. Kish, "Survey Sampling", 1965.
func together(hours map[float64]hits) (share, n float64) {
	var all hits
	for _, h := range hours {
		all.of, all.n = all.of+h.of, all.n+h.n
	}
	share = all.n / all.of
	alone := share * (1 - share) / all.of
	groups := float64(len(hours))
	if groups < 2 || alone == 0 {
		return share, all.of
	}
	between := 0.0
	for _, at := range slices.Sorted(maps.Keys(hours)) { // in an order, as sums of floats depend on it
		far := hours[at].n - share*hours[at].of
		between += far * far
	}
	between *= groups / (groups - 1) / (all.of * all.of)
	return share, all.of * min(1, alone/between)
}

// relativeCRPS is the continuous ranked probability score (T. Gneiting and A. E. Raftery, "Strictly Proper Scoring
// Rules, Prediction, and Estimation", Journal of the American Statistical Association 102, 2007) of a run as a share of
// its observed time: twice the mean pinball loss over [result.BacktestLevels]. For a point forecast it is the absolute
// error.
func relativeCRPS(r *result.BacktestRun, method string) float64 {
	d, ok := r.Distributions[method]
	if !ok {
		return math.Abs(r.Predictions[method]/r.ObservedS - 1)
	}
	sum := 0.0
	for k, level := range result.BacktestLevels {
		if r.ObservedS >= d[k] {
			sum += level * (r.ObservedS - d[k])
		} else {
			sum += (1 - level) * (d[k] - r.ObservedS)
		}
	}
	return 2 * sum / float64(len(result.BacktestLevels)) / r.ObservedS
}

// evenly returns bounds on the count of a histogram class when n runs fall into classes of equal probability. The count
// is within them with a probability of at least 95%; they are quantiles of the binomial distribution.
func evenly(n int) [2]int {
	d := distuv.Binomial{N: float64(n), P: 1. / classes}
	at := func(p float64) int { return sort.Search(n, func(k int) bool { return d.CDF(float64(k)) >= p }) }
	return [2]int{at(0.025), at(0.975)}
}

// errorsOf sums up the relative errors of a method over the runs that it predicts.
func errorsOf(runs []result.BacktestRun, method string) result.BacktestErrors {
	var signed, scores []float64
	for i := range runs {
		prediction, ok := runs[i].Predictions[method]
		if e := prediction/runs[i].ObservedS - 1; ok && !math.IsNaN(e) && !math.IsInf(e, 0) {
			signed, scores = append(signed, e), append(scores, relativeCRPS(&runs[i], method))
		}
	}
	e := summarize(signed)
	slices.Sort(scores)
	e.RelativeCRPS, e.Coverage = result.Number(quantile.Mean(scores)), coverage(runs, method)
	return e
}

// summarize sums up relative errors.
func summarize(errors []float64) result.BacktestErrors {
	sizes := lists.Map(errors, math.Abs)
	signed, absolute := quantile.Sort(errors), quantile.Sort(sizes)
	return result.BacktestErrors{
		N: signed.Len(), MedianAbsolute: result.Number(quantile.Quantile(absolute, 0.5)),
		MeanAbsolute: result.Number(quantile.Mean(absolute.Values())),
		P90Absolute:  result.Number(quantile.Quantile(absolute, 0.9)),
		MedianSigned: result.Number(quantile.Quantile(signed, 0.5)),
		MeanSigned:   result.Number(quantile.Mean(signed.Values())),
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
