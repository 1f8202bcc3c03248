package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/pipeline/internal/run"
)

// A run that was killed between its view and the link to it does not keep the next ones from being shown.
func TestViewsWithoutALink(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: dag}\n", "a")
	out := func(name string) string { return filepath.Join(k.dir, "out", name) }
	for i := range 3 {
		k.write("a.jsonl", runsOf("a", 12+i))
		if _, said, status := k.run(); status != ExitDone {
			t.Fatal(said)
		}
		if err := os.Remove(out("latest")); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := os.Symlink("runs/000001", out("latest")); err != nil {
				t.Fatal(err)
			}
		}
	}
	record, said, status := k.run()
	if link, err := os.Readlink(out("latest")); status != ExitDone || err != nil || record.Run != 4 ||
		link != filepath.Join("runs", "000004") || len(stepsIn(record, run.Cached)) != 2 {
		t.Errorf("status %d, run %d, latest %s, %v: %s", status, record.Run, link, err, said)
	}
	if err := os.Truncate(out("runs/000002/run.json"), 0); err != nil {
		t.Fatal(err)
	}
	k.write("a.jsonl", runsOf("a", 20))
	if _, said, status = k.run(); status != ExitFailed || !strings.Contains(said, out("runs/000002")+" is damaged") {
		t.Errorf("a damaged view: status %d: %s", status, said)
	}
}
