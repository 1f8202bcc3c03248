package sim

import (
	"math"
	"slices"
)

// An event is its time in microseconds above slotBits bits of the slot whose attempt ends then. One comparison
// orders events by time, and events of one instant by slot.
const (
	slotBits = 20
	slotMask = 1<<slotBits - 1
	maxSlots = 1<<slotBits - 16
	idle     = math.MaxUint64 // the event of a slot without an attempt
	limit    = 1 << 43        // a run that lasts longer is too long; with an attempt of MaxDuration on top, times fit
)

// MaxTokens bounds the tokens of a run, here and wherever tokens are asked for: a run has about as many tasks at most,
// so that more would be idle.
const MaxTokens = 1_000_000

// events is a winner tree (Knuth, The Art of Computer Programming 3, 5.4.1) of the slots: node i holds the
// earlier one of nodes 2i and 2i+1, so that node 1 is the next event. The second half are the slots, a power of
// two of them. Changing a slot takes one load, one comparison and one store per level, at places that depend on
// the slot's number alone. Unlike in a heap, no branch depends on times and no load on another load.
type events []uint64

// set makes x the event of a slot.
func (e events) set(slot int32, x uint64) {
	i := uint(len(e)/2) + uint(slot)
	for i > 1 {
		e[i] = x
		x = min(x, e[i^1])
		i >>= 1
	}
	e[1] = x
}

// leaf makes x the event of a slot, but leaves it to build to find the next one.
func (e events) leaf(slot int32, x uint64) { e[len(e)/2+int(slot)] = x }

func (e events) build() {
	for i := len(e)/2 - 1; i > 0; i-- {
		e[i] = min(e[2*i], e[2*i+1])
	}
}

// slots are the events of all slots, in order.
func (e events) slots() []uint64 { return e[len(e)/2:] }

// room returns events of as many idle slots, at least n of them, as a power of two holds, in the memory of e where that
// suffices.
func (e events) room(n int) events {
	size := 1
	for size < n {
		size *= 2
	}
	e = slices.Grow(e[:0], 2*size)[:2*size]
	for i := range e {
		e[i] = idle
	}
	return e
}

// double returns events of twice as many slots, in the memory of e where that suffices.
func (e events) double() events {
	size := len(e) / 2
	e = slices.Grow(e, 2*size)[:4*size]
	copy(e[2*size:3*size], e[size:2*size])
	for i := 3 * size; i < 4*size; i++ {
		e[i] = idle
	}
	e.build()
	return e
}

// timers is a binary heap of packed instants and numbers. Few of them are ever due.
type timers []uint64

func (t *timers) push(at int64, id int32) {
	h := append(*t, uint64(at)<<slotBits|uint64(id))
	i := len(h) - 1
	for i > 0 && h[(i-1)/2] > h[i] {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
	*t = h
}

func (t *timers) pop() (id int32) {
	h := *t
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; 2*i+1 < last; {
		c := 2*i + 1
		if c+1 < last && h[c+1] < h[c] {
			c++
		}
		if h[i] <= h[c] {
			break
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
	*t = h
	return int32(top & slotMask)
}

// next is the instant of the first timer, or never.
func (t timers) next() int64 {
	if len(t) == 0 {
		return never
	}
	return int64(t[0] >> slotBits)
}

// never is after every event, idle ones included.
const never = math.MaxInt64
