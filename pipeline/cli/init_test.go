package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What init writes is a recipe that runs.
func TestInit(t *testing.T) {
	k := newKitchen(t, usualSteps, "a")
	if err := os.Remove(filepath.Join(k.dir, "racecard.yaml")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(k.dir, "racecard.yaml")
	if said, err := racecard(t, "init", filepath.Join(k.dir, "a.jsonl"), "--out", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	record, said, status := k.run()
	if status != 0 || taken(record) != "a/backtest a/report a/results a/store" {
		t.Errorf("status %d, done %s: %s", status, taken(record), said)
	}
}

// Traces get names of their own from paths: dated folders, long ones.
func TestInitNames(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 80)
	var paths []string
	for _, name := range []string{"web/20261120", "batch/20261120", long} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, path, "a.jsonl", runsOf("a", 2))
		paths = append(paths, path)
	}
	out := filepath.Join(dir, "racecard.yaml")
	if said, err := racecard(t, append([]string{"init", "--out", out}, paths...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n  20261120:\n", "\n  20261120-2:\n", "\n  " + long[:60] + ":\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no trace %q in\n%s", want, text)
		}
	}
	odd := put(t, dir, "a{{b}}.jsonl", runsOf("a", 2))
	said, err := racecard(t, "init", "--out", filepath.Join(dir, "odd.yaml"), odd).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "a{{b}}.jsonl") {
		t.Errorf("%v: %s", err, said)
	}
}
