package figure

import (
	"strings"

	"racecard/docs"
)

// Guide explains how to read one kind of figure, in plain words.
type Guide struct {
	Name  string // of the figure; the names of several figures may begin with it
	Title string
	Text  string // what the axes are, what to look for, and what the figure does not show
}

// Reading returns the guide to the figure of that name, or "" when there is none. A number at the end counts figures of
// one kind: eagle-slow-2 is read as eagle-slow.
func Reading(name string) string {
	if kind := strings.TrimRight(name, "0123456789"); kind != name {
		name = strings.TrimSuffix(kind, "-")
	}
	best := Guide{}
	for _, g := range Guides() {
		if g.Name == name {
			return g.Text
		}
		if strings.HasSuffix(g.Name, "-") && strings.HasPrefix(name, g.Name) && len(g.Name) > len(best.Name) {
			best = g
		}
	}
	return best.Text
}

// Guides returns the guides to all figures, in the order of the report: the sections of docs/figures.md.
func Guides() []Guide {
	var out []Guide
	for _, section := range strings.Split(docs.Figures, "\n## ")[1:] {
		title, rest, _ := strings.Cut(section, "\n\nFiles `figures/")
		name, text, _ := strings.Cut(rest, ".svg` and `.png`.\n\n")
		out = append(out, Guide{Name: strings.TrimSuffix(name, "*"), Title: title, Text: strings.TrimSpace(text)})
	}
	return out
}
