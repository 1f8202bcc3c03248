package cli

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/datasets/publish"
	"racecard/pipeline/internal/recipe"
	"racecard/pipeline/internal/run"
)

func TestRunTakesWhatIsStale(t *testing.T) {
	k := newKitchen(t, usualSteps, "a", "b")
	first, said, status := k.run()
	if status != 0 || len(stepsIn(first, run.Done)) != 10 {
		t.Fatalf("the first run: status %d, done %q\n%s", status, taken(first), said)
	}
	for _, s := range first.Steps {
		if s.CPUSeconds == 0 || s.BytesOut == 0 || s.BytesIn == 0 || s.Seconds == 0 {
			t.Errorf("%s: %v CPU-s, in %d, out %d, %v s", s.Step, s.CPUSeconds, s.BytesIn, s.BytesOut, s.Seconds)
		}
	}
	if first.Steps[0].Rows["jobs"] != 12 {
		t.Errorf("rows of the first store: %v", first.Steps[0].Rows)
	}
	again, _, status := k.run()
	if status != 0 || taken(again) != "" || again.Run != 1 {
		t.Errorf("the second run: status %d, done %q, run %d", status, taken(again), again.Run)
	}

	k.write("b.jsonl", " "+runsOf("b", 14))
	changed, _, _ := k.run()
	if got, want := taken(changed), "b/models b/report b/results b/store b/tables"; got != want {
		t.Errorf("after b changed: %s, want %s", got, want)
	}
	if why := strings.Join(changed.Steps[1].Why, "; "); why != "b.jsonl changed" {
		t.Errorf("why b/store: %q", why)
	}

	text, err := os.ReadFile(filepath.Join(k.dir, "racecard.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	k.write("racecard.yaml", strings.Replace(string(text), "replicates: 5", "replicates: 6", 1))
	option, _, _ := k.run()
	if got, want := taken(option), "a/tables b/tables"; got != want {
		t.Errorf("after an option of tables changed: %s, want %s", got, want)
	}
	k.write("racecard.yaml", string(text)) // the older results are there still
	back, _, _ := k.run()
	if got := taken(back); got != "" {
		t.Errorf("after the option changed back: %s, want nothing", got)
	}
	forced, _, _ := k.run("--force", "b/report")
	if got := taken(forced); got != "b/report" {
		t.Errorf("--force b/report: %s", got)
	}
}

// A file that an option names is an input: a step is taken again when its content changed, and not before.
func TestFilesOfOptionsAreInputs(t *testing.T) {
	k := newKitchen(t, "  check: {check: store, rules: rules.yaml, now: end}\n", "a")
	k.write("rules.yaml", "failures: 5%\n")
	if first, said, status := k.run(); status != 0 || !strings.Contains(taken(first), "check") {
		t.Fatalf("status %d, done %q\n%s", status, taken(first), said)
	}
	if again, _, _ := k.run(); taken(again) != "" {
		t.Errorf("the second run took %q", taken(again))
	}
	k.write("rules.yaml", " \nfailures: 6%\n")
	changed, _, _ := k.run()
	if got := taken(changed); got != "a/check" {
		t.Errorf("after the rules changed: %q, want a/check", got)
	}
	for _, s := range changed.Steps {
		if why := strings.Join(s.Why, "; "); s.State == run.Done && why != "rules.yaml changed" {
			t.Errorf("why %s: %q", s.Step, why)
		}
	}
}

// Options that come from the environment or the configuration file are in the address of a result, with the files that
// they name. A path begins in the recipe's folder.
func TestOptionsFromOutsideAreInTheKey(t *testing.T) {
	k := newKitchen(t, "  waste: {waste: store}\n  other: {waste: store, price: prices.txt}\n", "a")
	k.write("prices.txt", "* cpu=1/h\n")
	k.write("more.txt", "* cpu=2/h\n")
	want := func(when, steps, why string) {
		t.Helper()
		record, said, status := k.run()
		if got := taken(record); status != 0 || got != steps {
			t.Errorf("%s: status %d, took %q, want %q\n%s", when, status, got, steps, said)
		}
		for _, s := range record.Steps {
			if got := strings.Join(s.Why, "; "); s.State == run.Done && why != "" && got != why {
				t.Errorf("%s: why %s: %q", when, s.Step, got)
			}
		}
	}
	want("first", "a/other a/store a/waste", "")
	t.Setenv("RACECARD_PRICE", "cpu=0.04/h")
	want("with a price in the environment", "a/waste", "option price is new")
	want("once more", "", "")
	t.Setenv("RACECARD_PRICE", "more.txt")
	want("with a file in the environment", "a/waste", "option price changed; more.txt is new")
	k.write("more.txt", " * cpu=3/h\n")
	want("with other prices in it", "a/waste", "more.txt changed")
	k.write("config.yaml", "waste: {within: 0.2}\n")
	t.Setenv("RACECARD_CONFIG", filepath.Join(k.dir, "config.yaml"))
	want("with a configuration file", "a/other a/waste", "option within is new")
}

// A check without a time is for the time of the run: what was fresh yesterday may be stale today.
func TestClockIsInTheKey(t *testing.T) {
	k := newKitchen(t, "  dated: {check: store, now: end}\n  check: {check: store}\n", "a")
	if first, said, status := k.run(); status != 0 || taken(first) != "a/check a/dated a/store" {
		t.Fatalf("status %d, took %q\n%s", status, taken(first), said)
	}
	var o runFlags
	if err := o.read([]string{filepath.Join(k.dir, "racecard.yaml")}); err != nil {
		t.Fatal(err)
	}
	options, err := o.options()
	if err != nil {
		t.Fatal(err)
	}
	var hours []string
	for _, later := range []time.Duration{0, 59 * time.Minute, 60 * time.Minute} {
		options.Now = time.Date(2026, 11, 27, 14, 0, 30, 0, time.UTC).Add(later)
		all, err := run.Plan(o.recipe, options)
		if err != nil {
			t.Fatal(err)
		}
		hours = append(hours, all[2].Key.Hour)
		if all[1].Key.Hour != "" {
			t.Errorf("%s has the hour %s", all[1].Step, all[1].Key.Hour)
		}
	}
	if want := []string{"2026-11-27 14h", "2026-11-27 14h", "2026-11-27 15h"}; !slices.Equal(hours, want) {
		t.Errorf("hours %q, want %q", hours, want)
	}
}

// A step that is taken by force and makes other bytes makes the steps after it stale, and so on, until bytes are the
// same again; also where the run is killed right after it.
func TestForcedBytesReachTheStepsAfter(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [recurrence]}\n  report: {report: results}\n  site: "+
		"{publish: report, to: site}\n", "a")
	first, said, status := k.run()
	if status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	object := func(step string) string {
		for _, s := range first.Steps {
			if s.Step == step {
				return filepath.Join(k.dir, "out", "objects", s.ID)
			}
		}
		t.Fatalf("no step %s", step)
		return ""
	}
	want := k.bytesOf()
	spoil := func(path string) {
		if err := os.WriteFile(path, []byte("other bytes"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if forced, _, _ := k.run("--force", "a/results"); taken(forced) != "a/results" {
		t.Errorf("with the same bytes: %s", taken(forced))
	}
	spoil(filepath.Join(object("a/results"), "a.results", "recurrence.json")) // as if racecard made something else then
	forced, _, status := k.run("--force", "a/results")
	if got := taken(forced); status != 0 || got != "a/report a/results" { // the report has the bytes that it had
		t.Errorf("results changed: status %d, done %s", status, got)
	}
	spoil(filepath.Join(object("a/results"), "a.results", "recurrence.json"))
	spoil(filepath.Join(object("a/report"), "a.report", "index.html"))
	forced, _, status = k.run("--force", "a/results")
	if got := taken(forced); status != 0 || got != "a/report a/results a/site" {
		t.Errorf("results and report changed: status %d, done %s", status, got)
	}
	if err := os.WriteFile(filepath.Join(k.dir, "out", "stale.json"), []byte(`["`+filepath.Base(object("a/report"))+
		`"]`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a/report", ""} { // as after a run that was killed, and once more
		if again, _, status := k.run(); status != 0 || taken(again) != want {
			t.Errorf("a stale report: status %d, done %s", status, taken(again))
		}
	}
	if got := k.bytesOf(); !maps.Equal(got, want) {
		t.Error("the last bytes differ from the first")
	}
}

func TestRunPublishesAndCollects(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: recurrence}\n  report: {report: results}\n  site: "+
		"{publish: report, to: \"site/{{ trace }}\"}\n", "a")
	must(t, "gc", filepath.Join(k.dir, "racecard.yaml"))
	if _, err := os.Stat(filepath.Join(k.dir, "out")); err == nil {
		t.Error("gc before the first run made the folder of results")
	}
	if _, said, status := k.run(); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	index := filepath.Join(k.dir, "site", "a", "index.html")
	if _, err := os.Stat(index); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(k.dir, "site")); err != nil {
		t.Fatal(err)
	}
	if record, _, _ := k.run(); taken(record) != "a/site" {
		t.Errorf("after the site was removed: %s", taken(record))
	}
	k.write("a.jsonl", " "+runsOf("a", 15))
	if record, _, status := k.run(); status != 0 || len(stepsIn(record, run.Done)) != 4 {
		t.Errorf("status %d, done %s", status, taken(record))
	}
	for _, step := range []struct {
		flag, want string
		left       int
	}{
		{"--dry-run", "would remove 2 runs and 4 results, and free ", 8},
		{"--keep=1", "freed ", 4},
		{"--dry-run", "would remove 0 runs and 0 results, and free 0 ", 4},
	} {
		gc := racecard(t, "gc", filepath.Join(k.dir, "racecard.yaml"), "--keep", "1", step.flag)
		if out, err := gc.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), step.want) {
			t.Errorf("%s: %v: %s, want %s", step.flag, err, out, step.want)
		}
		objects, err := os.ReadDir(filepath.Join(k.dir, "out", "objects"))
		if err != nil || len(objects) != step.left {
			t.Errorf("%s: %v: %d objects are left, want %d", step.flag, err, len(objects), step.left)
		}
	}
	said, err := racecard(t, "provenance", filepath.Join(k.dir, "out", "latest", "a", "report", "index.html")).Output()
	for _, want := range []string{"a/report", "a/results", "a/store", "reads a.jsonl"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("%v: provenance lacks %s: %s", err, want, said)
		}
	}
}

