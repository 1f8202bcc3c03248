package google2019

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unsafe"
)

// maxDepth bounds the nesting of values; the trace stays below 4.
const maxDepth = 16

// scanner reads the fields of a JSON object that are asked for, and passes over the others.
type scanner struct {
	b      []byte
	at     int
	places map[string]place
	key    func(key string) // is told the keys of the outermost object; may be nil
}

var errEnds = errors.New("the object does not end")

// line reads an object that fills a line.
func (s *scanner) line(c *cells) error {
	s.blanks()
	if err := s.object(c, 0); err != nil {
		return err
	}
	if s.blanks(); s.at < len(s.b) {
		return fmt.Errorf("%.20q behind the object", s.b[s.at:])
	}
	return nil
}

func (s *scanner) blanks() {
	for s.at < len(s.b) && (s.b[s.at] == ' ' || s.b[s.at] == '\t' || s.b[s.at] == '\r' || s.b[s.at] == '\n') {
		s.at++
	}
}

// next passes over blanks and returns the byte behind them, 0 at the end.
func (s *scanner) next() byte {
	s.blanks()
	if s.at == len(s.b) {
		return 0
	}
	return s.b[s.at]
}

// object reads an object: at depth 0 the record, at depth 1 its resource_request.
func (s *scanner) object(c *cells, depth int) error {
	if s.next() != '{' {
		return errors.New("no JSON object")
	}
	s.at++
	for first := true; ; first = false {
		switch b := s.next(); {
		case b == '}':
			s.at++
			return nil
		case b == 0:
			return errEnds
		case b == ',' && !first:
			s.at++
		case !first:
			return fmt.Errorf("%q where a comma was expected", b)
		}
		if s.next() != '"' {
			return fmt.Errorf("byte %d: no key", s.at)
		}
		key, err := s.text()
		if err != nil {
			return err
		}
		if s.key != nil && depth == 0 {
			s.key(key)
		}
		if s.next() != ':' {
			return fmt.Errorf("no value for %.40q", key)
		}
		s.at++
		if err := s.value(c, key, depth); err != nil {
			return err
		}
	}
}

// value reads the value after a key.
func (s *scanner) value(c *cells, key string, depth int) error {
	if depth == 1 {
		key = "resource_request." + key
	}
	p, ok := s.places[key]
	switch b := s.next(); {
	case ok && p.col == colRequest && b == '{' && depth == 0:
		return s.object(c, 1)
	case b == '"':
		text, err := s.text()
		if ok && err == nil {
			c.set(p.col, p.rank, text)
		}
		return err
	default:
		from := s.at
		if err := s.skip(0); err != nil {
			return err
		}
		if ok {
			c.set(p.col, p.rank, view(bytes.TrimSpace(s.b[from:s.at])))
		}
		return nil
	}
}

// text reads a string.
func (s *scanner) text() (string, error) {
	from := s.at
	s.at++
	escaped := false
	for {
		i := bytes.IndexByte(s.b[s.at:], '"')
		if i < 0 {
			s.at = len(s.b)
			return "", errEnds
		}
		// A quote behind an odd number of backslashes is part of the string.
		slashes := 0
		for k := s.at + i - 1; k > from && s.b[k] == '\\'; k-- {
			slashes++
		}
		escaped = escaped || bytes.IndexByte(s.b[s.at:s.at+i], '\\') >= 0
		s.at += i + 1
		if slashes%2 == 0 {
			break
		}
	}
	if !escaped {
		return view(s.b[from+1 : s.at-1]), nil
	}
	var text string
	if err := json.Unmarshal(s.b[from:s.at], &text); err != nil {
		return "", fmt.Errorf("text %.40q: %w", s.b[from:s.at], err)
	}
	return text, nil
}

// skip passes over a value.
func (s *scanner) skip(depth int) error {
	if depth > maxDepth {
		return errors.New("too deep")
	}
	switch b := s.next(); b {
	case '"':
		_, err := s.text()
		return err
	case '{', '[':
		return s.skipInside(b+2, depth) // the closing bracket is two behind the opening one
	case 0:
		return errEnds
	default:
		from := s.at
		for s.at < len(s.b) && bytes.IndexByte([]byte(",]} \t\r\n\":[{"), s.b[s.at]) < 0 {
			s.at++
		}
		if token := s.b[from:s.at]; !json.Valid(token) {
			return fmt.Errorf("%.40q is no value", token)
		}
		return nil
	}
}

// skipInside passes over the members of a list or an object.
func (s *scanner) skipInside(closing byte, depth int) error {
	s.at++
	for first := true; ; first = false {
		switch b := s.next(); {
		case b == closing:
			s.at++
			return nil
		case b == 0:
			return errEnds
		case b == ',' && !first:
			s.at++
		case !first:
			return fmt.Errorf("%q where a comma was expected", b)
		}
		if closing == '}' {
			if s.next() != '"' {
				return fmt.Errorf("byte %d: no key", s.at)
			}
			if _, err := s.text(); err != nil {
				return err
			}
			if s.next() != ':' {
				return fmt.Errorf("byte %d: no value", s.at)
			}
			s.at++
		}
		if err := s.skip(depth + 1); err != nil {
			return err
		}
	}
}

// view is b as a string that is not kept beyond the record.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
