package study

import (
	"cmp"
	"context"
	"slices"

	"racecard/datasets/result"
	"racecard/models/distributed"
)

// Of a job that is explained, the workers that were done last are kept, so many and with so many tasks.
const (
	maxSlowWorkers = 40
	maxSlowTasks   = 2000
)

// slowest is the short job, of several tasks if there is one, that waited longest behind a long task, and the place of the scheduler under
// which it did. Without such a job it is -1. The outcomes are those of the schedulers, with records of jobs.
func slowest(w *distributed.Workload, outcomes []*distributed.Outcome) (job, scheduler int) {
	job, scheduler = -1, -1
	most := int64(0)
	for _, tasks := range []int{4, 1} { // rather one that has several
		for k, out := range outcomes {
			for i := range out.Jobs {
				if d := &out.Jobs[i]; !out.Long[i] && w.Jobs[i].Tasks >= tasks && d.LongestBehind > most {
					job, scheduler, most = i, k, d.LongestBehind
				}
			}
		}
		if job >= 0 {
			break
		}
	}
	return job, scheduler
}

// slow explains the jobs of s.Explain under every scheduler, or, where there are none, the slowest one under the scheduler under which it
// is, and under Eagle where that is compared. A run of several stages is explained stage by stage; runs is w by runs, or w.
func (s *Setup) slow(ctx context.Context, w, runs *distributed.Workload, outcomes []*distributed.Outcome) ([]result.EagleSlow, error) {
	var all []result.EagleSlow
	for _, id := range s.Explain {
		x, err := s.explain(ctx, w, stagesOf(w, runs, w.Find(id)), s.Schedulers)
		if err != nil {
			return nil, err
		}
		all = append(all, x...)
	}
	if len(s.Explain) > 0 {
		return all, nil
	}
	job, worst := slowest(runs, outcomes)
	if job < 0 {
		return nil, nil
	}
	names := []string{s.Schedulers[worst]}
	if slices.Contains(s.Schedulers, "eagle") && names[0] != "eagle" {
		names = append(names, "eagle")
	}
	return s.explain(ctx, w, stagesOf(w, runs, slices.IndexFunc(w.Jobs, func(j distributed.Job) bool { return j.First == runs.Jobs[job].First })), names)
}

// stagesOf returns the stages of the run that begins with a job, or that job where jobs are no stages.
func stagesOf(w, runs *distributed.Workload, first int) []int {
	if w == runs {
		return []int{first}
	}
	return w.Stages(first)
}

// explain explains a job, or the stages of a run, under schedulers: stage by stage, and of each under one after the other.
func (s *Setup) explain(ctx context.Context, w *distributed.Workload, stages []int, names []string) ([]result.EagleSlow, error) {
	all := make([]result.EagleSlow, len(stages)*len(names))
	for k, name := range names {
		of, err := s.follow(ctx, w, stages, name)
		if err != nil {
			return nil, err
		}
		for i, x := range of {
			all[i*len(names)+k] = *x
		}
	}
	return all, nil
}

// follow simulates a scheduler once more and looks at one job, or at the stages of a run.
func (s *Setup) follow(ctx context.Context, w *distributed.Workload, stages []int, name string) ([]*result.EagleSlow, error) {
	policy, err := distributed.New(name, s.Options)
	if err != nil {
		return nil, err
	}
	var all followers
	for _, job := range stages {
		f := &follower{w: w, job: int32(job), cutoff: s.Options.Reported(), running: make([][]distributed.Event, s.Options.Workers), at: map[int32][]*waiting{},
			sticky: policy.Rules().Sticky && w.Jobs[job].Estimate <= s.Options.Cutoff}
		all = append(all, f)
	}
	o := s.Options
	o.Observe, o.Detail = all, true
	out, err := distributed.Run(ctx, w, policy, o)
	if err != nil {
		return nil, err
	}
	var told []*result.EagleSlow
	for i, f := range all {
		x := f.explanation(name, out)
		if len(all) > 1 {
			x.Stage, x.Stages = i+1, len(all)
		}
		told = append(told, x)
	}
	return told, nil
}

// followers is a [distributed.Observer] that follows the stages of a run.
type followers []*follower

// Queued implements [distributed.Observer].
func (all followers) Queued(e distributed.Event) {
	for _, f := range all {
		f.Queued(e)
	}
}

// Moved implements [distributed.Observer].
func (all followers) Moved(e distributed.Event, from int32) {
	for _, f := range all {
		f.Moved(e, from)
	}
}

