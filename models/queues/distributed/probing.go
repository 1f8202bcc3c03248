package distributed

import (
	"math"
	"math/bits"

	"racecard/datasets/seed"
)

// pool is workers to draw from: all with numbers below size, those that are clear in a vector, or a list.
type pool struct {
	vector int32
	list   []int32
	size   int32
}

func (c *Cluster) everyone() pool       { return pool{size: int32(len(c.workers))} }
func (c *Cluster) clearIn(v int32) pool { return pool{vector: v, size: c.vectors.size(v)} }
func (c *Cluster) reserved() pool {
	if c.shortOnly == 0 {
		return c.everyone() // there are none: better behind long tasks than nowhere
	}
	return pool{size: c.shortOnly}
}

func (c *Cluster) at(p pool, k int32) int32 {
	switch {
	case p.list != nil:
		return p.list[k]
	case p.vector > 0:
		return c.vectors.at(p.vector, k)
	}
	return k
}

// draw draws n workers from a pool, uniformly: different ones while there are enough, then all once more; following
// EPFL, with replacement. Where probes stick, a worker needs no second one. It appends to to.
func (c *Cluster) draw(to []int32, r *random, n int32, p pool) []int32 {
	if c.o.EPFL {
		for range n {
			to = append(to, c.at(p, r.Below(p.size)))
		}
		return to
	}
	for n > p.size/2 {
		to = c.shuffle(to, r, n, p)
		if n -= p.size; n <= 0 || c.rules.Sticky {
			return to
		}
	}
	c.drawn.begin(n)
	for n > 0 {
		if w := c.at(p, r.Below(p.size)); c.drawn.add(w) {
			to = append(to, w)
			n--
		}
	}
	return to
}

// drawing is the set of workers drawn for one purpose: a hash table as large as the draw, not as the cluster, so
// that it stays in the cache. A slot holds a worker below the number of the drawing.
type drawing struct {
	slots  []uint64
	number uint64
	shift  int
}

// begin makes room for n workers and forgets earlier drawings.
func (d *drawing) begin(n int32) {
	if 2*int(n) > len(d.slots) {
		d.shift = 64 - bits.Len32(uint32(2*n))
		d.slots = make([]uint64, 1<<(64-d.shift))
	}
	d.number++
}

// add reports whether worker w was not drawn before.
func (d *drawing) add(w int32) bool {
	mask := uint64(len(d.slots) - 1)
	x := d.number<<32 | uint64(w)
	for i := uint64(w) * seed.Gamma >> d.shift; ; i++ {
		switch s := &d.slots[i&mask]; {
		case *s == x:
			return false
		case *s>>32 != d.number:
			*s = x
			return true
		}
	}
}

// shuffle draws a large part of a pool.
func (c *Cluster) shuffle(to []int32, r *random, n int32, p pool) []int32 {
	from := len(to)
	for k := range p.size {
		to = append(to, c.at(p, k))
	}
	all := to[from:]
	n = min(n, p.size)
	for k := range n {
		other := k + r.Below(p.size-k)
		all[k], all[other] = all[other], all[k]
	}
	return to[:from+int(n)]
}

// batch sends probes for short jobs as Sparrow does: some per task, to workers drawn from all.
type batch struct {
	least int32 // probes
}

// stream begins the random numbers of a job.
func (c *Cluster) stream(what uint64, j int32) random {
	return stream(c.o.Seed, what, uint64(uint32(j)))
}

// count returns how many probes a job sends.
func (c *Cluster) count(j int32, least int32) int32 {
	n := math.Ceil(c.o.ProbeRatio * float64(c.jobs[j].tasks))
	return max(least, int32(min(n, math.MaxInt32/2)))
}

func (b *batch) probe(c *Cluster, j int32) {
	r := c.stream(drawProbes, j)
	to := c.draw(c.targets[0][:0], &r, c.count(j, b.least), c.everyone())
	c.Probe(j, to, 1)
	c.targets[0] = to
}

// Draw draws n workers for a job, uniformly from all, different ones while there are enough. The slice is valid until
// the next call.
func (c *Cluster) Draw(j, n int32) []int32 {
	r := c.stream(drawPlaces, j)
	c.targets[0] = c.draw(c.targets[0][:0], &r, n, c.everyone())
	return c.targets[0]
}
