package cli

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/datasets/parallel"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
	"racecard/models/limit"
)

// fit fits the named job, or all that have enough runs for no name.
func (e *env) fit(ctx context.Context, path, job string, minRuns int, o profile.Options) ([]*modelfile.Profile, error) {
	var profiles []*modelfile.Profile
	err := fitEach(ctx, newFitting(e, path, job, minRuns, o),
		func(p *modelfile.Profile) (*modelfile.Profile, error) { return p, nil }, func(p *modelfile.Profile) error {
			profiles = append(profiles, p)
			return nil
		})
	return profiles, err
}

// fitEach is fit for jobs whose profiles need not be in memory together. It hands each profile to use, for several at
// once, and what use returns to take, in the order of the jobs' names.
func fitEach[T any](ctx context.Context, f *fitting, use func(*modelfile.Profile) (T, error),
	take func(T) error) error {
	return f.each(ctx, func(_ context.Context, name string, b *profile.Builder) (func() error, error) {
		p, err := f.profile(name, b)
		if err != nil {
			return nil, err
		}
		used, err := use(p)
		return func() error { return take(used) }, err
	})
}

// each reads the runs of the jobs that are fitted, and calls use for each job with enough runs, for several jobs at
// once. The functions that use returns are called one after the other, in the order of the jobs' names.
func (f *fitting) each(ctx context.Context,
	use func(ctx context.Context, name string, b *profile.Builder) (func() error, error)) (err error) {
	if f.store, err = f.openStore(f.path); err != nil {
		return err
	}
	if f.wanted == nil {
		err := f.refuseTooMany(ctx, f.store, f.o.RawNames, f.job, f.minRuns, math.MaxInt, ", or fit one with --job")
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	first, err := f.divide(ctx)
	if err != nil {
		return err
	}
	fitted := 0
	for k := range first {
		builders, err := f.read(ctx, first[k:])
		if err != nil {
			return err
		}
		names := slices.Sorted(maps.Keys(builders))
		bar := f.progress("fit")
		for from := 0; from < len(names); from += fittedAtOnce {
			some := names[from:min(from+fittedAtOnce, len(names))]
			then := make([]func() error, len(some))
			count := parallel.Options{Progress: func(done, _ int) { bar.count(from+done, len(names), "jobs") }}
			err := parallel.Each(ctx, len(some), count, func(ctx context.Context, i int) (err error) {
				if b := builders[some[i]]; b.Runs() >= f.minRuns || f.job != "" {
					then[i], err = use(ctx, some[i], b)
				}
				return err
			})
			if err != nil {
				return err
			}
			for i, name := range some {
				if delete(builders, name); then[i] == nil {
					continue
				}
				fitted++
				if err := then[i](); err != nil {
					return err
				}
			}
		}
		bar.done()
	}
	return f.check(fitted)
}

// fittedAtOnce is how many jobs are fitted before their models are written.
const fittedAtOnce = 64

// fitting is a fit of jobs of a store.
type fitting struct {
	*env
	store     *store.Store
	path, job string // of the store; of the only job, or ""
	minRuns   int
	o         profile.Options
	wanted    map[string]bool // jobs to fit; nil: all
	memory    int64           // for runs that are kept, about
	// added is told of every run that is fitted to; it may be nil
	added func(job string, run *trace.Run)

	counted  bool           // all runs were read once: seen and surprise are known
	seen     map[string]int // runs of each name
	surprise *modelfile.Surprise

	large int // runs that are too large, of the groups so far
}

func newFitting(e *env, path, job string, minRuns int, o profile.Options) *fitting {
	return &fitting{env: e, path: path, job: job, minRuns: minRuns, o: o, memory: keptAtOnce, seen: map[string]int{}}
}

// What a fit keeps of a run, of each of its stages and of each attempt, about, and the most that it keeps at once, in
// bytes.
const (
	keptOfRun     = 500
	keptOfStage   = 500
	keptOfAttempt = 24
	keptAtOnce    = 384 << 20
)

// divide returns the first names of groups of jobs whose runs fit into memory, a group after the other. The first
// group begins with all names.
func (f *fitting) divide(ctx context.Context) (first []string, err error) {
	rows := f.store.Manifest().Rows
	groups := (rows["jobs"]*keptOfRun + rows["stages"]*keptOfStage + rows["tasks"]*keptOfAttempt) / f.memory
	first = []string{""}
	if f.job != "" || groups == 0 {
		return first, nil
	}
	runs, kept := map[string]int64{}, int64(0)
	for run, err := range f.eachRun(ctx, "count", f.store, f.path, jobColumns) {
		if err != nil {
			return nil, err
		}
		if name := run.JobName(f.o.RawNames); f.wants(name) {
			runs[name]++
			kept++
		}
	}
	groups = groups * kept / max(1, rows["jobs"])
	n, last := int64(0), int64(0)
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		if group := n * (groups + 1) / kept; group > last {
			first, last = append(first, name), group
		}
		n += runs[name]
	}
	return first, nil
}

