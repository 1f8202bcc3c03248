package arrowtab

import (
	"unsafe"

	"racecard/datasets/trace"
)

// fields are one field of the n rows of a job, a stride apart. They become the rows of a column from row on.
type fields struct {
	first  unsafe.Pointer
	stride uintptr
	n, row int
}

// at returns where field i lies.
func (f *fields) at(i int) unsafe.Pointer { return unsafe.Add(f.first, uintptr(i)*f.stride) }

// addFloats adds numbers; NaN is null.
func (v *values) addFloats(f fields) {
	known := 0
	for i := range f.n {
		if x := *(*float64)(f.at(i)); x == x {
			known++
		}
	}
	if known == 0 {
		return
	}
	if known == f.n {
		v.reach(f.row, f.n)
		to := extend(&v.floats, f.n)
		for i := range to {
			to[i] = *(*float64)(f.at(i))
		}
		return
	}
	v.floats = room(v.floats, f.n)
	for i := range f.n {
		if x := *(*float64)(f.at(i)); x == x {
			v.reach(f.row+i, 1)
			v.floats = append(v.floats, x)
		}
	}
}

// addInt64s adds integers and instants.
func (v *values) addInt64s(f fields) { addInts(v, &v.int64s, f) }

// addNarrow adds integers that take 64 bits in their rows and 32 in the column.
func (v *values) addNarrow(f fields) { addInts(v, &v.int32s, f) }

// addInts appends the known values among n 64-bit integers to v.
func addInts[T int32 | int64](v *values, to *[]T, f fields) {
	known := f.known()
	if known == 0 {
		return
	}
	if known == f.n {
		v.reach(f.row, f.n)
		out := extend(to, f.n)
		for i := range out {
			out[i] = T(*(*int64)(f.at(i)))
		}
		return
	}
	*to = room(*to, f.n)
	for i := range f.n {
		if n := *(*int64)(f.at(i)); n != trace.None {
			v.reach(f.row+i, 1) // may add nulls
			*to = append(*to, T(n))
		}
	}
}

// known returns how many integers are not null.
func (f *fields) known() int {
	known := 0
	for i := range f.n {
		if *(*int64)(f.at(i)) != trace.None {
			known++
		}
	}
	return known
}

// addInt32s appends integers, none of them null.
func (v *values) addInt32s(f fields) {
	v.reach(f.row, f.n)
	to := extend(&v.int32s, f.n)
	for i := range to {
		to[i] = *(*int32)(f.at(i))
	}
}

// addPositions adds the places of the rows in their job.
func (v *values) addPositions(f fields) {
	v.reach(f.row, f.n)
	to := extend(&v.int32s, f.n)
	for i := range to {
		to[i] = int32(i)
	}
}

// numCodes is more than any enumeration has.
const numCodes = 16

// addCodes appends values of an enumeration below numCodes, none of them null.
func (v *values) addCodes(f fields, name func(uint8) string, a *arena) {
	v.reach(f.row, f.n)
	to := extend(&v.index, f.n)
	for i := range to {
		code := *(*uint8)(f.at(i))
		if v.codes[code%numCodes] == 0 {
			v.codes[code%numCodes] = v.text.id(name(code), a) + 1
		}
		to[i] = v.codes[code%numCodes] - 1
	}
}

// addTexts adds texts; "" is null.
func (v *values) addTexts(f fields, a *arena) {
	known := 0
	for i := range f.n {
		if *(*string)(f.at(i)) != "" {
			known++
		}
	}
	if known == 0 {
		return
	}
	if known == f.n {
		v.reach(f.row, f.n)
		to := extend(&v.index, f.n)
		for i := range to {
			to[i] = v.text.id(*(*string)(f.at(i)), a)
		}
		return
	}
	for i := range f.n {
		if s := *(*string)(f.at(i)); s != "" {
			id := v.text.id(s, a)
			v.reach(f.row+i, 1)
			v.index = append(room(v.index, 1), id)
		}
	}
}

// addTris adds truth values.
func (v *values) addTris(f fields) {
	for i := range f.n {
		tri := *(*trace.Tri)(f.at(i))
		if tri == trace.TriNull {
			continue
		}
		v.reach(f.row+i, 1)
		for len(v.bits) <= (f.row+i)>>3 {
			v.bits = append(v.bits, 0)
		}
		if tri == trace.Yes {
			v.bits[(f.row+i)>>3] |= 1 << ((f.row + i) & 7)
		}
	}
}
