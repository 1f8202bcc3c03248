package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"racecard/datasets/generate"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/source/sourcetest"
	"racecard/reports/page"
)

func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{}, ExitDone, ""},
		{[]string{"--help"}, ExitDone, ""},
		{[]string{"version"}, ExitDone, ""},
		{[]string{"formats"}, ExitDone, ""},
		{[]string{"formats", "tr", "--json"}, ExitDone, ""},
		{[]string{"formats", "tr", "swf"}, ExitUsage, "one name"},
		{[]string{"completion", "bash"}, ExitDone, ""},
		{[]string{"gallop"}, ExitUsage, "gallop"},
		{[]string{"formats", "nosuch"}, ExitUsage, "nosuch"},
		{[]string{"import"}, ExitUsage, "--help"},
		{[]string{"import", "x.tr"}, ExitUsage, "out"},
		{[]string{"import", "--nosuch"}, ExitUsage, "nosuch"},
		{[]string{"import", "--out", "o", "--max-rejects", "200%", "x.tr"}, ExitUsage, "--max-rejects"},
		{[]string{"import", "--out", "o", "--memory", "1", "x.tr"}, ExitUsage, "--memory"},
		{[]string{"generate", "nosuch", "--out", dir}, ExitUsage, "nosuch"},
		{[]string{"inspect"}, ExitUsage, "one store"},
		{[]string{"inspect", dir}, ExitFailed, "not a store"},
		{[]string{"inspect", filepath.Join(dir, "nowhere")}, ExitFailed, "nowhere"},
		{[]string{"analyze", dir, "--min-runs", "few"}, ExitUsage, "--min-runs few: want a whole number"},
		{[]string{"simulate", "eagle", dir, "--misestimate", "0.5,x"}, ExitUsage, "--misestimate 0.5,x: \"x\" in a " +
			"list separated by commas: want a number"},
		{[]string{"whatif", dir, "--run", "r", "--allocations", "few"}, ExitUsage, "--allocations few: \"few\" in a " +
			"list separated by commas: want a whole number"},
		{[]string{"simulate", "carbyne", dir, "--weights", "ads"}, ExitUsage, "--weights ads: want names with " +
			"values, such as a=1,b=2"},
		{[]string{"import", "--out", "o", filepath.Join(dir, "nowhere")}, ExitFailed, "no such file or folder"},
		{[]string{"analyze", dir, "--only", "fortune"}, ExitUsage, "fortune"},
		{[]string{"analyze", dir, "--min-runs", "1"}, ExitUsage, "--min-runs"},
		{[]string{"analyze", dir, "--names", "odd"}, ExitUsage, "--names"},
		{[]string{"analyze", dir, "--memory", "1"}, ExitUsage, "--memory"},
		{[]string{"report", dir, "--out", filepath.Join(dir, "r")}, ExitFailed, "a folder of results that racecard " +
			"wrote"},
	} {
		status, _, stderr := call(t, test.args...)
		if status != test.want || !strings.Contains(stderr, test.says) {
			t.Errorf("racecard %s: exit status %d, want %d; stderr %q, want %q in it", strings.Join(test.args, " "),
				status, test.want, stderr, test.says)
		}
	}
}

// importJSONL writes lines to a file, imports it and returns the store.
func importJSONL(t *testing.T, lines string) string {
	t.Helper()
	dir := t.TempDir()
	in, out := put(t, dir, "x.jsonl", lines), filepath.Join(dir, "x.store")
	if status, _, stderr := call(t, "import", "--out", out, in); status != ExitDone {
		t.Fatal(stderr)
	}
	return out
}

// Unix times and times from 0 on in one import are told.
func TestImportOfMixedTimes(t *testing.T) {
	for lines, warned := range map[string]bool{
		`{"id":"a","submit_s":0,"end_s":9}` + "\n" + `{"id":"b","submit_s":1700000000,"end_s":1700000009}` + "\n": true,
		`{"id":"a","submit_s":0,"end_s":9}` + "\n":                                                                false,
		`{"id":"b","submit_s":1700000000,"end_s":1700000009}` + "\n":                                              false,
	} {
		dir := t.TempDir()
		_, stdout, stderr := call(t, "import", "--out", filepath.Join(dir, "x.store"), put(t, dir, "x.jsonl", lines))
		if strings.Contains(stdout, "are mixed") != warned {
			t.Errorf("%s: %s", lines, stderr)
		}
	}
}

