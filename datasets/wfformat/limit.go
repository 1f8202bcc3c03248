package wfformat

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// limit reads on for so many bytes without a rest, then fails. Decoding rests between elements, so it bounds their
// length. It also keeps what a reject shows and says of the text what the decoder does not.
type limit struct {
	r    io.Reader
	left int
	size int
	err  error // that ended the stream, other than its end

	head    []byte // the first bytes
	started bool
	blank   bool // nothing but white space so far
	partial []byte
	bad     bool // bytes that are no UTF-8
}

// headSize is how much of a document is kept for its reject.
const headSize = 4096

var errTooLong = errors.New("an element of the document is too long")

// Read reads no more than is left. A byte-order mark at the start is dropped.
func (l *limit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		l.err = errTooLong
		return 0, errTooLong
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	if err != nil && err != io.EOF { //nolint:errorlint // io.EOF itself is the end; errors that wrap it are not
		l.err = err
	}
	if n == 0 {
		return 0, err
	}
	l.left -= n
	if !l.started {
		l.started = true
		n = copy(p, bytes.TrimPrefix(p[:n], []byte("\ufeff")))
	}
	l.head = append(l.head, p[:min(n, headSize-len(l.head))]...)
	l.blank = l.blank && len(bytes.TrimSpace(p[:n])) == 0
	l.check(p[:n])
	return n, err
}

// check looks for bytes that are no UTF-8; a rune may end in the next chunk.
func (l *limit) check(chunk []byte) {
	for len(l.partial) > 0 && len(chunk) > 0 && !utf8.FullRune(l.partial) {
		l.partial = append(l.partial, chunk[0])
		chunk = chunk[1:]
	}
	if len(l.partial) > 0 && utf8.FullRune(l.partial) {
		l.bad = l.bad || !utf8.Valid(l.partial)
		l.partial = l.partial[:0]
	}
	end := len(chunk)
	for back := 1; back <= min(utf8.UTFMax-1, len(chunk)); back++ {
		if b := chunk[len(chunk)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(chunk[len(chunk)-back:]) {
				end = len(chunk) - back
			}
			break
		}
	}
	l.bad = l.bad || !utf8.Valid(chunk[:end])
	l.partial = append(l.partial, chunk[end:]...)
}

// utf8Whole reports whether all that was read is UTF-8.
func utf8Whole(l *limit) bool { return !l.bad && len(l.partial) == 0 }
