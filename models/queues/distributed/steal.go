package distributed

import "racecard/datasets/seed"

// thief has workers that become idle steal short tasks that wait behind long ones, as Hawk does.
type thief struct{}

// stealing is an idle worker that has asked for work; the answer is there at an instant.
type stealing struct {
	at     int64
	worker int32
	left   int32 // workers that it may still ask, this one included
	random random
}

// Idle implements [Idler].
func (thief) Idle(c *Cluster, w int32) {
	if c.o.Steals == 0 || int(c.shortOnly) == len(c.workers) {
		return
	}
	r := random(seed.Mix(c.o.Seed ^ drawVictims + seed.Gamma*uint64(w) + uint64(c.now)))
	if !c.o.EPFL {
		c.asking.push(stealing{c.now + 2*c.o.Delay, w, int32(c.o.Steals), r})
		return
	}
	for range c.o.Steals {
		if c.rob(w, &r) {
			c.wake(w)
			return
		}
	}
}

// stolen is the outcome of asking a worker.
func (c *Cluster) stolen(s stealing) {
	if c.workers[s.worker].free == 0 {
		return
	}
	if c.rob(s.worker, &s.random) {
		c.wake(s.worker)
		return
	}
	if s.left--; s.left > 0 {
		s.at = c.now + 2*c.o.Delay
		c.asking.push(s)
	}
}

// rob moves, from a random worker of the general partition, the first group of probes that waits behind a long task to
// the end of the queue of another worker, if there is one.
func (c *Cluster) rob(w int32, r *random) bool {
	victim := c.shortOnly + r.Below(int32(len(c.workers))-c.shortOnly)
	if !c.stealable.has(victim) || !c.HasLong(victim) || victim == w {
		return false
	}
	live := c.live(victim)
	long := func(i int) bool { return c.jobs[live[i].job].long }
	from := 0
	if int(c.workers[victim].runsLong) < c.Slots(victim) { // else the first ones wait for a long task, too
		for from < len(live) && !long(from) {
			from++
		}
	}
	for from < len(live) && long(from) {
		from++
	}
	after := from
	for after < len(live) && !long(after) {
		x := live[after]
		if c.detail != nil {
			c.detail.stole(c, x, victim, w)
		}
		*c.extend(w) = x
		if c.HasLong(w) {
			c.stealable.set(w)
		}
		if c.watch != nil {
			c.watch.Moved(Event{c.now, w, x.job, x.task}, victim)
		}
		after++
	}
	if from == after {
		c.stealable.unset(victim)
		return false
	}
	c.out.Counts.Stolen += int64(after - from)
	c.compact(victim, from, after)
	return true
}
