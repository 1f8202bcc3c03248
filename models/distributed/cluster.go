package distributed

import (
	"context"
	"fmt"
	"math"
)

// never is after everything that happens.
const never = math.MaxInt64

// Cluster is what schedulers work on: workers with their queues, jobs, and messages under way. Its methods are for
// [Scheduler]s, during the calls that hand it to them.
type Cluster struct {
	o         Options
	in        *Workload
	now       int64 // since the first submission
	base      int64 // instant of the first submission
	jobs      []job
	workers   []worker
	queues    store
	shortOnly int32 // workers 0..shortOnly-1 are for short jobs alone

	policy Scheduler
	rules  Rules
	hooks

	pack    packing
	ends    agenda         // of tasks
	soon    mail           // messages that take one delay
	late    mail           // messages that take two
	answers fifo[notice]   // to workers, that a job has no task left
	updates fifo[notice]   // to workers, that a job has one task less to hand out
	reports fifo[notice]   // to the central scheduler, that a worker ended a task of a long job
	asking  fifo[stealing] // idle workers that asked others for work
	beatAt  int64          // next heartbeat
	arrived int            // jobs
	ended   int            // jobs

	vectors vectors
	stamps  []int32 // per worker, the last drawing that it was in
	drawing int32
	targets [3][]int32 // scratch of schedulers
	fetched int32      // of no meaning

	busy    int32
	usage   usage
	out     *Outcome
	watch   Observer
	detail  *detail   // nil unless asked for
	next    [][]int32 // by job, those that wait for it; nil where none do
	failure error
}

// job is what is known of a job during a simulation.
type job struct {
	submit, end int64
	estimate    int64 // of each task, as schedulers are told
	limit       int64 // how much work may pass one of its tasks
	first       int   // index of the first duration
	tasks       int32
	next        int32 // task that is handed out next
	left        int32 // tasks that have not ended
	visible     int32 // tasks not handed out, as far as workers know
	last        int64 // when the last one was handed out
	waits       int32 // jobs that must end before it begins
	long        bool  // for the scheduler: it is placed centrally
	reported    bool  // long in the results
}

// worker is two lines of the cache, as long as its queue is short.
type worker struct {
	free     uint8 // slots that are not busy; a busy one runs a task, or waits for the answer that there is none
	runs     uint8 // slots that run a task
	runsLong uint8 // slots that run a task of a long job
	longs    int32 // tasks of long jobs that it runs or that are in its queue
	vector   int32 // what it knows of long jobs; 0 for nothing
	heard    int32 // how new that is
	queue    queue
}

// notice is something that is known at an instant, of a worker or of a job.
type notice struct {
	at          int64
	worker, job int32
}

// Run simulates a workload under a scheduler, made for these options by [New] or by hand and used once.
func Run(ctx context.Context, w *Workload, s Scheduler, o Options) (*Outcome, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := w.Validate(); err != nil {
		return nil, err
	}
	c, err := newCluster(w, s, o)
	if err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	return c.finish(), nil
}

func newCluster(w *Workload, s Scheduler, o Options) (*Cluster, error) {
	c := &Cluster{o: o, in: w, base: w.Jobs[0].Submit, jobs: make([]job, len(w.Jobs)), workers: make([]worker, o.Workers),
		shortOnly: int32(o.ShortOnly()), policy: s, rules: s.Rules(), pack: packingFor(o.Workers, o.Slots),
		beatAt: never, stamps: make([]int32, o.Workers), watch: o.Observe,
		out: &Outcome{Tasks: int64(len(w.Durations))}}
	for i := range c.workers {
		c.workers[i].free = uint8(o.Slots)
	}
	for i := range w.Jobs {
		in := &w.Jobs[i]
		r := random(mix(o.Seed ^ drawEstimate + gamma*uint64(i)))
		told := float64(in.Estimate) * (o.Estimates.Low + (o.Estimates.High-o.Estimates.Low)*r.unit())
		if told*float64(in.Tasks) > math.MaxInt64/2 {
			return nil, fmt.Errorf("job %s has more work than can be counted in microseconds", in.ID)
		}
		j := job{submit: in.Submit - c.base, estimate: in.Estimate, first: in.First, tasks: int32(in.Tasks), left: int32(in.Tasks), visible: int32(in.Tasks)}
		if o.Estimates != (Misestimation{1, 1}) {
			j.estimate = int64(math.Round(told))
		}
		if o.EPFL {
			j.estimate -= j.estimate % Second
		}
		class := j.estimate
		if o.EPFL || o.KnownClasses {
			class = in.Estimate
		}
		j.limit = int64(min(o.Bypass*float64(j.estimate), math.MaxInt64/2))
		j.long = c.rules.AllCentral || class > o.Cutoff
		j.reported = in.Estimate > o.Reported()
		c.jobs[i] = j
	}
	for i := range w.Jobs {
		for _, k := range w.Jobs[i].After {
			if c.next == nil {
				c.next = make([][]int32, len(w.Jobs))
			}
			c.next[i-k] = append(c.next[i-k], int32(i))
			c.jobs[i].waits++
		}
	}
	c.usage = newUsage(c.jobs[len(c.jobs)-1].submit, o.SampleEvery)
	if o.Detail {
		c.detail = newDetail(len(c.jobs), o.Workers)
	}
	c.hooks = hooksOf(s)
	if b, ok := s.(beginner); ok {
		b.begin(c)
	}
	if c.beater != nil && o.Heartbeat > 0 {
		c.beatAt = o.firstBeat(c.base)
	}
	return c, nil
}

