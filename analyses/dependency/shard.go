package dependency

import (
	"context"
	"math"
	"sync/atomic"
)

// set is a set of items of one shard. It is a list while it is short; then the numbers of its blocks, or a sketch.
type set struct {
	numbers []int32 // items, in no order; or blocks
	sketch  []uint64
	blocks  bool
	count   int32
}

// setBytes is the size of a set without the contents of its slices.
const setBytes = 64

// shard visits the runs of a component from the last to the first. It reuses its memory from task to task.
type shard struct {
	*counter
	task
	slot   []int32 // by index of the run: where its set is; -1 when it has none
	uses   []int32 // by index of the run: how many runs still need its set
	sets   []set
	vacant []int32 // slots that are free

	store  blocks
	sweeps int      // number of blocks at which unused ones are dropped
	held   int64    // bytes of sets
	marks  []uint64 // bits of items; all zero between calls
	marked []bool   // by block, whether marks has any of its items
	wide   [][]int32
	items  []int32
}

// do counts the items downstream of every run. It ends early when the component's sets do not fit.
func (l *shard) do(ctx context.Context) {
	n := len(l.runs)
	l.begin(n)
	for i := range n { // from the end
		if i%1024 == 0 && (ctx.Err() != nil || l.precision == 0 && l.over.Load()) {
			return
		}
		at := n - 1 - i
		run := l.runs[at]
		l.slot[at], l.uses[at] = -1, l.graph.producers[run]
		children := l.graph.of(run)
		if len(children) == 0 {
			continue
		}
		s := l.union(i, children)
		atomic.AddInt32(&l.counts[run], s.count)
		l.slot[at] = l.keep(s)
		if l.uses[at] == 0 {
			l.drop(at)
		}
		for _, child := range children {
			k := int(l.index[child])
			if l.uses[k]--; l.uses[k] == 0 {
				l.drop(k)
			}
		}
		if l.precision == 0 && !l.fits() {
			l.over.Store(true)
		}
	}
}

func (l *shard) begin(n int) {
	l.slot, l.uses = resize(l.slot, n), resize(l.uses, n)
	clear(l.sets)
	l.sets, l.vacant, l.held = l.sets[:0], l.vacant[:0], 0
	l.store.reset()
	l.sweeps = 1 << 12
	parts := l.size/l.shards/blockBits + 1
	l.marks, l.marked = resize(l.marks, parts*blockWords), resize(l.marked, parts)
}

// fits drops blocks that are not used, when there are many, and reports whether the sets fit.
func (l *shard) fits() bool {
	if l.store.len() > l.sweeps || l.held+l.store.bytes() > l.limit && 2*l.store.len() > l.sweeps {
		l.store.sweep(func(yield func([]int32)) {
			for i := range l.sets {
				if l.sets[i].blocks {
					yield(l.sets[i].numbers)
				}
			}
		})
		l.sweeps = max(1<<12, 2*l.store.len())
	}
	return l.held+l.store.bytes() <= l.limit
}

// resize returns a slice of n values; those that it had stay.
func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]T, n-cap(s))...)
}

// own returns the number in this shard of the item of a run, -1 when it has none, or one of another shard.
func (l *shard) own(run int32) int32 {
	item := l.item(run)
	if item < 0 || int(item)%l.shards != l.shard {
		return -1
	}
	return item / int32(l.shards)
}

// union returns the set of the i-th run from the end, whose children are given. It is a list while a list takes little
// more memory than blocks or a sketch.
func (l *shard) union(i int, children []int32) set {
	items := l.size
	if l.grows {
		items = i
	}
	parts := items/l.shards/blockBits + 1
	most := parts + blockWords
	if l.precision > 0 {
		most = 1 << l.precision / 4
	}
	if list, ok := l.gather(children, most); ok {
		return set{numbers: append(make([]int32, 0, len(list)), list...), count: int32(len(list))}
	}
	if l.precision > 0 {
		return l.estimate(children)
	}
	s := l.first(children)
	for len(s.numbers) < parts {
		s.numbers = append(s.numbers, 0)
	}
	l.mark(children)
	for k, first := range s.numbers {
		if b := l.part(k, first); b != first {
			s.count += l.store.count[b] - l.store.count[first]
			s.numbers[k] = b
		}
	}
	return s
}

// mark sets l.wide to the sets of the children that consist of blocks, and puts the items of all others, and the
// children's own, into l.marks.
func (l *shard) mark(children []int32) {
	l.wide = l.wide[:0]
	add := func(x int32) {
		l.marks[x/64] |= 1 << (x % 64)
		l.marked[x/blockBits] = true
	}
	for _, child := range children {
		if x := l.own(child); x >= 0 {
			add(x)
		}
		from := l.of(child)
		if from == nil {
			continue
		}
		if from.blocks {
			l.wide = append(l.wide, from.numbers)
			continue
		}
		for _, x := range from.numbers {
			add(x)
		}
	}
}

