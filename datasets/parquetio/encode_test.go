package parquetio

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"
)

// encode writes columns in their order and opens the file.
func encode(t interface{ Fatal(...any) }, e *Encoder, columns []Column, sortedBy ...string) ([]byte, *File) {
	var b bytes.Buffer
	if err := e.Write(&b, "t", nil, columns, []Range{{0, columns[0].Len}}, sortedBy...); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), f
}

func numbersColumn(name string, n int, value func(i int) float64) Column {
	c := Column{Field: Field{name, Float64}, Len: n}
	for i := range n {
		c.Float64s = append(c.Float64s, value(i))
	}
	return c
}

func TestNumbersThatRepeatHaveADictionary(t *testing.T) {
	const n = 10_000
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 0.5, math.MaxFloat64,
		math.SmallestNonzeroFloat64}
	nulls := numbersColumn("nulls", n, func(i int) float64 { return float64(i % 3) })
	nulls.Valid = make([]byte, n/8)
	for i := 100; i < n; i += 7 {
		setBit(nulls.Valid, i)
	}
	for _, test := range []struct {
		column   Column
		distinct int // 0: it has no dictionary
	}{
		{numbersColumn("one", n, func(int) float64 { return 7 }), 1},
		{numbersColumn("zeros differ", n, func(i int) float64 { return special[i%len(special)] }), len(special)},
		{nulls, 3},
		{numbersColumn("none repeats", n, func(i int) float64 { return float64(i) }), 0},
		// 2500 of 10 000: more than one in manyNumbers is new.
		{numbersColumn("many", n, func(i int) float64 { return float64(i / 4) }), 0},
		{numbersColumn("few enough", n, func(i int) float64 { return float64(i / 16) }), n / 16},
		{numbersColumn("most of few", 10, func(i int) float64 { return float64(min(i, 5)) }), 0}, // 6 of 10
		{numbersColumn("half of few", 10, func(i int) float64 { return float64(i / 2) }), 5},
	} {
		_, f := encode(t, new(Encoder), []Column{test.column})
		meta := f.file.Metadata().RowGroups[0].Columns[0].MetaData
		if got := slices.Contains(meta.Encoding, format.RLEDictionary); got != (test.distinct > 0) {
			t.Errorf("%s: encodings %v", test.column.Name, meta.Encoding)
		}
		got, err := f.Column(test.column.Name)
		if err != nil {
			t.Fatal(err)
		}
		met := map[string]bool{}
		for i := range got.Len {
			if g, w := value(&got, i), value(&test.column, i); g != w {
				t.Fatalf("%s: row %d is %s, want %s", test.column.Name, i, g, w)
			}
			met[value(&got, i)] = true
		}
		delete(met, "null")
		if test.distinct > 0 && len(met) != test.distinct {
			t.Errorf("%s: %d values, want %d", test.column.Name, len(met), test.distinct)
		}
	}
}

// TestPlaces compares places in a dictionary with those that another decoder reads, and their bytes with those of runs
// and groups that others write.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := int32(1)<<rapid.IntRange(0, 26).Draw(t, "bits") - 1
		var want []int32
		for range rapid.IntRange(0, 20).Draw(t, "runs") {
			x := rapid.Int32Range(0, most).Draw(t, "place")
			for range rapid.IntRange(1, 40).Draw(t, "times") {
				want = append(want, x)
			}
		}
		b := appendPlaces(nil, want)
		got, err := dictionary.DecodeInt32(nil, b)
		if err != nil || len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Fatalf("%v: got %v, want %v", err, got, want)
		}
		if err := checkRuns(b[1:], uint(b[0]), len(want)); err != nil {
			t.Fatal(err)
		}
		other, _ := dictionary.EncodeInt32(nil, want)
		if len(b) > len(other)+int(b[0])+2 { // the last group may be padded
			t.Fatalf("%d bytes, others write %d", len(b), len(other))
		}
	})
	var ids []int32 // of 1000 runs of 27 rows
	for i := range 27_000 {
		ids = append(ids, int32(i/27))
	}
	if got := len(appendPlaces(nil, ids)); got != 1+1000*3 { // the length and two bytes of the place
		t.Errorf("%d bytes", got)
	}
}

// TestEncoderKeepsNothing writes files with one encoder, and each with one of its own.
func TestEncoderKeepsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var used Encoder
		for range rapid.IntRange(2, 4).Draw(t, "files") {
			n := rapid.IntRange(1, 30).Draw(t, "rows")
			var columns []Column
			for i := range rapid.IntRange(1, 4).Draw(t, "columns") {
				columns = append(columns, drawColumn(t, fmt.Sprint("c", i), n))
			}
			a, _ := encode(t, &used, columns)
			if b, _ := encode(t, new(Encoder), columns); !bytes.Equal(a, b) {
				t.Fatal("what an encoder wrote before changes what it writes")
			}
		}
	})
}

