package jsonl

import (
	"unsafe"
)

// once notes that a field was seen.
func (s *scanner) once(seen *uint32, field int) {
	s.bad = s.bad || *seen&(1<<field) != 0
	*seen |= 1 << field
}

// open enters an object or a list, which must be next, and reports whether it holds anything.
func (s *scanner) open(bracket byte) bool {
	if s.Peek() != bracket {
		s.bad = true
		return false
	}
	return s.Open(bracket)
}

func (s *scanner) text(seen *uint32, field int) string {
	s.once(seen, field)
	return s.plain()
}

// plain reads a text.
func (s *scanner) plain() string {
	text := s.Bytes()
	return unsafe.String(unsafe.SliceData(text), len(text))
}

func (s *scanner) texts(seen *uint32, field int) []string {
	s.once(seen, field)
	out := []string{}
	for more := s.open('['); more; more = s.More(']') {
		out = append(out, s.plain())
	}
	return out
}

// float reads a number or null.
func (s *scanner) float(seen *uint32, field int) *float64 {
	s.once(seen, field)
	if s.Null() {
		return nil
	}
	s.floats = append(s.floats, s.decimal())
	return &s.floats[len(s.floats)-1]
}

// whole reads a whole number or null.
func (s *scanner) whole(seen *uint32, field int) *whole {
	s.once(seen, field)
	if s.Null() {
		return nil
	}
	var w whole
	raw := s.Number()
	s.bad = s.bad || raw == nil || w.UnmarshalJSON(raw) != nil
	s.wholes = append(s.wholes, w)
	return &s.wholes[len(s.wholes)-1]
}

func (s *scanner) truth(seen *uint32, field int) *bool {
	s.once(seen, field)
	switch s.Peek() {
	case 't':
		s.Literal("true")
		s.bools = append(s.bools, true)
	case 'f':
		s.Literal("false")
		s.bools = append(s.bools, false)
	default:
		s.bad = !s.Null() || s.bad
		return nil
	}
	return &s.bools[len(s.bools)-1]
}

func (s *scanner) index(seen *uint32, field int) *int {
	s.once(seen, field)
	if s.Null() {
		return nil
	}
	s.ints = append(s.ints, s.integer())
	return &s.ints[len(s.ints)-1]
}

func (s *scanner) indices(seen *uint32, field int) []int {
	s.once(seen, field)
	from := len(s.ints)
	for more := s.open('['); more; more = s.More(']') {
		s.ints = append(s.ints, s.integer())
	}
	return s.ints[from:len(s.ints):len(s.ints)]
}

// integer reads a number without a point and an exponent.
func (s *scanner) integer() int {
	i, ok := s.Plain()
	s.bad = s.bad || !ok
	return i
}

// decimal reads a number.
func (s *scanner) decimal() float64 {
	x, ok := s.Float()
	s.bad = s.bad || !ok
	return x
}
