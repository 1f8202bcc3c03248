package arrowtab

import (
	"unsafe"

	"racecard/datasets/parquetio"
)

// values collects one column. It holds rows up to the last that is not null.
type values struct {
	kind   parquetio.Kind
	rows   int    // held
	known  int    // of them not null
	valid  []byte // nil while all of them are known
	int32s []int32
	int64s []int64
	floats []float64
	index  []int32
	bits   []byte
	text   interner
}

// reach makes the next value that is appended that of a row; the rows before it that are not held become null.
func (v *values) reach(row int) {
	if v.rows < row || v.valid != nil {
		v.gap(row)
	}
	v.rows++
	v.known++
}

func (v *values) gap(row int) {
	if v.valid == nil {
		v.valid = make([]byte, (v.rows+7)/8, (row+8)/8*2)
		for i := range v.rows {
			v.valid[i>>3] |= 1 << (i & 7)
		}
	}
	v.pad(row)
	for len(v.valid) <= row>>3 {
		v.valid = append(v.valid, 0)
	}
	v.valid[row>>3] |= 1 << (row & 7)
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
	var zero T
	for range n {
		s = append(s, zero)
	}
	return s
}

// int appends an integer after reach.
func (v *values) int(n int64) {
	switch v.kind {
	case parquetio.Int32:
		v.int32s = append(v.int32s, int32(n))
	case parquetio.Bool:
		for len(v.bits) <= (v.rows-1)>>3 {
			v.bits = append(v.bits, 0)
		}
		if n != 0 {
			v.bits[(v.rows-1)>>3] |= 1 << ((v.rows - 1) & 7)
		}
	default:
		v.int64s = append(v.int64s, n)
	}
}

// column returns the column of that many rows.
func (v *values) column(name string, rows int) parquetio.Column {
	c := parquetio.Column{Field: parquetio.Field{Name: name, Kind: v.kind}, Len: rows}
	if v.known == 0 {
		c.Valid = []byte{} // null beyond its end
		return c
	}
	if v.rows < rows && v.valid == nil {
		v.valid = make([]byte, (v.rows+7)/8)
		for i := range v.rows {
			v.valid[i>>3] |= 1 << (i & 7)
		}
	}
	v.pad(rows)
	c.Valid, c.Int32s, c.Int64s, c.Float64s, c.Bits, c.Index, c.Dict = v.valid, v.int32s, v.int64s, v.floats, v.bits, v.index, v.text.dict
	return c
}

func (v *values) reset() {
	v.rows, v.known, v.valid = 0, 0, nil
	v.int32s, v.int64s, v.floats, v.index, v.bits = v.int32s[:0], v.int64s[:0], v.floats[:0], v.index[:0], v.bits[:0]
	v.text.reset()
}

// interner numbers distinct strings.
type interner struct {
	ids    map[string]int32
	dict   []string
	recent [1 << recentBits]int32 // most rows repeat one of a few values: numbers of the last that were met, by a hash
}

const recentBits = 10

// recently returns a hash of the last bytes of s, where values differ most.
func recently(s string) uint32 {
	h := uint32(len(s))
	for i := max(0, len(s)-8); i < len(s); i++ {
		h = h*31 + uint32(s[i])
	}
	return h * 0x9e3779b1 >> (32 - recentBits)
}

// id returns the number of s.
func (t *interner) id(s string, a *arena) int32 {
	recent := &t.recent[recently(s)]
	if int(*recent) < len(t.dict) && t.dict[*recent] == s {
		return *recent
	}
	id, ok := t.ids[s]
	if !ok {
		if t.ids == nil {
			t.ids = map[string]int32{}
		}
		id = int32(len(t.dict))
		s = a.clone(s)
		t.dict = append(t.dict, s)
		t.ids[s] = id
	}
	*recent = id
	return id
}

func (t *interner) reset() {
	clear(t.ids)
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
