// Package table is a table of results: columns with headings and rows of cells, written as text for a terminal, as HTML
// for a page and as CSV for other programs. The three hold the same cells.
package table

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"racecard/datasets/words"
)

// Table is a table of results.
type Table struct {
	ID      string // lower case, with hyphens: its place in a page and the name of its file
	Title   string
	Note    string // below the table
	Columns []Column
	Rows    [][]Cell
	Folded  bool   // a page shows it on demand
	Label   string // such as "Table 3"; may be empty
	All     string // file of the results that holds all rows; may be empty
	File    string // file that holds the rows as CSV, for a link from the page; may be empty
}

// Column is a column of a [Table]. The first names the row.
type Column struct {
	Name   string
	Number bool // aligned to the right
	Minor  bool // left out if there is no room, as on phones
}

// Cell is a value of a [Table].
type Cell struct {
	Text  string
	Sub   string  // an addition, such as an interval: smaller, below the text
	Inner bool    // a part of the row before
	Bar   float64 // share of the cell's width that is shaded, in [0, 1]
}

// The number of rows that a page shows, at once and when they unfold. CSV has all.
const (
	MostRows   = 25
	MostFolded = 200
)

// Cells returns cells of texts.
func Cells(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}

// Row adds a row of texts.
func (t *Table) Row(texts ...string) { t.Rows = append(t.Rows, Cells(texts...)) }

// Plain returns a table of rows of texts below headings. Columns with numbers throughout are aligned to the right.
func Plain(head []string, rows [][]string) *Table {
	t := &Table{}
	for i, name := range head {
		c := Column{Name: name, Number: i > 0}
		for _, r := range rows {
			c.Number = c.Number && (i >= len(r) || numeric(r[i]))
		}
		t.Columns = append(t.Columns, c)
	}
	for _, r := range rows {
		t.Row(r...)
	}
	return t
}

// numeric reports whether a cell begins like a number, or is empty.
func numeric(text string) bool {
	for _, sign := range []string{"−", "-", "<", "+", "±"} {
		if len(text) > len(sign) && text[:len(sign)] == sign {
			text = text[len(sign):]
		}
	}
	return text == "" || text == words.None || text[0] >= '0' && text[0] <= '9'
}

// Shown returns the rows that a page shows.
func (t *Table) Shown() [][]Cell { return t.Rows[:min(len(t.Rows), t.most())] }

func (t *Table) most() int {
	if t.Folded {
		return MostFolded
	}
	return MostRows
}

// Rest returns the note about rows that a page does not show; empty where it shows all.
func (t *Table) Rest() string {
	if len(t.Rows) <= t.most() {
		return ""
	}
	text := "The first " + words.Count(t.most()) + " of " + words.Count(len(t.Rows)) + " rows"
	if t.All != "" {
		text += "; all are in " + t.All
	}
	return text + "."
}

// CSV writes the headings and all rows. A column with an addition in any cell is followed by a column for the
// additions. A cell that a spreadsheet would take for a formula begins with an apostrophe.
func (t *Table) CSV(w io.Writer) error {
	sub := make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for i := range min(len(r), len(sub)) {
			sub[i] = sub[i] || r[i].Sub != ""
		}
	}
	out := csv.NewWriter(w)
	var line []string
	add := func(i int, text, detail string) {
		if line = append(line, guarded(text)); sub[i] {
			line = append(line, guarded(detail))
		}
	}
	for i, c := range t.Columns {
		add(i, c.Name, c.Name+", detail")
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for _, r := range t.Rows {
		line = nil
		for i := range t.Columns {
			if i < len(r) {
				add(i, r[i].Text, r[i].Sub)
			} else {
				add(i, "", "")
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// guarded returns a cell that spreadsheets do not interpret as a formula: names come from traces and may be malicious
// (OWASP, CSV Injection). Numbers are unchanged.
func guarded(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(strings.TrimSuffix(cell, "%"), 64); err == nil {
		return cell
	}
	return "'" + cell
}
