package sim

// An event is its time in microseconds above slotBits bits of the slot whose
// attempt ends then, or of a tick. One comparison orders events, ties by slot.
const (
	slotBits = 20
	slotMask = 1<<slotBits - 1
	maxSlots = 1<<slotBits - 16
	tickSlot = slotMask     // the allocation may change
	lossSlot = slotMask - 1 // a machine is lost
	maxTime  = 1<<(64-slotBits) - 1
)

// siftDown puts x in the place of the root of a 4-ary heap.
func siftDown(h []uint64, x uint64) {
	i := 0
	for {
		c := 4*i + 1
		if c+4 > len(h) {
			if c >= len(h) {
				break
			}
			m := c
			for k := c + 1; k < len(h); k++ {
				if h[k] < h[m] {
					m = k
				}
			}
			if h[m] >= x {
				break
			}
			h[i] = h[m]
			i = m
			continue
		}
		q := h[c : c+4 : c+4]
		a, ai := q[0], c
		if q[1] < a {
			a, ai = q[1], c+1
		}
		b, bi := q[2], c+2
		if q[3] < b {
			b, bi = q[3], c+3
		}
		if b < a {
			a, ai = b, bi
		}
		if a >= x {
			break
		}
		h[i] = a
		i = ai
	}
	h[i] = x
}

func siftUp(h []uint64) {
	i := len(h) - 1
	x := h[i]
	for i > 0 {
		p := (i - 1) / 4
		if h[p] <= x {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = x
}
