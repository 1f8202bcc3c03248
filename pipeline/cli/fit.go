package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
	"racecard/models/limit"
)

// fitted is the part of a store that a fit reads.
var fitted = store.Projection{"jobs.*", "stages.*", "edges.*", "tasks.*", "allocations.*"}

func fitCommand(e *env) *cobra.Command {
	o := profile.DefaultOptions()
	var out, job string
	var all bool
	minRuns, input := 10, unknownInput()
	cmd := &cobra.Command{
		Use:   "fit STORE",
		Short: "Learn from past runs how a recurring job behaves",
		Long: "Fits a profile to the past runs of one job, or of every recurring job: per stage the number of tasks, " +
			"their run\n" +
			"times, latencies, failures and losses; what the driver takes between stages; how work grows with the " +
			"input. It\n" +
			"writes a folder with one JSON file per job and models.json, which lists them with checksums. Models of " +
			"other jobs of\n" +
			"the same store that are in the folder stay.\n\n" +
			"A stage with fewer than 30 observations gets the likeliest of the families that analyze fits to task " +
			"durations; it prints\n" +
			"how many runs there are, how old they are, how many plans they have, and how well runs predict one that " +
			"is left out.",
		Example: "  racecard fit web.store --all --out web.models\n  racecard fit web.store --job nightly-index " +
			"--half-life 336h --out index.models\n" +
			"  racecard fit web.store --job nightly-index --input 20GiB --out index.models",
		Args: exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (job != "") {
				return usageError{errors.New("want either --job NAME or --all")}
			}
			if job != "" && !cmd.Flags().Changed("min-runs") {
				minRuns = 1
			}
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			if err := e.checkKind(out, modelfile.FolderKind(), "models of the same jobs"); err != nil {
				return err
			}
			withinLimits()
			profiles, err := e.fit(cmd.Context(), args[0], job, minRuns, o)
			if err != nil {
				return err
			}
			if err := e.writeModels(out, args[0], job == "", profiles); err != nil {
				return err
			}
			return e.fits(profiles, out, input)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "folder to write the models to")
	f.StringVar(&job, "job", "", "name of the job, as read or normalised")
	f.BoolVar(&all, "all", false, "fit every recurring job")
	number(f, &minRuns, "min-runs", whole(1, maxRuns),
		"succeeded runs that a job must have; 1 with --job when left out")
	number(f, &o.HalfLifeS, "half-life", halfLifeRange(), "a run that is older than the newest by this much weighs "+
		"half, such as 7d; 0: all weigh the same")
	namesFlag(f, &o.RawNames)
	e.filterFlags(f, false)
	number(f, &input, "input", inputRange(), "also predict the time of a run with this input, such as 20GiB, with "+
		"95% intervals")
	_ = cmd.MarkFlagRequired("out") // fails only for a flag that is not there
	return cmd
}

// fit fits the named job, or all that have enough runs for no name.
func (e *env) fit(ctx context.Context, path, job string, minRuns int, o profile.Options) ([]*modelfile.Profile, error) {
	s, err := e.openStore(path)
	if err != nil {
		return nil, err
	}
	if err := e.checkRecurring(ctx, s, o.RawNames, job, minRuns, ", or fit one with --job"); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	builders, seen := map[string]*profile.Builder{}, map[string]int{}
	var peers jobmodel.Peers
	for run, err := range e.eachRun(ctx, "fit", s, path, fitted) {
		if err != nil {
			return nil, err
		}
		name := run.JobName(o.RawNames)
		seen[name]++
		peers.Add(name, run)
		if run.Name == "" || job != "" && !isJob(run, o.RawNames, job) {
			continue
		}
		if builders[name] == nil {
			builders[name] = &profile.Builder{}
		}
		builders[name].Add(run)
	}
	delete(seen, "")
	if job != "" && len(builders) == 0 {
		return nil, fmt.Errorf("%s: no run of job %q%s", path, job, nearest(job, seen))
	}
	var profiles []*modelfile.Profile
	large := 0
	for _, name := range slices.Sorted(maps.Keys(builders)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := builders[name]
		large += b.TooLarge()
		if b.Runs() < minRuns && job == "" {
			continue
		}
		if b.Runs() < minRuns && b.TooLarge() == 0 {
			return nil, fmt.Errorf("%s: job %q has %s to fit to, --min-runs wants %d", path, name,
				words.Of(b.Runs(), "run", "runs"), minRuns)
		}
		fit, err := b.Fit(name, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		profiles = append(profiles, fit)
	}
	surprise := peers.Learn().At(trace.NewRun("").End)
	for _, p := range profiles {
		p.Surprise = surprise
	}
	left := ""
	if large > 0 {
		left = fmt.Sprintf("%s of more than %s stages, the most that models are fitted to, left out",
			words.Of(large, "run", "runs"), words.Count(limit.Profile))
	}
	if len(profiles) == 0 && large > 0 {
		return nil, fmt.Errorf("%s: no other job has %s that succeeded; %s; single runs of up to %s stages can be "+
			"replayed, by racecard whatif", path, words.Of(int64(minRuns), "run", "runs"), left,
			words.Count(limit.WhatIf))
	}
	if large > 0 {
		e.say("%s", left)
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("%s: the runs have no names, so that it is unknown which belong to one job", path)
	}
	if len(profiles) == 0 {
		return nil, fmt.Errorf("%s: no job has %s that succeeded; --min-runs lowers that, --job fits one job to any "+
			"number", path, words.Of(minRuns, "run", "runs"))
	}
	return profiles, nil
}

// writeModels publishes a folder of models. Existing models of other jobs of the same store are kept. all is set if the
// models are of all jobs.
func (e *env) writeModels(out, storePath string, all bool, profiles []*modelfile.Profile) (err error) {
	s, err := openStore(storePath)
	if err != nil {
		return err
	}
	x := modelfile.Index{Racecard: version(), Store: publish.Name(storePath), Synthetic: s.Manifest().Synthetic}
	if f := e.runs; all && f.since+f.until == "" && len(f.users)+len(f.groups) == 0 {
		x.StoreSHA256 = s.Manifest().Checksum
	}
	files, index, err := modelfile.Save(profiles, x)
	if err != nil {
		return err
	}
	dir, err := publish.Begin(out, modelfile.FolderKind())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Abort()) }()
	for _, f := range files {
		if err := dir.Write(f.Name, f.Data); err != nil {
			return err
		}
	}
	var kept []string
	err = dir.Publish(func(old fs.FS) error {
		all, others, err := index.Join(old)
		if err != nil {
			return fmt.Errorf("%s: %w", out, err)
		}
		kept = nil
		for _, m := range others {
			kept = append(kept, m.Job)
			if err := dir.Keep(m.File); err != nil {
				return err
			}
		}
		file, err := modelfile.EncodeIndex(all)
		if err != nil {
			return err
		}
		return dir.Write(file.Name, file.Data)
	})
	if err == nil {
		e.sayKept(out, "models", kept)
	}
	return err
}
