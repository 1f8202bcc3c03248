package parquetio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// plainDictionary is PLAIN_DICTIONARY: an older name for PLAIN in a dictionary, and for RLE_DICTIONARY in a data page.
const plainDictionary format.Encoding = 2

// chunk reads the pages of a column chunk. parquet-go's own page reader makes room for whatever a page claims, and
// hands bit widths to assembly unchecked; chunk checks both first, and then uses the same decoders.
type chunk struct {
	r             io.ReaderAt
	at, end       int64
	left          int64 // entries of pages to come
	codec         format.CompressionCodec
	physical      parquet.Kind
	repetition    int // maximum levels
	definition    int
	dict          values
	hasDict       bool
	verify        bool   // pages against their CRC-32
	file, body    []byte // room
	page          page
	places, spare []int32
}

// page is a page of a chunk. Text is the reader's to keep; all else is valid until the next page.
type page struct {
	entries  int    // rows of a flat column, nulls included
	known    int    // entries that have a value
	rep, def []byte // levels; empty where the maximum is 0, and def where a flat column has a value in every row
	coded    bool   // values lie in the dictionary of the chunk, at index
	index    []int32
	values   values
}

// values are the values of a page or dictionary, of one physical type.
type values struct {
	int32s []int32
	int64s []int64
	floats []float64 // also of FLOAT
	bools  []byte    // 0 or 1
	texts  []string
}

func (v *values) reset() {
	v.int32s, v.int64s, v.floats, v.bools, v.texts = v.int32s[:0], v.int64s[:0], v.floats[:0], v.bools[:0], v.texts[:0]
}

// open makes c read a chunk, and keeps its room.
func (c *chunk) open(r io.ReaderAt, size int64, meta *format.ColumnChunk, leaf *parquet.Column) error {
	at, end, err := checkChunk(size, meta)
	if err != nil {
		return err
	}
	c.r, c.at, c.end = r, at, end
	c.left, c.codec, c.physical = meta.MetaData.NumValues, meta.MetaData.Codec, leaf.Type().Kind()
	if format.Type(c.physical) != meta.MetaData.Type {
		return fmt.Errorf("its values are %v, the schema says %v", meta.MetaData.Type, c.physical)
	}
	c.repetition, c.definition = leaf.MaxRepetitionLevel(), leaf.MaxDefinitionLevel()
	c.hasDict = false
	return nil
}

// next moves to the next page that has entries, and returns nil after the last one.
func (c *chunk) next() (*page, error) {
	for c.left > 0 {
		if c.at >= c.end {
			return nil, fmt.Errorf("%d values are missing: %w", c.left, io.ErrUnexpectedEOF)
		}
		h, n, err := readPageHeader(c.r, c.at, c.end)
		if err != nil {
			return nil, fmt.Errorf("page at %d: %w", c.at, err)
		}
		at := c.at + n
		if err = h.check(c.end-at, c.left); err == nil {
			c.at = at + h.packed
			err = c.read(&h, at)
		}
		if err != nil {
			return nil, fmt.Errorf("page at %d: %w", at-n, err)
		}
		if h.kind == format.DictionaryPage || h.kind == format.IndexPage || c.page.entries == 0 {
			continue
		}
		c.left -= h.values
		return &c.page, nil
	}
	return nil, nil //nolint:nilnil // the end
}

// read reads the body of a page into c.page, or c.dict.
func (c *chunk) read(h *pageHeader, at int64) error {
	c.page.entries = 0
	if h.kind == format.IndexPage {
		return nil
	}
	if int64(cap(c.file)) < h.packed {
		c.file = make([]byte, h.packed)
	}
	packed := c.file[:h.packed]
	if err := readFull(c.r, packed, at); err != nil {
		return err
	}
	if c.verify && h.hasSum && crc32.ChecksumIEEE(packed) != h.sum {
		return errors.New("it does not match its checksum")
	}
	levels := h.levelBytes[0] + h.levelBytes[1]
	codec := c.codec
	if h.raw {
		codec = format.Uncompressed
	}
	body := packed[levels:]
	if len(body) > 0 || h.plain > levels { // a page of nulls may have no body, not even one that says so
		var err error
		if body, err = unpack(codec, c.body, body, int(h.plain-levels)); err != nil {
			return err
		}
		if codec != format.Uncompressed {
			c.body = body[:cap(body)]
		}
	}
	switch h.kind {
	case format.DictionaryPage:
		if h.encoding != format.Plain && h.encoding != plainDictionary {
			return fmt.Errorf("a dictionary in encoding %v", h.encoding)
		}
		c.hasDict = true
		c.dict.reset()
		return c.dict.plain(c.physical, body, int(h.values))
	case format.DataPage:
		rest, err := c.levelsV1(h, body)
		if err != nil {
			return err
		}
		return c.load(h, rest)
	default:
		rep := packed[:h.levelBytes[0]]
		def := packed[h.levelBytes[0]:levels]
		if err := c.setLevels(int(h.values), rep, def); err != nil {
			return err
		}
		return c.load(h, body)
	}
}

