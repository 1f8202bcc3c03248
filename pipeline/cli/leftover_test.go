package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/source/sourcetest"
)

// One run, arrived at 0, ended at 6: a [0,2) and b [0,5) on one core each, then c [5,6) after both. a may end with b:
// it is packed at [3,5). While a runs, 1 of 2 cores could be given away. Events: 0 (arrival, a, b), 2 (a), 5 (b, c), 6
// (c, end). Leftover 1/2 for 2 s, 0 for 4 s: mean 1/6 over time; 3 x 1/2 and 3 x 0 over events; share 2 of 8
// core-seconds.
const oneLeftover = `{"id":"r","name":"n","submit_s":0,"end_s":6,"stages":[{"tasks":1,"cpu":1},{"tasks":1,"cpu":1},{"tasks":1,"parents":[0,1]}],` +
	`"tasks":[{"stage":0,"task":0,"start_s":0,"end_s":2},{"stage":1,"task":0,"start_s":0,"end_s":5},{"stage":2,"task":0,"start_s":5,"end_s":6,"cpu":1}]}` + "\n"

func TestAnalyzeLeftoverByHand(t *testing.T) {
	store := importJSONL(t, oneLeftover)
	got := analyzeJSON(t, store, "--only", "leftover")
	for _, c := range []struct {
		path string
		want float64
	}{
		{"leftover.runs", 1}, {"leftover.attempts", 3}, {"leftover.attempts_moved", 1}, {"leftover.events", 8},
		{"leftover.instants", 4},
		{"leftover.resources.cpu.time_weighted.n", 3}, {"leftover.resources.cpu.time_weighted.mean", 1. / 6},
		{"leftover.resources.cpu.time_weighted.p50", 0}, {"leftover.resources.cpu.time_weighted.max", 0.5},
		{"leftover.resources.cpu.event_weighted.n", 6}, {"leftover.resources.cpu.event_weighted.mean", 0.25},
		{"leftover.resources.cpu.share", 0.25}, {"leftover.resources.cpu.attempts_from_stage", 2},
		{"leftover.correlation.stages.n", 1},
		{"leftover.check.runs", 1}, {"leftover.check.ends_later", 0}, {"leftover.check.child_before_parent", 0},
	} {
		if x := dig(got, c.path); x-c.want > 1e-9 || c.want-x > 1e-9 {
			t.Errorf("%s is %v, want %v", c.path, x, c.want)
		}
	}
	status, text, stderr := call(t, "analyze", store, "--only", "leftover")
	if status != ExitDone || !strings.Contains(text, "leftover: 1 run, 3 attempts, 8 events") ||
		!strings.Contains(text, "cpu, over events") {
		t.Errorf("exit status %d, %s%s", status, text, stderr)
	}
	if status, _, stderr := call(t, "analyze", store, "--memory", "1kB"); status != ExitUsage ||
		!strings.Contains(stderr, "--memory") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

func TestLeftoverNotAvailable(t *testing.T) {
	status, stdout, stderr := call(t, "analyze", "--json", "--only", "leftover",
		importJSONL(t, strings.ReplaceAll(oneLeftover, `,"cpu":1`, "")))
	var got map[string]result.Header
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != ExitDone {
		t.Fatal(err, stderr)
	}
	if h := got["leftover"]; h.Available || !slices.Contains(h.Missing, "tasks.cpu") ||
		slices.Contains(h.Missing, "tasks.start") {
		t.Errorf("available %v, missing %v", h.Available, h.Missing)
	}
}

// Real traces are packed without a breach, or what they lack is named.
func TestLeftoverOfSharedTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	for _, test := range []struct {
		name    string
		missing string // "": available
	}{
		{"spark-eventlogs", ""}, {"hadoop-rumen", ""}, {"hadoop-jhist", ""}, {"alibaba-gpu-2023", ""},
		{"google-2011/cloudsimplus-samples", ""},
		{"alibaba-2018/alibaba_random_50_dags.batch_task.csv", "tasks.start"}, {"hawk-eagle-tr/YH_small.tr",
			"tasks.cpu"},
		{"tpch-jsonl/tpch-2g.jsonl.gz", "tasks.end"}, {"google-2019", "tasks.start"}, {"wta", "tasks.start"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "x.store")
			if status, _, stderr := call(t, "import", "--quiet", "--max-rejects", "100%", "--out", out,
				sourcetest.Shared(t, test.name)); status != ExitDone {
				t.Fatal(stderr)
			}
			status, stdout, stderr := call(t, "analyze", "--json", "--only", "leftover", out)
			if status != ExitDone {
				t.Fatal(stderr)
			}
			var got map[string]*result.Leftover
			if err := json.Unmarshal([]byte(stdout), &got); err != nil {
				t.Fatal(err)
			}
			l := got["leftover"]
			if l.Available != (test.missing == "") || test.missing != "" && !slices.Contains(l.Missing, test.missing) {
				t.Fatalf("available %v, missing %v", l.Available, l.Missing)
			}
			if !l.Available {
				return
			}
			if want := (result.LeftoverCheck{Runs: l.Runs}); l.Runs == 0 || l.Check != want {
				t.Errorf("check %+v of %d runs", l.Check, l.Runs)
			}
			for name, r := range l.Resources {
				if r.Available && r.TimeWeighted.N > 0 && !(r.TimeWeighted.Min >= 0 && r.TimeWeighted.Max <= 1 &&
					float64(r.Share) >= 0 && float64(r.Share) <= 1) {
					t.Errorf("%s: share %v, over time %+v", name, r.Share, r.TimeWeighted)
				}
			}
		})
	}
}
