package pack

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/replay"
)

// Starts returns the latest plan, ascending by instant. It is valid until the next plan.
func (p *Planner) Starts() []Start { return p.starts }

// Forward plans every task as early as it fits, and returns the end of the last planned or running task. It gives up
// and reports false if that is after limit, or the replay is stopped.
func (p *Planner) Forward(limit int64) (end int64, ok bool) {
	return p.forward(limit, (*Planner).place)
}

// forward is Forward with a way to place groups.
func (p *Planner) forward(limit int64, place func(*Planner, int64) bool) (end int64, ok bool) {
	p.reset(false)
	p.end = limit
	for _, i := range p.open {
		st := &p.stages[i]
		for _, q := range st.parents {
			if from := &p.stages[q]; from.left+from.running > 0 {
				st.waits++
			}
		}
	}
	for _, g := range p.running {
		p.free.Add(&p.stages[g.stage].demand, -int64(g.tasks))
		p.ends.push(g)
	}
	for _, i := range p.open {
		p.offer(i)
	}
	return p.pass(p.now, limit, place)
}

// Backward plans every task as late as it fits before end: the reversed graph, packed the same way from end back
// to now. It reports false, and leaves no plan, if the time is too short: some task would start before now or
// before its parents end, or running tasks leave no room.
func (p *Planner) Backward(end int64) bool { return p.reverse(end, (*Planner).place) }

// Sooner is Backward with an end that much sooner than the one of the latest plan, which is a plan backward. Until
// running tasks matter, it places the same groups, and does not look at all ready stages again.
func (p *Planner) Sooner(by int64) bool {
	p.groups, p.known = p.known[:0], p.groups
	return p.reverse(p.end-by, (*Planner).follow)
}

// follow is place, for as long as no running task matters, as known has it.
func (p *Planner) follow(t int64) bool {
	if !p.idle(p.end - t - p.longest) {
		return p.place(t)
	}
	first := len(p.groups)
	for _, g := range p.known[first:] {
		if g.visit != p.visit {
			break
		}
		if !p.start(int(g.place), g.tasks, t) {
			return false
		}
	}
	return p.waves(t, len(p.groups)-first)
}

// reverse is Backward with a way to place groups.
func (p *Planner) reverse(end int64, place func(*Planner, int64) bool) bool {
	if end < p.least {
		return false
	}
	p.reset(true)
	p.end = end
	for _, i := range p.open {
		for _, c := range p.stages[i].children {
			if !c.OneToOne && p.stages[c.Stage].left > 0 {
				p.stages[i].waits++
			}
		}
	}
	p.hold()
	for _, i := range p.open {
		p.offer(i)
	}
	if _, ok := p.pass(0, Unlimited, place); !ok { // in microseconds before end
		return false
	}
	slices.SortFunc(p.starts, func(a, b Start) int {
		if a.At != b.At {
			return cmp.Compare(a.At, b.At)
		}
		return cmp.Compare(a.Stage, b.Stage)
	})
	return !slices.ContainsFunc(p.open, func(i int32) bool { return p.stages[i].unplaced > 0 })
}

// pass places groups at t, and whenever some end, until none is left. It returns the end of the last, and reports false
// if that is after limit, or place does.
func (p *Planner) pass(t, limit int64, place func(*Planner, int64) bool) (end int64, ok bool) {
	for ; ; p.visit++ {
		if !place(p, t) {
			return t, false
		}
		if len(p.ends) == 0 {
			return t, true
		}
		t = p.ends[0].end
		if t > limit {
			return t, false
		}
		for len(p.ends) > 0 && p.ends[0].end == t {
			g := p.ends.pop()
			p.free.Add(&p.stages[g.stage].demand, int64(g.tasks))
			p.ended(g)
		}
	}
}

