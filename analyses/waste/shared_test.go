package waste

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// heldBetween integrates max(slots given, attempts running) over the instants at which either changes.
func heldBetween(run *trace.Run) float64 {
	var starts, ends []trace.Instant
	untimed, last := 0.0, trace.Instant(trace.None)
	for _, a := range run.Attempts {
		if a.End.Known() && a.Start.Known() {
			starts, ends, last = append(starts, a.Start), append(ends, a.End), max(last, a.End)
		} else if a.Duration.Known() {
			untimed += a.Duration.Seconds()
		}
	}
	if len(starts) == 0 {
		return untimed
	}
	last = max(last, run.End)
	for _, a := range run.Attempts {
		if a.Start.Known() && !a.End.Known() && !a.Duration.Known() && a.Start < last {
			starts, ends = append(starts, a.Start), append(ends, last)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	h := run.Held()
	steps := []trace.HeldStep{}
	first := starts[0]
	if run.Start.Known() {
		first = min(first, run.Start)
	}
	if h.Stated() {
		steps = slices.Clone(h.Steps)
		if steps[0].At = first; h.Basis == trace.HeldAllocations && len(steps) > 1 {
			steps[0].At = min(first, steps[1].At)
		}
	}
	if len(run.Attempts) == 1 && run.Attempts[0].Demand[trace.CPU] == float64(h.Most) { // a token is a core there
		for i := range steps {
			steps[i].Tokens = min(1, steps[i].Tokens)
		}
	}
	at := append(slices.Clone(starts), ends...)
	for _, s := range steps {
		at = append(at, s.At)
	}
	at = append(at, last)
	slices.Sort(at)
	at = slices.Compact(at)
	sum := untimed
	for i := 0; i+1 < len(at) && at[i] < last; i++ {
		after := func(list []trace.Instant) int {
			return sort.Search(len(list), func(k int) bool { return list[k] > at[i] })
		}
		held := int64(0)
		if k := sort.Search(len(steps), func(k int) bool { return steps[k].At > at[i] }); k > 0 {
			held = steps[k-1].Tokens
		}
		sum += float64(max(held, int64(after(starts)-after(ends)))) * at[i+1].Since(at[i]).Seconds()
	}
	return sum
}

// In every shared trace that has attempts the classes of every run add up to what it held.
func TestSharedTracesAddUp(t *testing.T) {
	checked := map[string]int{} // runs, by format
	err := filepath.WalkDir(sourcetest.Shared(t, "."), func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		for format, files := range byFormat(t, dir) {
			checked[format] += addUp(t, dir, format, files)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("runs by format: %v", checked)
	for _, format := range []string{"spark", "google2011", "tr", "swf", "philly", "wfformat", "jhist", "jsonl"} {
		if checked[format] == 0 {
			t.Errorf("no run of format %s was checked", format)
		}
	}
}

// byFormat returns the files of a folder by their format.
func byFormat(t *testing.T, dir string) map[string][]*source.File {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]*source.File{}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		files, err := source.FromFS(os.DirFS(dir), entry.Name(), entry.Name())
		if err != nil {
			continue
		}
		for _, f := range files {
			if format, ok, err := formats.Detect(t.Context(), f, 0); ok && err == nil {
				found[format.Name] = append(found[format.Name], f)
			}
		}
	}
	return found
}

// addUp checks the runs of files and returns how many of them have attempts.
func addUp(t *testing.T, dir, name string, files []*source.File) int {
	format, err := formats.Named(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	var s sweeper
	n := 0
	for run, err := range format.Read(t.Context(), files, source.NewTally()) {
		var rejected *source.Reject
		switch {
		case errors.As(err, &rejected):
			continue
		case err != nil:
			return n // a folder of pieces of several traces
		}
		u, ok := s.classify(run)
		if !ok {
			continue
		}
		n++
		sum := 0.0
		for c, x := range u.classes {
			if x < 0 {
				t.Fatalf("%s: run %s: class %d is %v", dir, run.ID, c, x)
			}
			sum += x
		}
		if want := heldBetween(run); math.Abs(sum-want) > 1e-6*max(1, want) {
			t.Fatalf("%s: run %s (%s): classes %v add up to %v, held %v", dir, run.ID, u.basis, u.classes, sum, want)
		}
	}
	return n
}
