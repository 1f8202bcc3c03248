package sim

import (
	"cmp"
	"slices"

	"racecard/datasets/trace"
)

// slow is the same simulator, written to be read: it keeps the state of every task and the attempts that run, and looks
// everything else up whenever it needs it.
type slow struct {
	c       *Compiled
	p       Plan
	o       *Options
	u       random
	now     int64
	state   []uint8 // of each task
	machine []int32
	tries   []uint64
	begun   []int32
	opens   []int64 // of each stage that waits for the driver: when it is handed out, or never
	opened  []bool
	ready   []int32
	running []*slowAttempt
	free    []int32 // slots
	fresh   int32
	warm    map[[2]int32]bool // machine and stage
	tokens  int32
	spare   int32
	drawn   uint64
	events  []Event
	res     Result
}

type slowAttempt struct {
	stage, task, slot   int32
	started, ends, late int64
	fails, loses        bool
	lent, began, copied bool
	other               *slowAttempt
}

// runSlow is what Runner.Run returns for the number of a run, and what it tells Observe. It does not know Control.
func runSlow(c *Compiled, p Plan, o *Options, number uint64) (Result, []Event) {
	s := &slow{c: c, p: p, o: o, u: random{base: mix(number)}, state: make([]uint8, c.total),
		machine: make([]int32, c.total),
		tries:   make([]uint64, c.total), begun: make([]int32, len(c.stages)), opens: make([]int64, len(c.stages)),
		opened: make([]bool, len(c.stages)), warm: map[[2]int32]bool{}, tokens: o.Allocation[0].Tokens}
	if o.Antithetic {
		s.u.flip = ^uint64(0)
	}
	for i := range s.opens {
		s.opens[i] = never
	}
	loss, spareChange := int64(never), int64(never)
	if o.Spare != nil {
		s.spare = o.Spare.Steps[0].Tokens
		spareChange = s.spareAfter(0)
	}
	if o.Loss != nil {
		loss = o.Loss.Between.draw(s.draw(), 0)
	}
	for _, i := range c.order {
		s.release(i)
	}
	s.dispatch()
	for step, change := 1, 1; slices.ContainsFunc(s.state, func(x uint8) bool { return x != done }); s.dispatch() {
		first := slices.MinFunc(append(s.running, &slowAttempt{ends: never}), func(a, b *slowAttempt) int {
			return cmp.Or(cmp.Compare(a.ends, b.ends), cmp.Compare(a.slot, b.slot))
		})
		tick, opening := int64(never), int64(never)
		if step < len(o.Allocation) {
			tick = o.Allocation[step].At
		}
		for i, at := range s.opens {
			if !s.opened[i] {
				opening = min(opening, at)
			}
		}
		s.now = min(first.ends, loss, spareChange, tick, opening, s.nextLate())
		if first.ends == s.now {
			s.end(first)
			continue
		}
		for i, at := range s.opens {
			if at == s.now && !s.opened[i] {
				s.opened[i] = true
				s.release(int32(i))
			}
		}
		if tick == s.now {
			s.tokens = o.Allocation[step].Tokens
			step++
		}
		if spareChange == s.now {
			if change < len(o.Spare.Steps) {
				s.spare = o.Spare.Steps[change].Tokens
			} else {
				s.spare = o.Spare.Tokens[below(s.draw(), len(o.Spare.Tokens))]
			}
			spareChange = s.spareAfter(change)
			change++
			s.takeSpare()
		}
		if loss == s.now {
			s.lose()
			loss = s.now + o.Loss.Between.draw(s.draw(), 0)
		}
		if held := s.on(false); o.Evict && len(held) > int(s.tokens) {
			s.evict(held[s.tokens:])
		}
	}
	if !p.WindDown.none() {
		s.now += p.WindDown.draw(s.u.at(drawDriver, 1), 0)
	}
	s.res.End = s.now
	return s.res, s.events
}

func (s *slow) draw() uint64 {
	s.drawn++
	return s.u.at(drawCluster, s.drawn)
}

// spareAfter is when spare tokens change after change i.
func (s *slow) spareAfter(i int) int64 {
	switch sp := s.o.Spare; {
	case i+1 < len(sp.Steps):
		return sp.Steps[i+1].At
	case sp.Between.none():
		return never
	default:
		return s.now + sp.Between.draw(s.draw(), 0)
	}
}

// inputs says whether all that a task reads is done: of one_to_one parents one task, of others all.
func (s *slow) inputs(task int32) bool {
	i := s.of(task)
	for _, e := range s.p.Edges {
		for k := range s.p.Stages[e.Parent].Tasks {
			if e.Child == i && s.state[s.c.stages[e.Parent].first+k] != done && (e.Kind != trace.OneToOne ||
				k == task-s.c.stages[i].first) {
				return false
			}
		}
	}
	return true
}

func (s *slow) of(task int32) int32 {
	return int32(slices.IndexFunc(s.c.stages, func(st compiledStage) bool { return task < st.first+st.tasks }))
}

