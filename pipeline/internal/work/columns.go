package work

import (
	"encoding/binary"
	"reflect"
	"slices"

	"racecard/datasets/gcd"
)

// Forms of the fields that hold most of a partial result, named by the tag partial. Each divides its numbers by their
// greatest common divisor, such as 1,000 for microseconds of a millisecond clock.
const (
	formMultiset = "multiset" // [][]int64 whose order does not matter: sorted, as differences; read as one slice
	formDeltas   = "deltas"   // []int64, best ascending: differences of neighbours
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
	}
}

// deltas writes the number of values and 1, their greatest common divisor, and the differences of neighbours divided by
// it.
func (e *encoder) deltas(all []int64) {
	e.b = binary.AppendUvarint(e.b, uint64(len(all))+1)
	step := uint64(0)
	for _, x := range all {
		if step = gcd.Of(step, x); step == 1 || step > 1<<62 {
			step = 1
			break
		}
	}
	e.b = binary.AppendUvarint(e.b, step)
	step = max(step, 1)
	last := int64(0)
	for _, x := range all {
		x /= int64(step)
		e.b = binary.AppendUvarint(e.b, uint64(x-last)) // wraps around for descending values; decoding wraps back
		last = x
	}
}

// form is the inverse of the encoder's.
func (d *decoder) form(form string, v reflect.Value) {
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), pointer(v)).Elem()
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
