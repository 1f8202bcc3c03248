package parquetio

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page ends after pageRows rows, and a page of text also after about pageText bytes.
const (
	pageRows = 1 << 17
	pageText = 1 << 20
)

// The encoders keep no state.
var (
	deltas     delta.BinaryPackedEncoding
	lengths    delta.LengthByteArrayEncoding
	prefixes   delta.ByteArrayEncoding
	plains     plain.Encoding
	dictionary rle.DictionaryEncoding
	levels     = rle.Encoding{BitWidth: 1}
)

// packer compresses pages; its EncodeAll is safe for concurrent use. Half a megabyte of window is enough for pages.
var packer = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<19),
	zstd.WithEncoderCRC(false)))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// pages writes the column chunks of a row group, one after the other.
type pages struct {
	file   *fileWriter
	ranges []Range
	rows   int

	chunk  format.ColumnMetaData
	values chunkValues
	levels []byte // of the whole chunk, nil when no row or every row is null
	room   []byte // of levels
	body   []byte
	packed []byte
	raw    bool // pages of the chunk are not worth compressing: the first was not

	definition []byte // levels of a page, encoded
}

// worthwhile is the share of a page that must be left out for compressing the pages after it.
const worthwhile = 1. / 8

// column writes one column chunk. sorted marks its rows as sorted.
func (p *pages) column(c *Column, sorted bool) (format.ColumnMetaData, error) {
	known := p.gather(c)
	p.raw = false
	p.chunk = format.ColumnMetaData{
		Type: physical[c.Kind], PathInSchema: []string{c.Name}, Codec: format.Zstd, NumValues: int64(p.rows),
		Statistics: format.Statistics{NullCount: int64(p.rows - known)},
	}
	p.values.bounds(c.Kind, &p.chunk.Statistics)
	code, err := p.encoding(c, known, sorted)
	if err != nil {
		return p.chunk, err
	}
	p.chunk.Encoding = []format.Encoding{format.RLE, code}
	if code == format.RLEDictionary {
		p.chunk.Encoding = append(p.chunk.Encoding, format.Plain)
		p.chunk.DictionaryPageOffset = p.file.at
		if err := p.dictionary(c.Kind); err != nil {
			return p.chunk, err
		}
	}
	p.chunk.DataPageOffset = p.file.at
	done := 0 // values written
	for from := 0; from < p.rows; {
		to := min(from+pageRows, p.rows)
		n := p.knownIn(from, to, known)
		if code == format.DeltaLengthByteArray || code == format.DeltaByteArray {
			for to-from > 1 && p.values.textBytes(done, done+n) > pageText {
				to = from + (to-from)/2
				n = p.knownIn(from, to, known)
			}
		}
		if err := p.page(c.Kind, code, from, to, done, done+n); err != nil {
			return p.chunk, err
		}
		from, done = to, done+n
	}
	return p.chunk, p.file.err
}

// knownIn returns how many rows from one to another are not null.
func (p *pages) knownIn(from, to, known int) int {
	switch {
	case p.levels != nil:
		n := 0
		for _, l := range p.levels[from:to] {
			n += int(l)
		}
		return n
	case known == 0:
		return 0
	default:
		return to - from
	}
}

// encoding picks an encoding by content: see [pages.integers] for those, a dictionary for text and numbers that repeat,
// shared prefixes for sorted text, and plain for the rest, which zstd then shrinks.
func (p *pages) encoding(c *Column, known int, sorted bool) (format.Encoding, error) {
	switch {
	case known == 0:
		return format.Plain, nil
	case c.Kind == Int32 || c.Kind == Int64 || c.Kind == Timestamp:
		return p.integers(c.Kind)
	case c.Kind == String && 2*len(p.values.distinct) > len(p.values.index) && sorted:
		return format.DeltaByteArray, nil
	case c.Kind == String && 2*len(p.values.distinct) > len(p.values.index):
		return format.DeltaLengthByteArray, nil
	case len(p.values.index) > 0:
		return format.RLEDictionary, nil
	default:
		return format.Plain, nil
	}
}

