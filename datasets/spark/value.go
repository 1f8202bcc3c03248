package spark

import (
	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// The largest numbers that tasks, stages and attempts may carry; Spark counts all of them in 32 bits from 0.
const (
	maxNumber = 1 << 30
	maxMillis = trace.MaxSeconds * 1000
	maxStages = 1 << 17 // of a list, each of which is remembered
)

// scanner reads the values of one line of an event log.
type scanner struct {
	jsonscan.Scanner

	strange int // times beyond any clock that were taken for null
}

func scan(line []byte) *scanner { return &scanner{Scanner: jsonscan.Scanner{Text: line}} }

// int reads a whole number, null as [trace.None].
func (s *scanner) int() int64 {
	switch c := s.Peek(); {
	case jsonscan.BeginsNumber(c):
		if n, ok := s.Int(); ok {
			return n
		}
		s.Mistyped("a whole number of at most 64 bits")
	case c == 'n':
		s.Literal("null")
	case c == 0:
		s.Syntax("a value")
	default:
		s.Mistyped("a whole number")
	}
	return trace.None
}

// bool reads true or false, null as TriNull.
func (s *scanner) bool() trace.Tri {
	switch s.Peek() {
	case 't':
		s.Literal("true")
		return trace.Yes
	case 'f':
		s.Literal("false")
		return trace.No
	case 'n':
		s.Literal("null")
	case 0:
		s.Syntax("a value")
	default:
		s.Mistyped("true or false")
	}
	return trace.TriNull
}

// count reads a number from 0 to [maxNumber], missing when it is null.
func (s *scanner) count(missing int32) int32 {
	n := s.int()
	switch {
	case s.Bad != nil || n == trace.None:
		return missing
	case n < 0 || n > maxNumber:
		s.Mistyped("a number from 0 to 2^30")
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
	for more := s.Open('['); more; more = s.More(']') {
		if n := s.count(-1); n >= 0 {
			list = append(list, n)
		}
		if len(list) > maxStages {
			s.Fail(source.ReasonTooMany, string(s.Field), "more than %d stages", maxStages)
		}
	}
	return list
}
