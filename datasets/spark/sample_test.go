package spark

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// TestSample reads the logs of Spark 4 that the repository carries, and compares them with what the recorder wrote down
// about the applications when it ran them.
func TestSample(t *testing.T) {
	folder := filepath.Join("..", "sample", "logs")
	content, err := os.ReadFile(filepath.Join("..", "sample", "runs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded []struct {
		File, Name string
		Succeeded  bool
		Injected   *struct{ Tasks []int } `json:"injected_failures"`
	}
	if err := json.Unmarshal(content, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, rec := range recorded {
		t.Run(rec.File, func(t *testing.T) {
			logs, err := source.FromFS(os.DirFS(folder), rec.File, rec.File)
			if err != nil {
				t.Fatal(err)
			}
			o := readFiles(t, logs...)
			if len(o.runs) != 1 || len(o.rejects) > 0 || len(o.tally.Repairs) > 0 {
				t.Fatalf("%d runs, rejects %v, repairs %v; want one run", len(o.runs), o.rejects, o.tally.Repairs)
			}
			run := o.runs[0]
			if run.Name != rec.Name || (run.Status == trace.Succeeded) != rec.Succeeded {
				t.Errorf("run %q %s, want %q that succeeded: %v", run.Name, run.Status, rec.Name, rec.Succeeded)
			}
			failed := 0
			for _, a := range run.Attempts {
				if a.Status == trace.Failed {
					failed++
				}
			}
			if rec.Injected != nil && failed == 0 {
				t.Errorf("no attempt failed, though failures were injected into tasks %v", rec.Injected.Tasks)
			}
			if run.InputBytes <= 0 || len(run.Stages) == 0 || len(run.Allocations) == 0 || run.Completion() <= 0 {
				t.Errorf("input %d bytes, %d stages, %d allocations, completion %v; want all of them",
					run.InputBytes, len(run.Stages), len(run.Allocations), run.Completion())
			}
		})
	}
}
