package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// Results that are damaged or gone are made again and shown, and then they are up to date.
func TestDamagedResultsAreMadeAgain(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: dag}\n", "a")
	first, said, status := k.run()
	if status != ExitDone {
		t.Fatal(said)
	}
	want := k.bytesOf()
	object := filepath.Join(k.dir, "out", "objects", first.Steps[1].ID)
	for what, damage := range map[string]func() error{
		"the result is gone": func() error { return os.RemoveAll(filepath.Join(object, "a.results")) },
		"the record is cut":  func() error { return os.Truncate(filepath.Join(object, "step.json"), 0) },
		"all is gone":        func() error { return os.RemoveAll(object) },
	} {
		for _, args := range [][]string{nil, {"--force", "a/results"}} {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			if again, said, status := k.run(args...); status != ExitDone || taken(again) != "a/results" {
				t.Errorf("%s, %q: status %d, done %q: %s", what, args, status, taken(again), said)
			}
			if got := k.bytesOf(); len(got) != len(want) {
				t.Errorf("%s, %q: %d files are shown, want %d", what, args, len(got), len(want))
			}
			if last, _, _ := k.run(); taken(last) != "" {
				t.Errorf("%s, %q: done again: %q", what, args, taken(last))
			}
		}
	}
}
