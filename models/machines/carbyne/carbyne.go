package carbyne

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"racecard/datasets/seed"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/order"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
)

// Options are the options of the scheduler.
type Options struct {
	// Altruism is P(Altruism), in [0, 1].
	Altruism float64
	Seed     uint64
	// Static gives equal fixed shares, as [policy.Static], instead of DRF's shares.
	Static  bool
	Weights policy.Weights
	// DAGPS plans in the order of DAGPS, instead of packing as Tetris does.
	DAGPS bool
	// Remaining takes DRF's demands from the work that jobs have left, instead of from tasks that run or could (C3).
	Remaining bool
	// Leftover gives away leftover; nil leaves it idle.
	Leftover replay.Scheduler
	// ByTime gives leftover to the job with the plan that ends soonest (C5), instead of the one with the least
	// remaining work.
	ByTime bool
	// Reserve withholds the demand of must-run tasks that find no room from leftover. It needs a Leftover, and gives by
	// SRTF.
	Reserve bool
	// YARN serves jobs in the order of asks in the paper's section 4 (C7): it packs must-run tasks, instead of serving
	// the job with the smallest part of its share first; and before Leftover it lets jobs fill their shares, those with
	// the least work left first.
	YARN bool
	// Tolerance is the relative change of the remaining work at which a job plans again, ShareTolerance the relative
	// change of its share; both at least 0.
	Tolerance, ShareTolerance float64
}

// DefaultOptions returns the options of the paper: DRF, packing, leftover to the shortest remaining work first.
func DefaultOptions() Options {
	return Options{Altruism: 1, Leftover: srtf(), Tolerance: 0.03, ShareTolerance: 0.1}
}

// Validate reports the first option that makes no sense.
func (o *Options) Validate() error {
	if !(o.Altruism >= 0 && o.Altruism <= 1) {
		return fmt.Errorf("p-altruism %v: want 0 to 1", o.Altruism)
	}
	if !(o.Tolerance >= 0 && o.Tolerance < 1) {
		return fmt.Errorf("tolerance %v: want at least 0, less than 1", o.Tolerance)
	}
	if !(o.ShareTolerance >= 0 && o.ShareTolerance < 1) {
		return fmt.Errorf("share-tolerance %v: want at least 0, less than 1", o.ShareTolerance)
	}
	if o.Reserve && (o.YARN || o.Leftover == nil) {
		return errors.New("carbyne: reserving is for leftover that is given away, and not in the order of YARN")
	}
	return nil
}

// Scheduler is Carbyne.
type Scheduler struct {
	// Plans counts the plans that were made, Fallbacks those for which the forward plan took the place of the reverse
	// one.
	Plans, Fallbacks int64
	// AtStart is the leftover at the first instant after the must-run tasks, in quanta.
	AtStart cluster.Vector
	// Workers is the most plans that are made at once, at least 1 is. Results do not depend on it.
	Workers int

	o             Options
	greedy        *policy.DRF // at P(Altruism) = 0
	shares        policy.Shares
	part          cluster.Vector // of Static
	selfish       policy.Order
	drafters      []*drafter // as many as were at work at once
	drafts        []draft    // scratch
	moved, stages []int32    // scratch
	jobs          []*job     // by index
	due           order.Waiting
	times         order.Heap    // by when the next task must start
	fed           order.Ranking // by the level of DRF at which plans were made
	hungry        order.Ranking // the same, of those that did not have the whole cluster
	tried         []trial
	reserve       reserve
	asking        []*replay.Job // of YARN: those with tasks that must start
	asks          order.Waiting //  of YARN: jobs by work left
	moves         bool          // shares changed since drift
	updates       int64         // changes of shares
	waiting       int           // jobs with tasks that wait for room
	late          []int32       // of those, some that have no plan yet
	coin          uint64
	instant       uint64
	began         bool
}

// New makes a scheduler for one run.
func New(o Options) (*Scheduler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Scheduler{o: o, coin: rand.New(seed.Stream(o.Seed, "altruism", 0)).Uint64(), selfish: policy.BreadthFirst}
	c.shares = policy.Shares{Weights: o.Weights, Remaining: o.Remaining}
	if o.Altruism == 0 {
		c.greedy = &policy.DRF{Order: policy.BreadthFirst, Shares: c.shares}
	}
	if o.ByTime && o.Leftover != nil {
		c.o.Leftover = c.soonest()
	}
	return c, nil
}

// Rank is [replay.Ranker].
func (c *Scheduler) Rank(s *replay.State, j *replay.Job) []int32 {
	if !c.o.DAGPS || c.greedy != nil {
		return replay.BreadthFirst(j)
	}
	within := policy.Equal(s)
	return c.drafter(0).planner.DAGPS(s, j, &within)
}

// Schedule is [replay.Scheduler].
func (c *Scheduler) Schedule(s *replay.State) {
	c.instant++
	if c.greedy != nil {
		c.greedy.Schedule(s)
		return
	}
	c.share(s)
	roomy := c.waiting == 0 && c.roomy(s)
	if !roomy {
		c.replan(s)
		c.start(s)
	}
	if !c.began {
		c.began = true
		c.AtStart = *s.Machines.Total()
		for i := range s.Arrived() {
			if j := s.Job(int32(i)); j != nil {
				c.AtStart.Add(&j.Held, -1)
			}
		}
	}
	switch {
	case c.o.Reserve:
		c.lend(s, roomy)
	case c.o.Leftover != nil:
		if c.o.YARN && !roomy {
			c.ask(s)
		}
		c.o.Leftover.Schedule(s)
	default:
		if _, at, ok := c.times.Min(); ok {
			s.Wake(at)
		}
	}
	c.settle(s, roomy)
}

