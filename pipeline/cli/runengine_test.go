package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A step that is taken by force on an engine reuses no unit. Units of a step that is done are gone, and so are those of
// a step that no run goes on with.
func TestUnitsOfRuns(t *testing.T) {
	k := newKitchen(t, "  tables: {table build: models, replicates: 2}\n  models: {fit: store, all: true}\n", "a")
	k.write("a.jsonl", runsOf("a", 12)+runsOf("b", 12)+runsOf("c", 12))
	// A cluster of this machine. It loses the output of a table while there is a file named lose.
	k.write("submit", "#!/bin/sh\ncd '"+k.dir+"'\n\"$2\" work do \"$4\" >>said || exit 1\n"+
		"test -e lose && grep -q '\"table\"' \"$4/plan.json\" && rm \"$(ls \"$4\"/done/*.unit | head -n 1)\"\nexit 0\n")
	if err := os.Chmod(filepath.Join(k.dir, "submit"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(sparkSubmit, filepath.Join(k.dir, "submit"))
	t.Setenv(asCommand, "1")
	units := filepath.Join(k.dir, "units")
	step := func(lose bool, want string, status int, args ...string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(k.dir, "lose")); err != nil {
			t.Fatal(err)
		}
		if lose {
			k.write("lose", "")
		}
		k.write("said", "")
		_, stderr, got := k.run(append(args, "--engine", "spark", "--work", units)...)
		said, err := os.ReadFile(filepath.Join(k.dir, "said"))
		if err != nil || got != status || string(said) != want {
			t.Errorf("lose %v, %q: status %d, want %d; said %q, want %q; %s", lose, args, got, status, said, want, stderr)
		}
		left, err := filepath.Glob(filepath.Join(units, "*"))
		if err != nil || len(left) > 0 != lose {
			t.Errorf("lose %v, %q: folders of units left: %v, %v", lose, args, left, err)
		}
	}
	const stored = "1 unit done, 0 were there already\n"
	const all = "3 units done, 0 were there already\n"
	step(true, stored+all, ExitFailed)
	recipe, err := os.ReadFile(filepath.Join(k.dir, "racecard.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	k.write("racecard.yaml", strings.Replace(string(recipe), "out: out", "out: copy", 1))
	step(true, stored+all, ExitFailed) // units of a copy are others, and it removes them alone
	if err := os.Remove(filepath.Join(k.dir, "lose")); err != nil {
		t.Fatal(err)
	}
	if _, said, status := k.run("--engine", "spark", "--work", units); status != ExitDone {
		t.Fatalf("the copy: status %d: %s", status, said)
	}
	k.write("racecard.yaml", string(recipe))
	step(true, "1 unit done, 2 were there already\n", ExitFailed)
	step(true, all, ExitFailed, "--force", "a/tables")
	step(false, all, ExitDone, "--force", "a/tables")
	step(true, all, ExitFailed, "--force", "a/tables")
	k.write("a.jsonl", strings.ReplaceAll(runsOf("d", 12), `"end_s"`, ` "end_s"`))
	step(false, stored+"1 unit done, 0 were there already\n", ExitDone)
}

// A folder of units without an engine is refused where the command line states it: the work would stay on this machine.
func TestWorkWantsAnEngine(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: dag}\n", "a")
	trace, units := filepath.Join(k.dir, "a.jsonl"), filepath.Join(k.dir, "units")
	store := filepath.Join(k.dir, "a.store")
	for _, c := range []struct {
		args   string
		status int
	}{
		{"import " + trace + " --out " + store + " --work " + units, ExitUsage},
		{"run " + filepath.Join(k.dir, "racecard.yaml") + " --work " + units, ExitUsage},
		{"import " + trace + " --out " + store + " --engine local --work " + units, ExitDone},
		{"simulate eagle " + store + " --slots 9 --seeds 1-2 --out " + k.dir + "/sweep --work " + units, ExitDone},
	} {
		status, _, said := call(t, strings.Fields(c.args)...)
		if status != c.status || status == ExitUsage != strings.Contains(said, "add --engine spark") {
			t.Errorf("%s: status %d, want %d: %s", c.args, status, c.status, said)
		}
	}
	t.Setenv("RACECARD_WORK", units)
	if status, _, said := call(t, "analyze", store, "--only", "dag"); status != ExitDone {
		t.Errorf("with a default: status %d: %s", status, said)
	}
	t.Setenv("RACECARD_ENGINE", "spark")
	t.Setenv(sparkSubmit, "false")
	if status, _, said := call(t, "analyze", store, "--only", "dag", "--work", units+"2", "--out", k.dir+"/r"); status !=
		ExitFailed || !strings.Contains(said, "are not done") {
		t.Errorf("with an engine by default: status %d: %s", status, said)
	}
}
