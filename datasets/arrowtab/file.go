package arrowtab

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"racecard/datasets/parquetio"
)

// EncodeFile returns an Arrow IPC file (Arrow columnar format, "IPC File Format") of one record batch of columns of
// numbers, without compression, so that it can be mapped into memory, and pairs in the metadata of its schema. The same
// arguments give the same bytes.
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
		fields[i], arrays[i] = arrow.Field{Name: c.Name, Type: arrowType(c.Kind), Nullable: c.Valid != nil},
			arrowArray(c)
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
