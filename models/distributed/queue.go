package distributed

// A queue is a list of entries, linked both ways, that begins at worker.head. Entries live in one slice; those that are free are
// linked through next.

// append puts an entry at the end of a worker's queue.
func (c *Cluster) append(w, n, task int32) {
	e := c.free
	if e >= 0 {
		c.free = c.entries[e].next
	} else {
		e = int32(len(c.entries))
		c.entries = append(c.entries, entry{})
		if c.detail != nil {
			c.detail.grow(len(c.entries))
		}
	}
	me := &c.workers[w]
	c.entries[e] = entry{next: -1, prev: me.tail, job: n, task: task, at: c.now}
	if me.tail >= 0 {
		c.entries[me.tail].next = e
	} else {
		me.head = e
	}
	me.tail = e
	me.length++
	if c.jobs[n].long {
		me.longs++
	}
	if c.detail != nil {
		c.detail.came(c, e, w)
	}
	if c.watch != nil {
		c.watch.Queued(Event{c.now, w, n, task})
	}
}

// remove takes an entry out of a worker's queue and frees it.
func (c *Cluster) remove(w, e int32) {
	me, x := &c.workers[w], &c.entries[e]
	if x.prev >= 0 {
		c.entries[x.prev].next = x.next
	} else {
		me.head = x.next
	}
	if x.next >= 0 {
		c.entries[x.next].prev = x.prev
	} else {
		me.tail = x.prev
	}
	me.length--
	x.next = c.free
	c.free = e
}

// holds reports whether a worker has a probe of a job in its queue. Those that came since the job was submitted are the last.
func (c *Cluster) holds(w, n int32) bool {
	since := c.jobs[n].submit
	for e := c.workers[w].tail; e >= 0 && c.entries[e].at >= since; e = c.entries[e].prev {
		if c.entries[e].job == n {
			return true
		}
	}
	return false
}
