package distributed

import "math/bits"

// ending is the end of a task. Its key orders ends by time and, at one instant, by worker.
type ending struct {
	key uint64
	job int32
}

func (x ending) before(y ending) bool { return x.key < y.key || x.key == y.key && x.job < y.job }

// agenda holds the future ends of tasks: a radix heap (R. K. Ahuja, K. Mehlhorn, J. Orlin and R. E. Tarjan,
// "Faster algorithms for the shortest path problem", JACM 37(2), 1990), also known as a hierarchical timing
// wheel. Ends lie in buckets by the highest digit in which their key differs from the current position; the
// first bucket, when it is small, is sorted. All memory is accessed in sequence, so that the cost does not grow
// with the number of workers. A heap's cost does, since its paths do not stay in the cache.
type agenda struct {
	near    []ending // ends before limit, in descending order
	limit   uint64
	base    uint64 // no key that is in a bucket is less
	levels  [64 / digit][1 << digit][]ending
	used    [64 / digit]uint32 // buckets that are not empty, by level
	reached uint32             // levels that are not empty
	ahead   []ending           // ends of the bucket that was divided last: they are near soon
}

const (
	digit = 4  // bits
	few   = 32 // ends that are sorted at once
)

// push adds an end, which must not be before any end that was taken.
func (q *agenda) push(x ending) {
	if x.key >= q.limit {
		q.file(x)
		return
	}
	q.near = append(q.near, x)
	i := len(q.near) - 1
	for ; i > 0 && q.near[i-1].before(x); i-- {
		q.near[i] = q.near[i-1]
	}
	q.near[i] = x
	if len(q.near) > 4*few {
		q.spread()
	}
}

// file puts an end into its bucket.
func (q *agenda) file(x ending) {
	l := uint(bits.Len64(x.key^q.base|1)-1) / digit
	s := x.key >> (l * digit) & (1<<digit - 1)
	b := &q.levels[l][s]
	*b = append(*b, x)
	q.used[l] |= 1 << s
	q.reached |= 1 << l
}

// spread distributes near ends to buckets. Ends of this instant may be before all buckets.
func (q *agenda) spread() {
	k := 0
	for ; k < len(q.near) && q.near[k].key >= q.base; k++ {
		q.file(q.near[k])
	}
	q.near = q.near[:copy(q.near, q.near[k:])]
	q.limit = q.base
}

// open makes the first bucket near, if it begins no later than until. No end up to until may be added later. It must be
// called when nothing is near, and reports whether something is now.
func (q *agenda) open(until uint64) bool {
	for q.reached != 0 {
		l := uint(bits.TrailingZeros32(q.reached))
		s := uint64(bits.TrailingZeros32(q.used[l]))
		start := q.base>>(l*digit)&^(1<<digit-1)<<(l*digit) | s<<(l*digit)
		if start > until {
			return false
		}
		q.base = start
		if q.used[l] &^= 1 << s; q.used[l] == 0 {
			q.reached &^= 1 << l
		}
		b := q.levels[l][s]
		q.levels[l][s] = b[:0]
		if l > 0 && len(b) > few {
			for _, x := range b {
				q.file(x)
			}
			q.ahead = b
			continue
		}
		q.limit = start + 1<<(l*digit)
		q.near = append(q.near, b...)
		for i := 1; i < len(q.near); i++ {
			x, k := q.near[i], i
			for ; k > 0 && q.near[k-1].before(x); k-- {
				q.near[k] = q.near[k-1]
			}
			q.near[k] = x
		}
		return true
	}
	return false
}

// due reports whether an end with a key of at most until is near. No end up to until may be added later.
func (q *agenda) due(until uint64) bool {
	return (len(q.near) > 0 || q.open(until)) && q.near[len(q.near)-1].key <= until
}

// pop takes the first of the near ends.
func (q *agenda) pop() ending {
	x := q.near[len(q.near)-1]
	q.near = q.near[:len(q.near)-1]
	return x
}
