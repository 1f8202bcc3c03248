package law

import (
	"cmp"
	"math"
	"slices"
)

// point is a possible logarithm of a time, with its share of the distribution.
type point struct{ x, weight float64 }

// A radix sort takes digits of so many bits, the lowest first, of keys that divide the range of the points evenly.
const (
	digitBits = 11
	digits    = 1 << digitBits
	keys      = 1 << (3 * digitBits)
)

// sorted returns points in ascending order of x, then of weight. It may use the memory of its argument. Every x is
// finite. A forecast has tens of thousands of points: a radix sort takes a twentieth of the time of comparisons. Points
// with the same key, which are few, are compared.
func sorted(all []point) []point {
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
	spare := make([]point, len(all))
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
