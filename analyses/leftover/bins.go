package leftover

import (
	"slices"

	"racecard/datasets/trace"
)

// bins hold how the resources held by all runs, and leftover, change over stretches of time of 2^shift microseconds:
// bin i is [(first+i) << shift, (first+i+1) << shift). The width is the least at which all fit. Bins hold the same in
// whatever order runs and their steps come.
type bins struct {
	most   int // bins
	shift  uint
	first  int64
	events []int64
	alloc  [trace.NumResources][]change // nil for resources that no run knew
	spare  [trace.NumResources][]change
}

// change is how an amount changes within a bin. A change may be negative; sums over runs that have ended are not, so
// numbers that wrap around give them all the same.
type change struct {
	level amount  // the sum of all changes
	held  product // the sum of the changes, each times the time from it to the end of the bin
}

// add adds a change of an amount, dt microseconds before the end of the bin.
func (c *change) add(a amount, dt uint64) {
	c.level = c.level.plus(a)
	c.held.add(a, dt)
}

// fold adds the changes of a bin that ends dt microseconds before this one.
func (c *change) fold(d change, dt uint64) {
	c.held.plus(d.held)
	c.add(d.level, dt)
}

// pour adds steps, in any order.
func (b *bins) pour(s *steps) {
	if s.len() == 0 {
		return
	}
	b.cover(slices.Min(s.at), slices.Max(s.at))
	for i, at := range s.at {
		b.events[(at>>b.shift)-b.first] += int64(s.events[i])
	}
	for r := range s.alloc {
		if s.alloc[r] == nil {
			continue
		}
		b.column(trace.Resource(r))
		alloc, spare := b.alloc[r], b.spare[r]
		for i, at := range s.at {
			n := at >> b.shift
			dt := uint64((n+1)<<b.shift - at)
			alloc[n-b.first].add(s.alloc[r][i], dt)
			spare[n-b.first].add(s.spare[r][i], dt)
		}
	}
}

// held returns the integral over each bin of an amount that changes so.
func (b *bins) held(changes []change) []product {
	out := make([]product, len(changes))
	var level amount
	for i, c := range changes {
		out[i] = c.held
		out[i].add(level, 1<<b.shift)
		level = level.plus(c.level)
	}
	return out
}

// cover makes bins for [from, to), and widens all bins if there would be too many.
func (b *bins) cover(from, to int64) {
	if len(b.events) > 0 {
		from = min(from, b.first<<b.shift)
		to = max(to, (b.first+int64(len(b.events)))<<b.shift-1)
	}
	shift := b.shift
	for (to>>shift)-(from>>shift)+1 > int64(b.most) {
		shift++
	}
	first, n := from>>shift, int((to>>shift)-(from>>shift)+1)
	if len(b.events) > 0 && shift == b.shift && first == b.first && n == len(b.events) {
		return
	}
	if len(b.events) > 0 && shift == b.shift && first == b.first { // later ones: keep the memory
		b.events = extend(b.events, n)
		for r := range b.alloc {
			if b.alloc[r] != nil {
				b.alloc[r], b.spare[r] = extend(b.alloc[r], n), extend(b.spare[r], n)
			}
		}
		return
	}
	wider := bins{most: b.most, shift: shift, first: first, events: make([]int64, n)}
	wider.fold(b)
	*b = wider
}

// fold adds bins that are at most as wide and that b covers.
func (b *bins) fold(c *bins) {
	by := b.shift - c.shift
	for i, n := range c.events {
		b.events[((c.first+int64(i))>>by)-b.first] += n
	}
	for r := range c.alloc {
		if c.alloc[r] == nil {
			continue
		}
		b.column(trace.Resource(r))
		for i := range c.alloc[r] {
			n := c.first + int64(i)
			k := n >> by
			dt := uint64((k+1)<<by-(n+1)) << c.shift
			b.alloc[r][k-b.first].fold(c.alloc[r][i], dt)
			b.spare[r][k-b.first].fold(c.spare[r][i], dt)
		}
	}
}

// add adds the amounts of c. c must not be used afterwards.
func (b *bins) add(c *bins) {
	if len(c.events) == 0 {
		return
	}
	b.cover(c.first<<c.shift, (c.first+int64(len(c.events)))<<c.shift-1)
	b.fold(c)
}

// widen doubles the width of the bins.
func (b *bins) widen() {
	last := b.first + int64(len(b.events)) - 1
	wider := bins{most: b.most, shift: b.shift + 1, first: b.first >> 1,
		events: make([]int64, (last>>1)-(b.first>>1)+1)}
	wider.fold(b)
	*b = wider
}

// thin returns the same in at most n bins.
func (b *bins) thin(n int) *bins {
	c := &bins{most: n, shift: b.shift, first: b.first, events: slices.Clone(b.events), alloc: b.alloc, spare: b.spare}
	for len(c.events) > n {
		c.widen()
	}
	return c
}

// column makes room for a resource.
func (b *bins) column(r trace.Resource) {
	if b.alloc[r] == nil {
		b.alloc[r], b.spare[r] = make([]change, len(b.events)), make([]change, len(b.events))
	}
}

// from returns the start of bin i, and width its length, in microseconds.
func (b *bins) from(i int) int64 { return (b.first + int64(i)) << b.shift }
func (b *bins) width() int64     { return 1 << b.shift }