// roomy reports whether there is room for all tasks that may start at this instant while none waits from before. Then
// it does not matter which jobs yield, and no job plans. roomy finds out by placing the tasks on trial.
func (c *Scheduler) roomy(s *replay.State) bool {
	if !c.began || c.o.Leftover == nil || c.o.Altruism < 1 {
		return false
	}
	fits := true
	c.tried = c.tried[:0]
	for _, j := range s.Changed {
		for _, i := range j.Ready {
			d := &j.Stages[i].Demand
			for range j.Stages[i].Pending {
				m := s.Machines.First(d, 0)
				if fits = m >= 0; !fits {
					break
				}
				s.Machines.Take(m, d)
				c.tried = append(c.tried, trial{m, d})
			}
			if !fits {
				break
			}
		}
		if !fits {
			break
		}
	}
	for _, t := range c.tried {
		s.Machines.Give(t.machine, t.demand)
	}
	s.Steps += int64(len(c.tried))
	return fits
}

// trial is room that was tried.
type trial struct {
	machine int32
	demand  *cluster.Vector
}

// share brings shares up to date.
func (c *Scheduler) share(s *replay.State) {
	for _, j := range s.Ended {
		c.due.Remove(j.Index)
		c.times.Remove(j.Index)
		c.fed.Remove(j.Index)
		c.hungry.Remove(j.Index)
		c.asks.Remove(j.Index)
		c.reserve.forget(c.jobs[j.Index], j.Index)
		c.count(c.jobs[j.Index], false)
		c.jobs[j.Index] = nil
	}
	for _, j := range s.Changed {
		for len(c.jobs) <= int(j.Index) {
			c.jobs = append(c.jobs, nil)
		}
		if c.jobs[j.Index] == nil {
			c.jobs[j.Index] = &job{}
		}
	}
	if !c.o.Static {
		if c.shares.Update(s) {
			c.moves = true
			c.updates++
		}
	} else if c.part.Zero() {
		c.part = policy.Equal(s)
	}
}

// of returns the resources with which a job plans and which it may hold when it yields: see [policy.Shares.Allowance].
func (c *Scheduler) of(s *replay.State, j *replay.Job) cluster.Vector {
	if c.o.Static {
		return c.part
	}
	return c.shares.Allowance(s, j)
}

// now returns the share of a job along its present demand, which it fills when it does not yield.
func (c *Scheduler) now(s *replay.State, j *replay.Job) cluster.Vector {
	if c.o.Static {
		return c.part
	}
	return c.shares.Of(s, j)
}

// altruistic draws whether a job yields at this instant.
func (c *Scheduler) altruistic(j *replay.Job) bool {
	if c.o.Altruism == 1 {
		return true
	}
	// The draw is a function of seed, instant and job: draws of other jobs do not matter.
	x := seed.Mix(c.coin ^ c.instant*seed.Gamma ^ uint64(j.Index)*0xd1342543de82ef95)
	return seed.Unit(x) < c.o.Altruism
}

// start starts what must start, or with jobs that are not altruistic at this instant, all that fits their share.
func (c *Scheduler) start(s *replay.State) {
	c.asking = c.asking[:0]
	policy.Serve(s, &c.due, &policy.All, func(j *replay.Job) bool {
		before := j.Running
		if c.altruistic(j) {
			if c.o.YARN {
				c.asking = append(c.asking, j)
				return false
			}
			within := c.of(s, j)
			c.must(s, j, &within)
		} else {
			within := c.now(s, j)
			c.selfish.Fill(s, j, &within, true)
		}
		if j.Running > before {
			s.Change(j)
		}
		return false
	})
	c.pack(s)
}

// settle ends an instant: it updates the places of jobs that started tasks, and of those that changed unless they were
// looked at, and counts the waiting jobs.
func (c *Scheduler) settle(s *replay.State, unplanned bool) {
	for n, list := range [...][]*replay.Job{s.Changed, s.Started} {
		for _, j := range list {
			k := c.jobs[j.Index]
			if n > 0 || unplanned || len(j.Ready) == 0 {
				c.put(s, j)
			}
			c.due.Close(j.Index)
			c.count(k, len(j.Ready) > 0)
			if k.waits && unplanned {
				c.late = append(c.late, j.Index)
			}
		}
	}
}

// count keeps the number of jobs that wait.
func (c *Scheduler) count(k *job, waits bool) {
	if waits && !k.waits {
		c.waiting++
	}
	if !waits && k.waits {
		c.waiting--
	}
	k.waits = waits
}

// must starts the must-run tasks of a job, if there is room.
func (c *Scheduler) must(s *replay.State, j *replay.Job, within *cluster.Vector) {
	k := c.jobs[j.Index]
	for again := true; again; {
		again = false
		for _, i := range j.Ready { // starting the last pending task of a stage changes it
			if k.overdue(j, i) > 0 && eligible(j, i, within) && s.Place(j, i, true) {
				again = true
				break
			}
		}
	}
}

// eligible reports whether a job stays within its share when it starts a task of a stage, or holds nothing else (C2).
func eligible(j *replay.Job, stage int32, within *cluster.Vector) bool {
	if j.Running == 0 {
		return true
	}
	for r, x := range j.Stages[stage].Demand {
		if x > 0 && j.Held[r]+x > within[r] {
			return false
		}
	}
	return true
}
