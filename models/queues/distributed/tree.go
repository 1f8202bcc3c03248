package distributed

import (
	"math"
	"math/bits"
)

// tree finds the least of one key per worker: a winner tree (Knuth, The Art of Computer Programming 3, 5.4.1)
// with eight children per node, next to each other in one line of the cache. Changes move up when the least is
// asked for, and only as long as they matter: while some workers do not wait, the least is never asked for.
type tree struct {
	nodes  []uint64
	levels []int32   // where each begins; the first are the workers, the last is the least of all
	second int       // where the second begins
	stale  [][]int32 // by level, nodes of eight that changed, by place in the level above
	noted  bitmap    // the nodes in stale, by place of their first child / 8
	asked  bool      // nothing has changed since
}

// none is the key of a worker that has none.
const none = math.MaxUint64

func newTree(workers int) tree {
	t := tree{levels: []int32{0}}
	size := 0
	for n := workers; n > 1 || size == 0; {
		n = (n + 7) / 8
		size += 8 * n
		t.levels = append(t.levels, int32(size))
	}
	t.second = int(t.levels[1])
	t.nodes, t.stale, t.noted = make([]uint64, size+1), make([][]int32, len(t.levels)-1), newBitmap(size/8)
	for i := range t.nodes {
		t.nodes[i] = none
	}
	return t
}

// set makes x the key of worker w.
func (t *tree) set(w int32, x uint64) {
	old, up := t.nodes[w], t.nodes[t.second+int(w>>3)]
	// otherwise the least of its eight is unchanged, or already marked
	if t.nodes[w] = x; x < up || old == up && x != old {
		t.asked = false
		t.note(0, w>>3)
	}
}

// note marks the i-th node of eight of a level to be updated before the least is read.
func (t *tree) note(level int, i int32) {
	if at := t.levels[level]>>3 + i; !t.noted.has(at) {
		t.noted.set(at)
		t.stale[level] = append(t.stale[level], i)
	}
}

// least is the smallest key.
func (t *tree) least() uint64 {
	if !t.asked {
		t.renew()
	}
	return t.nodes[len(t.nodes)-1]
}

// renew moves pending changes up.
func (t *tree) renew() {
	for level, from := range t.levels[:len(t.stale)] {
		for _, i := range t.stale[level] {
			t.noted.unset(from>>3 + i)
			n := (*[8]uint64)(t.nodes[from+8*i:])
			x := min(min(min(n[0], n[1]), min(n[2], n[3])), min(min(n[4], n[5]), min(n[6], n[7])))
			if up := &t.nodes[t.levels[level+1]+i]; *up != x {
				*up = x
				if level+1 < len(t.stale) {
					t.note(level+1, i>>3)
				}
			}
		}
		t.stale[level] = t.stale[level][:0]
	}
	t.asked = true
}

// packing puts a time above the number of a worker in one integer, so that one comparison orders keys by time,
// and keys of one instant by worker. Times may be multiplied by the slots of a worker.
type packing struct {
	bits uint
	mask uint64
	most int64 // times are less than this
}

func packingFor(workers, slots int) packing {
	b := uint(bits.Len(uint(workers - 1)))
	return packing{b, 1<<b - 1, int64(min(math.MaxInt64, uint64(math.MaxUint64)>>b)) / int64(slots)}
}

func (p packing) key(t int64, w int32) uint64 { return uint64(t)<<p.bits | uint64(w) }
func (p packing) time(key uint64) int64       { return int64(key >> p.bits) }
func (p packing) worker(key uint64) int32     { return int32(key & p.mask) }

// timers is a binary heap of keys.
type timers []uint64

func (t *timers) push(x uint64) {
	h := append(*t, x)
	i := len(h) - 1
	for i > 0 && h[(i-1)/2] > x {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = x
	*t = h
}

func (t *timers) pop() uint64 {
	h := *t
	top, last := h[0], len(h)-1
	x := h[last]
	h = h[:last]
	*t = h
	if last == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && h[c+1] < h[c] {
			c++
		}
		if x <= h[c] {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = x
	return top
}

// numbers is a set of worker numbers that finds the next one: bits, and above each 64 words of them a word that says
// which are not 0.
type numbers struct{ levels [][]uint64 }

func newNumbers(n int) numbers {
	var s numbers
	for {
		n = (n + 63) / 64
		s.levels = append(s.levels, make([]uint64, n))
		if n == 1 {
			return s
		}
	}
}

func (s *numbers) add(w int32) {
	i := uint(w)
	for _, l := range s.levels {
		l[i>>6] |= 1 << (i & 63)
		i >>= 6
	}
}

func (s *numbers) remove(w int32) {
	i := uint(w)
	for _, l := range s.levels {
		l[i>>6] &^= 1 << (i & 63)
		if l[i>>6] != 0 {
			return
		}
		i >>= 6
	}
}

// from returns the least number that is at least w, or -1.
func (s *numbers) from(w int32) int32 {
	i := uint(w)
	for k, l := range s.levels {
		if i>>6 < uint(len(l)) {
			if rest := l[i>>6] >> (i & 63); rest != 0 {
				i += uint(bits.TrailingZeros64(rest))
				for k > 0 {
					k--
					i = i<<6 | uint(bits.TrailingZeros64(s.levels[k][i]))
				}
				return int32(i)
			}
		}
		i = i>>6 + 1
	}
	return -1
}
