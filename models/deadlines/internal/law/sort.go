package law

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// point is a possible logarithm of a time, with its share of the distribution.
type point struct{ x, weight float64 }

// A radix sort takes digits of so many bits, the lowest first, of keys that divide the range of the points evenly.
const (
	digitBits = 11
	digits    = 1 << digitBits
	keys      = 1 << (3 * digitBits)
)

// sorter is memory for points. A job has some hundred forecasts.
type sorter struct{ all, spare []point }

// sorting keeps sorters that are not used.
var sorting = sync.Pool{New: func() any { return new(sorter) }}

// sorted returns points in ascending order of x, then of weight, in memory of its argument or its own, which the next
// call uses. Every x is finite. A forecast has tens of thousands of points: a radix sort takes a twentieth of the time
// of comparisons. Points with the same key, which are few, are compared. Points that carry their keys, as package radix
// wants them, take a tenth longer in forecasts.
func (s *sorter) sorted(all []point) []point {
	if len(all) == 0 {
		return all
	}
	low, high := all[0].x, all[0].x
	for _, p := range all {
		low, high = min(low, p.x), max(high, p.x)
	}
	scale := (keys - 1) / (high - low)
	if math.IsInf(scale, 1) || math.IsNaN(scale) { // all the same, or nearly
		scale = 0
	}
	key := func(x float64) uint64 { return uint64((x - low) * scale) } // does not decrease with x
	var counts [3][digits]int
	for _, p := range all {
		k := key(p.x)
		for d := range counts {
			counts[d][k>>(d*digitBits)%digits]++
		}
	}
	s.spare = slices.Grow(s.spare[:0], len(all))
	spare := s.spare[:len(all)]
	for d := range counts {
		from := 0
		for i, n := range counts[d] {
			counts[d][i], from = from, from+n
		}
		for _, p := range all {
			at := &counts[d][key(p.x)>>(d*digitBits)%digits]
			spare[*at] = p
			*at++
		}
		all, spare = spare, all
	}
	for from, to := 0, 0; from < len(all); from = to {
		same := key(all[from].x)
		for to = from + 1; to < len(all) && key(all[to].x) == same; to++ {
		}
		if to-from > 1 {
			slices.SortFunc(all[from:to], func(a, b point) int {
				if a.x != b.x {
					return cmp.Compare(a.x, b.x)
				}
				return cmp.Compare(a.weight, b.weight)
			})
		}
	}
	return all
}
