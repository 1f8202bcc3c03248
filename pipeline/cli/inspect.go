package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"racecard/datasets/arrowtab"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/reports/style"
)

// Inspection is what `inspect --json` prints.
type Inspection struct {
	Format    string           `json:"format"`
	Synthetic bool             `json:"synthetic"`
	Note      string           `json:"note,omitempty"`
	Rows      map[string]int64 `json:"rows"` // table -> rows
	Records   Records          `json:"records"`
	Rejected  int64            `json:"rejected"`
	Rejects   map[string]int64 `json:"rejects"`            // reason -> records
	Examples  []RejectExample  `json:"examples,omitempty"` // the first three rejects of every reason
	Repairs   map[string]int64 `json:"repairs"`
	Warnings  []string         `json:"warnings"`
	// Columns is the share of values that are not null, per table and column.
	Columns  map[string]map[string]float64 `json:"columns"`
	TimeBase source.TimeBase               `json:"time_base"`
	From     *int64                        `json:"from"` // first and last instant in microseconds of the time base
	To       *int64                        `json:"to"`
	Bytes    int64                         `json:"bytes"` // of all Parquet files
	Parts    int                           `json:"parts"`
	Sources  []store.SourceFile            `json:"sources"`
}

// Records accounts for the records of the input: Read = Used + the sum of Ignored + Rejected.
type Records struct {
	Read     int64            `json:"read"`
	Used     int64            `json:"used"`
	Ignored  map[string]int64 `json:"ignored"` // kind -> records
	Rejected int64            `json:"rejected"`
}

func inspectCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect STORE",
		Short: "Say what is in a store, how complete and how clean it is",
		Long: "Says what is in a store: rows per table, records read, used, ignored and rejected, repairs and warnings, and how\n" +
			"complete every column is. All files are checked against the checksums in the manifest first.",
		Args: exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openStore(args[0])
			if err != nil {
				return err
			}
			if err := s.Verify(cmd.Context()); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if !e.json {
				return e.inspect(s)
			}
			i := inspection(s.Manifest())
			if i.Examples, err = exampleRejects(s); err != nil {
				return err
			}
			return e.printJSON(i)
		},
	}
}

func inspection(m *store.Manifest) *Inspection {
	i := &Inspection{
		Format: m.Format, Synthetic: m.Synthetic, Note: m.Note, Rows: m.Rows,
		Records:  Records{Read: m.Read, Used: m.Used, Ignored: m.Ignored, Rejected: total(m.Rejected)},
		Rejected: total(m.Rejected), Rejects: m.Rejected, Repairs: m.Repairs, Warnings: m.Warnings, Columns: m.Columns,
		TimeBase: m.TimeBase, From: m.From, To: m.To, Parts: m.Parts, Sources: m.Sources,
	}
	for _, f := range m.Files {
		i.Bytes += f.Bytes
	}
	return i
}

// examples is how many rejects of a reason are shown.
const examples = 3

func (e *env) inspect(s *store.Store) error {
	m := s.Manifest()
	i := inspection(m)
	kind := ""
	if m.Synthetic {
		kind = " (SYNTHETIC: generated, not measured)"
	}
	e.printf("format %s%s, %s, %s in %s\n", m.Format, kind, style.Of(int64(len(m.Sources)), "source file", "source files"),
		style.Bytes(float64(i.Bytes)), style.Of(int64(m.Parts), "part", "parts"))
	if m.Note != "" {
		e.printf("note: %s\n", m.Note)
	}
	if m.From != nil {
		e.printf("time: %s to %s\n", instant(*m.From, m.TimeBase), instant(*m.To, m.TimeBase))
	}
	e.printf("records: %s read = %s used + %s ignored + %s rejected\n\n", style.Count(m.Read), style.Count(m.Used),
		style.Count(total(m.Ignored)), style.Count(total(m.Rejected)))
	rows := [][]string{{"TABLE", "ROWS", "COLUMNS WITH VALUES (share of rows, where not all)"}}
	for _, t := range arrowtab.Tables() {
		if n := m.Rows[t.String()]; n > 0 {
			rows = append(rows, []string{t.String(), style.Count(n), held(t, m.Columns[t.String()])})
		}
	}
	if err := table(e.stdout, rows); err != nil {
		return err
	}
	e.counts("ignored", m.Ignored)
	e.counts("rejected", m.Rejected)
	e.counts("repaired", m.Repairs)
	if len(m.Warnings) > 0 {
		e.printf("\nwarnings\n")
		for _, w := range m.Warnings {
			e.printf("  %s\n", w)
		}
	}
	return e.rejects(s)
}

// held lists the columns of a table that hold values.
func held(t arrowtab.Table, share map[string]float64) string {
	text := ""
	for _, f := range arrowtab.Fields(t) {
		switch x := share[f.Name]; {
		case x == 0:
			continue
		case x < 1:
			text += fmt.Sprintf("%s %s, ", f.Name, style.Percent(x))
		default:
			text += f.Name + ", "
		}
	}
	return text[:max(0, len(text)-2)]
}

func (e *env) counts(title string, counts map[string]int64) {
	if len(counts) == 0 {
		return
	}
	e.printf("\n%s\n", title)
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		e.printf("  %s: %s\n", k, style.Count(counts[k]))
	}
}

// rejects shows some rejects of every reason.
func (e *env) rejects(s *store.Store) error {
	all, err := exampleRejects(s)
	if err != nil || len(all) == 0 {
		return err
	}
	e.printf("\nexamples of rejects\n")
	for _, r := range all {
		where := r.File
		if r.Line > 0 {
			where += fmt.Sprintf(":%d", r.Line)
		}
		e.printf("  %s: %s: %s\n    %.100q\n", where, r.Reason, r.Detail, r.Raw)
	}
	return nil
}

// RejectExample is a record that could not be used.
type RejectExample struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // 0 when the record is not a line
	Field  string `json:"field"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
	Raw    string `json:"raw"`
}

// exampleRejects returns the first few rejects of every reason, by reason.
func exampleRejects(s *store.Store) ([]RejectExample, error) {
	t, err := s.Rejects()
	if err != nil || t.Len() == 0 {
		return nil, err
	}
	file, field, reason, detail, raw := t.Text("file"), t.Text("field"), t.Text("reason"), t.Text("detail"), t.Text("raw")
	lines := t.Floats("line")
	count := map[string]int{}
	var out []RejectExample
	for i := range file {
		if count[reason[i]]++; count[reason[i]] <= examples {
			out = append(out, RejectExample{file[i], int64(lines[i]), field[i], reason[i], detail[i], raw[i]})
		}
	}
	slices.SortStableFunc(out, func(a, b RejectExample) int { return cmp.Compare(a.Reason, b.Reason) })
	return out, nil
}

// instant writes a time for people.
func instant(us int64, base source.TimeBase) string {
	if base == source.TimeBaseUnix {
		return style.Instant(float64(us) / 1e6)
	}
	return style.Seconds(float64(us)/1e6) + " after the start of the trace"
}
