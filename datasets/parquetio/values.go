package parquetio

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go/format"
)

// chunkValues are the values of a column chunk that are not null, in the order of its rows.
type chunkValues struct {
	int32s   []int32
	int64s   []int64
	floats   []float64
	bools    []bool
	index    []int32 // into distinct, or the distinct numbers
	distinct []string
	numbers  numbers

	int32room []int32 // of values that had to be copied
	int64room []int64
	floatRoom []float64
	indexRoom []int32

	sample []int64 // of integers
	times  []int32 // that each of its distinct ones is there

	rank    []int32 // of the column's dictionary in distinct; -1 for values not met yet
	text    []byte
	offsets []uint32
}

// gather takes the values that are not null of the rows in ranges, and their levels, and returns how many there are.
func (p *pages) gather(c *Column) int {
	v := &p.values
	v.int32s, v.int64s, v.floats, v.bools = nil, nil, nil, v.bools[:0]
	v.index, v.distinct, v.numbers.distinct = nil, v.distinct[:0], v.numbers.distinct[:0]
	p.levels = nil
	known := c.Known()
	if known == 0 {
		return 0
	}
	keep := p.kept(c, known == c.Len)
	switch c.Kind {
	case Int32:
		v.int32s = pick(&v.int32room, c.Int32s, p.ranges, keep)
	case Int64, Timestamp:
		v.int64s = pick(&v.int64room, c.Int64s, p.ranges, keep)
	case Float64:
		v.floats = pick(&v.floatRoom, c.Float64s, p.ranges, keep)
		var repeat bool
		v.indexRoom, repeat = index(&v.numbers, v.indexRoom[:0], words(v.floats), maxNumbers, manyDiffer)
		if repeat && 2*len(v.numbers.distinct) <= len(v.floats) {
			v.index = v.indexRoom
		}
	case String:
		v.number(c.Dict, pick(&v.indexRoom, c.Index, p.ranges, keep))
	case Bool:
		for _, r := range p.ranges {
			for i := r.From; i < r.To; i++ {
				if !c.IsNull(i) {
					v.bools = append(v.bools, c.Bool(i))
				}
			}
		}
	}
	n := len(v.int32s) + len(v.int64s) + len(v.floats) + len(v.bools)
	if c.Kind == String {
		n = len(v.index)
	}
	if n == 0 || n == p.rows {
		p.levels = nil
	}
	return n
}

// words returns the bits of numbers.
func words(numbers []float64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers))
}

// kept sets p.levels: for every row in ranges 1, or 0 where it is null. It returns nil when all rows are known.
func (p *pages) kept(c *Column, all bool) []byte {
	if all {
		return nil
	}
	p.levels = slices.Grow(p.room[:0], p.rows)[:p.rows]
	at := 0
	for _, r := range p.ranges {
		to := p.levels[at : at+r.To-r.From]
		at += len(to)
		for k := range to {
			if i := r.From + k; i>>3 < len(c.Valid) {
				to[k] = c.Valid[i>>3] >> (i & 7) & 1
			} else {
				to[k] = 0
			}
		}
	}
	p.room = p.levels
	return p.levels
}

// pick returns the values in ranges, without those whose entry in keep is 0. It copies them to room unless they lie
// together.
func pick[T any](room *[]T, values []T, ranges []Range, keep []byte) []T {
	if keep == nil && len(ranges) == 1 {
		return values[ranges[0].From:ranges[0].To]
	}
	if keep == nil {
		dst := (*room)[:0]
		for _, r := range ranges {
			dst = append(dst, values[r.From:r.To]...)
		}
		*room = dst
		return dst
	}
	dst := slices.Grow((*room)[:0], len(keep))[:len(keep)]
	n := 0
	for _, r := range ranges {
		from := values[r.From:r.To]
		for i, level := range keep[:len(from)] {
			dst[n] = from[i] // the next one takes its place unless it is known
			n += int(level)
		}
		keep = keep[len(from):]
	}
	*room = dst
	return dst[:n]
}

