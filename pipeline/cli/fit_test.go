package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/models/deadlines/profile"
)

func TestFitSample(t *testing.T) {
	store, out := sampleStore(t), filepath.Join(t.TempDir(), "models")
	status, stdout, stderr := call(t, "fit", store, "--all", "--out", out, "--json")
	if status != ExitDone {
		t.Fatal(stderr)
	}
	var got struct{ Jobs []fittedJob }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	// The README of the sample says runs and stages; run 18 of customer-360 failed.
	want := []struct {
		job    string
		stages int
	}{{"clicks-by-customer", 3}, {"customer-360", 13}, {"page-importance", 14}, {"sales-rollup-#", 3}}
	if len(got.Jobs) != len(want) {
		t.Fatal(stdout)
	}
	for i, w := range want {
		j := got.Jobs[i]
		if j.Job != w.job || j.Stages != w.stages || j.Runs.Used != 18 || j.Plans != 1 || len(j.Warnings) != 0 {
			t.Errorf("%+v, want %+v with 18 runs and one plan", j, w)
		}
		if *j.Below90 < 0.85 || *j.Below90 > 0.95 {
			t.Errorf("%s: %v of durations left out are below p90", j.Job, *j.Below90)
		}
	}
	index, err := modelfile.ReadIndex(os.DirFS(out))
	if err != nil {
		t.Fatal(err)
	}
	var profiles []*modelfile.Profile
	losses := 0
	for _, e := range index.Models {
		p, err := modelfile.Load(os.DirFS(out), e)
		if err != nil {
			t.Fatal(err)
		}
		profiles = append(profiles, p)
		losses += p.Plans[0].Losses.Events
	}
	if losses != 3 {
		t.Errorf("%d executors were lost, the sample lost 3", losses)
	}
	// The stages of customer-360 are numbered otherwise from run to run; the ninth, a job of its own, has one task in
	// all.
	if tasks := profiles[1].Plans[0].Stages[8].Tasks; tasks.Values[0] != 1 || tasks.Values[len(tasks.Values)-1] != 1 {
		t.Errorf("tasks of the stage between the two jobs: %v", tasks.Values)
	}

	status, text, stderr := call(t, "fit", store, "--job", "sales-rollup-2026-11-03", "--out", out)
	if status != ExitDone || !strings.Contains(text, "sales-rollup-#") {
		t.Errorf("exit status %d, %s%s", status, text, stderr)
	}
	if x, err := modelfile.ReadIndex(os.DirFS(out)); err != nil || len(x.Models) != 4 ||
		!strings.Contains(stderr, "keeps the models of other jobs") {
		t.Errorf("models of other jobs do not stay: index %+v, %v, %s", x, err, stderr)
	}
	status, _, stderr = call(t, "fit", store, "--job", "customer", "--out", out)
	if status != ExitFailed || !strings.Contains(stderr, "nearest names are customer-360") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

// Three runs of one task that takes 1 s per GB: at 4 GB it takes 4 s, in one task, and no past run had so much.
func TestFitAtInput(t *testing.T) {
	var lines strings.Builder
	for _, gb := range []int{1, 2, 3} {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"n","end_s":%d,"input_bytes":%d000000000,"stages":[{"name":"a","durations_s":[%d]}]}`+"\n", gb, gb, gb, gb)
	}
	store, out := importJSONL(t, lines.String()), filepath.Join(t.TempDir(), "models")
	status, stdout, stderr := call(t, "fit", store, "--job", "n", "--input", "4GB", "--out", out, "--json")
	var got struct{ Jobs []fittedJob }
	if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
		t.Fatal(err, stderr)
	}
	a := got.Jobs[0].AtInput
	if !a.Extrapolated || math.Abs(float64(a.WorkS.Mean)-4) > 1e-9 || a.Stages[0].Tasks.High != 1 ||
		math.Abs(float64(a.Stages[0].DurationS.Low)-4) > 1e-6 {
		t.Errorf("%+v", a)
	}
	status, text, _ := call(t, "fit", store, "--job", "n", "--input", "4GB", "--out", out)
	if status != ExitDone || !strings.Contains(text, "n with an input of 4 GB: 4 [4] task-seconds") ||
		!strings.Contains(text, "1 s to 3 s") {
		t.Errorf("exit status %d, %s", status, text)
	}
	if status, _, stderr := call(t, "fit", store, "--job", "n", "--input", "lots", "--out", out); status != ExitUsage ||
		!strings.Contains(stderr, "--input") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

func TestFitUsage(t *testing.T) {
	store := importJSONL(t, `{"id":"r","name":"n","end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+"\n")
	out := filepath.Join(t.TempDir(), "m")
	for _, test := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"fit", store, "--out", out}, ExitUsage, "--all"},
		{[]string{"fit", store, "--out", out, "--all", "--job", "n"}, ExitUsage, "--all"},
		{[]string{"fit", store, "--all"}, ExitUsage, "out"},
		{[]string{"fit", store, "--all", "--out", out, "--min-runs", "0"}, ExitUsage, "--min-runs"},
		{[]string{"fit", store, "--all", "--out", out, "--half-life", "-1h"}, ExitUsage, "half-life"},
		{[]string{"fit", store, "--all", "--out", out, "--names", "odd"}, ExitUsage, "--names"},
		{[]string{"fit", store, "--all", "--out", out}, ExitFailed, "10 runs"},
		{[]string{"fit", store, "--job", "n", "--min-runs", "2", "--out", out}, ExitFailed, "--min-runs wants 2"},
		{[]string{"fit", store, "--job", "n", "--out", store}, ExitFailed, "replaces what it made"},
		{[]string{"fit", store, "--job", "n", "--out", out}, ExitDone, ""},
	} {
		status, _, stderr := call(t, test.args...)
		if status != test.want || !strings.Contains(stderr, test.says) {
			t.Errorf("racecard %s: exit status %d, want %d; %q, want %q in it", strings.Join(test.args, " "), status,
				test.want, stderr, test.says)
		}
	}
}