// reset begins a plan.
func (p *Planner) reset(backward bool) {
	p.backward, p.starts, p.ready, p.demands, p.ends, p.free = backward, p.starts[:0], p.ready[:0], p.demands[:0],
		p.ends[:0], p.within
	p.groups, p.visit = p.groups[:0], 0
	for _, i := range p.open {
		st := &p.stages[i]
		st.unplaced, st.waits, st.done, st.queued = st.left, 0, 0, false
	}
}

// hold adds up the demand of running tasks, with its end.
func (p *Planner) hold() {
	p.held = append(p.held[:0], make([]cluster.Vector, len(p.running)+1)...)
	for k := len(p.running) - 1; k >= 0; k-- {
		p.held[k] = p.held[k+1]
		p.held[k].Add(&p.stages[p.running[k].stage].demand, int64(p.running[k].tasks))
	}
}

// heldAt returns the demand of running tasks just after an instant.
func (p *Planner) heldAt(at int64) *cluster.Vector {
	n := len(p.running)
	if p.idle(at) {
		return &p.held[n]
	}
	k, _ := slices.BinarySearchFunc(p.running, at, func(g group, at int64) int { return cmp.Compare(g.end, at+1) })
	return &p.held[k]
}

// idle reports whether no task that runs already does so just after an instant.
func (p *Planner) idle(at int64) bool {
	n := len(p.running)
	return n == 0 || p.running[n-1].end <= at
}

// ended makes stages ready that waited for a group of tasks: its children, or, in a backward plan, its parents.
func (p *Planner) ended(g group) {
	st := &p.stages[g.stage]
	st.done += g.tasks
	if p.backward {
		for _, q := range st.parents {
			if st.done == st.left {
				p.stages[q].waits--
				p.offer(q)
			}
		}
		for _, q := range st.pairs {
			p.offer(q)
		}
		return
	}
	for _, c := range st.children {
		whole := st.done == st.left+st.running
		if whole && !c.OneToOne {
			p.stages[c.Stage].waits--
		}
		if whole || c.OneToOne {
			p.offer(c.Stage)
		}
	}
}

// offer makes a stage ready if it has tasks to place that need not wait, and counts them.
func (p *Planner) offer(i int32) {
	st := &p.stages[i]
	if st.waits > 0 || st.unplaced == 0 {
		return
	}
	st.allowed = st.unplaced
	if p.backward {
		for _, c := range st.children {
			if c.OneToOne { // as many as children that were placed
				st.allowed = min(st.allowed, p.stages[c.Stage].done-(st.left-st.unplaced))
			}
		}
	} else {
		for _, q := range st.pairs { // as many of ours have to wait as of the parent's have not ended
			from := &p.stages[q]
			st.allowed = min(st.allowed, st.unplaced-(from.left+from.running-from.done))
		}
	}
	if st.allowed > 0 && !st.queued {
		st.queued = true
		p.ready = append(p.ready, candidate{st.demand.Coarse(), i})
		p.demands = append(p.demands, wanted(&st.demand))
	}
}

// place starts groups of tasks of ready stages until none fits. In a backward plan, t counts from the end. It reports
// false if the replay is stopped, or a group does not fit at its place: see start.
func (p *Planner) place(t int64) bool {
	groups, ok := p.fill(t)
	return ok && p.waves(t, groups)
}

// waves ends an instant at which that many groups were placed.
func (p *Planner) waves(t int64, groups int) bool {
	return groups != 1 || len(p.ends) != 1 || p.repeat(t)
}

// fill is place without waves, and returns the number of groups.
func (p *Planner) fill(t int64) (groups int, ok bool) {
	busy := p.backward && !p.idle(p.end-t-p.longest)
	p.fitting = slices.Grow(p.fitting[:0], len(p.ready))[:len(p.ready)]
	fitting, n, free := p.fitting, 0, p.free.Coarse() // places of candidates, ascending
	for k := range p.ready {                          // without a branch, as in cluster.Vector.Fits
		fitting[n] = int32(k)
		n += int((p.ready[k].demand.Above(&free) - 1) >> 63)
	}
	fitting = p.keep(fitting[:n], t, busy)
	for len(fitting) > 0 {
		if p.halted() {
			return groups, false
		}
		best, before := p.best(fitting), len(p.ready)
		n := p.room(&p.stages[p.ready[best].stage], t)
		if !p.start(int(best), n, t) {
			return groups, false
		}
		groups++
		if last := len(fitting) - 1; len(p.ready) < before {
			if int(fitting[last]) == len(p.ready) { // the last ready stage moved to the place of the removed one
				fitting = fitting[:last]
			} else {
				k := slices.Index(fitting, best)
				fitting = slices.Delete(fitting, k, k+1)
			}
		}
		fitting = p.keep(fitting, t, busy) // stages that did not fit before still do not
	}
	return groups, true
}

