package carbyne

import (
	"math"

	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/pack"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
)

// job is the scheduler's state of a job.
type job struct {
	planned bool         // there is a plan that is followed
	waits   bool         // some task waits for room
	end     int64        // completion time T of the plan
	starts  []pack.Start // of the plan, ascending
	next    int          // index of the first start that is yet to come
	coming  pack.Start   // the start at next; without tasks if there is none
	waves   int32        // waves of coming that have come
	must    []int32      // per stage: tasks that must have started by now
	below   []int64      // per stage: the longest path that remains after it, see [policy.Downstream]

	version   int64 // of the job when it was put among the due ones; 0 if it has to be put there again
	updates   int64 // changes of shares by then
	startable int   // stages that were startable then

	within cluster.Vector // share at the last planning; its plan is followed only if it ends sooner
	work   int64          // remaining work then
	failed int32          // failed attempts then
	level  float64        // level of DRF then

	held, claim cluster.Vector // the job's part of the sums in reserve
	running     int32          // running tasks when held was added there
}

// overdue returns how many tasks of a stage must have started by now and have not.
func (k *job) overdue(j *replay.Job, stage int32) int32 {
	if !k.planned {
		return 0
	}
	return k.must[stage] - j.Begun[stage]
}

// advance counts the starts that are due by now.
func (k *job) advance(j *replay.Job, now int64) {
	for {
		at, ok := k.upcoming()
		if !ok || at > now+1 { // C1: within a microsecond
			return
		}
		before := k.overdue(j, k.coming.Stage)
		k.must[k.coming.Stage] += k.coming.Tasks
		if before <= 0 && before+k.coming.Tasks > 0 {
			k.version = 0 // one more stage may be startable
		}
		if k.waves++; k.waves == k.coming.Waves {
			k.wait(k.next + 1)
		}
	}
}

// wait waits for one of the starts of the plan.
func (k *job) wait(next int) {
	k.next, k.coming, k.waves = next, pack.Start{}, 0
	if next < len(k.starts) {
		k.coming = k.starts[next]
	}
}

// upcoming returns when the next task has to start.
func (k *job) upcoming() (at int64, ok bool) {
	return k.coming.At + int64(k.waves)*k.coming.Every, k.coming.Tasks > 0
}

// follow takes a plan.
func (k *job) follow(j *replay.Job, end int64, starts []pack.Start) {
	k.planned, k.end, k.version = true, end, 0
	k.starts, k.must = append(k.starts[:0], starts...), append(k.must[:0], j.Begun...)
	k.wait(0)
}

// replan makes new plans for the jobs that need one, and determines the must-run tasks.
func (c *Scheduler) replan(s *replay.State) {
	for _, id := range c.late {
		if j := s.Job(id); j != nil {
			c.consider(s, j)
		}
	}
	c.late = c.late[:0]
	for _, j := range s.Changed {
		c.consider(s, j)
	}
	c.drift(s)
	for {
		id, at, ok := c.times.Min()
		if !ok || at > s.Now+1 {
			return
		}
		c.look(s, s.Job(id))
	}
}

// consider plans for a job that changed, if it changed enough and has tasks that could start.
func (c *Scheduler) consider(s *replay.State, j *replay.Job) {
	k := c.jobs[j.Index]
	if len(j.Ready) == 0 {
		c.times.Remove(j.Index)
		c.fed.Remove(j.Index)
		c.hungry.Remove(j.Index)
		c.due.Remove(j.Index)
		k.version = 0
		return
	}
	within := c.of(s, j)
	moved := k.work - j.Work
	if !k.planned || j.Failed != k.failed || float64(moved) > c.o.Tolerance*float64(k.work) ||
		c.apart(&within, &k.within) {
		c.plan(s, j, within)
	}
	c.look(s, j)
}

// apart reports whether shares differ by more than ShareTolerance in any resource.
func (c *Scheduler) apart(a, b *cluster.Vector) bool {
	for r, x := range a {
		if math.Abs(float64(x-b[r])) > c.o.ShareTolerance*float64(b[r]) {
			return true
		}
	}
	return false
}

// smaller reports whether a share is less than another in any resource, by more than Tolerance.
func (c *Scheduler) smaller(a, b *cluster.Vector) bool {
	for r, x := range a {
		if float64(b[r]-x) > c.o.Tolerance*float64(b[r]) {
			return true
		}
	}
	return false
}

// plan makes a new plan for a job, and follows it if it ends sooner than the one the job has, or if that is for a
// larger share.
func (c *Scheduler) plan(s *replay.State, j *replay.Job, within cluster.Vector) {
	c.drafts = append(c.drafts[:0], c.draft(j, within))
	c.planAll(s)
}

