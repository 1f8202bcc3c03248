package arrowtab

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"pgregory.net/rapid"

	"racecard/datasets/parquetio"
)

func drawNumbers(t *rapid.T) (about []parquetio.Pair, columns []parquetio.Column) {
	for i := range rapid.IntRange(0, 3).Draw(t, "pairs") {
		about = append(about, parquetio.Pair{Key: fmt.Sprint("k", i), Value: rapid.String().Draw(t, "value")})
	}
	rows := rapid.IntRange(0, 20).Draw(t, "rows")
	for i := range rapid.IntRange(1, 4).Draw(t, "columns") {
		c := parquetio.Column{Len: rows}
		c.Name = fmt.Sprint("c", i)
		switch c.Kind = rapid.SampledFrom([]parquetio.Kind{parquetio.Int32, parquetio.Int64, parquetio.Float64}).Draw(t,
			"kind"); c.Kind {
		case parquetio.Int32:
			c.Int32s = rapid.SliceOfN(rapid.Int32(), rows, rows).Draw(t, "int32")
		case parquetio.Int64:
			c.Int64s = rapid.SliceOfN(rapid.Int64(), rows, rows).Draw(t, "int64")
		default:
			c.Float64s = rapid.SliceOfN(rapid.Float64(), rows, rows).Draw(t, "float64")
		}
		if rapid.Bool().Draw(t, "nulls") {
			c.Valid = rapid.SliceOfN(rapid.Byte(), (rows+7)/8, (rows+7)/8).Draw(t, "valid")
		}
		columns = append(columns, c)
	}
	return about, columns
}

func shown(about []parquetio.Pair, columns []parquetio.Column) string {
	text := fmt.Sprint(about)
	for i := range columns {
		c := &columns[i]
		text += fmt.Sprint("\n", c.Field, c.Len)
		for row := range c.Len {
			switch {
			case c.IsNull(row):
				text += " null"
			case c.Kind == parquetio.Int32:
				text += fmt.Sprint(" ", c.Int32s[row])
			case c.Kind == parquetio.Int64:
				text += fmt.Sprint(" ", c.Int64s[row])
			default:
				text += fmt.Sprint(" ", c.Float64s[row])
			}
		}
	}
	return text
}

// Files are read as they were written, and one of which a byte was changed, or that was cut off, is an error or other
// values.
func TestFilesOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		about, columns := drawNumbers(t)
		data, err := EncodeFile(about, columns)
		if err != nil {
			t.Fatal(err)
		}
		pairs, got, err := DecodeFile(data)
		if err != nil {
			t.Fatal(err)
		}
		if g, w := shown(pairs, got), shown(about, columns); g != w {
			t.Fatalf("got %s\nwant %s", g, w)
		}
		for i := range data {
			for _, b := range []byte{0, 0xff, data[i] ^ 1, data[i] ^ 0x80} {
				changed := bytes.Clone(data)
				changed[i] = b
				if _, columns, err := DecodeFile(changed); err == nil {
					bytes := 0
					for _, c := range columns {
						bytes += 4*len(c.Int32s) + 8*len(c.Int64s) + 8*len(c.Float64s)
					}
					if bytes > len(data) {
						t.Fatalf("byte %d: %d bytes of values in a file of %d", i, bytes, len(data))
					}
				}
			}
			_, _, _ = DecodeFile(data[:i])
		}
	})
}

// The Arrow library reads the same from the file.
func TestLibraryReadsFiles(t *testing.T) {
	columns := []parquetio.Column{{Field: parquetio.Field{Name: "n", Kind: parquetio.Int64}, Len: 3,
		Int64s: []int64{4, 5, 6}, Valid: []byte{0b101}}}
	data, err := EncodeFile([]parquetio.Pair{{Key: "k", Value: "v"}}, columns)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rec, err := r.Record(0)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rec.Column(0)); got != "[4 (null) 6]" || !strings.Contains(r.Schema().String(), `"k": "v"`) {
		t.Errorf("%s, %s", got, r.Schema())
	}
}
