package source

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
)

// isTar reports whether content that begins with head is a tar archive.
func isTar(head []byte) bool { return len(head) >= 512 && bytes.Equal(head[257:262], []byte("ustar")) }

// Members returns the files in f when its decompressed content is a tar archive, in the archive's order, and f itself
// when it is not one. Members that are no plain files, such as links, are passed over. An archive that ends early has
// the members up to the break; the last of them breaks off, too, so that its reader notices. Bytes behind the end, such
// as a second archive, are noted. The error of a damaged archive is a [DamagedError].
func (f *File) Members(ctx context.Context) (Found, error) {
	head, err := f.Head(ctx)
	if err != nil || !isTar(head) {
		return Found{Files: []*File{f}}, ctx.Err() // a file that cannot be opened is reported when it is read
	}
	if f.Once() {
		return Found{}, &ReopenedError{f.Name}
	}
	var found Found
	c := &cursor{archive: f}
	defer c.close()
	for i := 0; ; i++ {
		header, err := c.seek(ctx, i)
		if errors.Is(err, io.EOF) && !IsTruncated(err) {
			// Behind the end of the archive is the checksum of its compression.
			err = trailing(c.stream, &f.notes, NoteBehind, "")
		}
		switch {
		case errors.Is(err, io.EOF) && !IsTruncated(err):
			return found, nil
		case IsTruncated(err) && len(found.Files) > 0:
			found.Files[len(found.Files)-1].breakOff(fmt.Errorf("the archive breaks off: %w", err))
			return found, nil
		case IsTruncated(err):
			return found, fmt.Errorf("%s: the archive breaks off before the content of its first file", f.Name)
		case err != nil && c.from != nil:
			return found, fmt.Errorf("%s: %w", f.Name, f.damaged(err, c.from))
		case err != nil:
			return found, fmt.Errorf("%s: %w", f.Name, err)
		}
		name := shown(f.Name + ":" + path.Clean(header.Name))
		switch {
		case header.Typeflag == tar.TypeDir || header.Typeflag == tar.TypeXGlobalHeader ||
			skipped(path.Base(header.Name)):
			continue
		case header.Typeflag != tar.TypeReg && header.Typeflag != tar.TypeCont && header.Typeflag != tar.TypeGNUSparse:
			found.pass(name, tarKind(header.Typeflag))
			continue
		}
		member := &File{Name: name, Size: header.Size, Modified: header.ModTime.UnixNano(), Readable: f.Readable,
			Transient: f.Transient, archive: f}
		member.open = func(ctx context.Context) (io.ReadCloser, error) {
			// Members are read in order, so the cursor only moves forward; it starts again for one that was passed.
			if _, err := c.seek(ctx, i); err != nil {
				return nil, err
			}
			return io.NopCloser(c.tar), nil
		}
		found.Files = append(found.Files, member)
	}
}

// tarKind names the kind of an archive member that is not a plain file.
func tarKind(flag byte) string {
	switch flag {
	case tar.TypeLink, tar.TypeSymlink:
		return kindLink
	case tar.TypeChar, tar.TypeBlock:
		return kindDevice
	case tar.TypeFifo:
		return kindPipe
	}
	return kindOther
}

// breakOff makes the end of the raw content an error.
func (f *File) breakOff(err error) {
	open := f.open
	f.open = func(ctx context.Context) (io.ReadCloser, error) {
		raw, e := open(ctx)
		if e != nil {
			return nil, e
		}
		return &breaking{raw, err}, nil
	}
}

// breaking is content whose end is an error.
type breaking struct {
	io.ReadCloser
	err error
}

func (b *breaking) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) || IsTruncated(err) {
		err = b.err
	}
	return n, err
}

// cursor is a place in a tar archive.
type cursor struct {
	archive *File
	raw     *stoppable // of the archive
	from    *failing   // raw; nil before it is open
	stream  io.ReadCloser
	tar     *tar.Reader
	next    int
}

// seek moves to the start of member i. What is read from there on is read until ctx is done.
func (c *cursor) seek(ctx context.Context, i int) (*tar.Header, error) {
	if c.stream == nil || i < c.next {
		c.close()
		raw, err := c.archive.open(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		c.raw = &stoppable{ctx, raw}
		c.from = &failing{Reader: c.raw}
		plain, err := decompress(c.from, &c.archive.notes)
		if err != nil {
			raw.Close()
			return nil, err
		}
		c.stream, c.tar, c.next = plain, tar.NewReader(plain), 0
	}
	c.raw.ctx = ctx // that of an earlier member may be done
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
		c.raw.Close()
		c.stream = nil
	}
}
