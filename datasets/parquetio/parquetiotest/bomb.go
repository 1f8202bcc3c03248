package parquetiotest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Constant is a column of integers that are all the same. In a file it takes a few bytes, however many rows there are.
type Constant struct {
	Name   string
	Value  int64
	Values int // of a row, which is a list then; 0: the column is no list
}

// Bomb returns a file of some rows that are all the same, in pages of at most so many values: a few kilobytes that
// become many gigabytes in a reader that trusts them.
func Bomb(t testing.TB, rows, pageValues int, columns ...Constant) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("PAR1")
	put := func(v any) {
		data, err := thrift.Marshal(new(thrift.CompactProtocol), v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	footer := format.FileMetaData{Version: 1, NumRows: int64(rows),
		RowGroups: []format.RowGroup{{NumRows: int64(rows)}}}
	footer.Schema = []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(len(columns)))}}
	group := &footer.RowGroups[0]
	for i := range columns {
		c := &columns[i]
		schema, path := c.schema()
		footer.Schema = append(footer.Schema, schema...)
		meta := format.ColumnMetaData{
			Type: format.Int64, Encoding: []format.Encoding{format.Plain, format.RLEDictionary, format.RLE},
			PathInSchema: path,
			NumValues:    int64(rows) * int64(max(c.Values, 1)), DictionaryPageOffset: int64(b.Len()),
		}
		put(&format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: 8, CompressedPageSize: 8,
			DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 1, Encoding: format.Plain})})
		b.Write(binary.LittleEndian.AppendUint64(nil, uint64(c.Value)))
		meta.DataPageOffset = int64(b.Len())
		for at := int64(0); at < meta.NumValues; {
			n := min(int64(pageValues), meta.NumValues-at)
			body := c.page(at, n)
			put(&format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(body)),
				CompressedPageSize: int32(len(body)),
				DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(n), Encoding: format.RLEDictionary,
					DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})})
			b.Write(body)
			at += n
		}
		meta.TotalCompressedSize = int64(b.Len()) - meta.DictionaryPageOffset
		meta.TotalUncompressedSize = meta.TotalCompressedSize
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: meta, FileOffset: meta.DictionaryPageOffset})
		group.TotalByteSize += meta.TotalCompressedSize
	}
	from := b.Len()
	put(&footer)
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(b.Len()-from)))
	b.WriteString("PAR1")
	return b.Bytes()
}

// schema returns the elements of the column, and its path.
func (c *Constant) schema() ([]format.SchemaElement, []string) {
	leaf := format.SchemaElement{Type: thrift.New(format.Int64), RepetitionType: thrift.New(format.Required),
		Name: c.Name}
	if c.Values == 0 {
		return []format.SchemaElement{leaf}, []string{c.Name}
	}
	leaf.Name = "element"
	return []format.SchemaElement{
		{Name: c.Name, RepetitionType: thrift.New(format.Required), NumChildren: thrift.New(int32(1)),
			LogicalType: format.LogicalType{Value: &format.ListType{}}},
		{Name: "list", RepetitionType: thrift.New(format.Repeated), NumChildren: thrift.New(int32(1))},
		leaf,
	}, []string{c.Name, "list", "element"}
}

// page returns the n values from at on: repetition levels, definition levels and places in the dictionary, in runs.
func (c *Constant) page(at, n int64) []byte {
	var b []byte
	if k := int64(c.Values); k > 0 {
		var levels []byte
		for i := at; i < at+n; {
			if i%k == 0 {
				levels, i = run(levels, 1, 0), i+1
				continue
			}
			same := min(k-i%k, at+n-i)
			levels, i = run(levels, same, 1), i+same
		}
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(levels))), levels...)
		levels = run(nil, n, 1)
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(levels))), levels...)
	}
	return run(append(b, 1), n, 0)
}

// run appends a run of a value of one bit.
func run(b []byte, n int64, value byte) []byte {
	return append(binary.AppendUvarint(b, uint64(n)<<1), value)
}
