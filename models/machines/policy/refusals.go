package policy

import (
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/order"
	"racecard/models/machines/replay"
)

// Refusals remember demands that fit nowhere at one instant, so that a search passes over all tasks that demand as
// much. Room only shrinks while tasks start: a refusal holds until the next instant. The zero value has none.
type Refusals struct{ demands []replay.Vector }

// manyRefusals is the most demands that are remembered.
const manyRefusals = 32

// Search makes a search find tasks with room on a machine alone: on one where tasks ended at this instant, where some
// is set, else on any. See [Bound].
func (r *Refusals) Search(s *replay.State, search *order.Search, some bool) {
	if some && len(s.Freed) < 2 {
		return // the bound is exact
	}
	next := s.Machines.First
	if some {
		next = func(d *replay.Vector, from int32) int32 { return onFreed(s, d, from) }
	}
	search.Refused = r.has
	search.Fits = func(d *replay.Vector) bool {
		fits := next(d, 0) >= 0
		if !fits {
			if len(r.demands) == manyRefusals {
				r.demands = r.demands[:manyRefusals-1]
			}
			r.demands = append(r.demands, cluster.Least(s.Machines, *d, next))
		}
		return fits
	}
}

// has reports whether a demand is at least as large as a refused one.
func (r *Refusals) has(demand *replay.Vector) bool {
	for i := range r.demands {
		if r.demands[i].Fits(demand) {
			r.demands[i/2], r.demands[i] = r.demands[i], r.demands[i/2] // move useful demands to the front
			return true
		}
	}
	return false
}

// onFreed returns the first machine, at or after from, on which tasks ended at this instant and a demand fits, -1 if
// there is none.
func onFreed(s *replay.State, d *replay.Vector, from int32) int32 {
	for _, m := range s.Freed {
		if m >= from && d.Fits(s.Machines.Free(m)) {
			return m
		}
	}
	return -1
}
