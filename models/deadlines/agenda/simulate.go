package agenda

import (
	"cmp"

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
				d.queue.Push(event{e.at + a.run.times(a.run.StartUp+a.run.Stages[s].Delay), handedOut, e.job,
					int32(s)})
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
// kept for it.
func (d *day) hand(now int64) {
	for d.free > 0 {
		poorest := -1
		for i := range d.jobs {
			if a := &d.jobs[i]; len(a.ready) > 0 && a.running+a.width <= a.run.Tokens && (poorest < 0 ||
				cmp.Or(cmp.Compare(a.running, d.jobs[poorest].running), d.jobs[poorest].width-a.width) < 0) {
				poorest = i
			}
		}
		if poorest < 0 || d.jobs[poorest].width > d.free {
			return
		}
		a := &d.jobs[poorest]
		s := a.ready[0]
		st := &a.run.Stages[s]
		d.queue.Push(event{now + a.run.onTokens(a.run.times(st.Tasks[a.next[s]]), a.width), ended, poorest, s})
		if a.next[s]++; a.next[s] == len(st.Tasks) {
			a.ready = a.ready[1:]
		}
		a.running += a.width
		d.free -= a.width
	}
}