// Where the environment names a collector of OpenTelemetry it gets the spans of a run; one that is not there fails
// nothing.
func TestRunSendsSpans(t *testing.T) {
	var sent [][]byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		sent = append(sent, body)
	}))
	defer server.Close()
	k := newKitchen(t, "  results: {analyze: store, only: recurrence}\n", "a")
	if _, said, status := k.run(); status != 0 || len(sent) > 0 {
		t.Errorf("without a collector: status %d, %d requests: %s", status, len(sent), said)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	if _, said, status := k.run("--force", "results"); status != 0 || len(sent) != 1 ||
		!strings.Contains(string(sent[0]), "a/results") || strings.Contains(string(sent[0]), "a/store") {
		t.Errorf("with one: status %d, %d requests, %q: %s", status, len(sent), sent, said)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	if _, said, status := k.run(); status != 0 || !strings.Contains(said, "the spans of the run did not reach the "+
		"collector") {
		t.Errorf("with one that is not there: status %d: %s", status, said)
	}
}

// A URL that a recipe or fetch cannot take is refused before anything is done, with its place and the remedy.
func TestURLsAreRefused(t *testing.T) {
	k := newKitchen(t, usualSteps, "a")
	top := "out: out\ntraces:\n  a: {paths: a.jsonl}\n"
	for _, test := range []struct{ recipe, want string }{
		{"out: s3://b/out\ntraces:\n  a: {paths: a.jsonl}\n", "racecard.yaml:1:6: out: want a folder of this " +
			"machine; a step such as site: {publish: report"},
		{"out: out\ntraces:\n  a: {paths: hdfs://h/x}\n", "racecard.yaml:3:14: hdfs://h/x: racecard opens paths and"},
		{"out: out\ntraces:\n  a: {paths: s3://b/*.gz}\n", "racecard.yaml:3:14: s3://b/*.gz: patterns do not reach " +
			"into buckets"},
		{top + "steps:\n  c: {check: store, state: s3://b/state}\n", "racecard.yaml:5:28: s3://b/state: `racecard " +
			"check` takes only paths of this machine there"},
		{top + "steps:\n  c: {publish: store, to: s3a://b/x}\n", "racecard.yaml:5:27: s3a://b/x: racecard opens"},
		{top + "steps:\n  c: {publish: s3://b/x, to: y}\n", "racecard.yaml:5:16: s3://b/x: `racecard publish` takes " +
			"only paths of this machine"},
	} {
		k.write("racecard.yaml", test.recipe)
		cmd := racecard(t, "run", filepath.Join(k.dir, "racecard.yaml"))
		said, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != ExitUsage || !strings.Contains(string(said), test.want) {
			t.Errorf("%s: status %d: %s", test.recipe, cmd.ProcessState.ExitCode(), said)
		}
	}
	for _, args := range [][]string{{"fetch", "swim", "--out", "s3://b/x"}, {"run", "s3://b/racecard.yaml"},
		{"init", filepath.Join(k.dir, "a.jsonl"), "--out", "s3://b/r.yaml"},
		{"gc", "s3://b/racecard.yaml"}} {
		cmd := racecard(t, args...)
		said, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != ExitUsage || !strings.Contains(string(said), "takes only paths of this "+
			"machine") {
			t.Errorf("%v: status %d: %s", args, cmd.ProcessState.ExitCode(), said)
		}
	}
	if _, err := os.Stat(filepath.Join(k.dir, "out")); err == nil {
		t.Error("a run that was refused left its folder")
	}
}

// --dry-run writes nothing, and answers while another run holds the lock; a run names its results from where one is.
func TestDryRunWritesNothing(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [recurrence]}\n", "a")
	dry := func() string {
		t.Helper()
		out, err := racecard(t, "run", filepath.Join(k.dir, "racecard.yaml"), "--dry-run").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if said := dry(); !strings.Contains(said, "2 of 2 steps would run") {
		t.Error(said)
	}
	if _, err := os.Stat(filepath.Join(k.dir, "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is an out: %v", err)
	}
	out, err := racecard(t, "run", filepath.Join(k.dir, "racecard.yaml")).CombinedOutput()
	if want := filepath.ToSlash(filepath.Join(k.dir, "out", "latest")); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: want %s in %s", err, want, out)
	}
	vault, err := publish.OpenVault(filepath.Join(k.dir, "out"), "another run")
	if err != nil {
		t.Fatal(err)
	}
	defer vault.Close()
	if said := dry(); !strings.Contains(said, "0 of 2 steps would run") {
		t.Error(said)
	}
}

