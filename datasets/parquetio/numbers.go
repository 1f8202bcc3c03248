package parquetio

import (
	"math"
	"math/bits"
	"slices"
)

// A dictionary of floating-point numbers has at most maxNumbers entries. Looking for them ends when there are more than
// a few and one in manyNumbers values is new.
const (
	maxNumbers  = 1 << 14
	fewNumbers  = 1 << 8
	manyNumbers = 8
)

// manyDiffer reports whether floating-point numbers are not worth a dictionary.
func manyDiffer(distinct, seen int) bool {
	return distinct >= maxNumbers || distinct >= fewNumbers && distinct > seen/manyNumbers
}

// numbers finds the distinct values of a column of numbers, in the order they are met in.
type numbers struct {
	distinct []uint64 // their bits
	table    []int32  // open addressing: one more than the place of a number, or 0
}

// floats returns the distinct values of floating-point numbers.
func (n *numbers) floats() []float64 {
	out := make([]float64, len(n.distinct))
	for i, b := range n.distinct {
		out[i] = math.Float64frombits(b)
	}
	return out
}

// index appends to dst the place of each value among the distinct ones. Before each new one it asks many whether there
// are too many, given the distinct ones so far and the values seen. Then it is not ok, and leaves no distinct values.
func index[T int32 | int64 | uint64](n *numbers, dst []int32, values []T, most int,
	many func(distinct, seen int) bool) (places []int32, ok bool) {
	size := bits.Len(uint(min(most, len(values)))) + 1 // twice as many entries as there can be numbers
	n.distinct = n.distinct[:0]
	if len(n.table) < 1<<size {
		n.table = make([]int32, 1<<size)
	}
	table := n.table[:1<<size]
	clear(table)
	dst = slices.Grow(dst, len(values))
	var last, low T
	near := false // a table by value, without a hash
	if len(values) > 0 {
		lo, hi := extremes(values)
		low, near = lo, uint64(hi)-uint64(lo) < 1<<size
	}
	place := int32(-1)
	for i, x := range values {
		if x == last && place >= 0 {
			dst = append(dst, place)
			continue
		}
		at := uint64(x) - uint64(low)
		if !near {
			at = uint64(x) * 0x9e3779b97f4a7c15 >> (64 - size)
		}
		for ; ; at = (at + 1) & (1<<size - 1) {
			if place = table[at] - 1; place < 0 || n.distinct[place] == uint64(x) {
				break
			}
		}
		if place < 0 {
			if many(len(n.distinct), i) {
				n.distinct = n.distinct[:0]
				return dst, false
			}
			place = int32(len(n.distinct))
			n.distinct = append(n.distinct, uint64(x))
			table[at] = place + 1
		}
		last = x
		dst = append(dst, place)
	}
	return dst, true
}
