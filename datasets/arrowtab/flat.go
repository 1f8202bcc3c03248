package arrowtab

import (
	"encoding/binary"
	"errors"
)

// errFlat says that metadata point out of the file.
var errFlat = errors.New("damaged Arrow file: its metadata point out of it")

// flat reads a FlatBuffer (https://flatbuffers.dev/internals/) and trusts no offset: whatever lies outside the
// buffer reads as zero and sets err. The Arrow library instead allocates as many fields, nodes and buffers as a
// vector claims.
type flat struct {
	b   []byte
	err error
}

// widest is the longest structure that is read as a whole.
const widest = 2 * bufferSize

// bytes returns n bytes at a place; zeros, at most widest, where the buffer has not that many.
func (f *flat) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at > len(f.b) || n > len(f.b)-at {
		f.err = errFlat
		return make([]byte, min(max(n, 0), widest))
	}
	return f.b[at : at+n]
}

func (f *flat) u16(at int) int   { return int(binary.LittleEndian.Uint16(f.bytes(at, 2))) }
func (f *flat) u32(at int) int   { return int(binary.LittleEndian.Uint32(f.bytes(at, 4))) }
func (f *flat) i64(at int) int64 { return int64(binary.LittleEndian.Uint64(f.bytes(at, 8))) }

// root returns the table that the buffer begins with.
func (f *flat) root() flatTable { return f.table(f.u32(0)) }

// flatTable is a table of a buffer.
type flatTable struct {
	f          *flat
	at, fields int // the table, and the list of where its fields are
	size       int // of that list, in bytes
}

func (f *flat) table(at int) flatTable {
	fields := at - int(int32(f.u32(at)))
	return flatTable{f, at, fields, f.u16(fields)}
}

// field returns where field i lies, 0 where the table does not have it.
func (t flatTable) field(i int) int {
	slot := 4 + 2*i
	if slot+2 > t.size {
		return 0
	}
	if offset := t.f.u16(t.fields + slot); offset != 0 {
		return t.at + offset
	}
	return 0
}

// byte, short, int and long return numbers, 0 for a field that the table does not have.
func (t flatTable) byte(i int) byte {
	return read(t, i, func(at int) byte { return t.f.bytes(at, 1)[0] })
}
func (t flatTable) short(i int) int  { return read(t, i, t.f.u16) }
func (t flatTable) int(i int) int    { return read(t, i, t.f.u32) }
func (t flatTable) long(i int) int64 { return read(t, i, t.f.i64) }

func read[T any](t flatTable, i int, number func(at int) T) (x T) {
	if at := t.field(i); at != 0 {
		x = number(at)
	}
	return x
}

// table returns a table that a field points to.
func (t flatTable) table(i int) (flatTable, bool) {
	at := t.field(i)
	if at == 0 {
		return flatTable{}, false
	}
	return t.f.table(at + t.f.u32(at)), true
}

// vector returns the start and the number of elements of a vector. All elements lie within the buffer.
func (t flatTable) vector(i, size int) (at, n int) {
	field := t.field(i)
	if field == 0 {
		return 0, 0
	}
	at = field + t.f.u32(field)
	n = t.f.u32(at)
	at += 4
	if t.f.bytes(at, 0); n > (len(t.f.b)-min(at, len(t.f.b)))/size {
		t.f.err = errFlat
		return 0, 0
	}
	return at, n
}

// tables calls do with the tables of a vector until an error.
func (t flatTable) tables(i int, do func(flatTable) error) error {
	at, n := t.vector(i, 4)
	for k := range n {
		p := at + 4*k
		if err := do(t.f.table(p + t.f.u32(p))); err != nil {
			return err
		}
		if t.f.err != nil {
			return t.f.err
		}
	}
	return t.f.err
}

// text returns the text that a field points to.
func (t flatTable) text(i int) string {
	at, n := t.vector(i, 1)
	return string(t.f.bytes(at, n))
}
