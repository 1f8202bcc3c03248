package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/parallel"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/seed"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/jockey/trial"
	"racecard/models/deadlines/profile"
)

// jockeyJobs returns the jobs to run, their source, and warnings about jobs that are left out.
func (e *env) jockeyJobs(ctx context.Context, args []string, p jockeyPlan) (*result.Provenance, []trial.Job, []string,
	error) {
	if len(args) == 0 {
		jobs, err := madeUp(ctx, p)
		return &result.Provenance{Store: "jockey-table-2", Synthetic: true, From: micros(nil), To: micros(nil),
			TimeBase: "relative", Version: version(),
			Note: "Jobs A to G of Jockey's Table 2 (EuroSys 2012), made up after the statistics that were published: " +
				"synthetic."}, jobs, nil, err
	}
	if _, err := publish.Stat(publish.Join(args[0], modelfile.IndexFile)); err == nil {
		if p.world == trial.RecordedWorld {
			return nil, nil, nil, usageError{fmt.Errorf("--world recorded executes runs of a store, but %s is a folder "+
				"of models", args[0])}
		}
		return e.modelledJobs(ctx, args[0], p)
	}
	return e.storedJobs(ctx, args[0], p)
}

// madeUp returns the jobs of the paper, fitted to simulated past runs on 60 tokens.
func madeUp(ctx context.Context, p jockeyPlan) ([]trial.Job, error) {
	const tokens = 60
	all, err := trial.W7()
	if err != nil {
		return nil, err
	}
	var jobs []trial.Job
	for _, g := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		j, err := trial.Train(g, p.past, tokens, p.Seed)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// chosenJobs are the jobs of a store or of models that are run, in the order of their names.
type chosenJobs struct {
	jobs     []trial.Job
	warnings []string
	failed   error // of the last one that cannot be run
}

// add adds a job, or says why it is left out.
func (c *chosenJobs) add(j trial.Job, err error) {
	if err != nil {
		c.failed = err
		c.warnings = append(c.warnings, "left out: "+err.Error())
		return
	}
	c.jobs = append(c.jobs, j)
}

// result returns the jobs. It fails where there are none.
func (c *chosenJobs) result(path string) ([]trial.Job, []string, error) {
	if len(c.jobs) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", path, c.failed)
	}
	return c.jobs, c.warnings, nil
}

// choose draws at most so many of all jobs, which are sorted, and says so where some are not drawn. More jobs have
// those that fewer have.
func (c *chosenJobs) choose(all []string, most int, from uint64) []string {
	if len(all) <= most {
		return all
	}
	c.warnings = append(c.warnings, fmt.Sprintf("%s of %s, drawn with seed %d: --jobs takes more", words.Of(most, "job",
		"jobs"), words.Count(len(all)), from))
	some := lists.Map(rand.New(seed.Stream(from, "jobs that are run", 0)).Perm(len(all))[:most], func(i int) string {
		return all[i]
	})
	slices.Sort(some)
	return some
}

// modelledJobs returns jobs of a folder of models.
func (e *env) modelledJobs(ctx context.Context, path string, p jockeyPlan) (*result.Provenance, []trial.Job, []string,
	error) {
	x, entries, fsys, err := modelEntries(path, p.job)
	if err != nil {
		return nil, nil, nil, err
	}
	byName := map[string]modelfile.Entry{}
	for _, entry := range entries {
		byName[entry.Job] = entry
	}
	var c chosenJobs
	names := c.choose(slices.Sorted(maps.Keys(byName)), p.jobs, p.Seed)
	jobs, errs := make([]trial.Job, len(names)), make([]error, len(names))
	bar := e.progress("learn")
	defer bar.done()
	err = parallel.Each(ctx, len(names), parallel.Options{Progress: func(done, of int) { bar.count(done, of, "jobs") }},
		func(_ context.Context, i int) error {
			profile, err := modelfile.Load(fsys, byName[names[i]])
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			jobs[i], errs[i] = trial.Modelled(profile, p.Loop.Max)
			return nil
		})
	if err != nil {
		return nil, nil, nil, err
	}
	entries = nil
	for i, name := range names {
		entries = append(entries, byName[name])
		c.add(jobs[i], errs[i])
	}
	all, left, err := c.result(path)
	return fromModels(path, x, entries), all, left, err
}

// fromModels is the source of results of models of a folder: the store that they were fitted to.
func fromModels(path string, x *modelfile.Index, entries []modelfile.Entry) *result.Provenance {
	from := &result.Provenance{Store: x.Store, Synthetic: x.Synthetic, From: micros(nil), To: micros(nil),
		Version: version(), Note: "From the models in " + publish.Name(path) + "."}
	for _, entry := range entries {
		from.Sources = append(from.Sources, result.Source{Name: entry.File, Bytes: int64(entry.Bytes),
			SHA256: entry.SHA256})
	}
	return from
}

// storedJobs returns recurring jobs of a store, whose runs are draws of models, or are executed as recorded.
func (e *env) storedJobs(ctx context.Context, path string, p jockeyPlan) (*result.Provenance, []trial.Job, []string,
	error) {
	if _, err := folder(path, "a store or a folder of models", storeFolder.how); err != nil {
		return nil, nil, nil, err
	}
	if _, err := publish.Stat(publish.Join(path, store.ManifestName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, fmt.Errorf("%s is neither a store nor a folder of models: make one with "+
			"`racecard import` or `racecard fit`", path)
	}
	s, err := e.openStore(path)
	if err != nil {
		return nil, nil, nil, err
	}
	f := newFitting(e, path, p.job, p.minRuns, profile.DefaultOptions())
	newer := map[string]*trial.Newest{} // of jobs that are executed as recorded
	if p.world == trial.RecordedWorld {
		f.minRuns = max(2, f.minRuns)
		f.added = func(job string, run *trace.Run) {
			if newer[job] == nil {
				newer[job] = &trial.Newest{}
			}
			newer[job].Add(run)
		}
	}
	var c chosenJobs
	if p.job == "" {
		runs, err := e.countRuns(ctx, s, false, "")
		if err != nil {
			return nil, nil, nil, err
		}
		maps.DeleteFunc(runs, func(_ string, n int) bool { return n < f.minRuns })
		if len(runs) > p.jobs {
			f.wanted = map[string]bool{}
			for _, name := range c.choose(slices.Sorted(maps.Keys(runs)), p.jobs, p.Seed) {
				f.wanted[name] = true
			}
			maps.DeleteFunc(runs, func(name string, _ int) bool { return !f.wanted[name] })
			all := tally(runs, f.minRuns)
			if err := all.tooMany(math.MaxInt, ""); err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	err = f.each(ctx, func(ctx context.Context, name string, b *profile.Builder) (func() error, error) {
		var j trial.Job
		all, err := f.profile(name, b)
		if err != nil {
			return nil, err
		}
		if of := newer[name]; of == nil {
			j, err = trial.Modelled(all, p.Loop.Max)
		} else {
			j, err = of.Replayed(ctx, b, all, f.o, p.Loop.Max)
		}
		return func() error {
			delete(newer, name)
			c.add(j, err)
			return nil
		}, ctx.Err()
	})
	if err != nil {
		return nil, nil, nil, err
	}
	all, left, err := c.result(path)
	return e.provenance(path, "", s.Manifest()), all, left, err
}
