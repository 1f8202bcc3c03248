package tablefile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"racecard/datasets/arrowtab"
	"racecard/datasets/parquetio"
	"racecard/datasets/remaining"
)

// made is C(p,a) = (1-p)·100 s/a on 1 and 4 tokens.
func made(job string) *remaining.Table {
	from, to := 1.5, 1e9
	t := remaining.New(remaining.About{
		Job: job, Method: remaining.Simulated, Model: "ab12", Plan: "00", Resolution: "attempt", Stages: 2, Tasks: 30,
		Runs: 12, OldestS: &from, NewestS: &to, MostTokens: new(int64),
		Graph: remaining.Graph{Stages: []remaining.Stage{{Name: "map", Tasks: 20, WorkS: 60, LongestS: 4, End: .5,
			InfEnd: .5}, {Name: "sum", Tasks: 10, WorkS: 40, LongestS: 5, Begin: .5, End: 1, InfBegin: .5, InfEnd: 1}},
			Edges: []remaining.Edge{{Parent: 0, Child: 1, Kind: "all_to_all"}}},
		Control:   remaining.Control{Loop: remaining.Loop{PeriodS: 60, Slack: 1.2, Hysteresis: .2, Quantile: .9, Jump: true}},
		Indicator: "cp", Sampling: remaining.ByProgress, Replicates: []int64{10, 20}, Simulated: 30, Seed: 1 << 60,
		Warnings: []string{`a "warning"`}, Version: "v",
	}, []int32{1, 4})
	for c := range t.Cells() {
		middle := (1 - remaining.Progress(c%remaining.Steps)) * 100 / float64(t.Allocations[c/remaining.Steps])
		for q := range t.Quantiles {
			t.Quantiles[q][c] = middle * (1 + (float64(q)-50)/100)
		}
		t.Mean[c], t.Samples[c] = middle, 10
	}
	return t
}

func encoded(t testing.TB, table *remaining.Table) (arrow, parquet []byte) {
	t.Helper()
	arrow, err := Encode(table)
	if err != nil {
		t.Fatal(err)
	}
	if parquet, err = EncodeParquet(table); err != nil {
		t.Fatal(err)
	}
	return arrow, parquet
}

func TestRoundTrip(t *testing.T) {
	for _, job := range []string{"nightly-index", "", "true", "日報 \x00\xff", `"`} {
		want := made(job)
		if job != strings.ToValidUTF8(job, "") {
			want.About.Job = strings.ToValidUTF8(job, "?")
		}
		if job == "true" {
			want.About.Courses = 7
		}
		arrow, parquet := encoded(t, want)
		for what, decode := range map[string]func() (*remaining.Table, error){
			"Arrow": func() (*remaining.Table, error) { return Decode(arrow) }, "Parquet": func() (*remaining.Table,
				error) {
				return DecodeParquet(parquet)
			},
		} {
			got, err := decode()
			if err != nil {
				t.Fatalf("%s of %q: %v", what, job, err)
			}
			if !same(got, want) || !reflect.DeepEqual(got.About, want.About) {
				t.Errorf("%s of %q: got %+v, want %+v", what, job, got.About, want.About)
			}
		}
		again, _ := encoded(t, want)
		if !bytes.Equal(arrow, again) {
			t.Errorf("%q: not the same bytes again", job)
		}
	}
}

func TestBadTablesAreNotWritten(t *testing.T) {
	table := made("j")
	table.Quantiles[3][7] = -1
	if _, err := Encode(table); err == nil {
		t.Error("a table that breaks a law is encoded")
	}
	if _, err := EncodeParquet(table); err == nil {
		t.Error("a table that breaks a law is encoded as Parquet")
	}
	if _, err := Encode(made("my " + mark + zeros)); err == nil {
		t.Error("a job called like a checksum is encoded")
	}
}

// TestDamage: whatever byte is changed, and wherever a file is cut off, it is refused.
func TestDamage(t *testing.T) {
	arrow, parquet := encoded(t, made("j"))
	for what, of := range map[string]struct {
		data   []byte
		decode func([]byte) (*remaining.Table, error)
	}{"Arrow": {arrow, Decode}, "Parquet": {parquet, DecodeParquet}} {
		step := 1 + len(of.data)/300
		for i := 0; i < len(of.data); i += step {
			damaged := bytes.Clone(of.data)
			damaged[i] ^= 0x10
			if _, err := of.decode(damaged); err == nil {
				t.Fatalf("%s: byte %d changed, and read", what, i)
			}
			if _, err := of.decode(of.data[:i]); err == nil {
				t.Fatalf("%s: cut off after %d bytes, and read", what, i)
			}
		}
	}
}

