package law

import (
	"math"
	"slices"
	"sync"

	"racecard/datasets/radix"
)

// point is a possible logarithm of a time, with its share of the distribution.
type point struct{ x, weight float64 }

// sorter is memory for points. A job has some hundred forecasts, of tens of thousands of points each.
type sorter struct {
	all          []point
	items, spare []radix.Item[float64]
}

// sorting keeps sorters that are not used.
var sorting = sync.Pool{New: func() any { return new(sorter) }}

// fine is the number of steps that divide the range of points. Their order within a step does not matter.
const fine = 1 << 33

// sorted returns points in ascending order of x, in memory of its argument. Every x is finite, and is rounded down to a
// step of the range.
func (s *sorter) sorted(all []point) []point {
	s.all = all
	if len(all) == 0 {
		return all
	}
	low, high := all[0].x, all[0].x
	for _, p := range all {
		low, high = min(low, p.x), max(high, p.x)
	}
	step := (high - low) / (fine - 1)
	if !(step > 0) || math.IsInf(1/step, 1) { // all the same, or nearly
		return all
	}
	s.items = slices.Grow(s.items[:0], len(all))[:len(all)]
	s.spare = slices.Grow(s.spare[:0], len(all))[:len(all)]
	for i, p := range all {
		s.items[i] = radix.Item[float64]{Value: p.weight, Key: uint64((p.x - low) / step)}
	}
	for i, of := range radix.Sort(s.items, s.spare) {
		all[i] = point{low + float64(of.Key)*step, of.Value}
	}
	return all
}
