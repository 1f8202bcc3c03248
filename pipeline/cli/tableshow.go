package cli

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/jobname"
	"racecard/datasets/lists"
	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/datasets/remaining"
	"racecard/datasets/tablefile"
	"racecard/datasets/words"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/internal/quantity"
)

// isTables reports whether a path is a folder of tables or the file of one.
func isTables(path string) bool {
	switch filepath.Ext(path) {
	case ".arrow", ".parquet":
		info, err := publish.Stat(path)
		return err == nil && !info.IsDir()
	}
	_, err := publish.Stat(publish.Join(path, tablefile.IndexFile))
	return err == nil
}

// shelf is a folder of tables, or one file.
type shelf struct {
	path    string
	fsys    fs.FS
	entries []tablefile.Entry
	file    bool
}

func openTables(path string) (*shelf, error) {
	s := &shelf{path: path}
	if info, err := publish.Stat(path); err == nil && !info.IsDir() {
		s.file, s.entries = true, []tablefile.Entry{{File: publish.Name(path)}}
		return s, nil
	}
	var err error
	if s.fsys, err = folder(path, "a folder of tables, or a table", tablesFolder.how); err != nil {
		return nil, err
	}
	x, err := tablefile.ReadIndex(s.fsys)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, orOther(s.fsys, path, tablesFolder, err))
	}
	s.entries = x.Tables
	return s, nil
}

// readPlain returns the content of an untrusted file.
func readPlain(path string) ([]byte, error) {
	info, err := publish.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := plainfile.Check(info, path, plainfile.Most); err != nil {
		return nil, err
	}
	return publish.ReadFile(path)
}

// load reads and checks the table of an entry; with both also its copy.
func (s *shelf) load(e tablefile.Entry, both bool) (t *remaining.Table, err error) {
	switch {
	case s.file:
		var data []byte
		if data, err = readPlain(s.path); err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(data), "PAR1") {
			t, err = tablefile.DecodeParquet(data)
		} else {
			t, err = tablefile.Decode(data)
		}
	case both:
		t, err = tablefile.LoadBoth(s.fsys, e)
	default:
		t, err = tablefile.Load(s.fsys, e)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return t, nil
}

// named returns the entry of a job, as read or normalised; the only one for no name.
func (s *shelf) named(job string) (tablefile.Entry, error) {
	seen := map[string]int{}
	for _, e := range s.entries {
		if s.file || job != "" && (e.Job == job || e.Job == jobname.Normalize(job)) {
			return e, nil
		}
		seen[e.Job] = 1
	}
	if job == "" && len(s.entries) == 1 {
		return s.entries[0], nil
	}
	if job == "" {
		return tablefile.Entry{}, usageError{fmt.Errorf("%s holds %d tables: say which with --job", s.path,
			len(s.entries))}
	}
	return tablefile.Entry{}, fmt.Errorf("%s: no table of job %q%s", s.path, job, nearest(job, seen))
}

// table reads and checks the table of a job.
func (s *shelf) table(job string) (*remaining.Table, error) {
	entry, err := s.named(job)
	if err != nil {
		return nil, err
	}
	return s.load(entry, false)
}

func tableShowCommand(e *env) *cobra.Command {
	var job string
	quantile := 0.9
	cmd := &cobra.Command{
		Use:   "show TABLES",
		Short: "Show the jobs, origin and values of tables",
		Args:  exactly(1, "one folder of tables, or a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return e.showTables(args[0], job, quantile)
		},
	}
	cmd.Flags().StringVar(&job, "job", "", "show the table of this job, named as read or normalised")
	number(cmd.Flags(), &quantile, "quantile", unitRange(), "of the remaining time")
	return cmd
}

func (e *env) showTables(path, job string, quantile float64) error {
	s, err := openTables(path)
	if err != nil {
		return err
	}
	if job == "" && !s.file && len(s.entries) != 1 {
		return e.listTables(s)
	}
	t, err := s.table(job)
	if err != nil {
		return err
	}
	return e.showTable(t, quantile)
}

func (e *env) listTables(s *shelf) error {
	all := []listedTable{}
	head := []string{"JOB", "METHOD", "INDICATOR", "TOKENS", "PAST RUNS", "SIMULATED", "FILE"}
	var rows [][]string
	for _, entry := range s.entries {
		t, err := s.load(entry, false)
		if err != nil {
			return err
		}
		a := &t.About
		all = append(all, listedTable{*a, t.Allocations, entry.File})
		rows = append(rows, []string{words.Printable(a.Job), a.Method, a.Indicator, tokens(t.Allocations),
			words.Count(a.Runs), words.Count(a.Simulated), entry.File})
	}
	e.rows(head, rows)
	return e.printJSON(shownTables{all})
}

