package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// write makes a store of runs at dir.
func write(t interface{ Fatal(...any) }, dir string, runs []*trace.Run, rejects []*source.Reject) *store.Manifest {
	w, err := store.Create(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	tally := source.NewTally()
	for _, r := range runs {
		tally.Use()
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rejects {
		tally.Reject(r.Reason)
		if err := w.Reject(r); err != nil {
			t.Fatal(err)
		}
	}
	tally.Machines = []trace.Machine{trace.NewMachine("m2"), trace.NewMachine("m1")}
	m, err := w.Close(store.Manifest{Format: "test", TimeBase: source.TimeBaseRelative}, tally)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t interface{ Fatal(...any) }, dir string, p store.Projection) map[string]string {
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for part := range s.Parts() {
		last := ""
		for run, err := range s.Runs(context.Background(), part, p) {
			if err != nil {
				t.Fatal(err)
			}
			if run.ID <= last {
				t.Fatal("runs are not sorted by id: ", last, run.ID)
			}
			last = run.ID
			got[run.ID] = fmt.Sprintf("%+v", *run)
		}
	}
	return got
}

func TestRoundTrip(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		ids := rapid.SliceOfNDistinct(rapid.StringN(1, 5, 20), 1, 8, rapid.ID).Draw(t, "ids")
		want := map[string]string{}
		var runs []*trace.Run
		for _, id := range ids {
			r := tracetest.Run(t, id)
			runs = append(runs, r)
			// Reading gives empty lists, drawing gives nil: make them print alike. It names the job of runs that have
			// none.
			named := *r
			named.Job = r.JobName(false)
			want[id] = fmt.Sprintf("%+v", named)
		}
		write(t, dir, runs, nil)
		if got := read(t, dir, store.All()); !maps.Equal(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
		write(t, dir+"b", runs, nil)
		a, _ := os.ReadFile(filepath.Join(dir, store.ManifestName))
		b, _ := os.ReadFile(filepath.Join(dir+"b", store.ManifestName))
		if string(a) != string(b) {
			t.Error("the same runs give different stores")
		}
	})
}

func TestProjectionLeavesNulls(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	r := trace.NewRun("r")
	r.Name, r.Submit, r.End = "n", 1, 9
	r.Stages = []trace.Stage{trace.NewStage()}
	a := trace.NewAttempt(0, 3, 1)
	a.Start, a.End, a.Duration, a.Machine = 2, 5, 3, "m"
	r.Attempts = []trace.Attempt{a}
	write(t, dir, []*trace.Run{r}, nil)
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for run, err := range s.Runs(t.Context(), 0, store.Projection{"jobs.end", "tasks.start"}) {
		if err != nil {
			t.Fatal(err)
		}
		want := trace.NewRun("r")
		want.End = 9
		b := trace.NewAttempt(0, 3, 1) // the keys come along
		b.Start = 2
		want.Attempts, want.Stages = []trace.Attempt{b}, nil
		if !tracetest.Equal(run, want) {
			t.Errorf("got %+v\nwant %+v", run, want)
		}
	}
	machines, err := s.Machines()
	if err != nil || len(machines) != 2 || machines[0].Name != "m1" {
		t.Errorf("machines: got %v, %v, want m1 and m2", machines, err)
	}
}

func TestPartsHoldWholeRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 1.5 million rows")
	}
	dir := filepath.Join(t.TempDir(), "s")
	w, err := store.Create(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	const runs, tasks = 30, 50_000
	tally := source.NewTally()
	r := trace.NewRun("")
	r.Stages = []trace.Stage{trace.NewStage()}
	for i := range int32(tasks) {
		a := trace.NewAttempt(0, i, 0)
		a.Duration = trace.Duration(i)
		r.Attempts = append(r.Attempts, a)
	}
	for i := range runs {
		r.ID = fmt.Sprintf("%03d", (i*7)%runs)
		tally.Use()
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Close(store.Manifest{}, tally)
	if err != nil {
		t.Fatal(err)
	}
	if m.Parts < 2 {
		t.Fatalf("%d parts: the test wants several", m.Parts)
	}
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for part := range s.Parts() {
		for run, err := range s.Runs(t.Context(), part, store.Projection{"tasks.duration"}) {
			if err != nil {
				t.Fatal(err)
			}
			if seen[run.ID] || len(run.Attempts) != tasks || run.Attempts[tasks-1].Duration != tasks-1 {
				t.Fatalf("run %s: %d attempts, seen before: %v", run.ID, len(run.Attempts), seen[run.ID])
			}
			seen[run.ID] = true
		}
	}
	if len(seen) != runs {
		t.Errorf("%d runs, want %d", len(seen), runs)
	}
}

func TestDamageIsRefused(t *testing.T) {
	r := trace.NewRun("r")
	r.Stages = []trace.Stage{trace.NewStage()}
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"no manifest", func(t *testing.T, dir string) { remove(t, dir, store.ManifestName) }, "not a store"},
		{"manifest cut", func(t *testing.T, dir string) {
			edit(t, dir, store.ManifestName, func(b []byte) []byte { return b[:len(b)/2] })
		}, "damaged"},
		{"manifest edited", func(t *testing.T, dir string) {
			edit(t, dir, store.ManifestName, func(b []byte) []byte {
				return []byte(strings.Replace(string(b), `"jobs": 1`, `"jobs": 2`, 1))
			})
		}, "changed after it was written"},
		{"other version", func(t *testing.T, dir string) {
			edit(t, dir, store.ManifestName, func(b []byte) []byte {
				return []byte(strings.Replace(string(b), `"racecard_store": 1`, `"racecard_store": 99`, 1))
			})
		}, "version 99"},
		{"file missing", func(t *testing.T, dir string) { remove(t, dir, "stages/part-00000.parquet") }, "not whole"},
		{"file cut", func(t *testing.T, dir string) {
			edit(t, dir, "jobs/part-00000.parquet", func(b []byte) []byte { return b[:len(b)-9] })
		}, "cut off"},
		{"a byte flipped", func(t *testing.T, dir string) {
			edit(t, dir, "jobs/part-00000.parquet", func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		}, "does not match the checksum"},
		{"file swapped", func(t *testing.T, dir string) {
			edit(t, dir, "jobs/part-00000.parquet", func(b []byte) []byte { return slices.Repeat([]byte{'x'}, len(b)) })
		}, "is damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			write(t, dir, []*trace.Run{r}, nil)
			test.damage(t, dir)
			s, err := store.Open(os.DirFS(dir))
			if err == nil {
				for _, e := range s.Runs(t.Context(), 0, store.All()) {
					err = e
				}
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func edit(t *testing.T, dir, name string, change func([]byte) []byte) {
	t.Helper()
	full := filepath.Join(dir, name)
	b, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, change(b), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	root := t.TempDir()
	w, err := store.Create(filepath.Join(root, "s"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(trace.NewRun("r")); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
}

func TestCreateRefusesWhatIsNotAStore(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, replace := range []bool{false, true} {
		if _, err := store.Create(dir, store.Options{Replace: replace}); err == nil {
			t.Errorf("replace %v: a folder that is not a store was taken", replace)
		}
	}
	old := filepath.Join(t.TempDir(), "s")
	write(t, old, []*trace.Run{trace.NewRun("old")}, nil)
	if _, err := store.Create(old, store.Options{}); err == nil {
		t.Error("a store was replaced without being asked to")
	}
	w, err := store.Create(old, store.Options{Replace: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(trace.NewRun("new")); err != nil {
		t.Fatal(err)
	}
	tally := source.NewTally()
	tally.Use()
	if _, err := w.Close(store.Manifest{}, tally); err != nil {
		t.Fatal(err)
	}
	if got := read(t, old, store.All()); len(got) != 1 || got["new"] == "" {
		t.Errorf("the replaced store holds %v", got)
	}
	if left, _ := os.ReadDir(filepath.Dir(old)); len(left) != 1 {
		t.Errorf("%v was left beside the store", left)
	}
}

func TestRejectsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	rejects := []*source.Reject{
		source.NewReject("f.tr", 3, "tasks", "bad number", "what", []byte("1 x 2")),
		source.NewReject("f.tr", 9, "", source.ReasonNotUTF8, "", []byte("a\xffb")),
	}
	m := write(t, dir, []*trace.Run{trace.NewRun("r")}, rejects)
	if m.Read != 3 || m.Used != 1 || m.Rejected["bad number"] != 1 {
		t.Errorf("manifest says %+v", m)
	}
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	parts := 0
	for table, err := range s.Rejects(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		parts++
		got, _ := json.Marshal(map[string]any{"raw": table.Text("raw"), "line": table.Floats("line"),
			"field": table.Text("field")})
		want := `{"field":["tasks",""],"line":[3,9],"raw":["1 x 2","a�b"]}`
		if string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if parts != 1 {
		t.Errorf("%d parts of rejects, want 1", parts)
	}
}
