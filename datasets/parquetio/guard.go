package parquetio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// What a file of another tool may ask for. Pages have some megabytes; a dictionary, or a column that hardly changes,
// more.
const (
	maxFooter     = 64 << 20  // bytes
	maxFooterRows = 1 << 20   // structures in lists: columns, and columns times row groups
	maxPage       = 512 << 20 // bytes after decompression
	maxPageValues = 1 << 24
	maxPageHeader = 1 << 20 // bytes; statistics hold values, which may be long

	// minDictionary is the number of values that a dictionary may always have, even if its column has fewer: writers
	// may keep values that no row uses.
	minDictionary = 1 << 20
)

var parquetMagic = []byte("PAR1")

// CheckEnds refuses a file that does not begin and end as Parquet does.
func CheckEnds(r io.ReaderAt, size int64) error {
	_, err := footerBytes(r, size)
	return err
}

const ends = 8 // bytes of length and magic behind the footer

// footerBytes returns the length of the footer.
func footerBytes(r io.ReaderAt, size int64) (int64, error) {
	var head [4]byte
	var tail [ends]byte
	if size < int64(len(head)+ends) {
		return 0, fmt.Errorf("%d bytes are too few for a Parquet file", size)
	}
	if err := readFull(r, head[:], 0); err != nil {
		return 0, err
	}
	if err := readFull(r, tail[:], size-ends); err != nil {
		return 0, err
	}
	switch {
	case !bytes.Equal(head[:], parquetMagic):
		return 0, fmt.Errorf("the file begins with %q, not with %q as Parquet does", head, parquetMagic)
	case !bytes.Equal(tail[4:], parquetMagic):
		return 0, fmt.Errorf("the file ends with %q, not with %q as Parquet does: it was cut off, or is encrypted",
			tail[4:], parquetMagic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-int64(len(head)+ends) || n > maxFooter {
		return 0, fmt.Errorf("footer of %d bytes in a file of %d", n, size)
	}
	return n, nil
}

// checkFooter refuses a file that is no Parquet, or whose footer claims more than it holds, before parquet-go makes
// room for it.
func checkFooter(r io.ReaderAt, size int64) error {
	n, err := footerBytes(r, size)
	if err != nil {
		return err
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

// checkChunk refuses a column chunk that does not lie in the file, and returns where it begins and ends.
func checkChunk(size int64, chunk *format.ColumnChunk) (at, end int64, err error) {
	m := &chunk.MetaData
	at = m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = min(at, m.DictionaryPageOffset)
	}
	if err := checkCodec(m.Codec); err != nil {
		return 0, 0, err
	}
	if chunk.FilePath != "" {
		return 0, 0, fmt.Errorf("its values lie in another file, %q", chunk.FilePath)
	}
	if at < 0 || m.TotalCompressedSize < 0 || at > size || m.TotalCompressedSize > size-at || m.NumValues < 0 {
		return 0, 0, fmt.Errorf("%d values in %d bytes at %d of a file of %d", m.NumValues, m.TotalCompressedSize, at,
			size)
	}
	return at, at + m.TotalCompressedSize, nil
}

// openFooter opens a file whose footer claims no more than the file holds, and whose row groups hold as many rows as it
// says.
func openFooter(r io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	rows := f.NumRows()
	for _, g := range f.RowGroups() {
		n := g.NumRows()
		if n < 0 || n > rows {
			return nil, fmt.Errorf("row groups of more rows than the %d the file says it has", f.NumRows())
		}
		rows -= n
	}
	if rows != 0 {
		return nil, fmt.Errorf("the file says it has %d rows, %d more than its row groups", f.NumRows(), rows)
	}
	return f, nil
}

// recovered turns a panic of parquet-go, which trusts files more than we do, into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged Parquet file: %v", p)
	}
}
