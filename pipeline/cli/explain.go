package cli

import (
	_ "embed"
	"strings"
)

// repairTexts explains kinds of repairs: lines that name kinds, and below them, indented, one explanation of all.
//
//go:embed repairs.txt
var repairTexts string // constant

// explain describes a kind of repair for readers of the tables, "" if its name is enough.
func explain(repair string) string {
	found := false
	var text []string
	for line := range strings.SplitSeq(repairTexts, "\n") {
		part, indented := strings.CutPrefix(line, "\t")
		switch {
		case indented && found:
			text = append(text, part)
		case len(text) > 0:
			return strings.Join(text, " ")
		case line == repair:
			found = true
		}
	}
	return ""
}