// run lets everything happen, in order of time. What happens at one instant is in this order: tasks end, a job arrives,
// workers learn that there is no task, busy workers are counted, messages arrive, workers learn of tasks handed out
// elsewhere, the central scheduler learns of ends, heartbeats. Of one kind, ends are in the order of workers, all else in
// the order in which it was caused.
func (c *Cluster) run(ctx context.Context) error {
	quiet := 0
	for steps := 0; c.failure == nil; steps++ {
		if steps&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		const (
			end = iota
			arrival
			nothing
			sample
			lateMail
			soonMail
			report
			answered
			beat
		)
		at, what := int64(never), -1
		if c.arrived < len(c.jobs) {
			if t := c.jobs[c.arrived].submit; t < at {
				at, what = t, arrival
			}
		}
		if c.answers.n > 0 && c.answers.front().at < at {
			at, what = c.answers.front().at, nothing
		}
		if c.late.n > 0 && c.late.front().at < at {
			at, what = c.late.front().at, lateMail
		}
		if c.soon.n > 0 && c.soon.front().at < at {
			at, what = c.soon.front().at, soonMail
		}
		if c.reports.n > 0 && c.reports.front().at < at {
			at, what = c.reports.front().at, report
		}
		if c.asking.n > 0 && c.asking.front().at < at {
			at, what = c.asking.front().at, answered
		}
		if c.due(at) {
			at, what = c.pack.time(c.ends.near[len(c.ends.near)-1].key), end
		}
		if what < 0 {
			if c.ended == len(c.jobs) || c.beatAt == never || quiet == maxQuiet {
				return c.complete()
			}
			quiet++ // something may wait for a heartbeat
			c.beat()
			continue
		}
		if c.usage.next < at || c.usage.next == at && what > sample {
			c.usage.sample(c.busy)
			continue
		}
		if c.beatAt < at {
			c.beat()
			continue
		}
		quiet = 0
		c.now = at
		c.out.Events++
		switch what {
		case end:
			x := c.ends.pop()
			c.end(c.pack.worker(x.key), x.job)
		case arrival:
			c.arrived++
			if c.jobs[c.arrived-1].waits == 0 {
				c.policy.Submit(c, int32(c.arrived-1))
			}
		case nothing:
			c.freed(c.answers.pop().worker)
		case lateMail:
			c.land(&c.late)
		case soonMail:
			c.land(&c.soon)
		case report:
			r := c.reports.pop()
			c.placer.Ended(c, r.worker, r.job)
		case answered:
			c.stolen(c.asking.pop())
		}
	}
	return c.failure
}

// maxQuiet is how many heartbeats may pass with nothing else to happen, before a scheduler is believed to have forgotten tasks.
const maxQuiet = 1000

func (c *Cluster) beat() {
	c.now = c.beatAt
	c.beatAt += c.o.Heartbeat
	c.beater.Beat(c)
}

// complete reports a scheduler that left tasks behind.
func (c *Cluster) complete() error {
	for i := range c.jobs {
		if n := c.jobs[i].left; n > 0 {
			return fmt.Errorf("the scheduler never ran %d of %d tasks of job %s", n, c.jobs[i].tasks, c.in.Jobs[i].ID)
		}
	}
	return nil
}

// due reports whether a task ends no later than an instant.
func (c *Cluster) due(at int64) bool {
	q := &c.ends
	until := uint64(math.MaxUint64)
	if at < c.pack.most {
		until = c.pack.key(at, 0) | c.pack.mask
	}
	if len(q.near) == 0 {
		if !q.open(until) {
			return false
		}
		for i := range q.near { // what their ends will touch is fetched all at once: see land
			x := &q.near[i]
			me := &c.workers[c.pack.worker(x.key)]
			c.fetched += me.longs + me.queue.short[short-1].job + c.jobs[x.job].left
		}
	}
	return q.near[len(q.near)-1].key <= until
}

