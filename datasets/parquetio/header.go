package parquetio

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// pageHeader is the header of a page: PageHeader in https://github.com/apache/parquet-format, parquet.thrift.
type pageHeader struct {
	kind          format.PageType
	packed, plain int64 // bytes of the page, levels included, and of the same after decompression
	values        int64 // entries, nulls included
	encoding      format.Encoding
	levels        [2]format.Encoding // of repetition and definition, version 1
	levelBytes    [2]int64           // of repetition and definition, version 2
	raw           bool               // version 2: the values are not compressed
	sum           uint32             // CRC-32 of the page as it lies in the file
	hasSum        bool
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

// Numbers of fields of PageHeader, and of the same fields of the headers in it.
const (
	pageType       = 1
	pagePlain      = 2
	pagePacked     = 3
	pageSum        = 4
	pageData       = 5
	pageDictionary = 7
	pageDataV2     = 8
	partValues     = 1
)

func parsePageHeader(b []byte) (h pageHeader, n int64, err error) {
	w := thriftWalker{b: b}
	err = w.fields(func(id int64, kind byte) (err error) {
		switch {
		case id == pageType && kind == thriftI32:
			v := int64(0)
			v, err = w.varint()
			h.kind = format.PageType(v)
		case id == pagePlain && kind == thriftI32:
			h.plain, err = w.varint()
		case id == pagePacked && kind == thriftI32:
			h.packed, err = w.varint()
		case id == pageSum && kind == thriftI32:
			v := int64(0)
			v, err = w.varint()
			h.sum, h.hasSum = uint32(v), true
		case (id == pageData || id == pageDictionary || id == pageDataV2) && kind == thriftStruct:
			err = w.fields(func(part int64, kind byte) (err error) {
				v := int64(0)
				if kind == thriftI32 {
					v, err = w.varint()
				} else {
					err = w.skip(kind, 2)
				}
				h.part(id, part, v, kind)
				return err
			})
		default:
			err = w.skip(kind, 1)
		}
		return err
	})
	return h, int64(w.at), err
}

// part sets one field of the header of a data page or dictionary. v is 0 unless the field is a number.
func (h *pageHeader) part(of, part, v int64, kind byte) {
	switch {
	case part == partValues:
		h.values = v
	case of == pageDataV2:
		switch part {
		case 4:
			h.encoding = format.Encoding(v)
		case 5:
			h.levelBytes[1] = v
		case 6:
			h.levelBytes[0] = v
		case 7:
			h.raw = kind == thriftFalse
		}
	case part == 2:
		h.encoding = format.Encoding(v)
	case of == pageData && part == 3:
		h.levels[1] = format.Encoding(v)
	case of == pageData && part == 4:
		h.levels[0] = format.Encoding(v)
	}
}

// check refuses a header that claims more than the rest of its chunk, of so many bytes and entries, can hold.
func (h *pageHeader) check(bytes, entries int64) error {
	switch h.kind {
	case format.DataPage, format.DataPageV2, format.IndexPage:
	case format.DictionaryPage:
		entries = max(entries, minDictionary)
	default:
		return fmt.Errorf("a page of type %d", h.kind)
	}
	levels := h.levelBytes[0] + h.levelBytes[1]
	switch {
	case h.packed < 0 || h.packed > bytes:
		return fmt.Errorf("a page of %d bytes, %d are left of its column", h.packed, bytes)
	case h.plain < 0 || h.plain > maxPage:
		return fmt.Errorf("a page of %d bytes before compression, at most %d are taken", h.plain, maxPage)
	case h.values < 0 || h.values > min(entries, maxPageValues):
		return fmt.Errorf("a page of %d values, at most %d are taken", h.values, min(entries, maxPageValues))
	case h.levelBytes[0] < 0 || h.levelBytes[1] < 0 || levels > min(h.packed, h.plain):
		return fmt.Errorf("a page of %d bytes with %d bytes of levels", h.packed, levels)
	}
	return nil
}
