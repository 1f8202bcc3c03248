package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
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
	if p.world == trial.RecordedWorld {
		return e.recordedJobs(ctx, args[0], p)
	}
	var profiles []*modelfile.Profile
	from, err := e.jockeyProfiles(ctx, args[0], p, &profiles)
	if err != nil {
		return nil, nil, nil, err
	}
	var jobs []trial.Job
	var left []string
	var failed error
	for _, profile := range profiles {
		job, err := trial.Modelled(profile, p.Loop.Max)
		if err != nil {
			failed = err
			left = append(left, "left out: "+err.Error())
			continue
		}
		jobs = append(jobs, job)
	}
	if len(jobs) == 0 {
		return nil, nil, nil, fmt.Errorf("%s: %w", args[0], failed)
	}
	return from, jobs, left, nil
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

// jockeyProfiles reads the profiles of a folder of models, or fits profiles to the runs of a store.
func (e *env) jockeyProfiles(ctx context.Context, path string, p jockeyPlan,
	profiles *[]*modelfile.Profile) (*result.Provenance, error) {
	if _, err := publish.Stat(publish.Join(path, modelfile.IndexFile)); err == nil {
		return modelled(path, p.job, profiles)
	}
	if _, err := folder(path, "a store or a folder of models", "racecard import --out STORE FILE"); err != nil {
		return nil, err
	}
	if _, err := publish.Stat(publish.Join(path, store.ManifestName)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is neither a store nor a folder of models: make one with `racecard import` or "+
			"`racecard fit`", path)
	}
	s, err := e.openStore(path)
	if err != nil {
		return nil, err
	}
	*profiles, err = e.fit(ctx, path, p.job, p.minRuns, profile.DefaultOptions())
	return provenance(path, "", s.Manifest()), err
}

// modelled reads the profile of a job, or of all for no name. The source is the store that they were fitted to.
func modelled(path, job string, profiles *[]*modelfile.Profile) (*result.Provenance, error) {
	x, entries, fsys, err := modelEntries(path, job)
	if err != nil {
		return nil, err
	}
	from := &result.Provenance{Store: x.Store, Synthetic: x.Synthetic, From: micros(nil), To: micros(nil),
		Version: version(),
		Note:    "From the models in " + publish.Name(path) + "."}
	for _, entry := range entries {
		one, err := modelfile.Load(fsys, entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		*profiles = append(*profiles, one)
		from.Sources = append(from.Sources, result.Source{Name: entry.File, Bytes: int64(entry.Bytes),
			SHA256: entry.SHA256})
	}
	return from, nil
}
