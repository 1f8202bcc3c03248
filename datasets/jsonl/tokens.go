package jsonl

import (
	"encoding/json"
	"strconv"
	"unsafe"
)

// once notes that a field was seen.
func (s *scanner) once(seen *uint32, field int) {
	s.bad = s.bad || *seen&(1<<field) != 0
	*seen |= 1 << field
}

func (s *scanner) blanks() {
	for s.at < len(s.line) && (s.line[s.at] == ' ' || s.line[s.at] == '\t' || s.line[s.at] == '\r' || s.line[s.at] == '\n') {
		s.at++
	}
}

// is takes a byte behind blanks, if it is the next one.
func (s *scanner) is(b byte) bool {
	s.blanks()
	if s.at < len(s.line) && s.line[s.at] == b {
		s.at++
		return true
	}
	return false
}

// open takes the beginning of an object or a list and reports whether something is in it.
func (s *scanner) open(begin, end byte) bool {
	s.bad = s.bad || !s.is(begin)
	return !s.bad && !s.is(end)
}

// next moves past an element of an object or a list, and reports whether another one follows.
func (s *scanner) next(end byte) bool {
	switch {
	case s.bad || s.is(end):
		return false
	case s.is(','):
		return true
	}
	s.bad = true
	return false
}

// key takes the name of a field and the colon.
func (s *scanner) key() []byte {
	k, escaped := s.quoted()
	s.bad = s.bad || escaped || !s.is(':')
	return k
}

// quoted reads a text and returns the part between its quotes.
func (s *scanner) quoted() (text []byte, escaped bool) {
	if !s.is('"') {
		s.bad = true
		return nil, false
	}
	for from := s.at; s.at < len(s.line); s.at++ {
		switch c := s.line[s.at]; {
		case c == '"':
			s.at++
			return s.line[from : s.at-1], escaped
		case c == '\\':
			escaped = true
			s.at++
		case c < ' ':
			s.bad = true
			return nil, false
		}
	}
	s.bad = true
	return nil, false
}

func (s *scanner) text(seen *uint32, field int) string {
	s.once(seen, field)
	return s.plain()
}

// plain reads a text.
func (s *scanner) plain() string {
	text, escaped := s.quoted()
	switch {
	case s.bad || len(text) == 0:
		return ""
	case escaped:
		var out string
		s.bad = json.Unmarshal(s.line[s.at-len(text)-2:s.at], &out) != nil
		return out
	}
	return unsafe.String(&text[0], len(text))
}

func (s *scanner) texts(seen *uint32, field int) []string {
	s.once(seen, field)
	out := []string{}
	for more := s.open('[', ']'); more; more = s.next(']') {
		out = append(out, s.plain())
	}
	return out
}

// null takes a null, if it is next.
func (s *scanner) null() bool {
	s.blanks()
	if s.at+4 <= len(s.line) && string(s.line[s.at:s.at+4]) == "null" {
		s.at += 4
		return true
	}
	return false
}

// float reads a number or null.
func (s *scanner) float(seen *uint32, field int) *float64 {
	s.once(seen, field)
	if s.null() {
		return nil
	}
	s.floats = append(s.floats, s.decimal())
	return &s.floats[len(s.floats)-1]
}

// whole reads a whole number or null.
func (s *scanner) whole(seen *uint32, field int) *whole {
	s.once(seen, field)
	if s.null() {
		return nil
	}
	var w whole
	token, _, _, _ := s.number()
	s.bad = s.bad || w.UnmarshalJSON(token) != nil
	s.wholes = append(s.wholes, w)
	return &s.wholes[len(s.wholes)-1]
}

func (s *scanner) truth(seen *uint32, field int) *bool {
	s.once(seen, field)
	s.blanks()
	rest := s.line[s.at:]
	switch {
	case s.null():
		return nil
	case len(rest) >= 4 && string(rest[:4]) == "true":
		s.at += 4
		s.bools = append(s.bools, true)
	case len(rest) >= 5 && string(rest[:5]) == "false":
		s.at += 5
		s.bools = append(s.bools, false)
	default:
		s.bad = true
		return nil
	}
	return &s.bools[len(s.bools)-1]
}

func (s *scanner) index(seen *uint32, field int) *int {
	s.once(seen, field)
	if s.null() {
		return nil
	}
	s.ints = append(s.ints, s.integer())
	return &s.ints[len(s.ints)-1]
}

func (s *scanner) indices(seen *uint32, field int) []int {
	s.once(seen, field)
	from := len(s.ints)
	for more := s.open('[', ']'); more; more = s.next(']') {
		s.ints = append(s.ints, s.integer())
	}
	return s.ints[from:len(s.ints):len(s.ints)]
}

// integer reads a number without a point and an exponent.
func (s *scanner) integer() int {
	token, digits, scale, exact := s.number()
	if !exact || scale >= 0 {
		s.bad = true
		return 0
	}
	if token[0] == '-' {
		return -int(digits)
	}
	return int(digits)
}

// decimal reads a number.
func (s *scanner) decimal() float64 {
	token, digits, scale, exact := s.number()
	if s.bad {
		return 0
	}
	if !exact {
		x, err := strconv.ParseFloat(unsafe.String(&token[0], len(token)), 64)
		s.bad = err != nil
		return x
	}
	// Digits and power are exact, so that their quotient is the nearest number, as ParseFloat's.
	x := float64(digits) / powers[max(scale, 0)]
	if token[0] == '-' {
		x = -x
	}
	return x
}

// maxDigits of a number are exact in a float64.
const maxDigits = 15

var powers = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// number takes a number. It is exact when it is of at most maxDigits digits, scale of them behind a point, -1 without one, and
// has no exponent.
func (s *scanner) number() (token []byte, digits uint64, scale int, exact bool) {
	s.blanks()
	from := s.at
	if s.at < len(s.line) && s.line[s.at] == '-' {
		s.at++
	}
	first := s.at
	digits = s.digits(0)
	n := s.at - first
	s.bad = s.bad || n == 0 || n > 1 && s.line[first] == '0'
	scale = -1
	if s.at < len(s.line) && s.line[s.at] == '.' {
		s.at++
		behind := s.at
		digits = s.digits(digits)
		scale = s.at - behind
		n += scale
		s.bad = s.bad || scale == 0
	}
	exact = n <= maxDigits
	if s.at < len(s.line) && s.line[s.at]|0x20 == 'e' {
		exact = false
		s.at++
		if s.at < len(s.line) && (s.line[s.at] == '+' || s.line[s.at] == '-') {
			s.at++
		}
		behind := s.at
		s.digits(0)
		s.bad = s.bad || s.at == behind
	}
	return s.line[from:s.at], digits, scale, exact && !s.bad
}

// digits reads further digits of n.
func (s *scanner) digits(n uint64) uint64 {
	for s.at < len(s.line) && s.line[s.at]-'0' <= 9 {
		n = 10*n + uint64(s.line[s.at]-'0')
		s.at++
	}
	return n
}