// end ends a task of a worker.
func (c *Cluster) end(w, n int32) {
	me := &c.workers[w]
	j := &c.jobs[n]
	j.left--
	if j.left == 0 {
		j.end = c.now
		c.ended++
	}
	if c.watch != nil {
		c.watch.Ended(Event{c.now, w, n, 0})
	}
	me.runs--
	if j.long {
		me.longs--
		me.runsLong--
	}
	if c.placer != nil && (j.long || c.rules.TellAll) {
		if c.o.EPFL {
			c.placer.Ended(c, w, n)
		} else {
			c.reports.push(notice{c.now + c.o.Delay, w, n})
		}
	}
	if c.detail != nil && j.reported {
		c.detail.longEnded(c.now, w)
	}
	c.freed(w)
	if j.left == 0 && c.next != nil {
		for _, k := range c.next[n] {
			if c.jobs[k].waits--; c.jobs[k].waits == 0 && int(k) < c.arrived { // else it is yet to arrive, at this instant
				c.policy.Submit(c, k)
			}
		}
	}
}

// freed lets a slot of a worker that has become free look for something else to do.
func (c *Cluster) freed(w int32) {
	if !c.take(w) {
		c.workers[w].free++
		c.busy--
		if c.idler != nil {
			c.idler.Idle(c, w)
		}
	}
}

// wake lets the free slots of a worker look into its queue.
func (c *Cluster) wake(w int32) {
	for c.workers[w].free > 0 && c.take(w) {
		c.workers[w].free--
		c.busy++
	}
}

// take lets a slot of a worker that is not busy begin with what is in the queue. It reports whether it is busy now.
func (c *Cluster) take(w int32) bool {
	me := &c.workers[w]
	i := 0
	if me.queue.n == 0 {
		i = -1
	} else if c.chooser != nil {
		i = c.chooser.Choose(c, w)
	}
	if i < 0 {
		return false
	}
	x := &c.live(w)[i]
	n := x.job
	j := &c.jobs[n]
	if j.next == j.tasks {
		c.remove(w, i)
		if j.long {
			me.longs--
		}
		c.answers.push(notice{c.now + 2*c.o.Delay, w, n})
		c.usage.ran(c.now, c.now+2*c.o.Delay)
		c.out.Counts.Empty++
		return true
	}
	task, ask := x.task, int64(0)
	if task < 0 {
		task, ask = j.next, 2*c.o.Delay
	}
	j.next++
	j.last = c.now
	if c.rules.Lagging {
		c.updates.push(notice{c.now + 2*c.o.Delay, w, n})
	} else {
		j.visible--
	}
	if i > 0 {
		c.charge(w, i)
	}
	c.begin(w, x, task, ask)
	if x.task == stuck {
		c.out.Counts.Stuck++
	}
	if !c.rules.Sticky || j.long {
		c.remove(w, i)
	} else {
		x.task = stuck
	}
	return true
}

// Start has a worker with a free slot run the next task of a job at once, without any message.
func (c *Cluster) Start(w, j int32) {
	x := entry{job: j, task: c.jobs[j].next}
	if c.detail != nil {
		x.record = c.detail.came(c, w)
		c.detail.records[x.record].since = c.jobs[j].submit
	}
	c.jobs[j].next++
	c.jobs[j].visible--
	if c.jobs[j].long {
		c.workers[w].longs++
	}
	c.begin(w, &x, x.task, 0)
	if c.detail != nil {
		c.detail.forget(x.record)
	}
	c.workers[w].free--
	c.busy++
}

// begin has a worker run the task that an entry got, after it was asked for.
func (c *Cluster) begin(w int32, x *entry, task int32, ask int64) {
	n := x.job
	me, j := &c.workers[w], &c.jobs[n]
	end := c.now + ask + c.in.Durations[j.first+int(task)]
	if end >= c.pack.most {
		c.failure = fmt.Errorf("the simulation lasts longer than %.0f days, which is all that %d workers have numbers for",
			float64(c.pack.most)/Second/86400, c.o.Workers)
		return
	}
	if c.detail != nil {
		c.detail.began(c, w, x, end)
	}
	me.runs++
	if j.long {
		me.runsLong++
	}
	c.ends.push(ending{c.pack.key(end, w), n})
	c.usage.ran(c.now, end)
	if c.placer != nil && (j.long || c.rules.TellAll) {
		c.placer.Started(c, w, n, end)
	}
	if c.watch != nil {
		c.watch.Started(Event{c.now, w, n, task})
	}
}

// charge adds the estimate of the i-th entry, that got a task, to those in front of it, unless it is of a long job among probes.
func (c *Cluster) charge(w int32, i int) {
	live := c.live(w)
	over := &live[i]
	if c.jobs[over.job].long && !c.rules.AllCentral {
		return
	}
	work := c.jobs[over.job].estimate
	for k := range live[:i] {
		live[k].passed += work
		if c.detail != nil {
			c.detail.passed(live[k].job, over.job)
		}
	}
	c.out.Counts.Bypasses += int64(i)
}

// settle makes known what workers have learnt by now of tasks handed out elsewhere.
func (c *Cluster) settle() {
	for c.updates.n > 0 && c.updates.front().at < c.now {
		x := c.updates.pop()
		j := &c.jobs[x.job]
		if j.visible--; c.o.EPFL && j.next == j.tasks && x.at >= j.last {
			j.visible = 0 // whichever task it is of, it tells that none is left
		}
	}
}
