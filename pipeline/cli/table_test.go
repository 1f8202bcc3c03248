package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/tablefile"
)

func TestTablesOfSample(t *testing.T) {
	t.Parallel()
	models, dir := sampleModels(t), t.TempDir()
	build := func(name string, args ...string) string {
		t.Helper()
		out := filepath.Join(dir, name)
		args = append([]string{"table", "build", models, "--out", out, "--replicates", "30"}, args...)
		if status, _, stderr := call(t, args...); status != ExitDone {
			t.Fatal(stderr)
		}
		return out
	}
	tables := build("a", "--workers", "1")
	again := build("b", "--workers", "5")
	files, err := os.ReadDir(tables)
	if err != nil || len(files) != 9 {
		t.Fatalf("%d files, %v; want two of each of four jobs, and an index", len(files), err)
	}
	for _, f := range files {
		one, _ := os.ReadFile(filepath.Join(tables, f.Name()))
		other, err := os.ReadFile(filepath.Join(again, f.Name()))
		if err != nil || string(one) != string(other) {
			t.Errorf("%s differs between one worker and five", f.Name())
		}
	}

	status, stdout, stderr := call(t, "table", "lookup", tables, "--job", "sales-rollup-2026-11-03", "--progress",
		"0.257", "--allocation", "2.5", "--json")
	var got lookedUp
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != ExitDone {
		t.Fatal(stderr, err)
	}
	r := got.RemainingS
	if got.Job != "sales-rollup-#" || got.Progress != .257 || got.TableProgress != .25 || got.Allocation != 2.5 ||
		got.Clamped || !got.Interpolated ||
		got.Samples != 30 || len(r) != 7 || !(r["p50"] > 1 && r["p50"] <= r["p90"] && r["p90"] <= r["max"] &&
		r["max"] < 300) {
		t.Errorf("%s", stdout)
	}
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"table", "lookup", tables, "--job", "customer-360", "--progress", "0", "--allocation", "500"},
			[]string{"past runs held 3 tokens", "its answer for", "p99"}},
		{[]string{"table", "lookup", tables, "--job", "customer-360", "--progress", "0", "--allocation", "0.5"},
			[]string{"its answer for 1, times 2: a run takes no longer"}},
		{[]string{"table", "show", tables}, []string{"customer-360", "totalworkWithQ", "18"}},
		{[]string{"table", "show", tables, "--job", "customer-360"},
			[]string{"13 stages", "fitted to 18 runs, ended 2026-11-21", "remaining time, p90", "100%",
				"PROGRESS 0% TO 100%"}},
		{[]string{"inspect", tables}, []string{"page-importance"}},
		{[]string{"inspect", filepath.Join(tables, tableOf(t, tables, "customer-360").File)},
			[]string{"13 stages", "made monotone"}},
		{[]string{"inspect", filepath.Join(tables, tableOf(t, tables, "customer-360").Parquet), "--json"},
			[]string{`"quantile": 0.9`, `"indicator": "totalworkWithQ"`}},
		{[]string{"table", "verify", tables}, []string{"4 tables, 0 failed", "fitted to runs that ended 2026-11-2",
			"whether newer ones still take as long"}},
		{[]string{"table", "verify", tables, "--json"}, []string{`"failed": 0`, `"ok": true`}},
		{[]string{"table", "show", build("c", "--method", "amdahl", "--job", "customer-360", "--apart", "--indicator",
			"cp")}, []string{"Amdahl", "by cp"}},
		{[]string{"table", "show", build("d", "--sampling", "time", "--step", "0.5", "--job", "customer-360",
			"--allocations", "1,3", "--input", "1GiB"), "--json"},
			[]string{`"time_step_s": 0.5`, `"input_bytes": 1073741824`}},
	} {
		status, stdout, stderr := call(t, test.args...)
		for _, want := range test.want {
			if status != ExitDone || !strings.Contains(stdout, want) {
				t.Errorf("racecard %s: exit status %d, %s%s; want %q in it", strings.Join(test.args, " "), status,
					stdout, stderr, want)
			}
		}
	}

	// The shades divide the longest time into ninths: it is the time of the fewest tokens at 0%.
	_, shown, _ := call(t, "table", "show", tables, "--job", "customer-360")
	var longest, shade float64
	for line := range strings.Lines(shown) {
		if after, ok := strings.CutPrefix(line, "  0% "); ok {
			_, err = fmt.Sscanf(after, "%f s", &longest)
		}
		if _, after, ok := strings.Cut(line, "@#' is "); ok {
			_, err = fmt.Sscanf(after, "%f s more", &shade)
		}
	}
	if err != nil || !(math.Abs(9*shade/longest-1) < .03) {
		t.Errorf("a shade of %v s, of at most %v s, %v: %s", shade, longest, err, shown)
	}

	other := build("e", "--job", "customer-360", "--replicates", "30", "--seed", "9")
	if status, stdout, stderr := call(t, "table", "diff", tables, other, "--json"); status != ExitDone ||
		!strings.Contains(stdout, `"change": "changed"`) || strings.Count(stdout, `"change": "removed"`) != 3 {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
	if _, stdout, _ := call(t, "table", "diff", tables, tables); strings.Count(stdout, "same") != 4 {
		t.Errorf("a folder differs from itself: %s", stdout)
	}

	// A table that is damaged is not used, and the others still are.
	broken := filepath.Join(tables, tableOf(t, tables, "customer-360").File)
	data, _ := os.ReadFile(broken)
	data[len(data)/2] ^= 1
	if err := os.WriteFile(broken, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"table", "verify", tables}, {"table", "show", tables, "--job", "customer-360"},
		{"inspect", broken}} {
		want := ExitFailed
		if args[1] == "verify" {
			want = ExitRefused
		}
		if status, _, stderr := call(t, args...); status != want || !strings.Contains(stderr, "damaged") {
			t.Errorf("racecard %s: exit status %d, %s", strings.Join(args, " "), status, stderr)
		}
	}
	if status, _, stderr := call(t, "table", "show", tables, "--job", "page-importance"); status != ExitDone {
		t.Error(stderr)
	}
}

