package source

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

var gzipMagic = []byte{0x1f, 0x8b}

// members reads the members of a gzip stream one after the other, as gzip(1) does: zeros behind the last one are
// padding, other bytes there are ignored and noted.
type members struct {
	r     *bufio.Reader
	zip   *gzip.Reader
	notes *notes
	err   error
}

func openGzip(r *bufio.Reader, n *notes) (io.ReadCloser, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	zip.Multistream(false)
	return &members{r: r, zip: zip, notes: n}, nil
}

func (m *members) Read(p []byte) (int, error) {
	for m.err == nil {
		n, err := m.zip.Read(p)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && !IsTruncated(err):
			m.err = m.next()
		default:
			m.err = err
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, m.err
}

// next begins the next member: io.EOF when there is none.
func (m *members) next() error {
	head, err := m.r.Peek(len(gzipMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case len(head) == 0:
		return io.EOF
	case len(head) == 1 && head[0] == gzipMagic[0]:
		return io.ErrUnexpectedEOF
	case !bytes.Equal(head, gzipMagic):
		return trailing(m.r, m.notes, NoteTrailing, notPacked+", as gzip(1) does")
	}
	if err := m.zip.Reset(m.r); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	m.zip.Multistream(false)
	return nil
}

func (m *members) Close() error { return m.zip.Close() }

// trailing reads the bytes behind content, notes them unless they are all zeros, and returns io.EOF. The note is of a
// kind and ends with like.
func trailing(r io.Reader, notes *notes, kind, like string) error {
	var n, zeros int64
	room := make([]byte, 64<<10)
	for {
		k, err := r.Read(room)
		n += int64(k)
		zeros += int64(bytes.Count(room[:k], []byte{0}))
		if err == nil {
			continue
		}
		if zeros < n {
			notes.add(kind, fmt.Sprintf("%d bytes%s", n, like))
		}
		return err
	}
}

// notPacked ends notes of the kind [NoteTrailing].
const notPacked = " that are no compressed content"

// bzip2Streams ends where something else than another bzip2 stream follows, as bzip2(1) does.
type bzip2Streams struct {
	io.Reader
	end   *endReader
	notes *notes
	ended bool
}

func openBzip2(r *bufio.Reader, n *notes) (io.ReadCloser, error) {
	end := &endReader{r: r}
	return io.NopCloser(&bzip2Streams{Reader: bzip2.NewReader(end), end: end, notes: n}), nil
}

// errTrailing is the library's error for bytes after the last stream.
const errTrailing = bzip2.StructuralError("bad magic value in continuation file")

func (b *bzip2Streams) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	n, err := b.Reader.Read(p)
	switch {
	case errors.Is(err, errTrailing):
		b.ended = true
		b.notes.add(NoteTrailing, "bytes"+notPacked+", as bzip2(1) does")
		err = io.EOF
	case errors.As(err, new(bzip2.StructuralError)) && b.end.reached: // the library takes missing bits for zeros
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
