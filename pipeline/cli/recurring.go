package cli

import (
	"context"
	"fmt"
	"slices"

	"racecard/datasets/jobname"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/limit"
)

// recurringRuns is the number of runs that succeeded from which on a job recurs, unless flags say otherwise.
const recurringRuns = 10

// recurring is how many jobs recur, and how many runs they have.
type recurring struct {
	jobs, runs int
	most       int    // runs of one of them
	name       string // of that one
}

// refuseTooMany refuses, before reading them, a store with more recurring jobs than can be modelled at once, a job with
// more runs than a model is made of, and more than so many runs of all jobs. instead names further remedies.
func (e *env) refuseTooMany(ctx context.Context, s *store.Store, raw bool, job string, minRuns, runs int,
	instead string) error {
	r, err := e.countRecurring(ctx, s, raw, job, minRuns)
	if err != nil {
		return err
	}
	return r.tooMany(runs, instead)
}

// countRecurring counts jobs with at least minRuns runs, without reading them; an empty job stands for all of them. It
// returns nothing for small stores.
func (e *env) countRecurring(ctx context.Context, s *store.Store, raw bool, job string, minRuns int) (r recurring,
	err error) {
	if s.Manifest().Rows["jobs"] <= limit.Models {
		return r, nil
	}
	runs, err := e.countRuns(ctx, s, raw, job)
	if err != nil {
		return r, err
	}
	return tally(runs, minRuns), nil
}

// tally sums up jobs with at least minRuns runs.
func tally(runs map[string]int, minRuns int) (r recurring) {
	for name, n := range runs {
		if n < minRuns {
			continue
		}
		r.jobs, r.runs = r.jobs+1, r.runs+n
		if n > r.most || n == r.most && name < r.name {
			r.most, r.name = n, name
		}
	}
	return r
}

// countRuns counts the runs of each job, or of the named one, that count as succeeded. It reads names and
// statuses alone.
func (e *env) countRuns(ctx context.Context, s *store.Store, raw bool, job string) (map[string]int, error) {
	runs := map[string]int{}
	for run, err := range e.eachRun(ctx, "count", s, "", append(slices.Clone(jobColumns), "jobs.status")) {
		if err != nil {
			return nil, err
		}
		if name := run.JobName(raw); name != "" && run.Status.Well() && (job == "" || isJob(run, raw, job)) {
			runs[name]++
		}
	}
	return runs, nil
}

// jobColumns are those that tell the job of a run.
var jobColumns = store.Projection{"jobs.name", "jobs.job"}

// isJob reports whether a run is one of a job that the user named: by the job, or by the name of a run of it.
func isJob(run *trace.Run, raw bool, job string) bool {
	name := run.JobName(raw)
	return name == job || !raw && name == jobname.Normalize(job)
}

// tooMany is refuseTooMany for jobs that were counted.
func (r *recurring) tooMany(runs int, instead string) error {
	most := min(runs, limit.Runs)
	switch {
	case r.jobs > limit.Models:
		return fmt.Errorf("%s recur; at most %s can be modelled at once: raise --min-runs%s",
			words.Of(r.jobs, "job", "jobs"), words.Count(limit.Models), instead)
	case r.most > most:
		return fmt.Errorf("job %q has %s; models can be made of %s: choose runs with --since, or import part of the "+
			"trace", r.name, words.Of(r.most, "run", "runs"), words.Count(most))
	case r.runs > runs:
		return fmt.Errorf("recurring jobs have %s; models can be made of %s at once: raise --min-runs%s, or import "+
			"part of the trace", words.Of(r.runs, "run", "runs"), words.Count(runs), instead)
	}
	return nil
}
