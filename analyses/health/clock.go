package health

import (
	"math"

	"racecard/datasets/gcd"
)

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
	c.gcd = int64(gcd.Of(uint64(c.gcd), t-c.origin))
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
	c.gcd = int64(gcd.Of(gcd.Of(uint64(c.gcd), d.gcd), d.origin-c.origin))
}

// resolution returns the greatest distance, in seconds, that divides all distances; NaN if there is none.
func (c *ticks) resolution() float64 {
	if c.gcd == 0 {
		return math.NaN()
	}
	return float64(c.gcd) / float64(second)
}
