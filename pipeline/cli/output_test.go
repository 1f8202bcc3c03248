package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// entries lists what is in a folder, hidden or not.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// smallStore imports twelve runs of one job.
func smallStore(t *testing.T) string {
	t.Helper()
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"n","submit_s":%d,"end_s":%d,"stages":[{"name":"a","durations_s":[4,5]}]}`+"\n", i, 10*i, 10*i+5)
	}
	return importJSONL(t, lines.String())
}

// A command replaces its own documents in a folder and no others.
func TestResultsOfOtherCommandsStay(t *testing.T) {
	t.Parallel()
	s, out := sampleStore(t), filepath.Join(t.TempDir(), "results")
	must(t, "analyze", s, "--only", "recurrence,dag,leftover", "--out", out)
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"dag.json", "dag.parquet", "leftover.json", "leftover.parquet", "notes.txt", "provenance.json",
		"recurrence.json", "recurrence.parquet"}
	for _, command := range [][]string{
		{"analyze", s, "--only", "recurrence"},
		{"backtest", s, "--replicates", "20", "--last", "2"},
		{"whatif", s, "--run", firstRun(t, s)},
		{"simulate", "eagle", s, "--machines", "4", "--schedulers", "eagle"},
		{"simulate", "carbyne", s, "--machines", "5", "--capacity", "cpu=4", "--jobs", "10", "--interarrival", "2"},
		{"table", "explain", sampleModels(t), "--job", "page-importance", "--replicates", "5", "--runs", "2"},
	} {
		must(t, append(command, "--out", out)...)
		for _, name := range want {
			if !slices.Contains(entries(t, out), name) {
				t.Errorf("%v removed %s", command[:2], name)
			}
		}
	}
	for _, name := range []string{"backtest.json", "whatif.json", "eagle.json", "carbyne.json", "remaining.json"} {
		if !slices.Contains(entries(t, out), name) {
			t.Errorf("%s is not there", name)
		}
	}
	report := filepath.Join(t.TempDir(), "report")
	must(t, "report", out, "--out", report)
	if err := os.WriteFile(filepath.Join(report, "notes.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "report", out, "--out", report)
	if !slices.Contains(entries(t, report), "notes.txt") {
		t.Error("report removed a file of somebody else")
	}

	// Results of another trace are not mixed with these.
	other := smallStore(t)
	before := entries(t, out)
	status, _, stderr := call(t, "analyze", other, "--only", "recurrence", "--out", out)
	if status != ExitFailed || !strings.Contains(stderr, "holds results of sample.store (backtest, carbyne, dag") {
		t.Errorf("results of another trace: exit status %d, %s", status, stderr)
	}
	if after := entries(t, out); !slices.Equal(before, after) {
		t.Errorf("%v, before %v", after, before)
	}
	// What is replaced is said first.
	if _, _, stderr := call(t, "analyze", s, "--only", "dag", "--out", out); !strings.Contains(stderr,
		"dag will be replaced") {
		t.Errorf("nothing is said of what is replaced: %s", stderr)
	}
}

// firstRun returns the id of a run of a store.
func firstRun(t *testing.T, path string) string {
	t.Helper()
	s, err := openStore(path)
	if err != nil {
		t.Fatal(err)
	}
	for run, err := range s.Runs(t.Context(), 0, nil) {
		if err != nil {
			t.Fatal(err)
		}
		return run.ID
	}
	t.Fatal("no runs")
	return ""
}

// A table that is built again replaces the one of its job.
func TestTablesOfOtherJobsStay(t *testing.T) {
	models, out := sampleModels(t), filepath.Join(t.TempDir(), "tables")
	build := []string{"table", "build", models, "--allocations", "2", "--replicates", "5", "--out", out}
	must(t, build...)
	before := entries(t, out)
	must(t, append(build, "--job", "page-importance")...)
	if after := entries(t, out); !slices.Equal(before, after) || len(after) != 9 {
		t.Errorf("%v, before %v", after, before)
	}
	if text := must(t, "table", "verify", out); !strings.Contains(text, "4 tables, 0 failed") {
		t.Errorf("verify says %s", text)
	}
}

// A link to a folder stays one.
func TestOutputsFollowLinks(t *testing.T) {
	top := t.TempDir()
	link := filepath.Join(top, "latest")
	if err := os.Symlink("tonight", link); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		must(t, "analyze", sampleStore(t), "--only", "dag", "--out", link)
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Fatalf("the link is replaced by a folder: %v", err)
		}
		if got := entries(t, top); !slices.Equal(got, []string{"latest", "tonight"}) {
			t.Errorf("%v", got)
		}
	}
}

// Who reads tables while they are built again is told nothing of damage.
func TestReadersOfTablesThatAreReplaced(t *testing.T) {
	t.Parallel()
	models, out := sampleModels(t), filepath.Join(t.TempDir(), "tables")
	build := []string{"table", "build", models, "--allocations", "2", "--replicates", "2", "--out", out}
	must(t, build...)
	var wait sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if status, stdout, stderr := call(t, "table", "verify", out); status != ExitDone {
					t.Errorf("exit status %d, %s%s", status, stdout, stderr)
					return
				}
			}
		})
	}
	defer wait.Wait()
	defer close(done)
	for range 10 {
		must(t, build...)
	}
}
