package health

import "math"

// ticks determines the resolution of recorded times.
type ticks struct {
	lengths bool // these are durations, whose distances are from 0
	n       int64
	origin  int64 // any of the times; distances from it are what counts
	gcd     int64 // of all distances; 0 when all times are equal
	seconds int64 // times that are whole seconds
	millis  int64
}

func (c *ticks) see(t int64) {
	if c.n == 0 && !c.lengths {
		c.origin = t
	}
	c.n++
	if t%milli == 0 {
		c.millis++
		if t%second == 0 {
			c.seconds++
		}
	}
	c.gcd = gcd(c.gcd, t-c.origin)
}

// merge adds the times of d. The result does not depend on the origins: distances from either are sums of distances
// from the other and the distance of the two.
func (c *ticks) merge(d *ticks) {
	if d.n == 0 {
		return
	}
	if c.n == 0 {
		*c = *d
		return
	}
	c.n += d.n
	c.seconds += d.seconds
	c.millis += d.millis
	c.gcd = gcd(gcd(c.gcd, d.gcd), d.origin-c.origin)
}

// resolution returns the greatest distance, in seconds, that divides all distances; NaN if there is none.
func (c *ticks) resolution() float64 {
	if c.gcd == 0 {
		return math.NaN()
	}
	return float64(c.gcd) / float64(second)
}

// gcd returns the greatest common divisor, at least 0, where a is at least 0.
func gcd(a, b int64) int64 {
	if b < 0 {
		b = -b
	}
	if a > 0 && b%a == 0 { // nearly always
		return a
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
