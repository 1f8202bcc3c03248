package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// threeJobs is a trace of one long and two short jobs.
const threeJobs = "0 3 100.0 100 100 100\n1 2 10 10 10\n2.5 1 4 4\n"

func simulated(t *testing.T, status int, args ...string) (string, string) {
	t.Helper()
	var out, err bytes.Buffer
	if got := Run(context.Background(), append([]string{"simulate", "eagle"}, args...), &out, &err); got != status {
		t.Fatalf("racecard simulate eagle %v ends with %d, want %d: %s", args, got, status, err.String())
	}
	return out.String(), err.String()
}

func TestSimulateEagle(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "three.tr")
	if err := os.WriteFile(trace, []byte(threeJobs), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "results")
	args := []string{trace, "--machines", "3", "--cutoff", "50", "--general", "60", "--compat", "epfl", "--schedulers",
		"eagle,lwl", "--per-job", "--json", "--out", out}
	text, _ := simulated(t, 0, args...)
	var doc result.Eagle
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	// As worked out in the tests of package distributed; job 3 passes job 2, which has 10 s to do, at 11.0015: it ends at
	// 15.0025, job 2 at 25.0035.
	eagle := doc.Schedulers["eagle"]
	for id, want := range map[string]float64{"1": 200.0025, "2": 24.0035, "3": 12.5025} {
		if got := eagle.JCTByJob[id]; got != want {
			t.Errorf("job %s takes %g, want %g", id, got, want)
		}
	}
	if eagle.Short.N != 2 || eagle.Long.N != 1 || eagle.Tasks != 6 || eagle.MakespanS != 200.0025 {
		t.Errorf("got %+v", eagle)
	}
	b, err := result.Load(os.DirFS(out))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Tables["eagle"].Len(); got != 6 {
		t.Errorf("%d rows, want one for each of 3 jobs and 2 schedulers", got)
	}
	if again, _ := simulated(t, 0, append(args, "--parallel", "1")...); again != text {
		t.Error("one simulation at a time gives other numbers")
	}
	people, _ := simulated(t, 0, trace)
	if !strings.Contains(people, "srpt") {
		t.Errorf("got %s", people)
	}
}

