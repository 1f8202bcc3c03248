package study

import (
	"slices"

	"racecard/datasets/result"
	"racecard/models/queues/distributed"
)

// followers is a [distributed.Observer] that follows the stages of a run, or a job.
type followers struct {
	w       *distributed.Workload
	means   []int64 // [distributed.Workload.Means]
	cutoff  int64
	running [][]distributed.Event // by worker and slot, as far as those have been used; Job is -1 for none
	of      []*follower
}

// Queued implements [distributed.Observer].
func (all *followers) Queued(e distributed.Event) {
	for _, f := range all.of {
		if e.Job == f.job {
			f.queues[e.Worker] = append(f.queues[e.Worker], &waiting{task: e.Task, of: f.queued(e)})
		}
	}
}

// Moved implements [distributed.Observer].
func (all *followers) Moved(e distributed.Event, from int32) {
	for _, f := range all.of {
		if e.Job == f.job {
			f.moved(e, from)
		}
	}
}

// Started implements [distributed.Observer].
func (all *followers) Started(e distributed.Event) {
	slot := all.free(e.Worker)
	for _, f := range all.of {
		if e.Job == f.job {
			f.started(e, slot)
		}
	}
	all.running[e.Worker][slot] = e
}

// Ended implements [distributed.Observer].
func (all *followers) Ended(e distributed.Event) {
	slot := all.ending(e.Worker, e.Job)
	for _, f := range all.of {
		for _, x := range f.queues[e.Worker] {
			f.ran(x, e.Worker, slot, e.At)
		}
		if e.Job == f.job {
			f.ended(e, slot)
		}
	}
	all.running[e.Worker][slot].Job = -1
}

// free returns the first slot of a worker that runs nothing.
func (all *followers) free(w int32) int {
	i := slices.IndexFunc(all.running[w], func(r distributed.Event) bool { return r.Job < 0 })
	if i < 0 {
		i, all.running[w] = len(all.running[w]), append(all.running[w], distributed.Event{Job: -1})
	}
	return i
}

// ending returns the slot of a worker in which a task of a job ends first.
func (all *followers) ending(w, job int32) int {
	end := func(r distributed.Event) int64 { return r.At + all.w.Of(int(job))[r.Task] }
	first := -1
	for i, r := range all.running[w] {
		if r.Job == job && (first < 0 || end(r) < end(all.running[w][first])) {
			first = i
		}
	}
	return first
}

// follower follows one job.
type follower struct {
	*followers
	job    int32
	sticky bool                 // its probes stay where a task of it runs
	queues map[int32][]*waiting // its queue entries, by worker
	tasks  []*result.EagleSlowTask
}

// waiting is the job's entries in the queue of a worker.
type waiting struct {
	task  int32   // -1 for a probe
	cameS float64 // to this worker, if it is one that moved
	stuck bool    // a task of it has run here
	of    result.EagleSlowTask
}

// since turns a time into seconds since the submission of the job.
func (f *follower) since(at int64) float64 {
	return float64(at-f.w.Jobs[f.job].Submit+f.w.Jobs[0].Submit) / distributed.Second
}

// queued is a task that waits from now on.
func (f *follower) queued(e distributed.Event) result.EagleSlowTask {
	return result.EagleSlowTask{Worker: int(e.Worker), QueuedS: f.since(e.At)}
}

// find returns the place of a task among a worker's waiting entries, or else of the first probe; -1 if there is
// neither.
func (f *follower) find(w, task int32) int {
	all := f.queues[w]
	if i := slices.IndexFunc(all, func(x *waiting) bool { return x.task == task }); i >= 0 {
		return i
	}
	return slices.IndexFunc(all, func(x *waiting) bool { return x.task < 0 })
}

// moved follows a probe to another worker.
func (f *follower) moved(e distributed.Event, from int32) {
	x := &waiting{task: e.Task, of: f.queued(e)}
	if i := f.find(from, e.Task); i >= 0 {
		x = f.queues[from][i]
		f.queues[from] = slices.Delete(f.queues[from], i, i+1)
		f.ranAll(x, from, e.At)
	}
	x.of.Worker, x.of.Stolen, x.cameS = int(e.Worker), true, f.since(e.At)
	f.queues[e.Worker] = append(f.queues[e.Worker], x)
}

// ranAll records the tasks that all slots of a worker ran up to an instant.
func (f *follower) ranAll(x *waiting, w int32, at int64) {
	for slot := range f.running[w] {
		f.ran(x, w, slot, at)
	}
}

// ran records the task that one slot ran.
func (f *follower) ran(x *waiting, w int32, slot int, at int64) {
	r := f.running[w][slot]
	if r.Job < 0 || r.Job == f.job {
		return
	}
	if from, to := max(f.since(r.At), x.of.QueuedS, x.cameS), f.since(at); to > from {
		x.of.Before = append(x.of.Before, result.EagleOn{Slot: slot, FromS: from, ToS: to, JobID: f.w.Jobs[r.Job].ID,
			Long: f.means[r.Job] > f.cutoff})
	}
}

// started notes that a task begins.
func (f *follower) started(e distributed.Event, slot int) {
	x := result.EagleSlowTask{Worker: int(e.Worker)} // from the submission on, in a queue of the scheduler
	if i := f.find(e.Worker, e.Task); i >= 0 {
		waits := f.queues[e.Worker][i]
		f.ranAll(waits, e.Worker, e.At)
		x = waits.of
		if f.sticky && waits.task < 0 { // it waits for another slot
			*waits = waiting{task: -1, stuck: true, of: f.queued(e)}
		} else {
			f.queues[e.Worker] = slices.Delete(f.queues[e.Worker], i, i+1)
		}
	}
	x.Slot, x.StartS = slot, f.since(e.At)
	f.tasks = append(f.tasks, &x)
	if len(f.tasks) == f.w.Jobs[f.job].Tasks {
		clear(f.queues) // probes that still wait get no task
	}
}

// ended notes that a task has ended.
func (f *follower) ended(e distributed.Event, slot int) {
	for _, x := range slices.Backward(f.tasks) { // the last one that the slot began
		if x.Worker == int(e.Worker) && x.Slot == slot {
			x.EndS = f.since(e.At)
			break
		}
	}
	for _, x := range f.queues[e.Worker] {
		if x.stuck { // it waits again from here
			x.of = f.queued(e)
		}
	}
}
