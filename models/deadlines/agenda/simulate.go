package agenda

import (
	"cmp"
	"slices"

	"racecard/datasets/lists"
)

// event is a change of the day's state at an instant.
type event struct {
	at   int64
	kind kind
	job  int
	of   int32 // stage
}

type kind uint8

const (
	ended     kind = iota // a task
	handedOut             // a stage: its tasks may start
	submitted             // a job
	done                  // a job
)

// before orders events by time, then by kind, job and stage.
func before(a, b event) bool {
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.kind != b.kind:
		return a.kind < b.kind
	case a.job != b.job:
		return a.job < b.job
	}
	return a.of < b.of
}

// active is a job of a simulated day.
type active struct {
	run     repeated
	waits   int     // jobs that must end first
	left    []int   // per stage: tasks that have not ended
	next    []int   // per stage: the next task to start
	parents []int   // per stage: parents that have not ended
	ready   []int32 // stages with tasks to start, ascending
	stages  int     // that have not ended
	running int     // tokens that its tasks hold
	width   int     // tokens of a task
}

// day is a simulated day.
type day struct {
	queue    lists.Heap[event]
	jobs     []active
	children [][]int // jobs that wait for a job
	free     int
	start    []int64
	end      []int64
	head     *promise                         // of the task that waits for more tokens than are free; nil if none does
	used     func(from, to int64, tokens int) // may be nil
	since    int64                            // instant since which the number of tokens in use has not changed
}

// simulate returns when the jobs of a day start and end on so many tokens, each as the given run. used is called for
// every stretch of time with its tokens in use. Time O(tasks (log tasks + jobs)).
func simulate(jobs []Job, runs []repeated, tokens int, used func(from, to int64, tokens int)) (start, end []int64) {
	d := day{queue: lists.Heap[event]{Less: before}, jobs: make([]active, len(jobs)), children: make([][]int, len(jobs)),
		free: tokens, start: make([]int64, len(jobs)), end: make([]int64, len(jobs)), used: used}
	for i := range jobs {
		r := runs[i]
		a := active{run: r, waits: 1 + len(jobs[i].After), stages: len(r.Stages), width: r.width(tokens)}
		for s := range r.Stages {
			a.left, a.next, a.parents = append(a.left, len(r.Stages[s].Tasks)), append(a.next, 0), append(a.parents,
				len(r.Stages[s].Parents))
		}
		d.jobs[i] = a
		for _, before := range jobs[i].After {
			d.children[before] = append(d.children[before], i)
		}
		d.queue.Push(event{r.at, submitted, i, 0})
	}
	for d.queue.Len() > 0 {
		now := d.queue.Items[0].at
		if in := tokens - d.free; in > 0 && d.used != nil && now > d.since {
			d.used(d.since, now, in)
		}
		d.since = now
		for d.queue.Len() > 0 && d.queue.Items[0].at == now {
			d.happen(d.queue.Pop())
		}
		d.hand(now)
	}
	return d.start, d.end
}

// happen applies an event.
func (d *day) happen(e event) {
	a := &d.jobs[e.job]
	switch e.kind {
	case submitted:
		if a.waits--; a.waits > 0 {
			return
		}
		d.start[e.job] = e.at
		if a.stages == 0 {
			d.queue.Push(event{e.at + a.run.times(a.run.StartUp+a.run.WindDown), done, e.job, 0})
		}
		for s := range a.run.Stages {
			if a.parents[s] == 0 {
				d.queue.Push(event{e.at + a.run.times(a.run.StartUp+a.run.Stages[s].Delay), handedOut, e.job, int32(s)})
			}
		}
	case handedOut:
		if a.left[e.of] == 0 {
			d.stageEnded(e)
			return
		}
		i := len(a.ready)
		for i > 0 && a.ready[i-1] > e.of {
			i--
		}
		a.ready = append(a.ready, 0)
		copy(a.ready[i+1:], a.ready[i:])
		a.ready[i] = e.of
	case ended:
		a.running -= a.width
		d.free += a.width
		if a.left[e.of]--; a.left[e.of] == 0 {
			d.stageEnded(e)
		}
	case done:
		d.end[e.job] = e.at
		for _, child := range d.children[e.job] {
			d.queue.Push(event{e.at, submitted, child, 0})
		}
	}
}

// stageEnded hands out the stages that waited for one.
func (d *day) stageEnded(e event) {
	a := &d.jobs[e.job]
	if a.stages--; a.stages == 0 {
		d.queue.Push(event{e.at + a.run.times(a.run.WindDown), done, e.job, 0})
		return
	}
	for s := range a.run.Stages {
		for _, p := range a.run.Stages[s].Parents {
			if p == e.of {
				if a.parents[s]--; a.parents[s] == 0 {
					d.queue.Push(event{e.at + a.run.times(a.run.Stages[s].Delay), handedOut, e.job, int32(s)})
				}
			}
		}
	}
}

// hand gives free tokens to the jobs with the fewest, of these to the one whose task takes most. Too few for a task are
// kept for it, and lent to tasks that do not delay it.
func (d *day) hand(now int64) {
	var head *promise
	for d.free > 0 {
		poorest := -1
		for i := range d.jobs {
			if d.mayStart(i, now, head) && (poorest < 0 || cmp.Or(cmp.Compare(d.jobs[i].running, d.jobs[poorest].running),
				d.jobs[poorest].width-d.jobs[i].width) < 0) {
				poorest = i
			}
		}
		switch {
		case poorest < 0:
			return
		case d.jobs[poorest].width > d.free:
			if d.head == nil || d.head.job != poorest {
				d.head = d.promised(poorest)
			}
			head = d.head
			continue
		}
		a := &d.jobs[poorest]
		s := a.ready[0]
		end := now + a.took()
		switch {
		case d.head != nil && d.head.job == poorest:
			d.head = nil
		case head != nil && end > head.at:
			head.spare -= a.width
		}
		d.queue.Push(event{end, ended, poorest, s})
		if a.next[s]++; a.next[s] == len(a.run.Stages[s].Tasks) {
			a.ready = a.ready[1:]
		}
		a.running += a.width
		d.free -= a.width
	}
}

// mayStart reports whether a job has a task that may start, without a delay of the head, if it is not nil.
func (d *day) mayStart(job int, now int64, head *promise) bool {
	a := &d.jobs[job]
	switch {
	case len(a.ready) == 0 || a.running+a.width > a.run.Tokens:
		return false
	case head == nil:
		return true
	}
	return a.width <= d.free && (a.width <= head.spare || now+a.took() <= head.at)
}

// took returns how long the next task of the first stage with one takes.
func (a *active) took() int64 {
	s := a.ready[0]
	return a.run.onTokens(a.run.times(a.run.Stages[s].Tasks[a.next[s]]), a.width)
}

// promise is the start of a task that waits for more tokens than are free: other tasks may start before it if they end
// by then, or take tokens that are spare even then (EASY backfilling: D. A. Lifka, "The ANL/IBM SP Scheduling System",
// JSSPP 1995).
type promise struct {
	job   int
	at    int64
	spare int // tokens that are free at that time beyond the task's own
}

// promised returns when so many tokens are free that the next task of a job can start.
func (d *day) promised(job int) *promise {
	running := lists.Kept(d.queue.Items, func(e event) bool { return e.kind == ended })
	slices.SortFunc(running, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	p := &promise{job: job, spare: d.free - d.jobs[job].width}
	for _, e := range running {
		if p.spare >= 0 && e.at > p.at {
			break
		}
		p.at = e.at
		p.spare += d.jobs[e.job].width
	}
	return p
}
