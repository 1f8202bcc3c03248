package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two recipes that publish to one place do not replace each other's results; a recipe that was moved, renamed or
// publishes elsewhere now does not keep others from its place.
func TestRecipesPublishToPlacesOfTheirOwn(t *testing.T) {
	place := filepath.Join(t.TempDir(), "www")
	steps := func(to string) string { return "  site: {publish: store, to: " + to + "}\n" }
	first, second := newKitchen(t, steps(place), "a"), newKitchen(t, steps(place), "b")
	expect := func(k kitchen, status int, want string, args ...string) {
		t.Helper()
		record, said, got := k.run(args...)
		if got != status || !strings.Contains(said, want) || want == "" && strings.Contains(said, "warning") {
			t.Errorf("status %d, want %d and %q, took %s: %s", got, status, want, taken(record), said)
		}
	}
	rename := func(old, fresh string) {
		t.Helper()
		if err := os.Rename(old, fresh); err != nil {
			t.Fatal(err)
		}
	}
	recipe := func(k kitchen) string { return filepath.Join(k.dir, "racecard.yaml") }
	expect(first, ExitDone, "")
	rename(filepath.Join(first.dir, "a.jsonl"), filepath.Join(first.dir, "away"))
	expect(first, ExitFailed, "there is no a.jsonl") // it did not publish, and still means to
	refusal := place + " holds results of another recipe, step a/site of " + recipe(first) + ", which publishes there, too"
	expect(second, ExitFailed, refusal)
	_, stdout, _ := call(t, "run", recipe(second), "--dry-run")
	if !strings.Contains(stdout, "b/site  would fail  "+place+" holds results of another recipe") {
		t.Errorf("the plan: %s", stdout)
	}
	expect(second, ExitDone, "it replaced the results of another recipe, step a/site of ", "--force", "site")
	rename(filepath.Join(first.dir, "away"), filepath.Join(first.dir, "a.jsonl"))
	expect(first, ExitFailed, "`--force a/site` replaces these results")

	away := second.dir + "-away"
	rename(second.dir, away)
	expect(first, ExitDone, "it replaced the results of another recipe, step b/site of "+recipe(second))
	rename(recipe(first), filepath.Join(first.dir, "old.yaml"))
	top := "out: out\ntraces:\n  c: {paths: a.jsonl, format: jsonl}\nsteps:\n"
	first.write("racecard.yaml", top+steps(place))
	expect(first, ExitDone, "") // other names, and the same folder of results
	first.write("racecard.yaml", top+steps("elsewhere"))
	expect(first, ExitDone, "")
	rename(away, second.dir)
	expect(second, ExitDone, "it replaced the results of another recipe, step c/site of ")
}
