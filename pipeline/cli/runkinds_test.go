package cli

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A recipe of many steps is read without making all commands for each of them.
func TestReadingManyStepsIsCheap(t *testing.T) {
	const traces, most = 40, 500 << 10 // bytes a step; all commands take 1.2 MB
	var text strings.Builder
	text.WriteString("out: out\ntraces:\n")
	for i := range traces {
		fmt.Fprintf(&text, "  t%d: {paths: a.jsonl}\n", i)
	}
	text.WriteString("steps:\n  tables: {table build: models, replicates: 5}\n  models: {fit: store, all: true}\n" +
		"  sweep: {simulate eagle: store, seeds: 1-3, slots: 9}\n  results: {analyze: store, only: [dag]}\n")
	path := put(t, t.TempDir(), "racecard.yaml", text.String())
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	var o runFlags
	before := allocated()
	if err := o.read([]string{path}); err != nil {
		t.Fatal(err)
	}
	if n := len(o.recipe.Steps); n != 5*traces || o.recipe.Dir != filepath.Dir(path) {
		t.Fatalf("%d steps in %s", n, o.recipe.Dir)
	}
	if got := (allocated() - before) / (5 * traces); got > most {
		t.Errorf("a step takes %d bytes, want at most %d", got, most)
	} else {
		t.Logf("a step takes %d bytes", got)
	}
}
