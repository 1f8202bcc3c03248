package distributed

// fifo is a queue in a ring that grows.
type fifo[T any] struct {
	ring []T
	head int
	n    int
}

func (q *fifo[T]) push(x T) {
	if q.n == len(q.ring) {
		ring := make([]T, max(64, 2*len(q.ring)))
		k := copy(ring, q.ring[q.head:])
		copy(ring[k:], q.ring[:q.head])
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

func (q *fifo[T]) pop() T {
	x := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return x
}

// front is the first one; there must be one.
func (q *fifo[T]) front() *T { return &q.ring[q.head] }
