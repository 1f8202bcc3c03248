package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/words"
)

// log1p is a logarithmic scale that has room for zero: [plot.Normalizer].
type log1p struct{}

// Normalize implements [plot.Normalizer].
func (log1p) Normalize(lo, hi, x float64) float64 {
	return (math.Log1p(x) - math.Log1p(lo)) / (math.Log1p(hi) - math.Log1p(lo))
}

// axis is a scale with its limits, the steps on it, and how they are written.
type axis struct {
	min, max float64
	scale    plot.Normalizer
	steps    []float64
	write    func(float64) string // writes the steps; nil writes nothing
	label    string               // below an x axis; of times, their unit
	beyond   int                  // values above max, which are not shown
	fit      func(float64) axis   // makes the axis for the largest value of the panel's layers, once they are known
}

// fitted returns the axis for the values of a panel's layers.
func (a axis) fitted(values []float64) axis {
	if a.fit == nil {
		return a
	}
	return a.fit(largest(values...)).in(a.write).labelled(a.label)
}

// counts is an axis of whole numbers from 0 to the largest of a panel.
func counts() axis {
	return axis{write: words.Number[float64], fit: func(most float64) axis { return linear(most, true) }}
}

// amounts is an axis of numbers from 0 to the largest of a panel.
func amounts() axis {
	return axis{write: words.Number[float64], fit: func(most float64) axis { return linear(most, false) }}
}

// means is [amounts] whose steps are whole where they can be, for means of counts.
func means() axis {
	return axis{write: words.Number[float64], fit: func(most float64) axis { return linear(most, most >= 1) }}
}

// in returns the axis with steps written in another way.
func (a axis) in(write func(float64) string) axis { a.write = write; return a }

// labelled returns the axis with a label.
func (a axis) labelled(label string) axis { a.label = label; return a }

// share returns the part of the axis that lies below x.
func (a axis) share(x float64) float64 { return a.scale.Normalize(a.min, a.max, x) }

// chooseAxis returns an axis for sets of values that are not negative. extra must lie on it. Values that span more
// than two orders of magnitude get a logarithmic scale; few of many values may lie beyond its end.
func chooseAxis(sets [][]float64, extra []float64, whole bool) axis {
	lo, hi, middle := math.Inf(1), 0.0, math.Inf(1)
	for _, xs := range sets {
		if xs = inOrder(xs); len(xs) == 0 {
			continue
		}
		last := len(xs) - 1 - len(xs)/200 // all but the largest half percent
		lo, hi, middle = min(lo, xs[0]), max(hi, xs[last]), min(middle, xs[len(xs)/2])
	}
	for _, x := range extra {
		lo, hi = min(lo, x), max(hi, x)
	}
	switch {
	case math.IsInf(lo, 1):
		return between(0, 1, 0, 0.5, 1)
	case hi < 1e-9:
		hi = 1
	}
	a := between(0, 0)
	switch {
	case whole && hi > 100 && hi > 30*max(middle, 1):
		a.scale, a.steps = log1p{}, append([]float64{0}, decades(1, hi)...)
	case !whole && lo > 0 && hi > 200*lo && hi > 20*middle:
		a.scale, a.steps = plot.LogScale{}, decades(lo, hi)
	default:
		a.steps = steps(hi, whole)
		if n := len(a.steps); n > 1 {
			if next := 2*a.steps[n-1] - a.steps[n-2]; next <= hi*1.1 { // end at a step that is near
				a.steps, hi = append(a.steps, next), next
			}
		}
	}
	a.min, a.max = a.steps[0], hi*1.01
	if _, log := a.scale.(plot.LogScale); log {
		a.min = min(a.steps[0], lo)
	}
	for _, xs := range sets {
		a.beyond += above(xs, a.max)
	}
	return a
}

// decadeAxis returns a logarithmic axis for values: from the decade of the least that is not below the given one, of
// many values leaving out the smallest half percent, to the largest.
func decadeAxis(values []float64, from float64) axis {
	const most = 1e15 // more than any count or time that is not damaged
	lo, hi := math.Inf(1), 0.0
	for _, x := range inOrder(values)[len(values)/200:] {
		if x >= from {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if math.IsInf(lo, 1) {
		lo = from
	}
	lo = math.Pow(10, math.Floor(math.Log10(min(lo, most))))
	hi = max(min(hi, most), 10*lo)
	a := logarithmic(lo, hi*1.01, decades(lo, hi))
	a.beyond = above(values, a.max)
	return a
}

// inOrder returns values in ascending order, without a copy if they already are.
func inOrder(values []float64) []float64 {
	if slices.IsSorted(values) {
		return values
	}
	return slices.Sorted(slices.Values(values))
}

// above returns how many values are larger than x.
func above(values []float64, x float64) (n int) {
	for _, v := range values {
		if v > x {
			n++
		}
	}
	return n
}

// steps returns round numbers from 0 to at most hi, about five of them.
func steps(hi float64, whole bool) []float64 {
	raw := hi / 4.5
	step := roundUp(raw, given(!whole || raw >= 10, 2.5)...)
	if whole {
		step = max(1, math.Round(step))
	}
	var out []float64
	for i := 0; float64(i)*step <= hi*1.0001; i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// decades returns the powers of ten from the last at or below lo to the last at or below hi, and their halves where
// there are few.
func decades(lo, hi float64) []float64 {
	first, last := math.Floor(math.Log10(lo)), math.Floor(math.Log10(hi))
	var out []float64
	for e := first; e <= last; e++ {
		out = append(out, math.Pow(10, e))
		if x := 3 * math.Pow(10, e); last-first < 2 && x <= hi {
			out = append(out, x)
		}
	}
	return out
}
