package sample_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/sample"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/trace"
)

// planned is what the manifest says of a run.
type planned struct {
	File             string          `json:"file"`
	App              string          `json:"app"`
	Name             string          `json:"name"`
	InputBytes       int64           `json:"input_bytes"`
	Executors        int64           `json:"executors"`
	InjectedFailures json.RawMessage `json:"injected_failures"`
	ExecutorKilled   *float64        `json:"executor_killed_after_s"`
	Succeeded        bool            `json:"succeeded"`
}

func manifest(t *testing.T) []planned {
	t.Helper()
	var runs []planned
	if err := json.Unmarshal(sample.Runs, &runs); err != nil {
		t.Fatal(err)
	}
	return runs
}

// Every log is one run, and shows what the manifest says was varied: the variance that analyses find has real causes.
func TestLogsShowWhatWasVaried(t *testing.T) {
	perApp := map[string]int{}
	inputs := map[string][]int64{}
	executors := map[int64]bool{}
	for _, p := range manifest(t) {
		files, err := source.FromFS(sample.Logs, p.File, p.File)
		if err != nil {
			t.Fatal(err)
		}
		r := sourcetest.Read(t, spark.Format(), files...)
		if len(r.Runs) != 1 || len(r.Rejects) != 0 || r.Err != nil {
			t.Fatalf("%s: %d runs, rejects %v, %v", p.File, len(r.Runs), r.Rejects, r.Err)
		}
		run := r.Runs[0]
		perApp[p.App]++
		inputs[p.App] = append(inputs[p.App], p.InputBytes)
		executors[p.Executors] = true
		want := trace.Succeeded
		if !p.Succeeded {
			want = trace.Failed
		}
		if run.Status != want || run.Name != p.Name || run.User != "recorder" || run.Guaranteed != p.Executors {
			t.Errorf("%s: status %v, name %q, user %q, guaranteed %d; want %v, %q, %d", p.File, run.Status, run.Name,
				run.User, run.Guaranteed, want, p.Name, p.Executors)
		}
		if run.InputBytes <= 0 || run.OutputBytes <= 0 && p.Succeeded || run.Completion() <= 0 {
			t.Errorf("%s: input %d, output %d, completion %d", p.File, run.InputBytes, run.OutputBytes,
				run.Completion())
		}
		failed, lost := 0, 0
		for _, a := range run.Attempts {
			switch a.Status {
			case trace.Failed:
				failed++
				if a.Reason == "" {
					t.Errorf("%s: an attempt failed without a reason", p.File)
				}
			case trace.Lost:
				lost++
			}
		}
		if string(p.InjectedFailures) != "null" && failed == 0 {
			t.Errorf("%s: failures were injected, none is in the log", p.File)
		}
		if p.ExecutorKilled != nil && lost == 0 {
			t.Errorf("%s: an executor was killed, no attempt was lost", p.File)
		}
	}
	if len(perApp) < 4 || len(executors) < 3 {
		t.Errorf("%d applications on %d sizes of cluster", len(perApp), len(executors))
	}
	for app, n := range perApp {
		slices.Sort(inputs[app])
		if spread := float64(inputs[app][n-1]) / float64(inputs[app][0]); n < 15 || spread < 1.4 || spread > 2.2 {
			t.Errorf("%s: %d runs, the largest input is %.2f times the smallest", app, n, spread)
		}
	}
}

func TestSampleIsSmallAndTellsNoPlaces(t *testing.T) {
	var size int64
	err := fs.WalkDir(sample.Logs, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		if !strings.HasSuffix(name, ".zst") {
			t.Errorf("%s is no log", name)
		}
		return nil
	})
	if err != nil || size > 4<<20 {
		t.Errorf("%d bytes, %v; want at most 4 MiB", size, err)
	}
}