// Started implements [distributed.Observer].
func (all followers) Started(e distributed.Event) {
	for _, f := range all {
		f.Started(e)
	}
}

// Ended implements [distributed.Observer].
func (all followers) Ended(e distributed.Event) {
	for _, f := range all {
		f.Ended(e)
	}
}

// follower is a [distributed.Observer] that follows one job.
type follower struct {
	w       *distributed.Workload
	job     int32
	cutoff  int64
	running [][]distributed.Event // by worker and slot, as far as those have been used; Job is -1 for none
	at      map[int32][]*waiting  // what the job has in queues, by worker
	tasks   []*result.EagleSlowTask
	sticky  bool // its probes stay where a task of it runs
}

// waiting is what the job has in the queue of a worker.
type waiting struct {
	task  int32   // -1 for a probe
	since float64 // it is at this worker, if it is one that moved
	stuck bool    // a task of it has run here
	of    result.EagleSlowTask
}

// since turns a time into seconds since the submission of the job.
func (f *follower) since(at int64) float64 {
	return float64(at-f.w.Jobs[f.job].Submit+f.w.Jobs[0].Submit) / distributed.Second
}

// Queued implements [distributed.Observer].
func (f *follower) Queued(e distributed.Event) {
	if e.Job == f.job {
		f.at[e.Worker] = append(f.at[e.Worker], f.waits(e))
	}
}

// waits is what is in a queue from now on.
func (f *follower) waits(e distributed.Event) *waiting {
	return &waiting{task: e.Task, of: result.EagleSlowTask{Worker: int(e.Worker), QueuedS: f.since(e.At)}}
}

// find returns the place, of what waits at a worker, of a task, or else of the first probe; -1 where there is neither.
func (f *follower) find(w, task int32) int {
	all := f.at[w]
	if i := slices.IndexFunc(all, func(x *waiting) bool { return x.task == task }); i >= 0 {
		return i
	}
	return slices.IndexFunc(all, func(x *waiting) bool { return x.task < 0 })
}

// Moved implements [distributed.Observer].
func (f *follower) Moved(e distributed.Event, from int32) {
	if e.Job != f.job {
		return
	}
	x := f.waits(e)
	if i := f.find(from, e.Task); i >= 0 {
		x = f.at[from][i]
		f.at[from] = slices.Delete(f.at[from], i, i+1)
		f.ran(x, from, e.At)
	}
	x.of.Worker, x.of.Stolen = int(e.Worker), true
	x.since = f.since(e.At)
	f.at[e.Worker] = append(f.at[e.Worker], x)
}

// ran notes what the slots of a worker have run up to an instant.
func (f *follower) ran(x *waiting, w int32, at int64) {
	for slot := range f.running[w] {
		f.ranIn(x, w, slot, at)
	}
}

// ranIn notes what one slot has.
func (f *follower) ranIn(x *waiting, w int32, slot int, at int64) {
	r := f.running[w][slot]
	if r.Job < 0 || r.Job == f.job {
		return
	}
	if from, to := max(f.since(r.At), x.of.QueuedS, x.since), f.since(at); to > from {
		x.of.Before = append(x.of.Before, result.EagleOn{Slot: slot, FromS: from, ToS: to, JobID: f.w.Jobs[r.Job].ID, Long: f.w.Jobs[r.Job].Estimate > f.cutoff})
	}
}

// free returns the first slot of a worker that runs nothing.
func (f *follower) free(w int32) int {
	i := slices.IndexFunc(f.running[w], func(r distributed.Event) bool { return r.Job < 0 })
	if i < 0 {
		i, f.running[w] = len(f.running[w]), append(f.running[w], distributed.Event{Job: -1})
	}
	return i
}

// ending returns the slot of a worker in which a task of a job ends: the first one of those that run one to do so.
func (f *follower) ending(w, job int32) int {
	end := func(r distributed.Event) int64 { return r.At + f.w.Of(int(job))[r.Task] }
	first := -1
	for i, r := range f.running[w] {
		if r.Job == job && (first < 0 || end(r) < end(f.running[w][first])) {
			first = i
		}
	}
	return first
}

