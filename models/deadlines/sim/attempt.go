package sim

// attempt is the attempt that runs on a slot.
type attempt struct {
	stage, task int32 // task among all tasks
	how         uint32
}

// How an attempt runs, or will end.
const (
	fails   uint32 = 1 << iota // by itself
	loses                      // with others of its stage
	onSpare                    // began on a spare token and holds one
	began                      // on a spare token, whatever it holds now
	isCopy                     // began beside another attempt of its task
)

// dispatch starts ready tasks on free tokens, then copies of slow attempts.
func (r *Runner) dispatch() {
	free := max(0, r.tokens-r.held) + max(0, r.spare-r.lent)
	if free > 0 && r.n > 0 {
		// Many starts at once: one pass over all slots is less than a climb for each.
		many := int(min(free, r.ready))*8 > len(r.ends)
		for range min(free, r.ready) {
			id := r.slot()
			stage, task := r.take()
			x := r.start(id, stage, task, 0)
			if many {
				r.ends.leaf(id, x)
			} else {
				r.ends.set(id, x)
			}
		}
		if many {
			r.ends.build()
		}
	}
	if r.late.on {
		r.speculate()
	}
}

// slot takes a slot without an attempt.
func (r *Runner) slot() int32 {
	if last := len(r.free) - 1; last >= 0 {
		id := r.free[last]
		r.free = r.free[:last]
		return id
	}
	id := r.fresh
	if r.fresh++; int(r.fresh) > len(r.ends)/2 {
		r.ends = r.ends.double()
		r.slots = grown(r.slots, len(r.ends)/2)
		r.late.grow(len(r.slots))
	}
	return id
}

// start begins an attempt of a task on slot id, and returns the event of its end.
func (r *Runner) start(id, stage, task int32, how uint32) uint64 {
	s := &r.c.stages[stage]
	key := uint64(task)
	if r.retry {
		key |= uint64(r.tries[task]) << slotBits
		r.tries[task]++
	}
	if r.held < r.tokens {
		r.held++
	} else {
		r.lent++
		how |= onSpare | began
	}
	r.res.PeakRunning = max(r.res.PeakRunning, r.held+r.lent)
	d := int64(0)
	if r.c.cold && !r.warmed(id, stage) && !s.cold.none() {
		d = s.cold.draw(r.random.at(drawDuration, key), task-s.first)
	} else {
		d = s.duration.draw(r.random.at(drawDuration, key), task-s.first)
	}
	if !r.plain {
		d = r.stretch(d, id, how, key)
	}
	if s.fail > 0 && r.random.at(drawFailure, key) < s.fail {
		how |= fails
		if n := len(s.share); n > 0 {
			d = int64(float64(d) * s.share[below(r.random.at(drawShare, key), n)])
		}
	}
	if s.lose > 0 {
		if r.begun[stage]++; r.begun[stage] == r.loseAt[stage] {
			how = how&^fails | loses
			d = int64(float64(d) * unit(r.random.at(drawStage, uint64(stage)<<2|loseShare)))
		}
	}
	latency := int64(0)
	if !s.latency.none() {
		latency = s.latency.draw(r.random.at(drawLatency, key), task-s.first)
	}
	if r.late.on {
		r.late.watch(id, stage, r.now+latency, d)
	}
	d = min(d+latency, MaxDuration)
	r.res.Attempts++
	r.res.TokenTime += d
	if how&began != 0 {
		r.res.SpareTime += d
	}
	r.slots[id] = attempt{stage, task, how}
	if !r.plain {
		if r.lossy {
			r.state[task] = running
		}
		r.observe(Started, id)
	}
	return uint64(r.now+d)<<slotBits | uint64(id)
}