// A pattern is one of files, not of the folder that the recipe is in.
func TestPatternsInAnOddFolder(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [recurrence]}\n", "a")
	odd := kitchen{t, filepath.Join(k.dir, "r[1] *?")}
	if err := os.Mkdir(odd.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	odd.write("a.jsonl", runsOf("a", 12))
	odd.write("racecard.yaml", "out: out\ntraces: {a: {paths: \"*.jsonl\", format: jsonl}}\n")
	for _, want := range []string{"a/store", ""} {
		if record, said, status := odd.run(); status != 0 || taken(record) != want {
			t.Errorf("status %d, took %q, want %q\n%s", status, taken(record), want, said)
		}
	}
}

// No flag has the name of a key that every step has, or steps could not set it.
func TestOptionsAreNotReserved(t *testing.T) {
	for _, k := range kinds() {
		for _, o := range k.Options() {
			if slices.Contains(recipe.Reserved(), o.Name) || o.Name == "paths" {
				t.Errorf("%s has an option %s", k.Name, o.Name)
			}
		}
	}
}

// A folder of traces behind a link is read again when a file comes, and when the link leads elsewhere.
func TestRunOfALinkToAFolder(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [cov]}\n", "a")
	for _, folder := range []string{"real", "other"} {
		if err := os.Mkdir(filepath.Join(k.dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		k.write(filepath.Join(folder, "a.jsonl"), runsOf("a-"+folder, 3))
	}
	link := filepath.Join(k.dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	k.write("racecard.yaml", "out: out\ntraces:\n  a: {paths: link}\nsteps:\n  results: {analyze: store, only: [cov]}\n")
	rows := func() int64 {
		r, said, status := k.run()
		if status != 0 {
			t.Fatal(said)
		}
		if taken(r) != "a/results a/store" {
			t.Errorf("took %q, want all", taken(r))
		}
		return r.Steps[0].Rows["jobs"]
	}
	one := rows()
	k.write(filepath.Join("real", "b.jsonl"), runsOf("b", 3))
	two := rows()
	if err := errors.Join(os.Remove(link), os.Symlink("other", link)); err != nil {
		t.Fatal(err)
	}
	if three := rows(); one != 3 || two != 6 || three != 3 {
		t.Errorf("%d, %d and %d runs, want 3, 6 and 3", one, two, three)
	}
}
