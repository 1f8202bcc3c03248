package source

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/readahead"
)

// File is one input: something with a name that can be opened and read from the start, more than once.
type File struct {
	Name string // as the user named it; members of archives follow a colon
	Size int64  // raw bytes, before decompression; -1 when not known

	// Modified is when the file was written, in nanoseconds of Unix time; 0 when not known.
	Modified int64

	open   func() (io.ReadCloser, error)
	raw    atomic.Int64 // raw bytes read so far by the latest Open
	sha256 string
}

// NewFile returns an input that open can open any number of times, for sources that are not in a file system.
func NewFile(name string, size int64, open func() (io.ReadCloser, error)) *File {
	return &File{Name: name, Size: size, open: open}
}

// BytesFile returns an input of the given content, for samples in memory and tests.
func BytesFile(name string, content []byte) *File {
	return NewFile(name, int64(len(content)), func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	})
}

// Base returns the last element of the name without the endings that only tell the compression.
func (f *File) Base() string {
	base := path.Base(strings.ReplaceAll(f.Name[strings.LastIndexByte(f.Name, ':')+1:], "\\", "/"))
	return trimCompression(base)
}

// Labels returns what files are called where ids must tell them apart: name of each and, where others bear it, too, as many of
// its folders before it as tell it from them. Bytes that are no UTF-8 are replaced.
func Labels(files []*File, name func(*File) string) []string {
	labels := make([]string, len(files))
	folders := make([]string, len(files)) // not yet used
	for i, f := range files {
		folders[i] = path.Dir(strings.ToValidUTF8(strings.NewReplacer("\\", "/", ":", "/").Replace(f.Name), "\ufffd"))
		labels[i] = strings.ToValidUTF8(name(f), "\ufffd")
	}
	for {
		count := map[string]int{}
		for _, label := range labels {
			count[label]++
		}
		changed := false
		for i, label := range labels {
			if folder := path.Base(folders[i]); count[label] > 1 && folder != "." && folder != "/" {
				labels[i] = folder + "/" + label
				folders[i] = path.Dir(folders[i])
				changed = true
			}
		}
		if !changed {
			return labels
		}
	}
}

// IDPrefixes returns what stands before the ids of each file's runs in formats whose ids count from 1 in every file: nothing if
// there is one file, else its label and a colon.
func IDPrefixes(files []*File) []string {
	if len(files) == 1 {
		return []string{""}
	}
	prefixes := Labels(files, (*File).Base)
	for i := range prefixes {
		prefixes[i] += ":"
	}
	return prefixes
}

// RawRead returns how many raw bytes the latest Open has read, for progress. It is safe from any goroutine.
func (f *File) RawRead() int64 { return f.raw.Load() }

// SHA256 returns the checksum of the raw bytes, in hexadecimal, once a reader of the file was closed; before that "".
func (f *File) SHA256() string { return f.sha256 }

// Sum reads the whole file and returns its checksum, as [File.SHA256] does after it was read.
func (f *File) Sum() (string, error) {
	raw, err := f.open()
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

// Open returns the decompressed content. Reading, hashing and decompressing run ahead of the caller in a goroutine of
// their own. Close reads what is left, so that the checksum covers the whole file, and must be called.
func (f *File) Open() (io.ReadCloser, error) {
	raw, err := f.open()
	if err != nil {
		return nil, err
	}
	f.raw.Store(0)
	h := &hashing{r: raw, sum: sha256.New(), n: &f.raw}
	plain, err := openPlain(h)
	if err != nil {
		raw.Close()
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	ahead, err := readahead.NewReadCloserSize(plain, 4, 512<<10)
	if err != nil {
		raw.Close()
		return nil, err
	}
	return &reader{ReadCloser: ahead, file: f, raw: raw, hash: h}, nil
}

// Head returns the first [HeadSize] bytes of the decompressed content, or as many as there are, and behind them, of a
// Parquet file that is larger, the last ones: that is where it names its columns. Content that breaks off is no error here.
func (f *File) Head() ([]byte, error) {
	raw, err := f.open()
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	plain, err := openPlain(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer plain.Close()
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(plain, head)
	if n == 0 && err != nil && !IsTruncated(err) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if seeker, ok := raw.(io.Seeker); ok && n == HeadSize && bytes.HasPrefix(head, []byte("PAR1")) && f.Size > 2*HeadSize {
		tail := make([]byte, HeadSize)
		if _, err := seeker.Seek(-HeadSize, io.SeekEnd); err == nil {
			if n, err := io.ReadFull(raw, tail); err == nil {
				head = append(head, tail[:n]...)
			}
		}
		return head, nil
	}
	return head[:n], nil
}

// IsTruncated reports whether err says that a stream ended before its format allows it to.
func IsTruncated(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

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

type reader struct {
	io.ReadCloser
	file *File
	raw  io.ReadCloser
	hash *hashing
}

func (r *reader) Close() error {
	err := r.ReadCloser.Close()
	if _, drain := io.Copy(io.Discard, r.hash); drain == nil {
		r.file.sha256 = hex.EncodeToString(r.hash.sum.Sum(nil))
	}
	return errors.Join(err, r.raw.Close())
}

// FromFS returns the files at and below root in fsys, in lexical order of their names, members of tar archives included.
// Each name is put behind prefix. Hidden files, checksums beside data (.crc) and markers such as _SUCCESS are passed
// over below root, but not root itself.
func FromFS(fsys fs.FS, root, prefix string) ([]*File, error) {
	var files []*File
	err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != root && skipped(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		shown := prefix
		if name != root {
			shown = path.Join(prefix, strings.TrimPrefix(strings.TrimPrefix(name, root), "/"))
		}
		info, err := fs.Stat(fsys, name) // follows links
		if err != nil {
			return err
		}
		if info.IsDir() {
			return nil
		}
		f := NewFile(shown, info.Size(), func() (io.ReadCloser, error) { return fsys.Open(name) })
		f.Modified = info.ModTime().UnixNano()
		members, err := tarMembers(f)
		if err != nil {
			return err
		}
		if members == nil {
			members = []*File{f}
		}
		files = append(files, members...)
		return nil
	})
	return files, err
}

func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".crc") || name == "_SUCCESS"
}

var compressionEndings = []string{".gz", ".zst", ".zstd", ".bz2", ".lz4", ".snappy", ".inprogress"}

func trimCompression(base string) string {
	for {
		ext := path.Ext(base)
		if ext == base || !slices.Contains(compressionEndings, strings.ToLower(ext)) {
			return base
		}
		base = strings.TrimSuffix(base, ext)
	}
}

// peeker gives a reader whose first bytes can be looked at.
func peeker(r io.Reader) *bufio.Reader {
	if b, ok := r.(*bufio.Reader); ok {
		return b
	}
	return bufio.NewReaderSize(r, 64<<10)
}
