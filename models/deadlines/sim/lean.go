package sim

// isLean says that the run needs nothing but durations, also cold and scaled ones, barriers and a constant number of
// tokens.
func (r *Runner) isLean() bool {
	o := r.opts
	return r.c.lean && r.bare && !o.StageOrder && o.Control == nil && len(o.Allocation) == 1
}

// lean gives the same bytes as general for runs that need no more. It is separate because it is several times as
// fast: tasks of one stage start in a row, with their common values at hand.
func (r *Runner) lean() error {
	r.toDo = grown(r.toDo, len(r.c.stages))
	for i := range r.c.stages {
		r.toDo[i] = r.c.stages[i].tasks
	}
	r.dispatch()
	for r.left > 0 {
		if r.ready > 0 {
			if err := r.startSpan(); err != nil {
				return err
			}
			continue
		}
		top := r.ends[1]
		if top>>slotBits >= limit {
			return ErrTooLong
		}
		id := int32(top & slotMask)
		r.now = int64(top >> slotBits)
		r.ends.set(id, idle)
		r.free = append(r.free, id)
		r.held--
		stage := r.slots[id].stage
		r.left--
		if r.toDo[stage]--; r.toDo[stage] == 0 {
			r.done[stage] = r.c.stages[stage].tasks
			r.follow(stage, 0)
			r.dispatch()
		}
		if r.opts.Done != nil {
			r.opts.Done(r.now, stage, r.c.stages[stage].tasks-r.toDo[stage])
		}
	}
	return nil
}

// startSpan starts the first tasks that are ready, all of one stage, each on the slot of the attempt that ends next.
func (r *Runner) startSpan() error {
	if r.held < 1 {
		return ErrStarved
	}
	q := r.queue[r.head]
	n := q.end - q.next
	for q.next < q.end {
		times := r.ahead[:min(len(r.ahead), int(q.end-q.next))]
		r.durations(times, q.stage, q.next)
		if !r.startRow(q.stage, q.next, times) {
			return ErrTooLong
		}
		for _, d := range times {
			r.res.TokenTime += d
		}
		q.next += int32(len(times))
	}
	r.drop()
	r.left -= n
	r.res.Attempts += int64(n)
	return nil
}

// durations draws the durations of the first attempts of a stage's tasks, from one on.
func (r *Runner) durations(times []int64, stage, first int32) {
	table := r.c.stages[stage].duration.table
	for i := range times {
		times[i] = table[below(r.random.at(drawDuration, uint64(first)+uint64(i)), len(table))]
	}
	if !r.plain {
		for i, d := range times {
			times[i] = r.scaled(d)
		}
	}
}

// startRow starts an attempt of each task from one on, which take times. The first on a machine may take another one,
// which it puts there. It returns false if the run takes too long.
func (r *Runner) startRow(stage, first int32, times []int64) bool {
	ends, slots, toDo, told := r.ends, r.slots, r.toDo, r.opts.Done
	s := &r.c.stages[stage]
	cold := !s.cold.none()
	for i, d := range times {
		top := ends[1]
		if top >= limit<<slotBits {
			return false
		}
		id := int32(top & slotMask)
		if cold && !r.warmed(id, stage) {
			d = r.scaled(s.cold.draw(r.random.at(drawDuration, uint64(first)+uint64(i)), 0))
			times[i] = d
		}
		ended := slots[id].stage
		slots[id].stage = stage
		ends.set(id, top+uint64(d)<<slotBits)
		if toDo[ended]--; toDo[ended] == 0 {
			r.now = int64(top >> slotBits)
			r.done[ended] = r.c.stages[ended].tasks
			r.follow(ended, 0)
		}
		if told != nil {
			told(int64(top>>slotBits), ended, r.c.stages[ended].tasks-toDo[ended])
		}
	}
	return true
}