// keep returns the candidates that fit, in the memory of all.
func (p *Planner) keep(candidates []int32, t int64, busy bool) []int32 {
	kept := candidates[:0]
	for _, k := range candidates {
		if p.fits(int(k), t, busy) {
			kept = append(kept, k)
		}
	}
	return kept
}

// repeat starts further groups of a stage, one after the other, where the latest group is the only one that holds
// anything. When it ends, all is as it was before, but for the tasks of the stage that are left: they are served again.
// So plans within small allowances cost stages, not tasks. It reports false as start does.
func (p *Planner) repeat(t int64) bool {
	g, latest := &p.ends[0], &p.starts[len(p.starts)-1]
	st := &p.stages[g.stage]
	if st.duration == 0 || p.paired(st) {
		return true
	}
	again := st.allowed / g.tasks
	if p.backward && len(p.running) > 0 { // for as long as no running task matters to any stage
		idle := p.end - t - p.longest - p.running[len(p.running)-1].end
		again = int32(min(int64(again), max(0, idle)/st.duration))
	}
	if again == 0 {
		return true
	}
	latest.Every, latest.Waves = st.duration, latest.Waves+again
	g.end += int64(again) * st.duration
	if p.backward {
		if latest.At -= int64(again) * st.duration; latest.At < p.earliest(st, 0) {
			return false
		}
	} else if g.end-st.duration > p.end-st.tail {
		return false
	}
	st.done += again * g.tasks
	p.take(slices.IndexFunc(p.ready, func(c candidate) bool { return c.stage == g.stage }), again*g.tasks)
	return true
}

// paired reports whether another stage waits for this one, task by task, in the direction of the plan.
func (p *Planner) paired(st *stage) bool {
	if p.backward {
		return len(st.pairs) > 0
	}
	return slices.ContainsFunc(st.children, func(c replay.Child) bool { return c.OneToOne })
}

// halted reports whether the replay is stopped.
func (p *Planner) halted() bool { return p.stopped != nil && p.stopped() }

// best returns which of the candidates that fit is served first.
func (p *Planner) best(fitting []int32) int32 {
	best := fitting[0]
	if len(fitting) == 1 {
		return best
	}
	free := floats(&p.free)
	score := p.score(&p.stages[p.ready[best].stage], &free)
	for _, k := range fitting[1:] {
		i := p.ready[k].stage
		x := p.score(&p.stages[i], &free)
		if cluster.Above(x, score) || !cluster.Above(score, x) && p.first(i, p.ready[best].stage) {
			best, score = k, x
		}
	}
	return best
}

// fits reports whether a task of the candidate at place k may start at t. A resource that it does not demand may
// be overcommitted. Forward, a task that fits at t fits until its end. Busy tells that running tasks may matter.
func (p *Planner) fits(k int, t int64, busy bool) bool {
	return p.demands[k].Fits(&p.free) && (!busy || p.undisturbed(k, t))
}

// wanted returns a demand with less in place of 0 than is free of any resource, also of one that is overcommitted.
func wanted(demand *cluster.Vector) cluster.Vector {
	out := *demand
	for r, x := range out {
		if x == 0 {
			out[r] = -cluster.Most
		}
	}
	return out
}

