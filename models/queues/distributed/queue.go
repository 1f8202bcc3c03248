package distributed

import (
	"math"
	"slices"
)

// entry is a probe or an early-bound task in the queue of a worker.
type entry struct {
	job    int32
	task   int32  // early-bound; below 0 for a probe
	passed int64  // estimated work that has passed it
	came   uint32 // when: see coarse
	record int32  // of detail
}

// Values of the task of a probe.
const (
	fresh = -1
	stuck = -2 // it has got a task
)

// coarse is an instant in units of 8 ms, saturating.
func coarse(t int64) uint32 { return uint32(min(t>>13, math.MaxUint32)) }

// worker holds its queue in order of arrival, contiguous, so that scanning is quick. A short queue is part of the
// worker, and its first two entries share a cache line with the rest of the state. A longer queue is in a block of a
// store shared by all workers, until it is empty. So an event at a worker touches one or two places in memory.
type worker struct {
	head, n  int32 // live are those from head to n, of short, or of its block
	block    int32 // where that begins in the store, in units of short; 0 for none
	free     uint8 // slots that are not busy; a busy one runs a task, or waits for the answer that there is none
	runs     uint8 // slots that run a task
	runsLong uint8 // slots that run a task of a long job
	short    [short]entry
	_        [16]byte
}

const short = 4

// room is the number of entries that fit without another block.
func (q *worker) room(s *store) int {
	if q.block == 0 {
		return short
	}
	return short << s.sizes[q.block]
}

// store holds the blocks of long queues: of 8, 16, 32 ... entries.
type store struct {
	items []entry
	sizes []uint8 // of the block that begins there, by unit: the power of two of its units
	free  [32][]int32
}

// take returns a block of a size.
func (s *store) take(size uint8) int32 {
	if n := len(s.free[size]); n > 0 {
		b := s.free[size][n-1]
		s.free[size] = s.free[size][:n-1]
		return b
	}
	b := max(1, len(s.sizes))
	for need := b + 1<<size; len(s.sizes) < need; {
		if need*short > cap(s.items) {
			s.items = slices.Grow(s.items, max(need*short, 2*cap(s.items))-len(s.items))
			s.sizes = slices.Grow(s.sizes, cap(s.items)/short-len(s.sizes))
		}
		s.items, s.sizes = s.items[:need*short], s.sizes[:need]
	}
	s.sizes[b] = size
	return int32(b)
}

// live is the entries of a worker. Changes of the queue move the entries behind i.
func (c *Cluster) live(w int32) []entry {
	q := &c.workers[w]
	if q.block == 0 {
		return q.short[q.head:q.n]
	}
	from := int(q.block) * short
	return c.queues.items[from+int(q.head) : from+int(q.n)]
}

// extend makes room for an entry at the end of a worker's queue. The caller sets all of it in place, not by a
// copy, since a copy would wait for the write.
func (c *Cluster) extend(w int32) *entry {
	q := &c.workers[w]
	i := q.n
	if q.block > 0 || i == short {
		if room := q.room(&c.queues); int(i) == room {
			c.makeRoom(w, room)
			i = q.n
		}
	}
	q.n++
	if q.block == 0 {
		return &q.short[i]
	}
	return &c.queues.items[int(q.block)*short+int(i)]
}

// makeRoom moves the entries of a queue to its beginning, or to a larger block.
func (c *Cluster) makeRoom(w int32, room int) {
	q := &c.workers[w]
	live := c.live(w)
	if int(q.head) >= (room+1)/2 {
		if q.block == 0 {
			copy(q.short[:], live)
		} else {
			copy(c.queues.items[int(q.block)*short:], live)
		}
	} else {
		size := uint8(1)
		if q.block > 0 {
			size = c.queues.sizes[q.block] + 1
		}
		b := c.queues.take(size)
		copy(c.queues.items[int(b)*short:], live)
		c.drop(q)
		q.block = b
	}
	q.head, q.n = 0, int32(len(live))
}

// drop gives back the block of a queue.
func (c *Cluster) drop(q *worker) {
	if b := q.block; b > 0 {
		size := c.queues.sizes[b]
		c.queues.free[size] = append(c.queues.free[size], b)
		q.block = 0
	}
}

// compact removes the entries live()[kept:seen] of a worker.
func (c *Cluster) compact(w int32, kept, seen int) {
	q := &c.workers[w]
	if kept > 0 {
		live := c.live(w)
		q.n = q.head + int32(kept+copy(live[kept:], live[seen:]))
		return
	}
	if q.head += int32(seen); q.head == q.n {
		q.head, q.n = 0, 0
		c.drop(q)
	}
}

// append puts an entry at the end of a worker's queue.
func (c *Cluster) append(w, n, task int32) {
	if c.jobs[n].long {
		c.addLong(w)
	} else if c.HasLong(w) {
		c.stealable.set(w)
	}
	record := int32(0)
	if c.detail != nil {
		record = c.detail.came(c, w)
	}
	x := c.extend(w)
	x.job, x.task, x.passed, x.came, x.record = n, task, 0, coarse(c.now), record
	if c.watch != nil {
		c.watch.Queued(Event{c.now, w, n, task})
	}
}

// remove takes the i-th entry out of a worker's queue.
func (c *Cluster) remove(w int32, i int) {
	if c.detail != nil {
		c.detail.forget(c.live(w)[i].record)
	}
	c.compact(w, i, i+1)
}

// holds reports whether a worker has a probe of a job in its queue. Those that came since the job was submitted are the
// last.
func (c *Cluster) holds(w, n int32) bool {
	since, live := coarse(c.jobs[n].submit), c.live(w)
	for i := len(live) - 1; i >= 0 && live[i].came >= since; i-- {
		if live[i].job == n {
			return true
		}
	}
	return false
}
