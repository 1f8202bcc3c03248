package work

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"slices"
)

// Forms of fields that hold most of a partial result, as the tag partial names them. Each divides its numbers by their greatest
// common divisor, such as the 1,000 microseconds of a clock that ticks in milliseconds.
const (
	formMultiset = "multiset" // [][]int64 whose order does not matter: sorted, as differences; read as one slice
	formDeltas   = "deltas"   // []int64, best ascending: differences of neighbours
	formWide     = "wide"     // []struct{hi, lo uint64}, or an array of them: 128-bit numbers in two's complement, without the zero bits that all end with
)

// form writes a field in a form that its tag names.
func (e *encoder) form(form string, v reflect.Value) {
	if !v.CanInterface() { // an unexported field
		v = reflect.NewAt(v.Type(), pointer(v)).Elem()
	}
	switch form {
	case formMultiset:
		chunks := v.Interface().([][]int64)
		if chunks == nil {
			e.b = append(e.b, 0)
			return
		}
		all := slices.Concat(chunks...)
		slices.Sort(all)
		e.deltas(all)
	case formDeltas:
		if v.IsNil() {
			e.b = append(e.b, 0)
			return
		}
		e.deltas(v.Interface().([]int64))
	case formWide:
		if v.Kind() == reflect.Array {
			for i := range v.Len() {
				e.form(form, v.Index(i))
			}
			return
		}
		e.wide(v)
	}
}

// deltas writes the number of values and 1, their greatest common divisor, and the differences of neighbours divided by it.
func (e *encoder) deltas(all []int64) {
	e.b = binary.AppendUvarint(e.b, uint64(len(all))+1)
	step := uint64(0)
	for _, x := range all {
		if step = divisor(step, x); step == 1 {
			break
		}
	}
	e.b = binary.AppendUvarint(e.b, step)
	step = max(step, 1)
	last := int64(0)
	for _, x := range all {
		x /= int64(step)
		e.b = binary.AppendUvarint(e.b, uint64(x-last)) // which wraps around where values descend, and does so back
		last = x
	}
}

// divisor returns the greatest common divisor of a and |x|; 1 where that is larger than an int64.
func divisor(a uint64, x int64) uint64 {
	b := uint64(x)
	if x < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	if a > 1<<62 {
		return 1
	}
	return a
}

// wide writes 128-bit numbers.
func (e *encoder) wide(v reflect.Value) {
	if v.IsNil() {
		e.b = append(e.b, 0)
		return
	}
	n := v.Len()
	e.b = binary.AppendUvarint(e.b, uint64(n)+1)
	hi, lo := uint64(0), uint64(0)
	for i := range n {
		hi, lo = hi|v.Index(i).Field(0).Uint(), lo|v.Index(i).Field(1).Uint()
	}
	shift := 0
	if hi|lo != 0 {
		if shift = bits.TrailingZeros64(lo); lo == 0 {
			shift = 64 + bits.TrailingZeros64(hi)
		}
	}
	e.b = append(e.b, byte(shift))
	for i := range n {
		h, l := shiftRight(v.Index(i).Field(0).Uint(), v.Index(i).Field(1).Uint(), shift)
		// zigzag, as for varints, and then both halves: the upper one is nearly always 0
		sign := uint64(int64(h) >> 63)
		h, l = (h<<1|l>>63)^sign, l<<1^sign
		e.b = binary.AppendUvarint(e.b, l)
		e.b = binary.AppendUvarint(e.b, h)
	}
}

// shiftRight divides a 128-bit number in two's complement by a power of two that divides it.
func shiftRight(hi, lo uint64, by int) (h, l uint64) {
	if by >= 64 {
		return uint64(int64(hi) >> 63), uint64(int64(hi) >> (by - 64))
	}
	if by == 0 {
		return hi, lo
	}
	return uint64(int64(hi) >> by), lo>>by | hi<<(64-by)
}

// form is the inverse of the encoder's.
func (d *decoder) form(form string, v reflect.Value) {
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), pointer(v)).Elem()
	}
	if form == formWide && v.Kind() == reflect.Array {
		for i := range v.Len() {
			d.form(form, v.Index(i))
		}
		return
	}
	x := d.uvarint()
	if x == 0 {
		v.SetZero()
		return
	}
	n := d.length(x - 1)
	switch form {
	case formMultiset:
		v.Set(reflect.ValueOf([][]int64{d.deltas(n)}))
	case formDeltas:
		v.Set(reflect.ValueOf(d.deltas(n)))
	case formWide:
		d.wide(v, n)
	}
}

func (d *decoder) deltas(n int) []int64 {
	step := d.uvarint()
	if step > 1<<62 {
		d.fail()
	}
	step = max(step, 1)
	all := make([]int64, 0, n)
	last := int64(0)
	for range n {
		last += int64(d.uvarint())
		all = append(all, last*int64(step))
	}
	return all
}

func (d *decoder) wide(v reflect.Value, n int) {
	shift := int(d.take(1)[0])
	if shift > 127 {
		d.fail()
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		l, h := d.uvarint(), d.uvarint()
		if d.err != nil {
			return
		}
		sign := -(l & 1)
		l, h = (l>>1|h<<63)^sign, h>>1^sign
		if shift >= 64 {
			h, l = l<<(shift-64), 0
		} else if shift > 0 {
			h, l = h<<shift|l>>(64-shift), l<<shift
		}
		for k, half := range []uint64{h, l} {
			f := v.Index(i).Field(k)
			reflect.NewAt(f.Type(), pointer(f)).Elem().SetUint(half)
		}
	}
}
