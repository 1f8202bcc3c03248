// Package packed writes rows of numbers and texts end to end into few bytes, to keep millions of them in memory:
// without pointers, which the garbage collector would follow, and without room for what a row lacks.
//
// Rows are read by the program that wrote them: there is no check of their form.
package packed

import (
	"encoding/binary"
	"math"
	"strings"
	"unsafe"
)

// How a number is written.
const (
	asBits   = iota // as 8 bytes
	asNaN           // not at all
	asBefore        // not at all: it is the same as the one before, the first one 0
	asWhole         // as a whole number
)

// wholeMost bounds the numbers that are written as whole numbers, which take 5 bytes at most.
const wholeMost = 1 << 32

// AppendFloats appends numbers: 2 bits each, and at most 8 bytes for those that are neither NaN nor equal to the one
// before. They come back bit by bit, but for the payload of NaN.
func AppendFloats(to []byte, values ...float64) []byte {
	forms := len(to)
	to = append(to, make([]byte, (len(values)+3)/4)...)
	before := uint64(0)
	for i, x := range values {
		bits := math.Float64bits(x)
		form := asBits
		switch {
		case math.IsNaN(x):
			form = asNaN
		case bits == before:
			form = asBefore
		case x >= 0 && x < wholeMost && math.Float64bits(float64(uint64(x))) == bits: // not for -0
			form = asWhole
			to = binary.AppendUvarint(to, uint64(x))
		default:
			to = binary.LittleEndian.AppendUint64(to, bits)
		}
		to[forms+i/4] |= byte(form << (i % 4 * 2))
		before = bits
	}
	return to
}

// Floats reads as many numbers as values holds, and returns the rest.
func Floats(from []byte, values []float64) []byte {
	forms := from
	from = from[(len(values)+3)/4:]
	before := 0.0
	for i := range values {
		switch forms[i/4] >> (i % 4 * 2) & 3 {
		case asBits:
			values[i], from = math.Float64frombits(binary.LittleEndian.Uint64(from)), from[8:]
		case asNaN:
			values[i] = math.NaN()
		case asBefore:
			values[i] = before
		case asWhole:
			var n uint64
			n, from = Uint(from)
			values[i] = float64(n)
		}
		before = values[i]
	}
	return from
}

// Uint reads a number that [binary.AppendUvarint] appended, and returns the rest.
func Uint(from []byte) (uint64, []byte) {
	x, n := binary.Uvarint(from)
	return x, from[n:]
}

// Int reads a number that [binary.AppendVarint] appended, and returns the rest.
func Int(from []byte) (int64, []byte) {
	x, n := binary.Varint(from)
	return x, from[n:]
}

// AppendText appends a text.
func AppendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// Text reads a text, and returns the rest. The text shares the memory of from, which must not change any more.
func Text(from []byte) (string, []byte) {
	n, from := Uint(from)
	return unsafe.String(unsafe.SliceData(from), n), from[n:]
}

// Row reads the values of a row one after the other.
type Row []byte

// Byte reads a byte.
func (r *Row) Byte() byte {
	b := (*r)[0]
	*r = (*r)[1:]
	return b
}

// Uint reads what [binary.AppendUvarint] appended.
func (r *Row) Uint() (x uint64) {
	x, *r = Uint(*r)
	return x
}

// Int reads what [binary.AppendVarint] appended.
func (r *Row) Int() (x int64) {
	x, *r = Int(*r)
	return x
}

// Bits reads what [AppendBits] appended.
func (r *Row) Bits() float64 {
	x := math.Float64frombits(binary.LittleEndian.Uint64(*r))
	*r = (*r)[8:]
	return x
}

// Text reads a copy of what [AppendText] appended.
func (r *Row) Text() (s string) {
	s, *r = Text(*r)
	return strings.Clone(s)
}

// AppendBits appends a number in 8 bytes. It comes back bit by bit.
func AppendBits(to []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(to, math.Float64bits(x))
}
