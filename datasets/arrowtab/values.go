package arrowtab

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"unsafe"

	"racecard/datasets/parquetio"
)

// values collects one column. It holds rows up to the last that is not null.
type values struct {
	kind   parquetio.Kind
	rows   int    // held
	known  int    // of them not null
	valid  []byte // nil while all of them are known
	bitmap []byte // room of valid
	int32s []int32
	int64s []int64
	floats []float64
	index  []int32
	bits   []byte
	text   interner
	// of an enumeration: one more than the number of the text of each value, 0 while it is not met
	codes [numCodes]int32
}

// reach moves the column to a row: the next n values appended are the values of n rows from there on. Skipped
// rows become null.
func (v *values) reach(row, n int) {
	if v.rows < row && v.valid == nil {
		v.spread()
	}
	if v.valid != nil {
		v.pad(row)
		v.fit(row + n)
		v.mark(row, n)
	}
	v.rows = row + n
	v.known += n
}

// spread begins to note which rows are known: all so far.
func (v *values) spread() {
	if v.bitmap == nil {
		v.bitmap = make([]byte, 0, 64) // not nil
	}
	v.valid = v.bitmap[:0]
	v.fit(v.rows)
	v.mark(0, v.rows)
}

// mark notes that n rows are known.
func (v *values) mark(row, n int) {
	i, to := row, row+n
	for ; i < to && i&7 != 0; i++ {
		v.valid[i>>3] |= 1 << (i & 7)
	}
	for ; i+8 <= to; i += 8 {
		v.valid[i>>3] = 0xff
	}
	for ; i < to; i++ {
		v.valid[i>>3] |= 1 << (i & 7)
	}
}

// fit makes valid long enough for some rows.
func (v *values) fit(rows int) {
	if n := (rows+7)/8 - len(v.valid); n > 0 {
		v.valid = zeros(v.valid, n)
	}
}

// pad appends nulls up to a row.
func (v *values) pad(row int) {
	n := row - v.rows
	if n <= 0 {
		return
	}
	v.rows = row
	switch v.kind {
	case parquetio.Int32:
		v.int32s = zeros(v.int32s, n)
	case parquetio.Int64, parquetio.Timestamp:
		v.int64s = zeros(v.int64s, n)
	case parquetio.Float64:
		v.floats = zeros(v.floats, n)
	case parquetio.String:
		v.index = zeros(v.index, n)
	}
}

func zeros[T any](s []T, n int) []T {
	clear(extend(&s, n))
	return s
}

// room makes room for n more values. It doubles, since columns are long.
func room[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		s = slices.Grow(s, max(n, len(s), 1024))
	}
	return s
}

// extend makes a slice n values longer and returns those, which are to be set.
func extend[T any](s *[]T, n int) []T {
	from := len(*s)
	*s = room(*s, n)[:from+n]
	return (*s)[from:]
}

// column returns the column of that many rows.
func (v *values) column(name string, rows int) parquetio.Column {
	c := parquetio.Column{Field: parquetio.Field{Name: name, Kind: v.kind}, Len: rows}
	if v.known == 0 {
		c.Valid = []byte{} // null beyond its end
		return c
	}
	if v.rows < rows && v.valid == nil {
		v.spread()
	}
	v.pad(rows)
	c.Valid, c.Int32s, c.Int64s, c.Float64s, c.Bits, c.Index, c.Dict = v.valid, v.int32s, v.int64s, v.floats, v.bits,
		v.index, v.text.dict
	return c
}

func (v *values) reset() {
	if v.valid != nil {
		v.bitmap = v.valid[:0]
	}
	v.rows, v.known, v.valid, v.codes = 0, 0, nil, [numCodes]int32{}
	v.int32s, v.int64s, v.floats, v.index, v.bits = v.int32s[:0], v.int64s[:0], v.floats[:0], v.index[:0], v.bits[:0]
	v.text.reset()
}

// interner numbers distinct strings.
type interner struct {
	dict  []string
	table []slot // open addressing; at most half of it is used
}

// slot is a string in the table.
type slot struct {
	hash   uint64
	length uint32
	number int32 // one more than that of the string; 0 for none
}

// hashOf returns a hash of s: of a string of at most 8 bytes the only one of its length.
func hashOf(s string) uint64 {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	var h uint64
	switch n := len(b); {
	case n > 16:
		return maphash.String(seed, s)
	case n > 8:
		h = binary.LittleEndian.Uint64(b) ^ bits.RotateLeft64(binary.LittleEndian.Uint64(b[n-8:])*factor, 29)
	case n == 8:
		h = binary.LittleEndian.Uint64(b)
	case n >= 4:
		h = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	default:
		for i, c := range b {
			h |= uint64(c) << (8 * i)
		}
	}
	return h * factor // which is odd: no two become one
}

// seed is of this process: the order of strings is that in which they are met.
var seed = maphash.MakeSeed()

const factor = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

// id returns the number of s.
func (t *interner) id(s string, a *arena) int32 {
	if 2*len(t.dict) >= len(t.table) {
		t.widen()
	}
	h := hashOf(s)
	for at := t.place(h); ; at = (at + 1) & (len(t.table) - 1) {
		switch e := &t.table[at]; {
		case e.number == 0:
			s = a.clone(s)
			t.dict = append(room(t.dict, 1), s)
			*e = slot{h, uint32(len(s)), int32(len(t.dict))}
			return e.number - 1
		case e.hash == h && int(e.length) == len(s) && (len(s) <= 8 || t.dict[e.number-1] == s):
			return e.number - 1
		}
	}
}

// place returns where the search for a hash begins: multiplication spreads best to the high bits.
func (t *interner) place(h uint64) int { return int(h >> 32 & uint64(len(t.table)-1)) }

// widen makes room for more strings.
func (t *interner) widen() {
	old := t.table
	t.table = make([]slot, max(2*len(old), 64))
	for _, e := range old {
		if e.number != 0 {
			at := t.place(e.hash)
			for t.table[at].number != 0 {
				at = (at + 1) & (len(t.table) - 1)
			}
			t.table[at] = e
		}
	}
}

func (t *interner) reset() {
	clear(t.table)
	clear(t.dict)
	t.dict = t.dict[:0]
}

// arena keeps copies of strings, many in one allocation.
type arena struct{ room []byte }

const arenaBlock = 64 << 10

func (a *arena) clone(s string) string {
	if len(s) > arenaBlock/8 {
		return string([]byte(s))
	}
	if len(s) > cap(a.room)-len(a.room) {
		a.room = make([]byte, 0, arenaBlock)
	}
	at := len(a.room)
	a.room = append(a.room, s...)
	kept := a.room[at:] // is never written again
	return unsafe.String(unsafe.SliceData(kept), len(kept))
}
