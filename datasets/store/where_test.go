package store_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// A store with a filter yields the runs that the filter matches, whole, and no others; the columns of runs likewise.
func TestWhereYieldsTheRunsThatMatch(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		bound := func(name string) trace.Instant {
			if rapid.Bool().Draw(t, "bounded") {
				return trace.Instant(rapid.Int64Range(0, 1e9).Draw(t, name))
			}
			return trace.None
		}
		words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "job é", "nobody"}), 0, 2, rapid.ID[string])
		f := trace.Filter{Since: bound("since"), Until: bound("until"), Jobs: words.Draw(t, "jobs"),
			Users: words.Draw(t, "users"), Groups: words.Draw(t, "groups")}
		var runs []*trace.Run
		want := map[string]string{}
		for i := range rapid.IntRange(1, 6).Draw(t, "runs") {
			r := tracetest.Run(t, fmt.Sprint("r", i))
			runs = append(runs, r)
			if named := *r; f.Match(r) {
				named.Job = r.JobName(false)
				want[r.ID] = fmt.Sprintf("%+v", named)
			}
		}
		write(t, dir, runs, nil)
		s, err := store.Open(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		s = s.Where(f)
		got, columns := map[string]string{}, []string{}
		for run, err := range s.Runs(t.Context(), 0, store.All()) {
			if err != nil {
				t.Fatal(err)
			}
			got[run.ID] = fmt.Sprintf("%+v", *run)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%+v: got %v\nwant %v", f, got, want)
		}
		b, err := s.Batch(0, store.Projection{"jobs.end"})
		if err != nil {
			t.Fatal(err)
		}
		c := b.RunColumns()
		columns = append(columns, c.IDs...)
		if !slices.Equal(columns, slices.Sorted(maps.Keys(want))) || len(c.End) != len(c.IDs) ||
			len(c.Names) != len(c.IDs) {
			t.Errorf("columns of %v, want %v", columns, slices.Sorted(maps.Keys(want)))
		}
	})
}

// Parts whose statistics exclude the period, the user or the job are not read: their content may be damaged.
func TestWhereSkipsParts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	r := trace.NewRun("r")
	r.Name, r.Job, r.User, r.Submit, r.End = "etl-2026-10-30", "etl-#", "ann", 100, 900
	write(t, dir, []*trace.Run{r}, nil)
	file := filepath.Join(dir, "jobs", "part-00000.parquet")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[8] ^= 0xff // a value, not the footer
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		f     trace.Filter
		skips bool
	}{
		{"before", trace.Filter{Since: trace.None, Until: 100}, true},
		{"after", trace.Filter{Since: 101, Until: trace.None}, true},
		{"another user", trace.Filter{Since: trace.None, Until: trace.None, Users: []string{"bob"}}, true},
		{"another job", trace.Filter{Since: trace.None, Until: trace.None, Jobs: []string{"abc"}}, true},
		{"within", trace.Filter{Since: 100, Until: 101}, false},
		{"the job", trace.Filter{Since: trace.None, Until: trace.None, Jobs: []string{"etl-2026-10-30"}}, false},
	} {
		b, err := s.Where(test.f).Batch(0, nil)
		if test.skips && (err != nil || b.Selected() != 0) || !test.skips && err == nil {
			t.Errorf("%s: got %v, want it skipped: %v", test.name, err, test.skips)
		}
	}
}

// testdata/before-job is a store from before the jobs table had a column job: jsonl, three runs with dates in their
// names.
func TestStoreWithoutJobs(t *testing.T) {
	s, err := store.Open(os.DirFS(filepath.Join("testdata", "before-job")))
	if err != nil {
		t.Fatal(err)
	}
	if !s.Has("jobs.job") {
		t.Error("a store with names has jobs")
	}
	for _, p := range []store.Projection{{"jobs.name"}, {"jobs.job"}, store.All()} {
		var jobs []string
		for run, err := range s.Where(trace.Filter{Since: trace.None, Until: trace.None,
			Jobs: []string{"etl-#"}}).Runs(t.Context(), 0, p) {
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, run.ID+" "+run.Job)
		}
		if want := []string{"a etl-#", "b etl-#"}; !slices.Equal(jobs, want) {
			t.Errorf("%v: got %v, want %v", p, jobs, want)
		}
	}
}
