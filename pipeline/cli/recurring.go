package cli

import (
	"context"
	"fmt"

	"racecard/datasets/jobname"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/limit"
)

// checkRecurring refuses, before reading them, a store with more recurring jobs, or more runs of them, than can be
// modelled at once. An empty job stands for all of them; instead names further remedies.
func (e *env) checkRecurring(ctx context.Context, s *store.Store, raw bool, job string, minRuns int,
	instead string) error {
	if s.Manifest().Rows["jobs"] <= limit.Models {
		return nil
	}
	runs := map[string]int{}
	for run, err := range e.eachRun(ctx, "count", s, "", store.Projection{"jobs.name", "jobs.status"}) {
		if err != nil {
			return err
		}
		if run.Name == "" || !run.Status.Well() {
			continue
		}
		if name := run.JobName(raw); job == "" || isJob(run, raw, job) {
			runs[name]++
		}
	}
	jobs, all := 0, 0
	for _, n := range runs {
		if n >= minRuns {
			jobs, all = jobs+1, all+n
		}
	}
	return tooMany(jobs, all, instead)
}

// isJob reports whether a run is one of a job that the user named: by the job, or by the name of a run of it.
func isJob(run *trace.Run, raw bool, job string) bool {
	name := run.JobName(raw)
	return name == job || !raw && name == jobname.Normalize(job)
}

// tooMany refuses recurring jobs and runs of them.
func tooMany(jobs, runs int, instead string) error {
	switch {
	case jobs > limit.Models:
		return fmt.Errorf("%s recur; at most %s can be modelled at once: raise --min-runs%s",
			words.Of(jobs, "job", "jobs"), words.Count(limit.Models), instead)
	case runs > limit.Runs:
		return fmt.Errorf("recurring jobs have %s; models can be made of %s at once: raise --min-runs%s, or import "+
			"part of the trace",
			words.Of(runs, "run", "runs"), words.Count(limit.Runs), instead)
	}
	return nil
}
