package policy

import (
	"math"

	"racecard/models/cluster"
	"racecard/models/order"
	"racecard/models/replay"
)

// Static gives each job an equal part of the cluster: the capacity divided by the number of jobs that are there at the
// first instant (Carbyne, Figure 2b). A job never holds more than its part, but for one task that is more than it alone.
type Static struct {
	Order  Order
	within cluster.Vector
	queue  order.Queue
}

// Rank is [replay.Ranker].
func (d *Static) Rank(s *replay.State, j *replay.Job) []int32 { return d.Order.ranks(s, j) }

// Equal returns the capacity of the cluster divided by the number of jobs that have arrived.
func Equal(s *replay.State) (v cluster.Vector) {
	for r, x := range s.Machines.Total() {
		v[r] = x / int64(max(1, s.Active))
	}
	return v
}

// need returns the least that a task needs that the job may start.
func (d *Static) need(j *replay.Job) *cluster.Vector {
	if j.Running == 0 {
		return &j.Need
	}
	least, rest := replay.Never, Rest(j, &d.within)
	for _, i := range j.Ready {
		if st := &j.Stages[i]; st.Demand.Fits(rest) {
			least.Lower(&st.Demand)
		}
	}
	return &least
}

// Schedule is [replay.Scheduler].
func (d *Static) Schedule(s *replay.State) {
	if d.within.Zero() {
		d.within = Equal(s)
	}
	for _, j := range s.Ended {
		d.queue.Remove(j.Index)
	}
	// A job of which a task ended may hold more now, anywhere; the others wait for room on machines where tasks ended.
	for _, j := range s.Changed {
		d.queue.Set(j.Index, float64(j.Index), &cluster.Vector{})
	}
	Serve(s, &d.queue, math.Inf(1), func(j *replay.Job) bool {
		d.Order.Fill(s, j, &d.within, true)
		d.queue.Set(j.Index, float64(j.Index), d.need(j))
		return false
	})
}
