package fetch

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5" // some publishers give nothing else; it shows damage, not forgery
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// measured holds the observed properties of a file.
type measured struct {
	bytes  int64
	sha256 string
	md5    string // of use where the publisher gives one
}

// measure reads a file of the folder and computes its checksums.
func (t *target) measure(ctx context.Context, name string) (measured, error) {
	f, err := t.root.Open(name)
	if err != nil {
		return measured{}, t.local(err)
	}
	defer f.Close()
	long, short := sha256.New(), md5.New()
	sums := io.Writer(long)
	if t.file.MD5 != "" {
		sums = io.MultiWriter(long, short)
	}
	n, err := io.Copy(sums, &reading{ctx, f})
	switch {
	case ctx.Err() != nil:
		return measured{}, ctx.Err()
	case err != nil:
		return measured{}, t.local(err)
	}
	return measured{n, hex.EncodeToString(long.Sum(nil)), hex.EncodeToString(short.Sum(nil))}, nil
}

// reading stops when ctx is done.
type reading struct {
	ctx context.Context
	r   io.Reader
}

func (r *reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// compare returns an error that describes how a file differs from its published properties, or nil.
func (m measured) compare(f File) error {
	switch {
	case f.SHA256 != "" && m.sha256 != f.SHA256:
		return &ChecksumError{"sha256", m.sha256, f.SHA256}
	case f.MD5 != "" && m.md5 != f.MD5:
		return &ChecksumError{"md5", m.md5, f.MD5}
	case f.Size > 0 && m.bytes != f.Size:
		return fmt.Errorf("it has %d bytes, published are %d", m.bytes, f.Size)
	}
	return nil
}

// kind is how files with an ending begin and, where one can tell, end.
type kind struct {
	endings []string
	magic   string
	what    string
	// whole returns an error if the end of a file is damaged, nil if it is intact or cannot be judged.
	whole func(ctx context.Context, f *os.File, size int64) error
}

var kinds = []kind{
	{[]string{".gz", ".tgz"}, "\x1f\x8b", "gzip", wholeGzip},
	{[]string{".zip"}, "PK\x03\x04", "zip", wholeZip},
	{[]string{".parquet"}, "PAR1", "Parquet", wholeParquet},
	{[]string{".zst"}, "\x28\xb5\x2f\xfd", "zstd", nil},
	{[]string{".bz2"}, "BZh", "bzip2", nil},
}

// kindOf returns the kind of a file, nil when it is text.
func kindOf(path string) *kind {
	for i, k := range kinds {
		for _, e := range k.endings {
			if strings.HasSuffix(path, e) {
				return &kinds[i]
			}
		}
	}
	return nil
}

// headSize is how many of the first bytes are looked at.
const headSize = 512

// wrongKind describes the content of a file whose first bytes do not fit its name; it returns "" if they fit.
// Captive portals, log-in pages and broken servers answer with a web page and status 200; hosts of git
// repositories over their quota answer with a pointer file.
func wrongKind(path string, head []byte) string {
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	k := kindOf(path)
	switch {
	case strings.HasPrefix(text, "<"):
		return "a web page, not the file: a log-in, a captive portal or a proxy may be in the way"
	case strings.HasPrefix(text, "version https://git-lfs.github.com/spec/"):
		return "a Git LFS pointer, not the file: the repository may be over its quota"
	case k != nil && !bytes.HasPrefix(head, []byte(k.magic)) && !strings.HasPrefix(k.magic, string(head)):
		return fmt.Sprintf("not a %s file: it begins with %.20q", k.what, head)
	}
	return ""
}

// whole checks that a file of a kind that can tell has not been cut.
func (t *target) whole(ctx context.Context, name string, size int64) error {
	k := kindOf(t.file.Path)
	if k == nil || k.whole == nil {
		return nil
	}
	f, err := t.root.Open(name)
	if err != nil {
		return t.local(err)
	}
	defer f.Close()
	if err := k.whole(ctx, f, size); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return lasting("the %s file that arrived is damaged or cut: %w; it was removed", k.what, err)
	}
	return nil
}

func wholeGzip(ctx context.Context, f *os.File, _ int64) error {
	z, err := gzip.NewReader(&reading{ctx, f})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, z)
	return err
}

func wholeZip(_ context.Context, f *os.File, size int64) error {
	_, err := zip.NewReader(f, size)
	return err
}

func wholeParquet(_ context.Context, f *os.File, size int64) error {
	end := make([]byte, 4)
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return err
	}
	if string(end) != "PAR1" {
		return errors.New("it does not end with PAR1")
	}
	return nil
}