// release queues the tasks of a stage that are ready, or starts its delay.
func (s *slow) release(i int32) {
	st := &s.c.stages[i]
	for t := st.first; t < st.first+st.tasks; t++ {
		if s.state[t] != waiting || !s.inputs(t) {
			continue
		}
		if st.gated && s.opens[i] == never {
			s.opens[i] = s.now
			if !st.delay.none() {
				s.opens[i] += st.delay.draw(s.u.at(drawStage, uint64(i)<<2), 0)
			}
			if st.barriers+st.pairs == 0 && !s.p.StartUp.none() {
				s.opens[i] += s.p.StartUp.draw(s.u.at(drawDriver, 0), 0)
			}
		}
		if !st.gated || s.opened[i] { // else this is called again
			s.state[t] = queued
			s.ready = append(s.ready, t)
		}
	}
}

// bySlot are the attempts that run, in the order of their slots.
func (s *slow) bySlot(wanted func(*slowAttempt) bool) (out []*slowAttempt) {
	for _, a := range s.running {
		if wanted(a) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *slowAttempt) int { return cmp.Compare(a.slot, b.slot) })
	return out
}

func (s *slow) on(spare bool) []*slowAttempt {
	return s.bySlot(func(a *slowAttempt) bool { return a.lent == spare })
}

func (s *slow) tokenFree() bool {
	return len(s.on(false)) < int(s.tokens) || len(s.on(true)) < int(s.spare)
}

func (s *slow) note(k Kind, a *slowAttempt) {
	s.events = append(s.events, Event{Now: s.now, Kind: k, Spare: a.began, Copy: a.copied, Stage: a.stage,
		Task: a.task - s.c.stages[a.stage].first, Slot: a.slot})
}

func (s *slow) dispatch() {
	for len(s.ready) > 0 && s.tokenFree() {
		if s.o.StageOrder {
			slices.Sort(s.ready)
		}
		task := s.ready[0]
		s.ready = s.ready[1:]
		s.start(task, nil)
	}
	for s.o.Speculate != nil && len(s.ready) == 0 && s.tokenFree() {
		var first *slowAttempt
		for _, a := range s.running {
			if a.other == nil && a.late <= s.now && (first == nil || a.late < first.late || a.late == first.late &&
				a.slot < first.slot) {
				first = a
			}
		}
		if first == nil {
			return
		}
		s.start(first.task, first)
	}
}

// nextLate is when the next attempt will be late, if a copy of it could start.
func (s *slow) nextLate() int64 {
	next := int64(never)
	for _, a := range s.running {
		if s.tokenFree() && len(s.ready) == 0 && a.late > s.now {
			next = min(next, a.late)
		}
	}
	return next
}

func (s *slow) slot() int32 {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	s.fresh++
	return s.fresh - 1
}

func (s *slow) start(task int32, beside *slowAttempt) {
	i := s.of(task)
	st := &s.c.stages[i]
	a := &slowAttempt{stage: i, task: task, slot: s.slot(), started: s.now, late: never, other: beside,
		copied: beside != nil}
	key := uint64(task) | s.tries[task]<<slotBits
	s.tries[task]++
	a.lent = len(s.on(false)) >= int(s.tokens)
	a.began = a.lent
	factor := 1.0
	if s.o.Scale > 0 {
		factor = s.o.Scale
	}
	median := int64(0)
	if s.o.Speculate != nil {
		median = int64(s.o.Speculate.Multiple * float64(st.duration.median) * factor)
	}
	if s.o.Slow != nil {
		factor *= s.o.Slow.Factors[int(a.slot/s.o.Slow.Tokens)%len(s.o.Slow.Factors)]
	}
	if a.lent && len(s.o.Spare.Slowdown) > 0 {
		factor *= s.o.Spare.Slowdown[below(s.u.at(drawSlowdown, key), len(s.o.Spare.Slowdown))]
	}
	duration, place := &st.duration, [2]int32{a.slot / max(1, s.o.Machine), i}
	if !s.warm[place] && !st.cold.none() {
		duration = &st.cold
	}
	s.warm[place] = true
	d := int64(float64(duration.draw(s.u.at(drawDuration, key), task-st.first)) * factor)
	if s.u.at(drawFailure, key) < st.fail {
		a.fails = true
		if len(st.share) > 0 {
			d = int64(float64(d) * st.share[below(s.u.at(drawShare, key), len(st.share))])
		}
	}
	s.begun[i]++
	if u := s.u.at(drawStage, uint64(i)<<2|loseWhether); u < st.lose && s.begun[i] == 1+
		int32(below(mix(u), int(st.tasks))) {
		a.fails, a.loses = false, true
		d = int64(float64(d) * unit(s.u.at(drawStage, uint64(i)<<2|loseShare)))
	}
	latency := int64(0)
	if !st.latency.none() {
		latency = st.latency.draw(s.u.at(drawLatency, key), task-st.first)
	}
	if s.o.Speculate != nil && d > median {
		a.late = s.now + latency + median
	}
	if beside != nil {
		beside.other = a
		s.res.Copies++
	}
	a.ends = s.now + latency + d
	s.running = append(s.running, a)
	s.state[task] = running
	s.res.Attempts++
	s.res.PeakRunning = max(s.res.PeakRunning, int32(len(s.running)))
	s.note(Started, a)
}

