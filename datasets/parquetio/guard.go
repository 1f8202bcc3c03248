package parquetio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// What a file of another tool may ask for. Pages have some megabytes; a dictionary, or a column that hardly changes, more.
const (
	maxFooter     = 64 << 20  // bytes
	maxFooterRows = 1 << 20   // structures in lists: columns, and columns times row groups
	maxPage       = 512 << 20 // bytes after decompression
	maxPageValues = 1 << 26
	maxPageHeader = 1 << 20 // bytes; statistics hold values, which may be long
)

var parquetMagic = []byte("PAR1")

// checkFooter refuses a file that is no Parquet, or whose footer claims more than it holds, before parquet-go makes room
// for it.
func checkFooter(r io.ReaderAt, size int64) error {
	const ends = 8 // length and magic behind the footer
	var head [4]byte
	var tail [ends]byte
	if size < int64(len(head)+ends) {
		return fmt.Errorf("%d bytes are too few for a Parquet file", size)
	}
	if err := readFull(r, head[:], 0); err != nil {
		return err
	}
	if err := readFull(r, tail[:], size-ends); err != nil {
		return err
	}
	switch {
	case !bytes.Equal(head[:], parquetMagic):
		return fmt.Errorf("the file begins with %q, not with %q as Parquet does", head, parquetMagic)
	case !bytes.Equal(tail[4:], parquetMagic):
		return fmt.Errorf("the file ends with %q, not with %q as Parquet does: it was cut off, or is encrypted", tail[4:], parquetMagic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-int64(len(head)+ends) || n > maxFooter {
		return fmt.Errorf("footer of %d bytes in a file of %d", n, size)
	}
	footer := make([]byte, n)
	if err := readFull(r, footer, size-ends-n); err != nil {
		return err
	}
	w := thriftWalker{b: footer}
	if err := w.skip(thriftStruct, 0); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	if w.structs > maxFooterRows {
		return fmt.Errorf("footer of %d columns and row groups, at most %d are taken", w.structs, maxFooterRows)
	}
	return nil
}

func readFull(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// pageHeader is what is checked of a page's header before parquet-go reads the page.
type pageHeader struct {
	packed, plain, values int64
	levels                int64 // bytes of levels before the compressed part, of a version 2 page
	dictionary            bool
}

// checkChunk refuses a column chunk that does not lie in the file, or whose pages claim more than they should.
func checkChunk(r io.ReaderAt, size int64, chunk *format.ColumnChunk) error {
	m := &chunk.MetaData
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	switch m.Codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd:
	default: // parquet-go doubles its memory without end on a damaged LZ4 page
		return fmt.Errorf("compression %v is not supported: write the file with Snappy or zstd", m.Codec)
	}
	if chunk.FilePath != "" {
		return fmt.Errorf("its values lie in another file, %q", chunk.FilePath)
	}
	if at < 0 || m.TotalCompressedSize < 0 || at > size || m.TotalCompressedSize > size-at {
		return fmt.Errorf("%d bytes at %d of a file of %d", m.TotalCompressedSize, at, size)
	}
	for end := at + m.TotalCompressedSize; at < end; {
		h, n, err := readPageHeader(r, at, end)
		if err != nil {
			return fmt.Errorf("page at %d: %w", at, err)
		}
		at += n
		most := min(m.NumValues, maxPageValues)
		if h.dictionary {
			most = min(8*h.plain, maxPageValues) // a value has at least one bit
		}
		if h.packed < 0 || h.packed > end-at || h.plain < 0 || h.plain > maxPage || h.values < 0 || h.values > most {
			return fmt.Errorf("page at %d: %d values in %d bytes, %d before compression; at most %d, %d and %d are taken",
				at, h.values, h.packed, h.plain, most, end-at, maxPage)
		}
		if h.levels >= 0 && h.levels < h.packed {
			if err := checkPacked(r, at+h.levels, h.packed-h.levels, m.Codec); err != nil {
				return fmt.Errorf("page at %d: %w", at, err)
			}
		}
		at += h.packed
	}
	return nil
}

// checkPacked looks at the length that a compressed page says it has before compression, for codecs that make room for
// that much at once.
func checkPacked(r io.ReaderAt, at, n int64, codec format.CompressionCodec) error {
	var b [zstdHeader]byte
	head := b[:min(n, zstdHeader)]
	if err := readFull(r, head, at); err != nil {
		return err
	}
	plain := uint64(0)
	switch codec {
	case format.Snappy:
		plain, _ = binary.Uvarint(head)
	case format.Zstd:
		plain = zstdSize(b[:])
	}
	if plain > maxPage {
		return fmt.Errorf("%d bytes before compression, at most %d are taken", plain, maxPage)
	}
	return nil
}

// zstdHeader is the longest header of a Zstandard frame: magic, descriptor, window, dictionary and content size.
const zstdHeader = 4 + 1 + 1 + 4 + 8

// zstdSize returns the size that a frame says its content has, 0 when it does not say: RFC 8878, section 3.1.1.1.
func zstdSize(b []byte) uint64 {
	descriptor := b[4]
	at := 5
	single := descriptor&0x20 != 0
	if !single {
		at++
	}
	at += [...]int{0, 1, 2, 4}[descriptor&3]
	switch descriptor >> 6 {
	case 0:
		if single {
			return uint64(b[at])
		}
		return 0
	case 1:
		return uint64(binary.LittleEndian.Uint16(b[at:])) + 256
	case 2:
		return uint64(binary.LittleEndian.Uint32(b[at:]))
	default:
		return binary.LittleEndian.Uint64(b[at:])
	}
}

// readPageHeader reads the header at a place before end, and returns its length.
func readPageHeader(r io.ReaderAt, at, end int64) (pageHeader, int64, error) {
	for room := int64(256); ; room *= 8 {
		b := make([]byte, min(room, end-at))
		if err := readFull(r, b, at); err != nil {
			return pageHeader{}, 0, err
		}
		h, n, err := parsePageHeader(b)
		if !errors.Is(err, io.ErrUnexpectedEOF) || int64(len(b)) == end-at || room > maxPageHeader {
			return h, n, err
		}
	}
}

// The fields of PageHeader and its parts in https://github.com/apache/parquet-format, parquet.thrift.
const (
	pagePlain      = 2
	pagePacked     = 3
	pageData       = 5
	pageDictionary = 7
	pageDataV2     = 8
	partValues     = 1
	partDefinition = 5 // bytes of levels, version 2 only
	partRepetition = 6
)

func parsePageHeader(b []byte) (h pageHeader, n int64, err error) {
	w := thriftWalker{b: b}
	err = w.fields(func(id int64, kind byte) (err error) {
		switch {
		case id == pagePlain && kind == thriftI32:
			h.plain, err = w.varint()
		case id == pagePacked && kind == thriftI32:
			h.packed, err = w.varint()
		case (id == pageData || id == pageDictionary || id == pageDataV2) && kind == thriftStruct:
			err = w.fields(func(part int64, kind byte) (err error) {
				v := int64(0)
				if kind == thriftI32 {
					v, err = w.varint()
				} else {
					err = w.skip(kind, 2)
				}
				h.dictionary = h.dictionary || id == pageDictionary
				switch {
				case part == partValues:
					h.values = v
				case id == pageDataV2 && (part == partDefinition || part == partRepetition):
					h.levels += v
				}
				return err
			})
		default:
			err = w.skip(kind, 1)
		}
		return err
	})
	return h, int64(w.at), err
}