// idColumn has sorted texts that begin alike.
func idColumn(n int) Column {
	c := Column{Field: Field{"id", String}, Len: n}
	for i := range n {
		c.Index, c.Dict = append(c.Index, int32(i)), append(c.Dict, fmt.Sprintf("j_%07d", i*3))
	}
	return c
}

func TestSortedTextShares(t *testing.T) {
	c := idColumn(300_000)
	sorted, f := encode(t, new(Encoder), []Column{c}, "id")
	apart, _ := encode(t, new(Encoder), []Column{c})
	if 2*len(sorted) > len(apart) {
		t.Errorf("%d bytes when it is known to be sorted, %d otherwise", len(sorted), len(apart))
	}
	got, err := f.Column("id")
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Len {
		if got.Text(i) != c.Text(i) {
			t.Fatalf("row %d is %q, want %q", i, got.Text(i), c.Text(i))
		}
	}
}

func integersColumn(name string, kind Kind, n int, value func(i int) int64) Column {
	c := Column{Field: Field{name, kind}, Len: n}
	for i := range n {
		if x := value(i); kind == Int32 {
			c.Int32s = append(c.Int32s, int32(x))
		} else {
			c.Int64s = append(c.Int64s, x)
		}
	}
	return c
}

// scatter is a number without order.
func scatter(i int) int64 {
	r := rand.NewPCG(uint64(i), 0)
	return int64(r.Uint64() >> 1)
}

// TestIntegers checks which encoding integers get, and that they are read back.
func TestIntegers(t *testing.T) {
	const n = 100_000
	for _, test := range []struct {
		name  string
		kind  Kind
		value func(i int) int64
		want  format.Encoding
	}{
		{"counted", Int64, func(i int) int64 { return int64(i) }, format.DeltaBinaryPacked},
		{"all differ", Int64, scatter, format.DeltaBinaryPacked},
		{"all differ within a range", Timestamp, func(i int) int64 { return scatter(i) >> 30 }, format.DeltaBinaryPacked},
		{"one", Int32, func(int) int64 { return 7 }, format.RLEDictionary},
		{"few that lie far apart", Int32, func(i int) int64 { return scatter(int(scatter(i)>>58)) >> 32 },
			format.RLEDictionary},
		{"many that repeat all over", Int64, func(i int) int64 { return scatter(int(scatter(i) >> 51)) },
			format.RLEDictionary}, // 4096
		{"negative", Int32, func(i int) int64 { return -(scatter(int(scatter(i)>>58)) >> 32) }, format.RLEDictionary},
		{"each repeats near by", Timestamp, func(i int) int64 { return scatter(i/40*4 + i%4) }, format.Plain},
		{"half differ", Int64, func(i int) int64 { return scatter(int(scatter(i) % (n / 2))) }, format.DeltaBinaryPacked},
	} {
		column := integersColumn("c", test.kind, n, test.value)
		for k, c := range []Column{column, {Field: column.Field, Len: n, Int32s: column.Int32s, Int64s: column.Int64s,
			Valid: bytes.Repeat([]byte{0xfe}, n/8)}} {
			_, f := encode(t, new(Encoder), []Column{c})
			if got := f.file.Metadata().RowGroups[0].Columns[0].MetaData.Encoding[1]; got != test.want && k == 0 {
				t.Errorf("%s: encoding %v, want %v", test.name, got, test.want)
			}
			got, err := f.Column("c")
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if g, w := value(&got, i), value(&c, i); g != w {
					t.Fatalf("%s: row %d is %s, want %s", test.name, i, g, w)
				}
			}
		}
	}
}

