package changepoint

import (
	"math"
	"slices"
)

// clipped is the distance from the median of its neighbours, in standard deviations, beyond which a value is an
// outlier.
const clipped = 4

// Noise returns the standard deviation of values about a level that seldom changes: from the median of the absolute
// differences between successive values, 0 for fewer than two.
func Noise(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	d := make([]float64, len(values)-1)
	for i := range d {
		d[i] = math.Abs(values[i+1] - values[i])
	}
	slices.Sort(d)
	return d[len(d)/2] / (math.Sqrt2 * 0.6745)
}

// Clip moves values further than four standard deviations from the median of the five around them to that
// distance. Single outliers lose their weight, and a change of level keeps its place.
func Clip(values []float64, sd float64) []float64 {
	out := make([]float64, len(values))
	window := make([]float64, 0, 5)
	for i, v := range values {
		from, to := max(0, min(i-2, len(values)-5)), min(len(values), max(i+3, 5))
		window = append(window[:0], values[from:to]...)
		slices.Sort(window)
		m := window[len(window)/2]
		out[i] = min(max(v, m-clipped*sd), m+clipped*sd)
	}
	return out
}

// Step returns the likeliest start of a new level in values, which are in time order, if there is one change of
// level: the split with the least sum of squared deviations from the means of both sides, with at least least
// values on either side. gain is the reduction of the sum of squares, in units of the variance of the noise:
// more than 3 ln n is evidence of a change. It returns 0, 0 if there are too few values. Time O(n).
func Step(values []float64, least int) (at int, gain float64) {
	n := len(values)
	sd := Noise(values)
	y := Clip(values, sd)
	if sd == 0 {
		sd = 1e-9
	}
	var all float64
	for i := range y {
		y[i] -= values[0]
		all += y[i]
	}
	left := 0.0
	for k := 1; k < n; k++ {
		left += y[k-1]
		if k < max(1, least) || n-k < max(1, least) {
			continue
		}
		m, rest := float64(k), float64(n-k)
		d := left/m - (all-left)/rest
		if g := d * d * m * rest / float64(n) / (sd * sd); g > gain {
			at, gain = k, g
		}
	}
	return at, gain
}
