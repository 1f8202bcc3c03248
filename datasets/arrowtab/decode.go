package arrowtab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"racecard/datasets/parquetio"
)

// Numbers of fields and types in https://github.com/apache/arrow/tree/main/format: File.fbs, Schema.fbs, Message.fbs.
const (
	footerSchema, footerDictionaries, footerBatches                   = 1, 2, 3
	schemaEndianness, schemaFields, schemaMetadata                    = 0, 1, 2
	fieldName, fieldType, fieldTypeTable, fieldDictionary, fieldChild = 0, 2, 3, 4, 5
	typeInt, typeFloat                                                = 2, 3
	messageKind, messageHeader, messageBody                           = 1, 2, 3
	kindBatch                                                         = 3
	batchRows, batchNodes, batchBuffers, batchCompression             = 0, 1, 2, 3
	blockSize, nodeSize, bufferSize                                   = 24, 16, 16
)

// maxColumns bounds the columns of a file.
const maxColumns = 1 << 12

var arrowMagic = []byte("ARROW1")

// DecodeFile is the inverse of [EncodeFile]: it reads Arrow IPC files with one record batch of uncompressed
// number columns. Columns share no memory with data. Every size that data claims is checked against its length,
// and the result has no more bytes than data.
func DecodeFile(data []byte) (about []parquetio.Pair, columns []parquetio.Column, err error) {
	footer, err := footerOf(data)
	if err != nil {
		return nil, nil, err
	}
	schema, ok := footer.table(footerSchema)
	if !ok {
		return nil, nil, errors.New("damaged Arrow file: no schema")
	}
	if schema.short(schemaEndianness) != 0 {
		return nil, nil, errors.New("big-endian Arrow files are not supported")
	}
	if about, err = pairsOf(schema, len(data)); err != nil {
		return nil, nil, err
	}
	if columns, err = columnsOf(schema, len(data)); err != nil {
		return nil, nil, err
	}
	if _, n := footer.vector(footerDictionaries, blockSize); n != 0 {
		return nil, nil, fmt.Errorf("%d dictionaries, want none", n)
	}
	at, n := footer.vector(footerBatches, blockSize)
	if n != 1 || footer.f.err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%d record batches, want 1", n), footer.f.err)
	}
	return about, columns, decodeBatch(data, footer.f.bytes(at, blockSize), columns)
}

// footerOf returns the footer of a file, which lies before its length and the magic at the end.
func footerOf(data []byte) (flatTable, error) {
	const begin, end = 8, 10
	if len(data) < begin+end || !bytes.HasPrefix(data, arrowMagic) || !bytes.HasSuffix(data, arrowMagic) {
		return flatTable{}, errors.New("not an Arrow file, or cut off: it does not begin and end with ARROW1")
	}
	n := int64(binary.LittleEndian.Uint32(data[len(data)-end:]))
	if n > int64(len(data)-begin-end) {
		return flatTable{}, fmt.Errorf("damaged Arrow file: a footer of %d bytes in a file of %d", n, len(data))
	}
	f := &flat{b: data[len(data)-end-int(n) : len(data)-end]}
	t := f.root()
	return t, f.err
}

// pairsOf returns the metadata of a schema, of at most so many bytes.
func pairsOf(schema flatTable, most int) (about []parquetio.Pair, err error) {
	err = schema.tables(schemaMetadata, func(t flatTable) error {
		p := parquetio.Pair{Key: t.text(0), Value: t.text(1)}
		if most -= len(p.Key) + len(p.Value); most < 0 { // pairs lie over each other
			return errFlat
		}
		about = append(about, p)
		return nil
	})
	return about, err
}

// columnsOf returns the columns of a schema, without values. Their names have at most so many bytes.
func columnsOf(schema flatTable, most int) (columns []parquetio.Column, err error) {
	err = schema.tables(schemaFields, func(t flatTable) error {
		c := parquetio.Column{Field: parquetio.Field{Name: t.text(fieldName)}}
		kind, ok := t.table(fieldTypeTable)
		_, encoded := t.table(fieldDictionary)
		_, children := t.vector(fieldChild, 4)
		switch {
		case !ok || encoded || children != 0:
			ok = false
		case t.byte(fieldType) == typeInt && kind.byte(1) != 0 && kind.int(0) == 32:
			c.Kind = parquetio.Int32
		case t.byte(fieldType) == typeInt && kind.byte(1) != 0 && kind.int(0) == 64:
			c.Kind = parquetio.Int64
		case t.byte(fieldType) == typeFloat && kind.short(0) == 2:
			c.Kind = parquetio.Float64
		default:
			ok = false
		}
		if !ok {
			return fmt.Errorf("column %.100q: want whole numbers of 32 or 64 bits, or doubles", c.Name)
		}
		if most -= len(c.Name); most < 0 || len(columns) == maxColumns {
			return errFlat
		}
		columns = append(columns, c)
		return nil
	})
	return columns, err
}

