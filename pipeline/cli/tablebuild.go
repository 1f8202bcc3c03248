package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"racecard/datasets/indexed"
	"racecard/datasets/jobname"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/parallel"
	"racecard/datasets/publish"
	"racecard/datasets/remaining"
	"racecard/datasets/tablefile"
	"racecard/datasets/words"
	"racecard/models/deadlines/cpa"
	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/live"
)

// builtTable is a row of the output of `table build`.
type builtTable struct {
	remaining.About
	Allocations []int32 `json:"allocations"`
	File        string  `json:"file"`
	P50         float64 `json:"p50_s"` // of whole runs, with the fewest tokens
	Fastest     float64 `json:"fastest_p50_s"`
	entry       tablefile.Entry
}

// failedTable is a job without a table.
type failedTable struct {
	Job   string `json:"job"`
	Error string `json:"error"`
	// Skipped is set if a run of the job would not end, so that retrying is useless.
	Skipped bool `json:"skipped"`
}

// buildTables builds tables and writes their folder. A job without a table does not prevent the others.
func (e *env) buildTables(ctx context.Context, models, out string, p tablePlan) error {
	index, entries, fsys, err := modelEntries(models, p.job)
	if err != nil {
		return err
	}
	p.store, p.synthetic = index.Store, index.Synthetic
	if err := e.checkKind(out, tablefile.FolderKind(), "tables of the same jobs"); err != nil {
		return err
	}
	dir, err := publish.Begin(out, tablefile.FolderKind())
	if err != nil {
		return err
	}
	defer func() { _ = dir.Abort() }() // leftovers do no harm
	built, failed, err := e.buildInto(ctx, dir, fsys, entries, p)
	if err != nil {
		return err
	}
	if len(built) == 0 {
		return fmt.Errorf("%s: no table can be built: job %q: %s", models, failed[0].Job, failed[0].Error)
	}
	x := tablefile.Index{Racecard: version(), Models: publish.Name(models)}
	if p.job == "" {
		x.ModelsSHA256 = modelsSum(fsys)
	}
	for _, b := range built {
		x.Tables = append(x.Tables, b.entry)
	}
	if err := e.publishTables(dir, out, x); err != nil {
		return err
	}
	if err := e.builtTables(out, built, failed); err != nil {
		return err
	}
	if broken := lists.Count(failed, func(f failedTable) bool { return !f.Skipped }); broken > 0 {
		return fmt.Errorf("%s no table; the others are in %s", words.Of(broken, "job has", "jobs have"), out)
	}
	return nil
}

// publishTables publishes tables with the index of all. Existing tables of other jobs of the same models are kept.
func (e *env) publishTables(dir *publish.Folder, out string, x tablefile.Index) error {
	return publishJoined(e, dir, out, "tables", x.Join, tablefile.EncodeIndex,
		func(t tablefile.Entry) (job string, files []string) { return t.Job, []string{t.File, t.Parquet} })
}

// modelsSum returns the checksum of the index of a folder of models, "" where it cannot be read.
func modelsSum(fsys fs.FS) string {
	data, err := fs.ReadFile(fsys, modelfile.IndexFile)
	if err != nil {
		return ""
	}
	return indexed.Sum(data)
}

// modelEntries returns the index of a folder of models, and of its entries the named one, or all for no name.
func modelEntries(models, job string) (*modelfile.Index, []modelfile.Entry, fs.FS, error) {
	fsys, err := folder(models, modelsFolder.name, modelsFolder.how)
	if err != nil {
		return nil, nil, nil, err
	}
	x, err := modelfile.ReadIndex(fsys)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", models, orOther(fsys, models, modelsFolder, err))
	}
	if job == "" {
		if len(x.Models) == 0 {
			return nil, nil, nil, fmt.Errorf("%s: there are no models in it", models)
		}
		return x, x.Models, fsys, nil
	}
	seen := map[string]int{}
	for _, m := range x.Models {
		if m.Job == job || m.Job == jobname.Normalize(job) {
			return x, []modelfile.Entry{m}, fsys, nil
		}
		seen[m.Job] = 1
	}
	return nil, nil, nil, fmt.Errorf("%s: no model of job %q%s", models, job, nearest(job, seen))
}

