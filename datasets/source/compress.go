package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/OneOfOne/xxhash"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// maxWindow bounds what a zstd stream may ask to be kept in memory; its specification recommends at least 8 MiB.
const maxWindow = 256 << 20

// maxBlock bounds a block of the two framings below; Spark writes blocks of 32 KiB by default.
const maxBlock = 64 << 20

// codec is a compression that is recognised by its first bytes.
type codec struct {
	magic []byte
	open  func(*bufio.Reader, *notes) (io.ReadCloser, error)
}

// opener makes the opener of a codec that notes nothing.
func opener(open func(*bufio.Reader) (io.ReadCloser, error)) func(*bufio.Reader, *notes) (io.ReadCloser, error) {
	return func(r *bufio.Reader, _ *notes) (io.ReadCloser, error) { return open(r) }
}

var (
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	lz4Magic  = []byte{0x04, 0x22, 0x4d, 0x18}
)

var codecs = []codec{
	{gzipMagic, openGzip},
	{zstdMagic, openZstd},
	{[]byte("BZh"), openBzip2},
	{lz4Magic, openLZ4},
	{lz4BlockMagic, opener(func(r *bufio.Reader) (io.ReadCloser, error) {
		return io.NopCloser(&blocks{r: r, next: nextLZ4}), nil
	})},
	{snappyJavaMagic, opener(func(r *bufio.Reader) (io.ReadCloser, error) {
		return io.NopCloser(&blocks{r: r, next: nextSnappy}), nil
	})},
	{[]byte("\xff\x06\x00\x00sNaPpY"), opener(func(r *bufio.Reader) (io.ReadCloser, error) {
		end := &endReader{r: r}
		return io.NopCloser(&snappyFrames{s2.NewReader(end), end}), nil
	})},
	{[]byte{0xfd, '7', 'z', 'X', 'Z', 0}, refuse("xz")},
	{[]byte("PK\x03\x04"), refuse("zip")},
	{[]byte("ZV\x00"), refuse("lzf")},
	{[]byte("ZV\x01"), refuse("lzf")},
}

// Decompress returns the content of r, decompressed when its first bytes announce gzip, zstd, bzip2, LZ4 (frames, or
// blocks as lz4-java and Spark write them) or Snappy (frames, or blocks as snappy-java and Spark write them), and as it
// is otherwise. A stream that ends early gives io.ErrUnexpectedEOF after all that could be decompressed.
func Decompress(r io.Reader) (io.ReadCloser, error) { return decompress(r, nil) }