// warmed says whether an attempt of the stage has begun on the machine of slot id before, and notes that one has now.
func (r *Runner) warmed(id, stage int32) bool {
	words := (len(r.c.stages) + 63) / 64
	at := int(id/max(1, r.opts.Machine))*words + int(stage)/64
	if at >= len(r.warm) {
		r.warm = append(r.warm, make([]uint64, max(len(r.warm), at+1-len(r.warm)))...)
	}
	bit := uint64(1) << (stage % 64)
	was := r.warm[at]&bit != 0
	r.warm[at] |= bit
	return was
}

// stretch scales a run time to the input, to the tokens, to the machine of slot id, and to a spare token.
func (r *Runner) stretch(d int64, id int32, how uint32, key uint64) int64 {
	factor := r.scale
	if inflation := r.opts.Inflation; len(inflation) > 0 {
		factor *= inflation[min(max(1, int(r.tokens)), len(inflation))-1]
	}
	if slow := r.opts.Slow; slow != nil {
		factor *= slow.Factors[int(id/slow.Tokens)%len(slow.Factors)]
	}
	if how&began != 0 {
		if slow := r.opts.Spare.Slowdown; len(slow) > 0 {
			factor *= slow[below(r.random.at(drawSlowdown, key), len(slow))]
		}
	}
	return int64(min(float64(d)*factor, MaxDuration))
}

// scaled scales a run time to the input.
func (r *Runner) scaled(d int64) int64 { return int64(min(float64(d)*r.scale, MaxDuration)) }

// unit is a uniform number in [0, 1).
func unit(u uint64) float64 { return float64(u>>11) / (1 << 53) }

func (r *Runner) observe(k Kind, id int32) {
	if r.opts.Observe != nil {
		a := r.slots[id]
		r.opts.Observe(Event{Now: r.now, Kind: k, Spare: a.how&began != 0, Copy: a.how&isCopy != 0,
			Stage: a.stage, Task: a.task - r.c.stages[a.stage].first, Slot: id}, r.progress())
	}
}

// end ends the attempt of slot id, and queues the tasks that become ready. The slot stays taken.
func (r *Runner) end(id int32) {
	a := r.slots[id]
	if a.how&onSpare != 0 {
		r.lent--
	} else {
		r.held--
	}
	if a.how&(fails|loses) != 0 {
		r.endBadly(id, a)
		return
	}
	if r.late.on {
		r.win(id)
	}
	s := &r.c.stages[a.stage]
	r.left--
	r.done[a.stage]++
	if r.lossy {
		r.state[a.task] = done
		r.machine[a.task] = id / r.opts.Loss.Tokens
	}
	if len(s.pairsTo) > 0 || r.done[a.stage] == s.tasks {
		r.follow(a.stage, a.task)
	}
	if r.opts.Done != nil {
		r.opts.Done(r.now, a.stage, r.done[a.stage])
	}
	if !r.plain {
		r.observe(Completed, id)
	}
}

func (r *Runner) endBadly(id int32, a attempt) {
	kind := Failed
	if a.how&loses != 0 {
		kind = Lost
		r.res.Losses++
	} else {
		r.res.Failures++
	}
	if r.alone(id) {
		r.again(a)
	}
	r.observe(kind, id)
	if kind == Lost {
		r.loseTogether(id, a.stage)
	}
}

// stop ends the attempt of slot id at once, and frees the slot.
func (r *Runner) stop(id int32, kind Kind) {
	a := r.slots[id]
	if a.how&onSpare != 0 {
		r.lent--
	} else {
		r.held--
	}
	rest := int64(r.ends.slots()[id]>>slotBits) - r.now
	r.res.TokenTime -= rest
	if a.how&began != 0 {
		r.res.SpareTime -= rest
	}
	r.ends.set(id, idle)
	r.free = append(r.free, id)
	r.observe(kind, id)
}

// holding puts the slots with attempts that are wanted into r.ids, ascending. An attempt that ends now is still there.
func (r *Runner) holding(wanted func(id int32, a attempt) bool) {
	r.ids = r.ids[:0]
	for id, x := range r.ends.slots() {
		if x != idle && wanted(int32(id), r.slots[id]) {
			r.ids = append(r.ids, int32(id))
		}
	}
}