func tableOf(t *testing.T, tables, job string) tablefile.Entry {
	t.Helper()
	x, err := tablefile.ReadIndex(os.DirFS(tables))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range x.Tables {
		if e.Job == job {
			return e
		}
	}
	t.Fatalf("no table of %s", job)
	return tablefile.Entry{}
}

// A job whose simulation would not end is skipped, with the stage and durations that make it so, and the command
// succeeds.
func TestTableOfEndlessJob(t *testing.T) {
	lines := ""
	for i := range 3 {
		lines += fmt.Sprintf(`{"id":"a%d","name":"good","end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+"\n", i)
		lines += fmt.Sprintf(`{"id":"b%d","name":"endless","end_s":9e6,"stages":[{"name":"read","durations_s":[1]},{"name":"join","durations_s":[8.5e6],"parents":[0]},`+
			`{"name":"sum","durations_s":[8.6e6],"parents":[1]}]}`+"\n", i)
	}
	models, out := filepath.Join(t.TempDir(), "m"), filepath.Join(t.TempDir(), "t")
	if status, _, stderr := call(t, "fit", importJSONL(t, lines), "--all", "--min-runs", "3", "--out",
		models); status != ExitDone {
		t.Fatal(stderr)
	}
	status, stdout, stderr := call(t, "table", "build", models, "--out", out, "--replicates", "5")
	if status != ExitDone || !strings.Contains(stdout, `stage 2 ("sum"): 1 task that takes`) ||
		!strings.Contains(stdout, "1 job was skipped") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
	if x, err := tablefile.ReadIndex(os.DirFS(out)); err != nil || len(x.Tables) != 1 || x.Tables[0].Job != "good" {
		t.Errorf("%+v, %v", x, err)
	}
}

// TestTableOfSomeJobs: a job of which no table can be built does not keep another from its table, but fails the
// command.
func TestTableOfSomeJobs(t *testing.T) {
	lines := ""
	for i := range 3 {
		lines += fmt.Sprintf(`{"id":"a%d","name":"good","end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+"\n", i)
		lines += fmt.Sprintf(`{"id":"b%d","name":"idle","end_s":3,"stages":[{"name":"a","durations_s":[0,0]}]}`+"\n", i)
	}
	models, out := filepath.Join(t.TempDir(), "m"), filepath.Join(t.TempDir(), "t")
	if status, _, stderr := call(t, "fit", importJSONL(t, lines), "--all", "--min-runs", "3", "--out",
		models); status != ExitDone {
		t.Fatal(stderr)
	}
	status, stdout, stderr := call(t, "table", "build", models, "--out", out, "--json", "--replicates", "5")
	if status != ExitFailed || !strings.Contains(stderr, "1 job has no table") ||
		!strings.Contains(stdout, "took no time") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
	if x, err := tablefile.ReadIndex(os.DirFS(out)); err != nil || len(x.Tables) != 1 || x.Tables[0].Job != "good" {
		t.Errorf("%+v, %v", x, err)
	}
	if status, _, stderr := call(t, "table", "build", models, "--out", out, "--job", "idle"); status != ExitFailed ||
		!strings.Contains(stderr, "no table can be built") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	if status, _, stderr := call(t, "table", "lookup", out, "--progress", "0", "--allocation",
		"1"); status != ExitDone {
		t.Errorf("the only table needs no name: %s", stderr)
	}
	if err := os.Remove(filepath.Join(models, modelfile.FileName("good"))); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := call(t, "table", "build", models, "--out", out); status != ExitFailed ||
		!strings.Contains(stderr, "no table can be built") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	if status, _, stderr := call(t, "table", "verify", out); status != ExitDone {
		t.Errorf("the older tables are gone: %s", stderr)
	}
}

func TestTableUsage(t *testing.T) {
	t.Parallel()
	models, out := sampleModels(t), filepath.Join(t.TempDir(), "t")
	tables := filepath.Join(t.TempDir(), "tables")
	if status, _, stderr := call(t, "table", "build", models, "--out", tables, "--replicates", "2", "--allocations",
		"1"); status != ExitDone {
		t.Fatal(stderr)
	}
	build := func(args ...string) []string {
		return append([]string{"table", "build", models, "--out", out}, args...)
	}
	lookup := func(args ...string) []string { return append([]string{"table", "lookup", tables}, args...) }
	for _, test := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"table", "make"}, ExitUsage, "make"},
		{[]string{"table", "build", models}, ExitUsage, "out"},
		{[]string{"table", "build", out, "--out", out}, ExitFailed, "racecard fit"},
		{build("--indicator", "work"), ExitUsage, "minstage-inf"},
		{build("--method", "guess"), ExitUsage, "amdahl"},
		{build("--apart"), ExitUsage, "--method amdahl"},
		{build("--allocations", "0"), ExitUsage, "1 to 1,000,000"},
		{build("--allocations", "4,2"), ExitUsage, "ascending"},
		{build("--replicates", "0"), ExitUsage, "--replicates 0"},
		{build("--replicates", "-1"), ExitUsage, "--replicates"},
		{build("--tolerance", "0"), ExitUsage, "tolerance"},
		{build("--quantiles", "1.5"), ExitUsage, "quantile"},
		{build("--sampling", "odd"), ExitUsage, "sampling"},
		{build("--workers", "0"), ExitUsage, "--workers"},
		{build("--input", "much"), ExitUsage, "--input"},
		{build("--job", "customer"), ExitFailed, "customer-360"},
		{[]string{"table", "build", models, "--out", models}, ExitFailed, "replaces what it made"},
		{lookup("--progress", "0"), ExitUsage, "allocation"},
		{lookup("--progress", "1.1", "--allocation", "1"), ExitUsage, "--progress"},
		{lookup("--progress", "0", "--allocation", "0"), ExitUsage, "--allocation"},
		{lookup("--progress", "0", "--allocation", "1"), ExitUsage, "--job"},
		{lookup("--progress", "0", "--allocation", "1", "--job", "custom"), ExitFailed, "customer-360"},
		{[]string{"table", "show", tables, "--quantile", "2"}, ExitUsage, "--quantile"},
		{[]string{"table", "show", models}, ExitFailed, "racecard table build"},
		{[]string{"table", "verify", out}, ExitFailed, "there is no "},
	} {
		status, _, stderr := call(t, test.args...)
		if status != test.want || !strings.Contains(stderr, test.says) {
			t.Errorf("racecard %s: exit status %d, want %d; %q, want %q in it", strings.Join(test.args, " "), status,
				test.want, stderr, test.says)
		}
	}
}

func TestTableExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and what it runs is tested on its own")
	}
	t.Parallel()
	models, dir := sampleModels(t), t.TempDir()
	out := filepath.Join(dir, "explained")
	status, stdout, stderr := call(t, "table", "explain", models, "--job", "customer-360", "--replicates", "20",
		"--runs", "5", "--allocation", "4", "--json", "--out", out)
	var doc result.Remaining
	if err := json.Unmarshal([]byte(stdout), &doc); status != ExitDone || err != nil {
		t.Fatal(stderr, err)
	}
	if doc.Tokens != 4 || doc.Tried != 5 || len(doc.Indicators) != 6 || len(doc.At) < 3 {
		t.Errorf("%.400s", stdout)
	}
	for _, u := range doc.Indicators {
		if !(u.Off > 0 && u.Off < 2 && u.Jumps > 0 && u.Still > 0 && u.Still <= 1) || len(u.Trace) != 100 {
			t.Errorf("%s: error %v, ΔT %v, standstill %v", u.Name, u.Off, u.Jumps, u.Still)
		}
	}
	if status, _, stderr := call(t, "report", out, "--out", filepath.Join(dir, "report")); status != ExitDone {
		t.Fatal(stderr)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report", "index.html"))
	if err != nil || !strings.Contains(string(page), "How long runs still take") ||
		!strings.Contains(string(page), "Progress indicators") {
		t.Errorf("the page lacks the section: %v", err)
	}
	for want, args := range map[string][]string{"say which with --job": {models}, "--allocation -1": {models,
		"--allocation", "-1"}, "no model of job": {models, "--job", "x"}} {
		if status, _, stderr := call(t, append([]string{"table", "explain"}, args...)...); status == ExitDone ||
			!strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %q, want %q", args, status, stderr, want)
		}
	}
}

