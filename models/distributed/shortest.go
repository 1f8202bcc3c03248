package distributed

import "math"

// shortestFirst has workers choose the probe of the job with least remaining work (SRPT), if enough of those in front of it may
// be passed: Algorithm 1 of the Eagle paper. A task of a long job at the front runs; the search ends at the
// first one behind. Probes of jobs that have no task left are removed on the way.
type shortestFirst struct{}

// Choose implements [Chooser].
func (shortestFirst) Choose(c *Cluster, w int32) int32 {
	c.settle()
	best, least, slack := int32(-1), int64(0), int64(math.MaxInt64)
	for e := c.workers[w].head; e >= 0; {
		x := &c.entries[e]
		j := &c.jobs[x.job]
		next := x.next
		if j.visible == 0 && x.task < 0 {
			c.remove(w, e)
			e = next
			continue
		}
		key := j.estimate * int64(j.visible)
		if j.long {
			if best < 0 {
				return e
			}
			if !c.o.EPFL {
				break
			}
			if key < least && j.estimate <= slack { // following EPFL, it competes, and others may pass it
				return e
			}
			e = next
			continue
		}
		if best < 0 || key < least && j.estimate <= slack {
			best, least = e, key
		}
		slack = min(slack, j.limit-x.passed)
		e = next
	}
	return best
}
