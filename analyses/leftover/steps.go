package leftover

import (
	"cmp"
	"slices"

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

func lengthen(s []amount, n int) []amount {
	if s == nil {
		s = []amount{}
	}
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

// fresh returns steps without rows but with memory for n of them, and with the columns of s.
func (s *steps) fresh(n int) *steps {
	t := &steps{at: make([]int64, 0, n), events: make([]uint32, 0, n)}
	for r := range s.alloc {
		if s.alloc[r] != nil {
			t.alloc[r], t.spare[r] = make([]amount, 0, n), make([]amount, 0, n)
		}
	}
	return t
}

// take appends row i of t, or adds it to the last row if that has the same instant. t must have no other columns than
// s.
func (s *steps) take(t *steps, i int) {
	n := len(s.at) - 1
	if fresh := n < 0 || s.at[n] != t.at[i]; fresh {
		s.at, s.events = append(s.at, t.at[i]), append(s.events, t.events[i])
		for r := range s.alloc {
			switch {
			case t.alloc[r] != nil:
				s.alloc[r], s.spare[r] = append(s.alloc[r], t.alloc[r][i]), append(s.spare[r], t.spare[r][i])
			case s.alloc[r] != nil:
				s.alloc[r], s.spare[r] = append(s.alloc[r], amount{}), append(s.spare[r], amount{})
			}
		}
		return
	}
	s.events[n] += t.events[i]
	for r := range t.alloc {
		if t.alloc[r] != nil {
			s.alloc[r][n] = s.alloc[r][n].plus(t.alloc[r][i])
			s.spare[r][n] = s.spare[r][n].plus(t.spare[r][i])
		}
	}
}

// sorted returns the rows in ascending order of their instants, each instant once.
func (s *steps) sorted() *steps {
	type place struct {
		at int64
		i  int32
	}
	order := make([]place, len(s.at))
	distinct := 0
	for i, at := range s.at {
		order[i] = place{at, int32(i)}
	}
	slices.SortFunc(order, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	for i := range order {
		if i == 0 || order[i].at != order[i-1].at {
			distinct++
		}
	}
	out := s.fresh(distinct)
	for _, p := range order {
		out.take(s, int(p.i))
	}
	return out
}

// merge returns the rows of two sorted steps, sorted, each instant once.
func merge(s, t *steps) *steps {
	both := steps{}
	for r := range both.alloc {
		if s.alloc[r] != nil || t.alloc[r] != nil {
			both.alloc[r] = []amount{}
		}
	}
	distinct := 0
	walk(s, t, func(_, _ int) { distinct++ })
	out := both.fresh(distinct)
	walk(s, t, func(i, j int) {
		if i >= 0 {
			out.take(s, i)
		}
		if j >= 0 {
			out.take(t, j)
		}
	})
	return out
}

// walk calls visit for every instant of two sorted steps in order, with its rows in them; -1 where there is none.
func walk(s, t *steps, visit func(i, j int)) {
	i, j := 0, 0
	for i < len(s.at) || j < len(t.at) {
		switch {
		case j == len(t.at) || i < len(s.at) && s.at[i] < t.at[j]:
			visit(i, -1)
			i++
		case i == len(s.at) || t.at[j] < s.at[i]:
			visit(-1, j)
			j++
		default:
			visit(i, j)
			i, j = i+1, j+1
		}
	}
}
