package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/analyses/breach"
	"racecard/datasets/glob"
	"racecard/datasets/jobname"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// mostMatched bounds the jobs that the patterns of a plan name together: each is fitted and simulated.
const mostMatched = 100

// lasting is how often a job succeeded, and when its first and its newest run were submitted.
type lasting struct {
	runs          int
	first, newest trace.Instant
}

// ended reports whether a job has not run for so long that the rule missing of `racecard check` no longer misses it.
func (l *lasting) ended(last trace.Instant) bool {
	o := breach.DefaultOptions()
	return l.first.Known() && o.HasEnded(l.newest.Since(l.first).Seconds(), last.Since(l.newest).Seconds())
}

// lastingJobs reads the jobs of a store.
func (e *env) lastingJobs(ctx context.Context, s *store.Store, path string) (map[string]*lasting, error) {
	seen := map[string]*lasting{}
	columns := append(slices.Clone(jobColumns), "jobs.status", "jobs.submit", "jobs.start")
	for run, err := range e.eachRun(ctx, "find", s, path, columns) {
		if err != nil {
			return nil, err
		}
		name := run.JobName(false)
		if name == "" {
			continue
		}
		l := seen[name]
		if l == nil {
			l = &lasting{first: trace.None, newest: trace.None}
			seen[strings.Clone(name)] = l
		}
		if run.Status.Well() {
			l.runs++
		}
		if at := run.Submitted(); at.Known() {
			l.first, l.newest = at.Earlier(l.first), max(l.newest, at)
		}
	}
	return seen, nil
}

// matched replaces the jobs of a plan whose names are patterns by the recurring jobs that match. A job counts for the
// first of its patterns, and for none if it is named itself. A pattern that is the name of a job stands for that alone.
// notes say which jobs are left out.
func (e *env) matched(ctx context.Context, s *store.Store, path string, jobs []plannedJob, minRuns int) (
	out []plannedJob, notes []string, err error) {
	if !slices.ContainsFunc(jobs, func(j plannedJob) bool { return glob.IsPattern(j.name) }) {
		return jobs, nil, nil
	}
	seen, err := e.lastingJobs(ctx, s, path)
	if err != nil {
		return nil, nil, err
	}
	named, found := map[string]bool{}, 0
	for _, j := range jobs {
		if seen[j.name] != nil || !glob.IsPattern(j.name) {
			named[j.name], named[jobname.Normalize(j.name)] = true, true
		}
	}
	_, last := s.Span()
	for _, j := range jobs {
		if named[j.name] {
			out = append(out, j)
			continue
		}
		pattern, had, rare, ended := j.name, len(out), 0, 0
		if err := glob.Check(pattern); err != nil {
			return nil, nil, usageError{fmt.Errorf("%s: %w", words.Shell(pattern), err)}
		}
		for _, name := range slices.Sorted(maps.Keys(seen)) {
			switch of := seen[name]; {
			case named[name] || !glob.Match(pattern, name):
			case of.runs < minRuns:
				rare++
			case of.ended(last):
				ended++
			default:
				named[name], j.name, j.matched = true, name, true
				out = append(out, j)
			}
		}
		left := leftOut(rare, ended, minRuns)
		if len(out) == had {
			if left == "" {
				left = "; it has " + words.Of(len(seen), "job", "jobs")
			}
			return nil, nil, fmt.Errorf("%s: no recurring job matches %s%s", path, words.Shell(pattern), left)
		}
		if found += len(out) - had; found > mostMatched {
			return nil, nil, fmt.Errorf("%s: %s recurring jobs match %s; at most %s can be planned at once: want a narrower "+
				"pattern, or a larger --min-runs", path, words.Count(found), words.Shell(pattern), words.Count(mostMatched))
		}
		if left != "" {
			notes = append(notes, words.Shell(pattern)+" stands for "+words.Of(len(out)-had, "job", "jobs")+left)
		}
	}
	for i := range out {
		out[i].after = waitedFor(&out[i], out)
	}
	return out, notes, nil
}

// waitedFor returns the jobs that a job of a plan waits for: where a name is a pattern, the other jobs that match.
func waitedFor(j *plannedJob, planned []plannedJob) (after []string) {
	for _, name := range j.after {
		had := len(after)
		for _, o := range planned {
			if glob.IsPattern(name) && o.name != j.name && o.name != name && glob.Match(name, o.name) {
				after = append(after, o.name)
			}
		}
		if len(after) == had && (!j.matched || name != j.name) {
			after = append(after, name)
		}
	}
	return after
}

// leftOut says which jobs a pattern passes over.
func leftOut(rare, ended, minRuns int) string {
	return words.When(rare > 0, "; %s left out with fewer than %s that succeeded (--min-runs)",
		words.Of(rare, "job is", "jobs are"), words.Of(minRuns, "run", "runs")) +
		words.When(ended > 0, "; %s not run for half of the time over which %s ran",
			words.Of(ended, "job is left out, as it has", "jobs are left out, as they have"), words.Noun(ended, "it", "they"))
}