// wants reports whether a job is to be fitted.
func (f *fitting) wants(job string) bool { return f.wanted == nil || f.wanted[job] }

// read reads the runs of a group of jobs, which begins with the first of some names and ends before the second. It
// counts all runs the first time.
func (f *fitting) read(ctx context.Context, group []string) (map[string]*profile.Builder, error) {
	builders := map[string]*profile.Builder{}
	var peers jobmodel.Peers
	for run, err := range f.eachRun(ctx, "fit", f.store, f.path, fitted) {
		if err != nil {
			return nil, err
		}
		name := run.JobName(f.o.RawNames)
		if !f.counted {
			f.seen[name]++
			peers.Add(name, run)
		}
		if name == "" || f.job != "" && !isJob(run, f.o.RawNames, f.job) || !f.wants(name) || name < group[0] ||
			len(group) > 1 && name >= group[1] {
			continue
		}
		if builders[name] == nil {
			builders[name] = &profile.Builder{}
		}
		n := builders[name].Runs()
		if builders[name].Add(run); f.added != nil && builders[name].Runs() > n {
			f.added(name, run)
		}
	}
	if !f.counted {
		f.counted = true
		delete(f.seen, "")
		f.surprise = peers.Learn().At(trace.NewRun("").End)
	}
	if f.job != "" && len(builders) == 0 {
		return nil, fmt.Errorf("%s: no run of job %q%s", f.path, f.job, nearest(f.job, f.seen))
	}
	for _, b := range builders {
		f.large += b.TooLarge()
	}
	return builders, nil
}

// profile fits the runs of a job.
func (f *fitting) profile(name string, b *profile.Builder) (*modelfile.Profile, error) {
	if b.Runs() < f.minRuns && b.TooLarge() == 0 {
		return nil, fmt.Errorf("%s: job %q has %s to fit to, --min-runs wants %d: %s", f.path, name,
			words.Of(b.Runs(), "run", "runs"), f.minRuns, b.Unusable())
	}
	p, err := b.Fit(name, f.o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	p.Tell(f.surprise)
	return p, nil
}

// check says which runs were left out, and returns an error if no job was fitted.
func (f *fitting) check(fitted int) error {
	left := ""
	if f.large > 0 {
		left = fmt.Sprintf("%s of more than %s stages, the most that models are fitted to, left out",
			words.Of(f.large, "run", "runs"), words.Count(limit.Profile))
	}
	if fitted == 0 && f.large > 0 {
		return fmt.Errorf("%s: no other job has %s that succeeded; %s; single runs of up to %s stages can be "+
			"replayed, by racecard whatif", f.path, words.Of(f.minRuns, "run", "runs"), left, words.Count(limit.WhatIf))
	}
	if f.large > 0 {
		f.say("%s", left)
	}
	if len(f.seen) == 0 {
		return fmt.Errorf("%s: the runs have no names, so that it is unknown which belong to one job", f.path)
	}
	if fitted == 0 {
		return &tooFewRunsError{f.path, f.minRuns}
	}
	return nil
}

// tooFewRunsError is returned if no job has enough runs for a model.
type tooFewRunsError struct {
	store   string
	minRuns int
}

// Error names the remedies.
func (e *tooFewRunsError) Error() string {
	return fmt.Sprintf("%s: no job has %s that succeeded; --min-runs lowers that, --job fits one job to any number",
		e.store, words.Of(e.minRuns, "run", "runs"))
}
