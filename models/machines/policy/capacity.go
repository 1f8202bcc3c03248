package policy

import (
	"math"

	"racecard/models/machines/internal/order"
	"racecard/models/machines/replay"
)

// Capacity has a queue per group of jobs, as YARN's CapacityScheduler. The queue with the least dominant share,
// relative to its weight, is served first; within a queue, jobs are served in the order of their arrival. Resources
// that a queue does not use go to the others, task by task.
type Capacity struct {
	Weights Weights
	Order   Order

	queues  map[string]*queue
	byIndex []*queue
	order   order.Queue     // of queues, by the share that they hold
	held    []replay.Vector // by job, as counted in its queue
	round   int64           // calls of Schedule
	known   Refusals        // of this one
}

type queue struct {
	index  int32
	weight float64
	held   replay.Vector
	jobs   Waiting // by arrival
	spent  int32   // jobs before this one can start nothing in this round
	round  int64
}

// Rank is [replay.Ranker].
func (c *Capacity) Rank(s *replay.State, j *replay.Job) []int32 { return c.Order.ranks(s, j) }

// of returns the queue of a job, which is made when its first job arrives.
func (c *Capacity) of(j *replay.Job) *queue {
	if q := c.queues[j.Spec.Group]; q != nil {
		return q
	}
	if c.queues == nil {
		c.queues = map[string]*queue{}
	}
	q := &queue{index: int32(len(c.byIndex)), weight: c.Weights.Of(j)}
	c.queues[j.Spec.Group] = q
	c.byIndex = append(c.byIndex, q)
	return q
}

// count updates the resources of a queue after a change of one of its jobs, and moves the queue to its new place.
func (c *Capacity) count(s *replay.State, q *queue, j *replay.Job) {
	for len(c.held) <= int(j.Index) {
		c.held = append(c.held, replay.Vector{})
	}
	q.held.Add(&c.held[j.Index], -1)
	q.held.Add(&j.Held, 1)
	c.held[j.Index] = j.Held
	need, ok := q.jobs.Least()
	if !ok {
		need = replay.Never
	}
	c.order.Set(q.index, s.Machines.Dominant(&q.held)/q.weight, &need)
}

// Schedule is [replay.Scheduler].
func (c *Capacity) Schedule(s *replay.State) {
	c.round++
	c.known = Refusals{}
	for _, j := range s.Ended {
		c.of(j).jobs.Remove(j.Index)
		c.count(s, c.of(j), j)
	}
	for _, j := range s.Changed {
		Rekey(&c.of(j).jobs, j, float64(j.Index))
		c.count(s, c.of(j), j)
	}
	for key, from := math.Inf(-1), int32(0); ; {
		bound, _ := Bound(s)
		id, steps, ok := c.order.First(key, from, &bound)
		s.Steps += steps
		if !ok {
			break
		}
		key, from = c.order.Key(id), id
		if !c.start(s, c.byIndex[id]) {
			from++
		}
	}
	for _, j := range s.Changed {
		if j.Fresh {
			c.of(j).jobs.Close(j.Index)
			c.count(s, c.of(j), j)
		}
	}
	s.Full()
}

// start starts one task of the first job of a queue that has a fitting task, and reports whether there was one.
func (c *Capacity) start(s *replay.State, q *queue) bool {
	if q.round != c.round {
		q.round, q.spent = c.round, 0
	}
	for {
		j, ok := First(s, &q.jobs, float64(q.spent), 0, &All, &c.known)
		if !ok {
			return false
		}
		stage, machine := c.Order.next(s, j)
		if machine >= 0 {
			s.Start(j, stage, machine, false)
			Rekey(&q.jobs, j, float64(j.Index))
			c.count(s, q, j)
			return true
		}
		q.spent = j.Index + 1
	}
}
