package parquetio

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

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
	plains     plain.Encoding
	dictionary rle.DictionaryEncoding
	levels     = rle.Encoding{BitWidth: 1}
)

// packer compresses pages; its EncodeAll is safe for concurrent use. Half a megabyte of window is enough for pages.
var packer = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<19), zstd.WithEncoderCRC(false)))

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
	body   []byte
	packed []byte
	raw    bool // pages of the chunk are not worth compressing: the first was not
}

// worthwhile is the share of a page that must be left out for compressing the pages after it.
const worthwhile = 1. / 16

// column writes one column chunk.
func (p *pages) column(c *Column) (format.ColumnMetaData, error) {
	known := p.gather(c)
	p.raw = false
	p.chunk = format.ColumnMetaData{
		Type: physical[c.Kind], PathInSchema: []string{c.Name}, Codec: format.Zstd, NumValues: int64(p.rows),
		Statistics: format.Statistics{NullCount: int64(p.rows - known)},
	}
	p.values.bounds(c.Kind, &p.chunk.Statistics)
	code := p.encoding(c, known)
	p.chunk.Encoding = []format.Encoding{format.RLE, code}
	if code == format.RLEDictionary {
		p.chunk.Encoding = append(p.chunk.Encoding, format.Plain)
		p.chunk.DictionaryPageOffset = p.file.at
		if err := p.dictionary(); err != nil {
			return p.chunk, err
		}
	}
	p.chunk.DataPageOffset = p.file.at
	done := 0 // values written
	for from := 0; from < p.rows; {
		to := min(from+pageRows, p.rows)
		n := p.knownIn(from, to, known)
		if code == format.DeltaLengthByteArray {
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

// encoding picks deltas for integers, which are times and counters here, a dictionary for text that repeats, and plain for
// the rest, which zstd then shrinks.
func (p *pages) encoding(c *Column, known int) format.Encoding {
	switch {
	case known == 0:
		return format.Plain
	case c.Kind == Int32 || c.Kind == Int64 || c.Kind == Timestamp:
		return format.DeltaBinaryPacked
	case c.Kind == String:
		if 2*len(p.values.distinct) > len(p.values.index) {
			return format.DeltaLengthByteArray
		}
		return format.RLEDictionary
	default:
		return format.Plain
	}
}

// dictionary writes the dictionary page.
func (p *pages) dictionary() error {
	p.body = p.body[:0]
	for _, s := range p.values.distinct {
		n := len(s)
		p.body = append(p.body, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		p.body = append(p.body, s...)
	}
	header := format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
		NumValues: int32(len(p.values.distinct)), Encoding: format.Plain,
	})}
	return p.emit(&header, nil)
}

// page writes the data page of rows, whose values are those from one to another.
func (p *pages) page(kind Kind, code format.Encoding, fromRow, toRow, from, to int) (err error) {
	v, rows := &p.values, toRow-fromRow
	p.body = p.body[:0]
	switch {
	case code == format.Plain && to == from: // nothing
	case code == format.RLEDictionary:
		p.body, err = dictionary.EncodeInt32(p.body, v.index[from:to])
	case code == format.DeltaLengthByteArray:
		text, offsets := v.page(from, to)
		p.body, err = lengths.EncodeByteArray(p.body, text, offsets)
	case kind == Int32:
		p.body, err = deltas.EncodeInt32(p.body, v.int32s[from:to])
	case kind == Int64 || kind == Timestamp:
		p.body, err = deltas.EncodeInt64(p.body, v.int64s[from:to])
	case kind == Float64:
		p.body, err = plains.EncodeDouble(p.body, v.floats[from:to])
	case kind == Bool:
		p.body = packBits(p.body, v.bools[from:to])
	}
	if err != nil {
		return err
	}
	var definition []byte
	if p.levels != nil {
		definition, err = levels.EncodeLevels(nil, p.levels[fromRow:toRow])
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

// chunkValues are the values of a column chunk that are not null, in the order of its rows.
type chunkValues struct {
	int32s   []int32
	int64s   []int64
	floats   []float64
	bools    []bool
	index    []int32 // into distinct
	distinct []string

	int32room []int32 // of values that had to be copied
	int64room []int64
	floatRoom []float64
	indexRoom []int32

	rank    []int32 // of the column's dictionary in distinct; -1 for values not met yet
	text    []byte
	offsets []uint32
}

// gather takes the values that are not null of the rows in ranges, and their levels, and returns how many there are.
func (p *pages) gather(c *Column) int {
	v := &p.values
	v.int32s, v.int64s, v.floats, v.bools = nil, nil, nil, v.bools[:0]
	v.index, v.distinct = nil, v.distinct[:0]
	p.levels = nil
	known := c.Known()
	if known == 0 {
		return 0
	}
	keep := p.kept(c, known == c.Len)
	switch c.Kind {
	case Int32:
		v.int32s = pick(&v.int32room, c.Int32s, p.ranges, keep)
	case Int64, Timestamp:
		v.int64s = pick(&v.int64room, c.Int64s, p.ranges, keep)
	case Float64:
		v.floats = pick(&v.floatRoom, c.Float64s, p.ranges, keep)
	case String:
		v.number(c.Dict, pick(&v.indexRoom, c.Index, p.ranges, keep))
	case Bool:
		for _, r := range p.ranges {
			for i := r.From; i < r.To; i++ {
				if !c.IsNull(i) {
					v.bools = append(v.bools, c.Bool(i))
				}
			}
		}
	}
	n := len(v.int32s) + len(v.int64s) + len(v.floats) + len(v.bools) + len(v.index)
	if n == 0 || n == p.rows {
		p.levels = nil
	}
	return n
}

// kept sets p.levels: for every row in ranges 1, or 0 where it is null. It returns nil when all rows are known.
func (p *pages) kept(c *Column, all bool) []byte {
	if all {
		return nil
	}
	p.levels = make([]byte, 0, p.rows)
	for _, r := range p.ranges {
		for i := r.From; i < r.To; i++ {
			level := byte(1)
			if c.IsNull(i) {
				level = 0
			}
			p.levels = append(p.levels, level)
		}
	}
	return p.levels
}

// pick returns the values in ranges, without those whose entry in keep is 0. It copies them to room unless they lie together.
func pick[T any](room *[]T, values []T, ranges []Range, keep []byte) []T {
	if keep == nil && len(ranges) == 1 {
		return values[ranges[0].From:ranges[0].To]
	}
	dst := (*room)[:0]
	k := 0
	for _, r := range ranges {
		if keep == nil {
			dst = append(dst, values[r.From:r.To]...)
			continue
		}
		for i := r.From; i < r.To; i++ {
			if keep[k] != 0 {
				dst = append(dst, values[i])
			}
			k++
		}
	}
	*room = dst
	return dst
}

// number sets index and distinct: the values of dict that the old index points to, in the order they are met in.
func (v *chunkValues) number(dict []string, old []int32) {
	v.rank = v.rank[:0]
	for range dict {
		v.rank = append(v.rank, -1)
	}
	v.index = slices.Grow(v.indexRoom[:0], len(old))[:len(old)]
	for i, o := range old {
		k := v.rank[o]
		if k < 0 {
			k = int32(len(v.distinct))
			v.rank[o] = k
			v.distinct = append(v.distinct, dict[o])
		}
		v.index[i] = k
	}
	v.indexRoom = v.index
}

// textBytes returns the length of the texts from one to another.
func (v *chunkValues) textBytes(from, to int) int {
	n := 0
	for _, k := range v.index[from:to] {
		n += len(v.distinct[k])
	}
	return n
}

// page returns the texts from one to another, end to end, and where they begin, and end.
func (v *chunkValues) page(from, to int) ([]byte, []uint32) {
	v.text, v.offsets = v.text[:0], append(v.offsets[:0], 0)
	for _, k := range v.index[from:to] {
		v.text = append(v.text, v.distinct[k]...)
		v.offsets = append(v.offsets, uint32(len(v.text)))
	}
	return v.text, v.offsets
}

// maxBound bounds the text that is kept as least or greatest value: readers want it short, and one may leave it out.
const maxBound = 256

// bounds sets the least and the greatest value, unless there is none.
func (v *chunkValues) bounds(kind Kind, s *format.Statistics) {
	switch {
	case len(v.int32s) > 0:
		lo, hi := extremes(v.int32s)
		s.MinValue, s.MaxValue = raw(lo), raw(hi)
	case len(v.int64s) > 0:
		lo, hi := extremes(v.int64s)
		s.MinValue, s.MaxValue = raw(lo), raw(hi)
	case len(v.floats) > 0:
		lo, hi := extremes(v.floats)
		if lo == 0 { // the specification wants either zero to lie inside
			lo = math.Copysign(0, -1)
		}
		if hi == 0 {
			hi = 0
		}
		s.MinValue, s.MaxValue = raw(lo), raw(hi)
	case len(v.bools) > 0:
		s.MinValue, s.MaxValue = []byte{1}, []byte{0}
		for _, b := range v.bools {
			if b {
				s.MaxValue[0] = 1
			} else {
				s.MinValue[0] = 0
			}
		}
	case len(v.distinct) > 0:
		if lo, hi := extremes(v.distinct); len(lo) <= maxBound && len(hi) <= maxBound && kind == String {
			s.MinValue, s.MaxValue = []byte(lo), []byte(hi)
		}
	}
}

func extremes[T int32 | int64 | float64 | string](values []T) (lo, hi T) {
	lo, hi = values[0], values[0]
	for _, x := range values[1:] {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// raw returns a number as Parquet stores it: little-endian.
func raw[T int32 | int64 | float64](x T) []byte {
	switch x := any(x).(type) {
	case int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(x))
	case int64:
		return binary.LittleEndian.AppendUint64(nil, uint64(x))
	case float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
	}
	return nil
}
