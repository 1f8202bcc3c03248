package distributed

import (
	"context"
	"fmt"
	"math"

	"racecard/models/limit"
)

// never is after everything that happens.
const never = math.MaxInt64

// Cluster is the state that schedulers work on: workers with their queues, jobs, and messages under way. Its
// methods are for [Scheduler]s, during the calls that pass it to them.
type Cluster struct {
	o       Options
	in      *Workload
	now     int64 // since the first submission
	base    int64 // instant of the first submission
	jobs    []job
	workers []worker
	longTasks
	queues    store
	looks     int64 // entries of queues that workers looked at
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
	resting bool           // heartbeats do nothing until something else happens
	arrived int            // jobs
	ended   int            // jobs

	vectors vectors
	drawn   drawing
	targets [3][]int32 // scratch of schedulers
	large   bool       // the workers do not fit in the cache: their state is prefetched
	fetched int32      // keeps the compiler from removing prefetches

	busy    int32
	usage   usage
	out     *Outcome
	watch   Observer
	detail  *detail   // nil unless asked for
	next    [][]int32 // by job, those that wait for it; nil where none do
	failure error
}

// job is the state of a job during a simulation, one line of the cache.
type job struct {
	submit   int64
	estimate int64 // of each task, as known to schedulers
	limit    int64 // how much work may pass one of its tasks
	first    int   // index of the first duration
	tasks    int32
	next     int32 // task that is handed out next
	left     int32 // tasks that have not ended
	visible  int32 // tasks not handed out, as far as workers know
	last     int64 // when the last one was handed out
	waits    int32 // jobs that must end before it begins
	long     bool  // for the scheduler: it is placed centrally
	reported bool  // long in the results
}

// notice is news about a worker or a job that becomes known at an instant.
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
	if o.MostLooks <= 0 {
		o.MostLooks = limit.Looks
	}
	c := &Cluster{o: o, in: w, base: w.Jobs[0].Submit, jobs: make([]job, len(w.Jobs)),
		workers:   make([]worker, o.Workers),
		shortOnly: int32(o.ShortOnly()), policy: s, rules: s.Rules(), pack: packingFor(o.Workers, o.scale()),
		beatAt: never, watch: o.Observe,
		out: &Outcome{Tasks: int64(len(w.Durations)), Completion: make([]int64, len(w.Jobs)),
			Long: make([]bool, len(w.Jobs))}}
	for i := range c.workers {
		c.workers[i].free = uint8(o.SlotsOf(i))
	}
	c.longs, c.long, c.stealable = make([]int32, o.Workers), newBitmap(o.Workers), newBitmap(o.Workers)
	if c.rules.Vectors {
		c.heard, c.vector = make([]int32, o.Workers), make([]int32, o.Workers)
	}
	means := w.Means()
	share, staged := 1.0, false // of the truth that is told of a run; whether the run has several stages
	for i := range w.Jobs {
		in := &w.Jobs[i]
		r := stream(o.Seed, drawEstimate, uint64(i))
		wrong := o.Estimates.Low + (o.Estimates.High-o.Estimates.Low)*r.Unit()
		if i == 0 || !w.sameRun(i) {
			share, staged = wrong, i+1 < len(w.Jobs) && w.sameRun(i+1)
		}
		told := float64(in.Estimate) * wrong
		if told*float64(in.Tasks) > math.MaxInt64/2 {
			return nil, fmt.Errorf("job %s has more work than can be counted in microseconds", in.ID)
		}
		j := job{submit: in.Submit - c.base, estimate: in.Estimate, first: in.First, tasks: int32(in.Tasks),
			left: int32(in.Tasks), visible: int32(in.Tasks)}
		if o.Estimates != (Misestimation{1, 1}) {
			j.estimate = int64(math.Round(told))
		}
		if o.EPFL {
			j.estimate -= j.estimate % Second
		}
		class := means[i]
		switch {
		case o.EPFL || o.KnownClasses:
		case staged:
			class = int64(math.Round(float64(class) * share))
		default:
			class = j.estimate
		}
		j.limit = int64(min(o.Bypass*float64(j.estimate), math.MaxInt64/2))
		j.long = c.rules.AllCentral || class > o.Cutoff
		j.reported = means[i] > o.Reported()
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
		c.detail = newDetail(c)
	}
	c.large = o.Workers > largest
	c.hooks = hooksOf(s)
	if b, ok := s.(Beginner); ok {
		b.Begin(c)
	}
	if c.beater != nil && o.Heartbeat > 0 {
		c.beatAt = o.firstBeat(c.base)
	}
	return c, nil
}
