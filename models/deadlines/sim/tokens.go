package sim

// resetTimers sets the first instants at which tokens change, control asks and machines are lost.
func (r *Runner) resetTimers() {
	o := r.opts
	r.nextAsk, r.nextSpare, r.nextLoss = never, never, never
	if o.Control != nil {
		r.nextAsk = o.Period
	}
	if o.Spare != nil {
		r.changeSpare()
	}
	if r.lossy {
		r.nextLoss = o.Loss.Between.draw(r.draw(), 0)
	}
	r.nextStep()
	r.schedule()
}

// draw is the next number of the losses of machines and the changes of spare tokens.
func (r *Runner) draw() uint64 {
	r.drawn++
	return r.random.at(drawCluster, r.drawn)
}

// nextStep finds the instant of the next step of the allocation.
func (r *Runner) nextStep() {
	r.nextTick = never
	if r.step < len(r.opts.Allocation) {
		r.nextTick = r.opts.Allocation[r.step].At
	}
}

// schedule finds the first instant at which something other than an attempt is due.
func (r *Runner) schedule() {
	r.next = min(r.openings.next(), r.nextSpare, r.nextLoss, r.nextTick, r.nextAsk)
}

// fire handles the events that are due: gates open, the allocation steps, spare tokens change, a machine is
// lost, control is asked.
func (r *Runner) fire() {
	o := r.opts
	r.admit()
	if r.nextTick == r.now {
		r.tokens = o.Allocation[r.step].Tokens
		r.step++
		r.nextStep()
	}
	if r.nextSpare == r.now {
		r.changeSpare()
	}
	if r.nextLoss == r.now {
		r.lose()
		r.nextLoss = r.now + o.Loss.Between.draw(r.draw(), 0)
	}
	if r.nextAsk == r.now {
		r.tokens = max(0, o.Control(r.now, r.progress()))
		r.nextAsk += o.Period
	}
	if o.Evict && r.held > r.tokens {
		r.holding(func(_ int32, a attempt) bool { return a.how&onSpare == 0 })
		r.evict(r.ids[r.tokens:])
	}
	r.schedule()
}

// changeSpare sets the number of spare tokens, and the instant of the next change.
func (r *Runner) changeSpare() {
	s := r.opts.Spare
	if r.spareStep < len(s.Steps) {
		r.spare = s.Steps[r.spareStep].Tokens
		r.spareStep++
	} else {
		r.spare = s.Tokens[below(r.draw(), len(s.Tokens))]
	}
	switch {
	case r.spareStep < len(s.Steps):
		r.nextSpare = s.Steps[r.spareStep].At
	case s.Between.none():
		r.nextSpare = never
	default:
		r.nextSpare = r.now + s.Between.draw(r.draw(), 0)
	}
	if r.lent <= r.spare {
		return
	}
	r.holding(func(_ int32, a attempt) bool { return a.how&onSpare != 0 })
	for _, id := range r.ids[:min(r.lent-r.spare, max(0, r.tokens-r.held))] { // these move to guaranteed tokens
		r.slots[id].how &^= onSpare
		r.held++
		r.lent--
	}
	if excess := r.lent - r.spare; excess > 0 {
		r.evict(r.ids[len(r.ids)-int(excess):])
	}
}

// evict ends the attempts of slots, ascending, and queues their tasks again.
func (r *Runner) evict(slots []int32) {
	r.res.Evictions += int64(len(slots))
	for _, id := range slots {
		a, alone := r.slots[id], r.alone(id)
		r.stop(id, Evicted)
		if alone {
			r.again(a)
		}
	}
}
