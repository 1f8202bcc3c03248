package leftover

import (
	"math"
	"slices"

	"racecard/datasets/trace"
)

// vector holds a number per resource that a run knows, in the order of its plan; the rest is zero.
type vector [trace.NumResources]int64

// profile is the amount that a schedule holds over time: a step function from microseconds to vectors. Steps lie
// in blocks with known minimum and maximum. A search passes over a block whose steps all conflict, or all fit,
// and an addition passes over blocks that it covers. A run of n attempts is placed in about n x sqrt(n) short
// steps at worst, and in far fewer if equal neighbours merge, as in a full schedule.
//
// The latest step comes first: attempts are placed from the end of the run backwards, so that few steps move when one
// is inserted.
type profile struct {
	m      int // resources in use
	blocks []*block
	unused []*block
}

// maxSteps is the number of steps at which a block is split.
const maxSteps = 128

// block is a sequence of steps. The held amount at step i is use[i] + extra.
type block struct {
	at        []int64 // starts of the steps, descending; each lasts until the one before it
	use       []vector
	extra     vector
	low, high vector // least and most of use, unless stale
	stale     bool
}

// reset empties the profile: nothing is held at any time.
func (p *profile) reset(m int) {
	p.m = m
	p.unused = append(p.unused, p.blocks...)
	p.blocks = append(p.blocks[:0], p.fresh())
	b := p.blocks[0]
	b.at, b.use = append(b.at, math.MinInt64), append(b.use, vector{})
}

func (p *profile) fresh() *block {
	if n := len(p.unused); n > 0 {
		b := p.unused[n-1]
		p.unused = p.unused[:n-1]
		*b = block{at: b.at[:0], use: b.use[:0]}
		return b
	}
	return &block{at: make([]int64, 0, maxSteps), use: make([]vector, 0, maxSteps)}
}

// first returns the start of the earliest step.
func (b *block) first() int64 { return b.at[len(b.at)-1] }

// latest returns the latest start of d microseconds that end by end and throughout which no more than room is held.
// There must be one: before its first step a profile holds nothing, and room must not be negative.
func (p *profile) latest(end, d int64, room *vector) int64 {
	if d == 0 {
		return end
	}
	k, i := p.find(end - 1)
	for ; k < len(p.blocks); k, i = k+1, 0 {
		b := p.blocks[k]
		if i == 0 {
			if all, none := b.conflicts(room, p.m); all {
				end = b.first()
				continue
			} else if none && b.first() > end-d {
				continue
			}
		}
		for ; i < len(b.at); i++ {
			if b.above(i, room, p.m) {
				end = b.at[i]
			} else if b.at[i] <= end-d {
				return end - d
			}
		}
	}
	panic("leftover: an attempt demands more than its run held at once")
}

// conflicts reports whether all steps hold more than room of some resource, and whether none does.
func (b *block) conflicts(room *vector, m int) (all, none bool) {
	if b.stale {
		b.measure(m)
	}
	none = true
	for r := range m {
		left := room[r] - b.extra[r]
		all = all || b.low[r] > left
		none = none && b.high[r] <= left
	}
	return all, none
}

// above reports whether step i holds more than room of some resource.
func (b *block) above(i int, room *vector, m int) bool {
	for r := range m {
		if b.use[i][r]+b.extra[r] > room[r] {
			return true
		}
	}
	return false
}

// find returns the block and the step that contain t.
func (p *profile) find(t int64) (k, i int) {
	for last := len(p.blocks) - 1; k < last; { // block last begins at or before t, those before k do not
		if middle := int(uint(k+last) / 2); p.blocks[middle].first() > t {
			k = middle + 1
		} else {
			last = middle
		}
	}
	return k, p.blocks[k].find(t)
}

// find returns the step that contains t.
func (b *block) find(t int64) (i int) {
	for last := len(b.at) - 1; i < last; {
		if middle := int(uint(i+last) / 2); b.at[middle] > t {
			i = middle + 1
		} else {
			last = middle
		}
	}
	return i
}

// raise adds an amount held during [from, to). from must be below to.
func (p *profile) raise(from, to int64, by *vector) {
	p.cut(to)
	first, step := p.cut(from)
	k, i := first, step
	for ; ; k, i = k-1, len(p.blocks[k-1].at)-1 {
		b := p.blocks[k]
		if i == len(b.at)-1 && k > 0 && p.blocks[k-1].first() <= to {
			for r := range p.m {
				b.extra[r] += by[r]
			}
			continue
		}
		for ; i >= 0 && b.at[i] < to; i-- {
			for r := range p.m {
				b.use[i][r] += by[r]
			}
		}
		b.stale = true
		if i >= 0 {
			break // at the step at to
		}
	}
	p.join(first, step)
	p.join(k, i)
}

// cut makes a step begin at t and returns its block and index.
func (p *profile) cut(t int64) (k, i int) {
	k, i = p.find(t)
	b := p.blocks[k]
	if b.at[i] == t {
		return k, i
	}
	b.at, b.use = append(b.at, 0), append(b.use, vector{})
	copy(b.at[i+1:], b.at[i:])
	copy(b.use[i+1:], b.use[i:])
	b.at[i] = t
	if len(b.at) < maxSteps {
		return k, i
	}
	const half = maxSteps / 2
	c := p.fresh()
	c.at, c.use, c.extra = append(c.at, b.at[half:]...), append(c.use, b.use[half:]...), b.extra
	b.at, b.use = b.at[:half], b.use[:half]
	b.stale, c.stale = true, true
	p.blocks = slices.Insert(p.blocks, k+1, c)
	if i >= half {
		return k + 1, i - half
	}
	return k, i
}

// join merges a step with the earlier one next to it if both hold the same.
func (p *profile) join(k, i int) {
	b := p.blocks[k]
	earlier, j := b, i+1
	if j == len(b.at) {
		if k == len(p.blocks)-1 {
			return
		}
		earlier, j = p.blocks[k+1], 0
	}
	for r := range p.m {
		if b.use[i][r]+b.extra[r] != earlier.use[j][r]+earlier.extra[r] {
			return
		}
	}
	b.at, b.use = append(b.at[:i], b.at[i+1:]...), append(b.use[:i], b.use[i+1:]...)
	if len(b.at) == 0 {
		p.unused = append(p.unused, b)
		p.blocks = slices.Delete(p.blocks, k, k+1)
		return
	}
	b.stale = true
}

// measure finds the least and the most of the block's steps.
func (b *block) measure(m int) {
	b.low, b.high, b.stale = b.use[0], b.use[0], false
	for i := 1; i < len(b.use); i++ {
		for r := range m {
			b.low[r], b.high[r] = min(b.low[r], b.use[i][r]), max(b.high[r], b.use[i][r])
		}
	}
}

// each calls visit with every step, in ascending order of time.
func (p *profile) each(visit func(at int64, held *vector)) {
	var held vector
	for k := len(p.blocks) - 1; k >= 0; k-- {
		b := p.blocks[k]
		for i := len(b.at) - 1; i >= 0; i-- {
			for r := range p.m {
				held[r] = b.use[i][r] + b.extra[r]
			}
			visit(b.at[i], &held)
		}
	}
}
