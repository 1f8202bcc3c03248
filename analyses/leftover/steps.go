package leftover

import (
	"slices"

	"racecard/datasets/radix"
	"racecard/datasets/trace"
)

// steps are changes of the held amount and of leftover over all runs, one row per instant. Resources that no run
// so far knew have no columns.
type steps struct {
	at     []int64                      `partial:"-"`
	events []uint32                     `partial:"-"`
	alloc  [trace.NumResources][]amount `partial:"-"`
	spare  [trace.NumResources][]amount `partial:"-"`
	packed []byte                       // encoded steps, only in encoded form: see encode.go
}

func (s *steps) len() int { return len(s.at) }

// resources returns the number of resources that have columns.
func (s *steps) resources() int {
	n := 0
	for r := range s.alloc {
		if s.alloc[r] != nil {
			n++
		}
	}
	return n
}

// room adds zero columns for a resource, as long as the rows so far.
func (s *steps) room(r trace.Resource) {
	s.alloc[r], s.spare[r] = lengthen(s.alloc[r], len(s.at)), lengthen(s.spare[r], len(s.at))
}

// level gives all columns the length of the rows.
func (s *steps) level() {
	for r := range s.alloc {
		if s.alloc[r] != nil {
			s.room(trace.Resource(r))
		}
	}
}

// lengthen returns a column, empty where it is nil, with zeros up to a length.
func lengthen(s []amount, n int) []amount {
	if s == nil {
		s = []amount{}
	}
	return extend(s, n)
}

// extend returns s with zeros up to a length.
func extend[T any](s []T, n int) []T {
	from := len(s)
	s = slices.Grow(s, n-from)[:n]
	clear(s[from:])
	return s
}

// reset empties the steps and keeps their memory.
func (s *steps) reset() {
	s.at, s.events = s.at[:0], s.events[:0]
	for r := range s.alloc {
		if s.alloc[r] != nil {
			s.alloc[r], s.spare[r] = s.alloc[r][:0], s.spare[r][:0]
		}
	}
}

// rows are rows of one or two steps in the order of their instants.
type rows []uint32

// A row is its number, and these bits.
const (
	again  = 1 << 31 // it has the instant of the row before
	second = 1 << 30 // it is one of the second steps
	number = second - 1
)

// join returns rows of s and of t, which may be nil, as steps with each instant once. Column after column: each is
// walked through by itself.
func (o rows) join(s, t *steps) *steps {
	if t == nil {
		t = &steps{}
	}
	distinct := 0
	for _, row := range o {
		if row&again == 0 {
			distinct++
		}
	}
	out := &steps{at: make([]int64, 0, distinct), events: make([]uint32, 0, distinct)}
	for _, row := range o {
		from := s
		if row&second != 0 {
			from = t
		}
		if i := row & number; row&again != 0 {
			out.events[len(out.events)-1] += from.events[i]
		} else {
			out.at, out.events = append(out.at, from.at[i]), append(out.events, from.events[i])
		}
	}
	for r := range out.alloc {
		out.alloc[r] = o.sum(s.alloc[r], t.alloc[r], distinct)
		out.spare[r] = o.sum(s.spare[r], t.spare[r], distinct)
	}
	return out
}

// sum returns a column of a number of rows. The columns it comes from may be nil: nothing changes.
func (o rows) sum(a, b []amount, distinct int) []amount {
	if a == nil && b == nil {
		return nil
	}
	out := make([]amount, 0, distinct)
	for _, row := range o {
		from, x := a, amount{}
		if row&second != 0 {
			from = b
		}
		if from != nil {
			x = from[row&number]
		}
		if row&again != 0 {
			k := len(out) - 1
			out[k] = out[k].plus(x)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// sorted returns the rows in ascending order of their instants, each instant once.
func (s *steps) sorted() *steps {
	order := make([]radix.Item[uint32], len(s.at))
	for i, at := range s.at {
		order[i] = radix.Item[uint32]{Value: uint32(i), Key: uint64(at - trace.None)} // which is the least
	}
	order = radix.Sort(order, make([]radix.Item[uint32], len(order)))
	o := make(rows, len(order))
	for i, p := range order {
		if o[i] = p.Value; i > 0 && p.Key == order[i-1].Key {
			o[i] |= again
		}
	}
	return o.join(s, nil)
}

// merge returns the rows of two sorted steps, sorted, each instant once.
func merge(s, t *steps) *steps {
	o := make(rows, 0, len(s.at)+len(t.at))
	i, j := 0, 0
	for i < len(s.at) && j < len(t.at) {
		switch {
		case s.at[i] < t.at[j]:
			o = append(o, uint32(i))
			i++
		case s.at[i] > t.at[j]:
			o = append(o, uint32(j)|second)
			j++
		default:
			o = append(o, uint32(i), uint32(j)|second|again)
			i, j = i+1, j+1
		}
	}
	for ; i < len(s.at); i++ {
		o = append(o, uint32(i))
	}
	for ; j < len(t.at); j++ {
		o = append(o, uint32(j)|second)
	}
	return o.join(s, t)
}
