package table

import (
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"racecard/datasets/words"
)

const (
	longest  = 120 // characters of a cell that text shows
	shortest = 40  // characters of the longest addition to the name of a row
	least    = 8   // to which a column may shrink
	apart    = 2   // characters between columns
)

// Text writes the table in aligned columns, headings in upper case. If it is wider than width, the minor columns are
// left out, and then the widest columns of words are cut, the first one only as far as its rows can be told apart; 0 is
// no limit. A title stands above the table.
func (t *Table) Text(w io.Writer, width int) error {
	kept := make([]int, 0, len(t.Columns))
	for i := range t.Columns {
		kept = append(kept, i)
	}
	widths := t.widths()
	if width > 0 && total(kept, widths) > width {
		kept = kept[:0]
		for i, c := range t.Columns {
			if !c.Minor {
				kept = append(kept, i)
			}
		}
		t.shrink(kept, widths, width)
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	line := func(cells func(i int) string) {
		end := 0
		var out strings.Builder
		for k, i := range kept {
			text := cut(cells(i), widths[i])
			pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(text)))
			if k > 0 {
				out.WriteString(strings.Repeat(" ", apart))
			}
			if t.Columns[i].Number {
				out.WriteString(pad + text)
			} else {
				out.WriteString(text + pad)
			}
			end = out.Len()
		}
		b.WriteString(strings.TrimRight(out.String()[:end], " ") + "\n")
	}
	line(func(i int) string { return strings.ToUpper(t.Columns[i].Name) })
	for _, r := range t.Rows {
		line(func(i int) string {
			if i >= len(r) {
				return ""
			}
			return r[i].line(i == 0)
		})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line writes a cell in one line, its addition behind it. Long additions to the name of a row are left out.
func (c *Cell) line(first bool) string {
	text := words.Shorten(c.Text, longest)
	if c.Inner {
		text = "  " + text
	}
	if c.Sub != "" && (!first || utf8.RuneCountInString(c.Sub) <= shortest) {
		sub := words.Shorten(c.Sub, longest)
		if !strings.HasPrefix(sub, "[") {
			sub = "(" + sub + ")"
		}
		text += " " + sub
	}
	return text
}

// widths returns the characters that each column needs.
func (t *Table) widths() []int {
	out := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = utf8.RuneCountInString(c.Name)
		for _, r := range t.Rows {
			if i < len(r) {
				out[i] = max(out[i], utf8.RuneCountInString(r[i].line(i == 0)))
			}
		}
	}
	return out
}

func total(kept, widths []int) int {
	n := apart * (len(kept) - 1)
	for _, i := range kept {
		n += widths[i]
	}
	return n
}

// shrink makes the widest columns of words narrower until the table fits, or none can be.
func (t *Table) shrink(kept, widths []int, width int) {
	first := t.distinct(widths[0])
	for over := total(kept, widths) - width; over > 0; over = total(kept, widths) - width {
		widest := -1
		for _, i := range kept {
			narrowest := least
			if i == 0 {
				narrowest = max(least, first)
			}
			if !t.Columns[i].Number && widths[i] > narrowest && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// distinct returns the least width at which as many names of rows differ as at the given one.
func (t *Table) distinct(width int) int {
	different := func(n int) int {
		seen := map[string]bool{}
		for _, r := range t.Rows {
			if len(r) > 0 {
				seen[cut(r[0].line(true), n)] = true
			}
		}
		return len(seen)
	}
	all := different(width)
	return sort.Search(width, func(n int) bool { return different(n) == all })
}

// cut shortens text to n characters.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return words.Shorten(text, max(n, 1))
}