// TestRunsWithoutCompletionTimes: runs with durations of tasks but without an end do not tell how much time passes
// outside tasks. fit and table build say so.
func TestRunsWithoutCompletionTimes(t *testing.T) {
	for _, test := range []struct{ name, ends, want string }{
		{"none", "111", ""},
		{"one", "101", "1 of 3 past runs have no completion time: time outside tasks (start-up, driver, waiting) is " +
			"not counted in those"},
		{"all", "000", "no past run has a completion time: time outside tasks (start-up, driver, waiting) is not " +
			"known and not counted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := ""
			for i, known := range test.ends {
				end := ""
				if known == '1' {
					end = `"end_s":9,`
				}
				lines += fmt.Sprintf(`{"id":"r%d","name":"index","status":"succeeded","submit_s":0,%s`+
					`"stages":[{"durations_s":[1,1.5,1]},{"durations_s":[2],"parents":[0]}]}`+"\n", i, end)
			}
			models := filepath.Join(t.TempDir(), "models")
			for _, args := range [][]string{
				{"fit", importJSONL(t, lines), "--job", "index", "--out", models},
				{"table", "build", models, "--out", filepath.Join(t.TempDir(), "tables"), "--replicates", "5"},
			} {
				status, stdout, stderr := call(t, args...)
				said := strings.Contains(stdout, "completion time")
				if status != ExitDone || said != (test.want != "") || !strings.Contains(stdout, test.want) {
					t.Errorf("%s: exit status %d, %s%s; want %q", args[0], status, stdout, stderr, test.want)
				}
			}
		})
	}
}

// A fit that reads a store several times, since runs would not fit into memory, makes the same models.
func TestFitInGroups(t *testing.T) {
	dir := t.TempDir()
	trace := strings.TrimSpace(mustRun(t, "generate", "jsonl", "--rows", "600", "--out", dir, "--quiet"))
	store := filepath.Join(dir, "store")
	mustRun(t, "import", "--quiet", "--synthetic", "--out", store, trace)
	e := &env{stdout: newScreen(io.Discard), stderr: newScreen(io.Discard), quiet: true}
	fit := func(memory int64) (profiles []*modelfile.Profile, groups int) {
		f := newFitting(e, store, "", 2, profile.DefaultOptions())
		f.memory = memory
		same := func(p *modelfile.Profile) (*modelfile.Profile, error) { return p, nil }
		err := fitEach(t.Context(), f, same, func(p *modelfile.Profile) error {
			profiles = append(profiles, p)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		first, err := f.divide(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return profiles, len(first)
	}
	want, one := fit(keptAtOnce)
	got, several := fit(600_000)
	if one != 1 || several < 3 || len(want) < several {
		t.Fatalf("%d and %d groups of %d jobs", one, several, len(want))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d models differ from %d", len(got), len(want))
	}
}