// resigned is a file of which pairs or columns were changed, with the right checksum.
func resigned(t testing.TB, change func(about []parquetio.Pair, columns []parquetio.Column) ([]parquetio.Pair,
	[]parquetio.Column)) []byte {
	t.Helper()
	table := made("j")
	about, err := describe(table)
	if err != nil {
		t.Fatal(err)
	}
	data, err := arrowtab.EncodeFile(change(about, columns(table)))
	if err != nil {
		t.Fatal(err)
	}
	if err := sign(data, 2); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRefused(t *testing.T) {
	type pairs = []parquetio.Pair
	type cols = []parquetio.Column
	pair := func(key, value string) func(pairs, cols) (pairs, cols) {
		return func(about pairs, c cols) (pairs, cols) {
			i := slices.IndexFunc(about, func(p parquetio.Pair) bool { return p.Key == key })
			about[i].Value = value
			return about, c
		}
	}
	column := func(do func(cols)) func(pairs, cols) (pairs, cols) {
		return func(about pairs, c cols) (pairs, cols) {
			do(c)
			return about, c
		}
	}
	for _, test := range []struct {
		want string
		do   func(pairs, cols) (pairs, cols)
	}{
		{"not a table of racecard", pair("format", "parquet")},
		{"format version is 1", pair("format_version", "1")},
		{"metadata: allocations", pair("allocations", "1,4")},
		{"202 of 202 rows known", pair("allocations", "[1]")},
		{"row 101 is of 4 tokens", pair("allocations", "[1,5]")},
		{"metadata", pair("runs", "many")},
		{"graph of 1 stages, want 2", pair("graph", `{"stages":[{"name":"a","tasks":1}],"edges":[]}`)},
		{"want stages below 0", pair("graph", `{"stages":[],"edges":[{"parent":0,"child":1}]}`)},
		{"graph: stage 0: 0 tasks", pair("graph", `{"stages":[{"tasks":0},{"tasks":1}],"edges":[]}`)},
		{"0 <= begin <= end <= 1", pair("graph", `{"stages":[{"tasks":1,"begin":0.5},{"tasks":1}],"edges":[]}`)},
		{"metadata", pair("seed", "{")},
		{`"job" is there twice`, func(about pairs, c cols) (pairs, cols) {
			return append(about, parquetio.Pair{Key: "job"}), c
		}},
		{`there is no "courses": the table was made by another version of racecard (racecard 0.9), whose tables this one does not read: build it again with ` + "`racecard table build",
			func(about pairs, c cols) (pairs, cols) {
				about, c = pair("racecard", "racecard 0.9")(about, c)
				return slices.DeleteFunc(about, func(p parquetio.Pair) bool { return p.Key == "courses" }), c
			}},
		{`unknown field "later": the table was made by another version of racecard`, pair("monotone", `{"later": 1}`)},
		{`there is no "job"`, func(about pairs, c cols) (pairs, cols) {
			return slices.DeleteFunc(about, func(p parquetio.Pair) bool { return p.Key == "job" }), c
		}},
		{"50 columns, want 105", func(about pairs, c cols) (pairs, cols) { return about, c[:50] }},
		{`column 5 is "p2_s"`, column(func(c cols) { c[5], c[6] = c[6], c[5] })},
		{"with 0 of 202 rows known", column(func(c cols) { c[9].Valid = make([]byte, (c[9].Len+7)/8) })},
		{"not whole numbers", column(func(c cols) { c[2].Kind, c[2].Float64s = parquetio.Float64, c[3].Float64s })},
		{"want doubles", column(func(c cols) { c[7].Kind, c[7].Int64s = parquetio.Int64, c[2].Int64s })},
		{"more tokens or progress", column(func(c cols) {
			for i := range c[3:] {
				c[3+i].Float64s[remaining.Steps] = 1e6
			}
		})},
	} {
		if _, err := Decode(resigned(t, test.do)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want an error with %q", err, test.want)
		}
	}
}

func folder(t *testing.T) (fstest.MapFS, *Index) {
	t.Helper()
	fsys := fstest.MapFS{}
	var x Index
	for _, job := range []string{"a/b", "a_b"} {
		e, files, err := Files(made(job))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		x.Tables = append(x.Tables, e)
	}
	f, err := EncodeIndex(x)
	if err != nil {
		t.Fatal(err)
	}
	fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	if len(fsys) != 5 {
		t.Fatalf("%d files, want 5", len(fsys))
	}
	got, err := ReadIndex(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return fsys, got
}

func TestFolder(t *testing.T) {
	fsys, x := folder(t)
	for i, job := range []string{"a/b", "a_b"} {
		got, err := LoadBoth(fsys, x.Tables[i])
		if err != nil || !same(got, made(job)) {
			t.Errorf("%s: %v", job, err)
		}
	}
	x.Tables[0].Parquet, x.Tables[0].ParquetSHA256 = x.Tables[1].Parquet, x.Tables[1].ParquetSHA256
	if _, err := LoadBoth(fsys, x.Tables[0]); err == nil || !strings.Contains(err.Error(), "same") {
		t.Errorf("the copy of another table: %v", err)
	}
	other := x.Tables[0]
	other.Job = "c"
	if _, err := Load(fsys, other); err == nil || !strings.Contains(err.Error(), "listed as") {
		t.Errorf("a table listed as another: %v", err)
	}
	other.File = "../" + other.File
	if _, err := Load(fsys, other); err == nil || !strings.Contains(err.Error(), "name of a file") {
		t.Errorf("a file elsewhere: %v", err)
	}
	fsys[x.Tables[1].File].Data[3] ^= 1
	if _, err := Load(fsys, x.Tables[1]); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: %v", err)
	}
	if _, err := EncodeIndex(Index{Tables: []Entry{{Job: "a"}, {Job: "a"}}}); err == nil {
		t.Error("a job twice is listed")
	}
	for _, data := range []string{"{", `{"format":"racecard-models","version":1}`,
		`{"format":"racecard-tables","version":9}`} {
		fsys[IndexFile].Data = []byte(data)
		if _, err := ReadIndex(fsys); err == nil {
			t.Errorf("index %s is read", data)
		}
	}
	if _, err := ReadIndex(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "racecard table build") {
		t.Errorf("no index: %v", err)
	}
}

// TestOtherTools: DuckDB reads the Parquet copy, and pyarrow maps the Arrow file into memory.
func TestOtherTools(t *testing.T) {
	arrow, parquet := encoded(t, made("nightly"))
	dir := t.TempDir()
	for name, data := range map[string][]byte{"t.arrow": arrow, "t.parquet": parquet} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ name, module, program, want string }{
		// 25 s on four tokens; p90 is 1.4 of it, half-way .5
		{"values in DuckDB", "duckdb", `import duckdb, sys
print(duckdb.sql(f"select count(*), max(p90_s) filter (allocation = 4), max(p90_s) filter (allocation = 4 and progress = 0.5) from '{sys.argv[1]}/t.parquet'").fetchall())`, "[(202, 35.0, 17.5)]"},
		{"metadata in DuckDB", "duckdb", `import duckdb, sys
print(duckdb.sql(f"select decode(value) from parquet_kv_metadata('{sys.argv[1]}/t.parquet') where decode(key) = 'job'").fetchall())`, "[('nightly',)]"},
		{"mapped by pyarrow", "pyarrow", `import pyarrow as pa, sys
with pa.memory_map(sys.argv[1] + "/t.arrow") as f:
    before = pa.total_allocated_bytes()
    t = pa.ipc.open_file(f).read_all()
    print(t.num_rows, t["p90_s"][101].as_py(), t.schema.metadata[b"job"].decode(), pa.total_allocated_bytes() - before)`, "202 35.0 nightly 0"},
		{"Parquet in pyarrow", "pyarrow", `import pyarrow.parquet as pq, sys
print(pq.read_table(sys.argv[1] + "/t.parquet").num_columns)`, "105"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := exec.Command("python3", "-c", "import "+test.module).Run(); err != nil {
				t.Skipf("%s is not installed for python3 (pip install %s): %v", test.module, test.module, err)
			}
			out, err := exec.Command("python3", "-c", test.program, dir).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
				t.Errorf("%s %v, want %s", got, err, test.want)
			}
		})
	}
}