// showTable prints one table: with --json its grid of seconds by allocation and progress, too.
func (e *env) showTable(t *remaining.Table, quantile float64) error {
	if e.json {
		grid := make([][]float64, len(t.Allocations))
		for k, a := range t.Allocations {
			for i := range remaining.Steps {
				grid[k] = append(grid[k], t.Remaining(remaining.Progress(i), float64(a), quantile))
			}
		}
		return e.printJSON(shownTable{t.About, t.Allocations, quantile, grid})
	}
	a := &t.About
	e.printf("%s: %s, %s", e.stdout.paint(bold, words.Printable(a.Job)), words.Of(a.Stages, "stage", "stages"),
		words.Of(a.Tasks, "task", "tasks"))
	e.printf("; progress by %s\n", a.Indicator)
	if a.Synthetic {
		e.printf("SYNTHETIC: past runs were generated, not measured\n")
	}
	e.printf("fitted to %s, ended %s; model %.12s, plan %.12s\n", words.Of(a.Runs, "run", "runs"),
		ended(a.OldestS, a.NewestS), a.Model, a.Plan)
	if a.MostTokens != nil {
		e.printf("past runs held %s at most; beyond that, their run times are extrapolated\n",
			words.Of(*a.MostTokens, "token", "tokens"))
	}
	if a.Method == remaining.Amdahl {
		e.printf("by Amdahl's law: longest path left + work left / tokens; no distribution\n")
	} else {
		e.printf("%s simulated, %s to %s of an allocation, seed %d, sampled by %s\n", words.Of(a.Simulated, "run",
			"runs"), words.Count(slices.Min(a.Replicates)), words.Count(slices.Max(a.Replicates)), a.Seed, a.Sampling)
		e.printf("made monotone: %s of the quantiles changed, by %s at most (%s of a run)\n",
			words.Percent(a.Monotone.Changed), words.Seconds(a.Monotone.LargestS), words.Percent(a.Monotone.LargestOf))
	}
	if a.Error > 0 {
		e.printf("quantiles are within %s of their value: more samples than are kept one by one\n",
			words.Percent(a.Error))
	}
	e.notes("warning", a.Warnings)
	e.heading("remaining time, %s", quantileName(quantile))
	head := []string{"  PROGRESS"}
	grid := lists.Thin(t.Allocations, 10)
	for _, tokens := range grid {
		head = append(head, words.Count(tokens))
	}
	var rows [][]string
	for i := 0; i < remaining.Steps; i += 10 {
		row := []string{"  " + words.Percent(remaining.Progress(i))}
		for _, tokens := range grid {
			row = append(row, words.Seconds(t.Remaining(remaining.Progress(i), float64(tokens), quantile)))
		}
		rows = append(rows, row)
	}
	e.rows(head, rows)
	e.heatMap(t, quantile)
	return nil
}

func quantileName(q float64) string {
	switch q {
	case 0:
		return "least"
	case 1:
		return "largest"
	}
	return "p" + words.Number(100*q)
}

// lookedUp is the output of `table lookup`.
type lookedUp struct {
	Job        string             `json:"job"`
	Progress   float64            `json:"progress"`
	Allocation float64            `json:"allocation"`
	RemainingS map[string]float64 `json:"remaining_s"`
	Samples    int64              `json:"samples"`
	// ConditionedS is the remaining time at that age of the run, only where it was given.
	ElapsedS     *float64           `json:"elapsed_s,omitempty"`
	ConditionedS map[string]float64 `json:"conditioned_s,omitempty"`
	// Where the table answered.
	TableProgress   float64 `json:"table_progress"`
	TableAllocation float64 `json:"table_allocation"`
	Clamped         bool    `json:"clamped"`
	Interpolated    bool    `json:"interpolated"`
	// Where simulated runs on these tokens have ended at once when they reach the progress asked for: the largest
	// progress at which they had not, and the remaining time there. A run that rests at the progress asked for, as it
	// held other tokens before, takes about as long.
	UnfinishedProgress *float64           `json:"unfinished_progress,omitempty"`
	UnfinishedS        map[string]float64 `json:"unfinished_s,omitempty"`
	// Warnings of the table.
	Warnings []string `json:"warnings,omitempty"`
}

