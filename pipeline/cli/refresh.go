package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/tablefile"
	"racecard/datasets/words"
	"racecard/pipeline/internal/ingest"
)

// refreshed is the answer of `racecard refresh`.
type refreshed struct {
	Store      string `json:"store"`
	Models     string `json:"models"`
	Tables     string `json:"tables"`
	NewRuns    int64  `json:"new_runs"`
	Runs       int64  `json:"runs"`
	Generation int64  `json:"generation"` // of the tables, 0 where there are none
	Published  bool   `json:"published"`  // false: nothing was new, or there are no models yet

	// Warnings are all of the store. The text shows the new ones, and which logs end early.
	Warnings []string `json:"warnings"`
}

// refreshPlan holds the folders of `racecard refresh` and its parameters.
type refreshPlan struct {
	store, models, tables string
	minRuns               int
	always                bool
}

func refreshCommand(e *env) *cobra.Command {
	var p refreshPlan
	cmd := &cobra.Command{
		Use:   "refresh PATH... --store STORE --models MODELS --tables TABLES",
		Short: "Append finished runs to a store, and publish models and tables anew: for cron",
		Args:  atLeastOne("at least one file or folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.refresh(cmd.Context(), args, p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.store, "store", "", "store to append to; made when it is not there")
	f.StringVar(&p.models, "models", "", "folder of models to publish")
	f.StringVar(&p.tables, "tables", "", "folder of tables to publish")
	p.minRuns = recurringRuns
	number(f, &p.minRuns, "min-runs", whole(1, maxRuns), "succeeded runs that a job must have")
	f.BoolVar(&p.always, "always", false, "build models and tables also where they are up to date")
	for _, name := range []string{"store", "models", "tables"} {
		_ = cmd.MarkFlagRequired(name) // fails only for unknown flags
	}
	return cmd
}

func (e *env) refresh(ctx context.Context, paths []string, p refreshPlan) error {
	before, known, err := stored(p.store)
	if err != nil {
		return err
	}
	args := append([]string{"import", "--ended", "--out", p.store}, paths...)
	if before >= 0 {
		args = append(args, "--append")
	}
	done := refreshed{Store: p.store, Models: p.models, Tables: p.tables, Warnings: []string{}}
	var nothing *ingest.NothingYetError
	if err := e.quietly(ctx, args...); errors.As(err, &nothing) {
		e.printf("nothing to append yet: %v\n", nothing)
		if before < 0 {
			return e.printJSON(done)
		}
	} else if err != nil {
		return err
	}
	s, err := openStore(p.store)
	if err != nil {
		return err
	}
	done.Runs, done.Warnings = s.Manifest().Rows["jobs"], s.Manifest().Warnings
	done.NewRuns = done.Runs - max(0, before)
	var few *tooFewRunsError
	if !p.current(s) || p.always {
		if err := e.build(ctx, p); err != nil && !errors.As(err, &few) {
			return err
		}
		done.Published = few == nil
	}
	if !done.Published {
		p.sweep()
	}
	if fsys, err := publish.Open(p.tables); err == nil {
		if x, err := tablefile.ReadIndex(fsys); err == nil {
			done.Generation = x.Generation
		}
	}
	e.printf("%s: %s, %s new\n", p.store, words.Of(done.Runs, "run", "runs"), words.Count(done.NewRuns))
	if few != nil {
		e.printf("no models yet: %v\n", few)
	}
	if done.Published {
		e.printf("%s: generation %d\n", p.tables, done.Generation)
	}
	e.notes("warning", slices.DeleteFunc(slices.Clone(done.Warnings), func(w string) bool {
		return slices.Contains(known, w) && !strings.HasPrefix(w, source.WarnEndsEarly) &&
			!strings.HasPrefix(w, source.WarnDamaged)
	}))
	return e.printJSON(done)
}

// current reports whether models were fitted to the whole present store, of the jobs with enough runs, and tables built
// from those models. It is false after runs were appended, and after an interrupted refresh.
func (p refreshPlan) current(s *store.Store) bool {
	fitted, err := publish.Open(p.models)
	if err != nil {
		return false // unreadable models are made again, or fit reports why not
	}
	models, err := modelfile.ReadIndex(fitted)
	if err != nil || models.StoreSHA256 != s.Manifest().Checksum || models.MinRuns != p.minRuns {
		return false // likewise
	}
	built, err := publish.Open(p.tables)
	if err != nil {
		return false // likewise
	}
	tables, err := tablefile.ReadIndex(built)
	return err == nil && tables.ModelsSHA256 != "" && tables.ModelsSHA256 == modelsSum(fitted)
}

// build publishes the models of the store, and their tables.
func (e *env) build(ctx context.Context, p refreshPlan) error {
	if err := e.quietly(ctx, "fit", p.store, "--all", "--min-runs", strconv.Itoa(p.minRuns), "--out",
		p.models); err != nil {
		return err
	}
	return e.quietly(ctx, "table", "build", p.models, "--out", p.tables)
}

// sweep removes files that an earlier refresh left next to models and tables, when it was killed after publishing them.
func (p refreshPlan) sweep() {
	for place, kind := range map[string]publish.Kind{p.models: modelfile.FolderKind(),
		p.tables: tablefile.FolderKind()} {
		if f, err := publish.Begin(place, kind); err == nil {
			_ = f.Abort() // leftovers do no harm
		}
	}
}

// stored returns the number of runs of a store and its warnings, -1 where there is none.
func stored(path string) (runs int64, warnings []string, _ error) {
	if _, err := publish.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return -1, nil, nil
	}
	s, err := openStore(path)
	if err != nil {
		return 0, nil, err
	}
	return s.Manifest().Rows["jobs"], s.Manifest().Warnings, nil
}

// quietly runs another command, without its output.
func (e *env) quietly(ctx context.Context, args ...string) error {
	root := newRoot(&env{stdin: e.stdin, stdout: newScreen(io.Discard), stderr: e.stderr, quiet: e.quiet})
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root.ExecuteContext(ctx)
}
