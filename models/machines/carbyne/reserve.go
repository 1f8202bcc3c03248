package carbyne

import (
	"math"

	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/order"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
)

// reserve is leftover as in the pseudocode (lines 22 to 29): the leftover of a job is its share minus all its
// must-run tasks, whether they found a machine or not. As nothing is preempted, a must-run task may find every
// machine partly taken. A scheduler that leaves no fitting task waiting fills each hole with small tasks, and a
// large task waits until they end. Here others may take no more in all than the free resources minus the waiting
// must-run tasks. The scheduler then leaves fitting tasks waiting, and asks to be called when the next task must
// start.
type reserve struct {
	held    cluster.Vector // by all jobs
	claimed cluster.Vector // by tasks that must start, and wait
	known   cluster.Vector // spare resources at the end of the last instant
	refused cluster.Refused
	queue   order.Waiting // jobs with tasks that wait, by the key of SRTF
}

// account updates the resources that a job holds and claims.
func (c *Scheduler) account(s *replay.State, j *replay.Job) {
	k := c.jobs[j.Index]
	c.reserve.held.Add(&k.held, -1)
	c.reserve.held.Add(&j.Held, 1)
	k.held, k.running = j.Held, j.Running
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

// claims returns the demand of the must-run tasks, limited by the job's share.
func (c *Scheduler) claims(s *replay.State, j *replay.Job) (sum cluster.Vector) {
	k := c.jobs[j.Index]
	if !k.planned {
		return sum
	}
	within := c.of(s, j)
	rest := policy.Rest(j, &within)
	for _, i := range j.Ready {
		overdue := k.overdue(j, i)
		if overdue <= 0 {
			continue
		}
		d := &j.Stages[i].Demand
		n := d.Times(rest, int64(overdue))
		if n <= 0 && j.Running == 0 && sum.Zero() {
			n = 1 // a job that holds nothing may start a task that is more than its share
		}
		if n > 0 {
			sum.Add(d, n)
			rest.Add(d, -n)
		}
	}
	return sum
}

// lend gives unclaimed leftover to the shortest remaining work first, each job all that fits, best aligned
// first. If there is room for all waiting tasks, claims do not matter.
func (c *Scheduler) lend(s *replay.State, roomy bool) {
	r := &c.reserve
	for _, j := range s.Changed { // among them those that started tasks
		c.enqueue(s, j)
	}
	spare := *s.Machines.Total()
	spare.Add(&r.held, -1)
	if !roomy {
		spare.Add(&r.claimed, -1)
	}
	spare.Raise(&cluster.Vector{})
	for _, m := range s.Freed {
		r.refused.Gave(s.Machines, m)
	}
	var known policy.Refusals
	for key, from := math.Inf(-1), int32(0); ; {
		j, ok := c.borrower(s, key, from, &spare, &known)
		if !ok {
			break
		}
		key, from = r.queue.Key(j.Index), j.Index+1
		c.lendTo(s, j, &spare)
	}
	r.known = spare
	for _, j := range s.Started {
		if j.Running > c.jobs[j.Index].running {
			c.enqueue(s, j)
		}
	}
	for _, j := range s.Changed {
		r.queue.Close(j.Index)
	}
	if _, at, ok := c.times.Min(); ok {
		s.Wake(at)
	}
}

// enqueue updates a job whose tasks started or ended.
func (c *Scheduler) enqueue(s *replay.State, j *replay.Job) {
	c.account(s, j)
	policy.Rekey(&c.reserve.queue, j, c.remaining(s, j))
}

// borrower returns the first job at or after (key, id) that may start a task within the spare resources.
// Resources that were spare at the end of the last instant have no room, except on machines where tasks have
// ended since, or for tasks that have just become runnable. known are the refusals of this instant.
func (c *Scheduler) borrower(s *replay.State, key float64, id int32, spare *cluster.Vector,
	known *policy.Refusals) (j *replay.Job, ok bool) {
	r := &c.reserve
	room, some := policy.Bound(s)
	room.Lower(spare)
	next := order.Search{Key: key, ID: id, Room: &room, Level: math.Inf(1)}
	if some {
		known.Search(s, &next, some)
	} else {
		c.anywhere(s, &next)
	}
	first, steps, ok := r.queue.First(&next)
	s.Steps += steps
	if !spare.Fits(&r.known) {
		room = *s.Machines.MostFree()
		room.Lower(spare)
		next.Beyond, next.Fits = &r.known, nil
		c.anywhere(s, &next)
		if ok {
			first, steps = r.queue.Sooner(&next, first)
		} else {
			first, steps, ok = r.queue.First(&next)
		}
		s.Steps += steps
	}
	if !ok {
		return nil, false
	}
	return s.Job(first), true
}

// anywhere turns a search into one for tasks that fit on any machine.
func (c *Scheduler) anywhere(s *replay.State, next *order.Search) {
	r := &c.reserve.refused
	next.Refused = func(demand *cluster.Vector) bool { return r.Has(s.Machines, demand) }
	next.OK = func(id, stage int32) bool {
		if stage == order.Any {
			return true
		}
		j := s.Job(id)
		if s.Room(j, stage) >= 0 {
			return true
		}
		r.Add(s.Machines, j.Stages[stage].Demand)
		return false
	}
}

// lendTo starts tasks of one job within the spare resources.
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
