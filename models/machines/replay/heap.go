package replay

// An event is the end of the attempt in a slot. Events of a slot whose version is not the slot's are void.
type event struct {
	at      int64
	slot    int32
	version int32
}

func (e event) before(f event) bool { return e.at < f.at || e.at == f.at && e.slot < f.slot }

// heap is a 4-ary heap of events, the first at its root.
type heap []event

func (h *heap) push(e event) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = e
	*h = s
}

func (h *heap) pop() event {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= len(s) {
			break
		}
		m := c
		for k := c + 1; k < min(c+4, len(s)); k++ {
			if s[k].before(s[m]) {
				m = k
			}
		}
		if !s[m].before(last) {
			break
		}
		s[i] = s[m]
		i = m
	}
	s[i] = last
	return top
}
