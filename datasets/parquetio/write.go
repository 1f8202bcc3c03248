package parquetio

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// createdBy names the writer of a file, in the form that readers parse.
const createdBy = "racecard version 1"

// Pair is a key and a value in the metadata of a file.
type Pair struct{ Key, Value string }

// Write is [Encoder.Write] for a single file.
func Write(w io.Writer, table string, about []Pair, columns []Column, ranges []Range, sortedBy ...string) error {
	return new(Encoder).Write(w, table, about, columns, ranges, sortedBy...)
}

// Encoder writes one file after the other, and keeps its room. The zero value is ready for use, by one goroutine.
type Encoder struct{ pages pages }

// Write writes one Parquet file with one row group: the rows of columns in the order of ranges. Every column must have
// the same length. about are pairs for the metadata of the file. sortedBy names the columns that the rows are sorted
// by, for the metadata; it may be empty. The same arguments give the same bytes.
//
// Values go from columns to pages by parquet-go's encoders, a page at a time: its own writers take one value after the
// other, in a form that is several times as large.
func (e *Encoder) Write(w io.Writer, table string, about []Pair, columns []Column, ranges []Range,
	sortedBy ...string) error {
	if err := check(table, columns); err != nil {
		return err
	}
	rows := 0
	for _, r := range ranges {
		rows += r.To - r.From
	}
	f := &fileWriter{w: w}
	f.write(parquetMagic)
	group := format.RowGroup{NumRows: int64(rows), FileOffset: f.at}
	p := &e.pages
	p.file, p.ranges, p.rows = f, ranges, rows
	for i := range columns {
		chunk, err := p.column(&columns[i], slices.Contains(sortedBy, columns[i].Name))
		if err != nil {
			return fmt.Errorf("column %s.%s: %w", table, columns[i].Name, err)
		}
		group.TotalByteSize += chunk.TotalUncompressedSize
		group.TotalCompressedSize += chunk.TotalCompressedSize
		group.Columns = append(group.Columns, format.ColumnChunk{FileOffset: chunk.DataPageOffset, MetaData: chunk})
		for _, name := range sortedBy {
			if name == columns[i].Name {
				group.SortingColumns = append(group.SortingColumns, format.SortingColumn{ColumnIdx: int32(i)})
			}
		}
	}
	meta := format.FileMetaData{
		Version: 2, Schema: schemaOf(table, columns), NumRows: int64(rows), RowGroups: []format.RowGroup{group},
		CreatedBy: createdBy,
	}
	for _, p := range about {
		meta.KeyValueMetadata = append(meta.KeyValueMetadata, format.KeyValue(p))
	}
	for range columns {
		meta.ColumnOrders = append(meta.ColumnOrders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return err
	}
	f.write(footer)
	f.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	f.write(parquetMagic)
	return f.err
}

// fileWriter writes and knows where it is. Its first error sticks.
type fileWriter struct {
	w   io.Writer
	at  int64
	err error
}

func (f *fileWriter) write(b []byte) {
	if f.err == nil {
		var n int
		n, f.err = f.w.Write(b)
		f.at += int64(n)
	}
}

func check(table string, columns []Column) error {
	names := map[string]bool{}
	for i := range columns {
		c := &columns[i]
		if names[c.Name] {
			return fmt.Errorf("table %s: two columns are called %q", table, c.Name)
		}
		names[c.Name] = true
		if c.Len != columns[0].Len {
			return fmt.Errorf("table %s: column %q has %d rows, %q has %d", table, c.Name, c.Len, columns[0].Name,
				columns[0].Len)
		}
	}
	return nil
}

// schemaOf returns the schema: a root and one optional leaf per column.
func schemaOf(table string, columns []Column) []format.SchemaElement {
	schema := []format.SchemaElement{{Name: table, NumChildren: thrift.New(int32(len(columns)))}}
	for i := range columns {
		e := format.SchemaElement{
			Name: columns[i].Name, Type: thrift.New(physical[columns[i].Kind]),
			RepetitionType: thrift.New(format.Optional),
		}
		switch columns[i].Kind {
		case String:
			e.ConvertedType = thrift.New(deprecated.UTF8)
			e.LogicalType.Value = new(format.StringType)
		case Timestamp: // of no zone: it has no converted type
			e.LogicalType.Value = &format.TimestampType{Unit: format.TimeUnit{Value: new(format.MicroSeconds)}}
		}
		schema = append(schema, e)
	}
	return schema
}

// physical are the types that kinds are stored as.
var physical = [...]format.Type{
	Int32: format.Int32, Int64: format.Int64, Timestamp: format.Int64, Float64: format.Double, String: format.ByteArray,
	Bool: format.Boolean,
}
