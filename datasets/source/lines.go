package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line, in bytes, that readers take. Longer ones become rejects; memory stays bounded by it.
const MaxLine = 64 << 20

// byteOrderMark is the byte-order mark of UTF-8.
var byteOrderMark = []byte("\ufeff")

// Lines splits a stream into lines. Both LF and CRLF end a line, and neither is part of it. A byte-order mark at the
// start of a line is dropped: files that begin with one may have been joined.
type Lines struct {
	r       *bufio.Reader
	buf     []byte
	max     int
	number  int64
	tooLong bool
	cut     bool
	err     error
}

// NewLines returns a splitter that holds at most max bytes of a line; 0 means [MaxLine].
func NewLines(r io.Reader, max int) *Lines {
	if max == 0 {
		max = MaxLine
	}
	return &Lines{r: bufio.NewReaderSize(r, 256<<10), max: max}
}

// Next reads the next line and reports whether there is one. After false, [Lines.Err] returns the error, if any.
func (l *Lines) Next() bool {
	l.buf, l.tooLong = l.buf[:0], false
	if l.err != nil {
		return false
	}
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.buf)+len(part) > l.max+2 {
			l.tooLong = true
			l.buf = append(l.buf, part[:max(0, min(len(part), maxRaw-len(l.buf)))]...)
			l.buf = l.buf[:min(len(l.buf), maxRaw)]
		} else if !l.tooLong {
			l.buf = append(l.buf, part...)
		}
		switch {
		case err == nil:
			l.trim()
			l.number++
			return true
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		default:
			l.err = err
			// A decompressor that fails in the middle of a line leaves a part of it. A plain last line without a
			// newline is taken as whole.
			l.cut = !errors.Is(err, io.EOF)
			if len(l.buf) == 0 {
				return false
			}
			l.trim()
			l.number++
			return true
		}
	}
}

func (l *Lines) trim() {
	l.buf = bytes.TrimSuffix(l.buf, []byte{'\n'})
	l.buf = bytes.TrimSuffix(l.buf, []byte{'\r'})
	l.buf = bytes.TrimPrefix(l.buf, byteOrderMark)
}

// Bytes returns the line, valid until the next call of Next. Of a line that is too long it holds the first 4 KiB.
func (l *Lines) Bytes() []byte { return l.buf }

// Number returns the number of the line, from 1.
func (l *Lines) Number() int64 { return l.number }

// TooLong reports whether the line was longer than the limit.
func (l *Lines) TooLong() bool { return l.tooLong }

// Last reports whether the stream ended with this line, without a line end.
func (l *Lines) Last() bool { return l.err != nil }

// Cut reports whether the stream broke off inside this line, by an error other than the end of the stream.
func (l *Lines) Cut() bool { return l.cut }

// Err returns the error that ended the stream, nil when it simply ended.
func (l *Lines) Err() error {
	if errors.Is(l.err, io.EOF) && !errors.Is(l.err, io.ErrUnexpectedEOF) {
		return nil
	}
	return l.err
}
