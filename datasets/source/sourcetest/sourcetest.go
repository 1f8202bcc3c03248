// Package sourcetest holds what the tests of all format readers share.
package sourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Result is what a reader made of some files.
type Result struct {
	Runs    []*trace.Run
	Rejects []*source.Reject
	Tally   *source.Tally
	Err     error // ended the stream
}

// Read reads files with a format and checks what must hold of any input: every record is accounted for, rejects are
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

// Shared returns the path of a real trace in the folder of shared data beside the project, and skips the test, saying so,
// where there is none.
func Shared(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", "data", name)
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
