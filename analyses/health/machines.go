package health

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
)

// Machines are the machines of a cluster and when they were part of it. It is not modified, so partial results share
// it.
type Machines struct {
	lives map[string][]life // disjoint, ascending; empty for a machine whose times are not known
}

// life is a period in which a machine was present.
type life struct{ from, to trace.Instant }

// NewMachines returns the machines of a table, nil for none. A machine may have several rows: it was present
// while any row says so. An unknown start or end is the start or end of the trace.
func NewMachines(rows []trace.Machine) *Machines {
	if len(rows) == 0 {
		return nil
	}
	m := &Machines{lives: map[string][]life{}}
	for i := range rows {
		r := &rows[i]
		lives := m.lives[r.Name]
		if r.From.Known() || r.To.Known() {
			l := life{math.MinInt64, math.MaxInt64}
			if r.From.Known() {
				l.from = r.From
			}
			if r.To.Known() {
				l.to = r.To
			}
			lives = append(lives, l)
		}
		m.lives[r.Name] = lives
	}
	for name, lives := range m.lives {
		m.lives[name] = union(lives)
	}
	return m
}

// union joins lives that touch.
func union(lives []life) []life {
	slices.SortFunc(lives, func(a, b life) int { return cmp.Compare(a.from, b.from) })
	var out []life
	for _, l := range lives {
		if n := len(out); n > 0 && l.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, l.to)
			continue
		}
		out = append(out, l)
	}
	return out
}

// outside returns the time by which an attempt began before, or ended after, the nearest life of its machine: 0 if it
// lies within it, None if it is not known.
func outside(lives []life, a *trace.Attempt) trace.Duration {
	start, end := a.Start, a.End
	if !inRange(start) {
		start = end
	}
	if !inRange(end) {
		end = start
	}
	if len(lives) == 0 || !inRange(start) {
		return trace.None
	}
	least := trace.Duration(math.MaxInt64)
	for _, l := range lives {
		by := trace.Duration(0)
		if start < l.from {
			by = l.from.Since(start)
		}
		if end > l.to {
			by = max(by, end.Since(l.to))
		}
		least = min(least, by)
	}
	return least
}

// foundMachine counts a finding about the machine of an attempt, with e as its example. Without a rank it has no value.
func (p *Partial) foundMachine(c check, run *trace.Run, a *trace.Attempt, e example) {
	e.run, e.at, e.name = run.ID, placeOf(a), a.Machine
	if e.rank == 0 {
		e.value = math.NaN()
	}
	p.found(c, e)
}
