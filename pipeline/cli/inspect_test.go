package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/alibaba2017"
	"racecard/datasets/alibaba2018"
	"racecard/datasets/google2011"
	"racecard/datasets/jsonl"
	"racecard/datasets/mapreduce"
	"racecard/datasets/pai"
	"racecard/datasets/philly"
	"racecard/datasets/spark"
	"racecard/datasets/swf"
	"racecard/datasets/wfformat"
	"racecard/datasets/wta"
)

// inspectJSON inspects a store and decodes what is printed.
func inspectJSON(t *testing.T, args ...string) *Inspection {
	t.Helper()
	status, stdout, stderr := call(t, append([]string{"inspect", "--json"}, args...)...)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	var got Inspection
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	return &got
}

// odd is a trace of 30 runs of one minute each, of which r3 has an attempt that begins 5 s before the run was
// submitted, and r4 a child that begins 7 s before its parent ended. No run has a user.
func odd() string {
	var b strings.Builder
	for i := range 30 {
		at, first, child := 1_700_000_000+100*i, 2, 32
		if i == 3 {
			first = -5
		}
		if i == 4 {
			child = 23
		}
		fmt.Fprintf(&b, `{"id":"r%d","name":"n%d","submit_s":%d,"start_s":%d,"end_s":%d,"stages":[{"tasks":1,"start_s":%d,"end_s":%d},`+
			`{"tasks":1,"parents":[0],"start_s":%d,"end_s":%d}],"tasks":[{"stage":0,"task":0,"attempt":0,"start_s":%d,"end_s":%d,"status":"succeeded"}]}`+"\n",
			i, i%4, at, at+1, at+60, at+2, at+30, at+child, at+59, at+first, at+30)
	}
	return b.String()
}

func TestInspectFindsOddities(t *testing.T) {
	store := importJSONL(t, odd())
	got := inspectJSON(t, store)
	want := map[string]string{
		"attempt-before-submit": "warn Attempts start before their run was submitted: 1 of 30 attempts (3.3%), by " +
			"up to 5 s. r3/0/0/0 (5 s)",
		"attempt-before-stage": "warn Attempts start before their stage: 1 of 30 attempts (3.3%), by up to 7 s. " +
			"r3/0/0/0 (7 s)",
		"stage-before-parent": "warn Stages start before their parent ended: 1 of 30 edges from all tasks to all " +
			"(3.3%), by up to 7 s. r4/1 (7 s)",
		"stages-without-attempts": "warn Stages have no attempt, although the trace holds attempts: 30 of 60 stages " +
			"(50%), in 30 runs. r0/1 r1/1 r10/1",
		"coarse-clock":  "info All times are whole multiples of 1 s apart.",
		"zone-unknown":  "info Dates and times are written in UTC.",
		"without-user":  "info Runs have no user: all 30 runs.",
		"without-group": "info Runs have no group: all 30 runs.",
		"constant-columns": "info Columns hold one value only: 1 of 3 columns of at least ten values (33%): " +
			"stages.tasks = 1.",
	}
	for _, d := range got.Findings {
		said := strings.Join(append([]string{d.Severity, d.Text}, d.Examples...), " ")
		if said != want[d.ID] || d.Means == "" {
			t.Errorf("%s: %q, want %q", d.ID, said, want[d.ID])
		}
		delete(want, d.ID)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
	if got.Health == nil || got.Health.Runs != 30 || got.Health.Clock.ResolutionS != 1 ||
		got.Health.Coverage.Base != "unix" {
		t.Errorf("health %+v", got.Health)
	}
	if got.Format != "jsonl" || got.Rows["jobs"] != 30 || got.Columns["jobs"]["user"] != 0 || got.From == nil ||
		*got.From != 1_700_000_000_000_000 {
		t.Errorf("inspection %+v", got)
	}

	status, text, stderr := call(t, "inspect", store)
	for _, part := range []string{"findings: 4 warnings, 5 notes", "runs arriving     ", "tables\n", "values\n",
		"such as r3/0/0/0 (5 s)"} {
		if status != ExitDone || !strings.Contains(text, part) {
			t.Errorf("%q is not in %s%s", part, text, stderr)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "\033") {
			t.Errorf("colour in %q, which is not for a terminal", line)
		}
	}
}

func TestInspectQuickReadsNothing(t *testing.T) {
	store := importJSONL(t, odd())
	damage(t, store, "tasks/part-00000.parquet")
	got := inspectJSON(t, "--quick", store)
	if got.Health != nil || got.Findings != nil || got.Rows["jobs"] != 30 {
		t.Errorf("inspection %+v", got)
	}
	_, text, _ := call(t, "inspect", "--quick", store)
	if strings.Contains(text, "findings") || !strings.Contains(text, "time: 2023-11-14 22:13 UTC") {
		t.Errorf("inspect --quick prints %s", text)
	}
	if status, _, stderr := call(t, "inspect", store); status != ExitFailed ||
		!strings.Contains(stderr, "tasks/part-00000.parquet") {
		t.Errorf("a damaged store: exit status %d: %s", status, stderr)
	}
}

// What the import rejected and mended is explained and judged.
func TestInspectExplainsRecords(t *testing.T) {
	lines := strings.Repeat(`{"id":"a","start_s":5,"end_s":1}`+"\n", 2) +
		`{"id":"b","stages":[{"tasks":1,"parents":[0]}]}` + "\n"
	dir := t.TempDir()
	in, out := put(t, dir, "x.jsonl", lines), filepath.Join(dir, "s")
	if status, _, stderr := call(t, "import", "--max-rejects", "100%", "--out", out, in); status != ExitDone {
		t.Fatal(stderr)
	}
	got := inspectJSON(t, out)
	if got.Explanations["end before start"] == "" {
		t.Errorf("explanations %v", got.Explanations)
	}
	var found []string
	for _, d := range got.Findings {
		found = append(found, d.Severity+" "+d.ID)
	}
	for _, want := range []string{"bad duplicate-ids", "warn cycles", "warn reversed-times", "bad rejected-records"} {
		if !slices.Contains(found, want) {
			t.Errorf("%s is not among %v", want, found)
		}
	}
}

// A reason that first occurs behind thousands of others has its examples, too.
func TestExamplesOfRareRejects(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "a.tr", "0 1 1 1\n"+strings.Repeat("0 1 1 x\n", 9000)+"0 2 1 1\n0 1 1 1\n")
	out := filepath.Join(dir, "s")
	if status, _, stderr := call(t, "import", "--max-rejects", "100%", "--out", out, in); status != ExitDone {
		t.Fatal(stderr)
	}
	got := inspectJSON(t, out)
	if len(got.Examples) != 4 || got.Examples[3].Line != 9002 || got.Examples[3].Raw != "0 2 1 1" {
		t.Errorf("examples %+v", got.Examples)
	}
}