// Started implements [distributed.Observer].
func (f *follower) Started(e distributed.Event) {
	slot := f.free(e.Worker)
	if e.Job != f.job {
		f.running[e.Worker][slot] = e
		return
	}
	x := result.EagleSlowTask{Worker: int(e.Worker)} // from the submission on, in a queue of the scheduler
	if i := f.find(e.Worker, e.Task); i >= 0 {
		waits := f.at[e.Worker][i]
		f.ran(waits, e.Worker, e.At)
		x = waits.of
		if f.sticky && waits.task < 0 { // it waits for another slot
			*waits = *f.waits(distributed.Event{At: e.At, Worker: e.Worker, Task: -1})
			waits.stuck = true
		} else {
			f.at[e.Worker] = slices.Delete(f.at[e.Worker], i, i+1)
		}
	}
	f.running[e.Worker][slot] = e
	x.Slot, x.StartS = slot, f.since(e.At)
	f.tasks = append(f.tasks, &x)
	if len(f.tasks) == f.w.Jobs[f.job].Tasks {
		clear(f.at) // what probes wait from now on is for nothing
	}
}

// Ended implements [distributed.Observer].
func (f *follower) Ended(e distributed.Event) {
	slot := f.ending(e.Worker, e.Job)
	for _, x := range f.at[e.Worker] {
		f.ranIn(x, e.Worker, slot, e.At)
	}
	f.running[e.Worker][slot].Job = -1
	if e.Job != f.job {
		return
	}
	for _, x := range slices.Backward(f.tasks) { // the last one that the slot began
		if x.Worker == int(e.Worker) && x.Slot == slot {
			x.EndS = f.since(e.At)
			break
		}
	}
	for _, x := range f.at[e.Worker] {
		if x.stuck { // it waits again from here
			x.of = result.EagleSlowTask{Worker: int(e.Worker), QueuedS: f.since(e.At)}
		}
	}
}

func (f *follower) explanation(name string, out *distributed.Outcome) *result.EagleSlow {
	j := &f.w.Jobs[f.job]
	r := &result.EagleSlow{Scheduler: name, JobID: j.ID, JCTS: float64(out.Completion[f.job]) / distributed.Second,
		EstimateS: float64(j.Estimate) / distributed.Second, All: j.Tasks, Long: out.Long[f.job], EagleMet: met(&out.Jobs[f.job])}
	for _, x := range f.last() {
		r.Tasks = append(r.Tasks, *x)
	}
	slices.SortStableFunc(r.Tasks, func(a, b result.EagleSlowTask) int { return cmp.Compare(a.StartS, b.StartS) })
	return r
}

// last returns the tasks of the workers that were done last.
func (f *follower) last() []*result.EagleSlowTask {
	of, done := map[int][]*result.EagleSlowTask{}, map[int]float64{}
	var workers []int
	for _, x := range f.tasks {
		if of[x.Worker] == nil {
			workers = append(workers, x.Worker)
		}
		of[x.Worker], done[x.Worker] = append(of[x.Worker], x), max(done[x.Worker], x.EndS)
	}
	slices.SortStableFunc(workers, func(a, b int) int { return cmp.Compare(done[b], done[a]) })
	var kept []*result.EagleSlowTask
	for i, w := range workers {
		if i > 0 && (i == maxSlowWorkers || len(kept)+len(of[w]) > maxSlowTasks) {
			break
		}
		kept = append(kept, of[w]...)
	}
	return kept
}

// met is what a job met with.
func met(d *distributed.JobDetail) result.EagleMet {
	return result.EagleMet{QueuedS: float64(d.Queued) / distributed.Second, BehindLongS: float64(d.BehindLong) / distributed.Second, Rejected: int(d.Rejected), Stuck: int(d.Stuck),
		Passed: int(d.Passed), Bypassed: int(d.Bypassed), Stolen: int(d.Stolen)}
}

// listed is how many of the slowest jobs a document lists per scheduler.
const listed = 10

// slowestOf lists the short jobs that took longest beyond their longest task.
func slowestOf(w *distributed.Workload, out *distributed.Outcome) []result.EagleSlowest {
	var jobs []int
	beyond := make([]int64, len(w.Jobs))
	for i := range w.Jobs {
		if !out.Long[i] {
			jobs, beyond[i] = append(jobs, i), out.Completion[i]-slices.Max(w.Of(i))
		}
	}
	slices.SortStableFunc(jobs, func(a, b int) int { return cmp.Compare(beyond[b], beyond[a]) })
	var all []result.EagleSlowest
	for _, i := range jobs[:min(len(jobs), listed)] {
		j := &w.Jobs[i]
		all = append(all, result.EagleSlowest{JobID: j.ID, Tasks: j.Tasks, JCTS: float64(out.Completion[i]) / distributed.Second,
			LongestTaskS: float64(slices.Max(w.Of(i))) / distributed.Second, EagleMet: met(&out.Jobs[i])})
	}
	return all
}
