package leftover

import (
	"math"
	"slices"
)

// step is a change of the resources that a run was observed to hold.
type step struct {
	at     int64
	events int32 // of the run and its attempts, at this instant
	held   vector
}

// observe computes the resources that the run held over time, and their maximum.
func (p *plan) observe() {
	p.sort()
	p.observed, p.most = p.observed[:0], vector{}
	var held vector
	own := [...]int64{min(p.arrival, p.end), max(p.arrival, p.end), math.MaxInt64} // events of the run
	o, i, j := 0, 0, 0
	for {
		at := own[o]
		if i < len(p.byStart) {
			at = min(at, p.attempts[p.byStart[i]].start)
		}
		if j < len(p.byEnd) {
			at = min(at, p.attempts[p.byEnd[j]].end)
		}
		if at == math.MaxInt64 {
			return
		}
		s := step{at: at}
		for ; own[o] == at; o++ {
			s.events++
		}
		for ; i < len(p.byStart) && p.attempts[p.byStart[i]].start == at; i++ {
			s.events++
			for r := range p.resources {
				held[r] += p.demand[p.byStart[i]][r]
			}
		}
		for ; j < len(p.byEnd) && p.attempts[p.byEnd[j]].end == at; j++ {
			s.events++
			for r := range p.resources {
				held[r] -= p.demand[p.byEnd[j]][r]
			}
		}
		s.held = held
		for r := range p.resources {
			p.most[r] = max(p.most[r], held[r])
		}
		p.observed = append(p.observed, s)
	}
}

// sort puts the attempts into the orders of their starts and ends.
func (p *plan) sort() {
	p.byStart, p.byEnd = p.byStart[:0], p.byEnd[:0]
	for i := range p.attempts {
		p.byStart, p.byEnd = append(p.byStart, int32(i)), append(p.byEnd, int32(i))
	}
	slices.SortFunc(p.byStart, func(i, j int32) int {
		if a, b := p.attempts[i].start, p.attempts[j].start; a != b {
			return before(a < b)
		}
		return before(i < j)
	})
	slices.SortFunc(p.byEnd, func(i, j int32) int {
		a, b := &p.attempts[i], &p.attempts[j]
		switch {
		case a.end != b.end:
			return before(a.end < b.end)
		case a.start != b.start:
			return before(a.start < b.start)
		}
		return before(i < j) // attempts are in the order of their stage, task and number
	})
}

// before is the result of comparing two that differ.
func before(less bool) int {
	if less {
		return -1
	}
	return 1
}
