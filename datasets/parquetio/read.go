package parquetio

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// File is an open Parquet file of flat columns.
type File struct {
	file   *parquet.File
	fields []Field
}

// Open reads the footer of a Parquet file. It fails, rather than panics, on files that are not Parquet; pages are only
// as trustworthy as the file, so check its checksum first.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	file := &File{file: f}
	for _, c := range f.Root().Columns() {
		kind, ok := kindOf(c)
		if !ok {
			return nil, fmt.Errorf("column %q: type %v is not one of ours", c.Name(), c.Type())
		}
		file.fields = append(file.fields, Field{c.Name(), kind})
	}
	return file, nil
}

func kindOf(c *parquet.Column) (Kind, bool) {
	if !c.Leaf() || c.MaxRepetitionLevel() > 0 {
		return 0, false
	}
	switch c.Type().Kind() {
	case parquet.Int32:
		return Int32, true
	case parquet.Int64:
		if l := c.Type().LogicalType(); l != nil {
			if _, ok := l.Value.(*format.TimestampType); ok {
				return Timestamp, true
			}
		}
		return Int64, true
	case parquet.Double:
		return Float64, true
	case parquet.ByteArray:
		return String, true
	case parquet.Boolean:
		return Bool, true
	default:
		return 0, false
	}
}

// Fields returns the columns in the file's order.
func (f *File) Fields() []Field { return f.fields }

// About returns the pairs in the metadata of the file.
func (f *File) About() []Pair {
	var about []Pair
	for _, p := range f.file.Metadata().KeyValueMetadata {
		about = append(about, Pair(p))
	}
	return about
}

// NumRows returns the number of rows.
func (f *File) NumRows() int { return int(f.file.NumRows()) }

// Column reads the named column, all row groups of it. Time O(rows); the result shares nothing with the file.
func (f *File) Column(name string) (Column, error) {
	for i, field := range f.fields {
		if field.Name == name {
			c, err := f.read(i)
			if err != nil {
				return Column{}, fmt.Errorf("column %q: %w", name, err)
			}
			return c, nil
		}
	}
	return Column{}, fmt.Errorf("there is no column %q", name)
}

func (f *File) read(index int) (Column, error) {
	rows := f.NumRows()
	c := Column{Field: f.fields[index]}
	switch c.Kind {
	case Int32:
		c.Int32s = make([]int32, 0, rows)
	case Int64, Timestamp:
		c.Int64s = make([]int64, 0, rows)
	case Float64:
		c.Float64s = make([]float64, 0, rows)
	case String:
		c.Index = make([]int32, 0, rows)
	case Bool:
		c.Bits = make([]byte, (rows+7)/8)
	}
	for _, g := range f.file.RowGroups() {
		if err := c.appendChunk(g.ColumnChunks()[index], rows); err != nil {
			return Column{}, err
		}
	}
	if c.Len != rows {
		return Column{}, fmt.Errorf("%d rows, the file says %d", c.Len, rows)
	}
	return c, nil
}

func (c *Column) appendChunk(chunk parquet.ColumnChunk, rows int) error {
	pages := chunk.Pages()
	defer pages.Close()
	base := -1 // where the chunk's dictionary begins in c.Dict
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = c.appendPage(page, rows, &base)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func (c *Column) appendPage(page parquet.Page, rows int, base *int) error {
	n := int(page.NumValues())
	if c.Len+n > rows {
		return fmt.Errorf("more rows than the %d the file says", rows)
	}
	levels := page.DefinitionLevels()
	if page.NumNulls() == 0 {
		levels = nil
	}
	if levels != nil && c.Valid == nil {
		c.Valid = make([]byte, (rows+7)/8)
		for i := range c.Len {
			setBit(c.Valid, i)
		}
	}
	if c.Valid != nil {
		for i := range n {
			if levels == nil || levels[i] != 0 {
				setBit(c.Valid, c.Len+i)
			}
		}
	}
	data := page.Data()
	switch c.Kind {
	case Int32:
		c.Int32s = spread(c.Int32s, data.Int32(), levels)
	case Int64, Timestamp:
		c.Int64s = spread(c.Int64s, data.Int64(), levels)
	case Float64:
		values := data
		if dict := page.Dictionary(); dict != nil {
			known := dict.Page().Data()
			floats, err := picked(nil, known.Double(), data.Int32())
			if err != nil {
				return err
			}
			values = encoding.DoubleValues(floats)
		}
		c.Float64s = spread(c.Float64s, values.Double(), levels)
	case String:
		c.appendText(page, data, levels, base)
	case Bool:
		c.appendBits(data.Boolean(), levels, n)
	}
	c.Len += n
	return nil
}

// spread appends values to dst, with a zero wherever levels says null.
func spread[T any](dst, values []T, levels []byte) []T {
	if levels == nil {
		return append(dst, values...)
	}
	var zero T
	k := 0
	for _, l := range levels {
		if l == 0 {
			dst = append(dst, zero)
			continue
		}
		dst = append(dst, values[k])
		k++
	}
	return dst
}

func (c *Column) appendText(page parquet.Page, data encoding.Values, levels []byte, base *int) {
	if dict := page.Dictionary(); dict != nil {
		if *base < 0 {
			*base = len(c.Dict)
			values := dict.Page().Data()
			c.Dict = appendStrings(c.Dict, &values)
		}
		from := len(c.Index)
		c.Index = spread(c.Index, data.Int32(), levels)
		if *base > 0 {
			for i := from; i < len(c.Index); i++ {
				c.Index[i] += int32(*base)
			}
		}
		return
	}
	next := int32(len(c.Dict))
	if int(next) == c.Len { // every row so far has its own text
		c.Dict = slices.Grow(c.Dict, cap(c.Index)-c.Len)
	}
	c.Dict = appendStrings(c.Dict, &data)
	n := int(page.NumValues())
	for i := range n {
		if levels != nil && levels[i] == 0 {
			c.Index = append(c.Index, 0)
			continue
		}
		c.Index = append(c.Index, next)
		next++
	}
}

// appendStrings appends the values of a page, all backed by one copy of its bytes.
func appendStrings(dst []string, values *encoding.Values) []string {
	data, offsets := values.ByteArray()
	if len(offsets) == 0 {
		return dst
	}
	all := append(make([]byte, 0, len(data)), data...)
	text := unsafe.String(unsafe.SliceData(all), len(all)) // all is never written again
	dst = slices.Grow(dst, len(offsets)-1)
	for i := range len(offsets) - 1 {
		dst = append(dst, text[offsets[i]:offsets[i+1]])
	}
	return dst
}

func (c *Column) appendBits(bits, levels []byte, n int) {
	k := 0
	for i := range n {
		if levels != nil && levels[i] == 0 {
			continue
		}
		if bits[k>>3]&(1<<(k&7)) != 0 {
			setBit(c.Bits, c.Len+i)
		}
		k++
	}
}
