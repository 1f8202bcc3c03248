package parquetio_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"racecard/datasets/parquetio"
	"racecard/datasets/parquetio/parquetiotest"
)

// options are files as different tools write them.
var options = []parquetiotest.Options{
	{}, {Plain: true}, {Version2: true}, {GroupRows: 1}, {GroupRows: 3, Plain: true}, {PageBytes: 8, Version2: true},
	{Codec: &parquet.Zstd}, {Codec: &parquet.Gzip}, {Codec: &parquet.Brotli}, {Codec: &parquet.Lz4Raw},
	{Codec: &parquet.Uncompressed, PageBytes: 8}, {Codec: &parquet.Lz4Raw, Plain: true, Version2: true},
}

func row(c *parquetio.Column, i int) string {
	switch {
	case c.IsNull(i):
		return "null"
	case c.Kind == parquetio.Int32:
		return fmt.Sprint(c.Int32s[i])
	case c.Kind == parquetio.Float64:
		return fmt.Sprint(c.Float64s[i])
	case c.Kind == parquetio.String:
		return c.Text(i)
	case c.Kind == parquetio.Bool:
		return fmt.Sprint(c.Bool(i))
	default:
		return fmt.Sprint(c.Int64s[i])
	}
}

// A file that another tool wrote is read as the columns of our kinds, whatever encoding, compression, page version,
// sizes and widths it chose. Any dictionary-encoded page of integers used to panic.
func TestFilesOfOtherTools(t *testing.T) {
	columns := []parquetiotest.Column{
		{Name: "long", Type: parquetiotest.Int64, Rows: []any{1, 1, nil, 1 << 40, 1, -7}},
		{Name: "short", Type: parquetiotest.Int32, Required: true, Rows: []any{3, 3, 4, 4, 3, 3}},
		{Name: "unsigned", Type: parquetiotest.Uint32, Rows: []any{1 << 31, nil, 1, 1, 2, 1 << 31}},
		{Name: "real", Type: parquetiotest.Double, Rows: []any{0.5, nil, 2.0, 2.0, 0.5, 1.0}},
		{Name: "single", Type: parquetiotest.Float, Rows: []any{0.5, nil, 2.0, 2.0, 0.5, 1.0}},
		{Name: "text", Type: parquetiotest.Text, Rows: []any{"a", "", nil, "b", "b", "long enough to be itself"}},
		{Name: "flag", Type: parquetiotest.Bool, Rows: []any{true, false, nil, true, true, nil}},
		{Name: "millis", Type: parquetiotest.Millis, Rows: []any{1, nil, 3, 3, 3, -5}},
		{Name: "micros", Type: parquetiotest.Micros, Rows: []any{1, nil, 3, 3, 3, -5}},
		{Name: "list", List: "element", Rows: []any{[]any{1}, nil, nil, nil, nil, nil}},
	}
	for _, want := range []struct {
		name string
		kind parquetio.Kind
		rows string // or the error
	}{
		{"long", parquetio.Int64, "1 1 null 1099511627776 1 -7"},
		{"long", parquetio.Timestamp, "1 1 null 1099511627776 1 -7"},
		{"long", parquetio.Int32, `column "long": row 3: 1099511627776 does not fit into 32 bits`},
		{"long", parquetio.Bool, `column "long": it holds int64, want bool`},
		{"short", parquetio.Int32, "3 3 4 4 3 3"},
		{"short", parquetio.Int64, "3 3 4 4 3 3"},
		{"short", parquetio.Float64, "3 3 4 4 3 3"},
		{"short", parquetio.String, `column "short": it holds int32, want string`},
		{"unsigned", parquetio.Int64, "2147483648 null 1 1 2 2147483648"},
		{"real", parquetio.Float64, "0.5 null 2 2 0.5 1"},
		{"real", parquetio.Int32, `column "real": row 0: 0.5 is no whole number that a double holds exactly`},
		{"single", parquetio.Float64, "0.5 null 2 2 0.5 1"},
		{"text", parquetio.String, "a  null b b long enough to be itself"},
		{"flag", parquetio.Bool, "true false null true true null"},
		{"millis", parquetio.Timestamp, "1000 null 3000 3000 3000 -5000"},
		{"millis", parquetio.Int64, `column "millis": it holds timestamp, want int64`},
		{"micros", parquetio.Timestamp, "1 null 3 3 3 -5"},
		{"list", parquetio.Int64, `column "list": structures and lists are not supported`},
		{"none", parquetio.Int64, `there is no column "none"`},
	} {
		for _, o := range options {
			content := parquetiotest.File(t, o, columns...)
			f, err := parquetio.Open(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			c, err := f.ColumnAs(parquetio.Field{Name: want.name, Kind: want.kind})
			got := []string{}
			if err != nil {
				got = append(got, err.Error())
			} else {
				for i := range c.Len {
					got = append(got, row(&c, i))
				}
			}
			if strings.Join(got, " ") != want.rows {
				t.Errorf("%+v: %s as %v is %v, want %s", o, want.name, want.kind, got, want.rows)
			}
		}
	}
}

// A damaged file is an error or other values, and never a panic, nor more memory than its rows and pages can need.
func FuzzFile(f *testing.F) {
	for _, o := range options {
		f.Add(parquetiotest.File(f, o,
			parquetiotest.Column{Name: "long", Type: parquetiotest.Int64, Rows: []any{1, nil, 3, 3}},
			parquetiotest.Column{Name: "real", Type: parquetiotest.Double, Rows: []any{1.5, nil, 3.0, 3.0}},
			parquetiotest.Column{Name: "text", Type: parquetiotest.Text, Rows: []any{"a", "a", nil, "b"}},
			parquetiotest.Column{Name: "flag", Type: parquetiotest.Bool, Rows: []any{true, nil, false, true}}))
	}
	columns := []parquetio.Column{
		{Field: parquetio.Field{Name: "n", Kind: parquetio.Int32}, Len: 5, Int32s: []int32{1, 2, 9, 9, 4}},
		{Field: parquetio.Field{Name: "at", Kind: parquetio.Timestamp}, Len: 5, Int64s: []int64{1, 2, 9, 1 << 50, 4}},
		{Field: parquetio.Field{Name: "id", Kind: parquetio.String}, Len: 5, Index: []int32{0, 1, 2, 3, 4},
			Dict: []string{"a", "ab", "abc", "b", "ba"}},
	}
	for _, sorted := range [][]string{nil, {"id"}} {
		var b bytes.Buffer
		if err := parquetio.Write(&b, "t", nil, columns, []parquetio.Range{{From: 0, To: 5}}, sorted...); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := parquetio.Open(bytes.NewReader(content), int64(len(content)))
		if err != nil || file.NumRows() > 1<<20 {
			return
		}
		for _, field := range file.Fields() {
			c, err := file.Column(field.Name)
			if err != nil {
				continue
			}
			if c.Len != file.NumRows() || c.Field != field {
				t.Fatalf("%v of %d rows, want %v of %d", c.Field, c.Len, field, file.NumRows())
			}
			for i := range c.Len {
				_ = row(&c, i)
			}
		}
	})
}
