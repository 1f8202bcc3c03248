package cli

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"racecard/datasets/source/sourcetest"
	"racecard/pipeline/internal/run"
)

// runKills is how often a run is killed: `go test ./pipeline/cli -run RunKilled -run-kills 50`.
var runKills = flag.Int("run-kills", 4, "how many runs of recipes to kill")

// A run that is killed, at any moment and again and again, leaves whole results, and ends with the same bytes.
func TestRunKilled(t *testing.T) {
	killRuns(t, func() kitchen { return newKitchen(t, usualSteps, "a", "b") })
}

// The same for a recipe over six kinds of real traces.
func TestSharedRunKilled(t *testing.T) {
	text := "out: out\ntraces:\n"
	for _, trace := range [][2]string{
		{"recurring", "spark-recurring-jsonl"},
		{"spark", "spark-eventlogs/apache-spark"},
		{"alibaba", "alibaba-2018/alibaba_set_0_6600_dags.batch_task.csv.gz"},
		{"lublin", "swf/lublin_256.swf"},
		{"rumen", "hadoop-rumen/gridmix"},
		{"wta", "wta/shell"},
	} {
		text += fmt.Sprintf("  %s: {paths: %q}\n", trace[0], sourcetest.Shared(t, trace[1]))
	}
	text += `steps:
  results: {analyze: store, only: [recurrence, dag]}
  backtest: {backtest: store, traces: [recurring, rumen]}
  models: {fit: store, all: true, traces: [recurring, rumen]}
  tables: {table build: models, replicates: 5, traces: [recurring, rumen]}
  eagle: {simulate eagle: store, load: 90%, traces: [wta]}
  report: {report: [results]}
`
	killRuns(t, func() kitchen {
		k := kitchen{t, t.TempDir()}
		k.write("racecard.yaml", text)
		return k
	})
}

// killRuns runs a recipe undisturbed, and again with kills. Each kitchen is one in which nothing was done yet.
func killRuns(t *testing.T, newOne func() kitchen) {
	t.Helper()
	calm := newOne()
	begin := time.Now()
	if _, said, status := calm.run(); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	took := time.Since(begin)
	want := calm.bytesOf()
	random := rand.New(rand.NewPCG(1, 2))
	for killed := 0; killed < *runKills; {
		k := newOne()
		for shown := false; !shown && killed < *runKills; killed++ {
			cmd := racecard(t, "run", filepath.Join(k.dir, "racecard.yaml"), "--quiet")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(random.Float64() * float64(took) * 0.35))
			if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			shown = len(k.bytesOf()) > 0 // a view is shown whole
		}
		record, said, status := k.run()
		if status != 0 {
			t.Fatalf("after kill %d: status %d: %s", killed, status, said)
		}
		t.Logf("after %d kills %d of %d steps were left", killed, len(stepsIn(record, run.Done)), len(record.Steps))
		got := k.bytesOf()
		for name, sum := range want {
			if got[name] != sum {
				t.Errorf("%s differs from an undisturbed run's", name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d files, want %d", len(got), len(want))
		}
	}
}

func TestRunsAtOnce(t *testing.T) {
	k := newKitchen(t, usualSteps, "a")
	k.write("slow.jsonl", runsOf("slow", 300))
	text, err := os.ReadFile(filepath.Join(k.dir, "racecard.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	k.write("racecard.yaml", strings.Replace(string(text), "a.jsonl", "[a.jsonl, slow.jsonl]", 1))
	first := racecard(t, "run", filepath.Join(k.dir, "racecard.yaml"), "--quiet")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(k.dir, "out", "vault.lock")
	for {
		if text, err := os.ReadFile(lock); err == nil && len(text) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	// The first run is held while the second one looks, however fast it is.
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_, said, status := k.run()
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("in use by process %d on ", first.Process.Pid); status != ExitFailed ||
		!strings.Contains(said, want) {
		t.Errorf("status %d: %s, want 1 and %q", status, said, want)
	}
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
}
