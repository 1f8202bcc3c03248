package policy

import (
	"racecard/models/machines/replay"
)

// Static gives each job an equal part of the cluster: the capacity divided by the number of jobs that are there at the
// first instant (Carbyne, Figure 2b). A job never holds more than its part, except for a single task that exceeds it.
type Static struct {
	Order  Order
	within replay.Vector
	queue  Waiting
	ready  []int32 // scratch
}

// Rank is [replay.Ranker].
func (d *Static) Rank(s *replay.State, j *replay.Job) []int32 { return d.Order.ranks(s, j) }

// Equal returns the capacity of the cluster divided by the number of jobs that have arrived.
func Equal(s *replay.State) (v replay.Vector) {
	for r, x := range s.Machines.Total() {
		v[r] = x / int64(max(1, s.Active))
	}
	return v
}

// put puts a job in the queue with the stages from which it may start tasks.
func (d *Static) put(j *replay.Job) {
	d.ready = d.ready[:0]
	rest := Rest(j, &d.within)
	for _, i := range j.Ready {
		if allowed(j, i, rest) {
			d.ready = append(d.ready, i)
		}
	}
	d.queue.Set(j.Index, float64(j.Index), d.ready, j.Demand)
}

// Schedule is [replay.Scheduler].
func (d *Static) Schedule(s *replay.State) {
	if d.within.Zero() {
		d.within = Equal(s)
	}
	for _, j := range s.Ended {
		d.queue.Remove(j.Index)
	}
	// A job with a task that ended may hold more now, anywhere; the others wait for room on machines where tasks
	// ended.
	for _, j := range s.Changed {
		d.put(j)
		d.queue.Open(j.Index)
	}
	Serve(s, &d.queue, &All, func(j *replay.Job) bool {
		d.Order.Fill(s, j, &d.within, true)
		d.put(j)
		d.queue.Close(j.Index)
		return false
	})
}
