package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/pipeline/internal/run"
)

// change replaces the content of a file by what f makes of it.
func change(t *testing.T, path string, f func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, f(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// digit changes the last digit of a file.
func digit(data []byte) []byte {
	i := bytes.LastIndexAny(data, "0123456789")
	data[i] = '0' + (data[i]-'0'+1)%10
	return data
}

// A document that is missing or damaged is told of by inspect, by report and on the page, and is not drawn.
func TestResultsThatAreNotWhole(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "results")
	must(t, "analyze", sampleStore(t), "--only", "recurrence,dag", "--out", whole)
	if text := must(t, "inspect", whole); !strings.Contains(text, "results of sample.store: 2 documents") ||
		strings.Contains(text, "warning") {
		t.Errorf("inspect says %s", text)
	}
	for _, test := range []struct {
		name    string
		harm    func(dir string) error
		file    string
		left    string // document that is left out
		says    string
		refused bool
	}{
		{"a digit changed", func(dir string) error {
			change(t, filepath.Join(dir, "recurrence.json"), digit)
			return nil
		}, "recurrence.json", "recurrence", "damaged", false},
		{"a table changed", func(dir string) error {
			change(t, filepath.Join(dir, "dag.parquet"), func(b []byte) []byte { b[40] ^= 1; return b })
			return nil
		}, "dag.parquet", "dag", "damaged", false},
		{"a document removed", func(dir string) error { return os.Remove(filepath.Join(dir, "dag.json")) }, "dag.json",
			"dag", "missing", false},
		{"a table removed", func(dir string) error { return os.Remove(filepath.Join(dir, "recurrence.parquet")) },
			"recurrence.parquet", "recurrence", "missing", false},
		{"the index changed", func(dir string) error {
			change(t, filepath.Join(dir, "provenance.json"), digit)
			return nil
		}, "provenance.json", "", "checksum", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, report := filepath.Join(t.TempDir(), "results"), filepath.Join(t.TempDir(), "report")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := test.harm(dir); err != nil {
				t.Fatal(err)
			}
			status, stdout, stderr := call(t, "inspect", dir)
			if status != ExitFailed || !strings.Contains(stdout+stderr, test.file) ||
				!strings.Contains(stdout+stderr, test.says) {
				t.Errorf("inspect: exit status %d, %s%s", status, stdout, stderr)
			}
			status, _, stderr = call(t, "report", dir, "--out", report)
			if status != ExitFailed || !strings.Contains(stderr, test.file) || !strings.Contains(stderr, test.says) {
				t.Errorf("report: exit status %d, %s", status, stderr)
			}
			page, err := os.ReadFile(filepath.Join(report, "index.html"))
			if test.refused {
				if err == nil {
					t.Error("a page was drawn")
				}
				return
			}
			if err != nil || !strings.Contains(string(page), "1 document is missing or damaged and left out of this "+
				"report: "+test.left) {
				t.Errorf("the page says nothing of %s, %v", test.left, err)
			}
			if strings.Contains(string(page), `<section id="`+test.left+`"`) {
				t.Errorf("%s is drawn", test.left)
			}
			var i ResultsInspection
			_, stdout, _ = call(t, "inspect", "--json", dir)
			if err := json.Unmarshal([]byte(stdout), &i); err != nil || i.Whole || len(i.Faults) != 1 ||
				i.Faults[0].File != test.file || len(i.Documents) != 2 {
				t.Errorf("inspect --json: %+v, %v", i, err)
			}
		})
	}
}

// Results of an earlier state of a store are told apart from those of a later one.
func TestResultsOfEarlierStates(t *testing.T) {
	dir := t.TempDir()
	s, out := filepath.Join(dir, "s.store"), filepath.Join(dir, "results")
	line := func(id string) string {
		return `{"id":"` + id + `","name":"n","submit_s":0,"end_s":9,"stages":[{"name":"a","durations_s":[4,5]}]}` +
			"\n"
	}
	must(t, "import", "--out", s, put(t, dir, "monday.jsonl", line("a")))
	must(t, "analyze", s, "--only", "dag", "--out", out)
	must(t, "import", "--append", "--out", s, put(t, dir, "tuesday.jsonl", line("b")))
	must(t, "analyze", s, "--only", "recurrence", "--out", out)
	if text := must(t, "inspect", out); !strings.Contains(text, "dag was computed before s.store changed") {
		t.Errorf("inspect says %s", text)
	}
	status, _, stderr := call(t, "report", out, "--out", filepath.Join(dir, "report"))
	if status != ExitDone || !strings.Contains(stderr, "dag was computed before s.store changed") {
		t.Errorf("report: exit status %d, %s", status, stderr)
	}
}