// The machines of the trace reach the checks.
func TestInspectKnowsMachines(t *testing.T) {
	info := func(id, finish int) string {
		return fmt.Sprintf(`"Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":%d,"Index":%d,"Attempt":0,"Launch Time":%d,"Executor ID":"1",`+
			`"Host":"w1","Locality":"ANY","Speculative":false,"Getting Result Time":0,"Finish Time":%d,"Failed":false,"Killed":false}`, id, id, 2000+id, finish)
	}
	stage := `"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"s","Number of Tasks":2,"RDD Info":[],"Parent IDs":[],"Submission Time":1500`
	log := []string{
		`{"Event":"SparkListenerApplicationStart","App Name":"n","App ID":"app-1","Timestamp":1000,"User":"u"}`,
		`{"Event":"SparkListenerExecutorAdded","Timestamp":1100,"Executor ID":"1","Executor Info":{"Host":"w1","Total Cores":2,"Log Urls":{}}}`,
		`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1400,"Stage Infos":[{` + stage +
			`}],"Stage IDs":[0]}`,
		`{"Event":"SparkListenerStageSubmitted","Stage Info":{` + stage + `}}`,
		`{"Event":"SparkListenerTaskStart",` + info(0, 0) + `}`,
		`{"Event":"SparkListenerTaskStart",` + info(1, 0) + `}`,
		`{"Event":"SparkListenerTaskEnd","Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},` +
			info(0, 3000) + `}`,
		`{"Event":"SparkListenerExecutorRemoved","Timestamp":3500,"Executor ID":"1","Removed Reason":"lost"}`,
		`{"Event":"SparkListenerTaskEnd","Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},` +
			info(1, 4250) + `}`,
		`{"Event":"SparkListenerStageCompleted","Stage Info":{` + stage + `,"Completion Time":4300}}`,
		`{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":4400,"Job Result":{"Result":"JobSucceeded"}}`,
		`{"Event":"SparkListenerApplicationEnd","Timestamp":5000}`,
	}
	dir := t.TempDir()
	in, out := put(t, dir, "app-1", strings.Join(log, "\n")+"\n"), filepath.Join(dir, "s")
	if status, _, stderr := call(t, "import", "--out", out, in); status != ExitDone {
		t.Fatal(stderr)
	}
	for _, d := range inspectJSON(t, out).Findings {
		if d.ID == "outside-machine-lifetime" {
			if want := "1 of 2 attempts (50%), by up to 750 ms."; !strings.HasSuffix(d.Text, want) ||
				d.Examples[0] != "app-1/0/1/0 (w1/1 and 750 ms)" {
				t.Errorf("%q with %q, want %q", d.Text, d.Examples, want)
			}
			return
		}
	}
	t.Error("nobody noticed that a task ended after its executor")
}

