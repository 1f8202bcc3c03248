package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"racecard/pipeline/internal/run"
)

// A step whose input changes after the run began says so. The next run takes it again, also where the input has its old
// content again: the result is of another one.
func TestInputsThatChangeMeanwhile(t *testing.T) {
	t.Setenv(asCommand, "1") // steps are this test binary
	k := newKitchen(t, "  check: {check: store, now: end, state: alarms.json}\n", "a")
	before, after := runsOf("a", 12), runsOf("a", 15)
	take := func(meanwhile func()) *run.Record {
		t.Helper()
		var o runFlags
		if err := o.read([]string{filepath.Join(k.dir, "racecard.yaml")}); err != nil {
			t.Fatal(err)
		}
		options, err := o.options()
		if err != nil {
			t.Fatal(err)
		}
		options.Notify = func(r *run.Result, text string) {
			if r.Step == "a/store" && r.State == run.Running && text == "" {
				meanwhile()
			}
		}
		record, err := run.Run(t.Context(), o.recipe, options)
		if err != nil {
			t.Fatal(err)
		}
		return record
	}
	changed := take(func() { k.write("a.jsonl", after) })
	if got := changed.Steps[0]; got.State != run.Done || got.Rows["jobs"] != 15 ||
		!slices.Equal(got.ChangedInputs, []string{"a.jsonl changed"}) || changed.Steps[1].ChangedInputs != nil {
		t.Errorf("%+v, %+v", got, changed.Steps[1])
	}
	k.write("a.jsonl", before)
	back := take(func() {})
	if got := back.Steps[0]; got.State != run.Done || got.Rows["jobs"] != 12 || got.ChangedInputs != nil ||
		!slices.Equal(got.Why, []string{"its input changed while it was made"}) || back.Steps[1].State != run.Done {
		t.Errorf("%+v, %+v", got, back.Steps[1])
	}
	if again := take(func() {}); again.Steps[0].State != run.Cached {
		t.Errorf("%+v", again.Steps[0])
	}
}

// A pipe has no content that a later run could compare, and results are no input of the recipe that makes them.
func TestInputsWithoutAChecksum(t *testing.T) {
	k := newKitchen(t, "", "a")
	if err := syscall.Mkfifo(filepath.Join(k.dir, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"pipe.jsonl": "pipe.jsonl is no file and no folder",
		"./":         "./ holds out, the results of this recipe",
		"out":        "out holds out",
		"*":          "out holds out",
	} {
		k.write("racecard.yaml", fmt.Sprintf("out: out\ntraces:\n  a: {paths: %q, format: jsonl}\nsteps:\n"+
			"  results: {analyze: store, only: dag}\n", path))
		if _, said, status := k.run(); status != ExitFailed || !strings.Contains(said, want) {
			t.Errorf("%s: status %d, want %q: %s", path, status, want, said)
		}
	}
}
