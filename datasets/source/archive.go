package source

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
)

// tarMembers returns the files in f when its decompressed content is a tar archive, in the archive's order, and nil when
// it is not one.
func tarMembers(f *File) ([]*File, error) {
	head, err := f.Head()
	if err != nil || len(head) < 512 || !bytes.Equal(head[257:262], []byte("ustar")) {
		return nil, nil //nolint:nilerr // a file that cannot be opened is reported when it is read
	}
	members := []*File{}
	c := &cursor{archive: f}
	defer c.close()
	for i := 0; ; i++ {
		header, err := c.seek(i)
		if errors.Is(err, io.EOF) {
			return members, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if header.Typeflag != tar.TypeReg || skipped(path.Base(header.Name)) {
			continue
		}
		member := NewFile(f.Name+":"+path.Clean(header.Name), header.Size, func() (io.ReadCloser, error) {
			// Members are read in order, so the cursor only moves forward; it starts again for one that was passed.
			if _, err := c.seek(i); err != nil {
				return nil, err
			}
			return io.NopCloser(c.tar), nil
		})
		member.Modified = header.ModTime.UnixNano()
		members = append(members, member)
	}
}

// cursor is a place in a tar archive.
type cursor struct {
	archive *File
	stream  io.ReadCloser
	tar     *tar.Reader
	next    int
}

// seek moves to the start of member i.
func (c *cursor) seek(i int) (*tar.Header, error) {
	if c.stream == nil || i < c.next {
		c.close()
		raw, err := c.archive.open()
		if err != nil {
			return nil, err
		}
		plain, err := Decompress(raw)
		if err != nil {
			raw.Close()
			return nil, err
		}
		c.stream, c.tar, c.next = plain, tar.NewReader(plain), 0
	}
	for {
		header, err := c.tar.Next()
		if err != nil {
			return nil, err
		}
		c.next++
		if c.next > i {
			return header, nil
		}
	}
}

func (c *cursor) close() {
	if c.stream != nil {
		c.stream.Close()
		c.stream = nil
	}
}
