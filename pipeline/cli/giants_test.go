package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/limit"
	"racecard/models/queues/distributed"
)

// giantRun writes a run of many stages, side by side, of one task each, as JSON Lines.
func giantRun(id string, stages int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%q,"name":"giant","submit_s":0,"start_s":0,"end_s":100,"status":"succeeded","stages":[`, id)
	for i := range stages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"durations_s":[1]}`)
	}
	b.WriteString("]}\n")
	return b.String()
}

// TestGiantRunsAreRefused has every command that models or replays runs refuse one that is too large, and say the
// limit.
func TestGiantRunsAreRefused(t *testing.T) {
	store := importJSONL(t, giantRun("a", limit.Profile+1))
	out := filepath.Join(t.TempDir(), "out")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"fit", store, "--job", "giant", "--out", out}, "20,000 stages"},
		{[]string{"fit", store, "--all", "--min-runs", "1", "--out", out}, "20,000 stages"},
		{[]string{"simulate", "jockey", store, "--job", "giant", "--deadline", "45m", "--max-tokens", "9"},
			"20,000 stages"},
		{[]string{"forecast", store, "--job", "giant", "--tokens", "9"}, "20,000 stages"},
		{[]string{"simulate", "carbyne", store}, "more than 10,000 stages: 1; racecard simulate eagle takes"},
	} {
		if status, _, stderr := call(t, test.args...); status != ExitFailed || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit status %d, %s; want %s", test.args, status, stderr, test.want)
		}
	}
	if status, stdout, stderr := call(t, "backtest", store, "--json"); status != ExitDone ||
		!strings.Contains(stdout, "more than 20,000 stages") {
		t.Errorf("backtest: exit status %d, %s%s; want the run left out, with the reason", status, stdout, stderr)
	}
	if status, _, stderr := call(t, "whatif", store, "--run", "a", "--allocations", "1,64"); status != ExitDone {
		t.Errorf("whatif: exit status %d, %s; want an answer", status, stderr)
	}
}

func TestFitWithoutNames(t *testing.T) {
	store := importJSONL(t, `{"id":"a","submit_s":0,"end_s":1,"stages":[{"durations_s":[1]}]}`+"\n")
	status, _, stderr := call(t, "fit", store, "--all", "--min-runs", "1", "--out", filepath.Join(t.TempDir(), "out"))
	if status != ExitFailed || !strings.Contains(stderr, "the runs have no names") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

func TestTablesOfLargePlansAreRefused(t *testing.T) {
	store, models := importJSONL(t, giantRun("a", limit.Table+1)), filepath.Join(t.TempDir(), "models")
	if status, _, stderr := call(t, "fit", store, "--job", "giant", "--out", models); status != ExitDone {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{
		{"table", "build", models, "--out", filepath.Join(t.TempDir(), "tables")},
		{"simulate", "jockey", models, "--job", "giant", "--deadline", "45m", "--max-tokens", "9"},
	} {
		if status, _, stderr := call(t, args...); status != ExitFailed ||
			!strings.Contains(stderr, words.Count(limit.Table+1)+" stages; at most "+words.Count(limit.Table)) {
			t.Errorf("%v: exit status %d, %s", args, status, stderr)
		}
	}
}

func TestTooManyBagsAreRefused(t *testing.T) {
	for _, test := range []struct {
		stages bool
		bags   int
		want   string // "" for none
	}{
		{false, limit.StageBags + 1, ""},
		{true, limit.StageBags, ""},
		{true, limit.StageBags + 1, "a.store has 200,001 bags of tasks or more; at most 200,000 can be taken: choose " +
			"runs with --since and --until"},
	} {
		k := &distributed.Collector{Stages: true}
		run := trace.NewRun("a")
		run.Submit, run.Stages = 0, slices.Repeat([]trace.Stage{{Tasks: 1}}, test.bags)
		k.Add(run)
		k.Stages = test.stages
		if err := tooManyBags("a.store", k); (err == nil) != (test.want == "") || err != nil &&
			!strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%d bags, stages: %v: %v, want %q", test.bags, test.stages, err, test.want)
		}
	}
}

func TestTooManyRecurringJobsAreRefused(t *testing.T) {
	if err := (&recurring{limit.Models, limit.Runs, limit.Runs, "a"}).tooMany(limit.Runs, ""); err != nil {
		t.Errorf("as many as can be modelled are refused: %v", err)
	}
	for _, test := range []struct {
		jobs, runs, most, bound int
		want                    string
	}{
		{500_000, 5_000_000, 10, 700_000,
			"500,000 jobs recur; at most 30,000 can be modelled at once: raise --min-runs, or fit one"},
		{10, 5_000_000, 10, 700_000,
			"have 5,000,000 runs; models can be made of 700,000 at once: raise --min-runs, or fit one, or import part"},
		{10, 600_000, 500_001, 700_000,
			"job \"a\" has 500,001 runs; models can be made of 500,000: choose runs with --since"},
		{1, 100_000, 100_000, 80_000,
			"job \"a\" has 100,000 runs; models can be made of 80,000: choose runs with --since"},
	} {
		if err := (&recurring{test.jobs, test.runs, test.most, "a"}).tooMany(test.bound, ", or fit one"); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%d jobs, %d runs: %v, want %s", test.jobs, test.runs, err, test.want)
		}
	}
}
