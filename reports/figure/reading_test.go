package figure_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"racecard/docs"
	"racecard/reports/figure"
)

// Every name that a figure of this package is given has a guide.
func TestEveryFigureHasAGuide(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?:\.figure\(|Name: )"([a-z-]+)"`)
	found := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		source, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(source, -1) {
			found[string(m[1])] = true
		}
	}
	if len(found) < 35 {
		t.Errorf("%d names of figures in the source, want at least 35", len(found))
	}
	for name := range found {
		if figure.Reading(name) == "" {
			t.Errorf("figure %s has no guide in docs/figures.md", name)
		}
	}
	for _, g := range figure.Guides() {
		if !found[g.Name] && g.Name != "eagle-slow" {
			t.Errorf("guide to %s, which no figure is named", g.Name)
		}
		if n := len(strings.Fields(g.Text)); n < 20 || n > 80 {
			t.Errorf("guide to %s: %d words, want 20 to 80", g.Name, n)
		}
	}
}

// Every section of docs/figures.md is a guide as Guides reads it.
func TestGuidesAreDocumented(t *testing.T) {
	t.Parallel()
	page, _, _ := strings.Cut(docs.Figures, "\n## ")
	for _, g := range figure.Guides() {
		files := g.Name
		if strings.HasSuffix(files, "-") {
			files += "*"
		}
		page += "\n## " + g.Title + "\n\nFiles `figures/" + files + ".svg` and `.png`.\n\n" + g.Text + "\n"
	}
	if page != docs.Figures {
		t.Error("docs/figures.md has a section of another form than the guides")
	}
}
