package carbyne

import (
	"context"
	"sync/atomic"

	"racecard/datasets/parallel"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/pack"
	"racecard/models/machines/replay"
)

// draft is a plan that is to be made. Drafts of different jobs may be made at once.
type draft struct {
	job         *replay.Job
	of          *job
	within      cluster.Vector
	limit       int64 // the latest end with which it is followed
	made, falls bool  // the plan was made, and is the forward one
}

// draft begins a plan for a job: it records the state that the plan is for.
func (c *Scheduler) draft(j *replay.Job, within cluster.Vector) draft {
	k := c.jobs[j.Index]
	limit := int64(pack.Unlimited)
	if k.planned && !c.smaller(&within, &k.within) {
		limit = k.end - 1
	}
	k.work, k.failed, k.within = j.Work, j.Failed, within
	c.level(j, k)
	return draft{job: j, of: k, within: within, limit: limit}
}

// drafter makes plans, one at a time.
type drafter struct {
	planner           pack.Planner
	forward, backward []pack.Start
}

// drafter returns a drafter by number.
func (c *Scheduler) drafter(k int) *drafter {
	for len(c.drafters) <= k {
		c.drafters = append(c.drafters, &drafter{})
	}
	return c.drafters[k]
}

// planAll makes all drafts, and follows those that end in time.
func (c *Scheduler) planAll(s *replay.State) {
	if workers := min(c.Workers, len(c.drafts)); workers > 1 {
		c.drafter(workers - 1)
		var taken atomic.Int32
		_ = parallel.With(context.Background(), len(c.drafts), parallel.Options{Workers: workers},
			func() func(context.Context, int) error {
				d := c.drafters[taken.Add(1)-1]
				return func(_ context.Context, i int) error {
					d.make(s, &c.drafts[i], c.o.DAGPS)
					return nil
				}
			}) // plans end by themselves when the replay is stopped
	} else {
		for i := range c.drafts {
			c.drafter(0).make(s, &c.drafts[i], c.o.DAGPS)
		}
	}
	for i := range c.drafts {
		if c.drafts[i].made {
			c.Plans++
		}
		if c.drafts[i].falls {
			c.Fallbacks++
		}
	}
}

// make makes a plan, and follows it if it ends in time.
func (d *drafter) make(s *replay.State, x *draft, byRank bool) {
	if x.of.late(s, x.job, x.limit) {
		return
	}
	d.planner.Load(s, x.job, &x.within, byRank)
	if x.limit < pack.Unlimited && d.planner.Least() > x.limit {
		return
	}
	x.made = true
	end, ok := d.planner.Forward(x.limit)
	if !ok {
		return
	}
	d.forward = append(d.forward[:0], d.planner.Starts()...)
	starts := d.forward
	if d.planner.Backward(end) {
		d.backward = append(d.backward[:0], d.planner.Starts()...)
		starts = d.backward
		// Packed in reverse, the job may need less time than is left until end: then it can end that much sooner.
		if len(starts) > 0 && starts[0].At > s.Now && d.planner.Sooner(starts[0].At-s.Now) {
			end, starts = end-(starts[0].At-s.Now), d.planner.Starts()
		}
	} else {
		x.falls = true
	}
	x.of.follow(x.job, end, starts)
}
