package carbyne

import (
	"math"

	"racecard/models/cluster"
	"racecard/models/order"
	"racecard/models/policy"
	"racecard/models/replay"
)

// reserve is leftover reckoned as the pseudocode reckons it (lines 22 to 29): what a job leaves of its share is the share less all
// that must start, found a machine or not. As nothing is preempted, a task that must start may find every machine partly taken.
// Whoever leaves no task waiting that fits fills each hole with what is small enough, and a large task waits until the end of the
// small ones. Here others may take no more in all than what is free less what must start and waits. The scheduler then leaves
// tasks waiting that fit, and asks to be called when the next task must start.
type reserve struct {
	held    cluster.Vector // by all jobs
	claimed cluster.Vector // by tasks that must start, and wait
	queue   order.Queue    // jobs with tasks that wait, by the key of SRTF
}

// account brings what a job holds and claims up to date.
func (c *Scheduler) account(s *replay.State, j *replay.Job) {
	k := c.jobs[j.Index]
	c.reserve.held.Add(&k.held, -1)
	c.reserve.held.Add(&j.Held, 1)
	k.held = j.Held
	c.reserve.claimed.Add(&k.claim, -1)
	k.claim = c.claims(s, j)
	c.reserve.claimed.Add(&k.claim, 1)
}

// forget takes a job that ended out of the account.
func (r *reserve) forget(k *job, index int32) {
	r.held.Add(&k.held, -1)
	r.claimed.Add(&k.claim, -1)
	r.queue.Remove(index)
}

// claims returns what the tasks need that must start, as far as they keep the job within its share.
func (c *Scheduler) claims(s *replay.State, j *replay.Job) (sum cluster.Vector) {
	k := c.jobs[j.Index]
	if !k.planned {
		return sum
	}
	within := c.of(s, j)
	rest := policy.Rest(j, &within)
	for _, i := range j.Ready {
		d := &j.Stages[i].Demand
		n := d.Times(rest, int64(k.overdue(j, i)))
		if n <= 0 && k.overdue(j, i) > 0 && j.Running == 0 && sum.Zero() {
			n = 1 // a job that holds nothing may start a task that is more than its share
		}
		if n > 0 {
			sum.Add(d, n)
			rest.Add(d, -n)
		}
	}
	return sum
}

// lend gives leftover that nobody claims to the shortest remaining work first, each job all that fits, best aligned first. Where
// there is room for all that waits, claims do not matter.
func (c *Scheduler) lend(s *replay.State, roomy bool) {
	for _, list := range [...][]*replay.Job{s.Changed, s.Started} {
		for _, j := range list {
			c.account(s, j)
			c.reserve.queue.Set(j.Index, c.remaining(s, j), &j.Need)
		}
	}
	spare := *s.Machines.Total()
	spare.Add(&c.reserve.held, -1)
	if !roomy {
		spare.Add(&c.reserve.claimed, -1)
	}
	spare.Raise(&cluster.Vector{})
	for key, from := math.Inf(-1), int32(0); ; {
		bound := *s.Machines.MostFree()
		bound.Lower(&spare)
		id, steps, ok := c.reserve.queue.First(key, from, &bound)
		s.Steps += steps
		if !ok {
			break
		}
		key, from = c.reserve.queue.Key(id), id+1
		c.lendTo(s, s.Job(id), &spare)
	}
	for _, j := range s.Started {
		c.account(s, j)
		c.reserve.queue.Set(j.Index, c.remaining(s, j), &j.Need)
	}
	if _, at, ok := c.times.Min(); ok {
		s.Wake(int64(at))
	}
}

// lendTo starts tasks of one job within what is spare.
func (c *Scheduler) lendTo(s *replay.State, j *replay.Job, spare *cluster.Vector) {
	for {
		stage, machine, best := int32(-1), int32(-1), 0.0
		for _, i := range j.Ready {
			d := &j.Stages[i].Demand
			if !d.Fits(spare) {
				continue
			}
			if m := s.Room(j, i); m >= 0 {
				if score := s.Machines.Alignment(m, d); stage < 0 || cluster.Above(score, best) {
					stage, machine, best = i, m, score
				}
			}
		}
		if stage < 0 {
			return
		}
		spare.Add(&j.Stages[stage].Demand, -1)
		s.Start(j, stage, machine, false)
	}
}
