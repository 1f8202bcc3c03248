package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// The encodings follow https://parquet.apache.org/docs/file-format/data-pages/encodings/.

// decode decodes the values of a page that has no dictionary.
func (c *chunk) decode(encoding format.Encoding, body []byte) (err error) {
	v, n := &c.page.values, c.page.known
	switch {
	case encoding == format.Plain:
		return v.plain(c.physical, body, n)
	case encoding == format.RLE && c.physical == parquet.Boolean:
		if body, _, err = lengthPrefixed(body); err == nil {
			v.bools, err = appendLevels(v.bools, body, 1, n)
		}
		return err
	case encoding == format.DeltaBinaryPacked && c.physical == parquet.Int32:
		if _, err = checkDeltas(body, 32, n); err == nil {
			v.int32s, err = deltas.DecodeInt32(v.int32s, body)
		}
	case encoding == format.DeltaBinaryPacked && c.physical == parquet.Int64:
		if _, err = checkDeltas(body, 64, n); err == nil {
			v.int64s, err = deltas.DecodeInt64(v.int64s, body)
		}
	case encoding == format.DeltaLengthByteArray && c.physical == parquet.ByteArray:
		if c.places, body, err = lengthsOf(c.places, body, n); err == nil {
			v.texts, err = appendTexts(v.texts, nil, c.places, body)
		}
	case encoding == format.DeltaByteArray && c.physical == parquet.ByteArray:
		if c.places, body, err = lengthsOf(c.places, body, n); err != nil {
			return err
		}
		if c.spare, body, err = lengthsOf(c.spare, body, n); err == nil {
			v.texts, err = appendTexts(v.texts, c.places, c.spare, body)
		}
	case encoding == format.ByteStreamSplit:
		return v.plain(c.physical, joinStreams(body, n), n)
	default:
		return fmt.Errorf("not supported for %v", c.physical)
	}
	if err == nil && v.len(c.physical) != n {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// plain appends n values in encoding PLAIN.
func (v *values) plain(physical parquet.Kind, b []byte, n int) error {
	size := 0
	switch physical {
	case parquet.Boolean:
		if len(b) < (n+7)/8 {
			return io.ErrUnexpectedEOF
		}
		for i := range n {
			v.bools = append(v.bools, b[i>>3]>>(i&7)&1)
		}
		return nil
	case parquet.ByteArray:
		return v.plainTexts(b, n)
	case parquet.Int32, parquet.Float:
		size = 4
	case parquet.Int64, parquet.Double:
		size = 8
	default:
		return fmt.Errorf("%v is not supported", physical)
	}
	if len(b) < n*size {
		return io.ErrUnexpectedEOF
	}
	b = b[:n*size]
	switch physical {
	case parquet.Int32:
		v.int32s = slices.Grow(v.int32s, n)
		for ; len(b) > 0; b = b[4:] {
			v.int32s = append(v.int32s, int32(binary.LittleEndian.Uint32(b)))
		}
	case parquet.Float:
		v.floats = slices.Grow(v.floats, n)
		for ; len(b) > 0; b = b[4:] {
			v.floats = append(v.floats, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		}
	case parquet.Int64:
		v.int64s = slices.Grow(v.int64s, n)
		for ; len(b) > 0; b = b[8:] {
			v.int64s = append(v.int64s, int64(binary.LittleEndian.Uint64(b)))
		}
	default:
		v.floats = slices.Grow(v.floats, n)
		for ; len(b) > 0; b = b[8:] {
			v.floats = append(v.floats, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return nil
}

// plainTexts appends n texts, each preceded by its length.
func (v *values) plainTexts(b []byte, n int) error {
	if len(b) < 4*n {
		return io.ErrUnexpectedEOF
	}
	all := string(b) // shared by the texts
	for range n {
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return io.ErrUnexpectedEOF
		}
		at, size := len(all)-len(b)+4, int(binary.LittleEndian.Uint32(b))
		v.texts = append(v.texts, all[at:at+size])
		b = b[4+size:]
	}
	return nil
}

// joinStreams puts the bytes of n values together, which lie apart in as many streams as a value has bytes.
func joinStreams(b []byte, n int) []byte {
	size := len(b) / max(n, 1)
	out := make([]byte, size*n)
	for k := range size {
		for i := range n {
			out[i*size+k] = b[k*n+i]
		}
	}
	return out
}

// lengthsOf decodes n lengths that precede the values they are of, and returns the rest.
func lengthsOf(room []int32, b []byte, n int) (lengths []int32, rest []byte, err error) {
	rest, err = checkDeltas(b, 32, n)
	if err != nil {
		return room, nil, err
	}
	if lengths, err = deltas.DecodeInt32(room, b[:len(b)-len(rest)]); err == nil && len(lengths) != n {
		err = io.ErrUnexpectedEOF
	}
	return lengths, rest, err
}

var errLengths = errors.New("lengths of text that the page does not hold")

// appendTexts appends texts whose ends lie in b one after the other. Each begins with as many bytes of the text before
// as prefixes say; nil is none.
func appendTexts(dst []string, prefixes, suffixes []int32, b []byte) ([]string, error) {
	total, left, before := 0, len(b), 0
	for i, n := range suffixes {
		prefix := 0
		if prefixes != nil {
			prefix = int(prefixes[i])
		}
		if n < 0 || int(n) > left || prefix < 0 || prefix > before || total > maxPage {
			return dst, errLengths
		}
		left -= int(n)
		before = prefix + int(n)
		total += before
	}
	if prefixes == nil {
		all, at := string(b[:total]), 0
		for _, n := range suffixes {
			dst = append(dst, all[at:at+int(n)])
			at += int(n)
		}
		return dst, nil
	}
	all := make([]byte, 0, total)
	text := unsafe.String(unsafe.SliceData(all), total) // all is written before it is read, and never again
	last := 0
	for i, n := range suffixes {
		at := len(all)
		all = append(all, all[last:last+int(prefixes[i])]...)
		all = append(all, b[:n]...)
		b, last = b[n:], at
		dst = append(dst, text[at:len(all)])
	}
	return dst, nil
}
