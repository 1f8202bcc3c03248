// Package quantile computes quantiles, summaries, coefficients of variation and bootstrap intervals, by the definitions
// that all of racecard uses.
package quantile

import (
	"math"
	"slices"

	"racecard/datasets/result"
)

// Quantile interpolates linearly between order statistics: R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical
// Packages", The American Statistician 50(4), 1996, definition 7, the default of NumPy and DuckDB. sorted is ascending,
// holds no NaN, and is not modified; p is in [0, 1]. The result has the unit of sorted, and is NaN when sorted is empty.
// Time O(1).
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	k, f := position(len(sorted), p)
	if f == 0 {
		return sorted[k]
	}
	return sorted[k] + f*(sorted[k+1]-sorted[k])
}

// position returns the order statistic (from 0) at or below quantile p of n values, and the way to the next one in [0, 1).
func position(n int, p float64) (k int, f float64) {
	h := p * float64(n-1)
	k = int(h)
	if k >= n-1 {
		return n - 1, 0
	}
	return k, h - float64(k)
}

// Summarize describes values, which must hold no NaN and are sorted in place. The mean is summed in ascending order, so
// the result does not depend on the order of values.
func Summarize(values []float64) result.Summary {
	slices.Sort(values)
	if len(values) == 0 {
		nan := math.NaN()
		return result.Summary{Mean: nan, Min: nan, P10: nan, P25: nan, P50: nan, P75: nan, P90: nan, P95: nan, P99: nan, Max: nan}
	}
	return result.Summary{
		N: len(values), Mean: Mean(values), Min: values[0],
		P10: Quantile(values, 0.10), P25: Quantile(values, 0.25), P50: Quantile(values, 0.50), P75: Quantile(values, 0.75),
		P90: Quantile(values, 0.90), P95: Quantile(values, 0.95), P99: Quantile(values, 0.99), Max: values[len(values)-1],
	}
}

// Mean returns the arithmetic mean, NaN for no values.
func Mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// MeanSD returns the mean and the sample standard deviation (n-1 in the denominator; 0 for a single value) of values, in
// two passes.
func MeanSD(values []float64) (mean, sd float64) {
	mean = Mean(values)
	if len(values) < 2 {
		return mean, 0
	}
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / float64(len(values)-1))
}

// CoV returns the coefficient of variation, sample standard deviation / mean, as Jockey (§2.2) does. It is NaN for fewer
// than two values and for a mean of 0.
func CoV(values []float64) float64 {
	mean, sd := MeanSD(values)
	if len(values) < 2 || mean == 0 {
		return math.NaN()
	}
	return sd / mean
}