// What is explained is a kind of repair of some format: nobody renamed it.
func TestExplanationsAreOfRepairs(t *testing.T) {
	for _, kind := range []string{
		alibaba2017.RepairZero, alibaba2017.RepairOpen, alibaba2017.RepairEnd, alibaba2017.RepairRetry,
		alibaba2017.RepairNoTaskRow,
		alibaba2018.RepairUnfinished, alibaba2018.RepairEnd, alibaba2018.RepairUnknownParent,
		alibaba2018.RepairAmbiguous, alibaba2018.RepairCycle,
		google2011.RepairBefore, google2011.RepairAfter, google2011.RepairCensored, google2011.RepairLostEnd,
		google2011.RepairNoStart,
		google2011.RepairTwice, google2011.RepairWindow, google2011.RepairUsage, google2011.RepairAway,
		jsonl.RepairEndBeforeStart,
		mapreduce.RepairZero, mapreduce.RepairTime, mapreduce.RepairStatus, mapreduce.RepairAttemptEnd,
		mapreduce.RepairJobEnd,
		mapreduce.RepairTaskCount, mapreduce.RepairNumber,
		pai.RepairZero, pai.RepairEnd, pai.RepairCut, pai.RepairNoJobRow, pai.RepairNoTaskRow, pai.RepairWorker, pai.RepairNoName,
		philly.RepairEnd,
		spark.RepairUTF8, spark.RepairTime, spark.RepairTaskEnd, spark.RepairNoFinish, spark.RepairStageEnd,
		spark.RepairStageSubmit,
		spark.RepairJobEnd, spark.RepairRunEnd, spark.RepairRunSubmit, spark.RepairTaskCount, spark.RepairDriver,
		swf.RepairWait, swf.RepairRun, swf.RepairMemory, swf.RepairProcs,
		wfformat.RepairDate, wfformat.RepairMakespan, wfformat.RepairNegative, wfformat.RepairNoTask,
		wfformat.RepairNoSuchTask, wfformat.RepairEdges,
		wta.RepairNegative, wta.RepairUnknownParent, wta.RepairCycle, wta.RepairSubmit,
	} {
		if explain(kind) == "" {
			t.Errorf("%q has no explanation", kind)
		}
	}
	if explain("something new") != "" {
		t.Error("what nobody knows is explained")
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []float64
		n      int
		sum    bool
		per    int
		want   string
	}{
		{[]float64{0, 1, 4, 8}, 4, true, 1, " ▁▄█"},
		{[]float64{0, 0}, 4, true, 1, "  "},
		{[]float64{1, 1, 1, 1, 2}, 3, true, 2, "███"},  // 2, 2, 2
		{[]float64{1, 1, 1, 1, 2}, 3, false, 2, "███"}, // 1, 1, 1: nothing is known after the last value
		{[]float64{1000, 1}, 64, true, 1, "█▁"},
		{nil, 64, true, 1, ""},
	} {
		cells, per := resample(c.values, c.n, c.sum)
		if got := sparkline(cells); got != c.want || per != c.per {
			t.Errorf("%v in %d: %q, %d to a cell, want %q, %d", c.values, c.n, got, per, c.want, c.per)
		}
	}
}

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 9, []string{""}}, {"a bb ccc", 9, []string{"a bb ccc"}}, {"a bb ccc", 4, []string{"a bb", "ccc"}},
		{"wonderful e", 4, []string{"wonderful", "e"}}, {"éé éé", 5, []string{"éé éé"}},
		{"a 5\u00a0% b", 5, []string{"a 5 %", "b"}},
		{"in 6 min 46 s", 9, []string{"in", "6 min 46 s"}}, {"on 2026-03-12", 20, []string{"on 2026-03-12"}},
	} {
		if got := wrapped(c.text, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// damage changes a byte in the middle of a file of a store.
func damage(t *testing.T, store, name string) {
	t.Helper()
	path := filepath.Join(store, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
