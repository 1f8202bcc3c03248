package philly

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// maxObject bounds the bytes, and so the memory, of one job; the trace stays far below.
const maxObject = 4 << 20

// condition describes a finding in a log.
type condition uint8

const (
	whole   condition = iota // an object, as many brackets closed as opened
	broken                   // an object that has not ended where the next job begins
	stray                    // something else where an object should begin
	tooLong                  // an object of more than maxObject bytes
	cut                      // the log ends inside an object, or before its array does
)

// objects takes a log apart into the objects of its array, or those that stand one behind the other.
type objects struct {
	r     *bufio.Reader
	max   int
	buf   []byte // the object, the first max bytes of it
	long  bool   // it is longer
	line  int64  // of the next byte
	array bool   // the array of the objects is open
	err   error  // ended the stream, if it did not simply end
}

func newObjects(r io.Reader, max int) *objects {
	o := &objects{r: bufio.NewReaderSize(r, 256<<10), max: max, line: 1}
	if mark, err := o.r.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = o.r.Discard(3) // they are buffered
	}
	return o
}

// next finds the next element and its first line. Its text is in buf until the next call. It returns false at
// the end.
func (o *objects) next() (c condition, line int64, ok bool) {
	o.buf, o.long = o.buf[:0], false
	for {
		b, ok := o.peek()
		if !ok {
			unended := o.array
			o.array = false
			return cut, o.line, unended || o.err != nil
		}
		switch b {
		case ' ', '\t', '\r', '\n', ',':
			o.take(1)
			continue
		case '[', ']': // of the array; more of them mean nothing
			if (b == '[') != o.array {
				o.array = b == '['
				o.take(1)
				continue
			}
		}
		o.buf = o.buf[:0]
		line := o.line
		if b == '{' {
			return o.object(), line, true
		}
		o.text()
		return stray, line, true
	}
}

// peek returns the next byte, and false at the end of the stream.
func (o *objects) peek() (byte, bool) {
	if o.err != nil {
		return 0, false
	}
	b, err := o.r.Peek(1)
	if err != nil {
		if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			o.err = err
		}
		return 0, false
	}
	return b[0], true
}

// take moves n buffered bytes on; it keeps them while they fit and counts lines.
func (o *objects) take(n int) {
	chunk, _ := o.r.Peek(n) // buffered: no error
	o.line += int64(bytes.Count(chunk, []byte{'\n'}))
	fits := min(n, o.max-len(o.buf))
	o.long = o.long || fits < n
	o.buf = append(o.buf, chunk[:fits]...)
	_, _ = o.r.Discard(n)
}

// text reads text outside objects, up to the next possible object or the end of the array.
func (o *objects) text() {
	stop := "{\n"
	if o.take(1); o.array {
		stop += "]"
	}
	for {
		if _, ok := o.peek(); !ok {
			return
		}
		chunk, _ := o.r.Peek(o.r.Buffered())
		if i := bytes.IndexAny(chunk, stop); i >= 0 {
			o.take(i)
			return
		}
		o.take(len(chunk))
	}
}

// object takes an object. Brackets count outside of strings only, and strings end on their line.
func (o *objects) object() condition {
	depth, quoted, escaped := 0, false, false
	for {
		if _, ok := o.peek(); !ok {
			o.array = false // that it does not end either goes without saying
			return cut
		}
		chunk, _ := o.r.Peek(o.r.Buffered())
		n, check, ended := 0, false, false
		for ; n < len(chunk) && !check && !ended; n++ {
			switch b := chunk[n]; {
			case b == '\n':
				quoted, escaped = false, false
			case escaped:
				escaped = false
			case quoted:
				escaped = b == '\\'
				quoted = b != '"'
			case b == '"':
				quoted = true
			case b == '{' && depth > 0:
				check = true
				n-- // look at what it begins before it is taken
			case b == '{' || b == '[':
				depth++
			case b == '}' || b == ']':
				depth--
				ended = depth == 0
			}
		}
		o.take(n)
		switch {
		case check && o.jobBegins():
			return broken
		case check:
			o.take(1)
			depth++
		case ended && o.long:
			return tooLong
		case ended:
			return whole
		}
	}
}

// jobBegins looks at an object inside another: one whose first field is a field of jobs was not meant to be there.
func (o *objects) jobBegins() bool {
	const lookAhead = 64
	ahead, _ := o.r.Peek(lookAhead) // less than asked for at the end of the stream
	ahead = bytes.TrimLeft(ahead[1:], " \t\r\n")
	keys := []string{`"status"`, `"vc"`, `"jobid"`, `"attempts"`, `"submitted_time"`, `"user"`}
	return slices.ContainsFunc(keys, func(key string) bool { return bytes.HasPrefix(ahead, []byte(key)) })
}
