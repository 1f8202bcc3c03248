package spark

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"

	"racecard/datasets/source"
)

// maxDepth bounds the nesting of a line. Spark's own events stay below 20.
const maxDepth = 512

// scanner walks over one line of JSON without building values: callers take the fields they know and skip the rest.
//
//	for more := s.open('{'); more; more = s.more('}') {
//		switch string(s.key()) {
//		case "Job ID":
//			id = s.int()
//		default:
//			s.skip()
//		}
//	}
//
// Structure, literals and numbers are checked everywhere, escapes only in text that is used. After an error
// every call returns at once and finds nothing more.
type scanner struct {
	b     []byte
	i     int
	depth int
	field []byte  // the key met last
	bad   *defect // the first thing wrong

	strange int // times beyond any clock that were taken for null
}

// defect says why a line cannot be used.
type defect struct {
	reason, field, detail string
}

func (s *scanner) fail(reason, field, format string, args ...any) {
	if s.bad == nil {
		s.bad = &defect{reason, field, fmt.Sprintf(format, args...)}
	}
	s.i = len(s.b)
}

func (s *scanner) syntax(want string) {
	if s.bad != nil {
		return
	}
	if s.i >= len(s.b) {
		s.fail(source.ReasonBadJSON, "", "the line ends where %s is due", want)
		return
	}
	s.fail(source.ReasonBadJSON, "", "byte %d is %q, want %s", s.i+1, s.b[s.i], want)
}

func (s *scanner) mistyped(want string) {
	s.fail(source.ReasonBadField, string(s.field), "want %s", want)
}

// peek passes over white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// open enters an object or array and reports whether it holds anything. null counts as empty.
func (s *scanner) open(bracket byte) bool {
	c := s.peek()
	if c != bracket {
		if c == 'n' {
			s.literal("null")
		} else if c == 0 || s.bad != nil {
			s.syntax("a value")
		} else {
			s.mistyped("something in " + string([]byte{bracket, bracket + 2}))
		}
		return false
	}
	s.i++
	if s.depth++; s.depth > maxDepth {
		s.fail(source.ReasonBadJSON, "", "nested deeper than %d", maxDepth)
		return false
	}
	if s.peek() == bracket+2 { // ']' is '['+2, '}' is '{'+2
		s.i++
		s.depth--
		return false
	}
	return true
}

// more moves on behind a member of an object or array and reports whether another follows.
func (s *scanner) more(bracket byte) bool {
	switch s.peek() {
	case ',':
		s.i++
		return true
	case bracket:
		s.i++
		s.depth--
	default:
		s.syntax("',' or '" + string(bracket) + "'")
	}
	return false
}

// key reads the name of the next member and the colon behind it.
func (s *scanner) key() []byte {
	if s.peek() != '"' {
		s.syntax("a key")
		return nil
	}
	raw, escaped := s.quoted()
	if escaped {
		raw = []byte(s.unescape(raw))
	}
	if s.peek() != ':' {
		s.syntax("':'")
		return nil
	}
	s.i++
	s.field = raw
	return raw
}

// quoted reads a string and returns the part between its quotes, and whether that part holds escapes.
func (s *scanner) quoted() (raw []byte, escaped bool) {
	start := s.i + 1
	for i := start; ; {
		for i+8 <= len(s.b) {
			stop := stops(binary.LittleEndian.Uint64(s.b[i:]))
			if stop != 0 {
				i += bits.TrailingZeros64(stop) / 8
				break
			}
			i += 8
		}
		for i < len(s.b) && s.b[i] != '"' && s.b[i] != '\\' && s.b[i] >= 0x20 { // the last bytes of the line
			i++
		}
		switch {
		case i >= len(s.b):
			s.i = len(s.b)
			s.syntax("a closing quote")
			return nil, false
		case s.b[i] == '"':
			s.i = i + 1
			return s.b[start:i], escaped
		case s.b[i] != '\\':
			s.i = i
			s.syntax("no control character in text")
			return nil, false
		}
		escaped = true
		i += 2
	}
}

// stops returns a word whose lowest set bit lies in the first of eight bytes, in little-endian order, that is a quote, a
// backslash or a control character; 0 when none is. (x - 0x01..) &^ x has the high bit of each byte of x that is zero,
// exactly up to and with the first: H. S. Warren, "Hacker's Delight", §6-1.
func stops(word uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := word^ones*'"', word^ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (word-ones*0x20)&^word) & highs
}

func (s *scanner) unescape(raw []byte) string {
	var text string
	if err := json.Unmarshal(s.b[s.i-len(raw)-2:s.i], &text); err != nil {
		s.fail(source.ReasonBadJSON, "", "%q is not a JSON string", raw[:min(len(raw), 80)])
	}
	return text
}

func (s *scanner) literal(word string) {
	if len(s.b)-s.i >= len(word) && string(s.b[s.i:s.i+len(word)]) == word {
		s.i += len(word)
		return
	}
	s.syntax(word)
}

// skip passes over one value of any kind.
func (s *scanner) skip() {
	switch c := s.peek(); c {
	case '"':
		s.quoted()
	case '{':
		for more := s.open('{'); more; more = s.more('}') {
			if s.peek() != '"' {
				s.syntax("a key")
				return
			}
			s.quoted()
			if s.peek() != ':' {
				s.syntax("':'")
				return
			}
			s.i++
			s.skip()
		}
	case '[':
		for more := s.open('['); more; more = s.more(']') {
			s.skip()
		}
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.number()
	}
}

// end fails unless only white space is left.
func (s *scanner) end() {
	if s.peek(); s.i < len(s.b) {
		s.syntax("the end of the line")
	}
}
