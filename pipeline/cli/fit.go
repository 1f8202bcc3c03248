package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"racecard/datasets/indexed"
	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/store"
	"racecard/models/deadlines/profile"
)

// fitted is the part of a store that a fit reads.
var fitted = store.Projection{"jobs.*", "stages.*", "edges.*", "tasks.*", "allocations.*"}

func fitCommand(e *env) *cobra.Command {
	o := profile.DefaultOptions()
	var out, job string
	var all bool
	minRuns, input := recurringRuns, unknownInput()
	cmd := &cobra.Command{
		Use:   "fit STORE",
		Short: "Learn from past runs how a recurring job behaves",
		Args:  exactly(1, "one store"),
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
			e.withinLimits()
			return e.writeModels(cmd.Context(), out, args[0], job, minRuns, o, input)
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

// writeModels fits the named job, or all that have enough runs for no name, publishes a folder of their models, and
// prints them. Existing models of other jobs of the same store are kept.
func (e *env) writeModels(ctx context.Context, out, storePath, job string, minRuns int, o profile.Options,
	inputBytes float64) error {
	s, err := openStore(storePath)
	if err != nil {
		return err
	}
	x := modelfile.Index{Racecard: version(), Store: publish.Name(storePath), Synthetic: s.Manifest().Synthetic}
	if f := e.runs; job == "" && f.since+f.until == "" && len(f.users)+len(f.groups) == 0 {
		x.StoreSHA256, x.MinRuns = s.Manifest().Checksum, minRuns
	}
	dir, err := publish.Begin(out, modelfile.FolderKind())
	if err != nil {
		return err
	}
	var jobs []fittedJob
	type model struct {
		file  indexed.File
		entry modelfile.Entry
		job   fittedJob
	}
	err = fitEach(ctx, newFitting(e, storePath, job, minRuns, o), func(p *modelfile.Profile) (m model, err error) {
		m.job = summary(p)
		m.job.AtInput = forecast(p, inputBytes)
		m.file, m.entry, err = modelfile.File(p)
		return m, err
	}, func(m model) error {
		jobs = append(jobs, m.job)
		x.Models = append(x.Models, m.entry)
		return dir.Write(m.file.Name, m.file.Data)
	})
	if err == nil {
		err = e.publishModels(dir, out, x)
	}
	if err = errors.Join(err, dir.Abort()); err != nil {
		return err
	}
	return e.fits(jobs, out)
}

// publishModels publishes a folder that holds the models of an index.
func (e *env) publishModels(dir *publish.Folder, out string, x modelfile.Index) error {
	return publishJoined(e, dir, out, "models", x.Join, modelfile.EncodeIndex,
		func(m modelfile.Entry) (job string, files []string) { return m.Job, []string{m.File} })
}
