package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// fixture is a folder that tests read and none changes: made when the first asks for it, once per test binary, and kept
// until all tests have ended.
type fixture struct {
	name  string
	write func(t *testing.T, dir string)
	once  sync.Once
	dir   string
	done  bool
}

// fixtures is the folder of all fixtures. TestMain removes it.
var fixtures = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "racecard-fixtures-") })

// in returns the folder.
func (f *fixture) in(t *testing.T) string {
	t.Helper()
	f.once.Do(func() {
		all, err := fixtures()
		if err != nil {
			t.Fatal(err)
		}
		f.dir = filepath.Join(all, f.name)
		f.write(t, f.dir)
		f.done = true
	})
	if !f.done {
		t.Fatalf("%s could not be made: see the first test that asked for it", f.name)
	}
	return f.dir
}

// must runs racecard for a fixture and returns what it prints.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := call(t, args...)
	if status != ExitDone {
		t.Fatalf("%v: exit status %d: %s", args, status, stderr)
	}
	return stdout
}

var (
	sampleImported = fixture{name: "sample.store", write: func(t *testing.T, dir string) {
		must(t, "import", "--quiet", "--out", dir, filepath.Join("..", "..", "datasets", "sample", "logs"))
	}}
	sampleFitted = fixture{name: "sample.models", write: func(t *testing.T, dir string) {
		must(t, "fit", sampleStore(t), "--all", "--out", dir)
	}}
	nightsImported = fixture{name: "n.store", write: func(t *testing.T, dir string) {
		if err := os.CopyFS(dir, os.DirFS(nights(t, "nights", "240", "1"))); err != nil {
			t.Fatal(err)
		}
	}}
	nightsDrawn = fixture{name: "nights.desk", write: func(t *testing.T, dir string) {
		must(t, "desk", plantedNights(t), "--quiet", "--out", filepath.Join(dir, "desk.html"), "--deadline",
			"nightly-join=01:10")
	}}
	// sampleDemo is what the demo leaves where an earlier one, of another trace, lies; demo.txt is what it prints.
	sampleDemo = fixture{name: "demo", write: func(t *testing.T, dir string) {
		earlier := filepath.Join(t.TempDir(), "sample.store")
		must(t, "import", "--note", sampleNote, "--out", earlier, put(t, t.TempDir(), "a.jsonl",
			`{"id":"r","name":"job-of-another-demo","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+"\n"))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(dir, "sample.store"), os.DirFS(earlier)); err != nil {
			t.Fatal(err)
		}
		must(t, "analyze", earlier, "--out", filepath.Join(dir, "sample.results"))
		must(t, "report", filepath.Join(dir, "sample.results"), "--out", filepath.Join(dir, "report"))
		printed := must(t, "demo", "--out", dir)
		if err := os.WriteFile(dir+".txt", []byte(printed), 0o644); err != nil {
			t.Fatal(err)
		}
	}}
)

// sampleStore returns a store of the embedded sample.
func sampleStore(t *testing.T) string { t.Helper(); return sampleImported.in(t) }

// sampleModels returns models of the jobs of the embedded sample.
func sampleModels(t *testing.T) string { t.Helper(); return sampleFitted.in(t) }

// plantedNights returns a store of 60 nights of four jobs, of which three become slower.
func plantedNights(t *testing.T) string { t.Helper(); return nightsImported.in(t) }

// nightsDesk returns the address of the page of these nights, with a deadline for one job.
func nightsDesk(t *testing.T) string {
	t.Helper()
	return "file://" + filepath.Join(nightsDrawn.in(t), "desk.html")
}

// runTests runs the tests and removes the fixtures.
func runTests(m *testing.M) int {
	defer func() {
		if dir, err := fixtures(); err == nil {
			if err := os.RemoveAll(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}()
	return m.Run()
}
