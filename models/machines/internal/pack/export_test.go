package pack

// Patient makes the planner forget all bounds, so that plans of the job that is loaded are not given up early.
func (p *Planner) Patient() {
	p.least = p.now
	for _, i := range p.open {
		st := &p.stages[i]
		st.from, st.tail = st.release, 0
	}
}

// SlowForward is Forward, looking at all stages before every group, and placing groups one by one.
func (p *Planner) SlowForward(limit int64) (end int64, ok bool) { return p.forward(limit, slowly) }

// SlowBackward is Backward likewise.
func (p *Planner) SlowBackward(end int64) bool { return p.reverse(end, slowly) }
