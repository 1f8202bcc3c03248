package distributed

import "slices"

// entry is a probe or an early-bound task in the queue of a worker.
type entry struct {
	job    int32
	task   int32 // early-bound; -1 for a probe
	at     int64 // when it came
	passed int64 // estimated work that has passed it
	record int32 // of detail
	got    int32 // tasks
}

// queue is what waits at a worker, in the order in which it came: items[head:], next to each other, so that to look through it is quick.
type queue struct {
	items []entry
	head  int32
}

func (q *queue) len() int { return len(q.items) - int(q.head) }

// live is the entries; those behind i are moved by what changes the queue.
func (q *queue) live() []entry { return q.items[q.head:] }

func (q *queue) push(x entry) {
	if len(q.items) == cap(q.items) && q.head > 0 && int(q.head) >= len(q.items)/2 {
		q.items = q.items[:copy(q.items, q.items[q.head:])]
		q.head = 0
	}
	q.items = append(q.items, x)
}

// remove takes out the i-th entry.
func (q *queue) remove(i int) {
	if i > 0 {
		q.items = slices.Delete(q.items, int(q.head)+i, int(q.head)+i+1)
		return
	}
	q.head++
	if int(q.head) == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
}

// compact takes out the entries that live()[kept:seen] were, and keeps those behind.
func (q *queue) compact(kept, seen int) {
	if kept == 0 {
		q.head += int32(seen)
		if int(q.head) == len(q.items) {
			q.items, q.head = q.items[:0], 0
		}
		return
	}
	q.items = slices.Delete(q.items, int(q.head)+kept, int(q.head)+seen)
}

// append puts an entry at the end of a worker's queue.
func (c *Cluster) append(w, n, task int32) {
	me := &c.workers[w]
	x := entry{job: n, task: task, at: c.now}
	if c.jobs[n].long {
		me.longs++
	}
	if c.detail != nil {
		x.record = c.detail.came(c, w)
	}
	me.queue.push(x)
	if c.watch != nil {
		c.watch.Queued(Event{c.now, w, n, task})
	}
}

// remove takes the i-th entry out of a worker's queue.
func (c *Cluster) remove(w int32, i int) {
	q := &c.workers[w].queue
	if c.detail != nil {
		c.detail.forget(q.live()[i].record)
	}
	q.remove(i)
}

// holds reports whether a worker has a probe of a job in its queue. Those that came since the job was submitted are the last.
func (c *Cluster) holds(w, n int32) bool {
	since, live := c.jobs[n].submit, c.workers[w].queue.live()
	for i := len(live) - 1; i >= 0 && live[i].at >= since; i-- {
		if live[i].job == n {
			return true
		}
	}
	return false
}
