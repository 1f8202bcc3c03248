package source

import (
	"archive/tar"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// WarnDamaged is the kind of the warning of a file that was passed over because it is damaged.
const WarnDamaged = "file damaged"

// DamagedError is returned for compressed content, and for archives, that cannot be read, but do not simply end early.
type DamagedError struct {
	File *File
	Err  error
}

// Error tells the damage and the remedy.
func (e *DamagedError) Error() string {
	text := e.Err.Error() + ": the compressed content is damaged: copy the file again"
	if errors.Is(e.Err, tar.ErrHeader) {
		text = e.Err.Error() + ": the archive is damaged: copy it again"
	}
	tests := map[string]string{".gz": "gzip", ".tgz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bzip2",
		".lz4": "lz4"}
	if test := tests[strings.ToLower(path.Ext(e.File.Name))]; test != "" {
		text += "; `" + test + " -t` tests a copy"
	}
	return text
}

// Unwrap returns the damage.
func (e *DamagedError) Unwrap() error { return e.Err }

// failing remembers the error of reading raw content: if reading failed, the compressed content is not damaged.
type failing struct {
	io.Reader
	err error
}

func (r *failing) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// damaged returns the error of reading content decompressed from raw, as a [DamagedError] where it is one.
func (f *File) damaged(err error, raw *failing) error {
	if err == nil || raw.err != nil || errors.Is(err, io.EOF) || IsTruncated(err) || errors.Is(err, errUnsupported) ||
		errors.As(err, new(*EncodingError)) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return err
	}
	return &DamagedError{f, err}
}
