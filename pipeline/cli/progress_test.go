package cli

import (
	"strings"
	"testing"
	"time"

	"racecard/pipeline/internal/ingest"
)

// One part is no parts.
func TestCountOfOne(t *testing.T) {
	var shown strings.Builder
	p := (&env{stderr: newScreen(&shown)}).progress("analyze")
	for _, of := range []int{1, 2} {
		p.shown = time.Time{}
		p.count(1, of, "parts")
	}
	if got := shown.String(); !strings.Contains(got, "1 of 1 part,") || !strings.Contains(got, "1 of 2 parts,") {
		t.Errorf("%q", got)
	}
}

// A bar is drawn again and again, however often, in one line of the terminal.
func TestBarIsDrawnToTheEnd(t *testing.T) {
	var shown strings.Builder
	e := &env{stderr: newScreen(&shown)}
	p := e.progress("import")
	p.terminal = true
	draw := func(at ingest.Progress) string {
		before := shown.Len()
		p.shown = time.Time{}
		p.imported(at)
		return shown.String()[before:]
	}
	for i := range 1000 {
		at := ingest.Progress{Read: min(1500, int64(2*i)), Bytes: 1500, Done: float64(i) / 1000}
		if got := draw(at); !strings.HasPrefix(got, eraseLine+"import [") {
			t.Fatalf("drawing %d: %q", i, got)
		}
	}
	if got := draw(ingest.Progress{Read: 1500, Bytes: 1500, Done: 0.7}); !strings.Contains(got,
		"70%, all read, the rest is written") {
		t.Errorf("%q", got)
	}
	if got := draw(ingest.Progress{Read: 1500, Bytes: -1}); !strings.Contains(got, "import: 1.5 kB") {
		t.Errorf("%q", got)
	}
}
