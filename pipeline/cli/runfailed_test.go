package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/pipeline/internal/recipe"
	"racecard/pipeline/internal/run"
)

func TestRunLeavesWhatDoesNotNeedAFailedStep(t *testing.T) {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("t%d", i))
	}
	k := newKitchen(t, "  results: {analyze: store, only: recurrence}\n  report: {report: results}\n", names...)
	k.write("t4.jsonl", strings.Repeat("this is no JSON\n", 20))
	var posted string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		posted = string(text)
	}))
	defer server.Close()
	text, err := os.ReadFile(filepath.Join(k.dir, "racecard.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	k.write("racecard.yaml", string(text)+"on_failure: {webhook: "+server.URL+"}\n")
	record, said, status := k.run()
	reports, err := filepath.Glob(filepath.Join(k.dir, "out", "latest", "*", "report", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if status != ExitFailed || len(reports) != 9 {
		t.Errorf("status %d, %d reports, want 1 and 9\n%s", status, len(reports), said)
	}
	if failed := stepsIn(record, run.Failed); !slices.Equal(failed, []string{"t4/store"}) ||
		len(stepsIn(record, run.Skipped)) != 2 {
		t.Errorf("failed %v, skipped %v", failed, stepsIn(record, run.Skipped))
	}
	if !strings.Contains(said, "20 of 20 records were rejected") || !strings.Contains(posted, `"t4/store"`) {
		t.Errorf("said %s\nposted %s", said, posted)
	}
	k.write("t4.jsonl", " "+runsOf("t4", 12))
	mended, _, status := k.run()
	if got := taken(mended); status != 0 || got != "t4/report t4/results t4/store" {
		t.Errorf("mended: status %d, done %s", status, got)
	}
}

// Runs that fail do not push out the results of whole ones, and a published folder that lost a file is not up to date.
func TestFailedRunsKeepResults(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [recurrence]}\n  site: {publish: results, to: www}\n", "a")
	text, err := os.ReadFile(filepath.Join(k.dir, "racecard.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	k.write("racecard.yaml", "keep: 1\n"+string(text))
	if first, said, status := k.run(); status != 0 || taken(first) != "a/results a/site a/store" {
		t.Fatalf("status %d, took %q\n%s", status, taken(first), said)
	}
	trace := filepath.Join(k.dir, "a.jsonl")
	if err := os.Rename(trace, trace+".away"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, said, status := k.run(); status != ExitFailed {
			t.Fatalf("status %d\n%s", status, said)
		}
	}
	if err := os.Rename(trace+".away", trace); err != nil {
		t.Fatal(err)
	}
	if back, _, status := k.run(); status != 0 || taken(back) != "" {
		t.Errorf("with the trace again: status %d, took %q, want nothing", status, taken(back))
	}
	if err := os.Remove(filepath.Join(k.dir, "www", "recurrence.json")); err != nil {
		t.Fatal(err)
	}
	if mended, _, status := k.run(); status != 0 || taken(mended) != "a/site" {
		t.Errorf("with a published file gone: status %d, took %q, want a/site", status, taken(mended))
	}
}

// A webhook that cannot be reached does not keep the command from being run.
func TestBothAreToldOfAFailure(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	r := &recipe.Recipe{Dir: dir, OnFailure: recipe.Failure{Webhook: server.URL,
		Command: []string{"sh", "-c", "cat > told.json"}}}
	err := tell(t.Context(), r, &run.Record{Recipe: "night.yaml"})
	if err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("err %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "told.json")); err != nil ||
		!strings.Contains(string(text), "night.yaml") {
		t.Errorf("the command was told %q, %v", text, err)
	}
}

// A run that cannot begin, or cannot keep its results, is told, too.
func TestARunWithoutStepsIsToldOf(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [recurrence]}\non_failure: {command: [sh, -c, cat > told.json]}\n",
		"a")
	k.write("out", "no folder")
	if _, said, status := k.run(); status != ExitFailed || !strings.Contains(said, "out") {
		t.Errorf("status %d: %s", status, said)
	}
	var told run.Record
	text, err := os.ReadFile(filepath.Join(k.dir, "told.json"))
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil || told.Recipe != "racecard.yaml" || told.Error == "" || told.Steps == nil || told.Started.IsZero() {
		t.Errorf("told %s, %v", text, err)
	}
}

// With --log-format json nothing else is said, and the last line counts the steps: both streams may go to one log.
func TestLogsAreObjectsAlone(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [recurrence]}\n", "a")
	for _, want := range []string{`"steps":{"done":2}`, `"steps":{"cached":2}`} {
		var stderr strings.Builder
		cmd := racecard(t, "run", filepath.Join(k.dir, "racecard.yaml"), "--log-format", "json")
		cmd.Stderr = &stderr
		stdout, err := cmd.Output()
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		if last := lines[len(lines)-1]; err != nil || len(stdout) > 0 || !strings.Contains(last, want) ||
			!strings.Contains(last, `"run":1`) {
			t.Errorf("%v, stdout %q, last %s; want %s", err, stdout, last, want)
		}
	}
}

// With --log-format json all messages are objects, also of a step that cannot begin and of those that need it.
func TestLogsOfStepsThatCannotBegin(t *testing.T) {
	k := newKitchen(t, "  results: {analyze: store, only: [recurrence]}\n", "a", "b")
	if err := os.Remove(filepath.Join(k.dir, "a.jsonl")); err != nil {
		t.Fatal(err)
	}
	record, said, status := k.run("--log-format", "json")
	if status != ExitFailed || taken(record) != "b/results b/store" {
		t.Errorf("status %d, took %s", status, taken(record))
	}
	var errs, whys []string
	for line := range strings.Lines(said) {
		var o struct {
			Step, State, Error string
			Why                []string
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if o.Error != "" {
			errs = append(errs, o.Step+": "+o.Error)
		}
		if o.State == "skipped" {
			whys = append(whys, o.Step+": "+strings.Join(o.Why, "; "))
		}
	}
	if want := []string{"a/store: there is no a.jsonl", ": 1 step failed: a/store"}; !slices.Equal(errs, want) {
		t.Errorf("errors %q, want %q", errs, want)
	}
	if want := []string{"a/results: a/store failed"}; !slices.Equal(whys, want) {
		t.Errorf("skipped %q, want %q", whys, want)
	}
}
