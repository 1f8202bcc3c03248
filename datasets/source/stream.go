package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"racecard/datasets/fault"
)

// maxPeek bounds the bytes of a stream that are read, and kept, to detect its type. The largest block of a
// compression ([maxBlock]) fits.
const maxPeek = maxBlock + 1<<20

// NewStream returns an input that can be read once, from start to end, such as a pipe. open is called once, and waited
// for no longer than a context allows. [File.Head] may be asked before the stream is read: the bytes it sees are not
// lost. A second Open is an error, unless [File.Keep] kept the content.
func NewStream(name string, open func() (io.ReadCloser, error)) *File {
	s := &stream{name: name, in: &waiting{open: open}}
	return &File{Name: name, Size: -1, Transient: true, stream: s, open: s.take}
}

// Once reports whether the file can be opened only once.
func (f *File) Once() bool { return f.stream != nil }

// ReopenedError is returned for a second attempt to read a stream.
type ReopenedError struct{ Name string }

// Error names the stream and the remedy.
func (e *ReopenedError) Error() string {
	return fmt.Sprintf("%s is a stream, and can be read only once: save it to a file first, and name that", e.Name)
}

// stream is a source that can be read once.
type stream struct {
	name string
	in   *waiting

	mu    sync.Mutex
	ahead []byte // bytes of in that were read for detection
	head  []byte // the first bytes of the decompressed content
	known bool   // head is
	taken bool
}

// peek returns the first decompressed bytes of the stream.
func (s *stream) peek(ctx context.Context, f *File) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known {
		return s.head, nil
	}
	if s.taken {
		return nil, &ReopenedError{s.name}
	}
	head, err := f.head(&peeking{ctx: ctx, s: s})
	if err == nil {
		s.head, s.known = head, true
	}
	return head, err
}

// peeking reads a stream from its start and keeps the bytes it reads.
type peeking struct {
	ctx context.Context
	s   *stream
	at  int
}

func (p *peeking) Read(b []byte) (int, error) {
	if p.at == len(p.s.ahead) {
		if p.at >= maxPeek {
			return 0, fmt.Errorf("no content in the first %d bytes", maxPeek)
		}
		n, err := p.s.in.read(p.ctx, b)
		p.s.ahead = append(p.s.ahead, b[:n]...)
		p.at += n
		return n, err
	}
	n := copy(b, p.s.ahead[p.at:])
	p.at += n
	return n, nil
}

// take opens the stream.
func (s *stream) take(ctx context.Context) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		return nil, &ReopenedError{s.name}
	}
	s.taken = true
	return &taken{ctx, s}, nil
}

// taken reads a stream for good: first the bytes read ahead.
type taken struct {
	ctx context.Context
	s   *stream
}

func (t *taken) Read(p []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	if n := copy(p, t.s.ahead); n > 0 {
		if t.s.ahead = t.s.ahead[n:]; len(t.s.ahead) == 0 {
			t.s.ahead = nil
		}
		return n, nil
	}
	return t.s.in.read(t.ctx, p)
}

func (t *taken) Close() error { return t.s.in.close() }

// waiting is a source that may let its reader wait for ever. It is read by a goroutine, so that the reader can leave.
type waiting struct {
	open func() (io.ReadCloser, error)
	r    io.ReadCloser // nil before it was opened
	got  chan []byte   // one result of the goroutine; nil while there is none at work
	room []byte
	rest []byte // of a result
	err  error  // behind rest; set by the goroutine before it sends
}

// waitBytes is the number of bytes read from a source at once.
const waitBytes = 256 << 10

// read returns the next bytes, or the error of ctx when that is done first.
func (w *waiting) read(ctx context.Context, p []byte) (int, error) {
	if len(w.rest) == 0 {
		if w.got == nil {
			if w.err != nil {
				return 0, w.err
			}
			w.got = make(chan []byte, 1)
			go func(got chan<- []byte) {
				defer fault.Trap()
				w.fill(got)
			}(w.got)
		}
		select {
		case w.rest = <-w.got:
			w.got = nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	if n == 0 {
		return 0, w.err
	}
	return n, nil
}

// fill reads once.
func (w *waiting) fill(got chan<- []byte) {
	if w.r == nil {
		if w.r, w.err = w.open(); w.err != nil {
			got <- nil
			return
		}
		w.room = make([]byte, waitBytes)
	}
	var n int
	n, w.err = w.r.Read(w.room)
	got <- w.room[:n]
}

// close closes the source, unless a goroutine still waits for it: then that is left to the end of the process.
func (w *waiting) close() error {
	if w.got != nil || w.r == nil {
		return nil
	}
	r := w.r
	w.r, w.err = nil, errors.New("read after close")
	return r.Close()
}

// Room is a file for the content of a stream.
type Room interface {
	io.Writer
	io.ReaderAt
}

// Keep copies a stream to its end into room, so that it can be opened any number of times. More than limit bytes are an
// error. room must stay open while the file is in use.
func (f *File) Keep(ctx context.Context, room Room, limit int64) error {
	raw, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer raw.Close()
	n, err := io.Copy(room, io.LimitReader(raw, limit+1))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if n > limit {
		return fmt.Errorf("%s: more than %d bytes, which is too much to keep of a stream: save it to a file first, "+
			"and name that", f.Name, limit)
	}
	f.Size, f.stream = n, nil
	f.open = func(ctx context.Context) (io.ReadCloser, error) {
		section := io.NewSectionReader(room, 0, n)
		return &kept{stoppable{ctx, io.NopCloser(section)}, section}, nil
	}
	return nil
}

// kept is the content of a stream that was kept.
type kept struct {
	stoppable
	section *io.SectionReader
}

func (k *kept) tail(n int64) []byte {
	tail := make([]byte, n)
	if _, err := k.section.ReadAt(tail, k.section.Size()-n); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return tail
}

// IsArchive reports whether a file whose content begins with head is a tar archive, or a Parquet file: they cannot be
// read as a stream.
func IsArchive(head []byte) bool { return isTar(head) || bytes.HasPrefix(head, parquetMagic) }
