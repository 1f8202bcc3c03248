package distributed

import (
	"fmt"
	"math"

	"racecard/datasets/words"
)

// shortestFirst has workers choose the probe of the job with least remaining work (SRPT), if enough of those in front
// of it may be passed: Algorithm 1 of the Eagle paper. A task of a long job at the front runs; the search ends at the
// first one behind. Probes of jobs that have no task left are removed on the way.
type shortestFirst struct{}

// Choose implements [Chooser].
func (shortestFirst) Choose(c *Cluster, w int32) int {
	c.settle()
	live := c.live(w)
	best, least, slack := -1, int64(math.MaxInt64), int64(math.MaxInt64)
	kept, seen := 0, 0
search:
	for ; seen < len(live); seen++ {
		x := &live[seen]
		j := &c.jobs[x.job]
		if j.visible == 0 && x.task < 0 {
			if c.detail != nil {
				c.detail.forget(x.record)
			}
			continue
		}
		key := j.estimate * int64(j.visible)
		switch {
		case j.long && best < 0:
			best = kept
			break search
		case j.long && !c.o.EPFL:
			break search
		case j.long: // following EPFL, it competes, and others may pass it
			if key < least && j.estimate <= slack {
				best = kept
				break search
			}
		default:
			// Without a branch, half of whose guesses would be wrong: if key < least && j.estimate <= slack { best,
			// least = kept, key }
			better := ((key - least) & (j.estimate - slack - 1)) >> 63
			best ^= (best ^ kept) & int(better)
			least ^= (least ^ key) & better
			slack = min(slack, j.limit-x.passed)
		}
		if kept < seen {
			live[kept] = *x
		}
		kept++
	}
	if kept < seen {
		c.compact(w, kept, seen)
	}
	if c.looks += int64(seen); c.looks > c.o.MostLooks {
		c.failure = fmt.Errorf("the queues of workers are too long: %s tasks wait in one, and workers have looked at "+
			"%s tasks by now, for each that they start at all that wait: take more machines, or fewer runs, or a "+
			"scheduler that takes the first", words.Count(len(live)), words.Count(c.o.MostLooks))
	}
	return best
}
