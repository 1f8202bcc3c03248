package parquetio

import (
	"math"
	"slices"
)

// A dictionary of numbers has at most maxNumbers entries. Looking for them ends when there are more than a few and one
// in manyNumbers values is new.
const (
	maxNumbers  = 1 << 14
	fewNumbers  = 1 << 8
	manyNumbers = 8
)

// numbers finds the distinct values of a column of floating-point numbers, in the order they are met in.
type numbers struct {
	distinct []float64
	table    []int32 // open addressing: one more than the place of a number, or 0
}

// index appends to dst which of the distinct values each value is. It is not ok when too many differ; then there are
// none.
func (n *numbers) index(dst []int32, values []float64) (index []int32, ok bool) {
	const bits = 15 // twice as many entries as there can be numbers
	n.distinct = n.distinct[:0]
	if n.table == nil {
		n.table = make([]int32, 1<<bits)
	}
	clear(n.table)
	dst = slices.Grow(dst, len(values))
	last, place := math.Float64bits(math.NaN()), int32(-1)
	for i, x := range values {
		b := math.Float64bits(x)
		if b == last && place >= 0 {
			dst = append(dst, place)
			continue
		}
		at := b * 0x9e3779b97f4a7c15 >> (64 - bits)
		for ; ; at = (at + 1) & (1<<bits - 1) {
			if place = n.table[at] - 1; place < 0 || math.Float64bits(n.distinct[place]) == b {
				break
			}
		}
		if place < 0 {
			if k := len(n.distinct); k >= maxNumbers || k >= fewNumbers && k > i/manyNumbers {
				n.distinct = n.distinct[:0]
				return dst, false
			}
			place = int32(len(n.distinct))
			n.distinct = append(n.distinct, x)
			n.table[at] = place + 1
		}
		last = b
		dst = append(dst, place)
	}
	if 2*len(n.distinct) > len(values) {
		n.distinct = n.distinct[:0]
		return dst, false
	}
	return dst, true
}
