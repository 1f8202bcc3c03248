// Package trend tests whether a quantity drifts over time, and estimates how fast. It uses ranks and medians, so that
// it needs no assumption about the distribution and is robust to outliers.
package trend

import (
	"math"
	"slices"
	"sync"

	"racecard/analyses/quantile"
)

// MannKendall tests whether values rise or fall with time. s is the Mann-Kendall statistic: the number of
// increasing pairs minus the number of decreasing pairs, over pairs at different times. p is the probability of
// an s at least as far from 0 if the values came in random order: two-sided, by the normal approximation with
// correction for continuity and for ties in both times and values, which is good from about ten observations on.
// p is 1 if all values are equal.
//
// H. B. Mann, "Nonparametric Tests Against Trend", Econometrica 13(3), 1945; M. G. Kendall, "Rank Correlation Methods",
// 1970, for the variance with ties. Time O(n log n): the pairs are counted by a merge sort (W. R. Knight, "A Computer
// Method for Calculating Kendall's Tau with Ungrouped Data", JASA 61, 1966).
func MannKendall(of Series) (s, p float64) {
	times, values := of.times, of.values
	n := len(values)
	order := slices.Clone(values)
	for from := 0; from < n; { // sorted by value within equal times, so that such pairs do not count
		to := from + 1
		for to < n && times[to] == times[from] {
			to++
		}
		slices.Sort(order[from:to])
		from = to
	}
	inTime, inBoth := ties(n, func(i, j int) bool { return times[i] == times[j] }),
		ties(n, func(i, j int) bool { return times[i] == times[j] && order[i] == order[j] })
	swaps := mergeSort(order, make([]float64, n))
	inValue := ties(n, func(i, j int) bool { return order[i] == order[j] })
	pairs := float64(n) * float64(n-1) / 2
	s = pairs - inTime.pairs - inValue.pairs + inBoth.pairs - 2*swaps

	m := float64(n)
	variance := (m*(m-1)*(2*m+5) - inTime.third - inValue.third) / 18
	if n > 1 {
		variance += 2 * inTime.pairs * inValue.pairs / (m * (m - 1))
	}
	if n > 2 {
		variance += inTime.triples * inValue.triples / (9 * m * (m - 1) * (m - 2))
	}
	if s == 0 || !(variance > 0) {
		return s, 1
	}
	return s, math.Erfc((math.Abs(s) - 1) / math.Sqrt(2*variance))
}

// tied holds sums over groups of t equal observations for the variance.
type tied struct {
	pairs   float64 // t(t-1)/2
	triples float64 // t(t-1)(t-2)
	third   float64 // t(t-1)(2t+5)
}

// ties finds groups of equal neighbours.
func ties(n int, equal func(i, j int) bool) (sum tied) {
	for from := 0; from < n; {
		to := from + 1
		for to < n && equal(from, to) {
			to++
		}
		t := float64(to - from)
		sum.pairs += t * (t - 1) / 2
		sum.triples += t * (t - 1) * (t - 2)
		sum.third += t * (t - 1) * (2*t + 5)
		from = to
	}
	return sum
}

// mergeSort sorts values and returns how many pairs were in descending order.
func mergeSort(values, room []float64) (swaps float64) {
	n := len(values)
	if n < 2 {
		return 0
	}
	half := n / 2
	swaps = mergeSort(values[:half], room) + mergeSort(values[half:], room)
	merged := room[:0]
	i, j := 0, half
	for i < half && j < n {
		if values[j] < values[i] {
			swaps += float64(half - i)
			merged = append(merged, values[j])
			j++
		} else {
			merged = append(merged, values[i])
			i++
		}
	}
	merged = append(append(merged, values[i:half]...), values[j:]...)
	copy(values, merged)
	return swaps
}

// MaxPairs is the number of observations up to which [TheilSen] uses all pairs.
const MaxPairs = 300

// TheilSen returns the median slope over pairs of observations at different times, per unit of time; NaN if there is no
// such pair. Beyond [MaxPairs] observations it uses only pairs that are half of all observations apart, as Theil
// proposed for long series. P. K. Sen, "Estimates of the Regression Coefficient Based on Kendall's Tau", JASA 63, 1968;
// H. Theil, "A Rank-Invariant Method of Linear and Polynomial Regression Analysis", 1950.
func TheilSen(of Series) float64 {
	times, values := of.times, of.values
	n := len(values)
	most := n * (n - 1) / 2
	if n > MaxPairs {
		most = n / 2
	}
	kept, _ := pairs.Get().(*[]float64)
	slopes := slices.Grow((*kept)[:0], most)
	add := func(i, j int) {
		if times[j] > times[i] {
			slopes = append(slopes, (values[j]-values[i])/float64(times[j]-times[i]))
		}
	}
	if n <= MaxPairs {
		for j := range n {
			for i := range j {
				add(i, j)
			}
		}
	} else {
		for i, j := 0, (n+1)/2; j < n; i, j = i+1, j+1 {
			add(i, j)
		}
	}
	slope := quantile.Unsorted(slopes, 0.5)
	*kept = slopes
	pairs.Put(kept)
	return slope
}

// pairs keeps the memory of slopes from one job to the next.
var pairs = sync.Pool{New: func() any { return new([]float64) }}