// number sets index and distinct: the values of dict that the old index points to, in the order they are met in.
func (v *chunkValues) number(dict []string, old []int32) {
	if n, ok := inOrder(old); ok {
		v.index, v.distinct = old, append(v.distinct, dict[:n]...)
		return
	}
	v.rank = v.rank[:0]
	for range dict {
		v.rank = append(v.rank, -1)
	}
	v.index = slices.Grow(v.indexRoom[:0], len(old))[:len(old)]
	for i, o := range old {
		k := v.rank[o]
		if k < 0 {
			k = int32(len(v.distinct))
			v.rank[o] = k
			v.distinct = append(v.distinct, dict[o])
		}
		v.index[i] = k
	}
	v.indexRoom = v.index
}

// inOrder reports whether places are numbered in the order they are met in, and how many there are.
func inOrder(places []int32) (n int32, ok bool) {
	for _, p := range places {
		if p > n {
			return 0, false
		}
		if p == n {
			n++
		}
	}
	return n, true
}

// textBytes returns the length of the texts from one to another.
func (v *chunkValues) textBytes(from, to int) int {
	n := 0
	for _, k := range v.index[from:to] {
		n += len(v.distinct[k])
	}
	return n
}

// page returns the texts from one to another, end to end, and where they begin, and end.
func (v *chunkValues) page(from, to int) ([]byte, []uint32) {
	v.text, v.offsets = v.text[:0], append(v.offsets[:0], 0)
	for _, k := range v.index[from:to] {
		v.text = append(v.text, v.distinct[k]...)
		v.offsets = append(v.offsets, uint32(len(v.text)))
	}
	return v.text, v.offsets
}

// maxBound bounds the text that is kept as least or greatest value: readers want it short, and one may leave it out.
const maxBound = 256

// bounds sets the least and the greatest value, unless there is none.
func (v *chunkValues) bounds(kind Kind, s *format.Statistics) {
	switch {
	case len(v.int32s) > 0:
		lo, hi := extremes(v.int32s)
		s.MinValue, s.MaxValue = raw(lo), raw(hi)
	case len(v.int64s) > 0:
		lo, hi := extremes(v.int64s)
		s.MinValue, s.MaxValue = raw(lo), raw(hi)
	case len(v.floats) > 0:
		floats := v.floats
		if len(v.index) > 0 {
			floats = v.numbers.floats()
		}
		lo, hi := extremes(floats)
		if lo == 0 { // the specification wants either zero to lie inside
			lo = math.Copysign(0, -1)
		}
		if hi == 0 {
			hi = 0
		}
		s.MinValue, s.MaxValue = raw(lo), raw(hi)
	case len(v.bools) > 0:
		s.MinValue, s.MaxValue = []byte{1}, []byte{0}
		for _, b := range v.bools {
			if b {
				s.MaxValue[0] = 1
			} else {
				s.MinValue[0] = 0
			}
		}
	case len(v.distinct) > 0:
		if lo, hi := textExtremes(v.distinct); len(lo) <= maxBound && len(hi) <= maxBound && kind == String {
			s.MinValue, s.MaxValue = []byte(lo), []byte(hi)
		}
	}
}

func extremes[T int32 | int64 | uint64 | float64](values []T) (lo, hi T) {
	lo, hi = values[0], values[0]
	for _, x := range values[1:] {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// textExtremes is extremes of texts. Where they ascend, one comparison of each is enough.
func textExtremes(values []string) (lo, hi string) {
	lo, hi = values[0], values[0]
	for _, x := range values[1:] {
		if x > hi {
			hi = x
		} else if x < lo {
			lo = x
		}
	}
	return lo, hi
}

// raw returns a number as Parquet stores it: little-endian.
func raw[T int32 | int64 | float64](x T) []byte {
	switch x := any(x).(type) {
	case int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(x))
	case int64:
		return binary.LittleEndian.AppendUint64(nil, uint64(x))
	case float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
	}
	return nil
}
