package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/source/sourcetest"
)

// What users will judge predictions by, on the embedded sample: of the runs 85% to 95% end within p90, the median is
// off by less than 15%, and by less than every simple prediction on most jobs.
func TestBacktestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	t.Parallel()
	b, err := load([]string{filepath.Join(sampleDemo.in(t), "sample.results")}) // the demo predicts as the command does
	if err != nil || b.Tables["backtest"].Len() != 60 {
		t.Fatalf("table of %d runs, %v", b.Tables["backtest"].Len(), err)
	}
	d := b.Documents["backtest"].(*result.Backtest)
	if d.Jobs != 4 || d.Predicted != 60 { // 18 runs each that succeeded, of which the first 3 are only learned from
		t.Errorf("%d runs of %d jobs", d.Predicted, d.Jobs)
	}
	if c := d.Coverage[2]; c.Level != 0.9 || c.Share < 0.85 || c.Share > 0.95 {
		t.Errorf("at most p90: %+v", c)
	}
	if e := d.Errors["racecard"].MedianAbsolute; e >= 0.15 {
		t.Errorf("median absolute error %v", e)
	}
	for _, v := range d.Versus {
		if v.Jobs != 4 || v.Better < 3 {
			t.Errorf("%+v: want better on most of 4", v)
		}
	}
	store, out := sampleStore(t), filepath.Join(t.TempDir(), "results")
	status, stdout, stderr := call(t, "backtest", store, "--last", "2", "--json", "--out", out)
	var got struct{ Backtest result.Backtest }
	if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil || got.Backtest.Jobs != 4 ||
		got.Backtest.Predicted != 8 {
		t.Fatal(err, stderr, stdout)
	}
	if b, err := result.Load(os.DirFS(out)); err != nil || b.Tables["backtest"].Len() != 8 {
		t.Errorf("table of %d runs, %v", b.Tables["backtest"].Len(), err)
	}
	status, text, _ := call(t, "backtest", store, "--job", "sales-rollup-2026-11-03", "--last", "2")
	if status != ExitDone || !strings.Contains(text, "2 runs of 1 recurring job") ||
		!strings.Contains(text, "sales-rollup-#") {
		t.Errorf("exit status %d, %s", status, text)
	}
	status, text, stderr = call(t, "backtest", store, "--job", "sales-rollup-#", "--after", "16", "--replicates", "20")
	if status != ExitDone || !strings.Contains(text, "2 runs of 1 recurring job, each from at least 16 runs") {
		t.Errorf("--after alone, beyond the runs of a recurring job: exit status %d, %s%s", status, text, stderr)
	}
}

func TestBacktestUsage(t *testing.T) {
	store := importJSONL(t, `{"id":"r","name":"n","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+
		"\n")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{store, "--names", "all"}, ExitUsage, "want normalized or raw"},
		{[]string{store, "--min-runs", "1"}, ExitUsage, "want 2 to"},
		{[]string{store, "--replicates", "3"}, ExitUsage, "want 20 to 100,000"},
		{[]string{store, "--job", "m"}, ExitFailed, "no run of job m; the nearest names are n"},
	} {
		if status, _, stderr := call(t, append([]string{"backtest"}, test.args...)...); status != test.status ||
			!strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit status %d, %q, want %q", test.args, status, stderr, test.want)
		}
	}
	if status, stdout, _ := call(t, "backtest", store); status != ExitDone ||
		!strings.Contains(stdout, "not available") {
		t.Errorf("exit status %d, %s", status, stdout)
	}
}

// Runs without times are predicted stage by stage, and it is said so.
func TestBacktestWithoutTimes(t *testing.T) {
	var lines strings.Builder
	for i, tokens := range []int{1, 2, 4, 8} {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"n","guaranteed":%d,"stages":[{"name":"a","durations_s":[%d,%d]}]}`+
			"\n", i, tokens, 8+i, 9+i)
	}
	status, text, stderr := call(t, "backtest", importJSONL(t, lines.String()), "--min-runs", "3")
	if status != ExitDone || !strings.Contains(text, "Task-seconds of a run") ||
		!strings.Contains(text, "no run tells how long it took") {
		t.Errorf("exit status %d, %s%s", status, text, stderr)
	}
}

// Real recurring runs of which stages alone are known are foretold better than by the last run.
func TestBacktestOfSharedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	t.Parallel()
	path := sourcetest.Shared(t, "spark-recurring-jsonl/spark-recurring.jsonl.gz")
	out := filepath.Join(t.TempDir(), "store")
	if status, _, stderr := call(t, "import", "--quiet", "--out", out, path); status != ExitDone {
		t.Fatal(stderr)
	}
	status, stdout, stderr := call(t, "backtest", out, "--min-runs", "3", "--last", "5", "--json")
	var got struct{ Backtest result.Backtest }
	if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
		t.Fatal(err, stderr)
	}
	d := got.Backtest
	if d.Jobs != 11 || d.PerJob[0].Resolution != "stage" ||
		d.Errors["racecard"].MedianAbsolute >= d.Errors["last"].MedianAbsolute {
		t.Errorf("%d jobs by %s, errors %+v", d.Jobs, d.PerJob[0].Resolution, d.Errors)
	}
}
