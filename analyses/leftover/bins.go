package leftover

import (
	"slices"

	"racecard/datasets/trace"
)

// bins hold integrals of resources held by all runs, and of leftover, over stretches of time of 2^shift
// microseconds: bin i is [(first+i) << shift, (first+i+1) << shift). The width is the least at which all fit, in
// whatever order they came.
type bins struct {
	most   int // bins
	shift  uint
	first  int64
	events []int64
	alloc  [trace.NumResources][]product // nil for resources that no run knew
	spare  [trace.NumResources][]product
}

// pour adds sorted steps.
func (b *bins) pour(s *steps) {
	if s.len() == 0 {
		return
	}
	b.cover(s.at[0], s.at[s.len()-1])
	for r := range s.alloc {
		if s.alloc[r] != nil {
			b.column(trace.Resource(r))
		}
	}
	var now levels
	for i, at := range s.at {
		b.events[(at>>b.shift)-b.first] += int64(s.events[i])
		now.apply(s, i)
		if i+1 < s.len() {
			b.hold(&now, at, s.at[i+1])
		}
	}
}

// hold adds an amount held during [from, to).
func (b *bins) hold(now *levels, from, to int64) {
	for r := range b.alloc {
		if now.alloc[r].zero() { // nothing to give away
			continue
		}
		for at := from; at < to; {
			n := at >> b.shift
			end := min(to, (n+1)<<b.shift)
			b.alloc[r][n-b.first].add(now.alloc[r], uint64(end-at))
			if !now.spare[r].zero() {
				b.spare[r][n-b.first].add(now.spare[r], uint64(end-at))
			}
			at = end
		}
	}
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
			k := ((c.first + int64(i)) >> by) - b.first
			b.alloc[r][k].plus(c.alloc[r][i])
			b.spare[r][k].plus(c.spare[r][i])
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
		b.alloc[r], b.spare[r] = make([]product, len(b.events)), make([]product, len(b.events))
	}
}

// from returns the start of bin i, and width its length, in microseconds.
func (b *bins) from(i int) int64 { return (b.first + int64(i)) << b.shift }
func (b *bins) width() int64     { return 1 << b.shift }
