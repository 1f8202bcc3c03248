package study

import (
	"cmp"
	"context"
	"slices"

	"racecard/datasets/result"
	"racecard/models/queues/distributed"
)

// Bounds of an explained job: the number of last workers that are kept, and of tasks per worker.
const (
	maxSlowWorkers = 40
	maxSlowTasks   = 2000
)

// slowest returns the short job that waited longest behind a long task, preferably one of several tasks, and the index
// of its scheduler; -1 if there is no such job. outcomes are by scheduler, with details of jobs.
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

// slow explains the jobs of s.Explain under every scheduler. By default it explains the slowest job under its
// scheduler, and under Eagle if that is compared. A run of several stages is explained stage by stage; runs is w by
// runs, or w.
func (s *Setup) slow(ctx context.Context, w, runs *distributed.Workload,
	outcomes []*distributed.Outcome) ([]result.EagleSlow, error) {
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
	return s.explain(ctx, w, stagesOf(w, runs, slices.IndexFunc(w.Jobs, func(j distributed.Job) bool {
		return j.First == runs.Jobs[job].First
	})), names)
}

// stagesOf returns the stages of the run that begins with a job, or that job where jobs are no stages.
func stagesOf(w, runs *distributed.Workload, first int) []int {
	if w == runs {
		return []int{first}
	}
	return w.Stages(first)
}

// explain explains a job, or the stages of a run, under schedulers: stage by stage, each under one scheduler after the
// other.
func (s *Setup) explain(ctx context.Context, w *distributed.Workload, stages []int, names []string) ([]result.EagleSlow,
	error) {
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

// follow simulates a scheduler once more and follows one job, or the stages of a run.
func (s *Setup) follow(ctx context.Context, w *distributed.Workload, stages []int, name string) ([]*result.EagleSlow,
	error) {
	policy, err := distributed.New(name, s.Options)
	if err != nil {
		return nil, err
	}
	means := w.Means()
	all := &followers{w: w, means: means, cutoff: s.Options.Reported(),
		running: make([][]distributed.Event, s.Options.Workers)}
	for _, job := range stages {
		all.of = append(all.of, &follower{followers: all, job: int32(job), queues: map[int32][]*waiting{},
			sticky: policy.Rules().Sticky && means[job] <= s.Options.Cutoff})
	}
	o := s.Options
	o.Observe, o.Detail = all, true
	out, err := distributed.Run(ctx, w, policy, o)
	if err != nil {
		return nil, err
	}
	var told []*result.EagleSlow
	for i, f := range all.of {
		x := f.explanation(name, out)
		if len(stages) > 1 {
			x.Stage, x.Stages = i+1, len(stages)
		}
		told = append(told, x)
	}
	return told, nil
}

func (f *follower) explanation(name string, out *distributed.Outcome) *result.EagleSlow {
	j := &f.w.Jobs[f.job]
	r := &result.EagleSlow{Scheduler: name, JobID: j.ID, JCTS: float64(out.Completion[f.job]) / distributed.Second,
		EstimateS: float64(j.Estimate) / distributed.Second, All: j.Tasks, Long: out.Long[f.job],
		EagleMet: met(&out.Jobs[f.job])}
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

// met lists the causes of a job's delay.
func met(d *distributed.JobDetail) result.EagleMet {
	return result.EagleMet{QueuedS: float64(d.Queued) / distributed.Second,
		BehindLongS: float64(d.BehindLong) / distributed.Second, Rejected: int(d.Rejected), Stuck: int(d.Stuck),
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
		all = append(all, result.EagleSlowest{JobID: j.ID, Tasks: j.Tasks,
			JCTS:         float64(out.Completion[i]) / distributed.Second,
			LongestTaskS: float64(slices.Max(w.Of(i))) / distributed.Second, EagleMet: met(&out.Jobs[i])})
	}
	return all
}
