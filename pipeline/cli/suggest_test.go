package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// What is mistyped is wrong usage, suggests what was meant, and points to help once.
func TestSuggestions(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"analize"}, "did you mean analyze?"},
		{[]string{"improt", "x"}, "did you mean import?"},
		{[]string{"table", "biuld"}, "did you mean build?"},
		{[]string{"simulate", "eagel"}, "did you mean eagle?"},
		{[]string{"formats", "sprak"}, "did you mean spark?"},
		{[]string{"generate", "goggle2011"}, "did you mean google2011?"},
		{[]string{"fetch", "google2012"}, "did you mean google2011?"},
		{[]string{"import", "--format", "sprak", "--out", "s", dir}, "did you mean spark?"},
		{[]string{"analyze", dir, "--only", "recurence"}, "did you mean recurrence?"},
		{[]string{"table", "build", dir, "--indicator", "totalwrk"}, "did you mean totalwork?"},
		{[]string{"table", "build", dir, "--method", "amdal"}, "did you mean amdahl?"},
		{[]string{"simulate", "jockey", "--utility", "expcted"}, "did you mean expected?"},
		{[]string{"simulate", "carbyne", dir, "--schedulers", "carbine"}, "did you mean carbyne?"},
		{[]string{"simulate", "carbyne", dir, "--experiment", "ofline"}, "did you mean offline?"},
		{[]string{"fit", dir, "--min-rusn", "3"}, "did you mean --min-runs?"},
		{[]string{"forecast", dir, "--slots", "3"}, "did you mean --tokens?"},
		{[]string{"table", "build", dir, "--tokens", "3"}, "did you mean --allocations?"},
		{[]string{"table", "lookup", dir, "--tokens", "3"}, "did you mean --allocation?"},
		{[]string{"simulate", "jockey", "--cores", "3"}, "did you mean --max-tokens?"},
		{[]string{"simulate", "carbyne", "--nodes", "3"}, "did you mean --machines?"},
		{[]string{"analyze", dir, "--output", "r"}, "did you mean --out?"},
		{[]string{"forecast", dir, "--date", "2026-12-06"}, "did you mean --on?"},
		{[]string{"forecast", dir, "--dead", "07:00"}, "did you mean --deadline?"},
		{[]string{"gallop"}, `unknown command "gallop"; see`},
	} {
		status, stdout, stderr := call(t, test.args...)
		if status != ExitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "--help") > 1 {
			t.Errorf("%v: exit status %d, %q, %q; want %q", test.args, status, stdout, stderr, test.want)
		}
	}
}

func TestVersionFlag(t *testing.T) {
	if got, want := must(t, "--version"), must(t, "version"); got != want {
		t.Errorf("--version prints %q, version %q", got, want)
	}
}

// Help of flags is wrapped, and statuses are documented.
func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	help := must(t, "simulate", "carbyne", "--help")
	_, flags, found := strings.Cut(help, "\nWhich runs:")
	if !found {
		t.Fatalf("no flags in the help:\n%s", help)
	}
	for line := range strings.Lines(flags) {
		if len(line) > 81 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
	if help = strings.Join(strings.Fields(must(t, "--help")), " "); !strings.Contains(help,
		"4 a rule was breached or something refused") {
		t.Errorf("help: %s", help)
	}
}

// Of several names each that no run has is told, with the names nearest to it; the others count.
func TestSeveralNamesAreAllFound(t *testing.T) {
	store := importJSONL(t, runsOf("alpha", 3)+runsOf("beta", 2))
	for _, tc := range []struct{ job, told string }{
		{"alpha,beta", ""}, {"alpha,bata", "no run matches --job bata; the nearest names are beta"},
	} {
		status, _, stderr := call(t, "analyze", store, "--only", "cov", "--job", tc.job)
		if status != ExitDone {
			t.Fatalf("%s: status %d, %s", tc.job, status, stderr)
		}
		if strings.Contains(stderr, "warning") != (tc.told != "") || !strings.Contains(stderr, tc.told) {
			t.Errorf("%s: %s", tc.job, stderr)
		}
	}
}

// A job key that does not fit runs is told, with the first of these.
func TestJobKeyThatFitsNoRun(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "x.jsonl", runsOf("alpha", 3)+runsOf("beta", 2))
	for i, tc := range []struct{ key, told string }{
		{"^(.*)-nightly$", "job key: 2 more"}, {"^(alp)", "run beta-0 (beta)"}, {"^([a-z]*)$", ""},
	} {
		text := must(t, "import", "--json", "--out", filepath.Join(dir, fmt.Sprint(i)), "--job-key", tc.key, in)
		if strings.Contains(text, "job key") != (tc.told != "") || !strings.Contains(text, tc.told) {
			t.Errorf("%s: %s", tc.key, text)
		}
	}
}

// Where no run matches, the error tells the nearest names, as `racecard inspect` lists none.
func TestNamesThatNoRunHas(t *testing.T) {
	store := filepath.Join(t.TempDir(), "s")
	runs := put(t, t.TempDir(), "x.jsonl", `{"id":"a","name":"nightly-index","user":"ann","submit_s":0,"end_s":1,`+
		`"stages":[{"tasks":1}]}`+"\n")
	must(t, "import", "--out", store, runs)
	for _, test := range []struct{ flag, value, want string }{
		{"--job", "nightly", "the nearest names are nightly-index"}, {"--user", "bob", "the nearest names are ann"},
		{"--group", "x", "no run has a group"}, {"--since", "+5s", "racecard inspect"},
	} {
		status, _, stderr := call(t, "waste", store, test.flag, test.value)
		if status != ExitFailed || !strings.Contains(stderr, test.want) {
			t.Errorf("%s %s: status %d, %s, want %q", test.flag, test.value, status, stderr, test.want)
		}
	}
}