// TestOthersRead reads every encoding with the readers that others have.
func TestOthersRead(t *testing.T) {
	const n = 200_000
	rare := numbersColumn("rare", n, func(i int) float64 { return float64(i % 10) })
	rare.Valid = make([]byte, n/8)
	for i := 0; i < n; i += 1000 {
		setBit(rare.Valid, i)
	}
	all := []Column{
		idColumn(n),
		numbersColumn("repeats", n, func(i int) float64 { return float64(i%7) / 4 }),
		numbersColumn("differs", n, func(i int) float64 { return math.Sqrt(float64(i)) }),
		rare,
		{Field: Field{"none", Float64}, Len: n, Valid: []byte{}},
		integersColumn("few", Int32, n, func(i int) int64 { return -(scatter(int(scatter(i)>>58)) >> 32) }),
		integersColumn("near", Int64, n, func(i int) int64 { return scatter(i/40*4 + i%4) }),
	}
	for i, of := range []func(i int) int64{scatter, func(i int) int64 { return int64(i % 50) },
		func(i int) int64 { return scatter(i/40*4 + i%4) }} { // a page of each holds nulls only
		late := integersColumn(fmt.Sprint("late", i), Int64, n, of)
		late.Valid = make([]byte, n/8)
		for k := pageRows; k < n; k++ {
			setBit(late.Valid, k)
		}
		all = append(all, late)
	}
	content, f := encode(t, new(Encoder), all, "id")
	for i, code := range []format.Encoding{format.RLEDictionary, format.Plain, format.DeltaBinaryPacked,
		format.RLEDictionary, format.Plain} {
		if got := f.file.Metadata().RowGroups[0].Columns[5+i].MetaData.Encoding[1]; got != code {
			t.Fatalf("column %s: encoding %v, want %v", all[5+i].Name, got, code)
		}
	}
	name := filepath.Join(t.TempDir(), "f.parquet")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	// repeats: 28 571 whole rounds of 21/4 and 0+1+2 quarters; rare: i a multiple of 1000, so that i % 10 is 0;
	// differs: the sum of i from 0 to n-1 is n * (n-1)/2.
	want := "200000 200000 j_0000000 j_0599997 149998.5 200000 200 0.0 0"
	for i := 5; i < len(all); i++ {
		lo, hi := math.Inf(1), math.Inf(-1)
		met := map[string]bool{}
		for k := range n {
			if all[i].IsNull(k) {
				continue
			}
			s := value(&all[i], k)
			x, _ := strconv.ParseFloat(s, 64)
			lo, hi, met[s] = min(lo, x), max(hi, x), true
		}
		want += fmt.Sprintf(" %d %.0f %.0f", len(met), lo, hi)
	}
	for library, script := range map[string]string{
		"duckdb": `
r = duckdb.sql(f"SELECT count(*), count(DISTINCT id), min(id), max(id), sum(repeats), sum(differs * differs), count(rare), sum(rare), count(none), {','.join(f'count(DISTINCT {k}), min({k}), max({k})' for k in ('few', 'near', 'late0', 'late1', 'late2'))} FROM '{sys.argv[1]}'").fetchall()[0]
print(*r[:5], round(r[5] / 99999.5), *r[6:9], *[f"{x:.0f}" for x in map(float, r[9:])])`,
		"pyarrow": `
import pyarrow.parquet, pyarrow.compute as c
t = pyarrow.parquet.read_table(sys.argv[1], page_checksum_verification=True)
d = t["differs"]
print(len(t), len(c.unique(t["id"])), t["id"][0], t["id"][-1], c.sum(t["repeats"]), round(c.sum(c.multiply(d, d)).as_py() / 99999.5), len(t) - t["rare"].null_count, c.sum(t["rare"]), len(t) - t["none"].null_count, *[f"{float(x):.0f}" for k in ("few", "near", "late0", "late1", "late2") for x in (c.count_distinct(t[k]).as_py(), c.min(t[k]).as_py(), c.max(t[k]).as_py())])`,
	} {
		t.Run(library, func(t *testing.T) {
			if err := exec.Command("python3", "-c", "import "+library).Run(); err != nil { //nolint:gosec // a constant
				t.Skipf("%s is not installed for python3: %v", library, err)
			}
			out, err := exec.Command("python3", "-c", "import sys, "+library+"\n"+script, name).CombinedOutput() //nolint:gosec // constants
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("%v: got  %s\nwant %s", err, got, want)
			}
		})
	}
}

// BenchmarkPlaces compares with the encoder of parquet-go, which has instructions for vectors.
func BenchmarkPlaces(b *testing.B) {
	state := uint64(1)
	for _, c := range []struct {
		name string
		bits int
		run  int
	}{{"few", 4, 1}, {"many", 17, 1}, {"runs", 17, 4}, {"longer runs", 17, 27}} {
		places := make([]int32, pageRows)
		for i := range places {
			if i%c.run == 0 {
				state = state*6364136223846793005 + 1442695040888963407
			}
			places[i] = int32(state >> (64 - c.bits))
		}
		for name, encode := range map[string]func(dst []byte) []byte{
			"ours":   func(dst []byte) []byte { return appendPlaces(dst, places) },
			"theirs": func(dst []byte) []byte { return must(dictionary.EncodeInt32(dst, places)) },
		} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				var dst []byte
				for b.Loop() {
					dst = encode(dst[:0])
				}
				b.ReportMetric(float64(b.N)*pageRows/b.Elapsed().Seconds(), "values/s")
				b.ReportMetric(float64(len(dst))/pageRows, "B/value")
			})
		}
	}
}
