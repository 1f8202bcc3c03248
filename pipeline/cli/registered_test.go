package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/pipeline/internal/stage"
)

// Every analysis has a document of its name, a text, and a section of the report, be it one of its own or that of any
// document: an analysis that lacks one would otherwise be missing without a word.
func TestAnalysesAreRegisteredEverywhere(t *testing.T) {
	t.Parallel()
	s := sampleStore(t)
	out, report := filepath.Join(t.TempDir(), "results"), filepath.Join(t.TempDir(), "report")
	var names []string
	for _, a := range stage.Analyses(stage.DefaultOptions()) {
		names = append(names, a.Name)
		doc := result.NewDocument(a.Name)
		if doc == nil || doc.Analysis() != a.Name {
			t.Fatalf("%s: no document of that name", a.Name)
		}
		if a.Summary == "" || len(a.Needs) == 0 {
			t.Errorf("%s: no summary, or no columns", a.Name)
		}
	}
	status, text, stderr := call(t, "analyze", s, "--only", strings.Join(names, ","), "--out", out)
	if status != 0 {
		t.Fatal(stderr)
	}
	if status, _, stderr := call(t, "report", out, "--out", report); status != 0 {
		t.Fatal(stderr)
	}
	index, err := os.ReadFile(filepath.Join(report, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{"recurrence": "variation", "cov": "variation", "allocation": "guarantees",
		"dag": "shape", "timeline": "run", "health": "quality"}
	for _, name := range names {
		if !strings.Contains(text, name) {
			t.Errorf("%s: nothing on the terminal", name)
		}
		id := name
		if own, ok := sections[name]; ok {
			id = own
		}
		if !strings.Contains(string(index), `id="`+id+`"`) {
			t.Errorf("%s: no section %q in the report", name, id)
		}
	}
}
