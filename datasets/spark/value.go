package spark

import (
	"math"
	"strconv"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// The largest numbers that tasks, stages and attempts may carry; Spark counts all of them in 32 bits from 0.
const (
	maxNumber = 1 << 30
	maxMillis = trace.MaxSeconds * 1000
	maxStages = 1 << 17 // of a list, each of which is remembered
)

// text reads a string, null as "". The result shares the line's memory unless it holds escapes.
func (s *scanner) text() []byte {
	switch s.peek() {
	case '"':
		raw, escaped := s.quoted()
		if escaped {
			return []byte(s.unescape(raw))
		}
		return raw
	case 'n':
		s.literal("null")
	case 0:
		s.syntax("a value")
	default:
		s.mistyped("a string")
	}
	return nil
}

// number reads a number and returns its text.
func (s *scanner) number() []byte {
	start := s.i
	for ; s.i < len(s.b); s.i++ {
		if c := s.b[s.i]; (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
	}
	if raw := s.b[start:s.i]; isNumber(raw) {
		return raw
	}
	s.i = start
	s.syntax("a value")
	return nil
}

// isNumber reports whether raw, which holds digits, signs, points and exponents only, is a JSON number.
func isNumber(raw []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(raw) && raw[n] >= '0' && raw[n] <= '9' {
			n++
		}
		raw = raw[n:]
		return n > 0
	}
	if len(raw) > 0 && raw[0] == '-' {
		raw = raw[1:]
	}
	zero := len(raw) > 1 && raw[0] == '0' && raw[1] >= '0' && raw[1] <= '9'
	if zero || !digits() {
		return false
	}
	if len(raw) > 0 && raw[0] == '.' {
		if raw = raw[1:]; !digits() {
			return false
		}
	}
	if len(raw) > 0 && (raw[0] == 'e' || raw[0] == 'E') {
		if raw = raw[1:]; len(raw) > 0 && (raw[0] == '-' || raw[0] == '+') {
			raw = raw[1:]
		}
		return digits() && len(raw) == 0
	}
	return len(raw) == 0
}

// int reads a whole number, null as [trace.None].
func (s *scanner) int() int64 {
	switch c := s.peek(); {
	case c == '-' || c >= '0' && c <= '9':
		raw := s.number()
		if raw == nil {
			return trace.None
		}
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return int64(f)
		}
		s.mistyped("a whole number of at most 64 bits")
	case c == 'n':
		s.literal("null")
	case c == 0:
		s.syntax("a value")
	default:
		s.mistyped("a whole number")
	}
	return trace.None
}

// bool reads true or false, null as TriNull.
func (s *scanner) bool() trace.Tri {
	switch s.peek() {
	case 't':
		s.literal("true")
		return trace.Yes
	case 'f':
		s.literal("false")
		return trace.No
	case 'n':
		s.literal("null")
	case 0:
		s.syntax("a value")
	default:
		s.mistyped("true or false")
	}
	return trace.TriNull
}

// count reads a number from 0 to [maxNumber], missing when it is null.
func (s *scanner) count(missing int32) int32 {
	n := s.int()
	switch {
	case s.bad != nil || n == trace.None:
		return missing
	case n < 0 || n > maxNumber:
		s.mistyped("a number from 0 to 2^30")
		return missing
	}
	return int32(n)
}

// partition reads a partition number; Spark writes -1 where it does not know it.
func (s *scanner) partition() int32 {
	if n := s.int(); n >= 0 && n <= maxNumber {
		return int32(n)
	}
	return -1
}

// instant reads a time in milliseconds since the Unix epoch. Spark writes 0 or -1 for events that have not
// happened. Times beyond [trace.MaxSeconds] are null, too, and counted.
func (s *scanner) instant() trace.Instant {
	ms := s.int()
	switch {
	case ms <= 0:
		return trace.None
	case ms > maxMillis:
		s.strange++
		return trace.None
	}
	return trace.Instant(ms * 1000)
}

// counts reads an array of numbers.
func (s *scanner) counts() (list []int32) {
	for more := s.open('['); more; more = s.more(']') {
		if n := s.count(-1); n >= 0 {
			list = append(list, n)
		}
		if len(list) > maxStages {
			s.fail(source.ReasonTooMany, string(s.field), "more than %d stages", maxStages)
		}
	}
	return list
}
