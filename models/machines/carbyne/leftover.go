package carbyne

import (
	"math"

	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
)

// srtf gives leftover to jobs in the order of their remaining work, least first. Each job starts all tasks that fit,
// best aligned first (C5, C7).
func srtf() replay.Scheduler {
	l := policy.SRTF()
	l.Order = policy.Packing
	return l
}

// Packed gives leftover to the task that aligns best, and among equal ones to the job with the least remaining
// work.
func Packed() replay.Scheduler { return &policy.Tetris{} }

// soonest gives leftover to the job whose plan ends soonest (C5).
func (c *Scheduler) soonest() replay.Scheduler {
	return &policy.List{Order: policy.Packing, Key: c.remaining}
}

// remaining is the SRTF key of a job: its remaining work, or the end of its plan. A job without a plan, because it
// never had to wait, comes first.
func (c *Scheduler) remaining(_ *replay.State, j *replay.Job) float64 {
	if !c.o.ByTime {
		return float64(j.Work)
	}
	if k := c.jobs[j.Index]; k.planned {
		return float64(k.end)
	}
	return math.Inf(-1)
}

// pack starts must-run tasks of all jobs, best aligned first: YARN's DEFAULT asks (C7).
func (c *Scheduler) pack(s *replay.State) {
	for {
		var job *replay.Job
		stage, machine, best := int32(-1), int32(-1), 0.0
		for _, j := range c.asking {
			k := c.jobs[j.Index]
			within := c.of(s, j)
			for _, i := range j.Ready {
				if k.overdue(j, i) <= 0 || !eligible(j, i, &within) {
					continue
				}
				if m := s.Room(j, i); m >= 0 {
					if score := s.Machines.Alignment(m, &j.Stages[i].Demand); job == nil || cluster.Above(score, best) {
						job, stage, machine, best = j, i, m, score
					}
				}
			}
		}
		if job == nil {
			return
		}
		s.Start(job, stage, machine, true)
		s.Change(job)
	}
}

// ask fills the unused shares of yielding jobs with their own tasks, breadth first, jobs with the least remaining work
// first: YARN's ALTRUISTIC asks (C7).
func (c *Scheduler) ask(s *replay.State) {
	policy.Update(s, &c.asks, func(j *replay.Job) float64 { return c.remaining(s, j) })
	policy.Serve(s, &c.asks, &policy.All, func(j *replay.Job) bool {
		within := c.now(s, j)
		before := j.Running
		c.selfish.Fill(s, j, &within, false)
		policy.Rekey(&c.asks, j, c.asks.Key(j.Index))
		if j.Running > before {
			s.Change(j)
		}
		return false
	})
	policy.Settle(s, &c.asks)
}
