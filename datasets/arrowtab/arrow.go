package arrowtab

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"racecard/datasets/parquetio"
)

// Record returns the rows of a table as an Arrow record, for whoever speaks Arrow; nil when the batch does not hold the
// table. Numbers are not copied: the record is valid as long as the batch, and lives on the Go heap, so that releasing
// it is not necessary. Text is dictionary-encoded.
func (b *Batch) Record(t Table) arrow.Record {
	columns := b.tables[t]
	if columns == nil {
		return nil
	}
	fields := make([]arrow.Field, len(columns))
	arrays := make([]arrow.Array, len(columns))
	rows := 0
	for i := range columns {
		fields[i] = arrow.Field{Name: columns[i].Name, Type: arrowType(columns[i].Kind), Nullable: true}
		arrays[i], rows = arrowArray(&columns[i]), columns[i].Len
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(rows))
}

func arrowType(k parquetio.Kind) arrow.DataType {
	switch k {
	case parquetio.Int32:
		return arrow.PrimitiveTypes.Int32
	case parquetio.Int64:
		return arrow.PrimitiveTypes.Int64
	case parquetio.Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case parquetio.Float64:
		return arrow.PrimitiveTypes.Float64
	case parquetio.Bool:
		return arrow.FixedWidthTypes.Boolean
	default:
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	}
}

func arrowArray(c *parquetio.Column) arrow.Array {
	typ := arrowType(c.Kind)
	if c.Known() == 0 {
		return array.MakeArrayOfNull(memory.DefaultAllocator, typ, c.Len)
	}
	var values []byte
	switch c.Kind {
	case parquetio.Int32:
		values = arrow.Int32Traits.CastToBytes(c.Int32s)
	case parquetio.Int64, parquetio.Timestamp:
		values = arrow.Int64Traits.CastToBytes(c.Int64s)
	case parquetio.Float64:
		values = arrow.Float64Traits.CastToBytes(c.Float64s)
	case parquetio.Bool:
		values = bitmap(c.Bits, c.Len)
	case parquetio.String:
		values = arrow.Int32Traits.CastToBytes(c.Index)
		typ = arrow.PrimitiveTypes.Int32
	}
	var valid *memory.Buffer
	nulls := 0
	if c.Valid != nil {
		valid = memory.NewBufferBytes(bitmap(c.Valid, c.Len))
		nulls = c.Len - c.Known()
	}
	a := array.MakeFromData(array.NewData(typ, c.Len, []*memory.Buffer{valid, memory.NewBufferBytes(values)}, nil,
		nulls, 0))
	if c.Kind != parquetio.String {
		return a
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(c.Dict, nil)
	return array.NewDictionaryArray(arrowType(parquetio.String).(*arrow.DictionaryType), a, b.NewArray())
}

// bitmap returns bits for that many rows; those that were not held are 0.
func bitmap(bits []byte, rows int) []byte {
	if missing := (rows+7)/8 - len(bits); missing > 0 {
		return append(bits[:len(bits):len(bits)], make([]byte, missing)...)
	}
	return bits
}
