package study

import (
	"context"
	"slices"
	"sort"

	"racecard/datasets/result"
	"racecard/models/distributed"
)

// maxSlowTasks bounds the tasks of a job that are explained.
const maxSlowTasks = 40

// slow explains the short job, of several tasks if there is one, that waited longest behind a long task: what its tasks waited for under the scheduler under which it
// did, and under Eagle where that is compared. The outcomes are those of the schedulers, with records of
// jobs; without a job that waited there is nothing.
func (s *Setup) slow(ctx context.Context, w *distributed.Workload, outcomes []*distributed.Outcome) ([]result.EagleSlow, error) {
	job, worst, most := -1, -1, int64(0)
	for _, tasks := range []int{4, 1} { // rather one that has several
		for k, out := range outcomes {
			for i := range out.Jobs {
				if d := &out.Jobs[i]; !out.Long[i] && w.Jobs[i].Tasks >= tasks && d.LongestBehind > most {
					job, worst, most = i, k, d.LongestBehind
				}
			}
		}
		if job >= 0 {
			break
		}
	}
	if job < 0 {
		return nil, nil
	}
	names := []string{s.Schedulers[worst]}
	if slices.Contains(s.Schedulers, "eagle") && names[0] != "eagle" {
		names = append(names, "eagle")
	}
	var all []result.EagleSlow
	for _, name := range names {
		f := &follower{w: w, job: int32(job), cutoff: s.Options.Reported(), running: make([]distributed.Event, s.Options.Workers), at: map[int32]*result.EagleSlowTask{}}
		for i := range f.running {
			f.running[i].Job = -1
		}
		o := s.Options
		o.Observe = f
		policy, err := distributed.New(name, o)
		if err != nil {
			return nil, err
		}
		out, err := distributed.Run(ctx, w, policy, o)
		if err != nil {
			return nil, err
		}
		all = append(all, f.explanation(name, out))
	}
	return all, nil
}

// follower is a [distributed.Observer] that follows one job.
type follower struct {
	w       *distributed.Workload
	job     int32
	cutoff  int64
	running []distributed.Event             // by worker; Job is -1 for none
	at      map[int32]*result.EagleSlowTask // where the job has something in a queue
	tasks   []*result.EagleSlowTask
}

// since turns a time into seconds since the submission of the job.
func (f *follower) since(at int64) float64 {
	return float64(at-f.w.Jobs[f.job].Submit+f.w.Jobs[0].Submit) / distributed.Second
}

// Queued implements [distributed.Observer].
func (f *follower) Queued(e distributed.Event) {
	if e.Job == f.job && f.at[e.Worker] == nil {
		f.at[e.Worker] = &result.EagleSlowTask{Worker: int(e.Worker), QueuedS: f.since(e.At)}
	}
}

// Moved implements [distributed.Observer]. Of several probes that move together, the first one tells.
func (f *follower) Moved(e distributed.Event, from int32) {
	if e.Job != f.job {
		return
	}
	if x := f.at[e.Worker]; x != nil && x.Stolen && x.StartS == f.since(e.At) {
		return
	}
	x := result.EagleSlowTask{QueuedS: f.since(e.At)}
	if old := f.at[from]; old != nil {
		x = *old
		x.Before = slices.Clone(old.Before)
		f.ran(&x, from, e.At)
	}
	x.Worker, x.Stolen = int(e.Worker), true
	x.StartS = f.since(e.At) // until it starts: when it came
	f.at[e.Worker] = &x
}

// ran notes what a worker has run up to an instant.
func (f *follower) ran(x *result.EagleSlowTask, w int32, at int64) {
	r := f.running[w]
	if r.Job < 0 || r.Job == f.job {
		return
	}
	if from, to := max(f.since(r.At), x.QueuedS), f.since(at); to > from {
		x.Before = append(x.Before, result.EagleOn{FromS: from, ToS: to, JobID: f.w.Jobs[r.Job].ID, Long: f.w.Jobs[r.Job].Estimate > f.cutoff})
	}
}

// Started implements [distributed.Observer].
func (f *follower) Started(e distributed.Event) {
	f.running[e.Worker] = e
	if e.Job != f.job {
		return
	}
	x := result.EagleSlowTask{Worker: int(e.Worker), QueuedS: f.since(e.At)}
	if queued := f.at[e.Worker]; queued != nil {
		x = *queued
		x.Before = slices.Clone(queued.Before)
	}
	x.StartS = f.since(e.At)
	f.tasks = append(f.tasks, &x)
}

// Ended implements [distributed.Observer].
func (f *follower) Ended(e distributed.Event) {
	if x := f.at[e.Worker]; x != nil {
		f.ran(x, e.Worker, e.At)
	}
	f.running[e.Worker].Job = -1
	if e.Job != f.job {
		return
	}
	for _, x := range slices.Backward(f.tasks) { // the last one that the worker began
		if x.Worker == int(e.Worker) {
			x.EndS = f.since(e.At)
			break
		}
	}
	if x := f.at[e.Worker]; x != nil { // where the probe stays it waits again from here
		*x = result.EagleSlowTask{Worker: int(e.Worker), QueuedS: f.since(e.At)}
	}
}

func (f *follower) explanation(name string, out *distributed.Outcome) result.EagleSlow {
	j := &f.w.Jobs[f.job]
	r := result.EagleSlow{Scheduler: name, JobID: j.ID, JCTS: float64(out.Completion[f.job]) / distributed.Second,
		EstimateS: float64(j.Estimate) / distributed.Second, All: j.Tasks}
	sort.SliceStable(f.tasks, func(a, b int) bool { return f.tasks[a].EndS > f.tasks[b].EndS })
	f.tasks = f.tasks[:min(len(f.tasks), maxSlowTasks)]
	sort.SliceStable(f.tasks, func(a, b int) bool { return f.tasks[a].StartS < f.tasks[b].StartS })
	for _, x := range f.tasks {
		r.Tasks = append(r.Tasks, *x)
	}
	return r
}
