package sim

// span is tasks of one stage that are ready, among all tasks.
type span struct{ stage, next, end int32 }

// States of a task, kept where machines may be lost.
const (
	waiting = iota
	queued
	running
	done
)

// States of the gate of a stage that is handed out some time after its inputs are there.
const (
	closed = iota
	opening
	opened
)

// enqueue appends ready tasks to the queue: a ring, or a binary heap by the number of the task where stages have an
// order. A task is in it at most once, so that there is room.
func (r *Runner) enqueue(q span) {
	if r.lossy {
		for t := q.next; t < q.end; t++ {
			r.state[t] = queued
		}
	}
	r.ready += q.end - q.next
	i := r.head + r.n
	r.n++
	if r.opts.StageOrder {
		for i > 0 && r.queue[(i-1)/2].next > q.next {
			r.queue[i] = r.queue[(i-1)/2]
			i = (i - 1) / 2
		}
	} else if i >= len(r.queue) {
		i -= len(r.queue)
	}
	r.queue[i] = q
}

// settle moves the first span to its place in the heap.
func (r *Runner) settle() {
	i, q := 0, r.queue[0]
	for c := 1; c < r.n; c = 2*i + 1 {
		if c+1 < r.n && r.queue[c+1].next < r.queue[c].next {
			c++
		}
		if r.queue[c].next > q.next {
			break
		}
		r.queue[i] = r.queue[c]
		i = c
	}
	r.queue[i] = q
}

// take removes the first ready task.
func (r *Runner) take() (stage, task int32) {
	q := &r.queue[r.head]
	stage, task = q.stage, q.next
	q.next++
	r.ready--
	if q.next == q.end {
		r.drop()
	} else if r.opts.StageOrder {
		r.settle()
	}
	return stage, task
}

// drop removes the rest of the first span.
func (r *Runner) drop() {
	q := &r.queue[r.head]
	r.ready -= q.end - q.next
	r.n--
	if r.opts.StageOrder {
		if r.queue[0] = r.queue[r.n]; r.n > 0 {
			r.settle()
		}
		return
	}
	if r.head++; r.head == len(r.queue) {
		r.head = 0
	}
}

// open queues the tasks of stage i whose inputs are all there.
func (r *Runner) open(i int32) {
	s := &r.c.stages[i]
	if s.pairs == 0 && !r.lossy {
		r.enqueue(span{i, s.first, s.first + s.tasks})
		return
	}
	for t := s.first; t < s.first+s.tasks; t++ {
		if r.pairs[t] == 0 && (!r.lossy || r.state[t] == waiting) {
			r.enqueue(span{i, t, t + 1})
		}
	}
}

// again queues the task of an unsuccessful attempt, unless its inputs must be computed again first.
func (r *Runner) again(a attempt) {
	if r.lossy {
		r.state[a.task] = waiting
		if r.barriers[a.stage] > 0 || r.pairs[a.task] > 0 {
			return
		}
	}
	r.enqueue(span{a.stage, a.task, a.task + 1})
}

// follow queues the tasks that become ready when task t of stage i is done.
func (r *Runner) follow(i, t int32) {
	s := &r.c.stages[i]
	for _, child := range s.pairsTo {
		k := t - s.first + r.c.stages[child].first
		if r.pairs[k]--; r.pairs[k] > 0 {
			continue
		}
		if r.barriers[child] > 0 {
			r.gate(child)
		} else if !r.lossy || r.state[k] == waiting {
			r.enqueue(span{child, k, k + 1})
		}
	}
	if r.done[i] < s.tasks {
		return
	}
	for _, child := range s.barrierTo {
		if r.barriers[child]--; r.barriers[child] == 0 {
			r.open(child)
		} else {
			r.gate(child)
		}
	}
}

// gate begins the delay of stage i if nothing else holds it back: its parents are done, or, with one-to-one
// edges, the parents of one of its tasks. A gate counts as one more parent.
func (r *Runner) gate(i int32) {
	s := &r.c.stages[i]
	if !s.gated || r.gates[i] != closed || r.barriers[i] > 1 {
		return
	}
	if s.pairs > 0 {
		ready := false
		for _, n := range r.pairs[s.first : s.first+s.tasks] {
			ready = ready || n == 0
		}
		if !ready {
			return
		}
	}
	delay := int64(0)
	if !s.delay.none() {
		delay = s.delay.draw(r.random.at(drawStage, uint64(i)<<2), 0)
	}
	if s.barriers+s.pairs == 0 {
		delay += r.startUp
	}
	r.gates[i] = opening
	r.openings.push(min(r.now+delay, limit), i)
	r.next = min(r.next, r.openings.next())
}

// admit opens the gates that are due.
func (r *Runner) admit() {
	for r.openings.next() == r.now {
		i := r.openings.pop()
		r.gates[i] = opened
		if r.barriers[i]--; r.barriers[i] == 0 {
			r.open(i)
		}
	}
}
