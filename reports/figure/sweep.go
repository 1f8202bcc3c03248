package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
)

// swept is a measure over the values of a setting: a line of medians, and the least and the most of all seeds.
type swept struct {
	*lineLayer
	seeds []span
}

// newSwept returns a measure without values.
func newSwept(name string, l look) *swept {
	line := newLine(name, l)
	line.marked = true
	return &swept{lineLayer: line}
}

// measure adds the measure at a value of the setting if it is known; without a spread that holds it, of one seed.
func (s *swept) measure(x float64, of result.Spread) {
	y, low, high := float64(of.Median), float64(of.Low), float64(of.High)
	if !finite(x, y) || y < 0 {
		return
	}
	if !finite(low, high) || low > y || high < y {
		low, high = y, y
	}
	s.add(x, y)
	s.seeds = append(s.seeds, span{x, low, high})
}

// bars returns the spread over seeds as upright bars.
func (s *swept) bars() *spanLayer {
	return newSpans("all seeds", s.look, s.seeds...)
}

// variedAxis is the axis of the values that were varied.
func variedAxis(xs []float64, label string) axis {
	if len(xs) == 0 {
		return linear(1, false).labelled(label)
	}
	all := slices.Compact(slices.Sorted(slices.Values(xs)))
	lo, hi := all[0], all[len(all)-1]
	if lo == hi {
		lo, hi = lo*0.9-0.1, hi*1.1+0.1
	}
	a := between(lo, hi, all...).labelled(label)
	switch {
	case lo > 0 && hi/lo > 6:
		a.scale = plot.LogScale{}
	case lo == 0 && len(all) > 2 && hi > 6*all[len(all)/2]:
		a.scale = log1p{}
	}
	return a
}

// roomy returns the axis with some room at both ends, for shifted lines.
func (a axis) roomy() axis {
	to, from := func(x float64) float64 { return x }, func(x float64) float64 { return x }
	switch a.scale.(type) {
	case plot.LogScale:
		to, from = math.Log, math.Exp
	case log1p:
		to, from = math.Log1p, math.Expm1
	}
	lo, hi := to(a.min), to(a.max)
	room := 0.05 * (hi - lo)
	a.min, a.max = from(lo-room), from(hi+room)
	return a
}
