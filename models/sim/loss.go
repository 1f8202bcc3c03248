package sim

import "slices"

// kill ends the attempts of r.ids, ascending slots, at once.
func (r *Runner) kill(kind Kind) {
	if len(r.ids) == 0 {
		return
	}
	r.heap = slices.DeleteFunc(r.heap, func(e uint64) bool {
		_, found := slices.BinarySearch(r.ids, int32(e&slotMask))
		return found
	})
	slices.Sort(r.heap) // ascending order is a heap
	for _, id := range r.ids {
		r.running--
		r.free = append(r.free, id)
		r.res.TokenTime -= r.slots[id].ends - r.now
		r.observe(kind, id)
	}
}

// held puts the slots of running attempts into r.ids, ascending.
func (r *Runner) held() {
	r.ids = r.ids[:0]
	for _, e := range r.heap {
		if id := int32(e & slotMask); id < maxSlots {
			r.ids = append(r.ids, id)
		}
	}
	slices.Sort(r.ids)
}

// evict ends the attempts above the allocation, and queues their tasks again.
func (r *Runner) evict() {
	r.held()
	r.ids = r.ids[r.tokens:]
	r.res.Evictions += int64(len(r.ids))
	r.kill(Evicted)
	for _, id := range r.ids {
		a := &r.slots[id]
		r.enqueue(span{a.stage, a.task, a.task + 1})
	}
}

// lose takes one machine, drawn among those that hold an attempt or hold the
// output of one, with all that is on it. What is ready is then found anew, in
// the order of stages and tasks.
func (r *Runner) lose() {
	r.held()
	var last int32
	if n := len(r.ids); n > 0 {
		last = r.ids[n-1] / r.opts.Loss.Tokens
	}
	for t, s := range r.state {
		if s == done {
			last = max(last, r.machine[t])
		}
	}
	lost := int32(r.random.next() % uint64(last+1))
	r.ids = slices.DeleteFunc(r.ids, func(id int32) bool { return id/r.opts.Loss.Tokens != lost })
	r.res.Losses += int64(len(r.ids))
	r.kill(Lost)
	for _, id := range r.ids {
		r.state[r.slots[id].task] = waiting
	}
	for k := len(r.c.order) - 1; k >= 0; k-- { // children first: what they lose, they read again
		r.loseOutputs(r.c.order[k], lost)
	}
	r.requeue()
}

// loseOutputs makes the tasks of stage i that are done on machine lost, and
// that a task still to start reads, wait to be computed again.
func (r *Runner) loseOutputs(i, lost int32) {
	s := &r.c.stages[i]
	whole := slices.ContainsFunc(s.barrierTo, func(child int32) bool { return r.unstarted(child) })
	for t := s.first; t < s.first+s.tasks; t++ {
		if r.state[t] != done || r.machine[t] != lost {
			continue
		}
		if !whole && !slices.ContainsFunc(s.pairsTo, func(child int32) bool {
			return r.state[t-s.first+r.c.stages[child].first] <= queued
		}) {
			continue
		}
		r.state[t] = waiting
		r.done[i]--
		r.left++
		r.res.OutputsLost++
		if r.opts.Observe != nil {
			r.opts.Observe(Event{r.now, OutputLost, i, t - s.first, -1}, r.progress())
		}
	}
}

// unstarted says whether a task of stage i has yet to start.
func (r *Runner) unstarted(i int32) bool {
	s := &r.c.stages[i]
	for _, state := range r.state[s.first : s.first+s.tasks] {
		if state <= queued {
			return true
		}
	}
	return false
}

// requeue counts from the states of the tasks what each stage and task waits for.
func (r *Runner) requeue() {
	r.head, r.n = 0, 0
	for _, i := range r.c.order {
		s := &r.c.stages[i]
		r.barriers[i] = s.barriers
		for t := s.first; t < s.first+s.tasks; t++ {
			r.pairs[t] = s.pairs
			if r.state[t] == queued {
				r.state[t] = waiting
			}
		}
	}
	for _, i := range r.c.order { // parents come before their children
		s := &r.c.stages[i]
		if r.done[i] == s.tasks {
			for _, child := range s.barrierTo {
				r.barriers[child]--
			}
		}
		for _, child := range s.pairsTo {
			for t := range s.tasks {
				if r.state[s.first+t] == done {
					r.pairs[r.c.stages[child].first+t]--
				}
			}
		}
		if r.barriers[i] == 0 {
			r.open(i)
		}
	}
}
