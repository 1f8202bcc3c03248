package policy

import (
	"math"

	"racecard/models/cluster"
	"racecard/models/order"
	"racecard/models/replay"
)

// List serves jobs strictly in ascending order of a key, each as far as there is room, and passes over tasks that do not
// fit: a list scheduler, which leaves no task waiting that fits.
type List struct {
	// Key may use all of a job's state that only changes when one of its tasks ends.
	Key func(s *replay.State, j *replay.Job) float64
	// Fixed keys are computed once, when a job arrives.
	Fixed bool
	Order Order

	queue order.Queue
}

// SJF serves the job first of which the critical path, at its arrival, is shortest, and in it what the longest path is
// left after: PAPERS C8.
func SJF() *List {
	return &List{Fixed: true, Order: CriticalPath, Key: func(_ *replay.State, j *replay.Job) float64 {
		longest := int64(0)
		for _, d := range Downstream(j) {
			longest = max(longest, d)
		}
		return float64(longest)
	}}
}

// SRTF serves the job first that has the least work left.
func SRTF() *List {
	return &List{Order: CriticalPath, Key: func(_ *replay.State, j *replay.Job) float64 { return float64(j.Work) }}
}

// FIFO serves jobs in the order of their arrival.
func FIFO() *List {
	return &List{Fixed: true, Order: BreadthFirst, Key: func(_ *replay.State, j *replay.Job) float64 { return float64(j.Index) }}
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
	Serve(s, &l.queue, math.Inf(1), func(j *replay.Job) bool {
		l.Order.Fill(s, j, nil, false)
		Rekey(s, &l.queue, j, l.queue.Key(j.Index))
		return false
	})
	Settle(s, &l.queue)
}

// Update brings a queue up to date with what happened at this instant: jobs that ended leave it, those that changed take
// their place. Jobs of which tasks became runnable at this instant are looked at whatever room there is: all of the cluster
// may have room for them, whereas other jobs can only start tasks where some ended (see [Bound]).
func Update(s *replay.State, q *order.Queue, key func(j *replay.Job) float64) {
	for _, j := range s.Ended {
		q.Remove(j.Index)
	}
	for _, j := range s.Changed {
		need := &j.Need
		if j.Fresh {
			need = &cluster.Vector{}
		}
		q.Set(j.Index, key(j), need)
	}
}

// Settle ends an instant: jobs that were fresh are so no more.
func Settle(s *replay.State, q *order.Queue) {
	for _, j := range s.Changed {
		if j.Fresh {
			q.Set(j.Index, q.Key(j.Index), &j.Need)
		}
	}
}

// Bound returns the most that is free of each resource on the machines on which tasks ended at this instant. A scheduler
// that never leaves a task waiting that fits can start no other task than such as fit it, or became runnable just now.
func Bound(s *replay.State) cluster.Vector {
	if len(s.Freed) > 64 {
		return *s.Machines.MostFree()
	}
	var most cluster.Vector
	for _, m := range s.Freed {
		most.Raise(s.Machines.Free(m))
	}
	return most
}

// Serve calls start with the jobs of a queue that may start a task, in order, up to key limit. start
// reports whether it would be called again, when it has moved the job to a new place (see [Rekey]). Room only shrinks during
// an instant, so that a job that could start nothing is not looked at again.
func Serve(s *replay.State, q *order.Queue, limit float64, start func(j *replay.Job) bool) {
	key, from := math.Inf(-1), int32(0)
	for {
		bound := Bound(s)
		id, steps, ok := q.First(key, from, &bound)
		s.Steps += steps
		if !ok || q.Key(id) > limit {
			return
		}
		key, from = q.Key(id), id
		if !start(s.Job(id)) {
			from++
		}
	}
}

// Rekey moves a job that started tasks to a key in a queue.
func Rekey(s *replay.State, q *order.Queue, j *replay.Job, key float64) {
	need := &j.Need
	if j.Fresh {
		need = &cluster.Vector{}
	}
	q.Set(j.Index, key, need)
}
