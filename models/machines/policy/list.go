package policy

import (
	"math"

	"racecard/models/machines/internal/order"
	"racecard/models/machines/replay"
)

// List serves jobs strictly in ascending order of a key, each as long as there is room, and passes over tasks that do
// not fit: a list scheduler, which starts every task that fits.
type List struct {
	// Key may use all of a job's state that only changes when one of its tasks ends.
	Key func(s *replay.State, j *replay.Job) float64
	// Fixed keys are computed once, when a job arrives.
	Fixed bool
	Order Order

	queue Waiting
}

// SJF serves jobs by their critical path at arrival, shortest first, and the stages of a job by the longest path
// that remains after them: PAPERS C8.
func SJF() *List {
	return &List{Fixed: true, Order: CriticalPath, Key: func(_ *replay.State, j *replay.Job) float64 {
		longest := int64(0)
		for _, d := range Downstream(j) {
			longest = max(longest, d)
		}
		return float64(longest)
	}}
}

// SRTF serves the job with the least remaining work first.
func SRTF() *List {
	return &List{Order: CriticalPath, Key: func(_ *replay.State, j *replay.Job) float64 { return float64(j.Work) }}
}

// FIFO serves jobs in the order of their arrival.
func FIFO() *List {
	return &List{Fixed: true, Order: BreadthFirst, Key: func(_ *replay.State, j *replay.Job) float64 {
		return float64(j.Index)
	}}
}

// Rank is [replay.Ranker].
func (l *List) Rank(s *replay.State, j *replay.Job) []int32 { return l.Order.ranks(s, j) }

// Schedule is [replay.Scheduler].
func (l *List) Schedule(s *replay.State) {
	Update(s, &l.queue, func(j *replay.Job) float64 {
		if l.Fixed && l.queue.Has(j.Index) {
			return l.queue.Key(j.Index)
		}
		return l.Key(s, j)
	})
	Serve(s, &l.queue, &All, func(j *replay.Job) bool {
		l.Order.Fill(s, j, nil, false)
		Rekey(&l.queue, j, l.queue.Key(j.Index))
		return false
	})
	Settle(s, &l.queue)
	s.Full()
}

// Waiting is a queue of jobs by a key, and the demands of their ready stages. The zero value is empty.
type Waiting = order.Waiting

// Update brings a queue up to date with the events of this instant: ended jobs leave it, changed ones take their
// place. Jobs with tasks that became runnable at this instant are considered with any room, anywhere in the
// cluster; other jobs can only start tasks where some ended (see [Serve]).
func Update(s *replay.State, q *Waiting, key func(j *replay.Job) float64) {
	for _, j := range s.Ended {
		q.Remove(j.Index)
	}
	for _, j := range s.Changed {
		Rekey(q, j, key(j))
	}
}

// Rekey moves a job that started tasks to a key in a queue.
func Rekey(q *Waiting, j *replay.Job, key float64) {
	put(q, j, key)
	if j.Fresh {
		q.Open(j.Index)
	}
}

// put puts a job in a queue. A job with many ready stages is indexed by their least demands, not stage by stage.
func put(q *Waiting, j *replay.Job, key float64) {
	if len(j.Ready) > order.MaxIndexed {
		q.SetLeast(j.Index, key, &j.Need)
		return
	}
	q.Set(j.Index, key, j.Ready, j.Demand)
}

// Settle ends an instant: it clears the mark of jobs with newly runnable tasks.
func Settle(s *replay.State, q *Waiting) {
	for _, j := range s.Changed {
		q.Close(j.Index)
	}
}

// Bound returns the largest free amount of each resource on the machines on which tasks ended at this instant, with
// some set. If these machines are many, it returns the largest free amounts on any machine.
func Bound(s *replay.State) (most replay.Vector, some bool) {
	if len(s.Freed) > 64 {
		return *s.Machines.MostFree(), false
	}
	for _, m := range s.Freed {
		most.Raise(s.Machines.Free(m))
	}
	return most, true
}

// Pass selects the stages for a pass over a queue: stages with a level of at most Level (see [order.Search]),
// accepted by OK unless it is nil.
type Pass struct {
	Level float64
	OK    func(j *replay.Job, stage int32) bool
}

// All is a pass for all stages.
var All = Pass{Level: math.Inf(1)}

// First returns the first job of a queue at or after (key, id) that may start a task now. Under a scheduler that starts
// every task that fits, only two kinds of tasks can start: those that became runnable at this instant, and those that
// fit on machines on which tasks ended at this instant. known are the refusals of this instant.
func First(s *replay.State, q *Waiting, key float64, id int32, p *Pass, known *Refusals) (j *replay.Job, is bool) {
	bound, some := Bound(s)
	search := order.Search{Key: key, ID: id, Room: &bound, Level: p.Level}
	known.Search(s, &search, some)
	if p.OK != nil {
		search.OK = func(id, stage int32) bool { return stage == order.Any || p.OK(s.Job(id), stage) }
	}
	found, steps, is := q.First(&search)
	s.Steps += steps
	if !is {
		return nil, false
	}
	return s.Job(found), true
}

// Serve calls start with the jobs of a queue that may start a task (see [First]), in order. start reports whether to
// call it again for the job, after it has moved the job to a new place (see [Rekey]). Room only shrinks during an
// instant, so that a job that could start nothing is not visited again.
func Serve(s *replay.State, q *Waiting, p *Pass, start func(j *replay.Job) bool) {
	key, from := math.Inf(-1), int32(0)
	var known Refusals
	for {
		j, is := First(s, q, key, from, p, &known)
		if !is {
			return
		}
		key, from = q.Key(j.Index), j.Index
		if !start(j) {
			from++
		}
	}
}