// buildInto builds the tables of entries and writes their files, jobs in parallel with one crew for all. Results are in
// the order of entries.
func (e *env) buildInto(ctx context.Context, dir *publish.Folder, fsys fs.FS, entries []modelfile.Entry,
	p tablePlan) (built []builtTable, failed []failedTable, err error) {
	p.simulated.Crew = cpa.NewCrew(p.workers)
	bar := e.progress("build")
	defer bar.done()
	var mu sync.Mutex
	counts := make([][2]int64, len(entries)) // runs done, and wanted so far
	report := func(i int) func(done, of int64) {
		return func(done, of int64) {
			mu.Lock()
			defer mu.Unlock()
			counts[i] = [2]int64{done, of}
			var share float64
			var runs int64
			for _, c := range counts {
				runs += c[0]
				if c[1] > 0 {
					share += float64(c[0]) / float64(c[1])
				}
			}
			bar.show(share, float64(len(entries)), words.Of(runs, "run", "runs")+" simulated")
		}
	}
	results, errs := make([]builtTable, len(entries)), make([]error, len(entries))
	err = parallel.Each(ctx, len(entries), parallel.Options{Workers: p.workers},
		func(ctx context.Context, i int) error {
			one := p
			one.simulated.Report = report(i)
			results[i], errs[i] = writeTable(ctx, dir, fsys, entries[i], one)
			return nil
		})
	if err != nil {
		return nil, nil, err
	}
	for i, err := range errs {
		switch {
		case errors.As(err, new(*writeError)):
			return nil, nil, err
		case err != nil:
			failed = append(failed, failedTable{entries[i].Job, err.Error(), errors.Is(err, sim.ErrTooLong)})
		default:
			built = append(built, results[i])
		}
	}
	return built, failed, nil
}

// writeError is an error of the folder, not of the job.
type writeError struct{ error }

// writeTable builds one table and writes its files.
func writeTable(ctx context.Context, dir *publish.Folder, fsys fs.FS, entry modelfile.Entry, p tablePlan) (builtTable,
	error) {
	profile, err := modelfile.Load(fsys, entry)
	if err != nil {
		return builtTable{}, err
	}
	t, err := buildTable(ctx, profile, entry.SHA256, p)
	if err != nil {
		return builtTable{}, err
	}
	file, files, err := tablefile.Files(t)
	if err != nil {
		return builtTable{}, err
	}
	for _, f := range files {
		if err := dir.Write(f.Name, f.Data); err != nil {
			return builtTable{}, &writeError{err}
		}
	}
	last := t.Allocations[len(t.Allocations)-1]
	return builtTable{About: t.About, Allocations: t.Allocations, File: file.File, entry: file,
		P50: t.Remaining(0, float64(t.Allocations[0]), 0.5), Fastest: t.Remaining(0, float64(last), 0.5)}, nil
}

// buildTable builds the table of a profile from a file with a checksum.
func buildTable(ctx context.Context, profile *modelfile.Profile, sha256 string, p tablePlan) (*remaining.Table, error) {
	job, about, err := cpa.Of(profile, p.inputBytes)
	if err != nil {
		return nil, err
	}
	about.Model, about.Version, about.Store, about.Synthetic = sha256, version(), p.store, p.synthetic
	about.Control = live.Control(jockey.DefaultOptions(), jockey.DefaultBlend)
	if !p.amdahl {
		return cpa.Build(ctx, job, about, p.simulated)
	}
	o := cpa.AmdahlOptions{Indicator: p.simulated.Indicator, Allocations: p.simulated.Allocations,
		GridError: p.simulated.GridError, Apart: p.apart, Runs: int64(about.Runs)}
	setting, err := job.With(1)
	if err != nil {
		return nil, err
	}
	for _, s := range setting.Plan.Stages {
		o.Most = max(o.Most, s.Tasks)
	}
	return cpa.BuildAmdahl(job.Progress, about, o)
}

// builtTables prints the built tables.
func (e *env) builtTables(out string, built []builtTable, failed []failedTable) error {
	if e.json {
		if failed == nil {
			failed = []failedTable{}
		}
		return e.printJSON(builtTables{out, built, failed})
	}
	head := []string{"JOB", "TOKENS", "RUNS SIMULATED", "A RUN TAKES (p50)", "CHANGED", "FILE"}
	e.rows(head, lists.Map(built, func(b builtTable) []string {
		takes := words.Seconds(b.P50)
		if len(b.Allocations) > 1 {
			takes += " to " + words.Seconds(b.Fastest)
		}
		return []string{words.Printable(b.Job), tokens(b.Allocations), words.Count(b.Simulated), takes,
			words.Percent(b.Monotone.Changed), b.File}
	}))
	for _, b := range built {
		for _, w := range b.Warnings {
			e.printf("warning: %s: %s\n", words.Printable(b.Job), words.Printable(w))
		}
	}
	skipped := int64(0)
	for _, f := range failed {
		if f.Skipped {
			skipped++
			e.printf("warning: skipped %s: %s\n", words.Printable(f.Job), strings.TrimSpace(words.Printable(f.Error)))
			continue
		}
		e.printf("no table: %s: %s\n", words.Printable(f.Job), strings.TrimSpace(words.Printable(f.Error)))
	}
	if skipped > 0 {
		e.printf("warning: %s skipped, whose simulation does not end\n", words.Of(skipped, "job was", "jobs were"))
	}
	e.printf("changed: share of quantiles that were not monotone, by more than a thousandth of a run\n")
	return nil
}