// dictionary writes the dictionary page.
func (p *pages) dictionary(kind Kind) error {
	p.body = p.body[:0]
	for _, s := range p.values.distinct {
		n := len(s)
		p.body = append(p.body, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		p.body = append(p.body, s...)
	}
	for _, x := range p.values.numbers.distinct {
		if kind == Int32 {
			p.body = binary.LittleEndian.AppendUint32(p.body, uint32(x))
		} else {
			p.body = binary.LittleEndian.AppendUint64(p.body, x)
		}
	}
	header := format.PageHeader{Type: format.DictionaryPage,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
			NumValues: int32(len(p.values.distinct) + len(p.values.numbers.distinct)), Encoding: format.Plain,
		})}
	return p.emit(&header, nil)
}

// encode sets body to the values from one to another in an encoding.
func (p *pages) encode(kind Kind, code format.Encoding, from, to int) (err error) {
	v := &p.values
	p.body = p.body[:0]
	switch {
	case code == format.Plain && from == to: // nothing
	case code == format.RLEDictionary:
		p.body = appendPlaces(p.body, v.index[from:to])
	case code == format.DeltaLengthByteArray:
		text, offsets := v.page(from, to)
		p.body, err = lengths.EncodeByteArray(p.body, text, offsets)
	case code == format.DeltaByteArray:
		text, offsets := v.page(from, to)
		p.body, err = prefixes.EncodeByteArray(p.body, text, offsets)
	case kind == Int32 && code == format.Plain:
		p.body, err = plains.EncodeInt32(p.body, v.int32s[from:to])
	case kind == Int32:
		p.body, err = deltas.EncodeInt32(p.body, v.int32s[from:to])
	case kind == Float64:
		p.body, err = plains.EncodeDouble(p.body, v.floats[from:to])
	case kind == Bool:
		p.body = packBits(p.body, v.bools[from:to])
	case code == format.Plain:
		p.body, err = plains.EncodeInt64(p.body, v.int64s[from:to])
	default:
		p.body, err = deltas.EncodeInt64(p.body, v.int64s[from:to])
	}
	return err
}

// page writes the data page of rows, whose values are those from one to another.
func (p *pages) page(kind Kind, code format.Encoding, fromRow, toRow, from, to int) (err error) {
	if err := p.encode(kind, code, from, to); err != nil {
		return err
	}
	rows := toRow - fromRow
	definition := p.definition[:0]
	if p.levels != nil {
		definition, err = levels.EncodeLevels(definition, p.levels[fromRow:toRow])
		if err != nil {
			return err
		}
	} else { // one run of rows that are all null or all not
		for n := rows << 1; ; n >>= 7 {
			if n < 0x80 {
				definition = append(definition, byte(n))
				break
			}
			definition = append(definition, byte(n)|0x80)
		}
		level := byte(1)
		if to == from {
			level = 0
		}
		definition = append(definition, level)
	}
	p.definition = definition
	header := format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: int32(rows), NumNulls: int32(rows - (to - from)), NumRows: int32(rows), Encoding: code,
		DefinitionLevelsByteLength: int32(len(definition)), IsCompressed: thrift.New(!p.raw),
	})}
	if err := p.emit(&header, definition); err != nil {
		return err
	}
	p.raw = p.raw || float64(len(p.packed)) > (1-worthwhile)*float64(len(p.body))
	return nil
}

// emit compresses the body and writes a page: header, levels, body.
func (p *pages) emit(header *format.PageHeader, definition []byte) error {
	if p.raw {
		p.packed = append(p.packed[:0], p.body...)
	} else {
		p.packed = packer.EncodeAll(p.body, p.packed[:0])
	}
	header.UncompressedPageSize = int32(len(definition) + len(p.body))
	header.CompressedPageSize = int32(len(definition) + len(p.packed))
	header.CRC = int32(crc32.Update(crc32.ChecksumIEEE(definition), crc32.IEEETable, p.packed))
	b, err := thrift.Marshal(new(thrift.CompactProtocol), header)
	if err != nil {
		return err
	}
	p.chunk.TotalUncompressedSize += int64(len(b) + len(definition) + len(p.body))
	p.chunk.TotalCompressedSize += int64(len(b) + len(definition) + len(p.packed))
	p.file.write(b)
	p.file.write(definition)
	p.file.write(p.packed)
	return p.file.err
}

// packBits appends bits, least significant first.
func packBits(dst []byte, bits []bool) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, (len(bits)+7)/8)...)
	for i, b := range bits {
		if b {
			setBit(dst[at:], i)
		}
	}
	return dst
}
