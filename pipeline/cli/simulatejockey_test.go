package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// few are arguments of a comparison that takes little time.
func few(args ...string) []string {
	return append([]string{"simulate", "jockey"}, append(args, "--replicates", "1", "--simulations", "20", "--bound",
		"0")...)
}

// Ten runs of 20 tasks of 1 s and one of 4 s after them, on 10 tokens.
func bagStore(t *testing.T) string {
	t.Helper()
	var lines strings.Builder
	for i := range 10 {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"bag","submit_s":%d,"start_s":%d,"end_s":%d,"status":"succeeded","guaranteed":10,`+
			`"stages":[{"name":"a","tasks":20,"duration_s":1},{"name":"b","tasks":1,"duration_s":4,"parents":[0]}]}`+
			"\n", i, 10*i, 10*i, 10*i+6)
	}
	fmt.Fprintln(&lines, `{"id":"once","name":"once","end_s":6,"stages":[{"tasks":1,"duration_s":1}]}`)
	return importJSONL(t, lines.String())
}

func TestSimulateJockeyOfStore(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	t.Parallel()
	store := bagStore(t)
	out, models := filepath.Join(t.TempDir(), "j"), filepath.Join(t.TempDir(), "m")
	decode := func(args ...string) (*result.Jockey, string) {
		t.Helper()
		status, stdout, stderr := call(t, append(few(args...), "--json")...)
		var doc result.Jockey
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || status != ExitDone {
			t.Fatalf("exit status %d, %v: %s", status, err, stderr)
		}
		return &doc, stdout
	}
	doc, one := decode(store, "--workers", "1", "--out", out)
	if _, three := decode(store, "--workers", "3"); one != three {
		t.Error("results depend on the number of workers")
	}
	// One job, two deadlines, nine scenarios. 20 + 4 token-seconds; a path of 1 + 4 s.
	if p := doc.Policies["jockey"]; len(doc.Jobs) != 1 || p.Runs != 18 || doc.Policies["bound"] != nil ||
		len(doc.Sensitive) != 0 || doc.Generated {
		t.Errorf("%+v, %+v", doc.Jobs, p)
	}
	if j := doc.Jobs[0]; j.Job != "bag" || j.Stages != 2 || j.Tasks != 21 || j.WorkS < 20 || j.WorkS > 28 ||
		j.CriticalS < 4 || j.CriticalS > 6 {
		t.Errorf("%+v", j)
	}

	// The folder is one that a report is drawn from.
	var from result.Provenance
	if data, err := os.ReadFile(filepath.Join(out, result.ProvenanceFile)); err != nil ||
		json.Unmarshal(data, &from) != nil || from.Format != "jsonl" ||
		!strings.Contains(from.Command, "simulate jockey") || !strings.Contains(from.Command, "--replicates=1") ||
		strings.Contains(from.Command, "workers") {
		t.Errorf("%+v, %v", from, err)
	}
	report := filepath.Join(t.TempDir(), "r")
	if status, _, stderr := call(t, "report", out, "--out", report); status != ExitDone {
		t.Fatal(stderr)
	}
	if page, err := os.ReadFile(filepath.Join(report, "index.html")); err != nil ||
		!strings.Contains(string(page), "jockey-run-everything") {
		t.Errorf("the report lacks the run, %v", err)
	}

	// The same from models, with a deadline of one's own and every parameter changed.
	if status, _, stderr := call(t, "fit", store, "--all", "--out", models); status != ExitDone {
		t.Fatal(stderr)
	}
	doc, _ = decode(models, "--job", "bag", "--deadline", "12s,2x", "--experiment", "sensitivity", "--max-tokens", "20",
		"--period", "500ms")
	if d := doc.Jobs[0].Deadlines; len(d) != 2 || d[1] != 12 || doc.Options.MaxTokens != 20 ||
		doc.Options.PeriodS != 0.5 || len(doc.Sensitive) < 50 || doc.Sensitive[1].Runs != 18 {
		t.Errorf("deadlines %v, %+v, %d settings", d, doc.Options, len(doc.Sensitive))
	}
	// At least 30 runs: two replicates of 18.
	status, text, stderr := call(t, "simulate", "jockey", models, "--runs", "30", "--simulations", "20")
	for _, want := range []string{"POLICY", "jockey-2012", "bound", " 36 ", "deadline-halved", "above oracle: share"} {
		if status != ExitDone || !strings.Contains(text, want) {
			t.Errorf("exit status %d, %q is not in %s%s", status, want, text, stderr)
		}
	}
}

// Without an argument the jobs are those of the paper, and everything says that they are made up.
func TestSimulateJockeyMadeUp(t *testing.T) {
	if testing.Short() {
		t.Skip("the jobs of the paper take seconds: left out with -short")
	}
	t.Parallel()
	out := filepath.Join(t.TempDir(), "j")
	status, stdout, stderr := call(t, few("--past-runs", "2", "--out", out)...)
	if status != ExitDone || !strings.Contains(stdout, "SYNTHETIC") || !strings.Contains(stdout, "110 ") {
		t.Fatalf("exit status %d, %s%s", status, stdout, stderr)
	}
	b, err := load([]string{out})
	if err != nil {
		t.Fatal(err)
	}
	j, ok := b.Documents["jockey"].(*result.Jockey)
	if !ok || !j.Generated || !b.Provenance.Synthetic || len(j.Jobs) != 7 || b.Tables["jockey"].Len() != 6*126 {
		t.Errorf("%+v", b.Provenance)
	}
}

func TestSimulateJockeyErrors(t *testing.T) {
	store := bagStore(t)
	for want, args := range map[string][]string{
		"unknown command":                        {"simulate", "oxen"},
		"got 2 arguments":                        few(store, store),
		"neither a store nor a folder of models": few(t.TempDir()),
		"want a multiple of the critical path":   few(store, "--deadline", "soon"),
		"\"-2\" needs a unit":                    few(store, "--deadline", "-2"),
		"the critical path alone ends after":     few(store, "--deadline", "1s"),
		"the nearest names are bag, once":        few(store, "--job", "bga"),
		"--experiment all":                       few(store, "--experiment", "all"),
		"--utility most":                         few(store, "--utility", "most"),
		"--indicator":                            few(store, "--indicator", "clock"),
		"slack 0.5":                              few(store, "--slack", "0.5"),
		"--runs 0":                               {"simulate", "jockey", store, "--runs", "0"},
		"--past-runs is for":                     few(store, "--past-runs", "3"),
		"--job, --jobs and --min-runs choose":    few("--job", "A"),
		"--period often: want a duration":        few(store, "--period", "often"),
		"want 1 to 1,000,000":                    few(store, "--max-tokens", "2000000"),
	} {
		if status, _, stderr := call(t, args...); status == ExitDone || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit status %d, %q; want %q", args, status, stderr, want)
		}
	}
	// Jobs without run times of tasks are left out by name.
	whole := importJSONL(t,
		`{"id":"x","name":"whole","submit_s":0,"start_s":0,"end_s":9,"status":"succeeded","stages":[{"tasks":4,"start_s":0,"end_s":9}]}`+"\n")
	if status, _, stderr := call(t, few(whole, "--job", "whole")...); status != ExitFailed ||
		!strings.Contains(stderr, "run times of its tasks are not known") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

// Of many jobs some are drawn, in either world, and of models the same ones as of their store. More jobs have those that
// fewer have.
func TestSimulateJockeyChoosesJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	t.Parallel()
	var lines strings.Builder
	for i := range 96 {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"job-%c","submit_s":%d,"start_s":%d,"end_s":%d,"status":"succeeded",`+
			`"guaranteed":2,"stages":[{"durations_s":[%d,2,3]},{"durations_s":[2],"parents":[0]}]}`+"\n", i,
			'a'+i%8, 10*i, 10*i, 10*i+7, 1+i%3)
	}
	store, models := importJSONL(t, lines.String()), filepath.Join(t.TempDir(), "m")
	mustRun(t, "fit", store, "--all", "--out", models)
	names := func(args ...string) []string {
		t.Helper()
		status, stdout, stderr := call(t, append(few(args...), "--json")...)
		var doc result.Jockey
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || status != ExitDone {
			t.Fatalf("exit status %d, %v: %s", status, err, stderr)
		}
		var names []string
		for _, j := range doc.Jobs {
			names = append(names, j.Job)
		}
		said := strings.Contains(strings.Join(doc.Warnings, ""), fmt.Sprintf("%d jobs of 8, drawn", len(names)))
		if said != (len(names) < 8) {
			t.Errorf("%d jobs: %q", len(names), doc.Warnings)
		}
		return names
	}
	three, five := names(store, "--jobs", "3"), names(store, "--jobs", "5")
	for _, args := range [][]string{{models}, {store, "--world", "recorded"}} {
		if got := names(append(args, "--jobs", "3")...); !slices.Equal(got, three) {
			t.Errorf("%v: %v, want %v", args, got, three)
		}
	}
	if status, _, stderr := call(t, few(models, "--world", "recorded")...); status != ExitUsage ||
		!strings.Contains(stderr, "is a folder of models") {
		t.Errorf("models as recorded: exit status %d, %s", status, stderr)
	}
	for _, job := range three {
		if !slices.Contains(five, job) {
			t.Errorf("%s is among three jobs, not among five: %v", job, five)
		}
	}
	if len(three) != 3 || len(five) != 5 || len(names(store)) != 8 {
		t.Errorf("%v, %v", three, five)
	}
	if other := names(store, "--jobs", "3", "--seed", "2"); slices.Equal(other, three) {
		t.Errorf("seeds 1 and 2 draw %v", other)
	}
}