// late reports whether a job certainly ends after limit. Most new plans fail for this reason, and it is known without
// loading the job into the planner.
func (k *job) late(s *replay.State, j *replay.Job, limit int64) bool {
	if limit == pack.Unlimited {
		return false
	}
	if k.below == nil {
		k.below = policy.Downstream(j)
	}
	return pack.Late(s, j, k.below, limit)
}

// level records the level of DRF at which a job plans.
func (c *Scheduler) level(j *replay.Job, k *job) {
	if c.o.Static {
		return
	}
	k.level = c.shares.Height(j)
	c.fed.Set(j.Index, k.level)
	if k.level >= 1/c.o.Weights.Of(j) {
		c.hungry.Remove(j.Index) // it has the whole cluster
	} else {
		c.hungry.Set(j.Index, k.level)
	}
}

// drift plans for jobs whose share changed because other shares did: they made their plans at a level that is
// off by more than ShareTolerance. Where no share changed since the last time, it has nothing to do.
func (c *Scheduler) drift(s *replay.State) {
	if c.o.Static || !c.moves {
		return
	}
	c.moves = false
	lowest, highest := c.shares.Levels()
	c.moved = c.moved[:0]
	for key, from := math.Inf(-1), int32(0); ; {
		id, _, ok := c.hungry.From(key, from)
		if !ok || c.hungry.Key(id)*(1+c.o.ShareTolerance) >= highest {
			break
		}
		key, from = c.hungry.Key(id), id+1
		c.moved = append(c.moved, id)
	}
	// Plans at higher levels were made for shares that are too large now; a little less, as shares are rounded.
	for key, from := lowest/(1-c.o.ShareTolerance)*(1-1e-9), int32(0); ; {
		id, _, ok := c.fed.From(key, from)
		if !ok {
			break
		}
		key, from = c.fed.Key(id), id+1
		c.moved = append(c.moved, id)
	}
	c.drafts = c.drafts[:0]
	for _, id := range c.moved {
		j := s.Job(id)
		k := c.jobs[id]
		if within := c.of(s, j); c.shares.Height(j) != k.level && c.apart(&within, &k.within) {
			c.drafts = append(c.drafts, c.draft(j, within))
		}
	}
	c.planAll(s)
	for i := range c.drafts {
		c.look(s, c.drafts[i].job)
	}
}

// look determines the must-run tasks of a job, and when the next task must start.
func (c *Scheduler) look(s *replay.State, j *replay.Job) {
	k := c.jobs[j.Index]
	k.advance(j, s.Now)
	if c.o.ByTime || c.o.Reserve {
		s.Change(j) // the end of its plan may be another, or what must start
	}
	if at, ok := k.upcoming(); ok {
		c.times.Set(j.Index, at)
	} else {
		c.times.Remove(j.Index)
	}
	c.put(s, j)
	if j.Fresh || (c.o.Leftover == nil || c.o.Reserve) && k.startable > 0 {
		c.due.Open(j.Index) // there may be room anywhere
	} else {
		c.due.Close(j.Index)
	}
}

// put adds a job to the due ones, with its startable stages, unless these are the same.
func (c *Scheduler) put(s *replay.State, j *replay.Job) {
	k := c.jobs[j.Index]
	if c.current(j, k) {
		return
	}
	stages := c.startable(s, j)
	c.due.Set(j.Index, c.key(s, j), stages, j.Demand)
	k.version, k.updates, k.startable = j.Version, c.updates, len(stages)
}

// current reports whether a job has the same startable stages as when it was put among the due ones: no stage has
// fallen due since, no task of the job has started or ended, and shares are the same or do not matter.
func (c *Scheduler) current(j *replay.Job, k *job) bool {
	return k.version == j.Version && c.o.Altruism == 1 && (j.Running == 0 || k.updates == c.updates)
}

// key orders jobs by the part of their share that they hold: by their dominant share, for equal weights.
func (c *Scheduler) key(s *replay.State, j *replay.Job) float64 {
	return s.Machines.Dominant(&j.Held) / c.o.Weights.Of(j)
}

// startable returns the ready stages whose tasks may start within the job's share as it is now: stages with must-run
// tasks, and, if jobs do not always yield, all stages for which the share has room. If the share has grown when the job
// is served, tasks of further stages may start, too. The result is valid until the next call.
func (c *Scheduler) startable(s *replay.State, j *replay.Job) []int32 {
	k := c.jobs[j.Index]
	within := c.of(s, j)
	var rest *cluster.Vector
	if c.o.Altruism < 1 {
		share := c.now(s, j)
		rest = policy.Rest(j, &share)
	}
	c.stages = c.stages[:0]
	for _, i := range j.Ready {
		if k.overdue(j, i) > 0 && eligible(j, i, &within) ||
			c.o.Altruism < 1 && (j.Running == 0 || j.Stages[i].Demand.Fits(rest)) {
			c.stages = append(c.stages, i)
		}
	}
	return c.stages
}
