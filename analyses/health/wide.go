package health

import "math/bits"

// wide is an exact sum of products of non-negative integers: 128 bits. Sums of offsets in microseconds over all attempts of
// a large trace may exceed 64.
type wide struct{ hi, lo uint64 }

// plus returns w + a*b.
func (w wide) plus(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return w.add(wide{hi, lo})
}

func (w wide) add(v wide) wide {
	lo, carry := bits.Add64(w.lo, v.lo, 0)
	hi, _ := bits.Add64(w.hi, v.hi, carry)
	return wide{hi, lo}
}

// float returns the nearest float64, or one next to it.
func (w wide) float() float64 { return float64(w.hi)*(1<<64) + float64(w.lo) }
