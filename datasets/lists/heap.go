package lists

// Heap is a priority queue: a binary heap of values, container/heap without interfaces, so that a use is one line. The
// simulators' event queues are packed heaps. Pop takes the least item by Less. Less should be a total order: then the
// order of items does not depend on how they were pushed. A heap with Less set and no items is ready to use.
type Heap[T any] struct {
	Items []T // the least first, the others in no order
	Less  func(a, b T) bool
}

// Len returns the number of items.
func (h *Heap[T]) Len() int { return len(h.Items) }

// Push adds an item. Time O(log n).
func (h *Heap[T]) Push(x T) {
	h.Items = append(h.Items, x)
	h.up(len(h.Items) - 1)
}

// Pop takes the least item; it panics where there is none. Time O(log n).
func (h *Heap[T]) Pop() T {
	least, last := h.Items[0], len(h.Items)-1
	h.Items[0] = h.Items[last]
	var none T
	h.Items[last] = none
	h.Items = h.Items[:last]
	h.down(0)
	return least
}

// FixFirst restores the order after the first item has changed. Time O(log n).
func (h *Heap[T]) FixFirst() { h.down(0) }

// Fix restores the order after items have changed. Time O(n).
func (h *Heap[T]) Fix() {
	for i := len(h.Items)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *Heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.Less(h.Items[i], h.Items[parent]) {
			return
		}
		h.Items[i], h.Items[parent] = h.Items[parent], h.Items[i]
		i = parent
	}
}

func (h *Heap[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.Items) {
			return
		}
		if child+1 < len(h.Items) && h.Less(h.Items[child+1], h.Items[child]) {
			child++
		}
		if !h.Less(h.Items[child], h.Items[i]) {
			return
		}
		h.Items[i], h.Items[child] = h.Items[child], h.Items[i]
		i = child
	}
}
