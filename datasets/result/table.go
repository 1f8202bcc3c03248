package result

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"racecard/datasets/lists"
	"racecard/datasets/parquetio"
)

// Table holds one row per entity of a result: flat columns in a fixed order, with nulls.
type Table struct {
	Name    string
	Columns []parquetio.Column

	rows   int
	room   int                // rows that columns have room for when they begin
	intern []map[string]int32 // per String column
}

// NewTable returns an empty table with the columns of the first row.
func NewTable(name string) *Table { return &Table{Name: name} }

// tableOf returns a table with a row for each of some things.
func tableOf[T any](name string, all []T, fill func(row *Row, x *T)) *Table {
	t := NewTable(name)
	for i := range all {
		fill(t.Row(), &all[i])
	}
	return t
}

// sized makes room for so many rows, before the first one.
func (t *Table) sized(rows int) *Table {
	t.room = rows
	return t
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// Row begins a row and returns a cursor that appends its values. Every row must append the columns of the first row, in
// the same order; anything else is a programming error and panics.
func (t *Table) Row() *Row {
	t.rows++
	return &Row{table: t}
}

// Row appends the values of one row.
type Row struct {
	table *Table
	next  int
}

func (r *Row) column(name string, kind parquetio.Kind) *parquetio.Column {
	t := r.table
	if t.rows == 1 {
		t.Columns = append(t.Columns, columnWithRoom(parquetio.Field{Name: name, Kind: kind}, t.room))
		t.intern = append(t.intern, map[string]int32{})
	}
	c := &t.Columns[r.next]
	if c.Name != name || c.Kind != kind {
		panic(fmt.Sprintf("table %s: column %d is %v, not %s %v", t.Name, r.next, c.Field, name, kind))
	}
	if c.Len%8 == 0 {
		c.Valid = append(c.Valid, 0)
		if kind == parquetio.Bool {
			c.Bits = append(c.Bits, 0)
		}
	}
	c.Len++
	r.next++
	return c
}

func setBit(bits []byte, i int) { bits[i>>3] |= 1 << (i & 7) }

// columnWithRoom returns an empty column that has room for so many rows.
func columnWithRoom(field parquetio.Field, rows int) parquetio.Column {
	c := parquetio.Column{Field: field, Valid: make([]byte, 0, (rows+7)/8)}
	switch field.Kind {
	case parquetio.String:
		c.Index = make([]int32, 0, rows)
	case parquetio.Int64:
		c.Int64s = make([]int64, 0, rows)
	case parquetio.Float64:
		c.Float64s = make([]float64, 0, rows)
	}
	return c
}

// ID appends a string that few or no other rows have; "" is null.
func (r *Row) ID(name, value string) *Row {
	c := r.column(name, parquetio.String)
	if c.Dict == nil {
		c.Dict = make([]string, 0, r.table.room)
	}
	r.append(c, int32(len(c.Dict)), value)
	c.Dict = append(c.Dict, value)
	return r
}

// append appends a string by its place in the column's dictionary.
func (r *Row) append(c *parquetio.Column, id int32, value string) {
	c.Index = append(c.Index, id)
	if value != "" {
		setBit(c.Valid, c.Len-1)
	}
}

// Text appends a string that many rows may have; "" is null.
func (r *Row) Text(name, value string) *Row {
	c := r.column(name, parquetio.String)
	ids := r.table.intern[r.next-1]
	id, ok := ids[value]
	if !ok {
		id = int32(len(c.Dict))
		c.Dict = append(c.Dict, value)
		ids[value] = id
	}
	r.append(c, id, value)
	return r
}

// Int appends an integer.
func (r *Row) Int(name string, value int) *Row {
	c := r.column(name, parquetio.Int64)
	c.Int64s = append(c.Int64s, int64(value))
	setBit(c.Valid, c.Len-1)
	return r
}

// Float appends a number; NaN is null.
func (r *Row) Float(name string, value float64) *Row {
	c := r.column(name, parquetio.Float64)
	c.Float64s = append(c.Float64s, value)
	if !math.IsNaN(value) {
		setBit(c.Valid, c.Len-1)
	}
	return r
}

// Bool appends a truth value.
func (r *Row) Bool(name string, value bool) *Row {
	c := r.column(name, parquetio.Bool)
	setBit(c.Valid, c.Len-1)
	if value {
		setBit(c.Bits, c.Len-1)
	}
	return r
}

// WriteParquet writes the table as one Parquet file. A table without rows has no columns and cannot be written.
func (t *Table) WriteParquet(w io.Writer) error {
	if t.rows == 0 {
		return fmt.Errorf("table %s has no rows", t.Name)
	}
	about := []parquetio.Pair{{Key: "racecard.schema_version", Value: strconv.Itoa(SchemaVersion)}}
	return parquetio.Write(w, t.Name, about, t.Columns, []parquetio.Range{{From: 0, To: t.rows}})
}

// ReadTable reads a table written by [Table.WriteParquet].
func ReadTable(name string, r io.ReaderAt, size int64) (*Table, error) {
	f, err := parquetio.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{Name: name, rows: f.NumRows()}
	for _, field := range f.Fields() {
		c, err := f.Column(field.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

// Column returns the named column; nil when there is no table, or no column of that name and kind.
func (t *Table) Column(name string, kind parquetio.Kind) *parquetio.Column {
	if t == nil {
		return nil
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Name == name && c.Kind == kind {
			return c
		}
	}
	return nil
}

// Numbers returns the values of a numeric column by row, NaN where it is null; nil when there is no such column, or no
// table.
func (t *Table) Numbers(name string) []float64 {
	if t.Column(name, parquetio.Float64) == nil && t.Column(name, parquetio.Int64) == nil {
		return nil
	}
	out, value := make([]float64, t.rows), t.number(name)
	for i := range out {
		out[i] = value(i)
	}
	return out
}

// Floats returns the known values of a numeric column, in row order; nil when there is no such column, or no table.
// Their rows are lost: see [Table.Numbers] and [Table.Pairs].
func (t *Table) Floats(name string) []float64 {
	return lists.Kept(t.Numbers(name), func(x float64) bool { return !math.IsNaN(x) })
}

// Pairs returns the values of two numeric columns in the rows in which both are known; nothing when a column is
// missing, or there is no table.
func (t *Table) Pairs(x, y string) (xs, ys []float64) {
	a, b := t.Numbers(x), t.Numbers(y)
	for i := range min(len(a), len(b)) {
		if u, v := a[i], b[i]; !math.IsNaN(u) && !math.IsNaN(v) {
			xs, ys = append(xs, u), append(ys, v)
		}
	}
	return xs, ys
}

// number returns the values of a numeric column by row, NaN where there is none.
func (t *Table) number(name string) func(i int) float64 {
	reals, integers := t.Column(name, parquetio.Float64), t.Column(name, parquetio.Int64)
	return func(i int) float64 {
		switch {
		case reals != nil && !reals.IsNull(i):
			return reals.Float64s[i]
		case integers != nil && !integers.IsNull(i):
			return float64(integers.Int64s[i])
		}
		return math.NaN()
	}
}

// Text returns the values of a String column, "" where it is null; nil when there is no such column.
func (t *Table) Text(name string) []string {
	c := t.Column(name, parquetio.String)
	if c == nil {
		return nil
	}
	return lists.Indexed(c.Len, func(i int) string { return c.Text(i) })
}