// levelsV1 takes the levels off the body of a page of version 1, where they precede the values with their lengths.
func (c *chunk) levelsV1(h *pageHeader, body []byte) ([]byte, error) {
	var parts [2][]byte
	for i, most := range [2]int{c.repetition, c.definition} {
		if most == 0 {
			continue
		}
		if h.levels[i] != format.RLE {
			return nil, fmt.Errorf("levels in encoding %v are not supported", h.levels[i])
		}
		var err error
		if parts[i], body, err = lengthPrefixed(body); err != nil {
			return nil, err
		}
	}
	return body, c.setLevels(int(h.values), parts[0], parts[1])
}

// lengthPrefixed splits off bytes that follow their length.
func lengthPrefixed(b []byte) (part, rest []byte, err error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := binary.LittleEndian.Uint32(b)
	return b[4 : 4+n], b[4+n:], nil
}

// setLevels decodes the levels of n entries.
func (c *chunk) setLevels(n int, rep, def []byte) (err error) {
	p := &c.page
	p.rep, p.def = p.rep[:0], p.def[:0]
	if c.repetition > 0 {
		if p.rep, err = appendLevels(p.rep, rep, c.repetition, n); err != nil {
			return fmt.Errorf("repetition levels: %w", err)
		}
	}
	p.known, p.entries = n, n
	if c.definition > 0 && (c.repetition > 0 || !isRun(def, c.definition, n)) {
		if p.def, err = appendLevels(p.def, def, c.definition, n); err != nil {
			return fmt.Errorf("definition levels: %w", err)
		}
		p.known = bytes.Count(p.def, []byte{byte(c.definition)})
	}
	return nil
}

// load decodes the values of the page.
func (c *chunk) load(h *pageHeader, body []byte) error {
	p := &c.page
	p.values.reset()
	p.coded, p.index = false, p.index[:0]
	if p.known == 0 {
		return nil
	}
	if h.encoding == format.RLEDictionary || h.encoding == plainDictionary {
		if !c.hasDict {
			return errors.New("places in a dictionary that is not there")
		}
		p.coded = true
		return c.loadIndex(body)
	}
	if err := c.decode(h.encoding, body); err != nil {
		return fmt.Errorf("%v: %w", h.encoding, err)
	}
	return nil
}

// loadIndex decodes places in the dictionary and checks them.
func (c *chunk) loadIndex(body []byte) (err error) {
	p := &c.page
	if len(body) == 0 {
		return io.ErrUnexpectedEOF
	}
	if err := checkRuns(body[1:], uint(body[0]), p.known); err != nil {
		return err
	}
	if p.index, err = dictionary.DecodeInt32(p.index[:0], body); err != nil {
		return err
	}
	if len(p.index) < p.known {
		return io.ErrUnexpectedEOF
	}
	p.index = p.index[:p.known]
	n := uint32(c.dict.len(c.physical))
	most := uint32(0)
	for _, k := range p.index {
		most = max(most, uint32(k))
	}
	if most >= n {
		return fmt.Errorf("place %d in a dictionary of %d", most, n)
	}
	return nil
}

func (v *values) len(physical parquet.Kind) int {
	switch physical {
	case parquet.Int32:
		return len(v.int32s)
	case parquet.Int64:
		return len(v.int64s)
	case parquet.Float, parquet.Double:
		return len(v.floats)
	case parquet.Boolean:
		return len(v.bools)
	default:
		return len(v.texts)
	}
}

// width returns the number of bits for numbers up to most.
func width(most int) uint { return uint(bits.Len(uint(most))) }
