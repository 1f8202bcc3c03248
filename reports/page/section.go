package page

import (
	"maps"
	"slices"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/style"
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
	Notes     []string // what was left out, what to mind
	Findings  []Finding
	Figures   []*figure.Figure
	Tables    []table
}

// table is a table of a page.
type table struct {
	ID, Title string
	Note      string // below the table
	Columns   []column
	Rows      [][]cell
	Folded    bool // shown on demand
}

// column is a column of a [table]. The first names the row.
type column struct {
	Name   string
	Number bool // aligned to the right
	Minor  bool // left out on phones
}

// cell is a value of a [table].
type cell struct {
	Text  string
	Sub   string  // smaller, below it
	Inner bool    // a part of the row before
	Bar   float64 // share of the cell's width that is shaded, in [0, 1]
}

// The number of rows that a table shows, when it is in sight and when it is folded; the rest is in the result files.
const (
	maxRows       = 25
	maxFoldedRows = 200
)

// newSection returns a section for a document: what is missing and what to mind, ready for figures and tables.
func newSection(id, title string, h *result.Header) *section {
	s := &section{ID: id, Title: title}
	if !h.Available {
		s.Missing = h.Missing
		if len(s.Missing) == 0 {
			s.Missing = []string{"what the analysis needs"}
		}
		return s
	}
	for _, reason := range slices.Sorted(maps.Keys(h.LeftOut)) {
		if n := h.LeftOut[reason]; n != 0 {
			s.Notes = append(s.Notes, "Left out: "+style.Of(n, "run", "runs")+" ("+style.Printable(reason)+").")
		}
	}
	for _, w := range h.Warnings {
		s.Notes = append(s.Notes, style.Printable(w))
	}
	return s
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

// cut limits the rows of a table and says where the rest is.
func (t *table) cut(file string) {
	most := maxRows
	if t.Folded {
		most = maxFoldedRows
	}
	if n := len(t.Rows); n > most {
		t.Rows = t.Rows[:most]
		t.Note += " The first " + style.Count(int64(most)) + " of " + style.Count(int64(n)) + " rows; all are in " + file + "."
	}
}

// percentileCell returns the cell of a percentile, with its interval in brackets where that differs from it.
func percentileCell(of result.Summary, intervals map[string]result.Interval, percentile string, x float64, write func(float64) string) cell {
	if of.N == 0 {
		return cell{Text: style.None}
	}
	c := cell{Text: write(x)}
	if i, ok := intervals[percentile]; ok && known(i[0]) && known(i[1]) {
		if between := style.Range(i[0], i[1], write); between != c.Text {
			c.Sub = "[" + between + "]"
		}
	}
	return c
}

// plain returns cells of texts.
func plain(texts ...string) []cell {
	out := make([]cell, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}
