// Package jsonscan reads JSON text without building values: callers take the members they know and skip the rest.
//
//	s := jsonscan.Scanner{Text: line}
//	for more := s.Open('{'); more; more = s.More('}') {
//		switch string(s.Key()) {
//		case "Job ID":
//			id, ok = s.Int()
//		default:
//			s.Skip()
//		}
//	}
//	s.End()
//
// It accepts the grammar of RFC 8259. Structure, literals and numbers are checked everywhere, escapes only in text that
// is used. After an error every call returns at once and finds nothing more.
package jsonscan

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/bits"
	"strconv"
	"unsafe"

	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
)

// MaxDepth bounds the nesting of a text. Traces stay below 20.
const MaxDepth = 512

// Scanner is a position in a text.
type Scanner struct {
	Text  []byte
	At    int
	Field []byte        // the key met last
	Bad   *source.Fault // the first

	depth int
}

// Decode reads a JSON text, and names the field that is of the wrong type.
func Decode(text []byte, into any) *source.Fault {
	err := json.Unmarshal(text, into)
	var t *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &t):
		return source.NewFault(t.Field, source.ReasonBadField, "found a JSON %s, want %s", t.Value, t.Type)
	}
	return source.NewFault("", source.ReasonBadJSON, "%v", err)
}

// Fail ends the scan with a fault, unless there is one already.
func (s *Scanner) Fail(reason, field, format string, args ...any) {
	if s.Bad == nil {
		s.Bad = source.NewFault(field, reason, format, args...)
	}
	s.At = len(s.Text)
}

// Syntax ends the scan: the text is no JSON.
func (s *Scanner) Syntax(want string) {
	if s.Bad != nil {
		return
	}
	if s.At >= len(s.Text) {
		s.Fail(source.ReasonBadJSON, "", "the line ends where %s is due", want)
		return
	}
	s.Fail(source.ReasonBadJSON, "", "byte %d is %q, want %s", s.At+1, s.Text[s.At], want)
}

// Mistyped ends the scan: the value of the key met last is of another type.
func (s *Scanner) Mistyped(want string) {
	s.Fail(source.ReasonBadField, string(s.Field), "want %s", want)
}

// Peek passes over white space and returns the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
	for s.At < len(s.Text) {
		switch c := s.Text[s.At]; c {
		case ' ', '\t', '\n', '\r':
			s.At++
		default:
			return c
		}
	}
	return 0
}

// Open enters an object or array and reports whether it holds anything. null counts as empty.
func (s *Scanner) Open(bracket byte) bool {
	c := s.Peek()
	if c != bracket {
		if c == 'n' {
			s.Literal("null")
		} else if c == 0 || s.Bad != nil {
			s.Syntax("a value")
		} else {
			s.Mistyped("something in " + string([]byte{bracket, bracket + 2}))
		}
		return false
	}
	s.At++
	if s.depth++; s.depth > MaxDepth {
		s.Fail(source.ReasonBadJSON, "", "nested deeper than %d", MaxDepth)
		return false
	}
	if s.Peek() == bracket+2 { // ']' is '['+2, '}' is '{'+2
		s.At++
		s.depth--
		return false
	}
	return true
}

// More moves on behind a member of an object or array and reports whether another follows.
func (s *Scanner) More(bracket byte) bool {
	switch s.Peek() {
	case ',':
		s.At++
		return true
	case bracket:
		s.At++
		s.depth--
	default:
		s.Syntax("',' or '" + string(bracket) + "'")
	}
	return false
}

// Key reads the name of the next member and the colon behind it.
func (s *Scanner) Key() []byte {
	if s.Peek() != '"' {
		s.Syntax("a key")
		return nil
	}
	raw, escaped := s.Quoted()
	if escaped {
		raw = []byte(s.Unescape(raw))
	}
	if s.Peek() != ':' {
		s.Syntax("':'")
		return nil
	}
	s.At++
	s.Field = raw
	return raw
}

// Quoted reads a string, which is next, and returns the part between its quotes, and whether that part holds escapes.
func (s *Scanner) Quoted() (raw []byte, escaped bool) {
	start := s.At + 1
	for i := start; ; {
		for i+8 <= len(s.Text) {
			stop := stops(binary.LittleEndian.Uint64(s.Text[i:]))
			if stop != 0 {
				i += bits.TrailingZeros64(stop) / 8
				break
			}
			i += 8
		}
		// the last bytes of the text
		for i < len(s.Text) && s.Text[i] != '"' && s.Text[i] != '\\' && s.Text[i] >= 0x20 {
			i++
		}
		switch {
		case i >= len(s.Text):
			s.At = len(s.Text)
			s.Syntax("a closing quote")
			return nil, false
		case s.Text[i] == '"':
			s.At = i + 1
			return s.Text[start:i], escaped
		case s.Text[i] != '\\':
			s.At = i
			s.Syntax("no control character in text")
			return nil, false
		}
		escaped = true
		i += 2
	}
}

// stops returns a word whose lowest set bit lies in the first of eight bytes, in little-endian order, that is a quote,
// a backslash or a control character; 0 when none is. (x - 0x01..) &^ x has the high bit of each byte of x that is
// zero, exactly up to and with the first: H. S. Warren, "Hacker's Delight", §6-1.
func stops(word uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := word^ones*'"', word^ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (word-ones*0x20)&^word) & highs
}

