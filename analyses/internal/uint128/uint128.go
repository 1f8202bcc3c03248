// Package uint128 adds whole numbers without overflow. Sums of integers do not depend on the order of their terms, as
// sums of floating-point numbers do: partial results merged in any order give the same bytes.
package uint128

import (
	"math"
	"math/bits"
)

// Sum is a sum of whole numbers that are not negative, below 2^128. The zero value is 0.
type Sum struct{ hi, lo uint64 }

// Add adds n.
func (s *Sum) Add(n uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, n, 0)
	s.hi += carry
}

// AddProduct adds a x b.
func (s *Sum) AddProduct(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	s.AddSum(Sum{hi, lo})
}

// AddSum adds t.
func (s *Sum) AddSum(t Sum) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, t.lo, 0)
	s.hi, _ = bits.Add64(s.hi, t.hi, carry)
}

// Float64 returns the sum, rounded.
func (s Sum) Float64() float64 { return math.Ldexp(float64(s.hi), 64) + float64(s.lo) }
