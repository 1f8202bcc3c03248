package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/store/storetest"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// resign is [storetest.Resign] of a store whose manifest can be read.
func resign(t *testing.T, dir string, edit func(m *store.Manifest)) {
	t.Helper()
	if !storetest.Resign(t, dir, edit) {
		t.Fatalf("the manifest of %s cannot be read", dir)
	}
}

// readAll returns the first error of reading all of a store.
func readAll(t *testing.T, dir string) error {
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		return err
	}
	for part := range s.Parts() {
		for _, err := range s.Runs(t.Context(), part, store.All()) {
			if err != nil {
				return err
			}
		}
	}
	_, err = s.Machines()
	return err
}

// Manifests with matching checksums that no import writes are refused, and nothing hangs or fills the memory.
func TestForgedManifests(t *testing.T) {
	r := trace.NewRun("r")
	r.Stages = []trace.Stage{trace.NewStage()}
	const jobs = "jobs/part-00000.parquet"
	for _, test := range []struct {
		name  string
		files func(dir string) error
		edit  func(m *store.Manifest)
		want  string
	}{
		{"nothing", nil, nil, ""},
		{"2^40 parts", nil, func(m *store.Manifest) { m.Parts = 1 << 40 }, "1099511627776 parts, and 1 files of the " +
			"jobs table"},
		{"no parts", nil, func(m *store.Manifest) { m.Parts = 0 }, "is of part 0, and there are 0"},
		{"a file above the store", nil, func(m *store.Manifest) { m.Files[0].Name = "../jobs/part-00000.parquet" },
			"is not the name of a part"},
		{"another spelling", nil, func(m *store.Manifest) { m.Files[0].Name = "jobs/part-0.parquet" },
			"is not the name of a part"},
		{"a table of no name", nil, func(m *store.Manifest) { m.Files[0].Name = "more/part-00000.parquet" },
			"is not the name of a part"},
		{"a file twice", nil, func(m *store.Manifest) { m.Files = append(m.Files, m.Files[0]) }, "listed twice"},
		{"no rows", nil, func(m *store.Manifest) { m.Files[0].Rows, m.Rows["jobs"] = 0, 0 }, "has 0 rows"},
		{"too many rows", nil, func(m *store.Manifest) { m.Files[0].Rows, m.Rows["jobs"] = 1<<40, 1<<40 },
			"rows, want 1 to"},
		{"other rows", nil, func(m *store.Manifest) { m.Files[0].Rows, m.Rows["jobs"] = 2, 2 },
			"holds 1 rows, the manifest says 2"},
		{"other sums", nil, func(m *store.Manifest) { m.Rows["jobs"] = 2 }, "table jobs has 2 rows, its files have 1"},
		{"negative bytes", nil, func(m *store.Manifest) { m.Files[0].Bytes = -1 }, "has -1 bytes"},
		{"20 GB of holes", func(dir string) error { return os.Truncate(filepath.Join(dir, jobs), 20e9) },
			func(m *store.Manifest) { m.Files[0].Bytes = 20e9 }, "20000000000 bytes, at most"},
		{"1 GB of holes", func(dir string) error { return os.Truncate(filepath.Join(dir, jobs), 1<<30) }, nil,
			"the file ends with"},
		{"a FIFO", func(dir string) error {
			name := filepath.Join(dir, jobs)
			return first(os.Remove(name), syscall.Mkfifo(name, 0o600))
		}, nil, "want a plain file"},
		{"a manifest that is a FIFO", nil, nil, "want a plain file"},
		{"a share of 2", nil, func(m *store.Manifest) { m.Columns["jobs"]["name"] = 2 }, "is said to hold 2"},
		{"a column of no table", nil, func(m *store.Manifest) { m.Columns["more"] = map[string]float64{"x": 1} },
			"is said to hold"},
		{"half a span", nil, func(m *store.Manifest) { n := int64(5); m.From, m.To = &n, nil },
			"first and last instant"},
		{"a manifest of null", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, store.ManifestName), []byte("null"), 0o600)
		}, nil, "version 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "1 GB of holes" && testing.Short() {
				t.Skip("hashes a gigabyte, which takes long under the race detector")
			}
			dir := filepath.Join(t.TempDir(), "s")
			write(t, dir, []*trace.Run{r}, nil)
			if test.files != nil && strings.Contains(test.name, "holes") {
				if err := test.files(dir); err != nil {
					t.Skip(err)
				}
			}
			if test.name != "20 GB of holes" {
				resign(t, dir, test.edit)
			} else {
				if err := os.Truncate(filepath.Join(dir, jobs), 100); err != nil {
					t.Fatal(err)
				}
				resign(t, dir, test.edit)
				if err := test.files(dir); err != nil {
					t.Skip(err)
				}
			}
			if test.files != nil && !strings.Contains(test.name, "holes") {
				if err := test.files(dir); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(test.name, "manifest that is a FIFO") {
				name := filepath.Join(dir, store.ManifestName)
				if err := first(os.Remove(name), syscall.Mkfifo(name, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			err := readAll(t, dir)
			if test.want == "" && err != nil || test.want != "" &&
				(err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A run that is in two parts is refused, in whatever order the parts are read.
func TestRunInTwoParts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	for i, o := range []store.Options{{}, {Append: true}} {
		w, err := store.Create(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			if err := w.Append(trace.NewRun(fmt.Sprint("r", k+2*i))); err != nil { // r2 is in both
				t.Fatal(err)
			}
		}
		if _, err := w.Close(store.Manifest{Format: "test"}, source.NewTally()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a part may be read again
		if _, err := s.Batch(1, store.All()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Batch(0, store.All()); err == nil || !strings.Contains(err.Error(), `run "r2" is in another part`) {
		t.Errorf("got %v", err)
	}
}

// modest makes counts of a run smaller than what a double holds exactly, as counts of bytes are: pandas writes integers
// of which some are null as doubles.
func modest(r *trace.Run) {
	counts := []*int64{&r.InputBytes, &r.ShuffleBytes, &r.OutputBytes, &r.Guaranteed, &r.ExecutorCores, &r.ExecutorMem,
		&r.ExecutorPeakMem}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		counts = append(counts, &a.InputBytes, &a.SpillBytes, &a.PeakMem)
	}
	for i := range r.Allocations {
		a := &r.Allocations[i]
		counts = append(counts, &a.Tokens, &a.Spare, &a.Machines)
	}
	for i := range r.IO {
		counts = append(counts, &r.IO[i].Bytes)
	}
	for _, n := range counts {
		if *n != trace.None {
			*n &= 1<<53 - 1
		}
	}
}

// rewrite is a program that reads Parquet files and writes them again, each with a tool and options.
const rewrite = `
import sys, importlib
tool, options, *files = sys.argv[1:]
options = eval(options)
for f in files:
    if tool == "pyarrow":
        import pyarrow.parquet as pq
        pq.write_table(pq.ParquetFile(f).read(), f, **options)
    elif tool == "pandas":
        import pandas as pd
        pd.read_parquet(f).to_parquet(f, **options)
    elif tool == "duckdb":
        import duckdb
        duckdb.sql("create or replace table t as select * from read_parquet('%s')" % f)
        duckdb.sql("copy t to '%s' (format parquet%s)" % (f, options))
    else:
        import polars as pl
        pl.read_parquet(f).write_parquet(f, **options)
`

// A store that another tool wrote again is the same store: dictionary-encoded integers, pages of either version, other
// compression, other sizes of row groups, integers that became doubles for their nulls.
func TestRewrittenByOtherTools(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of other tools")
	}
	var runs []*trace.Run
	for i := range 60 {
		run := rapid.Custom(func(rt *rapid.T) *trace.Run { return tracetest.Run(rt, fmt.Sprint("run", i)) }).Example(i)
		modest(run)
		runs = append(runs, run)
	}
	original := filepath.Join(t.TempDir(), "s")
	write(t, original, runs, nil)
	want := read(t, original, store.All())
	python := "python3"
	if p := os.Getenv("RACECARD_PYTHON"); p != "" { // one that has the packages
		python = p
	}
	for _, test := range []struct{ tool, options string }{
		{"pyarrow", "{}"}, {"pyarrow", "dict(compression='zstd', row_group_size=7)"},
		{"pyarrow", "dict(use_dictionary=False, data_page_version='2.0')"},
		{"pyarrow", "dict(compression='lz4', version='1.0')"}, {"pyarrow", "dict(compression='brotli', " +
			"data_page_size=64)"},
		{"pyarrow", "dict(compression='none', write_page_index=True, write_page_checksum=True)"},
		{"pyarrow", "dict(coerce_timestamps='ms', allow_truncated_timestamps=True)"},
		{"pyarrow", "dict(use_dictionary=False, use_byte_stream_split=['cpu', 'mem'])"},
		{"pyarrow", "dict(compression='gzip')"},
		{"pandas", "{}"}, {"duckdb", "''"}, {"duckdb", "', compression zstd, row_group_size 2048, parquet_version V2'"},
		{"duckdb", "', compression lz4_raw'"},
		{"polars", "{}"}, {"polars", "dict(compression='lz4', row_group_size=5)"},
		{"polars", "dict(compression='snappy', statistics=False, data_page_size=100)"},
	} {
		t.Run(test.tool+" "+test.options, func(t *testing.T) {
			if err := exec.Command(python, "-c", "import "+test.tool).Run(); err != nil {
				t.Skipf("%s is not installed for %s (or RACECARD_PYTHON): %v", test.tool, python, err)
			}
			dir := filepath.Join(t.TempDir(), "s")
			if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*", "*.parquet"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			if out, err := exec.Command(python, append([]string{"-c", rewrite, test.tool, test.options},
				files...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			resign(t, dir, nil)
			if strings.Contains(test.options, "coerce_timestamps") { // whose times are other times
				if err := readAll(t, dir); err == nil || !strings.Contains(err.Error(), "want end - start") {
					t.Errorf("got %v, want a breach", err)
				}
				return
			}
			got := read(t, dir, store.All())
			if len(got) != len(want) {
				t.Fatalf("%d runs, want %d", len(got), len(want))
			}
			for id := range want {
				if got[id] != want[id] {
					t.Errorf("got  %s\nwant %s", got[id], want[id])
				}
			}
		})
	}
}