// Runs of the sample's customer-360 take 40, 32 and 44 s on 1, 2 and 3 tokens, in the median. Times of a table never grow
// with tokens: every answer from it tells why they are the same, and that a table of fewer allocations has 32 s.
func TestTableTellsThatRunsAreSlowerOnMoreTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, "fit", sampleStore(t), "--job", "customer-360", "--out", dir+"/m", "-q")
	must(t, "table", "build", dir+"/m", "--out", dir+"/t", "--allocations", "1,2,3", "-q")
	const want = "warning: runs take 32 s on 2 tokens and 44 s on 3 (medians): as times of a table never grow with tokens, it " +
		"has at least the latter for both; a table of at most 2 tokens has the former\n"
	for _, args := range [][]string{{"show", dir + "/t"}, {"lookup", dir + "/t", "--progress", "0", "--allocation", "1"}} {
		if got := must(t, append([]string{"table"}, args...)...); !strings.Contains(got, want) {
			t.Errorf("table %s: no %q in\n%s", args[0], want, got)
		}
	}
	must(t, "table", "build", dir+"/m", "--out", dir+"/f", "--allocations", "1,2", "-q")
	for allocation, want := range map[string]float64{"1": 40, "2": 32} {
		var got struct {
			RemainingS map[string]float64 `json:"remaining_s"`
		}
		ask(t, &got, "table", "lookup", dir+"/f", "--progress", "0", "--allocation", allocation)
		if p50 := got.RemainingS["p50"]; math.Abs(p50-want) > 1 {
			t.Errorf("a table of 1 and 2 tokens has %v s on %s, want %v", p50, allocation, want)
		}
	}
}

// Four tasks of 10 s on 4 tokens: they end together, and a run that rests at half of its progress held fewer before.
// It needs 10 s more, not none.
func TestLookupWhereNoRunRests(t *testing.T) {
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"n","submit_s":%d,"end_s":%d,"guaranteed":4,"stages":[{"tasks":4,`+
			"\"duration_s\":10}]}\n", i, 100*i, 100*i+10)
	}
	models, tables := filepath.Join(t.TempDir(), "m"), filepath.Join(t.TempDir(), "t")
	must(t, "fit", importJSONL(t, lines.String()), "--all", "--out", models)
	must(t, "table", "build", models, "--out", tables)
	ask := []string{"table", "lookup", tables, "--progress", "0.5", "--allocation"}
	var got lookedUp
	_, stdout, _ := call(t, append(ask, "4", "--json")...)
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.UnfinishedProgress == nil ||
		*got.UnfinishedProgress != 0 || math.Abs(got.UnfinishedS["p50"]-10) > 0.1 || got.RemainingS["p50"] > 0.1 {
		t.Errorf("%v, %s", err, stdout)
	}
	if _, stdout, _ := call(t, append(ask, "4")...); !strings.Contains(stdout, "never rest here: from 0% on") ||
		!strings.Contains(stdout, "AT 0%") {
		t.Errorf("%s", stdout)
	}
	if _, stdout, _ := call(t, append(ask, "2")...); strings.Contains(stdout, "never rest") {
		t.Errorf("%s", stdout)
	}
}
