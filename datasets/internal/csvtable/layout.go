package csvtable

import (
	"bytes"
	"slices"
	"strings"
)

// maxColumns bounds the columns of a header.
const maxColumns = 1000

// Column is a column of a table.
type Column struct {
	Name    string   // as rejects name it
	Aliases []string // other names that headers use
	Must    bool     // a header without it is not one of this table
}

// Table is a kind of row. The order of the columns is the order in files without a header; other code refers to
// columns by their index here.
type Table struct {
	Name    string
	Columns []Column
}

// Layout says where the columns of a table are in the rows of a file.
type Layout struct {
	Table *Table
	at    []int // index of the field, -1 where the file does not have the column
	width int   // fields of a row
}

// ByHeart returns the layout of files without a header.
func (t *Table) ByHeart() Layout {
	l := Layout{Table: t, at: make([]int, len(t.Columns)), width: len(t.Columns)}
	for i := range l.at {
		l.at[i] = i
	}
	return l
}

// Header returns the layout that a line names, and false when the line is not a header of this table. Of a name that
// occurs twice the first column is taken.
func (t *Table) Header(line []byte) (Layout, bool) {
	l := Layout{Table: t, at: make([]int, len(t.Columns)), width: Width(line)}
	if l.width > maxColumns {
		return l, false
	}
	for i := range l.at {
		l.at[i] = -1
	}
	n := 0
	for field := range bytes.SplitSeq(line, []byte{','}) {
		name := canonical(field)
		for i, c := range t.Columns {
			if l.at[i] < 0 && (name == c.Name || slices.Contains(c.Aliases, name)) {
				l.at[i] = n
				break
			}
		}
		n++
	}
	for i, c := range t.Columns {
		if c.Must && l.at[i] < 0 {
			return l, false
		}
	}
	return l, true
}

// LayoutForm is a [Layout] for another process.
type LayoutForm struct {
	Table string
	At    []int
	Width int
}

// Form returns the layout for another process.
func (l *Layout) Form() LayoutForm { return LayoutForm{l.Table.Name, l.at, l.width} }

// Of returns the layout in the table of its name, and false when there is none.
func (f LayoutForm) Of(tables ...*Table) (Layout, bool) {
	for _, t := range tables {
		if t.Name == f.Table && len(f.At) == len(t.Columns) {
			return Layout{t, f.At, f.Width}, true
		}
	}
	return Layout{}, false
}

// Equal reports whether two layouts are the same.
func (l *Layout) Equal(m *Layout) bool {
	return l.Table == m.Table && l.width == m.width && slices.Equal(l.at, m.at)
}

// Width returns the number of fields of a line.
func Width(line []byte) int { return 1 + bytes.Count(line, []byte{','}) }

// canonical writes a name of a header the way columns are named.
func canonical(field []byte) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '.', '-':
			return '_'
		}
		return r
	}, strings.ToLower(string(Clean(field))))
}

// Clean takes blanks and one pair of quotes off a field.
func Clean(field []byte) []byte {
	if n := len(field); n == 0 || field[0] > ' ' && field[n-1] > ' ' && field[0] != '"' {
		return field
	}
	field = bytes.TrimSpace(field)
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		field = bytes.TrimSpace(field[1 : n-1])
	}
	return field
}

// FirstLine returns the first line that is not blank in the first bytes of a file, and whether it is whole.
func FirstLine(head []byte) (line []byte, whole bool) {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), "\r\n")
	line, _, whole = bytes.Cut(head, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), whole
}
