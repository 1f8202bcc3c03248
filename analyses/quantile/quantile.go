// Package quantile computes quantiles, summaries, coefficients of variation and bootstrap intervals, by the definitions
// that all of racecard uses.
package quantile

import (
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/radix"
	"racecard/datasets/result"
)

// Sorted is a sample of numbers in ascending order, without NaN. Only [Sort] makes one, so a function that takes a
// Sorted cannot be given numbers in another order. The zero value is the empty sample.
type Sorted struct {
	values []float64
}

// Sort makes a sample of values, which it copies. NaN marks an unknown value and is left out. Time O(n log n), O(n) for
// values that are in order already.
func Sort(values []float64) Sorted { return SortInPlace(slices.Clone(values)) }

// SortInPlace is [Sort] without a copy, for samples of millions: it takes ownership of the slice, which the caller must
// not use afterwards.
func SortInPlace(values []float64) Sorted {
	radix.Floats(values) // NaN comes first
	for len(values) > 0 && math.IsNaN(values[0]) {
		values = values[1:]
	}
	return Sorted{values}
}

// Len returns the number of values.
func (s Sorted) Len() int { return len(s.values) }

// Values returns the values in ascending order. The slice belongs to s and must not be changed.
func (s Sorted) Values() []float64 { return s.values }

// Min returns the smallest value, NaN for the empty sample.
func (s Sorted) Min() float64 { return Quantile(s, 0) }

// Max returns the largest value, NaN for the empty sample.
func (s Sorted) Max() float64 { return Quantile(s, 1) }

// Quantile interpolates linearly between order statistics: R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical
// Packages", The American Statistician 50(4), 1996, definition 7, the default of NumPy and DuckDB. p is in [0, 1]. The
// result has the unit of the sample, and is NaN when the sample is empty. Time O(1).
func Quantile(s Sorted, p float64) float64 {
	if len(s.values) == 0 {
		return math.NaN()
	}
	k, f := position(len(s.values), p)
	if f == 0 {
		return s.values[k]
	}
	return between(s.values[k], s.values[k+1], f)
}

// between interpolates a share f of the way from low to high, even if their difference overflows.
func between(low, high, f float64) float64 {
	if step := high - low; !math.IsInf(step, 0) || math.IsInf(low, 0) || math.IsInf(high, 0) {
		return low + f*step
	}
	return (1-f)*low + f*high
}

// position returns the order statistic (from 0) at or below quantile p of n values, and the way to the next one in [0,
// 1).
func position(n int, p float64) (k int, f float64) {
	h := p * float64(n-1)
	k = int(h)
	if k >= n-1 {
		return n - 1, 0
	}
	return k, h - float64(k)
}

// Summarize describes a sample. The mean is summed in ascending order, so the result does not depend on the order in
// which the values came.
func Summarize(s Sorted) result.Summary {
	q := func(p float64) float64 { return Quantile(s, p) }
	return result.Summary{
		N: s.Len(), Mean: Mean(s.values), Min: s.Min(), P10: q(0.10), P25: q(0.25), P50: q(0.50), P75: q(0.75),
		P90: q(0.90), P95: q(0.95), P99: q(0.99), Max: s.Max(),
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

// MeanSD returns the mean and the sample standard deviation (n-1 in the denominator; 0 for a single value) of values,
// in two passes.
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

// CoV returns the coefficient of variation, sample standard deviation / mean, as Jockey (§2.2) does. It is NaN for
// fewer than two values and for a mean of 0.
func CoV(values []float64) float64 {
	mean, sd := MeanSD(values)
	if len(values) < 2 || mean == 0 {
		return math.NaN()
	}
	return sd / mean
}

// Curve returns the quantiles 0, 0.01, ... 1; nil of no values.
func Curve(s Sorted) []float64 {
	if s.Len() == 0 {
		return nil
	}
	return lists.Indexed(101, func(i int) float64 { return Quantile(s, float64(i)/100) })
}
