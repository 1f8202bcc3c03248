package leftover

import (
	"math"
	"slices"

	"racecard/datasets/trace"
)

// pack places the attempts backwards, as described in the package comment. The run must have been observed.
func (p *plan) pack() {
	p.bounds()
	p.packed.reset(len(p.resources))
	for k := len(p.byEnd) - 1; k >= 0; k-- {
		i := p.byEnd[k]
		a := &p.attempts[i]
		by := a.end
		if !a.fixed {
			by = max(a.end, min(p.end, p.bound[a.stage]))
		}
		if by > a.end {
			var room vector
			for r := range p.resources {
				room[r] = p.most[r] - p.demand[i][r]
			}
			a.placed = p.packed.latest(by, a.length(), &room)
		}
		if a.length() > 0 {
			p.packed.raise(a.placed, a.placed+a.length(), &p.demand[i])
		}
		p.lower(a.stage, a.placed)
	}
}

// bounds prepares the bounds of stages from starts without an end.
func (p *plan) bounds() {
	n := len(p.run.Stages)
	p.graph.Set(n, p.run.Edges, func(trace.EdgeKind) bool { return true })
	p.bound, p.empty = slices.Grow(p.bound[:0], n)[:n], slices.Grow(p.empty[:0], n)[:n]
	for s := range p.bound {
		p.bound[s], p.empty[s] = math.MaxInt64, true
	}
	for i := range p.run.Attempts {
		if a := &p.run.Attempts[i]; a.Start.Known() {
			p.empty[a.Stage] = false
		}
	}
	for i := range p.run.Attempts {
		if a := &p.run.Attempts[i]; a.Start.Known() && !a.End.Known() {
			p.lower(a.Stage, int64(a.Start))
		}
	}
	for s := range p.empty {
		if start := p.run.Stages[s].Start; p.empty[s] && start.Known() {
			p.lower(int32(s), int64(start))
		}
	}
}

// lower makes the parents of a stage end by t, and through stages without attempts their parents.
func (p *plan) lower(stage int32, t int64) {
	p.stack = append(p.stack[:0], stage)
	for len(p.stack) > 0 {
		last := len(p.stack) - 1
		s := p.stack[last]
		p.stack = p.stack[:last]
		for _, parent := range p.graph.Parents(int(s)) {
			if t < p.bound[parent] {
				p.bound[parent] = t
				if p.empty[parent] {
					p.stack = append(p.stack, parent)
				}
			}
		}
	}
}