// FuzzDecode: no file panics, and what is read can be written and read again. A file is also tried with the right
// checksum, so that what is behind it is reached.
func FuzzDecode(f *testing.F) {
	arrow, parquet := encoded(f, made("n"))
	f.Add(arrow)
	f.Add(parquet)
	f.Add([]byte(mark))
	f.Add([]byte(mark + zeros + mark))
	f.Fuzz(func(t *testing.T, data []byte) {
		signed := bytes.Clone(data)
		at := places(signed)
		if n := len(at); n > 0 && at[n-1]+digits <= len(signed) {
			_ = sign(signed, n) // cannot fail
		}
		for _, data := range [][]byte{data, signed} {
			table, err := Decode(data)
			if err != nil {
				continue
			}
			again, err := Encode(table)
			if err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
			if _, err := Decode(again); err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
		}
		_, _ = DecodeParquet(data)
	})
}

// FuzzMetadata: whatever the metadata says, it is refused or makes a table that keeps its laws.
func FuzzMetadata(f *testing.F) {
	f.Add("allocations", "[1,4]")
	f.Add("job", "x")
	f.Add("replicates", "[1e400]")
	f.Fuzz(func(t *testing.T, key, value string) {
		made := made("j")
		about, err := describe(made)
		if err != nil {
			t.Fatal(err)
		}
		for i := range about {
			if about[i].Key == key {
				about[i].Value = value
			}
		}
		if got, err := table(about, columns(made)); err == nil {
			if err := got.Verify(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data, err := Encode(made("j"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

// A generation rises whenever a table appears that was not there as it is, and to the end of its newest past run at least.
func TestGenerations(t *testing.T) {
	entry := func(job, sum string) Entry { return Entry{Job: job, SHA256: sum} }
	publish := func(x Index, before fstest.MapFS) (Index, fstest.MapFS) {
		t.Helper()
		var old fs.FS
		if before != nil {
			old = before
		}
		all, _, err := x.Join(old)
		if err != nil {
			t.Fatal(err)
		}
		f, err := EncodeIndex(all)
		if err != nil {
			t.Fatal(err)
		}
		return all, fstest.MapFS{f.Name: &fstest.MapFile{Data: f.Data}}
	}
	var published fstest.MapFS
	for _, step := range []struct {
		name   string
		tables []Entry
		want   int64
		jobs   string
	}{
		{"first", []Entry{entry("a", "1"), entry("b", "2")}, 1, "a1 b1"},
		{"the same again", []Entry{entry("a", "1"), entry("b", "2")}, 1, "a1 b1"},
		{"one changed", []Entry{entry("b", "3")}, 2, "a1 b2"},
		{"one more", []Entry{entry("c", "4")}, 3, "a1 b2 c3"},
		{"of runs up to 500 s", []Entry{{Job: "b", SHA256: "5", Generation: 500}}, 500, "a1 b500 c3"},
		{"of the same runs otherwise", []Entry{{Job: "b", SHA256: "6", Generation: 500}}, 501, "a1 b501 c3"},
		{"of fewer runs", []Entry{{Job: "b", SHA256: "7", Generation: 400}}, 502, "a1 b502 c3"},
	} {
		var all Index
		all, published = publish(Index{Models: "m", Tables: step.tables}, published)
		var jobs []string
		for _, e := range all.Tables {
			jobs = append(jobs, fmt.Sprint(e.Job, e.Generation))
		}
		if got := strings.Join(jobs, " "); all.Generation != step.want || got != step.jobs {
			t.Errorf("%s: generation %d, %s; want %d, %s", step.name, all.Generation, got, step.want, step.jobs)
		}
	}
}

// Folders that are made anew have no generation before. Of two of them, the one that knows of later runs is newer, on
// every machine, and the same table has the same generation.
func TestGenerationsOfFreshFolders(t *testing.T) {
	var got []int64
	for _, newest := range []float64{-5, 1.7e9 + .25, 1.7e9 + .25, 1.7e9 + 86400} {
		table := made("a")
		table.About.NewestS = &newest
		e, _, err := Files(table)
		if err != nil {
			t.Fatal(err)
		}
		x, _, err := Index{Models: "m", Tables: []Entry{e}}.Join(nil)
		if err != nil || x.Generation != x.Tables[0].Generation {
			t.Fatalf("%+v, %v", x, err)
		}
		got = append(got, x.Generation)
	}
	if want := []int64{1, 1.7e9, 1.7e9, 1.7e9 + 86400}; !slices.Equal(got, want) {
		t.Errorf("generations %d, want %d", got, want)
	}
}
