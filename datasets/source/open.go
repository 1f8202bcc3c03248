package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync/atomic"

	"github.com/klauspost/readahead"
)

// RawRead returns the number of raw bytes that the latest Open has read. It is safe for concurrent use.
func (f *File) RawRead() int64 { return f.raw.Load() }

// SHA256 returns the checksum of the raw bytes, in hexadecimal, once a reader of the file was closed; before that "".
func (f *File) SHA256() string { return f.sha256 }

// Sum reads the whole file and returns its checksum, as [File.SHA256] does after it was read.
func (f *File) Sum(ctx context.Context) (string, error) {
	raw, err := f.open(ctx)
	if err != nil {
		return "", err
	}
	defer raw.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, raw); err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Open returns the decompressed content. Unless the file is small, a goroutine reads, hashes and decompresses
// ahead of the caller. Reading fails with the error of ctx once ctx is done, even while the source blocks. Close
// must be called. Unless ctx is done, Close reads the rest, so that the checksum covers the whole file.
func (f *File) Open(ctx context.Context) (io.ReadCloser, error) {
	raw, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	f.raw.Store(0)
	from := &failing{Reader: raw}
	h := &hashing{r: from, sum: sha256.New(), n: &f.raw}
	plain, err := openPlain(h, &f.notes, f.lineEnd)
	if err != nil {
		raw.Close()
		return nil, fmt.Errorf("%s: %w", f.Name, f.damaged(err, from))
	}
	ahead := plain
	if f.Size < 0 || f.Size > small {
		if ahead, err = readahead.NewReadCloserSize(plain, 4, 512<<10); err != nil {
			raw.Close()
			return nil, err
		}
	}
	return &reader{ReadCloser: ahead, file: f, raw: raw, from: from, hash: h}, nil
}

// small is the size of files that are not worth a goroutine and its room: an archive may hold a million of them.
const small = 64 << 10

// Head returns the first [HeadSize] bytes of the decompressed content, or all of it. For a larger Parquet file, the
// last bytes follow, which name its columns. Truncated content is no error here. The bytes of a stream are kept, so
// that Open returns them, too; once it is open its head is known only if it was before.
func (f *File) Head(ctx context.Context) ([]byte, error) {
	if f.stream != nil {
		return f.stream.peek(ctx, f)
	}
	raw, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	head, err := f.head(raw)
	if tail, ok := raw.(tailer); ok && len(head) == HeadSize && bytes.HasPrefix(head, parquetMagic) &&
		f.Size > 2*HeadSize {
		head = append(head, tail.tail(HeadSize)...)
	}
	return head, err
}

// parquetMagic begins every Parquet file.
var parquetMagic = []byte("PAR1")

// tailer is raw content with random access to its end.
type tailer interface {
	tail(n int64) []byte // the last n bytes, nil when they cannot be read
}

// head reads the first bytes of the decompressed content of raw.
func (f *File) head(raw io.Reader) ([]byte, error) {
	from := &failing{Reader: raw}
	plain, err := openPlain(from, nil, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, f.damaged(err, from))
	}
	defer plain.Close()
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(plain, head)
	if n == 0 && err != nil && !IsTruncated(err) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", f.Name, f.damaged(err, from))
	}
	return head[:n], nil
}

// IsTruncated reports whether err is caused by a stream that ended too early for its format.
func IsTruncated(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// hashing counts and hashes the bytes read.
type hashing struct {
	r   io.Reader
	sum hash.Hash
	n   *atomic.Int64
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.sum.Write(p[:n]) // never fails, as hash.Hash promises
	h.n.Add(int64(n))
	return n, err
}

// reader is the decompressed content of a file that is being read.
type reader struct {
	io.ReadCloser
	file *File
	raw  io.ReadCloser
	from *failing
	hash *hashing
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	return n, r.file.damaged(err, r.from)
}

func (r *reader) Close() error {
	err := r.ReadCloser.Close()
	if _, drain := io.Copy(io.Discard, r.hash); drain == nil || IsTruncated(drain) {
		r.file.sha256 = hex.EncodeToString(r.hash.sum.Sum(nil))
	}
	return errors.Join(err, r.raw.Close())
}

// stoppable reads until its context is done.
type stoppable struct {
	ctx context.Context
	io.ReadCloser
}

func (r *stoppable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p)
}