// analyzeJSON analyses a store and decodes what is printed.
func analyzeJSON(t *testing.T, args ...string) map[string]map[string]any {
	t.Helper()
	status, stdout, stderr := call(t, append([]string{"analyze", "--json"}, args...)...)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	var got map[string]map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	return got
}

// The hand-worked cases of the analyses, through every layer: text, reader, store, analysis, JSON.
//
// "n" runs ten times, in 1, 2, ..., 10 s: mean 5.5, sum of squared deviations 82.5, CoV sqrt(82.5/9)/5.5 =
// 0.550481883... Inputs 10, 11, 11, 20, 21, 22, 40, 80, 160, 320: groups 10, 11, 11 (times 1, 2, 3: CoV 1/2) and 20,
// 21, 22 (4, 5, 6: 1/5). Each run has stages a (2 tasks of 1 s), b (1 of 3 s), c after both (1 of 2 s): critical path 3
// + 2 = 5 s, input work (2 + 3) / 7.
func TestAnalyzeHandWorkedTrace(t *testing.T) {
	var lines strings.Builder
	for i, input := range []int{10, 11, 11, 20, 21, 22, 40, 80, 160, 320} {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"n","submit_s":%d,"end_s":%d,"input_bytes":%d,"stages":[{"tasks":2,"duration_s":1},{"tasks":1,"duration_s":3},{"tasks":1,"duration_s":2,"parents":[0,1]}]}`+"\n", i, 100, 101+i, input)
	}
	got := analyzeJSON(t, importJSONL(t, lines.String()), "--only", "recurrence,dag")
	if len(got) != 2 {
		t.Errorf("%d analyses, want recurrence and dag", len(got))
	}
	for _, c := range []struct {
		path string
		want float64
	}{
		{"recurrence.recurring", 1}, {"recurrence.runs", 10}, {"recurrence.share_of_runs", 1},
		{"recurrence.cov.n", 1}, {"recurrence.cov.p50", 0.5504818825631803},
		{"recurrence.cov_within.p50", 0.5504818825631803}, {"recurrence.drifting", 0},
		{"recurrence.stragglers.attempts", 40}, {"recurrence.stragglers.share", 0},
		{"recurrence.cov_similar_input.n", 2}, {"recurrence.cov_similar_input.min", 0.2},
		{"recurrence.cov_similar_input.max", 0.5},
		{"recurrence.cov_similar_input.p50", 0.35},
		{"dag.jobs", 10}, {"dag.without_stages", 0}, {"dag.stages.p50", 3}, {"dag.barriers.p50", 1},
		{"dag.synchronisations.p50", 2},
		{"dag.critical_path_stages.max", 2}, {"dag.critical_path_s.p50", 5}, {"dag.critical_path_driver_s.p50", 5},
		{"dag.critical_path_mean_s.p50", 5}, {"dag.level_tasks_max.p50", 3}, {"dag.plans.distinct", 1},
		{"dag.plans.share_of_one", 1},
		{"dag.disjoint_paths.p50", 2}, {"dag.width.p50", 2}, {"dag.input_work.p50", 5.0 / 7},
	} {
		x := dig(got, c.path)
		if diff := x - c.want; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s is %v, want %v", c.path, x, c.want)
		}
	}
}

// dig follows a path of keys to a number.
func dig(doc map[string]map[string]any, path string) float64 {
	keys := strings.Split(path, ".")
	var v any = doc[keys[0]]
	for _, k := range keys[1:] {
		m, ok := v.(map[string]any)
		if !ok {
			return -1e300
		}
		v = m[k]
	}
	x, ok := v.(float64)
	if !ok {
		return -1e300
	}
	return x
}

// Two runs and one that is left out, worked by hand.
//
//	a: 4 tokens guaranteed; attempts 0-4 and 0-2 s: 2 at once, ratio 1/2. The second ran on a spare token.
//	b: 1 token; eleven attempts 0-1 s: ratio 11. None says whether its token was spare.
func TestAnalyzeAllocation(t *testing.T) {
	task := func(n, end int, more string) string {
		return fmt.Sprintf(`{"stage":0,"task":%d,"start_s":0,"end_s":%d%s}`, n, end, more)
	}
	var eleven []string
	for i := range 11 {
		eleven = append(eleven, task(i, 1, ""))
	}
	lines := `{"id":"a","guaranteed":4,"user":"ann","stages":[{"tasks":2}],"tasks":[` + task(0, 4, `,"spare":false`) +
		"," + task(1, 2, `,"spare":true`) + "]}\n" +
		`{"id":"b","guaranteed":1,"user":"bob","stages":[{"tasks":11}],"tasks":[` + strings.Join(eleven, ",") + "]}\n" +
		`{"id":"c","stages":[{"tasks":1}],"tasks":[` + task(0, 1, "") + "]}\n"
	got := analyzeJSON(t, importJSONL(t, lines), "--only", "allocation")
	for path, want := range map[string]float64{
		"allocation.jobs": 2, "allocation.ratio.n": 2, "allocation.ratio.min": 0.5, "allocation.ratio.max": 11,
		"allocation.max_parallelism.max":   11,
		"allocation.share_below_guarantee": 0.5, "allocation.share_above_10x": 0.5, "allocation.spare_share": 0.5,
		"allocation.left_out.without a guarantee": 1,
	} {
		if x := dig(got, path); x != want {
			t.Errorf("%s is %v, want %v", path, x, want)
		}
	}
}

func TestNotAvailableNamesColumns(t *testing.T) {
	store := importJSONL(t, `{"id":"a","submit_s":1,"input_bytes":5}`+"\n")
	status, stdout, stderr := call(t, "analyze", "--json", store)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	var got map[string]result.Header
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"recurrence": "jobs.name", "allocation": "jobs.guaranteed",
		"dag": "stages.stage", "timeline": "tasks.start"} {
		if h := got[name]; h.Available || !strings.Contains(strings.Join(h.Missing, " "), want) {
			t.Errorf("%s: available %v, missing %v, want %s", name, h.Available, h.Missing, want)
		}
	}
	if strings.Contains(stdout, `"cov"`) {
		t.Error("a result that is not available holds numbers")
	}
}

func TestWorkersAndPartsDoNotMatter(t *testing.T) {
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, `{"id":"%d","name":"n%d","submit_s":0,"end_s":%d,"stages":[{"tasks":1,"duration_s":1}]}`+
			"\n", i*7919%60, i%3, 1+i*i%17)
	}
	store := importJSONL(t, lines.String())
	_, one, _ := call(t, "analyze", "--json", "--workers", "1", store)
	for _, n := range []string{"2", "8"} {
		if _, many, _ := call(t, "analyze", "--json", "--workers", n, store); many != one {
			t.Errorf("%s workers give another result", n)
		}
	}
}

// What an analysis reads as columns, when it runs alone, says what the runs say, which it is given beside another.
func TestColumnsSayWhatRunsSay(t *testing.T) {
	dir := t.TempDir()
	status, trace, stderr := call(t, "generate", "jsonl", "--rows", "300", "--out", dir)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	store := filepath.Join(dir, "store")
	if status, _, stderr := call(t, "import", "--out", store, strings.TrimSpace(trace)); status != ExitDone {
		t.Fatal(stderr)
	}
	alone := analyzeJSON(t, store, "--only", "cov", "--min-runs", "2")
	beside := analyzeJSON(t, store, "--only", "cov,dag", "--min-runs", "2")
	if n := dig(alone, "cov.recurring"); n < 2 {
		t.Fatalf("%v jobs recur", n)
	}
	if !reflect.DeepEqual(alone["cov"], beside["cov"]) {
		t.Errorf("alone %v\nbeside dag %v", alone["cov"], beside["cov"])
	}
}

func TestForceAndOverwrite(t *testing.T) {
	dir := t.TempDir()
	in, out := put(t, dir, "x.tr", "0 1 1 1\n"), filepath.Join(dir, "s")
	for i, test := range []struct {
		force bool
		want  int
	}{{false, ExitDone}, {false, ExitFailed}, {true, ExitDone}} {
		args := []string{"import", "--out", out, in}
		if test.force {
			args = append(args, "--force")
		}
		if status, _, stderr := call(t, args...); status != test.want {
			t.Errorf("import %d: exit status %d, want %d: %s", i, status, test.want, stderr)
		}
	}
}

func TestMixedFormats(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.tr", "0 1 1 1\n")
	put(t, dir, "b.jsonl", `{"id":"r"}`+"\n")
	status, _, stderr := call(t, "import", "--out", filepath.Join(t.TempDir(), "s"), dir)
	if status != ExitFailed || !strings.Contains(stderr, "a.tr is of format tr") ||
		!strings.Contains(stderr, "b.jsonl of format jsonl") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	put(t, dir, "b.jsonl", "this is the read-me of the trace\n")
	status, stdout, stderr := call(t, "import", "--out", filepath.Join(t.TempDir(), "s"), dir)
	if status != ExitDone || !strings.Contains(stdout, "passed over") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
}

// Text in UTF-16 is told apart from a trace of no known format, and does not hide in a folder.
func TestUTF16(t *testing.T) {
	const utf16 = "\xff\xfe0\x00 \x001\x00 \x001\x00 \x001\x00\n\x00"
	dir := t.TempDir()
	in := put(t, dir, "a.tr", utf16)
	for _, args := range [][]string{{}, {"--format", "tr"}} {
		status, _, stderr := call(t, append([]string{"import", "--out", filepath.Join(t.TempDir(), "s"), in},
			args...)...)
		if status != ExitFailed || !strings.Contains(stderr, "a.tr: text in UTF-16") ||
			!strings.Contains(stderr, "iconv -f UTF-16 -t UTF-8") {
			t.Errorf("%v: exit status %d: %s", args, status, stderr)
		}
	}
	put(t, dir, "b.tr", "0 1 1 1\n")
	status, stdout, stderr := call(t, "import", "--out", filepath.Join(t.TempDir(), "s"), dir)
	if status != ExitDone || !strings.Contains(stdout, "passed over") ||
		!strings.Contains(stdout, "a.tr: text in UTF-16") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
}

// Every real text trace beside the project imports without a loss: read = used + ignored + rejected.
func TestSharedTracesThroughTheCommandLine(t *testing.T) {
	for _, test := range []struct {
		name        string
		jobs, tasks int64
	}{
		{"hawk-eagle-tr/GOOG_subtrace.tr.gz", 10000, 312558}, {"hawk-eagle-tr/YH1_sub.tr.gz", 2910, 122878},
		{"swim-facebook/FB-2009_samples_24_times_1hr_0.tsv", 5894, 0},
		{"swim-facebook/FB-2010_samples_24_times_1hr_withInputPaths_0.tsv.gz", 25428, 0},
		{"spark-eventlogs/rapids-tools/nds_q72_dataproc_2_2.gz", 1, 13504},
		{"spark-eventlogs/rapids-tools/eventlog_v2_local-1623876083964", 1, -1},
	} {
		path := sourcetest.Shared(t, test.name)
		out := filepath.Join(t.TempDir(), "s")
		if status, _, stderr := call(t, "import", "--out", out, path); status != ExitDone {
			t.Errorf("%s: %s", test.name, stderr)
			continue
		}
		_, stdout, _ := call(t, "inspect", "--json", out)
		var got Inspection
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		r := got.Records
		if got.Rows["jobs"] != test.jobs || test.tasks >= 0 && got.Rows["tasks"] != test.tasks || r.Read != r.Used+
			lists.Total(r.Ignored)+r.Rejected {
			t.Errorf("%s: rows %v, records %+v", test.name, got.Rows, r)
		}
	}
}

func TestInspectShowsThreeRejectsOfEveryReason(t *testing.T) {
	dir := t.TempDir()
	a := put(t, dir, "a.tr", "0 1 1 1\n"+strings.Repeat("0 1 1 x\n", 5)+"0 2 1 1\n")
	b := put(t, dir, "b.tr", "0 1 1 1\n"+strings.Repeat("0 1 1 x\n", 5)+"0 2 1 1\n")
	out := filepath.Join(dir, "s")
	if status, _, stderr := call(t, "import", "--max-rejects", "100%", "--out", out, a, b); status != ExitDone {
		t.Fatal(stderr)
	}
	_, stdout, _ := call(t, "inspect", "--json", out)
	var got Inspection
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Examples) != 5 || got.Examples[0].Reason != "bad number" || got.Examples[3].Line != 7 ||
		got.Examples[4].Raw != "0 2 1 1" {
		t.Errorf("examples %+v", got.Examples)
	}
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "b.tr has the same content as") {
		t.Errorf("warnings %q: the same file twice went unnoticed", got.Warnings)
	}
	if _, text, _ := call(t, "inspect", out); strings.Count(text, "is not a finite number") != 3 ||
		!strings.Contains(text, `"0 2 1 1"`) {
		t.Errorf("inspect prints %s", text)
	}
}

func TestMemory(t *testing.T) {
	for in, want := range map[string]float64{"1GiB": 1 << 30, "512MiB": 512 << 20, "2GB": 2e9, "1.5 GiB": 3 << 29,
		"10000000": 1e7} {
		if got, err := memoryRange().Parse(in); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "1", "GiB", "-1GB", "NaN GB", "1e30GB"} {
		if got, err := memoryRange().Parse(in); err == nil {
			t.Errorf("%q is %v bytes", in, got)
		}
	}
}

func TestGeneratedTracesAreLabelled(t *testing.T) {
	dir := t.TempDir()
	status, stdout, stderr := call(t, "generate", "jsonl", "--rows", "100", "--out", dir)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	out := filepath.Join(t.TempDir(), "s")
	if status, _, stderr := call(t, "import", "--out", out, strings.TrimSpace(stdout)); status != ExitDone {
		t.Fatal(stderr)
	}
	if _, stdout, _ := call(t, "inspect", "--json", out); !strings.Contains(stdout, `"synthetic": true`) {
		t.Error("the store does not say that it is synthetic")
	}
}

// Every kind gives a file or a folder that is imported as it is, without --format and without --synthetic.
func TestGeneratedKindsAreImported(t *testing.T) {
	t.Parallel()
	for _, k := range generate.Kinds() {
		dir := t.TempDir()
		status, stdout, stderr := call(t, "generate", k.Name, "--rows", "500", "--seed", "5", "--out", dir)
		path := strings.TrimSpace(stdout)
		if want := filepath.Join(dir, "synthetic-"+k.Name+"-500-seed5"+k.Ending); status != ExitDone || path != want {
			t.Errorf("%s: exit status %d, path %q, want %q: %s", k.Name, status, path, want, stderr)
			continue
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].IsDir() != k.Folder() {
			t.Errorf("%s: left behind %v, %v", k.Name, left, err)
		}
		out := filepath.Join(t.TempDir(), "s")
		if status, _, stderr := call(t, "import", "--out", out, path); status != ExitDone {
			t.Errorf("%s: %s", k.Name, stderr)
			continue
		}
		_, stdout, _ = call(t, "inspect", "--json", out)
		var got Inspection
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		if got.Format != k.Format || got.Rows["jobs"] == 0 || got.Records.Rejected > 0 || !got.Synthetic {
			t.Errorf("%s: %s", k.Name, stdout)
		}
		want := ExitDone // a file is replaced by the same file
		if k.Folder() {
			want = ExitFailed
		}
		if status, _, stderr := call(t, "generate", k.Name, "--rows", "500", "--seed", "5", "--out",
			dir); status != want {
			t.Errorf("%s again: exit status %d, want %d: %s", k.Name, status, want, stderr)
		}
	}
}

// The demo replaces an earlier one.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("predicts and simulates for seconds")
	}
	t.Parallel()
	out := sampleDemo.in(t)
	stdout, err := os.ReadFile(out + ".txt")
	if want := filepath.Join(out, "report", "index.html") + "\n"; err != nil ||
		!strings.HasSuffix(string(stdout), want) {
		t.Errorf("the last line of %q is not %q", stdout, want)
	}
	desk, err := os.ReadFile(filepath.Join(out, "report", "index.html"))
	if err != nil || !strings.Contains(string(desk), `href="paper.html"`) || !strings.Contains(string(desk), demoJob) {
		t.Errorf("the desk does not lead to the long form, or lacks %s: %v", demoJob, err)
	}
	page, err := os.ReadFile(filepath.Join(out, "report", paperPage))
	if err != nil || !strings.Contains(string(page), "<svg") || strings.Contains(string(page), "job-of-another-demo") {
		t.Errorf("the page holds no figure, or those of the earlier one: %v", err)
	}
	b, err := load([]string{filepath.Join(out, "sample.results")})
	if err != nil || b.Documents["recurrence"].(*result.Recurrence).Runs != 73 || len(b.Documents) < 12 {
		t.Errorf("%d documents, %v", len(b.Documents), err)
	}
	// Its runs compete for cores, and of what is modelled nothing is drawn.
	c, _ := b.Documents["carbyne"].(*result.Carbyne)
	if c == nil || c.Seeds() == nil || len(c.Seeds().Seeds) != 3 {
		t.Fatalf("altruistic scheduling: %+v", c)
	}
	for _, name := range []string{"drf", "tetris", "sjf", "carbyne"} {
		if s := c.Schedulers[name]; s == nil || s.JCT.N != 250 || s.Utilization["cpu"] < 0.85 ||
			c.Seeds().Point(name) == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if len(c.Cluster.Total) != 1 || c.Workload.DrawnDemands["cpu"] != 0 || c.Workload.DrawnDurations != 0 ||
		!strings.Contains(string(page), "altruism would end them") {
		t.Errorf("of %v drawn: %v demands, %d durations; or the page does not say what altruism does", c.Cluster.Total,
			c.Workload.DrawnDemands, c.Workload.DrawnDurations)
	}
	if got := must(t, "inspect", filepath.Join(out, "sample.store")); !strings.Contains(got, "73") {
		t.Errorf("the store is not that of the sample: %s", got)
	}
}

// Where nothing is at stake there is no list of findings, and no rule for their order.
func TestAnalyzeSaysNothingOfNoFindings(t *testing.T) {
	s := importJSONL(t, `{"id":"r","name":"n","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+"\n")
	if got := must(t, "analyze", s, "--only", "dag,recurrence"); !strings.HasPrefix(got,
		"recurrence: 0 recurring jobs") {
		t.Errorf("%q", got)
	}
	if got := must(t, "analyze", sampleStore(t), "--only", "dag,recurrence"); !strings.HasPrefix(got, page.Ranking) {
		t.Errorf("%q", got)
	}
}

// The text of analyze has the warnings of its documents.
func TestAnalyzePrintsWarnings(t *testing.T) {
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, `{"id":"a%d","name":"a","submit_s":0,"end_s":%d,"status":"unknown","stages":[{"tasks":1}]}`+"\n", i,
			10+i)
	}
	got := must(t, "analyze", importJSONL(t, lines.String()), "--only", "cov")
	if !strings.Contains(got, "cov: 1 recurring job, 100% of 12 runs") ||
		!strings.Contains(got, "warning: how 12 of 12 runs ended is not known: they count as succeeded\n") {
		t.Errorf("%s", got)
	}
}
