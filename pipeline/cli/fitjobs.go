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
		func(p *modelfile.Profile) (*modelfile.Profile, error) { return p, nil },
		func(p *modelfile.Profile) error {
			profiles = append(profiles, p)
			return nil
		})
	return profiles, err
}

// fitEach is fit for jobs whose profiles need not be in memory together. It hands each profile to use, for several at
// once, and what use returns to take, in the order of the jobs' names.
func fitEach[T any](ctx context.Context, f *fitting, use func(*modelfile.Profile) (T, error),
	take func(T) error) (err error) {
	if f.store, err = f.openStore(f.path); err != nil {
		return err
	}
	if err := f.refuseTooMany(ctx, f.store, f.o.RawNames, f.job, f.minRuns, math.MaxInt,
		", or fit one with --job"); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
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
			out, has := make([]T, len(some)), make([]bool, len(some))
			err := parallel.Each(ctx, len(some), parallel.Options{}, func(_ context.Context, i int) (err error) {
				p, err := f.profile(some[i], builders[some[i]])
				if err == nil && p != nil {
					has[i] = true
					out[i], err = use(p)
				}
				return err
			})
			if err != nil {
				return err
			}
			for i, name := range some {
				if delete(builders, name); !has[i] {
					continue
				}
				fitted++
				if err := take(out[i]); err != nil {
					return err
				}
			}
			bar.count(from+len(some), len(names), "jobs")
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
	memory    int64 // for runs that are kept, about

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
	runs, all := map[string]int64{}, int64(0)
	for run, err := range f.eachRun(ctx, "count", f.store, f.path, store.Projection{"jobs.name"}) {
		if err != nil {
			return nil, err
		}
		runs[run.JobName(f.o.RawNames)]++
		all++
	}
	n, last := int64(0), int64(0)
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		if group := n * (groups + 1) / all; group > last {
			first, last = append(first, name), group
		}
		n += runs[name]
	}
	return first, nil
}

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
		if run.Name == "" || f.job != "" && !isJob(run, f.o.RawNames, f.job) || name < group[0] ||
			len(group) > 1 && name >= group[1] {
			continue
		}
		if builders[name] == nil {
			builders[name] = &profile.Builder{}
		}
		builders[name].Add(run)
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

// profile fits the runs of a job, nil if it has too few.
func (f *fitting) profile(name string, b *profile.Builder) (*modelfile.Profile, error) {
	if b.Runs() < f.minRuns && f.job == "" {
		return nil, nil
	}
	if b.Runs() < f.minRuns && b.TooLarge() == 0 {
		return nil, fmt.Errorf("%s: job %q has %s to fit to, --min-runs wants %d", f.path, name,
			words.Of(b.Runs(), "run", "runs"), f.minRuns)
	}
	p, err := b.Fit(name, f.o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	p.Surprise = f.surprise
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
			"replayed, by racecard whatif", f.path, words.Of(int64(f.minRuns), "run", "runs"), left,
			words.Count(limit.WhatIf))
	}
	if f.large > 0 {
		f.say("%s", left)
	}
	if len(f.seen) == 0 {
		return fmt.Errorf("%s: the runs have no names, so that it is unknown which belong to one job", f.path)
	}
	if fitted == 0 {
		return fmt.Errorf("%s: no job has %s that succeeded; --min-runs lowers that, --job fits one job to any "+
			"number", f.path, words.Of(f.minRuns, "run", "runs"))
	}
	return nil
}
