// Package parquetiotest writes Parquet files as other tools do, for tests of readers: nested columns, lists with
// different names for their elements, columns of unusual types, pages of both versions.
package parquetiotest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"racecard/datasets/lists"
)

// Type is the type of a column.
type Type uint8

// The types.
const (
	Int64 Type = iota
	Int32
	Uint32
	Double
	Float
	Text
	Bool
	Millis // TIMESTAMP(MILLIS)
	Micros
	Int96 // deprecated, but still found in files
)

// Column is a column to write. A name with a point makes a field of a structure. Rows holds nil, int, float64, string
// or bool, and of lists []any of these; nil is null.
type Column struct {
	Name     string
	Type     Type
	List     string // how the element of a list is called; "" when the column is no list
	Required bool   // no nulls
	Rows     []any
}

// Options control the form of a file. The zero value is common among tools: Snappy, dictionaries, pages of
// version 1.
type Options struct {
	Codec     compress.Codec // nil: Snappy
	Plain     bool           // no dictionaries
	Version2  bool           // pages of version 2
	GroupRows int            // rows of a row group; 0: all
	PageBytes int            // 0: parquet-go's default
}

// File returns the content of a file of these columns.
func File(t testing.TB, o Options, columns ...Column) []byte {
	t.Helper()
	root := group{Group: parquet.Group{}}
	for i := range columns {
		root.put(strings.Split(columns[i].Name, "."), node(&columns[i], o))
	}
	if o.Codec == nil {
		o.Codec = &parquet.Snappy
	}
	schema := parquet.NewSchema("schema", root)
	options := []parquet.WriterOption{schema, parquet.Compression(o.Codec), parquet.DataPageVersion(1)}
	if o.Version2 {
		options = append(options, parquet.DataPageVersion(2))
	}
	if o.PageBytes > 0 {
		options = append(options, parquet.PageBufferSize(o.PageBytes))
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, options...)
	for i := range columns[0].Rows {
		var row parquet.Row
		for k := range columns {
			leaf, ok := schema.Lookup(path(&columns[k])...)
			if !ok {
				t.Fatalf("no column %q", columns[k].Name)
			}
			row = append(row, values(t, &columns[k], leaf, columns[k].Rows[i])...)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
		if o.GroupRows > 0 && (i+1)%o.GroupRows == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// group is a parquet.Group whose fields keep their order.
type group struct {
	parquet.Group
	names []string
}

func (g *group) put(path []string, n parquet.Node) {
	name := path[0]
	if len(path) > 1 {
		inner := &group{Group: parquet.Group{}}
		if old, ok := g.Group[name]; ok {
			inner = old.(structure).group
		} else {
			g.names = append(g.names, name)
		}
		inner.put(path[1:], n)
		g.Group[name] = structure{parquet.Optional(inner), inner}
		return
	}
	g.Group[name] = n
	g.names = append(g.names, name)
}

// structure is an optional group that can still be added to.
type structure struct {
	parquet.Node
	group *group
}

// Fields returns the fields in their order.
func (g group) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	return lists.Map(g.names, func(name string) parquet.Field { return byName[name] })
}

func node(c *Column, o Options) parquet.Node {
	var n parquet.Node
	switch c.Type {
	case Int64:
		n = parquet.Int(64)
	case Int32:
		n = parquet.Int(32)
	case Uint32:
		n = parquet.Uint(32)
	case Double:
		n = parquet.Leaf(parquet.DoubleType)
	case Float:
		n = parquet.Leaf(parquet.FloatType)
	case Text:
		n = parquet.String()
	case Bool:
		n = parquet.Leaf(parquet.BooleanType)
	case Millis:
		n = parquet.Timestamp(parquet.Millisecond)
	case Micros:
		n = parquet.Timestamp(parquet.Microsecond)
	case Int96:
		n = parquet.Leaf(parquet.Int96Type)
	}
	if c.Type != Bool && c.Type != Int96 {
		if o.Plain {
			n = parquet.Encoded(n, &parquet.Plain)
		} else {
			n = parquet.Encoded(n, &parquet.RLEDictionary)
		}
	}
	if !c.Required {
		n = parquet.Optional(n)
	}
	if c.List != "" {
		n = parquet.Optional(list{parquet.Group{"list": parquet.Repeated(parquet.Group{c.List: n})}})
	}
	return n
}

// list is a LIST whose element may have any name.
type list struct{ parquet.Group }

// Type says that the group is a list.
func (list) Type() parquet.Type { return parquet.List(parquet.String()).Type() }

// path returns the path of the column's leaf.
func path(c *Column) []string {
	p := strings.Split(c.Name, ".")
	if c.List != "" {
		p = append(p, "list", c.List)
	}
	return p
}

// values returns the values of a row in a column.
func values(t testing.TB, c *Column, leaf parquet.LeafColumn, cell any) []parquet.Value {
	column, above := leaf.ColumnIndex, strings.Count(c.Name, ".")
	known := leaf.MaxDefinitionLevel
	if c.List == "" {
		if cell == nil {
			return []parquet.Value{parquet.NullValue().Level(0, above, column)}
		}
		return []parquet.Value{value(t, c, cell).Level(0, known, column)}
	}
	if cell == nil {
		return []parquet.Value{parquet.NullValue().Level(0, above, column)}
	}
	elements, ok := cell.([]any)
	if !ok {
		t.Fatalf("column %q: %T is no list", c.Name, cell)
	}
	if len(elements) == 0 {
		return []parquet.Value{parquet.NullValue().Level(0, above+1, column)}
	}
	var all []parquet.Value
	for i, e := range elements {
		repetition := min(i, 1)
		if e == nil {
			all = append(all, parquet.NullValue().Level(repetition, above+2, column))
		} else {
			all = append(all, value(t, c, e).Level(repetition, known, column))
		}
	}
	return all
}

func value(t testing.TB, c *Column, cell any) parquet.Value {
	n, _ := cell.(int)
	x, isFloat := cell.(float64)
	if !isFloat {
		x = float64(n)
	}
	switch c.Type {
	case Int64, Millis, Micros:
		return parquet.Int64Value(int64(n))
	case Int32, Uint32:
		return parquet.Int32Value(int32(n))
	case Double:
		return parquet.DoubleValue(x)
	case Float:
		return parquet.FloatValue(float32(x))
	case Bool:
		b, _ := cell.(bool)
		return parquet.BooleanValue(b)
	case Text:
		s, ok := cell.(string)
		if !ok {
			t.Fatalf("column %q: %T is no text", c.Name, cell)
		}
		return parquet.ByteArrayValue([]byte(s))
	default:
		return parquet.ValueOf(nil)
	}
}
