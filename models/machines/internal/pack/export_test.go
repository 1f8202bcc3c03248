package pack

// Patient makes the planner forget all bounds, so that plans of the job that is loaded are not given up early.
func (p *Planner) Patient() {
	p.least = p.now
	for _, i := range p.open {
		st := &p.stages[i]
		st.from, st.tail = st.release, 0
	}
}
