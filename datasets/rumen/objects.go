package rumen

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"racecard/datasets/source"
)

// maxObject bounds the bytes of one object, and so what a bracket that never closes costs. Jobs of 25,000 tasks stay
// below it when they are pretty-printed, of 60,000 when they are not.
const maxObject = source.MaxLine

// maxStray bounds the bytes that are kept of text outside objects: as much as a reject shows.
const maxStray = 4096

// condition describes a finding in the stream.
type condition uint8

const (
	whole   condition = iota // as many brackets closed as opened
	broken                   // another job begins before this one ended
	stray                    // something else between objects
	tooLong                  // more than maxObject
	cut                      // the stream ends inside
)

// objects splits a stream into the objects that stand in it one behind the other.
type objects struct {
	r     *bufio.Reader
	keys  map[string]bool // fields with which a job begins
	max   int
	array bool   // the objects are elements of an array
	buf   []byte // the object, as much of it as fits
	total int64  // its length
	line  int64  // of the next byte
	err   error
}

func newObjects(r io.Reader, max int) *objects {
	return &objects{r: bufio.NewReaderSize(r, 256<<10), keys: jobKeys(), max: max, line: 1}
}

// next finds the next element and returns its first line; its text is in buf until the next call. It returns
// false at the end of the stream, with a nil err if the stream ended properly.
func (o *objects) next() (c condition, line int64, ok bool) {
	o.buf, o.total = o.buf[:0], 0
	first := o.line == 1
	for {
		b, err := o.r.ReadByte()
		if err != nil {
			if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				o.err = err
			}
			return 0, o.line, false
		}
		switch b {
		case '\n':
			o.line++
			fallthrough
		case ' ', '\t', '\r', ',':
			continue
		case '[', ']': // of an array of jobs; more of them mean nothing
			if (b == '[') != o.array {
				o.array = b == '['
				continue
			}
		case 0xef:
			if mark, err := o.r.Peek(2); first && err == nil && string(mark) == "\xbb\xbf" {
				_, _ = o.r.Discard(2) // they are buffered
				continue
			}
		}
		_ = o.r.UnreadByte() // after a ReadByte it cannot fail
		line = o.line
		if b == '{' {
			return o.object(), line, true
		}
		o.text()
		return stray, line, true
	}
}

// take moves buffered bytes on, and keeps them up to so many in all.
func (o *objects) take(chunk []byte, most int) {
	o.total += int64(len(chunk))
	o.buf = append(o.buf, chunk[:max(0, min(len(chunk), most-len(o.buf)))]...)
	_, _ = o.r.Discard(len(chunk)) // they are buffered
}

// fill returns the buffered bytes, at least one, or false at the end of the stream.
func (o *objects) fill() ([]byte, bool) {
	if o.r.Buffered() == 0 {
		if _, err := o.r.Peek(1); err != nil {
			if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				o.err = err
			}
			return nil, false
		}
	}
	chunk, _ := o.r.Peek(o.r.Buffered()) // buffered: no error
	return chunk, true
}

// text reads text outside objects, up to the start of the next job.
func (o *objects) text() {
	for {
		chunk, ok := o.fill()
		if !ok {
			return
		}
		i := bytes.IndexByte(chunk, '{')
		before := chunk
		if i >= 0 {
			before = chunk[:i]
		}
		o.line += int64(bytes.Count(before, []byte{'\n'}))
		o.take(before, maxStray)
		if i >= 0 {
			if o.jobBegins() {
				return
			}
			brace, _ := o.r.Peek(1) // it was there
			o.take(brace, maxStray)
		}
	}
}

// object takes an object. Brackets are counted outside of strings only. Where a line begins like a job, the one before
// it has lost its end: no object inside a job begins like one.
func (o *objects) object() condition {
	depth, quoted, escaped := 0, false, false
	for {
		chunk, ok := o.fill()
		if !ok {
			return cut
		}
		n := 0 // bytes looked at
		for ends := false; n < len(chunk) && !ends; n++ {
			switch b := chunk[n]; {
			case escaped:
				escaped = false
				ends = b == '\n'
			case b == '\n':
				ends = true
			case quoted:
				escaped = b == '\\'
				quoted = b != '"'
			case b == '"':
				quoted = true
			case b == '{' || b == '[':
				depth++
			case b == '}' || b == ']':
				depth--
				ends = depth == 0
			}
		}
		newline := chunk[n-1] == '\n'
		o.take(chunk[:n], o.max)
		switch {
		case newline:
			o.line++
			quoted = false // JSON strings end on their line
			if o.jobBegins() {
				return broken
			}
		case depth == 0:
			if o.total > int64(o.max) {
				return tooLong
			}
			return whole
		}
	}
}

// jobBegins looks ahead for an object whose first field is one of a job.
func (o *objects) jobBegins() bool {
	const lookAhead = 256
	ahead, _ := o.r.Peek(lookAhead) // less than asked for at the end of the stream
	ahead, ok := bytes.CutPrefix(bytes.TrimLeft(ahead, " \t\r\n"), []byte{'{'})
	if !ok {
		return false
	}
	ahead, ok = bytes.CutPrefix(bytes.TrimLeft(ahead, " \t\r\n"), []byte{'"'})
	if !ok {
		return false
	}
	key, _, ok := bytes.Cut(ahead, []byte{'"'})
	if !ok {
		return false
	}
	_, ok = o.keys[string(key)]
	return ok
}
