package sim

// lateness tracks slow attempts, where they are copied.
type lateness struct {
	on    bool
	after []int64 // run time from which an attempt of each stage is late
	at    []int64 // of each slot: when its attempt is late, or never
	other []int32 // of each slot: the one of the other attempt of its task, or -1
	queue timers  // when slots will be late; what differs from at is outdated
}

func (l *lateness) reset(r *Runner) {
	l.on = r.opts.Speculate != nil
	if !l.on {
		return
	}
	l.queue = l.queue[:0]
	l.grow(len(r.slots))
	l.after = grown(l.after, len(r.c.stages))
	for i := range r.c.stages {
		x := r.opts.Speculate.Multiple * float64(r.c.stages[i].duration.median)
		if r.opts.Scale > 0 {
			x *= r.opts.Scale
		}
		l.after[i] = int64(min(x, MaxDuration))
	}
}

func (l *lateness) grow(slots int) {
	if l.on {
		l.at, l.other = grown(l.at, slots), grown(l.other, slots)
	}
}

// watch notes when the attempt of a slot that runs from the instant from on, for d, will be late.
func (l *lateness) watch(id, stage int32, from, d int64) {
	l.at[id], l.other[id] = never, -1
	if d > l.after[stage] {
		l.at[id] = from + l.after[stage]
		l.queue.push(min(l.at[id], limit), id)
	}
}

// speculate starts copies of attempts that are late, on tokens that no ready task wants. While there are such tokens,
// the next attempt to be late is a timer.
func (r *Runner) speculate() {
	l := &r.late
	for r.held < r.tokens || r.lent < r.spare {
		at := l.queue.next()
		if at > r.now {
			r.next = min(r.next, at)
			return
		}
		id := l.queue.pop()
		if l.at[id] != at || l.other[id] >= 0 || r.ends.slots()[id] == idle || r.held+r.lent >= maxSlots {
			continue
		}
		a := r.slots[id]
		copied := r.slot()
		r.res.Copies++
		r.ends.set(copied, r.start(copied, a.stage, a.task, isCopy))
		l.other[id], l.other[copied] = copied, id
	}
}

// win kills the attempt that ran alongside slot id's attempt.
func (r *Runner) win(id int32) {
	if other := r.late.other[id]; other >= 0 {
		r.res.Killed++
		r.late.at[other], r.late.other[other] = never, -1
		r.stop(other, Killed)
	}
}

// alone reports whether the attempt of slot id is its task's only attempt; otherwise it ends and leaves the task
// to the other.
func (r *Runner) alone(id int32) bool {
	l := &r.late
	if !l.on {
		return true
	}
	other := l.other[id]
	l.at[id] = never
	if other < 0 {
		return true
	}
	l.other[id], l.other[other] = -1, -1
	if l.at[other] <= r.now { // may be copied again
		l.queue.push(l.at[other], other)
	}
	return false
}
