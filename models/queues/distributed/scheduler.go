package distributed

import "iter"

// Scheduler decides to which workers the tasks of a job go. Submit is called when a job arrives, and sends probes or
// tasks ([Cluster.Probe], [Cluster.Offer], [Cluster.Place]). A scheduler that also decides other things implements
// [Chooser], [Placer], [Replier], [Idler] or [Beater]. One value serves one simulation.
type Scheduler interface {
	Rules() Rules
	Submit(c *Cluster, j int32)
}

// Rules are how the cluster works under a scheduler.
type Rules struct {
	Sticky     bool // a probe stays in its queue until its job has no task left (Sticky Batch Probing)
	AllCentral bool // jobs of all classes are placed centrally
	Vectors    bool // messages that place long tasks carry the set of workers with long tasks
	TellAll    bool // a [Placer] is told of tasks of all jobs
	Lagging    bool // workers learn with two delays of tasks that are handed out elsewhere (see Cluster.Remaining)
}

// Chooser chooses the next queue entry of a worker; the default is the front of the queue.
type Chooser interface {
	// Choose returns the place in the queue of worker w, which is not empty, or -1 after it has emptied it.
	Choose(c *Cluster, w int32) int
}

// Placer is told of tasks of jobs that are placed centrally.
type Placer interface {
	Started(c *Cluster, w, j int32, end int64)
	// Ended is called when the central scheduler learns of the end: one delay after it; at once following EPFL.
	Ended(c *Cluster, w, j int32)
}

// Replier receives the outcome of probes sent by [Cluster.Offer].
type Replier interface {
	Replied(c *Cluster, j, round, rejected, vector int32)
}

// Idler is told of a worker that has become free and has nothing in its queue.
type Idler interface{ Idle(c *Cluster, w int32) }

// Beater is called every heartbeat, from the first submission on.
type Beater interface {
	// Beat reports whether the scheduler rests: another heartbeat would do nothing, unless something else happens
	// before it. Such heartbeats are skipped.
	Beat(c *Cluster) bool
}

// Beginner is called before the first submission, for state that depends on the cluster.
type Beginner interface{ Begin(c *Cluster) }

// toucher reads its state of a worker before a task there ends: see [Cluster.touch].
type toucher interface{ touch(w int32) int32 }

// hooks are the methods that a scheduler implements; nil for others.
type hooks struct {
	chooser Chooser
	placer  Placer
	replier Replier
	idler   Idler
	beater  Beater
	toucher toucher
}

func hooksOf(s Scheduler) (h hooks) {
	h.chooser, _ = s.(Chooser)
	h.placer, _ = s.(Placer)
	h.replier, _ = s.(Replier)
	h.idler, _ = s.(Idler)
	h.beater, _ = s.(Beater)
	h.toucher, _ = s.(toucher)
	return h
}

// Workers returns the number of workers, and the number of those, with the lowest numbers, that are for short jobs
// alone.
func (c *Cluster) Workers() (all, shortOnly int32) { return int32(len(c.workers)), c.shortOnly }

// Slots returns the slots of a worker.
func (c *Cluster) Slots(w int32) int { return c.o.SlotsOf(int(w)) }

// Now returns the time since the first submission.
func (c *Cluster) Now() int64 { return c.now }

// Job returns a scheduler's knowledge of a job: the number of its tasks, the estimate of each, and whether the job is
// long by it.
func (c *Cluster) Job(j int32) (tasks int32, estimate int64, long bool) {
	x := &c.jobs[j]
	return x.tasks, x.estimate, x.long
}

// Remaining returns the estimated work of a job that is not handed out, according to workers.
func (c *Cluster) Remaining(j int32) int64 {
	x := &c.jobs[j]
	return x.estimate * int64(x.visible)
}

// HasLong reports whether a worker runs or queues a task of a long job.
func (c *Cluster) HasLong(w int32) bool { return c.long.has(w) }

// Free returns the slots of a worker that run nothing and wait for no answer.
func (c *Cluster) Free(w int32) int { return int(c.workers[w].free) }

// Waiting is an entry in the queue of a worker.
type Waiting struct {
	Job    int32
	Task   int32 // below 0 for a probe, which gets its task when the worker is free
	Passed int64 // estimated work that has passed it, in microseconds
}

// Queue yields the queue of a worker from its front, with the places that [Chooser] returns.
func (c *Cluster) Queue(w int32) iter.Seq2[int, Waiting] {
	return func(yield func(int, Waiting) bool) {
		for i, x := range c.live(w) {
			if !yield(i, Waiting{x.job, x.task, x.passed}) {
				return
			}
		}
	}
}
