package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// frames reads frames that begin with four bytes of magic. Where something else follows a frame, the content ends, as
// it does behind gzip.
type frames struct {
	io.ReadCloser
	packed  *borders
	foreign error // of the library, for four bytes that begin no frame
	notes   *notes
	some    bool // content was read
	err     error
}

func (f *frames) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.ReadCloser.Read(p)
	f.some = f.some || n > 0
	rest := f.packed.behind()
	switch {
	case f.some && errors.Is(err, f.foreign):
		err = trailing(io.MultiReader(bytes.NewReader(f.packed.last[:]), f.packed.r), f.notes, NoteTrailing, notPacked)
	case len(rest) > 0 && (errors.Is(err, io.EOF) || IsTruncated(err)):
		// three bytes or fewer, which the library takes for a frame cut off
		if err = io.ErrUnexpectedEOF; !f.packed.begins(rest) {
			err = trailing(bytes.NewReader(rest), f.notes, NoteTrailing, notPacked)
		}
	}
	f.err = err
	return n, err
}

// borders passes bytes on, and follows where their frames begin and end: RFC 8878, section 3.1, and the LZ4 Frame
// Format Description, version 1.6.4. Frames that are damaged are the library's to find.
type borders struct {
	r     io.Reader
	magic []byte
	last  [4]byte // bytes that were read
	step  func(b *borders, field []byte) frameField
	field []byte // that is being read
	want  frameField
}

// frameField is the next field in a stream of frames.
type frameField struct {
	kind  uint8
	skip  int64 // bytes to pass over first
	bytes int   // of the field
	sums  int64 // bytes of the checksum behind every block, and
	sum   int64 // behind the last
}

// Kinds of fields.
const (
	frameMagic uint8 = iota
	frameSkippable
	frameHeader
	frameBlock
)

// newBorders follows frames that begin with a magic number. step returns the field behind a header or block header.
func newBorders(r io.Reader, magic []byte, step func(b *borders, field []byte) frameField) *borders {
	return &borders{r: r, magic: magic, step: step, want: frameField{kind: frameMagic, bytes: len(magic)}}
}

// Read implements [io.Reader].
func (b *borders) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	k := copy(b.last[:], b.last[min(n, 4):])
	copy(b.last[k:], p[max(0, n-4):n])
	for p = p[:n]; len(p) > 0; {
		if k := min(b.want.skip, int64(len(p))); k > 0 {
			b.want.skip -= k
			p = p[k:]
			continue
		}
		k := min(b.want.bytes-len(b.field), len(p))
		b.field, p = append(b.field, p[:k]...), p[k:]
		if len(b.field) == b.want.bytes {
			b.want = b.next(b.field)
			b.field = b.field[:0]
		}
	}
	return n, err
}

// next returns the field behind another.
func (b *borders) next(field []byte) frameField {
	switch {
	case b.want.kind == frameSkippable:
		return frameField{kind: frameMagic, skip: int64(binary.LittleEndian.Uint32(field)), bytes: len(b.magic)}
	case b.want.kind == frameMagic && field[0]&0xf0 == skippableMagic[0] && bytes.Equal(field[1:], skippableMagic[1:]):
		return frameField{kind: frameSkippable, bytes: 4}
	}
	return b.step(b, field)
}

// skippableMagic begins a frame of either format that decoders pass over; the low half of its first byte is free.
var skippableMagic = []byte{0x50, 0x2a, 0x4d, 0x18}

// behind returns the bytes behind the last whole frame, fewer than a magic number has; none inside of a frame.
func (b *borders) behind() []byte {
	if b.want.kind != frameMagic || b.want.skip > 0 {
		return nil
	}
	return b.field
}

// begins reports whether a frame may begin with some bytes.
func (b *borders) begins(rest []byte) bool {
	return bytes.HasPrefix(b.magic, rest) || rest[0]&0xf0 == skippableMagic[0] &&
		bytes.HasPrefix(skippableMagic[1:], rest[1:])
}

// zstdField is the step of zstd.
func zstdField(b *borders, field []byte) frameField {
	switch b.want.kind {
	case frameMagic:
		return frameField{kind: frameHeader, bytes: 1}
	case frameHeader:
		d := field[0]
		single := d&0x20 != 0
		size := int64([]int{0, 1, 2, 4}[d&3] + []int{0, 2, 4, 8}[d>>6])
		if !single || d>>6 == 0 {
			size++ // the window, or the content's size in one byte
		}
		return frameField{kind: frameBlock, skip: size, bytes: 3, sum: int64(d & 4)}
	}
	head := int64(field[0]) | int64(field[1])<<8 | int64(field[2])<<16
	size := head >> 3
	if head>>1&3 == 1 { // one byte, repeated
		size = 1
	}
	if head&1 != 0 {
		return frameField{kind: frameMagic, skip: size + b.want.sum, bytes: len(b.magic)}
	}
	return frameField{kind: frameBlock, skip: size, bytes: 3, sum: b.want.sum}
}

// lz4Field is the step of LZ4.
func lz4Field(b *borders, field []byte) frameField {
	switch b.want.kind {
	case frameMagic:
		return frameField{kind: frameHeader, bytes: 1}
	case frameHeader:
		d := field[0]
		// the block's maximum and the header's checksum; the content's size, and the dictionary's id
		size := int64(2 + d&8 + d&1<<2)
		return frameField{kind: frameBlock, skip: size, bytes: 4, sums: int64(d & 0x10 >> 2), sum: int64(d & 4)}
	}
	size := int64(binary.LittleEndian.Uint32(field) &^ (1 << 31))
	if size == 0 {
		return frameField{kind: frameMagic, skip: b.want.sum, bytes: len(b.magic)}
	}
	return frameField{kind: frameBlock, skip: size + b.want.sums, bytes: 4, sums: b.want.sums, sum: b.want.sum}
}