// undisturbed reports whether running tasks leave room for a task of the candidate at place k in a backward plan. They
// only end: they hold most at the earliest instant of the task.
func (p *Planner) undisturbed(k int, t int64) bool {
	at := p.end - t - p.stages[p.ready[k].stage].duration
	if p.idle(at) {
		return true
	}
	held := p.heldAt(at)
	for r, x := range p.demands[k] {
		if x > p.free[r]-held[r] {
			return false
		}
	}
	return true
}

// room returns the number of tasks of a stage that may start at t, given that one may.
func (p *Planner) room(st *stage, t int64) int32 {
	at := p.end - t - st.duration
	if !p.backward || p.idle(at) {
		return int32(st.demand.Times(&p.free, int64(st.allowed)))
	}
	rest := p.free
	rest.Add(p.heldAt(at), -1)
	return int32(st.demand.Times(&rest, int64(st.allowed)))
}

func floats(v *cluster.Vector) (f [trace.NumResources]float64) {
	for r, x := range v {
		f[r] = float64(x)
	}
	return f
}

// score ranks a stage among those that fit: the stage with the highest score is served first.
func (p *Planner) score(st *stage, free *[trace.NumResources]float64) float64 {
	if p.byRank {
		if p.backward {
			return float64(st.rank)
		}
		return -float64(st.rank)
	}
	sum := 0.0
	for r := range free {
		sum += st.weight[r] * free[r]
	}
	return sum
}

// first reports whether stage a comes before stage b of equal score: breadth first, from the end at which plans begin.
func (p *Planner) first(a, b int32) bool {
	d := cmp.Or(cmp.Compare(p.stages[a].depth, p.stages[b].depth), cmp.Compare(a, b))
	return d < 0 != p.backward
}

// start places tasks of the ready stage at place k. It reports false if the plan cannot come about: some task would
// start too soon, or the last one end too late.
func (p *Planner) start(k int, tasks int32, t int64) bool {
	i := p.ready[k].stage
	st := &p.stages[i]
	at := t
	if p.backward {
		if at = p.end - t - st.duration; at < p.earliest(st, tasks) {
			return false
		}
	} else if at > p.end-st.tail {
		return false
	}
	p.starts = append(p.starts, Start{At: at, Stage: i, Tasks: tasks, Waves: 1})
	p.groups = append(p.groups, placed{p.visit, int32(k), tasks})
	p.ends.push(group{t + st.duration, i, tasks})
	p.free.Add(&st.demand, -int64(tasks))
	p.Steps++
	p.take(k, tasks)
	return true
}

// take counts tasks of the ready stage at place k as placed.
func (p *Planner) take(k int, tasks int32) {
	st := &p.stages[p.ready[k].stage]
	st.unplaced -= tasks
	if st.allowed -= tasks; st.allowed == 0 {
		st.queued = false
		last := len(p.ready) - 1
		p.ready[k], p.demands[k] = p.ready[last], p.demands[last]
		p.ready, p.demands = p.ready[:last], p.demands[:last]
	}
}

// earliest returns the earliest possible start of the tasks that are placed next in a backward plan. The last tasks of
// a stage are those with pairs that run or have ended, as these become runnable first.
func (p *Planner) earliest(st *stage, tasks int32) int64 {
	at := max(p.now, st.from)
	for _, q := range st.pairs {
		if st.left-st.unplaced+tasks > p.stages[q].left {
			at = max(at, st.paired)
		}
	}
	return at
}

// ends is a binary heap of groups by end. Equal ends have no order, as all groups of an instant are taken together.
type ends []group

func (h *ends) push(g group) {
	s := append(*h, g)
	i := len(s) - 1
	for i > 0 && g.end < s[(i-1)/2].end {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = g
	*h = s
}

func (h *ends) pop() group {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= len(s) {
			break
		}
		if c+1 < len(s) && s[c+1].end < s[c].end {
			c++
		}
		if s[c].end >= last.end {
			break
		}
		s[i] = s[c]
		i = c
	}
	s[i] = last
	return top
}

// Unlimited is no limit to [Planner.Forward].
const Unlimited = math.MaxInt64
