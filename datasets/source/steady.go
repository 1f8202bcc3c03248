package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// steady reads a plain file as large as it was when it was opened, and notices when it changes meanwhile:
//
//   - A file that holds less than was listed shrank, as by the copytruncate of logrotate. It breaks off where it ends.
//   - A file that grew is read up to its size when it was opened. It breaks off there, unless that is the end of a
//     line.
//   - A file that was written to without growing, or whose beginning is another now, was changed in place: see
//     [NoteChanged].
//
// Files that state no size, as in /proc, are read to their end.
type steady struct {
	fs.File
	of       *File
	size     int64 // when it was opened
	modified time.Time
	at       int64
	last     byte   // that was read
	head     []byte // first bytes that were read
	end      error  // once it was reached
}

// headKept is the number of first bytes that are compared when a file was written to while it was read.
const headKept = 4096

func newSteady(in fs.File, of *File) (*steady, error) {
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if reason := SpecialKind(info.Mode()); reason != "" {
		return nil, fmt.Errorf("%s: it was a plain file, and is now %s", of.Name, reason)
	}
	return &steady{File: in, of: of, size: info.Size(), modified: info.ModTime()}, nil
}

func (s *steady) Read(p []byte) (int, error) {
	if s.end != nil {
		return 0, s.end
	}
	if s.size > 0 {
		p = p[:min(int64(len(p)), s.size-s.at)]
		if len(p) == 0 {
			s.end = s.finish()
			return 0, s.end
		}
	}
	n, err := s.File.Read(p)
	if n > 0 {
		s.last = p[n-1]
		if len(s.head) < headKept {
			s.head = append(s.head, p[:min(n, headKept-len(s.head))]...)
		}
	}
	s.at += int64(n)
	if errors.Is(err, io.EOF) {
		s.end = s.finish()
		err = s.end
	}
	return n, err
}

// finish returns the error that the content ends with: io.EOF when nothing is wrong.
func (s *steady) finish() error {
	if listed := max(s.size, s.of.Size); s.at < listed {
		text := fmt.Sprintf("it had %d bytes, of which %d could be read: import it again from a copy", listed, s.at)
		s.of.notes.add(NoteShrank, text)
		s.of.missing.Store(listed - s.at)
		return fmt.Errorf("the %s: %s: %w", NoteShrank, text, io.ErrUnexpectedEOF)
	}
	info, err := s.Stat()
	if err != nil || info.ModTime().Equal(s.modified) && info.Size() == s.size {
		return io.EOF
	}
	if info.Size() <= s.size || !s.sameHead() {
		s.of.notes.add(NoteChanged, "what was read may be of two versions: import it again from a copy")
		return io.EOF
	}
	s.of.notes.add(NoteGrew,
		fmt.Sprintf("the %d bytes that it had at first were read; there are %d now", s.at, info.Size()))
	if s.size > 0 && s.last != '\n' {
		return fmt.Errorf("the %s: %w", NoteGrew, io.ErrUnexpectedEOF)
	}
	return io.EOF
}

// sameHead reports whether the file still begins as it did.
func (s *steady) sameHead() bool {
	r, ok := s.File.(io.ReaderAt)
	if !ok {
		return true
	}
	head := make([]byte, len(s.head))
	n, _ := r.ReadAt(head, 0) // unreadable bytes count as different
	return bytes.Equal(head[:n], s.head)
}

func (s *steady) tail(n int64) []byte {
	r, ok := s.File.(io.ReaderAt)
	if !ok {
		return nil
	}
	tail := make([]byte, n)
	if got, _ := r.ReadAt(tail, s.size-n); int64(got) < n {
		return nil
	}
	return tail
}

// stoppableFile is a steady file that is read until a context is done.
type stoppableFile struct {
	stoppable
	steady *steady
}

func (f *stoppableFile) tail(n int64) []byte { return f.steady.tail(n) }
