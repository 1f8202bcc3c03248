package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// keep writes a store of two runs.
func keep(dir string) error {
	w, err := store.Create(dir, store.Options{})
	if err != nil {
		return err
	}
	defer w.Abort() //nolint:errcheck // nothing after Close
	tally := source.NewTally()
	for i, name := range []string{"index", "report"} {
		run := trace.NewRun(fmt.Sprint("r", i))
		run.Name, run.Status = name, trace.Succeeded
		run.Submit, run.End = 0, trace.Instant(i+1)*60_000_000
		tally.Use()
		if err := w.Append(run); err != nil {
			return err
		}
	}
	_, err = w.Close(store.Manifest{Format: "example", TimeBase: source.TimeBaseRelative}, tally)
	return err
}

// A store is written run by run and read part by part. Columns that nobody asks for are not read, and runs that a
// filter leaves out are not yielded.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "web.store")
	if err := keep(folder); err != nil {
		fmt.Println(err)
		return
	}
	s, err := store.Open(os.DirFS(folder))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Manifest().Rows["jobs"], "runs")
	reports := trace.NewFilter()
	reports.Jobs = []string{"report"}
	s = s.Where(reports)
	for part := range s.Parts() {
		for run, err := range s.Runs(context.Background(), part, store.Projection{"jobs.submit", "jobs.end"}) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%s took %.0f s; its status was not read: %q\n", run.ID, run.Completion().Seconds(), run.Status)
		}
	}
	// Output:
	// 2 runs
	// r1 took 120 s; its status was not read: "unknown"
}
