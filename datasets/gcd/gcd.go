// Package gcd computes greatest common divisors of whole numbers such as instants of a clock that ticks in milliseconds.
package gcd

// Of returns the greatest common divisor of a and the absolute value of b, by Euclid's algorithm. It is the other number
// if one is 0.
func Of(a uint64, b int64) uint64 {
	c := uint64(b)
	if b < 0 {
		c = -c
	}
	if a > 0 && c%a == 0 { // nearly always, in sums of many numbers
		return a
	}
	for c != 0 {
		a, c = c, a%c
	}
	return a
}
