package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// EncodingError is returned for text in an encoding other than UTF-8, with a command to convert it.
type EncodingError struct {
	Encoding string // as iconv calls it
}

// Error names the encoding and the remedy.
func (e *EncodingError) Error() string {
	return fmt.Sprintf("text in %[1]s, of which only UTF-8 is read: convert it first, for example with `iconv -f "+
		"%[1]s -t UTF-8`", e.Encoding)
}

// encoding returns in which encoding other than UTF-8 a text is, going by its first bytes: a byte-order mark, or
// letters with zeros between them. It returns "" for anything else.
func encoding(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(head, []byte{0, 0, 0xfe, 0xff}):
		return "UTF-32"
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return "UTF-16"
	case spaced(head, 0):
		return "UTF-16LE"
	case spaced(head, 1):
		return "UTF-16BE"
	}
	return ""
}

// sniffed is the number of bytes that encoding inspects.
const sniffed = 8

// spaced reports whether the bytes from an offset are ASCII text and zeros by turns.
func spaced(head []byte, from int) bool {
	if len(head) < sniffed {
		return false
	}
	for i, b := range head[:sniffed] {
		if letter := b == '\t' || b == '\r' || b == '\n' || b >= ' ' && b < 0x7f; letter != (i%2 == from) || !letter &&
			b != 0 {
			return false
		}
	}
	return true
}

// openPlain returns the decompressed content of r, unless it is text in another encoding than UTF-8: an
// [*EncodingError]. In text whose lines end with CR alone, as some spreadsheets write it, they end with LF instead.
// With lineEnd, content that was not compressed breaks off behind a last line without an end.
func openPlain(r io.Reader, n *notes, lineEnd bool) (io.ReadCloser, error) {
	plain, err := decompress(r, n)
	if err != nil {
		return nil, err
	}
	var text io.Reader = bufio.NewReaderSize(plain, HeadSize)
	head, _ := text.(*bufio.Reader).Peek(HeadSize) // an error comes again with the next read
	if e := encoding(head); e != "" {
		plain.Close()
		return nil, &EncodingError{e}
	}
	if bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, 0) < 0 {
		text = carriageReturns{text}
	}
	if _, as := plain.(uncompressed); as && lineEnd {
		text = &endedLines{r: text, last: '\n'}
	}
	return struct {
		io.Reader
		io.Closer
	}{text, plain}, nil
}

// carriageReturns reads CR as LF.
type carriageReturns struct{ io.Reader }

func (r carriageReturns) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// endedLines breaks off behind a last line without an end.
type endedLines struct {
	r    io.Reader
	last byte
}

func (e *endedLines) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if n > 0 {
		e.last = p[n-1]
	}
	if errors.Is(err, io.EOF) && !IsTruncated(err) && e.last != '\n' {
		err = errNoLineEnd
	}
	return n, err
}

// errNoLineEnd is the error of a file that may still grow, and whose last line may go on.
var errNoLineEnd = fmt.Errorf("its last line has no line end, and may be cut off inside a number: %w", io.ErrUnexpectedEOF)

// Blank reports whether a line holds nothing but white space.
func Blank(line []byte) bool {
	return len(line) == 0 || line[0] <= ' ' && len(bytes.TrimSpace(line)) == 0
}

// NotText returns reason and detail of the reject of a line that cannot be read as text: it is not UTF-8, or holds NUL
// bytes. The reason of a line that is text is "".
func NotText(line []byte) (reason, detail string) {
	switch {
	case !utf8.Valid(line):
		return ReasonNotUTF8, "bytes that are no UTF-8"
	case bytes.IndexByte(line, 0) >= 0:
		return ReasonNotText, "NUL bytes: the file is damaged here, or is no text"
	}
	return "", ""
}

// Bounds on the content of one JSON record: a few bytes of text become up to a few hundred in memory.
const (
	MaxObjects = 1 << 19
	MaxValues  = 1 << 23
)

// TooManyValues returns reason and detail of the reject of a JSON record that holds more than [MaxObjects] objects or
// [MaxValues] values, and "" for any other. Call it before decoding the record.
func TooManyValues(record []byte) (reason, detail string) {
	switch {
	case bytes.Count(record, []byte{'{'}) > MaxObjects:
		return ReasonTooMany, fmt.Sprintf("more than %d objects in one record; divide the run", MaxObjects)
	case bytes.Count(record, []byte{','}) >= MaxValues:
		return ReasonTooMany, fmt.Sprintf("more than %d values in one record; divide the run", MaxValues)
	}
	return "", ""
}