func tableLookupCommand(e *env) *cobra.Command {
	var job string
	var at, allocation, elapsed, since float64
	cmd := &cobra.Command{
		Use:   "lookup TABLES --job NAME --progress P --allocation A",
		Short: "Look up how long a run still takes",
		Args:  exactly(1, "one folder of tables, or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openTables(args[0])
			if err != nil {
				return err
			}
			t, err := s.table(job)
			if err != nil {
				return err
			}
			state := remaining.State{Progress: at, ElapsedS: math.NaN(), SinceS: math.NaN()}
			if cmd.Flags().Changed("elapsed") {
				state.ElapsedS = elapsed
			}
			if cmd.Flags().Changed("since") {
				if state.SinceS = since; !(since <= state.ElapsedS) {
					return usageError{fmt.Errorf("--since %s: want at most --elapsed", quantity.Seconds.Write(since))}
				}
			}
			return e.lookedUp(t, state, allocation)
		},
	}
	f := cmd.Flags()
	f.StringVar(&job, "job", "", "name of the job, as read or normalised; may be left out where there is one table")
	number(f, &at, "progress", unitRange(), "that the run has made")
	number(f, &allocation, "allocation", positive(quantity.Plain, sim.MaxTokens), "tokens that the run holds from "+
		"now on")
	number(f, &elapsed, "elapsed", ageRange(), "time since the run was submitted")
	number(f, &since, "since", ageRange(), "when, after its submission, the run reached its progress; without it, "+
		"the run was on time")
	_ = cmd.MarkFlagRequired("progress") // these fail only for flags that are not there
	_ = cmd.MarkFlagRequired("allocation")
	return cmd
}

// lookedUpLevel is a quantile that a look-up prints.
type lookedUpLevel struct {
	name string
	at   float64
}

// lookedUpLevels returns all of them.
func lookedUpLevels() []lookedUpLevel {
	return []lookedUpLevel{{"p50", .5}, {"p75", .75}, {"p90", .9}, {"p95", .95}, {"p99", .99}, {"max", 1}}
}

// remainingAt returns the quantiles and the mean of a place of a table.
func remainingAt(p remaining.Place) map[string]float64 {
	of := map[string]float64{"mean": p.Mean()}
	for _, q := range lookedUpLevels() {
		of[q.name] = p.Quantile(q.at)
	}
	return of
}

func (e *env) lookedUp(t *remaining.Table, state remaining.State, allocation float64) error {
	at := state.Progress
	p := t.At(at, allocation)
	l := lookedUp{
		Job: t.About.Job, Progress: at, Allocation: allocation, Samples: p.Samples(), TableProgress: p.Progress,
		TableAllocation: p.Tokens,
		Clamped:         p.Clamped, Interpolated: p.OffGrid, Warnings: t.About.Warnings, RemainingS: remainingAt(p),
	}
	if before := p.Unfinished(); before.Progress < p.Progress && t.About.Method == remaining.Simulated {
		l.UnfinishedProgress, l.UnfinishedS = &before.Progress, remainingAt(before)
	}
	if !math.IsNaN(state.ElapsedS) {
		l.ElapsedS, l.ConditionedS = &state.ElapsedS, map[string]float64{}
		for _, q := range lookedUpLevels() {
			l.ConditionedS[q.name] = t.Conditioned(state, allocation, q.at)
		}
	}
	e.printf("%s at progress %s with %s tokens, from %s:\n", words.Printable(l.Job), words.Number(at),
		words.Number(allocation), words.Of(l.Samples, "sample", "samples"))
	if most := t.About.MostTokens; most != nil && allocation > float64(*most) {
		e.printf("note: past runs held %s at most; beyond that, their run times are extrapolated\n",
			words.Of(*most, "token", "tokens"))
	}
	if l.Clamped {
		e.printf("note: the table has %s tokens; this is its answer for %s", tokens(t.Allocations),
			words.Number(l.TableAllocation))
		if allocation < l.TableAllocation {
			e.printf(", times %s: a run takes no longer", words.Number(l.TableAllocation/allocation))
		}
		e.printf("\n")
	}
	head := []string{"  REMAINING", "BY PROGRESS"}
	var rows [][]string
	if l.UnfinishedS != nil {
		before := words.Percent(*l.UnfinishedProgress)
		e.printf("note: simulated runs on so many tokens never rest here: from %s on they end at once. A run that does, as "+
			"it held others before, takes about as long as at %[1]s\n", before)
		head = append(head, "AT "+before)
	}
	if l.ElapsedS != nil {
		head = append(head, "AFTER "+words.Seconds(*l.ElapsedS))
	}
	for _, q := range append(lookedUpLevels(), lookedUpLevel{name: "mean"}) {
		row := []string{"  " + q.name, words.Seconds(l.RemainingS[q.name])}
		if l.UnfinishedS != nil {
			row = append(row, words.Seconds(l.UnfinishedS[q.name]))
		}
		if x, ok := l.ConditionedS[q.name]; ok {
			row = append(row, words.Seconds(x))
		} else if l.ElapsedS != nil {
			row = append(row, "")
		}
		rows = append(rows, row)
	}
	e.rows(head, rows)
	e.notes("warning", l.Warnings)
	return e.printJSON(l)
}
