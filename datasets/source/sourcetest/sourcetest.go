// Package sourcetest holds shared code for tests of format readers.
package sourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Result is the outcome of reading files.
type Result struct {
	Runs    []*trace.Run
	Rejects []*source.Reject
	Tally   *source.Tally
	Err     error // ended the stream
}

// Read reads files with a format and checks the invariants of any input: every record is accounted for, rejects are
// counted under their reasons, runs are valid and their ids distinct.
func Read(t testing.TB, format source.Format, files ...*source.File) *Result {
	t.Helper()
	r := &Result{Tally: source.NewTally()}
	ids := map[string]bool{}
	counts := map[string]int64{}
	for run, err := range format.Read(context.Background(), files, r.Tally) {
		var reject *source.Reject
		switch {
		case errors.As(err, &reject):
			r.Rejects = append(r.Rejects, reject)
			counts[reject.Reason]++
		case err != nil:
			r.Err = err
		default:
			if err := run.Validate(); err != nil {
				t.Fatalf("the reader yields an invalid run: %v", err)
			}
			if ids[run.ID] {
				t.Fatalf("run %.100q occurs twice", run.ID)
			}
			run = run.Clone() // what it points to is valid until the next one
			ids[run.ID] = true
			r.Runs = append(r.Runs, run)
		}
	}
	for reason, n := range counts {
		if r.Tally.Rejected[reason] < n {
			t.Fatalf("%d rejects for %q, %d counted", n, reason, r.Tally.Rejected[reason])
		}
	}
	if r.Err == nil {
		if err := r.Tally.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// One returns the only run that was read.
func (r *Result) One(t testing.TB) *trace.Run {
	t.Helper()
	if len(r.Runs) != 1 || r.Err != nil {
		t.Fatalf("%d runs, error %v, rejects %v", len(r.Runs), r.Err, r.Rejects)
	}
	return r.Runs[0]
}

// Files returns inputs of the given names and contents, by turns.
func Files(namesAndContents ...string) []*source.File {
	var out []*source.File
	for i := 0; i+1 < len(namesAndContents); i += 2 {
		out = append(out, source.BytesFile(namesAndContents[i], []byte(namesAndContents[i+1])))
	}
	return out
}

// Numbered returns inputs of some contents, named f0, f1 and so on with an ending.
func Numbered(ending string, contents ...string) []*source.File {
	var out []*source.File
	for i, c := range contents {
		out = append(out, source.BytesFile(fmt.Sprintf("f%d%s", i, ending), []byte(c)))
	}
	return out
}

// Attempts writes the attempts of a run, one to a line: task.attempt queued start end status machine.
func Attempts(run *trace.Run) string {
	var lines []string
	at := func(t trace.Instant) string {
		if !t.Known() {
			return "-"
		}
		return fmt.Sprint(int64(t))
	}
	for _, a := range run.Attempts {
		lines = append(lines, fmt.Sprintf("%d.%d %s %s %s %v %s", a.Task, a.Attempt, at(a.Queued), at(a.Start),
			at(a.End), a.Status, a.Machine))
	}
	return strings.Join(lines, "\n")
}

// MemoryDoesNotMatter checks that a tight budget of memory, in bytes, gives the same runs in the same order as none,
// and returns them.
func MemoryDoesNotMatter(t *testing.T, format func(memory int64) source.Format, tight int64,
	files ...*source.File) *Result {
	t.Helper()
	want := Read(t, format(0), files...)
	got := Read(t, format(tight), files...)
	text := func(r *Result) string {
		var all strings.Builder
		fmt.Fprintln(&all, len(r.Runs), r.Err, r.Tally.Read, r.Tally.Used, r.Tally.Rejected, r.Tally.Ignored,
			r.Tally.Repairs)
		for _, run := range r.Runs {
			fmt.Fprintf(&all, "%+v\n", *run)
		}
		return all.String()
	}
	if len(want.Runs) == 0 || text(got) != text(want) {
		t.Errorf("%d and %d runs; a tight budget gives other runs, or another order", len(want.Runs), len(got.Runs))
	}
	return want
}

// Root returns the folder of the project: the one with go.mod above the test.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Shared returns the path of a real trace in the folder of shared data. It skips the test, with a message, if
// there is none.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Root(t), "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no real traces beside the project: %v", err)
	}
	return path
}

// SharedFile returns a real trace as an input.
func SharedFile(t testing.TB, name string) *source.File {
	t.Helper()
	path := Shared(t, name)
	files, err := source.FromFS(os.DirFS(filepath.Dir(path)), filepath.Base(path), filepath.Base(path))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %d files, %v", path, len(files), err)
	}
	return files[0]
}

// JSON writes a value for comparison with a golden text.
func JSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
