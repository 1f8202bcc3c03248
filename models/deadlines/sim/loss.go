package sim

import "slices"

// What is drawn of a stage, in the low two bits of the key; 0 is its delay.
const (
	loseWhether = 1 // and which attempt
	loseShare   = 2 // of its run time
	loseCount   = 3
)

// resetLosing draws which stages lose attempts together, and with which of their first attempts.
func (r *Runner) resetLosing() {
	for _, i := range r.c.losing {
		s := &r.c.stages[i]
		r.begun[i], r.loseAt[i] = 0, 0
		u := r.random.at(drawStage, uint64(i)<<2|loseWhether)
		if u < s.lose {
			r.loseAt[i] = 1 + int32(below(mix(u), int(s.tasks)))
		}
	}
}

// loseTogether loses further running attempts along with the attempt of slot first of stage i, drawn alike.
func (r *Runner) loseTogether(first, i int32) {
	s := &r.c.stages[i]
	if len(s.together) == 0 {
		return
	}
	u := r.random.at(drawStage, uint64(i)<<2|loseCount)
	more := int(s.together[below(u, len(s.together))]) - 1
	r.holding(func(id int32, a attempt) bool { return a.stage == i && id != first })
	for k := range min(more, len(r.ids)) { // Fisher and Yates
		u = mix(u + gamma)
		j := k + below(u, len(r.ids)-k)
		r.ids[k], r.ids[j] = r.ids[j], r.ids[k]
	}
	r.ids = r.ids[:min(more, len(r.ids))]
	slices.Sort(r.ids)
	r.loseAttempts()
}

// loseAttempts loses the attempts of r.ids, ascending slots.
func (r *Runner) loseAttempts() {
	r.res.Losses += int64(len(r.ids))
	for _, id := range r.ids {
		a, alone := r.slots[id], r.alone(id)
		r.stop(id, Lost)
		if alone {
			r.again(a)
		}
	}
}

// lose takes one machine, drawn among those up to the last one that has an attempt or the output of one, with all that
// is on it. What is ready is then found anew, in the order of stages and tasks.
func (r *Runner) lose() {
	of := r.opts.Loss.Tokens
	r.holding(func(int32, attempt) bool { return true })
	var last int32
	if n := len(r.ids); n > 0 {
		last = r.ids[n-1] / of
	}
	for t, s := range r.state {
		if s == done {
			last = max(last, r.machine[t])
		}
	}
	lost := int32(below(r.draw(), int(last)+1))
	r.ids = slices.DeleteFunc(r.ids, func(id int32) bool { return id/of != lost })
	r.loseAttempts()
	for k := len(r.c.order) - 1; k >= 0; k-- { // children first: what they lose, they read again
		r.loseOutputs(r.c.order[k], lost)
	}
	r.requeue()
	if r.late.on {
		r.holding(func(_ int32, a attempt) bool { return r.barriers[a.stage] > 0 || r.pairs[a.task] > 0 })
		for _, id := range r.ids { // a copy could not read what is lost
			r.late.at[id] = never
		}
	}
}

// loseOutputs makes the tasks of stage i that are done on machine lost, and that a task still to start reads, wait to
// be computed again.
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
		if r.opts.Done != nil {
			r.opts.Done(r.now, i, r.done[i])
		}
		if r.opts.Observe != nil {
			r.opts.Observe(Event{Now: r.now, Kind: OutputLost, Stage: i, Task: t - s.first, Slot: -1}, r.progress())
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
	r.head, r.n, r.ready = 0, 0, 0
	for _, i := range r.c.order {
		s := &r.c.stages[i]
		r.barriers[i] = s.barriers
		if s.gated && r.gates[i] != opened {
			r.barriers[i]++
		}
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