// part returns the union of a block, of the k-th blocks of l.wide and of that part of l.marks, which it clears.
func (l *shard) part(k int, first int32) int32 {
	same := !l.marked[k]
	for _, numbers := range l.wide {
		if k < len(numbers) && numbers[k] != first && numbers[k] != 0 {
			same = false
			break
		}
	}
	if same {
		return first
	}
	union := *l.store.at(first)
	largest := first
	for _, numbers := range l.wide {
		if k >= len(numbers) || numbers[k] == first {
			continue
		}
		for i, w := range l.store.at(numbers[k]) {
			union[i] |= w
		}
		if l.store.count[numbers[k]] > l.store.count[largest] {
			largest = numbers[k]
		}
	}
	if l.marked[k] {
		marks := l.marks[k*blockWords : (k+1)*blockWords]
		for i, w := range marks {
			union[i] |= w
		}
		clear(marks)
		l.marked[k] = false
	}
	if union == *l.store.at(largest) {
		return largest
	}
	return l.store.intern(&union)
}

// of returns the set of a run, nil when it has none.
func (l *shard) of(run int32) *set {
	if slot := l.slot[l.index[run]]; slot >= 0 {
		return &l.sets[slot]
	}
	return nil
}

// first returns the set of blocks to begin a union with: a child's set, itself if no other run needs it,
// otherwise a copy.
func (l *shard) first(children []int32) set {
	var first *set
	for _, child := range children {
		s := l.of(child)
		if s == nil || !s.blocks {
			continue
		}
		if l.uses[l.index[child]] == 1 {
			taken := *s
			l.held -= s.bytes()
			*s = set{}
			l.held += s.bytes()
			return taken
		}
		if first == nil || s.count > first.count {
			first = s
		}
	}
	if first == nil {
		return set{blocks: true}
	}
	return set{blocks: true, numbers: append([]int32(nil), first.numbers...), count: first.count}
}

// bytes returns the memory of a set, without its blocks.
func (s *set) bytes() int64 { return setBytes + 4*int64(cap(s.numbers)) + 8*int64(cap(s.sketch)) }

// estimate returns the union of sets as a sketch.
func (l *shard) estimate(children []int32) set {
	s := set{sketch: make([]uint64, 1<<l.precision/8)}
	insert := func(x int32) {
		sketchInsert(s.sketch, l.precision, l.hash(x*int32(l.shards)+int32(l.shard)))
	}
	for _, child := range children {
		if x := l.own(child); x >= 0 {
			insert(x)
		}
		if from := l.of(child); from != nil {
			for _, x := range from.numbers {
				insert(x)
			}
			if from.sketch != nil {
				sketchMerge(s.sketch, from.sketch)
			}
		}
	}
	l.sketched.Store(true)
	s.count = int32(math.Round(sketchEstimate(s.sketch, l.precision)))
	return s
}

// gather returns the items of the children and of their sets, if the sets are lists with at most most items. The result
// is valid until the next call.
func (l *shard) gather(children []int32, most int) (items []int32, ok bool) {
	items, ok = l.items[:0], true
	add := func(x int32) {
		if w, bit := &l.marks[x/64], uint64(1)<<(x%64); *w&bit == 0 {
			*w |= bit
			items = append(items, x)
		}
	}
	for _, child := range children {
		if x := l.own(child); x >= 0 {
			add(x)
		}
		if from := l.of(child); from != nil {
			if ok = !from.blocks && from.sketch == nil; !ok {
				break
			}
			for _, x := range from.numbers {
				add(x)
			}
		}
		if ok = len(items) <= most; !ok {
			break
		}
	}
	for _, x := range items {
		l.marks[x/64] = 0
	}
	l.items = items
	return items, ok
}

// keep stores a set and returns where.
func (l *shard) keep(s set) int32 {
	l.held += s.bytes()
	if k := len(l.vacant) - 1; k >= 0 {
		slot := l.vacant[k]
		l.vacant = l.vacant[:k]
		l.sets[slot] = s
		return slot
	}
	l.sets = append(l.sets, s)
	return int32(len(l.sets) - 1)
}

// drop drops the set of a run, if it has one.
func (l *shard) drop(index int) {
	slot := l.slot[index]
	if slot < 0 {
		return
	}
	l.held -= l.sets[slot].bytes()
	l.sets[slot] = set{}
	l.slot[index] = -1
	l.vacant = append(l.vacant, slot)
}
