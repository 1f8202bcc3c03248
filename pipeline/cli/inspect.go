package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/stage"
	"racecard/reports/page"
)

// Inspection is the output of `inspect --json`.
type Inspection struct {
	Format    string           `json:"format"`
	Synthetic bool             `json:"synthetic"`
	Note      string           `json:"note,omitempty"`
	Rows      map[string]int64 `json:"rows"` // table -> rows
	Records   Records          `json:"records"`
	Rejected  int64            `json:"rejected"`
	Rejects   map[string]int64 `json:"rejects"`            // reason -> records
	Examples  []RejectExample  `json:"examples,omitempty"` // the first three rejects of every reason
	Repairs   map[string]int64 `json:"repairs"`            // kind -> values
	// Explanations describe kinds of repairs whose names are not enough.
	Explanations map[string]string `json:"explanations,omitempty"`
	Warnings     []string          `json:"warnings"`
	// Columns is the share of values that are not null, per table and column.
	Columns  map[string]map[string]float64 `json:"columns"`
	TimeBase source.TimeBase               `json:"time_base"`
	From     *int64                        `json:"from"` // first and last instant in microseconds of the time base
	To       *int64                        `json:"to"`
	Bytes    int64                         `json:"bytes"` // of all Parquet files
	Parts    int                           `json:"parts"`
	Sources  []store.SourceFile            `json:"sources"`
	// Findings lists the oddities, the worst first, and Health holds their data; neither with --quick.
	Findings []page.Diagnosis `json:"findings,omitempty"`
	Health   *result.Health   `json:"health,omitempty"`
}

// Records accounts for the records of the input: Read = Used + the sum of Ignored + Rejected.
type Records struct {
	Read     int64            `json:"read"`
	Used     int64            `json:"used"`
	Ignored  map[string]int64 `json:"ignored"` // kind -> records
	Rejected int64            `json:"rejected"`
}

func inspectCommand(e *env) *cobra.Command {
	quick := false
	var workers int
	cmd := &cobra.Command{
		Use:   "inspect STORE | TABLES | RESULTS",
		Short: "Examine a trace before any statistic is read off it",
		Args:  exactly(1, "one store, tables or results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := publish.Rescue(args[0]); err != nil {
				return err
			}
			if isTables(args[0]) {
				return e.showTables(args[0], "", 0.9)
			}
			if isResults(args[0]) {
				return e.inspectResults(args[0])
			}
			s, err := openStore(args[0])
			if err != nil {
				return err
			}
			e.sayZone(s)
			i := inspection(s.Manifest())
			if i.Examples, err = exampleRejects(cmd.Context(), s); err == nil && !quick {
				err = e.examine(cmd.Context(), s, i, workers)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			e.inspect(i)
			return e.printJSON(i)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&quick, "quick", false, "show only what the manifest says; read no data")
	workersFlag(f, &workers, "parts of the store to read at once")
	e.zoneFlag(f)
	return cmd
}

// inspection returns the content of a manifest.
func inspection(m *store.Manifest) *Inspection {
	i := &Inspection{
		Format: m.Format, Synthetic: m.Synthetic, Note: m.Note, Rows: m.Rows,
		Records:  Records{Read: m.Read, Used: m.Used, Ignored: m.Ignored, Rejected: lists.Total(m.Rejected)},
		Rejected: lists.Total(m.Rejected), Rejects: m.Rejected, Repairs: m.Repairs, Warnings: m.Warnings, Columns: m.Columns,
		TimeBase: m.TimeBase, From: m.From, To: m.To, Parts: m.Parts, Sources: m.Sources,
		Explanations: map[string]string{},
	}
	for _, f := range m.Files {
		i.Bytes += f.Bytes
	}
	for kind := range m.Repairs {
		if text := explain(kind); text != "" {
			i.Explanations[kind] = text
		}
	}
	return i
}

// examine checks all files of a store, reads it, and adds its oddities.
func (e *env) examine(ctx context.Context, s *store.Store, i *Inspection, workers int) error {
	if err := s.Verify(ctx); err != nil {
		return err
	}
	docs, err := e.analyze(ctx, s, stage.DefaultOptions(), []string{"health"}, local.Options{Workers: workers})
	if err != nil {
		return err
	}
	i.Health = docs[0].(*result.Health)
	i.Findings = page.Diagnose(i.Health, e.runs.location())
	return nil
}
