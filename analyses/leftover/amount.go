package leftover

import (
	"math"
	"math/bits"
)

// quantum is the binary exponent of the unit of amounts: 1 core is 2^quantum.
const quantum = 30

// maxDemand bounds the demand of a task: about 10^15 of a unit, or a petabyte. Larger values are not demands.
const maxDemand = 1 << 50

// amount is an amount of a resource in quanta: a 128-bit two's complement number.
type amount struct {
	hi, lo uint64
}

// amountOf returns x << shift. shift is below 64.
func amountOf(x int64, shift uint) amount {
	return amount{uint64(x >> (64 - shift)), uint64(x) << shift}
}

func (a amount) plus(b amount) amount {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return amount{hi, lo}
}

func (a amount) negative() bool { return int64(a.hi) < 0 }

// float returns an amount that is not negative, in quanta.
func (a amount) float() float64 { return math.Ldexp(float64(a.hi), 64) + float64(a.lo) }

// product is an amount held for some time, in quanta x microseconds: a 192-bit two's complement number.
type product [3]uint64 // least significant first

// add adds an amount held for dt microseconds.
func (p *product) add(a amount, dt uint64) {
	h0, l0 := bits.Mul64(a.lo, dt)
	h1, l1 := bits.Mul64(a.hi, dt)
	mid, carry := bits.Add64(h0, l1, 0)
	high := h1 + carry
	if a.negative() {
		high -= dt // the amount was taken for 2^128 more
	}
	p.plus(product{l0, mid, high})
}

func (p *product) plus(q product) {
	var carry uint64
	for i := range p {
		p[i], carry = bits.Add64(p[i], q[i], carry)
	}
}

// float returns a product that is not negative, in quanta x microseconds.
func (p *product) float() float64 {
	return math.Ldexp(float64(p[2]), 128) + math.Ldexp(float64(p[1]), 64) + float64(p[0])
}

// units turns quanta into the unit of the resource.
func units(quanta float64) float64 { return math.Ldexp(quanta, -quantum) }

// unitSeconds turns quanta x microseconds into the unit of the resource x seconds.
func unitSeconds(x float64) float64 { return units(x) / 1e6 }
