package arrowtab

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"racecard/datasets/parquetio"
)

// EncodeFile returns an Arrow IPC file (Arrow columnar format, "IPC File Format") of one record batch of columns of numbers,
// without compression, so that it can be mapped into memory, and pairs in the metadata of its schema. The same arguments
// give the same bytes.
func EncodeFile(about []parquetio.Pair, columns []parquetio.Column) ([]byte, error) {
	var keys, values []string
	for _, p := range about {
		keys, values = append(keys, p.Key), append(values, p.Value)
	}
	metadata := arrow.NewMetadata(keys, values)
	fields := make([]arrow.Field, len(columns))
	arrays := make([]arrow.Array, len(columns))
	for i := range columns {
		c := &columns[i]
		if !isNumber(c.Kind) || c.Len != columns[0].Len {
			return nil, fmt.Errorf("column %q: %d rows of %v; want %d numbers", c.Name, c.Len, c.Kind, columns[0].Len)
		}
		fields[i], arrays[i] = arrow.Field{Name: c.Name, Type: arrowType(c.Kind), Nullable: c.Valid != nil}, arrowArray(c)
	}
	s := arrow.NewSchema(fields, &metadata)
	rows := int64(0)
	if len(columns) > 0 {
		rows = int64(columns[0].Len)
	}
	b := &file{}
	w, err := ipc.NewFileWriter(b, ipc.WithSchema(s))
	if err != nil {
		return nil, err
	}
	if err := w.Write(array.NewRecord(s, arrays, rows)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil { // which writes the footer
		return nil, err
	}
	return b.Bytes(), nil
}

func isNumber(k parquetio.Kind) bool {
	return k == parquetio.Int32 || k == parquetio.Int64 || k == parquetio.Float64
}

// file is a file in memory that is written from the first byte to the last.
type file struct{ bytes.Buffer }

// Seek knows nothing but where it is.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.New("a file in memory is only written in order")
	}
	return int64(f.Len()), nil
}

// DecodeFile is the inverse of [EncodeFile]. Columns share nothing with data. It trusts nothing: what data claims is bounded by
// its size, and a panic inside Arrow becomes an error.
func DecodeFile(data []byte) (about []parquetio.Pair, columns []parquetio.Column, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged Arrow file: %v", p)
		}
	}()
	r, err := ipc.NewFileReader(bytes.NewReader(data), ipc.WithAllocator(&bounded{left: 4*len(data) + 1<<16}))
	if err != nil {
		return nil, nil, err
	}
	s := r.Schema()
	metadata := s.Metadata()
	for i, key := range metadata.Keys() {
		about = append(about, parquetio.Pair{Key: key, Value: metadata.Values()[i]})
	}
	if n := r.NumRecords(); n != 1 {
		return nil, nil, fmt.Errorf("%d record batches, want 1", n)
	}
	record, err := r.RecordAt(0)
	if err != nil {
		return nil, nil, err
	}
	for i, f := range s.Fields() {
		a := record.Column(i)
		c := parquetio.Field{Name: f.Name}
		switch f.Type.ID() {
		case arrow.INT32:
			c.Kind = parquetio.Int32
		case arrow.INT64:
			c.Kind = parquetio.Int64
		case arrow.FLOAT64:
			c.Kind = parquetio.Float64
		default:
			return nil, nil, fmt.Errorf("column %q: %v, want whole numbers or doubles", f.Name, f.Type)
		}
		columns = append(columns, numbers(c, a))
	}
	return about, columns, nil
}

// numbers views an array of numbers that begins at offset 0.
func numbers(f parquetio.Field, a arrow.Array) parquetio.Column {
	c := parquetio.Column{Field: f, Len: a.Len()}
	if a.NullN() > 0 {
		c.Valid = a.NullBitmapBytes()
	}
	switch a := a.(type) {
	case *array.Int32:
		c.Int32s = a.Int32Values()
	case *array.Int64:
		c.Int64s = a.Int64Values()
	case *array.Float64:
		c.Float64s = a.Float64Values()
	}
	return c
}

// bounded is Go's memory, but no more of it than a file can need. It panics beyond.
type bounded struct {
	memory.GoAllocator
	left int
}

func (b *bounded) take(size int) {
	if size < 0 || size > b.left {
		panic(fmt.Sprintf("buffers of more than %d bytes", b.left))
	}
	b.left -= size
}

// Allocate implements [memory.Allocator].
func (b *bounded) Allocate(size int) []byte {
	b.take(size)
	return b.GoAllocator.Allocate(size)
}

// Reallocate implements [memory.Allocator].
func (b *bounded) Reallocate(size int, old []byte) []byte {
	b.take(max(0, size-len(old)))
	return b.GoAllocator.Reallocate(size, old)
}