// decompress is Decompress, and notes the bytes it leaves out.
func decompress(r io.Reader, n *notes) (io.ReadCloser, error) {
	b := peeker(r)
	for _, c := range codecs {
		head, err := b.Peek(len(c.magic))
		if err == nil && bytes.Equal(head, c.magic) {
			plain, err := c.open(b, n)
			if errors.Is(err, io.EOF) || IsTruncated(err) { // inside its header
				return &breaking{io.NopCloser(bytes.NewReader(nil)), io.ErrUnexpectedEOF}, nil
			}
			return plain, err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	return uncompressed{b}, nil
}

// uncompressed is content that was read as it is.
type uncompressed struct{ io.Reader }

func (uncompressed) Close() error { return nil }

func openZstd(r *bufio.Reader, n *notes) (io.ReadCloser, error) {
	packed := newBorders(r, zstdMagic, zstdField)
	d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &frames{ReadCloser: d.IOReadCloser(), packed: packed, foreign: zstd.ErrMagicMismatch, notes: n}, nil
}

func openLZ4(r *bufio.Reader, n *notes) (io.ReadCloser, error) {
	packed := newBorders(r, lz4Magic, lz4Field)
	return &frames{ReadCloser: io.NopCloser(lz4.NewReader(packed)), packed: packed, foreign: lz4.ErrInvalidFrame,
		notes: n}, nil
}

var errUnsupported = errors.New("compression is not supported")

func refuse(name string) func(*bufio.Reader, *notes) (io.ReadCloser, error) {
	return func(*bufio.Reader, *notes) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s %w: unpack the file, or compress it with gzip or zstd", name, errUnsupported)
	}
}

// snappyFrames calls a stream that ends inside a frame truncated; the library calls it corrupt.
type snappyFrames struct {
	io.Reader
	end *endReader
}

func (s *snappyFrames) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, s2.ErrCorrupt) && s.end.reached {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// endReader remembers whether the end of r was reached.
type endReader struct {
	r       *bufio.Reader
	reached bool
}

func (e *endReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.reached = e.reached || errors.Is(err, io.EOF)
	return n, err
}

func (e *endReader) ReadByte() (byte, error) {
	b, err := e.r.ReadByte()
	e.reached = e.reached || errors.Is(err, io.EOF)
	return b, err
}

// blocks reads a stream of independently compressed blocks.
type blocks struct {
	r    *bufio.Reader
	next func(r *bufio.Reader, packed, plain []byte) (packed2, plain2 []byte, err error)

	packed, plain []byte
	rest          []byte
	err           error
}

func (b *blocks) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.packed, b.plain, b.err = b.next(b.r, b.packed, b.plain)
		if b.err == nil {
			b.rest = b.plain
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// The stream that lz4-java's LZ4BlockOutputStream writes: blocks of magic, token (method in the high half), compressed
// length, plain length and checksum, all little-endian; a block of no bytes ends a stream, and streams may follow each
// other.
var lz4BlockMagic = []byte("LZ4Block")

const (
	lz4Raw        = 0x10
	lz4Compressed = 0x20
	lz4Seed       = 0x9747b28c // of the checksum, an XXH32 of the plain bytes without its four highest bits
	lz4Mask       = 0x0fffffff
)

func nextLZ4(r *bufio.Reader, packed, plain []byte) ([]byte, []byte, error) {
	for {
		var head [21]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return packed, plain, err // io.EOF only at the border of a block
		}
		if !bytes.Equal(head[:8], lz4BlockMagic) {
			return packed, plain, fmt.Errorf("lz4: block without its magic")
		}
		from, to := binary.LittleEndian.Uint32(head[9:]), binary.LittleEndian.Uint32(head[13:])
		if to == 0 {
			continue
		}
		if from > maxBlock || to > maxBlock {
			return packed, plain, fmt.Errorf("lz4: block of %d bytes", max(from, to))
		}
		packed, plain = resize(packed, int(from)), resize(plain, int(to))
		if err := readBlock(r, packed); err != nil {
			return packed, plain, err
		}
		switch head[8] & 0xf0 {
		case lz4Raw:
			if from != to {
				return packed, plain, fmt.Errorf("lz4: raw block of %d bytes says %d", from, to)
			}
			copy(plain, packed)
		case lz4Compressed:
			n, err := lz4.UncompressBlock(packed, plain)
			if err != nil || n != int(to) {
				return packed, plain, fmt.Errorf("lz4: damaged block")
			}
		default:
			return packed, plain, fmt.Errorf("lz4: unknown method %#x", head[8])
		}
		if sum := xxhash.Checksum32S(plain, lz4Seed) & lz4Mask; sum != binary.LittleEndian.Uint32(head[17:]) {
			return packed, plain, fmt.Errorf("lz4: damaged block: its checksum does not match")
		}
		return packed, plain, nil
	}
}

// The stream that snappy-java's SnappyOutputStream writes: a header of magic and two versions, then blocks of a
// big-endian length and that many bytes of raw Snappy. Streams may follow each other.
var snappyJavaMagic = []byte("\x82SNAPPY\x00")

func nextSnappy(r *bufio.Reader, packed, plain []byte) ([]byte, []byte, error) {
	for {
		if head, err := r.Peek(len(snappyJavaMagic)); err == nil && bytes.Equal(head, snappyJavaMagic) {
			if _, err := r.Discard(len(snappyJavaMagic) + 8); err != nil {
				return packed, plain, io.ErrUnexpectedEOF
			}
			continue
		}
		var length [4]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return packed, plain, err
		}
		from := binary.BigEndian.Uint32(length[:])
		if from > maxBlock {
			return packed, plain, fmt.Errorf("snappy: block of %d bytes", from)
		}
		packed = resize(packed, int(from))
		if err := readBlock(r, packed); err != nil {
			return packed, plain, err
		}
		to, err := s2.DecodedLen(packed)
		if err != nil || to > maxBlock {
			return packed, plain, fmt.Errorf("snappy: damaged block")
		}
		plain, err = s2.Decode(resize(plain, to), packed)
		if err != nil {
			return packed, plain, fmt.Errorf("snappy: damaged block")
		}
		if len(plain) > 0 {
			return packed, plain, nil
		}
	}
}

func readBlock(r io.Reader, p []byte) error {
	_, err := io.ReadFull(r, p)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func resize(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
