package parquetio_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"racecard/datasets/parquetio"
	"racecard/datasets/parquetio/parquetiotest"
	"racecard/datasets/source/sourcetest"
)

// dump reads all leaves of a file and writes their cells as text, by leaf and row.
func dump(content []byte, rows int) (map[string][]string, error) {
	table, err := parquetio.OpenTable(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	var which []int
	for i := range table.Leaves() {
		which = append(which, i)
	}
	out := map[string][]string{}
	for batch, err := range table.Batches(which, rows) {
		if err != nil {
			return out, err
		}
		for k, leaf := range table.Leaves() {
			for i := range batch.Len {
				out[leaf.Name] = append(out[leaf.Name], cell(&batch.Vectors[k], i))
			}
		}
	}
	return out, nil
}

func cell(v *parquetio.Vector, i int) string {
	from, to := v.Span(i)
	var all []string
	for k := from; k < to; k++ {
		if _, c := v.Int(k); c == parquetio.Null && v.Text(k) == "" {
			all = append(all, "null")
			continue
		}
		all = append(all, v.Text(k))
	}
	if v.Ends != nil {
		return "[" + strings.Join(all, " ") + "]"
	}
	return all[0]
}

func TestNestedColumns(t *testing.T) {
	columns := []parquetiotest.Column{
		{Name: "id", Type: parquetiotest.Int32, Required: true, Rows: []any{1, 2, 3, 4}},
		{Name: "parents", List: "item", Rows: []any{nil, []any{}, []any{7, nil, 8}, []any{9}}},
		{Name: "children", Type: parquetiotest.Double, List: "element", Rows: []any{[]any{1.5}, []any{2.0}, nil,
			[]any{nil}}},
		{Name: "request.cpus", Type: parquetiotest.Float, Rows: []any{0.5, nil, 2.0, 3.0}},
		{Name: "request.memory", Type: parquetiotest.Double, Rows: []any{nil, 1.25, 2.0, nil}},
		{Name: "name", Type: parquetiotest.Text, Rows: []any{"a", "", nil, "long enough to be itself"}},
		{Name: "big", Type: parquetiotest.Uint32, Rows: []any{1 << 31, 1, nil, 2}},
		{Name: "flag", Type: parquetiotest.Bool, Rows: []any{true, false, nil, true}},
	}
	want := map[string]string{
		"id": "1 2 3 4", "parents": "[] [] [7 8] [9]", "children": "[1.5] [2] [] []", "request.cpus": "0.5 null 2 3",
		"request.memory": "null 1.25 2 null", "name": "a null null long enough to be itself",
		"big":  "2147483648 1 null 2",
		"flag": "true false null true",
	}
	for _, o := range []parquetiotest.Options{
		{}, {Plain: true}, {Version2: true}, {GroupRows: 1}, {GroupRows: 3, Plain: true}, {Codec: &parquet.Zstd},
		{Codec: &parquet.Gzip},
		{Codec: &parquet.Uncompressed, PageBytes: 8},
	} {
		content := parquetiotest.File(t, o, columns...)
		for _, rows := range []int{1, 3, 100} {
			got, err := dump(content, rows)
			if err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			for name, text := range want {
				if strings.Join(got[name], " ") != text {
					t.Errorf("%+v, %d rows at a time: %s is %v, want %s", o, rows, name, got[name], text)
				}
			}
		}
	}
}

func TestManyRowsAcrossPages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(rt, "rows")
		flat := parquetiotest.Column{Name: "x"}
		list := parquetiotest.Column{Name: "l", Type: parquetiotest.Text, List: "element"}
		var wantFlat, wantList []string
		for range n {
			if rapid.IntRange(0, 3).Draw(rt, "null") == 0 {
				flat.Rows, wantFlat = append(flat.Rows, nil), append(wantFlat, "null")
			} else {
				x := rapid.IntRange(-5, 5).Draw(rt, "x")
				flat.Rows, wantFlat = append(flat.Rows, x), append(wantFlat, fmt.Sprint(x))
			}
			elements, text := []any{}, []string{}
			for range rapid.IntRange(0, 4).Draw(rt, "length") {
				s := rapid.SampledFrom([]string{"a", "bb", "ccc"}).Draw(rt, "element")
				elements, text = append(elements, s), append(text, s)
			}
			list.Rows, wantList = append(list.Rows, elements), append(wantList, "["+strings.Join(text, " ")+"]")
		}
		o := parquetiotest.Options{
			Plain: rapid.Bool().Draw(rt, "plain"), Version2: rapid.Bool().Draw(rt, "version 2"),
			GroupRows: rapid.IntRange(0, 90).Draw(rt, "group"), PageBytes: rapid.SampledFrom([]int{0, 1, 64}).Draw(rt,
				"page"),
		}
		got, err := dump(parquetiotest.File(t, o, flat, list), rapid.IntRange(1, 120).Draw(rt, "batch"))
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(got["x"], wantFlat) || !slices.Equal(got["l"], wantList) {
			rt.Errorf("got %v, want %v and %v", got, wantFlat, wantList)
		}
	})
}

