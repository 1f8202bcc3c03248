package distributed

import (
	"fmt"
	"slices"
)

// Checker is an [Observer] that detects violations: a task that runs twice, never, or not for its duration; a worker
// that runs more tasks than it has slots; a task of a long job on a worker for short jobs; time that runs backwards.
// Set it as Options.Observe, and call Err after the simulation.
type Checker struct {
	w        *Workload
	o        Options
	rtt      int64   // the longest that a worker may ask for a task
	means    []int64 // by job
	reserved bool    // workers for short jobs alone must be
	now      int64
	running  [][]Event // by worker
	queued   []int32   // by worker, entries
	begun    []bool    // by task
	ended    int
	left     []int32 // by job
	err      error
}

// NewChecker returns a checker of one simulation. reserved tells whether the scheduler keeps long jobs to the general
// partition: those that place them centrally do.
func NewChecker(w *Workload, o Options, reserved bool) *Checker {
	k := &Checker{w: w, o: o, rtt: 2 * o.Delay, reserved: reserved, running: make([][]Event, o.Workers),
		queued: make([]int32, o.Workers), begun: make([]bool, len(w.Durations)), left: make([]int32, len(w.Jobs))}
	k.means = w.Means()
	for i := range k.left {
		k.left[i] = int32(w.Jobs[i].Tasks)
	}
	return k
}

func (k *Checker) fail(format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}

func (k *Checker) at(e Event) {
	if e.At < k.now {
		k.fail("time runs backwards: %d after %d", e.At, k.now)
	}
	k.now = e.At
	if since := k.w.Jobs[e.Job].Submit - k.w.Jobs[0].Submit; e.At < since {
		k.fail("job %d is known at %d, before its submission at %d", e.Job, e.At, since)
	}
}

// Queued implements [Observer].
func (k *Checker) Queued(e Event) {
	k.at(e)
	k.queued[e.Worker]++
	k.place(e)
}

func (k *Checker) place(e Event) {
	if k.reserved && k.means[e.Job] > k.o.Cutoff && int(e.Worker) < k.o.ShortOnly() {
		k.fail("at %d, long job %d is sent to worker %d, which is for short jobs alone", e.At, e.Job, e.Worker)
	}
}

// Moved implements [Observer].
func (k *Checker) Moved(e Event, from int32) {
	k.at(e)
	k.queued[from]--
	k.queued[e.Worker]++
	if k.queued[from] < 0 {
		k.fail("at %d, worker %d gives away what it has not", e.At, from)
	}
	k.place(e)
}

// Started implements [Observer].
func (k *Checker) Started(e Event) {
	k.at(e)
	if all := k.running[e.Worker]; len(all) == k.o.SlotsOf(int(e.Worker)) {
		k.fail("at %d, worker %d begins task %d of job %d while it runs %d, one of them task %d of job %d", e.At,
			e.Worker, e.Task, e.Job, len(all), all[0].Task, all[0].Job)
	}
	k.running[e.Worker] = append(k.running[e.Worker], e)
	task := k.w.Jobs[e.Job].First + int(e.Task)
	if int(e.Task) >= k.w.Jobs[e.Job].Tasks || k.begun[task] {
		k.fail("at %d, worker %d begins task %d of job %d, which is none or has begun before", e.At, e.Worker, e.Task,
			e.Job)
		return
	}
	k.begun[task] = true
	for _, before := range k.w.Jobs[e.Job].After {
		if k.left[int(e.Job)-before] > 0 {
			k.fail("at %d, job %d begins before job %d, for which it waits, has ended", e.At, e.Job, int(e.Job)-before)
		}
	}
	k.place(e)
}

// Ended implements [Observer].
func (k *Checker) Ended(e Event) {
	k.at(e)
	all := k.running[e.Worker]
	i := -1
	for _, asked := range []int64{k.rtt, 0} { // those of one job were all asked for, or none
		if i < 0 {
			i = slices.IndexFunc(all, func(r Event) bool {
				return r.Job == e.Job && e.At == r.At+asked+k.w.Durations[k.w.Jobs[r.Job].First+int(r.Task)]
			})
		}
	}
	if i < 0 {
		k.fail("at %d, worker %d ends a task of job %d, but runs none that would end now: %v", e.At, e.Worker, e.Job,
			all)
		return
	}
	k.running[e.Worker] = slices.Delete(all, i, i+1)
	k.ended++
	k.left[e.Job]--
}

// Err returns the first violation. Call it after the simulation.
func (k *Checker) Err() error {
	for i, n := range k.left {
		if n != 0 {
			k.fail("%d of %d tasks of job %d never ended", n, k.w.Jobs[i].Tasks, i)
		}
	}
	if k.ended != len(k.w.Durations) {
		k.fail("%d tasks ended of %d", k.ended, len(k.w.Durations))
	}
	return k.err
}