func TestSimulateEagleRefusesWhatItCannotDo(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "three.tr")
	if err := os.WriteFile(trace, []byte(threeJobs), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{trace, "--schedulers", "falcon"}, "want one of all, sparrow"},
		{[]string{trace, "--compat", "omega"}, "want epfl"},
		{[]string{trace, "--compat", "epfl", "--schedulers", "srpt"}, "the published simulator has no srpt"},
		{[]string{trace, "--machines", "0"}, "want 1 to 1,048,576"},
		{[]string{trace, "--workers", "3583"}, "the machines of the simulated cluster are --machines"},
		{[]string{trace, "--machines", "3", "--load", "1"}, "not both"},
		{[]string{trace, "--general", "101"}, "at most 100"},
		{[]string{trace, "--misestimate", "1,2,3"}, "one factor or two"},
		{[]string{trace, "--interarrival", "0"}, "want 1us to"},
		{[]string{trace, "--explain", "4711"}, `no job "4711" is simulated`},
		{[]string{trace, "--cutoff", "-1"}, "want 0s to"},
		{[]string{trace, "--schedulers", "eagle,eagle"}, "named twice"},
		{nil, "a store, or trace files"},
	} {
		if _, err := simulated(t, ExitUsage, test.args...); !strings.Contains(err, test.want) {
			t.Errorf("%v: got %s, want %q", test.args, err, test.want)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, []byte(`{"id":"a","stages":[{"tasks":3}]}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := simulated(t, ExitFailed, empty); !strings.Contains(err, "no run can be simulated; left out: no "+
		"submit or start time: 1") {
		t.Errorf("got %s", err)
	}
}

func TestSimulateEagleAssumesWhatItIsTold(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "stages.jsonl")
	const runs = `{"id":"a","stages":[{"tasks":3,"start_s":5,"end_s":25}]}` + "\n" +
		`{"id":"b","stages":[{"durations_s":[4,6]},{"tasks":2}]}` + "\n" + `{"id":"c","submit_s":3}` + "\n"
	if err := os.WriteFile(trace, []byte(runs), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := simulated(t, ExitFailed, trace)
	for _, want := range []string{"--interarrival S draws submissions", "no stages: 1"} {
		if !strings.Contains(err, want) {
			t.Errorf("got %s, want %q", err, want)
		}
	}
	text, _ := simulated(t, 0, trace, "--interarrival", "100", "--stage-times", "--machines", "5", "--schedulers",
		"srpt")
	for _, want := range []string{"2 jobs", "7 tasks", "the durations of 1 stage (2 tasks) are drawn",
		"runs left out: no stages: 1", "3 tasks take as long as the whole stage did", "submissions were drawn, with " +
			"a mean gap of 1 min 40 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %q", text, want)
		}
	}
}

func TestSimulateEagleByStages(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "stages.jsonl")
	// Two tasks of 10 s each on two workers, then, after one that takes no time, one of 5 s.
	const run = `{"id":"r","submit_s":3,"stages":[{"name":"map","durations_s":[10,10]},{"name":"skipped","tasks":1,"duration_s":0,"parents":[0]},{"name":"sum","durations_s":[5],"parents":[1]}]}`
	if err := os.WriteFile(trace, []byte(run+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		stages string
		want   float64
	}{{"--stages=true", 15}, {"--stages=false", 15}} {
		text, _ := simulated(t, 0, trace, test.stages, "--machines", "2", "--cutoff", "50", "--general", "100",
			"--schedulers", "srpt", "--per-job", "--json")
		var doc result.Eagle
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if got := doc.Schedulers["srpt"].JCTByJob["r"]; got != test.want || doc.Workload.Jobs != 1 {
			t.Errorf("%s: the run takes %g s of %d jobs, want %g of one", test.stages, got, doc.Workload.Jobs,
				test.want)
		}
	}
	text, _ := simulated(t, 0, trace, "--stages", "--machines", "3", "--cutoff", "50", "--general", "100",
		"--schedulers", "srpt", "--per-job", "--json")
	if !strings.Contains(text, `"r": 15`) {
		t.Error("the last stage begins before the first has ended")
	}
	if text, _ := simulated(t, 0, trace, "--machines", "3", "--cutoff", "50", "--general", "100", "--schedulers",
		"srpt", "--per-job", "--json"); !strings.Contains(text, `"r": 10`) {
		t.Error("a bag of all tasks waits for something")
	}
}

func TestReportOnSeveralTraces(t *testing.T) {
	dir := t.TempDir()
	var results []string
	for _, name := range []string{"one", "two"} {
		trace := filepath.Join(dir, name+".tr")
		if err := os.WriteFile(trace, []byte(threeJobs), 0o644); err != nil {
			t.Fatal(err)
		}
		results = append(results, filepath.Join(dir, name+".eagle"))
		simulated(t, 0, trace, "--machines", "3", "--cutoff", "50", "--general", "60", "--schedulers", "hawk",
			"--experiment", "sweep", "--runs", "2", "--out", results[len(results)-1])
	}
	report := filepath.Join(dir, "report")
	var out, errs bytes.Buffer
	if got := Run(context.Background(), append([]string{"report", "--out", report}, results...), &out,
		&errs); got != 0 {
		t.Fatalf("racecard report ends with %d: %s", got, errs.String())
	}
	page, err := os.ReadFile(filepath.Join(report, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one.tr, short jobs", "two.tr, long jobs", "On two.tr, short jobs take", "2 seeds",
		"of 6 read"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if _, err := os.Stat(filepath.Join(report, "figures", "eagle-traces.png")); err != nil {
		t.Error(err)
	}

	third := filepath.Join(dir, "three.tr")
	if err := os.WriteFile(third, []byte(threeJobs), 0o644); err != nil {
		t.Fatal(err)
	}
	without := filepath.Join(dir, "three.eagle")
	simulated(t, 0, third, "--machines", "3", "--cutoff", "50", "--general", "60", "--schedulers", "hawk", "--out",
		without)
	errs.Reset()
	if got := Run(context.Background(), []string{"report", "--out", report, results[0], without}, &out,
		&errs); got != ExitFailed ||
		!strings.Contains(errs.String(), "three.tr hold no experiment over cluster sizes") {
		t.Errorf("a report on a trace without sizes ends with %d: %s", got, errs.String())
	}
}

// With --stages, a stage waits from the end of the stages before it on, not from the submission of its run: 2 x 10 s on
// two machines, then 2 x 5 s, and another job of 2 s in between. Two tasks wait 1 s each, under either scheduler.
func TestStagesWaitFromWhenTheyAreReady(t *testing.T) {
	trace := put(t, t.TempDir(), "t.jsonl", `{"id":"A","submit_s":0,"stages":[{"tasks":2,"duration_s":10},`+
		`{"tasks":2,"duration_s":5,"parents":[0]}]}`+"\n"+
		`{"id":"B","submit_s":1,"stages":[{"tasks":1,"duration_s":2}]}`+"\n")
	status, out, stderr := call(t, "simulate", "eagle", trace, "--machines", "2", "--stages", "--cutoff", "100s",
		"--network-delay", "0s", "--schedulers", "srpt,hawk", "--explain", "A")
	if status != ExitDone {
		t.Fatal(stderr)
	}
	for _, scheduler := range []string{"srpt", "hawk"} {
		row := ""
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, scheduler) && strings.Contains(line, "A, stage 2 of 2") {
				row = strings.Join(strings.Fields(line), " ")
			}
		}
		if want := "A, stage 2 of 2 2 17 s 1 s 0 s"; !strings.Contains(row, want) {
			t.Errorf("%s: %q, want %q", scheduler, row, want)
		}
	}
}
