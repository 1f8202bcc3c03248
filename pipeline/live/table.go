package live

import (
	"fmt"
	"io/fs"
	"math"

	"racecard/datasets/remaining"
	"racecard/datasets/tablefile"
	"racecard/datasets/trace"
	"racecard/models/deadlines/progress"
)

// State is the progress and the age of a run: see [remaining.State].
type State = remaining.State

// Table is the verified table of one job.
type Table struct {
	t         *remaining.Table
	entry     tablefile.Entry
	sum       string
	plan      *progress.Plan // nil where the table has none
	indicator progress.Indicator
	shapes    map[string][]int // stages of the plan by [shape], in order
}

func loadTable(fsys fs.FS, e tablefile.Entry) (*Table, error) {
	t, err := tablefile.Load(fsys, e)
	if err != nil {
		return nil, err
	}
	out, err := newTable(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.File, err)
	}
	out.entry, out.sum = e, e.SHA256
	return out, nil
}

// newTable prepares a valid table.
func newTable(t *remaining.Table) (*Table, error) {
	out := &Table{t: t}
	g := &t.About.Graph
	if len(g.Stages) == 0 {
		return out, nil
	}
	var err error
	if out.indicator, err = progress.Parse(t.About.Indicator); err != nil {
		return nil, err
	}
	edges := make([]trace.Edge, len(g.Edges))
	for i, e := range g.Edges {
		kind, ok := trace.ParseEdgeKind(e.Kind)
		if !ok {
			return nil, fmt.Errorf("graph: edge %d: kind %q is not known", i, e.Kind)
		}
		edges[i] = trace.Edge{Parent: e.Parent, Child: e.Child, Kind: kind}
	}
	if out.plan, err = progress.NewPlan(g.Stages, edges); err != nil {
		return nil, err
	}
	out.shapes = planShapes(g)
	return out, nil
}

// Job is the name of the job, normalised.
func (t *Table) Job() string { return t.t.About.Job }

// Generation is the generation of the folder in which the table appeared.
func (t *Table) Generation() int64 { return t.entry.Generation }

// Allocations returns the tokens of the grid, ascending. It must not be modified.
func (t *Table) Allocations() []int32 { return t.t.Allocations }

// About describes the table. Its slices must not be modified.
func (t *Table) About() remaining.About { return t.t.About }

// Remaining returns the quantile q in [0, 1] of the remaining time, in seconds, of a run that has made a progress in
// [0, 1] and holds a number of tokens, which may be fractional; NaN for invalid arguments. It does not allocate.
func (t *Table) Remaining(progress, tokens, q float64) float64 {
	return t.t.Remaining(progress, tokens, q)
}

// Conditioned is [Table.Remaining] for a run of known age: see [remaining.Table.Conditioned]. It does not allocate.
func (t *Table) Conditioned(s State, tokens, q float64) float64 {
	return t.t.Conditioned(s, tokens, q)
}

// Progress returns the progress of a run, in [0, 1], given the fractions of each stage's tasks that are done; NaN if
// the table has no plan, or another one.
func (t *Table) Progress(done []float64) float64 {
	if t.plan == nil {
		return nan
	}
	return t.plan.At(t.indicator, done)
}

// tasksLeft returns the number of unfinished tasks of a run, 0 if it is not known.
func (t *Table) tasksLeft(done []float64) float64 {
	left := 0.0
	for i, f := range done {
		left += (1 - f) * t.t.About.Graph.Stages[i].Tasks
	}
	return math.Ceil(left)
}

// Arrow returns the file of the table, the same bytes that were published.
func (t *Table) Arrow() ([]byte, error) { return tablefile.Encode(t.t) }

// Parquet returns the Parquet copy of the table, likewise.
func (t *Table) Parquet() ([]byte, error) { return tablefile.EncodeParquet(t.t) }

// Sums returns the SHA-256 of both files, in hexadecimal digits.
func (t *Table) Sums() (arrow, parquet string) { return t.entry.SHA256, t.entry.ParquetSHA256 }
