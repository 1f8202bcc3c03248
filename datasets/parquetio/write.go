package parquetio

import (
	"fmt"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// pageBytes is the size of pages before compression. Larger ones compress a little better, smaller ones can be skipped
// more finely by readers that use page statistics; 1 MiB is what other writers do.
const pageBytes = 1 << 20

// chunk is how many values are handed to parquet-go at once.
const chunk = 2048

// Write writes one Parquet file with one row group: the rows of columns in the order of ranges. Every column must have
// the same length. sortedBy names the columns the rows are sorted by, for the file's metadata; it may be empty. The same
// arguments give the same bytes. Columns are encoded concurrently.
func Write(w io.Writer, table string, columns []Column, ranges []Range, sortedBy ...string) error {
	schema, err := newSchema(table, columns)
	if err != nil {
		return err
	}
	var sorting []parquet.SortingColumn
	for _, name := range sortedBy {
		sorting = append(sorting, parquet.Ascending(name))
	}
	out := parquet.NewGenericWriter[any](w, schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
		parquet.DataPageStatistics(true),
		parquet.PageBufferSize(pageBytes),
		parquet.CreatedBy("racecard", "1", ""),
		parquet.SortingWriterConfig(parquet.SortingColumns(sorting...)),
	)
	group := out.BeginRowGroup()
	writers := group.ColumnWriters()
	errs := make([]error, len(columns))
	var wait sync.WaitGroup
	for i := range columns {
		wait.Go(func() { errs[i] = writeColumn(writers[i], &columns[i], i, ranges) })
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("column %s.%s: %w", table, columns[i].Name, err)
		}
	}
	if _, err := group.Commit(); err != nil {
		return err
	}
	return out.Close()
}

func writeColumn(w *parquet.ColumnWriter, c *Column, index int, ranges []Range) error {
	values := make([]parquet.Value, 0, chunk)
	if c.Known() == 0 { // most columns of most traces
		return writeNulls(w, values[:chunk], index, ranges)
	}
	for _, r := range ranges {
		for from := r.From; from < r.To; from += chunk {
			values = appendValues(values[:0], c, index, from, min(from+chunk, r.To))
			if _, err := w.WriteRowValues(values); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// writeNulls writes as many nulls as ranges have rows.
func writeNulls(w *parquet.ColumnWriter, values []parquet.Value, index int, ranges []Range) error {
	for i := range values {
		values[i] = parquet.NullValue().Level(0, 0, index)
	}
	rows := 0
	for _, r := range ranges {
		rows += r.To - r.From
	}
	for rows > 0 {
		n := min(rows, len(values))
		if _, err := w.WriteRowValues(values[:n]); err != nil {
			return err
		}
		rows -= n
	}
	return w.Flush()
}

func appendValues(values []parquet.Value, c *Column, index, from, to int) []parquet.Value {
	for i := from; i < to; i++ {
		if c.IsNull(i) {
			values = append(values, parquet.NullValue().Level(0, 0, index))
			continue
		}
		var v parquet.Value
		switch c.Kind {
		case Int32:
			v = parquet.Int32Value(c.Int32s[i])
		case Int64, Timestamp:
			v = parquet.Int64Value(c.Int64s[i])
		case Float64:
			v = parquet.DoubleValue(c.Float64s[i])
		case String:
			v = parquet.ByteArrayValue([]byte(c.Dict[c.Index[i]]))
		case Bool:
			v = parquet.BooleanValue(c.Bool(i))
		}
		values = append(values, v.Level(0, 1, index))
	}
	return values
}

// orderedGroup is a parquet.Group whose fields keep the order they were given in; a plain Group sorts them by name.
type orderedGroup struct {
	parquet.Group
	names []string
}

func (g orderedGroup) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.names))
	for i, name := range g.names {
		fields[i] = byName[name]
	}
	return fields
}

func newSchema(table string, columns []Column) (*parquet.Schema, error) {
	group := orderedGroup{Group: parquet.Group{}}
	for i := range columns {
		c := &columns[i]
		if _, twice := group.Group[c.Name]; twice {
			return nil, fmt.Errorf("table %s: two columns are called %q", table, c.Name)
		}
		if c.Len != columns[0].Len {
			return nil, fmt.Errorf("table %s: column %q has %d rows, %q has %d", table, c.Name, c.Len, columns[0].Name, columns[0].Len)
		}
		group.Group[c.Name] = parquet.Optional(leaf(c))
		group.names = append(group.names, c.Name)
	}
	return parquet.NewSchema(table, group), nil
}

// leaf picks type and encoding: deltas for integers, which are times and counters here; a dictionary for text that
// repeats; plain for the rest, which zstd then shrinks.
func leaf(c *Column) parquet.Node {
	switch c.Kind {
	case Int32:
		return parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked)
	case Int64:
		return parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.DeltaBinaryPacked)
	case Timestamp:
		return parquet.Encoded(parquet.TimestampAdjusted(parquet.Microsecond, false), &parquet.DeltaBinaryPacked)
	case Float64:
		return parquet.Leaf(parquet.DoubleType)
	case String:
		if 2*len(c.Dict) > c.Len {
			return parquet.Encoded(parquet.String(), &parquet.DeltaLengthByteArray)
		}
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	default:
		return parquet.Leaf(parquet.BooleanType)
	}
}
