package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"racecard/datasets/jobname"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jockey/trial"
	"racecard/models/deadlines/profile"
)

// recordedJob is the runs of a job that succeeded, in the order of the store.
type recordedJob struct {
	builder    profile.Builder
	at         []trace.Instant
	executions []trial.Execution // one per run
}

// recordedJobs returns the recurring jobs of a store. Each is learned from the older half of its runs; the newer half
// is executed as recorded.
func (e *env) recordedJobs(ctx context.Context, path string, p jockeyPlan) (*result.Provenance, []trial.Job, []string,
	error) {
	s, err := e.openStore(path)
	if err != nil {
		return nil, nil, nil, err
	}
	jobs := map[string]*recordedJob{}
	for run, err := range e.eachRun(ctx, "read", s, path, fitted) {
		if err != nil {
			return nil, nil, nil, err
		}
		name := run.JobName(false)
		if name == "" || run.Status != trace.Succeeded || p.job != "" && name != p.job &&
			name != jobname.Normalize(p.job) {
			continue
		}
		x, err := trial.Observe(run)
		if err != nil {
			continue // without stages or durations
		}
		j := jobs[name]
		if j == nil {
			j = &recordedJob{}
			jobs[name] = j
		}
		j.builder.Add(run)
		j.at, j.executions = append(j.at, run.End), append(j.executions, x)
	}
	var out []trial.Job
	var left []string
	failed := fmt.Errorf("no job has %d runs that succeeded and can be executed again", max(2, p.minRuns))
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		if len(jobs[name].executions) < max(2, p.minRuns) {
			continue
		}
		job, err := jobs[name].split(name, p.Loop.Max)
		if err != nil {
			left = append(left, "left out: "+err.Error())
			failed = errors.New(left[0])
			continue
		}
		out = append(out, job)
	}
	if len(out) == 0 {
		return nil, nil, nil, fmt.Errorf("%s: %w", path, failed)
	}
	return provenance(path, "", s.Manifest()), out, left, nil
}

// split fits the job to the older half of its runs, and executes the newer half.
func (j *recordedJob) split(name string, most int) (trial.Job, error) {
	order := make([]int, len(j.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(j.at[a], j.at[b]) })
	older := map[int]bool{}
	for _, i := range order[:len(order)/2] {
		older[i] = true
	}
	fit, err := j.builder.Only(func(i int) bool { return older[i] }).Fit(name, profile.DefaultOptions())
	if err != nil {
		return trial.Job{}, err
	}
	var newer []trial.Execution
	for _, i := range order[len(order)/2:] {
		newer = append(newer, j.executions[i])
	}
	measured, err := j.builder.Fit(name, profile.DefaultOptions())
	if err != nil {
		return trial.Job{}, err
	}
	return trial.Replayed(fit, measured, newer, most)
}