// leave takes an attempt off its slot and token, and books its time.
func (s *slow) leave(a *slowAttempt) {
	s.running = slices.DeleteFunc(s.running, func(b *slowAttempt) bool { return a == b })
	s.free = append(s.free, a.slot)
	s.res.TokenTime += s.now - a.started
	if a.began {
		s.res.SpareTime += s.now - a.started
	}
}

// undo leaves the task of an attempt that came to nothing to the attempt beside it, or queues it again.
func (s *slow) undo(a *slowAttempt) {
	if a.other != nil {
		a.other.other = nil
		return
	}
	if s.state[a.task] = waiting; s.inputs(a.task) {
		s.state[a.task] = queued
		s.ready = append(s.ready, a.task)
	}
}

func (s *slow) end(a *slowAttempt) {
	defer func() { // what is taken away meanwhile frees its slot first, and this one is taken next
		s.free = append(slices.DeleteFunc(s.free, func(id int32) bool { return id == a.slot }), a.slot)
	}()
	s.leave(a)
	switch {
	case a.loses:
		s.res.Losses++
		s.undo(a)
		s.note(Lost, a)
		s.loseTogether(a.stage)
		return
	case a.fails:
		s.res.Failures++
		s.undo(a)
		s.note(Failed, a)
		return
	}
	if b := a.other; b != nil {
		s.res.Killed++
		s.leave(b)
		s.note(Killed, b)
	}
	s.state[a.task] = done
	if s.o.Loss != nil {
		s.machine[a.task] = a.slot / s.o.Loss.Tokens
	}
	for _, kind := range []bool{true, false} {
		for _, e := range s.p.Edges {
			if e.Parent == a.stage && (e.Kind == trace.OneToOne) == kind {
				s.release(e.Child)
			}
		}
	}
	s.note(Completed, a)
}

func (s *slow) takeSpare() {
	for _, a := range s.on(true) {
		if len(s.on(true)) > int(s.spare) && len(s.on(false)) < int(s.tokens) {
			a.lent = false
		}
	}
	if lent := s.on(true); len(lent) > int(s.spare) {
		s.evict(lent[s.spare:])
	}
}

func (s *slow) evict(attempts []*slowAttempt) {
	for _, a := range attempts {
		s.res.Evictions++
		s.take(a, Evicted)
	}
}

func (s *slow) take(a *slowAttempt, k Kind) {
	s.leave(a)
	s.note(k, a)
	s.undo(a)
}

func (s *slow) loseTogether(i int32) {
	st := &s.c.stages[i]
	if len(st.together) == 0 {
		return
	}
	u := s.u.at(drawStage, uint64(i)<<2|loseCount)
	more := int(st.together[below(u, len(st.together))]) - 1
	others := s.bySlot(func(a *slowAttempt) bool { return a.stage == i })
	var lost []*slowAttempt
	for range min(more, len(others)) {
		u = mix(u + gamma)
		k := below(u, len(others))
		lost = append(lost, others[k])
		others[k] = others[0] // as Fisher and Yates exchange them
		others = others[1:]
	}
	slices.SortFunc(lost, func(a, b *slowAttempt) int { return cmp.Compare(a.slot, b.slot) })
	for _, a := range lost {
		s.res.Losses++
		s.take(a, Lost)
	}
}

func (s *slow) lose() {
	last := int32(0)
	for _, a := range s.running {
		last = max(last, a.slot/s.o.Loss.Tokens)
	}
	for t, x := range s.state {
		if x == done {
			last = max(last, s.machine[t])
		}
	}
	lost := int32(below(s.draw(), int(last)+1))
	for _, a := range s.bySlot(func(a *slowAttempt) bool { return a.slot/s.o.Loss.Tokens == lost }) {
		s.res.Losses++
		s.take(a, Lost)
	}
	for _, i := range slices.Backward(s.c.order) {
		for k := range s.p.Stages[i].Tasks {
			if t := s.c.stages[i].first + k; s.state[t] == done && s.machine[t] == lost && s.read(i, k) {
				s.state[t] = waiting
				s.res.OutputsLost++
				s.events = append(s.events, Event{Now: s.now, Kind: OutputLost, Stage: i, Task: k, Slot: -1})
			}
		}
	}
	for _, a := range s.running {
		if !s.inputs(a.task) {
			a.late = never
		}
	}
	s.ready = nil
	for t := range s.state {
		if s.state[t] == queued {
			s.state[t] = waiting
		}
	}
	for _, i := range s.c.order {
		s.release(i)
	}
}

// read says whether a task that has yet to start reads task k of stage i.
func (s *slow) read(i, k int32) bool {
	for _, e := range s.p.Edges {
		for t := range s.p.Stages[e.Child].Tasks {
			if e.Parent == i && s.state[s.c.stages[e.Child].first+t] <= queued && (e.Kind != trace.OneToOne || t == k) {
				return true
			}
		}
	}
	return false
}
