package distributed

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
	r := random(mix(c.o.Seed ^ drawVictims + gamma*uint64(w) + uint64(c.now)))
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

// stolen is what becomes of asking a worker.
func (c *Cluster) stolen(s stealing) {
	if c.workers[s.worker].running != idle {
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

// rob moves, from a random worker of the general partition, the first group of probes that waits behind a long task to the
// end of the queue of another worker, if there is one.
func (c *Cluster) rob(w int32, r *random) bool {
	victim := c.shortOnly + r.below(int32(len(c.workers))-c.shortOnly)
	me := &c.workers[victim]
	if me.longs == 0 || victim == w {
		return false
	}
	e := me.head
	if me.running < 0 || !c.jobs[me.running].long {
		for e >= 0 && !c.jobs[c.entries[e].job].long {
			e = c.entries[e].next
		}
	}
	for e >= 0 && c.jobs[c.entries[e].job].long {
		e = c.entries[e].next
	}
	moved := false
	for e >= 0 && !c.jobs[c.entries[e].job].long {
		next := c.entries[e].next
		c.move(victim, w, e)
		e, moved = next, true
	}
	return moved
}

// move puts an entry of a worker at the end of the queue of another one.
func (c *Cluster) move(from, to, e int32) {
	c.out.Counts.Stolen++
	me := &c.workers[to]
	c.remove(from, e)
	x := &c.entries[e]
	c.free = x.next
	x.prev, x.next = me.tail, -1
	if me.tail >= 0 {
		c.entries[me.tail].next = e
	} else {
		me.head = e
	}
	me.tail = e
	me.length++
	if c.detail != nil {
		c.detail.stole(c, e, from, to)
	}
	if c.watch != nil {
		c.watch.Moved(Event{c.now, to, x.job, -1}, from)
	}
}