// Results that were written before racecard kept checksums are read, and kept by other commands.
func TestResultsWithoutChecksums(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	must(t, "analyze", sampleStore(t), "--only", "recurrence,dag", "--out", out)
	change(t, filepath.Join(out, result.ProvenanceFile), func(data []byte) []byte {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "contents")
		delete(fields, "checksum")
		old, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return old
	})
	if text := must(t, "inspect", out); !strings.Contains(text, "there, without a checksum") {
		t.Errorf("inspect says %s", text)
	}
	must(t, "analyze", sampleStore(t), "--only", "dag", "--out", out)
	must(t, "report", out, "--out", filepath.Join(t.TempDir(), "report"))
	if text := must(t, "inspect", out); !strings.Contains(text, "recurrence.json") ||
		!strings.Contains(text, "dag.parquet") {
		t.Errorf("inspect says %s", text)
	}
}

// Every date that `analyze` and `inspect` show, and every date on a page of the results, is in the asked time zone.
func TestDatesAreInTheAskedTimeZone(t *testing.T) {
	store, dir := sampleStore(t), t.TempDir()
	results, report := filepath.Join(dir, "r"), filepath.Join(dir, "report")
	const zone = "Asia/Kathmandu"
	text := must(t, "inspect", store, "--timezone", zone)
	text += must(t, "analyze", store, "--only", "recurrence,workload,health", "--timezone", zone, "--out", results)
	must(t, "report", results, "--out", report)
	page, err := os.ReadFile(filepath.Join(report, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for what, said := range map[string]string{"text": text, "page": string(page)} {
		if i := strings.Index(said, "UTC"); i >= 0 {
			t.Errorf("%s names another time zone: …%s…", what, said[max(0, i-100):i+20])
		}
		if !strings.Contains(said, "+0545") {
			t.Errorf("%s names no date of %s", what, zone)
		}
	}
	must(t, "report", results, "--out", report, "--timezone", "Asia/Tokyo")
	if page, err = os.ReadFile(filepath.Join(report, "index.html")); err != nil || !bytes.Contains(page, []byte(" JST")) {
		t.Errorf("the page names no date of Tokyo (%v)", err)
	}
}

// A report tells its origin as its results do, also after it was moved away from them.
func TestProvenanceOfReport(t *testing.T) {
	store := importJSONL(t, runsOf("a", 12))
	dir := t.TempDir()
	results, report := filepath.Join(dir, "r"), filepath.Join(dir, "elsewhere", "report")
	for _, args := range [][]string{{"analyze", "--only", "recurrence", "--out", results, store},
		{"report", "--out", report, results}} {
		if status, _, stderr := call(t, args...); status != ExitDone {
			t.Fatal(stderr)
		}
	}
	_, want, _ := call(t, "provenance", results)
	if !strings.Contains(want, "\n  racecard analyze ") || !strings.Contains(want, ".json  ") ||
		strings.ContainsRune(want, '{') {
		t.Errorf("no lines for people: %s", want)
	}
	for _, path := range []string{report, filepath.Join(report, "index.html")} {
		if status, got, stderr := call(t, "provenance", path); status != ExitDone || got != want || want == "" {
			t.Errorf("%s: status %d, %s%s, want %s", path, status, got, stderr, want)
		}
	}
}

// A file that was changed afterwards is told, and the record of a run says what to name.
func TestProvenanceOfWhatWasChanged(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "r")
	store := importJSONL(t, runsOf("a", 12))
	if status, _, stderr := call(t, "analyze", "--only", "cov", "--out", results, store); status != ExitDone {
		t.Fatal(stderr)
	}
	change(t, filepath.Join(results, "cov.json"), func(data []byte) []byte { return append(data, ' ') })
	if status, stdout, stderr := call(t, "provenance", results); status != ExitFailed || stdout == "" ||
		!strings.Contains(stderr, "cov.json is damaged") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	record := put(t, dir, run.RecordFile, "{}")
	if status, _, stderr := call(t, "provenance", record); status != ExitFailed || !strings.Contains(stderr, "a step") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
