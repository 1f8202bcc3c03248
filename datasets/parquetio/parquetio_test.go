package parquetio

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawColumn draws a column of n rows, null with some probability, whose values repeat often enough for dictionaries.
func drawColumn(t *rapid.T, name string, n int) Column {
	c := Column{Field: Field{name, Kind(rapid.IntRange(0, int(Bool)).Draw(t, "kind"))}, Len: n}
	switch c.Kind {
	case Int32:
		c.Int32s = rapid.SliceOfN(rapid.Int32(), n, n).Draw(t, "int32")
	case Int64, Timestamp:
		c.Int64s = rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "int64")
	case Float64:
		c.Float64s = rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "float64")
	case String:
		c.Dict = rapid.SliceOfN(rapid.String(), 1, n+1).Draw(t, "dict")
		c.Index = rapid.SliceOfN(rapid.Int32Range(0, int32(len(c.Dict)-1)), n, n).Draw(t, "index")
	case Bool:
		c.Bits = rapid.SliceOfN(rapid.Byte(), (n+7)/8, (n+7)/8).Draw(t, "bits")
	}
	if rapid.Bool().Draw(t, "nulls") {
		c.Valid = rapid.SliceOfN(rapid.Byte(), (n+7)/8, (n+7)/8).Draw(t, "valid")
	}
	return c
}

// value returns row i in a form that can be compared.
func value(c *Column, i int) string {
	if c.IsNull(i) {
		return "null"
	}
	switch c.Kind {
	case Int32:
		return fmt.Sprint(c.Int32s[i])
	case Int64, Timestamp:
		return fmt.Sprint(c.Int64s[i])
	case Float64:
		return fmt.Sprint(math.Float64bits(c.Float64s[i]))
	case String:
		return fmt.Sprintf("%q", c.Text(i))
	default:
		return fmt.Sprint(c.Bool(i))
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		var columns []Column
		for i := range rapid.IntRange(1, 6).Draw(t, "columns") {
			columns = append(columns, drawColumn(t, fmt.Sprintf("c%d", 9-i), n))
		}
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		ranges := []Range{{cut, n}, {0, cut}} // rotated, to see that ranges are followed
		var file bytes.Buffer
		if err := Write(&file, "t", nil, columns, ranges); err != nil {
			t.Fatal(err)
		}
		got, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range columns {
			want := &columns[i]
			if got.Fields()[i] != want.Field {
				t.Fatalf("field %d is %v, want %v", i, got.Fields()[i], want.Field)
			}
			column, err := got.Column(want.Name)
			if err != nil {
				t.Fatal(err)
			}
			row := 0
			for _, r := range ranges {
				for k := r.From; k < r.To; k++ {
					if g, w := value(&column, row), value(want, k); g != w {
						t.Errorf("%v row %d is %s, want %s", want.Field, row, g, w)
					}
					row++
				}
			}
		}
	})
}

func TestManyPagesAndNulls(t *testing.T) {
	const n = 400_000
	c := Column{Field: Field{"x", Int64}, Len: n, Int64s: make([]int64, n), Valid: make([]byte, n/8)}
	s := Column{Field: Field{"s", String}, Len: n, Index: make([]int32, n), Dict: []string{"a", "bb", ""}}
	for i := range n {
		c.Int64s[i] = int64(i) * 1_000_003
		s.Index[i] = int32(i % 3)
		if i%7 != 0 && i > n/2 { // the first pages hold no null, or nothing else
			setBit(c.Valid, i)
		}
	}
	var file bytes.Buffer
	if err := Write(&file, "t", nil, []Column{c, s}, []Range{{0, n}}, "x"); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*Column{&c, &s} {
		got, err := f.Column(want.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if value(&got, i) != value(want, i) {
				t.Fatalf("%s row %d is %s, want %s", want.Name, i, value(&got, i), value(want, i))
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	one := Column{Field: Field{"x", Int32}, Len: 1, Int32s: []int32{1}}
	two := Column{Field: Field{"y", Int32}, Len: 2, Int32s: []int32{1, 2}}
	for name, columns := range map[string][]Column{"same name": {one, one}, "lengths": {one, two}} {
		if err := Write(&bytes.Buffer{}, "t", nil, columns, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "short": "PAR1", "text": "hello, this is not Parquet " +
		"at all", "magic only": "PAR1PAR1"} {
		if _, err := Open(bytes.NewReader([]byte(content)), int64(len(content))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
