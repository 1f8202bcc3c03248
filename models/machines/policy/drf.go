package policy

import (
	"math"

	"racecard/models/machines/internal/share"
	"racecard/models/machines/replay"
)

// Weights are the weights of groups of jobs; those that are not listed weigh 1.
type Weights map[string]float64

// Of returns the weight of a job.
func (w Weights) Of(j *replay.Job) float64 {
	if len(w) == 0 {
		return 1
	}
	if x, ok := w[j.Spec.Group]; ok {
		return x
	}
	return 1
}

// Shares are the shares that jobs are entitled to, kept up to date event by event: the DRF shares of the
// aggregate demand of a job's running and runnable tasks (PAPERS C3).
type Shares struct {
	Weights Weights
	// Remaining instead takes the demand of all unfinished tasks of a job, weighted by their durations. A job may
	// hold any amount along it: the unused part is left over.
	Remaining bool
	fair      share.Fair
}

// Update applies the changes of this instant, and reports whether there were any. If not, all shares are as they were.
func (f *Shares) Update(s *replay.State) (changed bool) {
	for _, j := range s.Ended {
		f.fair.Remove(j.Index)
	}
	for _, j := range s.Changed {
		want := share.Shares(s.Machines.Shares(&j.Wanted))
		if f.Remaining {
			want = left(s, j)
		}
		f.fair.Set(j.Index, &want, f.Weights.Of(j), f.Remaining)
	}
	return f.fair.Solve()
}

// left returns the sum over unfinished tasks of demand, in shares of the cluster, times duration.
func left(s *replay.State, j *replay.Job) (sum share.Shares) {
	for i := range j.Stages {
		st := &j.Stages[i]
		for r, x := range s.Machines.Shares(&st.Demand) {
			sum[r] += x * float64(st.Estimate) * float64(st.Left())
		}
	}
	return sum
}

// Of returns the fair share of a job.
func (f *Shares) Of(s *replay.State, j *replay.Job) replay.Vector {
	return f.fair.Of(j.Index, s.Machines.Total())
}

// Height returns the dominant share that a job would have, relative to its weight, if it demanded more; at most the
// whole cluster.
func (f *Shares) Height(j *replay.Job) float64 { return min(1/f.Weights.Of(j), f.fair.Height(j.Index)) }

// Allowance returns the resources that a job may hold over its remaining time: its dominant share of every resource. As
// its demand moves from one resource to others, its dominant share stays the same.
func (f *Shares) Allowance(s *replay.State, j *replay.Job) (v replay.Vector) {
	share := f.Height(j) * f.Weights.Of(j)
	for r, x := range s.Machines.Total() {
		v[r] = int64(math.Round(share * float64(x)))
	}
	return v
}

// Levels returns the lowest and the highest level of unsatisfied jobs, +Inf if all are satisfied.
func (f *Shares) Levels() (lowest, highest float64) { return f.fair.Lowest(), f.fair.Top() }

// DRF is Dominant Resource Fairness over jobs. Each fills its share, in the order of its stages. The rest goes
// task by task to the job with the least dominant share among jobs with a task that fits (PAPERS C11).
type DRF struct {
	Shares Shares
	Order  Order
	queue  Waiting
}

// Rank is [replay.Ranker].
func (d *DRF) Rank(s *replay.State, j *replay.Job) []int32 { return d.Order.ranks(s, j) }

// key is the dominant share that a job holds, divided by its weight.
func (d *DRF) key(s *replay.State, j *replay.Job) float64 {
	return s.Machines.Dominant(&j.Held) / d.Shares.Weights.Of(j)
}

// Schedule is [replay.Scheduler].
func (d *DRF) Schedule(s *replay.State) {
	d.Shares.Update(s)
	for _, j := range s.Ended {
		d.queue.Remove(j.Index)
	}
	for _, j := range s.Changed {
		d.put(s, j)
	}
	// No stage that is reached above the highest level may start a task within its job's share.
	right := Pass{Level: d.Shares.fair.Top(), OK: func(j *replay.Job, stage int32) bool {
		within := d.Shares.Of(s, j)
		return allowed(j, stage, Rest(j, &within))
	}}
	Serve(s, &d.queue, &right, func(j *replay.Job) bool {
		within := d.Shares.Of(s, j)
		if !Fits(j, &within) {
			return false
		}
		started := d.Order.Fill(s, j, &within, true)
		d.put(s, j)
		return started > 0
	})
	// The rest goes task by task to the job with the lowest key among jobs with a task that fits.
	Serve(s, &d.queue, &All, func(j *replay.Job) bool {
		stage, machine := d.Order.next(s, j)
		if machine < 0 {
			return false
		}
		s.Start(j, stage, machine, false)
		d.put(s, j)
		return true
	})
	Settle(s, &d.queue)
	s.Full()
}

// put puts a job in its place, with the levels from which on it may start tasks within its share.
func (d *DRF) put(s *replay.State, j *replay.Job) {
	Rekey(&d.queue, j, d.key(s, j))
	d.queue.Level(j.Index, func(stage int32) float64 {
		if j.Running == 0 {
			return 0
		}
		held := j.Held
		held.Add(&j.Stages[stage].Demand, 1)
		return d.Shares.fair.Reach(j.Index, &held, s.Machines)
	})
}

// Fits reports whether some ready stage of a job has a task that keeps it within a share.
func Fits(j *replay.Job, within *replay.Vector) bool {
	if j.Running == 0 {
		return len(j.Ready) > 0
	}
	rest := Rest(j, within)
	if !j.Need.Fits(rest) {
		return false
	}
	for _, i := range j.Ready {
		if j.Stages[i].Demand.Fits(rest) {
			return true
		}
	}
	return false
}

// next returns the stage whose task starts next, and a machine with room for it, -1 if there is none.
func (o *Order) next(s *replay.State, j *replay.Job) (stage, machine int32) {
	if o.Rank == nil {
		return pick(s, j, nil)
	}
	return first(s, j, nil)
}
