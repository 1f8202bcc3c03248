package page

import (
	"maps"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/style"
	tables "racecard/reports/table"
)

// Finding is a sentence that a trace supports.
type Finding struct {
	ID      string             `json:"id"`
	Text    string             `json:"text"`             // one sentence
	Detail  string             `json:"detail,omitempty"` // definitions, sample size, interval, comparison
	N       int                `json:"n,omitempty"`      // size of the sample it rests on
	Small   bool               `json:"small,omitempty"`  // the sample is too small to generalise from
	Numbers map[string]float64 `json:"numbers,omitempty"`
	Stake   float64            `json:"stake,omitempty"` // the share that can be lost or gained: see [Ranking]
	See     string             `json:"see"`             // id of the figure or table that shows it
	Urgent  int                `json:"-"`               // larger than 0 for what comes before all others
}

// section is a topic of the report.
type section struct {
	ID, Title string
	Missing   []string // columns that the trace lacks; then there is nothing else
	Notes     []string // exclusions and caveats
	Findings  []Finding
	Figures   []*figure.Figure
	Tables    []table
}

// A page's tables have the types of package [tables].
type (
	table  = tables.Table
	column = tables.Column
	cell   = tables.Cell
)

// cells returns cells of texts.
func cells(texts ...string) []cell { return tables.Cells(texts...) }

// number returns a column of numbers.
func number(name string) column { return column{Name: name, Number: true} }

// minor returns a column that is left out where there is no room.
func minor(c column) column { c.Minor = true; return c }

// newSection returns a section for a document: its missing columns and warnings, ready for figures and tables.
func newSection(id, title string, h *result.Header) *section {
	s := &section{ID: id, Title: title}
	if !h.Available {
		s.Missing = h.Missing
		if len(s.Missing) == 0 {
			s.Missing = []string{"columns that the analysis needs"}
		}
		return s
	}
	for _, reason := range slices.Sorted(maps.Keys(h.LeftOut)) {
		if n := h.LeftOut[reason]; n != 0 {
			s.Notes = append(s.Notes, "Left out: "+words.Of(n, "run", "runs")+" ("+words.Printable(reason)+").")
		}
	}
	for _, w := range h.Warnings {
		s.Notes = append(s.Notes, asSentence(words.Printable(w)))
	}
	return s
}

// asSentence returns a warning as a sentence of a list: it begins with a capital, unless it begins with a name and a
// colon.
func asSentence(warning string) string {
	if label, _, found := strings.Cut(warning, ": "); found && !strings.Contains(label, " ") {
		return warning
	}
	return words.Capital(warning)
}

// draw adds figures.
func (s *section) draw(figures ...*figure.Figure) { s.Figures = append(s.Figures, figures...) }

// filled adds the tables that have rows.
func (s *section) filled(tables ...table) {
	for _, t := range tables {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
}

// find adds a finding. Numbers that are not known are left out.
func (s *section) find(f Finding) {
	for name, x := range f.Numbers {
		if !known(x) {
			delete(f.Numbers, name)
		}
	}
	if f.N > 0 && f.N < style.SmallSample {
		f.Small = true
	}
	s.Findings = append(s.Findings, f)
}
