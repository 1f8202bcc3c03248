package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
)

func TestCheckTellsOnlyWhatIsNew(t *testing.T) {
	store := plantedNights(t)
	state := filepath.Join(t.TempDir(), "state")
	check := func(want int, args ...string) (doc result.Check) {
		t.Helper()
		status, stdout, stderr := call(t, append([]string{"check", store, "--json", "--now", "end"}, args...)...)
		if status != want {
			t.Fatalf("%v: status %d, want %d: %s %s", args, status, want, stdout, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	named := func(all []result.Breach) string {
		var names []string
		for _, b := range all {
			names = append(names, b.Rule+" "+b.Job)
		}
		return strings.Join(names, ", ")
	}
	first := check(ExitRefused, "--state", state)
	for _, job := range []string{"nightly-growth", "nightly-cores", "nightly-join"} {
		if !strings.Contains(named(first.Breaches), "slower "+job) {
			t.Errorf("no breach of %s: %s", job, named(first.Breaches))
		}
	}
	if len(first.Breaches) != 3 {
		t.Errorf("got %s", named(first.Breaches))
	}
	if again := check(ExitDone, "--state", state); len(again.Breaches) != 0 || len(again.Known) != 3 {
		t.Errorf("again: new %s, known %s", named(again.Breaches), named(again.Known))
	}
	rules := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(rules, []byte("slower: 50%\nignore: [nightly-g*]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fewer := check(ExitDone, "--state", state, "--rules", rules); named(fewer.Known) != "slower nightly-cores" ||
		len(fewer.Ended) != 2 {
		t.Errorf("with rules: known %s, ended %s", named(fewer.Known), named(fewer.Ended))
	}
	if late := check(ExitRefused, "--rules", rules, "--state", state, "--deadline",
		"nightly-join=4m"); named(late.Breaches) != "deadline nightly-join" {
		t.Errorf("with a deadline: %s", named(late.Breaches))
	}
}

func TestCheckFormats(t *testing.T) {
	store := plantedNights(t)
	for format, want := range map[string]string{
		"text": "slower    nightly-cores: median", "github": "::error title=racecard%3A slower::nightly-cores: median",
		"prometheus": `racecard_breach{store="n.store",rule="slower",job="nightly-cores"} 1` + "\n",
	} {
		status, stdout, _ := call(t, "check", store, "--now", "end", "--format", format)
		if status != ExitRefused || !strings.Contains(stdout, want) || strings.Contains(stdout, "\ufffd") {
			t.Errorf("%s: status %d:\n%s", format, status, stdout)
		}
	}
	out := filepath.Join(t.TempDir(), "x.xml")
	if status, stdout, stderr := call(t, "check", store, "--now", "2026-11-10", "--format", "junit", "--out",
		out); status != ExitRefused || stdout != "" {
		t.Fatal(status, stdout, stderr)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	// three slower and stale data; four rules hold
	if err := xml.Unmarshal(data, &suites); err != nil || suites.Failures != 4 || suites.Tests != 8 {
		t.Errorf("%v: %+v", err, suites)
	}
}

func TestCheckOfDamage(t *testing.T) {
	store := filepath.Join(t.TempDir(), "n.store")
	if err := os.CopyFS(store, os.DirFS(plantedNights(t))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(store, "jobs", "part-00000.parquet")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[40] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, _ := call(t, "check", store, "--now", "end")
	if status != ExitRefused || !strings.HasPrefix(stdout, "damaged   jobs/part-00000.parquet is damaged") {
		t.Errorf("status %d: %s", status, stdout)
	}
	if status, _, stderr := call(t, "check", filepath.Join(store, "nowhere")); status != ExitFailed {
		t.Errorf("no store: status %d: %s", status, stderr)
	}
}

func TestBadRules(t *testing.T) {
	store := plantedNights(t)
	for text, want := range map[string]string{
		"slower: fast\n": "slower: fast: want a share", "speed: 1\n": "unknown key \"speed\"", "stale: 3\n": "3d",
		"deadlines: {a: later}\n": "deadline of a",
		"sure: off\n":             "cannot be off", "ignore: [\"[\"]\n": "ignore",
	} {
		name := filepath.Join(t.TempDir(), "rules")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := call(t, "check", store, "--rules", name)
		if text == "stale: 3\n" {
			want = "want a unit"
		}
		if status != ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d: %s, want %q", text, status, stderr, want)
		}
	}
	for _, tc := range [][2]string{{"x", ""}, {"a=05:29:50", "want 05:30"}} {
		if status, _, stderr := call(t, "check", store, "--deadline", tc[0]); status != ExitUsage ||
			!strings.Contains(stderr, tc[1]) {
			t.Errorf("--deadline %s: status %d: %s", tc[0], status, stderr)
		}
	}
}

// Text lists the worst breaches of every rule and says how many more there are; all formats for programs have all.
func TestCheckListsTheWorst(t *testing.T) {
	doc := &result.Check{Store: "s", Rules: []string{"failures", "slower"}}
	for i := range 14 {
		doc.Breaches = append(doc.Breaches, result.Breach{Rule: "failures", Job: fmt.Sprintf("job-%02d", i), What: "x"})
	}
	doc.Breaches = append(doc.Breaches, result.Breach{Rule: "slower", Job: "job-99", What: "x"})
	for format, want := range map[string]int{"text": 12, "github": 15, "prometheus": 15 + 2, "junit": 15, "all": 15} {
		var b bytes.Buffer
		write, mark := checkFormats[format], map[string]string{"github": "::error", "prometheus": "} ",
			"junit": "<failure"}[format]
		if format == "all" {
			write = checkAll
		}
		if err := write(&b, doc); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, mark) {
				lines++
			}
		}
		if lines != want {
			t.Errorf("%s: %d lines, want %d:\n%s", format, lines, want, b.String())
		}
		if more := "failures  and 4 more (--all or --json lists them)\nslower    job-99"; strings.Contains(b.String(),
			more) != (format == "text") {
			t.Errorf("%s:\n%s", format, b.String())
		}
	}
}

// A deadline of a job without runs is a breach, as its name may be misspelt; where flags choose runs, it is only said.
// A trace that does not say how runs ended has deadlines, too.
func TestCheckOfUnknownDeadlines(t *testing.T) {
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"etl-2026-10-%02d","user":"ann","submit_s":%d,"end_s":%d,`+
			`"status":"unknown","stages":[{"tasks":1,"duration_s":1}]}`+"\n", i, i+1, 86400*i, 86400*i+600)
	}
	store := importJSONL(t, lines.String())
	check := func(want int, says string, args ...string) {
		t.Helper()
		status, out, stderr := call(t, append([]string{"check", store, "--now", "end"}, args...)...)
		if status != want || !strings.Contains(out+stderr, says) {
			t.Errorf("%q: status %d, want %d and %q:\n%s%s", args, status, want, says, out, stderr)
		}
	}
	check(ExitRefused, "etl-#: 12 of its last 12 runs ended after 5 min", "--deadline", "etl-#=5m")
	check(ExitDone, "no new breach", "--deadline", "etl-#=11m")
	check(ExitRefused, "etl-#: 12 of its last 12 runs ended after 5 min", "--deadline", "e*=5m")
	check(ExitRefused, "x*: no job matches; the nearest names are etl-#", "--deadline", "x*=5m")
	check(ExitUsage, `a name with a comma is written --deadline '"a,b=5m"'`, "--deadline", "a,b=5m")
	check(ExitRefused, "etk: no run of this job; the nearest names are etl-#", "--deadline", "etk=11m", "--timezone",
		"Europe/Berlin")
	check(ExitRefused, "etl-#: 12 of its last 12 runs ended after 5 min", "--deadline", "etl-2026-10-02=5m")
	check(ExitDone, "no new breach", "--deadline", "etl-2026-10-02=11m")
	check(ExitUsage, "the deadline of etl-2026-10-03 is 12m, and that of its job etl-# is 11m: want one", "--deadline",
		"etl-2026-10-02=11m", "--deadline", "etl-2026-10-03=12m")
	check(ExitDone, "the deadline of etk is not checked: no run", "--deadline", "etk=11m", "--user", "ann")
}

// A trace without times cannot show that a job is missing or slower: these rules are not said to have been checked.
func TestCheckWithoutTimes(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "s")
	trace := put(t, dir, "t.jsonl", `{"id":"r","name":"a","stages":[{"durations_s":[1,2]}]}`+"\n")
	if status, _, says := call(t, "import", "-q", trace, "--out", store); status != 0 {
		t.Fatal(says)
	}
	if _, out, _ := call(t, "check", store, "--now", "end", "--deadline", "a=1h"); !strings.Contains(out,
		"deadline  a: no run has a time of submission") {
		t.Errorf("%s", out)
	}
	_, out, _ := call(t, "check", store, "--now", "end")
	if strings.Contains(out, "missing") || strings.Contains(out, "slower") || !strings.Contains(out, "failures") {
		t.Errorf("%s", out)
	}
}
