package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/words"
	"racecard/pipeline/live"
)

// On one token a run of the bag takes some 24 s and, with the luck of its runs, up to 35: of two with 45 s each, one
// fits, and the other could have a deadline of twice the time.
func TestTableAdmit(t *testing.T) {
	dir := t.TempDir()
	models, tables := filepath.Join(dir, "m"), filepath.Join(dir, "t")
	if status, _, stderr := call(t, "fit", bagStore(t), "--all", "--out", models); status != ExitDone {
		t.Fatal(stderr)
	}
	if status, _, stderr := call(t, "table", "build", models, "--out", tables, "--allocations", "1,2,4,20",
		"--replicates", "100"); status != ExitDone {
		t.Fatal(stderr)
	}
	ask := func(args ...string) live.Admission {
		t.Helper()
		status, stdout, stderr := call(t, append([]string{"table", "admit", tables, "--json"}, args...)...)
		var a live.Admission
		err := json.Unmarshal([]byte(stdout), &a)
		want := ExitDone
		if slices.ContainsFunc(a.Jobs, func(j live.Admitted) bool { return !j.Fits }) {
			want = ExitRefused
		}
		if err != nil || status != want {
			t.Fatalf("exit status %d, %v: %s", status, err, stderr)
		}
		return a
	}
	a := ask("--tokens", "1", "bag=45s", "bag=45s")
	if j := a.Jobs; !j[0].Fits || j[0].Tokens != 1 || j[0].FromS != 0 || j[0].ToS < 24 || j[0].ToS > 40 || j[1].Fits ||
		j[1].Tokens != 0 ||
		j[1].EarliestS < 2*j[0].ToS || j[1].EarliestS > 2.2*j[0].ToS {
		t.Errorf("%+v", j)
	}
	// What is refused takes nothing from what comes later.
	if j := ask("--tokens", "1", "bag=45s", "bag=45s", "bag=95s").Jobs; j[1].Fits || !j[2].Fits ||
		j[2].FromS != j[0].ToS {
		t.Errorf("%+v", j)
	}
	// The urgent one comes second, and the first can wait.
	if j := ask("--tokens", "1", "bag=95s", "bag=45s").Jobs; !j[1].Fits || !j[1].Rearranged || j[1].FromS != 0 ||
		j[0].FromS != j[1].ToS {
		t.Errorf("%+v", j)
	}
	// Half done, or started later.
	if j := ask("--tokens", "1", "bag=45s,progress=0.5", "bag=70s,start=20s").Jobs; !j[0].Fits || !j[1].Fits ||
		j[0].ToS > 20 || j[1].FromS != 20 {
		t.Errorf("%+v", j)
	}
	// Two of two get more tokens each, at once.
	if j := ask("--tokens", "2", "bag=45s", "bag=45s").Jobs; !j[0].Fits || !j[1].Fits || j[1].FromS != 0 {
		t.Errorf("%+v", j)
	}
	a = ask("--tokens", "1", "--arrange", "bag=45s", "bag=45s,worth=5")
	if j := a.Jobs; !a.Exact || j[0].Fits || !j[1].Fits || j[0].FromS != j[1].ToS || a.Utility <= 4 || a.Utility >= 6 {
		t.Errorf("%+v", a)
	}

	// The earliest deadline of a job that does not fit is told, and then it fits.
	earliest := words.Deadline(ask("--tokens", "1", "bag=45s", "bag=45s").Jobs[1].EarliestS)
	if j := ask("--tokens", "1", "bag=45s", "bag="+strings.ReplaceAll(earliest, " ", "")).Jobs; !j[1].Fits {
		t.Errorf("%+v with the earliest deadline, %s", j, earliest)
	}

	for _, test := range []struct{ args, want []string }{
		{[]string{"--tokens", "1", "bag=45s", "bag=45s"}, []string{"ANSWER", "fits",
			"does not fit; earliest deadline " + earliest + " as the others stand"}},
		{[]string{"--tokens", "1", "--arrange", "bag=45s", "bag=45s"}, []string{"given up: late"}},
		{[]string{"--tokens", "1", "bag=95s", "bag=45s"}, []string{"fits, others give way"}},
	} {
		status, stdout, stderr := call(t, append([]string{"table", "admit", tables}, test.args...)...)
		for _, want := range test.want {
			refused := strings.Contains(stdout, "does not fit") || strings.Contains(stdout, "late")
			if refused && !strings.Contains(stderr, "1 of 2 jobs does not fit: bag") {
				t.Errorf("%v: %s", test.args, stderr)
			}
			if !strings.Contains(stdout, want) ||
				status != map[bool]int{true: ExitRefused}[refused] {
				t.Errorf("%v: exit status %d, %q is not in %s%s", test.args, status, want, stdout, stderr)
			}
		}
	}
	for want, args := range map[string][]string{
		"wants a folder of tables": {"--tokens", "1"}, "--tokens 0": {"--tokens", "0", "bag=1s"},
		"no deadline":     {"--tokens", "1", "bag"},
		"want a duration": {"--tokens", "1", "bag=soon"}, "progress: want 0% to 100%": {"--tokens", "1",
			"bag=1m,progress=200%"}, "worth: ": {"--tokens", "1", "bag=1m,worth=x"},
		"start: ": {"--tokens", "1", "bag=1m,start=x"}, "nearest names are bag": {"--tokens", "1", "bog=1m"},
		"slack 0": {"--tokens", "1", "--slack", "0", "bag=1m"},
	} {
		if status, _, stderr := call(t, append([]string{"table", "admit", tables}, args...)...); status == ExitDone ||
			!strings.Contains(stderr, want) {
			t.Errorf("%v: exit status %d, %q; want %q", args, status, stderr, want)
		}
	}
}

// Names may hold commas and equals signs.
func TestParseWanted(t *testing.T) {
	for text, want := range map[string]live.Wanted{
		"a=45m":                             {Job: "a", DeadlineS: 2700, Worth: 1},
		"a,b=c=1m30s,start=10s":             {Job: "a,b=c", DeadlineS: 90, StartS: 10, Worth: 1},
		"x,progress=0.25,worth=3,y=1h":      {Job: "x,y", DeadlineS: 3600, Progress: 0.25, Worth: 3},
		"nightly,start=-5m,progress=1=2h":   {},
		"=45m":                              {},
		"a=45m,start=":                      {},
		"sales-rollup-#=50s,worth=0.5":      {Job: "sales-rollup-#", DeadlineS: 50, Worth: 0.5},
		"running=45m,start=-5m,progress=.5": {Job: "running", DeadlineS: 2700, StartS: -300, Progress: 0.5, Worth: 1},
	} {
		got, err := parseWanted(text)
		if (err != nil) != (want == live.Wanted{}) || err == nil && got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}
