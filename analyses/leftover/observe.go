package leftover

import (
	"cmp"
	"slices"
)

// step is a change of the resources that a run was observed to hold.
type step struct {
	at     int64
	events int32 // of the run and its attempts, at this instant
	held   vector
}

// tick is the start or the end of an attempt, or an event of the run.
type tick struct {
	at      int64
	attempt int32 // -1 for an event of the run
	end     bool
}

// observe computes the resources that the run held over time, and their maximum.
func (p *plan) observe() {
	p.ticks = append(p.ticks[:0], tick{p.arrival, -1, false}, tick{p.end, -1, true})
	for i := range p.attempts {
		a := &p.attempts[i]
		p.ticks = append(p.ticks, tick{a.start, int32(i), false}, tick{a.end, int32(i), true})
	}
	slices.SortFunc(p.ticks, func(a, b tick) int { return cmp.Compare(a.at, b.at) })
	p.observed, p.most = p.observed[:0], vector{}
	var held vector
	for i := 0; i < len(p.ticks); {
		s := step{at: p.ticks[i].at}
		for ; i < len(p.ticks) && p.ticks[i].at == s.at; i++ {
			s.events++
			t := &p.ticks[i]
			switch {
			case t.attempt < 0:
			case t.end:
				for r := range p.resources {
					held[r] -= p.demand[t.attempt][r]
				}
			default:
				for r := range p.resources {
					held[r] += p.demand[t.attempt][r]
				}
			}
		}
		s.held = held
		for r := range p.resources {
			p.most[r] = max(p.most[r], held[r])
		}
		p.observed = append(p.observed, s)
	}
}