// decodeBatch fills columns from the record batch at a block. The block holds the offset (64 bits), the length
// of the metadata (32 bits and 32 of padding) and the length of the body (64 bits).
func decodeBatch(data, block []byte, columns []parquetio.Column) error {
	at, n := int64(binary.LittleEndian.Uint64(block)), int64(int32(binary.LittleEndian.Uint32(block[8:])))
	size := int64(binary.LittleEndian.Uint64(block[16:]))
	whole := int64(len(data))
	if at < 0 || n < 8 || size < 0 || at > whole || n > whole-at || size > whole-at-n {
		return fmt.Errorf("damaged Arrow file: a record batch of %d bytes at %d of %d", size, at, whole)
	}
	message := data[at : at+n]
	if binary.LittleEndian.Uint32(message) != math.MaxUint32 {
		return errors.New("damaged Arrow file: no message where the record batch should be")
	}
	f := &flat{b: message[8:]}
	m := f.root()
	batch, ok := m.table(messageHeader)
	if !ok || m.byte(messageKind) != kindBatch || m.long(messageBody) != size {
		return errors.Join(errors.New("damaged Arrow file: the message is no record batch"), f.err)
	}
	if _, packed := batch.table(batchCompression); packed {
		return errors.New("compressed record batches are not supported")
	}
	nodes, nNodes := batch.vector(batchNodes, nodeSize)
	buffers, nBuffers := batch.vector(batchBuffers, bufferSize)
	if nNodes != len(columns) || nBuffers != 2*len(columns) || f.err != nil {
		return errors.Join(fmt.Errorf("damaged Arrow file: %d nodes and %d buffers for %d columns", nNodes, nBuffers,
			len(columns)), f.err)
	}
	b := body{data: data[at+n : at+n+size], left: len(data)}
	rows := batch.long(batchRows)
	for i := range columns {
		node := f.bytes(nodes+nodeSize*i, nodeSize)
		length, nulls := int64(binary.LittleEndian.Uint64(node)), int64(binary.LittleEndian.Uint64(node[8:]))
		if length != rows || length < 0 || nulls < 0 || nulls > length {
			return fmt.Errorf("column %.100q: %d rows of %d, %d null", columns[i].Name, length, rows, nulls)
		}
		buffer := f.bytes(buffers+2*bufferSize*i, 2*bufferSize)
		if err := b.column(&columns[i], length, nulls, buffer); err != nil {
			return fmt.Errorf("column %.100q: %w", columns[i].Name, err)
		}
	}
	return f.err
}

// body is the body of the record batch.
type body struct {
	data []byte
	left int // bytes that columns may still have: buffers do not lie over each other
}

// column copies the values of a column, from buffers that two places of 16 bytes each say: which rows are null, and
// values.
func (b *body) column(c *parquetio.Column, rows, nulls int64, places []byte) error {
	width := int64(8)
	if c.Kind == parquetio.Int32 {
		width = 4
	}
	if nulls > 0 {
		valid, err := b.buffer(places, (rows+7)/8)
		if err != nil {
			return err
		}
		c.Valid = bytes.Clone(valid)
	}
	if rows > math.MaxInt64/8 {
		return errFlat
	}
	values, err := b.buffer(places[bufferSize:], rows*width)
	if err != nil {
		return err
	}
	c.Len = int(rows)
	var to any
	switch c.Kind {
	case parquetio.Int32:
		c.Int32s = make([]int32, rows)
		to = c.Int32s
	case parquetio.Int64:
		c.Int64s = make([]int64, rows)
		to = c.Int64s
	default:
		c.Float64s = make([]float64, rows)
		to = c.Float64s
	}
	_, err = binary.Decode(values, binary.LittleEndian, to)
	return err
}

// buffer returns the first want bytes of a buffer at a place: offset and length, of 64 bits each.
func (b *body) buffer(place []byte, want int64) ([]byte, error) {
	at, n := int64(binary.LittleEndian.Uint64(place)), int64(binary.LittleEndian.Uint64(place[8:]))
	size := int64(len(b.data))
	if at < 0 || n < 0 || at > size || n > size-at || want > n {
		return nil, fmt.Errorf("%d bytes of values in a buffer of %d at %d of %d", want, n, at, size)
	}
	if b.left -= int(want); b.left < 0 {
		return nil, errors.New("its values lie over those of other columns")
	}
	return b.data[at : at+want], nil
}