// Unescape decodes a string with escapes that [Scanner.Quoted] has just returned.
func (s *Scanner) Unescape(raw []byte) string {
	var text string
	if s.Bad != nil {
		return ""
	}
	if err := json.Unmarshal(s.Text[s.At-len(raw)-2:s.At], &text); err != nil {
		s.Fail(source.ReasonBadJSON, "", "%q is not a JSON string", raw[:min(len(raw), 80)])
	}
	return text
}

// Bytes reads a string. The result shares the memory of the text unless it holds escapes.
func (s *Scanner) Bytes() []byte {
	switch s.Peek() {
	case '"':
		raw, escaped := s.Quoted()
		if escaped {
			return []byte(s.Unescape(raw))
		}
		return raw
	case 0:
		s.Syntax("a value")
	default:
		s.Mistyped("a string")
	}
	return nil
}

// BytesOrNull reads a string as Bytes does, null as nil.
func (s *Scanner) BytesOrNull() []byte {
	if s.Null() {
		return nil
	}
	return s.Bytes()
}

// BeginsNumber reports whether a number begins with a byte.
func BeginsNumber(c byte) bool { return c == '-' || c >= '0' && c <= '9' }

// Literal takes a word, which is due.
func (s *Scanner) Literal(word string) {
	if len(s.Text)-s.At >= len(word) && string(s.Text[s.At:s.At+len(word)]) == word {
		s.At += len(word)
		return
	}
	s.Syntax(word)
}

// Null takes a null, if one is next.
func (s *Scanner) Null() bool {
	if s.Peek() != 'n' {
		return false
	}
	s.Literal("null")
	return true
}

// Skip passes over one value of any kind.
func (s *Scanner) Skip() {
	switch s.Peek() {
	case '"':
		s.Quoted()
	case '{':
		for more := s.Open('{'); more; more = s.More('}') {
			if s.Peek() != '"' {
				s.Syntax("a key")
				return
			}
			s.Quoted()
			if s.Peek() != ':' {
				s.Syntax("':'")
				return
			}
			s.At++
			s.Skip()
		}
	case '[':
		for more := s.Open('['); more; more = s.More(']') {
			s.Skip()
		}
	case 't':
		s.Literal("true")
	case 'f':
		s.Literal("false")
	case 'n':
		s.Literal("null")
	default:
		s.Number()
	}
}

// End fails unless only white space is left.
func (s *Scanner) End() {
	if s.Peek(); s.At < len(s.Text) {
		s.Syntax("the end of the line")
	}
}

// number takes a number. It is exact when it has at most [decimal.MaxDigits] digits, scale of them behind a point (-1
// without one), and no exponent. raw is nil after a fault.
func (s *Scanner) number() (raw []byte, digits uint64, scale int, exact bool) {
	s.Peek()
	text, at, first := s.Text[s.At:], 0, 0
	if len(text) > 0 && text[0] == '-' {
		at, first = 1, 1
	}
	for ; at < len(text) && text[at]-'0' <= 9; at++ {
		digits = 10*digits + uint64(text[at]-'0')
	}
	all := at - first
	good := all == 1 || all > 1 && text[first] != '0'
	scale = -1
	if at < len(text) && text[at] == '.' {
		at++
		behind := at
		for ; at < len(text) && text[at]-'0' <= 9; at++ {
			digits = 10*digits + uint64(text[at]-'0')
		}
		scale = at - behind
		all += scale
		good = good && scale > 0
	}
	exact = all <= decimal.MaxDigits
	if at < len(text) && text[at]|0x20 == 'e' {
		exact = false
		at++
		if at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		behind := at
		for at < len(text) && text[at]-'0' <= 9 {
			at++
		}
		good = good && at > behind
	}
	if !good {
		s.Syntax("a value")
		return nil, 0, 0, false
	}
	s.At += at
	return text[:at], digits, scale, exact
}

// Number takes a number and returns its text, nil after a fault.
func (s *Scanner) Number() []byte {
	raw, _, _, _ := s.number()
	return raw
}

// Float reads a number as the nearest float64. It is not ok after a fault, and for a number beyond float64.
func (s *Scanner) Float() (x float64, ok bool) {
	raw, digits, scale, exact := s.number()
	if raw == nil {
		return 0, false
	}
	if !exact {
		return decimal.Parse(raw)
	}
	x = decimal.Shifted(digits, max(scale, 0))
	if raw[0] == '-' {
		x = -x
	}
	return x, true
}

// Int reads a whole number of at most 64 bits; 1.2e3 is one. It is not ok after a fault, and for another number.
func (s *Scanner) Int() (i int64, ok bool) {
	raw, digits, scale, exact := s.number()
	switch {
	case raw == nil:
		return 0, false
	case exact && scale < 0:
		if raw[0] == '-' {
			return -int64(digits), true
		}
		return int64(digits), true
	}
	text := unsafe.String(unsafe.SliceData(raw), len(raw))
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	f, ok := decimal.Parse(raw)
	return int64(f), ok && f == math.Trunc(f) && math.Abs(f) < 1<<63
}

// Plain reads a number of at most 15 digits, without a point and an exponent. It is not ok after a fault, and for
// another number.
func (s *Scanner) Plain() (i int, ok bool) {
	raw, digits, scale, exact := s.number()
	if raw == nil || !exact || scale >= 0 {
		return 0, false
	}
	if raw[0] == '-' {
		return -int(digits), true
	}
	return int(digits), true
}
