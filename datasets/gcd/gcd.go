// Package gcd computes greatest common divisors of whole numbers such as instants of a clock with a tick of 1 ms.
package gcd

// Of returns the greatest common divisor of a and the absolute value of b, by Euclid's algorithm. If one is 0, it is
// the other.
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
