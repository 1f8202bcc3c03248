package google2019

import (
	"unsafe"

	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/source"
)

// scanner reads the fields of a JSON object that are asked for, and passes over the others.
type scanner struct {
	jsonscan.Scanner
	places map[string]place
	key    func(key string) // is told the keys of the outermost object; may be nil
}

// line reads an object that fills a line.
func (s *scanner) line(c *cells) *source.Fault {
	if s.object(c, 0); s.Bad == nil {
		s.End()
	}
	return s.Bad
}

// object reads an object: at depth 0 the record, at depth 1 its resource_request.
func (s *scanner) object(c *cells, depth int) {
	if s.Peek() != '{' {
		s.Syntax("an object in {}")
		return
	}
	for more := s.Open('{'); more; more = s.More('}') {
		key := view(s.Key())
		if s.key != nil && depth == 0 && s.Bad == nil {
			s.key(key)
		}
		s.value(c, key, depth)
	}
}

// value reads the value after a key.
func (s *scanner) value(c *cells, key string, depth int) {
	if depth == 1 {
		key = "resource_request." + key
	}
	p, ok := s.places[key]
	switch b := s.Peek(); {
	case ok && p.col == colRequest && b == '{' && depth == 0:
		s.object(c, 1)
	case ok && b == '"':
		if text := s.Bytes(); s.Bad == nil {
			c.set(p.col, p.rank, view(text))
		}
	default:
		from := s.At
		if s.Skip(); ok && s.Bad == nil {
			c.set(p.col, p.rank, view(s.Text[from:s.At]))
		}
	}
}

// view is b as a string that is not kept beyond the record.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
