package figure_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

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
			t.Errorf("figure %s has no guide: see Guides", name)
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

// docs/figures.md holds the guides; -regen writes it.
func TestGuidesAreDocumented(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("# How to read each figure\n\nThe report shows these texts below its figures. `go test " +
		"./reports/figure -regen` writes this page.\n")
	for _, g := range figure.Guides() {
		b.WriteString("\n## " + g.Title + "\n\nFiles `figures/" + g.Name)
		if strings.HasSuffix(g.Name, "-") {
			b.WriteString("*")
		}
		b.WriteString(".svg` and `.png`.\n\n" + g.Text + "\n")
	}
	const file = "../../docs/figures.md"
	if flag.Lookup("regen").Value.String() == "true" {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.Bytes()) {
		t.Error("docs/figures.md differs from figure.Guides: go test ./reports/figure -regen")
	}
}