func TestLeafTypes(t *testing.T) {
	content := parquetiotest.File(t, parquetiotest.Options{},
		parquetiotest.Column{Name: "ms", Type: parquetiotest.Millis, Rows: []any{1}},
		parquetiotest.Column{Name: "us", Type: parquetiotest.Micros, Rows: []any{1}},
		parquetiotest.Column{Name: "old", Type: parquetiotest.Int96, Rows: []any{nil}})
	table, err := parquetio.OpenTable(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if l := table.Leaves(); l[0].PerSecond != 1e3 || l[1].PerSecond != 1e6 || table.Find("none", "US") != 1 ||
		table.Find("none") != -1 {
		t.Errorf("leaves %+v", l)
	}
	for batch, err := range table.Batches([]int{-1, 0}, 9) {
		if err != nil || batch.Len != 1 || cell(&batch.Vectors[0], 0) != "null" || cell(&batch.Vectors[1], 0) != "1" {
			t.Errorf("a column that is not there: %+v, %v", batch, err)
		}
	}
	for _, err := range table.Batches([]int{2}, 9) {
		if err == nil || !strings.Contains(err.Error(), `column "old": INT96 is not supported`) {
			t.Errorf("INT96: %v", err)
		}
	}
}

func TestCells(t *testing.T) {
	v := parquetio.Vector{Kind: parquetio.Float64, Floats: []float64{1, 1.5, math.NaN(), math.Inf(1), 1 << 63, 1e300,
		-1 << 63}}
	s := parquetio.Vector{Kind: parquetio.String, Texts: []string{"12", "1.5", "", "x", "9223372036854775807", "3.0",
		"nan"}}
	for i, want := range [][2]string{
		{"1/1 1/1", "12/1 12/1"}, {"0/2 1.5/1", "0/2 1.5/1"}, {"0/0 NaN/0", "0/0 NaN/0"}, {"0/2 NaN/2", "0/2 NaN/2"},
		{"9223372036854775807/1 9.223372036854776e+18/1", "9223372036854775807/1 9.223372036854776e+18/1"},
		{"0/2 1e+300/1", "3/1 3/1"}, {"-9223372036854775808/1 -9.223372036854776e+18/1", "0/0 NaN/0"},
	} {
		for k, vector := range []*parquetio.Vector{&v, &s} {
			n, a := vector.Int(i)
			x, b := vector.Float(i)
			if got := fmt.Sprintf("%d/%d %v/%d", n, a, x, b); got != want[k] {
				t.Errorf("entry %d of %v: %s, want %s", i, vector.Kind, got, want[k])
			}
		}
	}
}

func TestOpenTableRefuses(t *testing.T) {
	good := parquetiotest.File(t, parquetiotest.Options{}, parquetiotest.Column{Name: "x", Rows: []any{1}})
	footer := good[:len(good)-8]
	for name, content := range map[string][]byte{
		"empty": nil, "short": []byte("PAR1"), "text": []byte("hello, this is not Parquet at all"),
		"magic only": []byte("PAR1PAR1PAR1"),
		"cut":        good[:len(good)-5],
		"footer big": append(slices.Clone(footer), "\xff\xff\xff\x7fPAR1"...),
		"list big":   []byte("PAR1\x15\x02\x29\xfc\xff\xff\xff\x07\x00\x09\x00\x00\x00PAR1"),
		"too deep":   append(append([]byte("PAR1"), bytes.Repeat([]byte{0x1c}, 100)...), "\x64\x00\x00\x00PAR1"...),
	} {
		if _, err := parquetio.OpenTable(bytes.NewReader(content), int64(len(content))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Every byte of a file is damaged in turn: there may be an error, but no panic, and nothing enormous may be asked for.
func TestDamagedBytes(t *testing.T) {
	good := parquetiotest.File(t, parquetiotest.Options{GroupRows: 2},
		parquetiotest.Column{Name: "x", Rows: []any{1, 2, nil}},
		parquetiotest.Column{Name: "l", Type: parquetiotest.Text, List: "item", Rows: []any{[]any{"a", "b"}, nil,
			[]any{}}})
	for i := range good {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, good[i] ^ 1, good[i] ^ 0x80} {
			bad := slices.Clone(good)
			bad[i] = b
			_, _ = dump(bad, 2)
		}
	}
	for i := range good {
		if _, err := dump(good[:i], 2); err == nil {
			t.Errorf("cut after %d bytes: no error", i)
		}
	}
}

func FuzzTable(f *testing.F) {
	columns := []parquetiotest.Column{
		{Name: "x", Rows: []any{1, 2, nil}},
		{Name: "l", Type: parquetiotest.Double, List: "item", Rows: []any{[]any{1.0, 2.0}, nil, []any{}}},
		{Name: "s", Type: parquetiotest.Text, Rows: []any{"a", "b", "a"}},
	}
	f.Add(parquetiotest.File(f, parquetiotest.Options{}, columns...))
	f.Add(parquetiotest.File(f, parquetiotest.Options{Plain: true, Version2: true}, columns...))
	f.Add(parquetiotest.File(f, parquetiotest.Options{Codec: &parquet.Uncompressed, GroupRows: 1}, columns...))
	f.Fuzz(func(_ *testing.T, content []byte) {
		_, _ = dump(content, 2)
	})
}

// The counts are those of the README beside the traces; the file is parquet-cpp's of 2019.
func TestSharedTables(t *testing.T) {
	for name, rows := range map[string]int{
		"wta/shell/tasks/schema-1.0/part.0.parquet": 10208, "wta/shell/workflows/schema-1.0/part.0.parquet": 3403,
		"opendc-parquet/surf_week/tasks.parquet": 6295, "opendc-parquet/workflow_example/tasks.parquet": 4,
	} {
		content, err := os.ReadFile(filepath.Clean(sourcetest.Shared(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := dump(content, 1000)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for leaf, cells := range got {
			if len(cells) != rows {
				t.Errorf("%s: %s has %d rows, want %d", name, leaf, len(cells), rows)
			}
		}
	}
}

func TestSpool(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	for _, memory := range []int64{0, 100, 9999, 10_000} {
		s, err := parquetio.Spool(bytes.NewReader(content), memory)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(content))
		if n, _ := s.ReadAt(got, 0); n != len(content) || s.Size != int64(n) || !bytes.Equal(got, content) {
			t.Errorf("%d bytes of memory: %d bytes, size %d", memory, n, s.Size)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkTable(b *testing.B) {
	const n = 1_000_000
	x, l := parquetiotest.Column{Name: "x"}, parquetiotest.Column{Name: "l", List: "element"}
	for i := range n {
		x.Rows = append(x.Rows, i*7919%1000)
		l.Rows = append(l.Rows, []any{i})
	}
	content := parquetiotest.File(b, parquetiotest.Options{}, x, l)
	rows := 0
	for b.Loop() {
		table, err := parquetio.OpenTable(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			b.Fatal(err)
		}
		for batch, err := range table.Batches([]int{0, 1}, 4096) {
			if err != nil {
				b.Fatal(err)
			}
			rows += batch.Len
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
