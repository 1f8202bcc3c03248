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
	p.moments = sortAttempts(p.byStart, p.moments, func(i int32) moment { return moment{p.attempts[i].start, 0, i} })
	p.moments = sortAttempts(p.byEnd, p.moments, func(i int32) moment {
		return moment{p.attempts[i].end, p.attempts[i].start, i}
	})
}

// moment orders attempts: by an instant, then by another one, then by their numbers, which are in the order of stage,
// task and number.
type moment struct {
	at, then int64
	attempt  int32
}

func (m *moment) before(o *moment) bool {
	if m.at != o.at {
		return m.at < o.at
	}
	if m.then != o.then {
		return m.then < o.then
	}
	return m.attempt < o.attempt
}

// fewAttempts are faster to insert one by one than to sort with a function that compares them.
const fewAttempts = 32

// sortAttempts sorts attempts by their moments, for which it uses and returns room.
func sortAttempts(attempts []int32, room []moment, of func(int32) moment) []moment {
	room = room[:0]
	for _, i := range attempts {
		room = append(room, of(i))
	}
	if len(room) <= fewAttempts {
		for i := range room {
			m, k := room[i], i
			for ; k > 0 && m.before(&room[k-1]); k-- {
				room[k] = room[k-1]
			}
			room[k] = m
		}
	} else {
		slices.SortFunc(room, func(a, b moment) int { return before(a.before(&b)) })
	}
	for k := range room {
		attempts[k] = room[k].attempt
	}
	return room
}

// before is the result of comparing two that differ.
func before(less bool) int {
	if less {
		return -1
	}
	return 1
}
