package leftover

import (
	"cmp"
	"math"
	"slices"
)

// breaches counts the runs whose packed schedule breaks a rule. All of them stay zero unless the packing is wrong.
type breaches struct {
	later   int // than the observed end of the run or of its last attempt
	above   int // the most that the run was observed to hold at once, of some resource
	orphans int // a child starts before a parent has ended, and was not observed to
	earlier int // an attempt starts earlier than observed
}

// check verifies the packed schedule of a run independently.
func (p *plan) check() (b breaches) {
	limit := p.end
	for i := range p.attempts {
		limit = max(limit, p.attempts[i].end)
	}
	for i := range p.attempts {
		a := &p.attempts[i]
		if a.placed+a.length() > limit {
			b.later = 1
		}
		if a.placed < a.start {
			b.earlier = 1
		}
	}
	p.packed.each(func(_ int64, held *vector) {
		for r := range p.resources {
			if held[r] > p.most[r] {
				b.above = 1
			}
		}
	})
	if p.orphaned() {
		b.orphans = 1
	}
	return b
}

// orphaned reports whether an attempt starts before one of a parent stage has ended, although it did not when observed.
func (p *plan) orphaned() bool {
	of := make([][]attempt, len(p.run.Stages)) // attempts lie together by stage
	for i := 0; i < len(p.attempts); {
		from, stage := i, p.attempts[i].stage
		for i < len(p.attempts) && p.attempts[i].stage == stage {
			i++
		}
		of[stage] = p.attempts[from:i]
	}
	for child := range of {
		first := int64(math.MaxInt64)
		for i := range of[child] {
			first = min(first, of[child][i].placed)
		}
		for _, parent := range p.graph.Parents(child) {
			for i := range of[parent] {
				if a := &of[parent][i]; a.placed+a.length() > first {
					if orphans(of[parent], of[child]) {
						return true
					}
					break
				}
			}
		}
	}
	return false
}

// orphans compares all pairs of attempts of a parent and a child stage.
func orphans(parents, children []attempt) bool {
	parents, children = slices.Clone(parents), slices.Clone(children)
	slices.SortFunc(parents, func(a, b attempt) int { return cmp.Compare(b.end, a.end) })
	slices.SortFunc(children, func(a, b attempt) int { return cmp.Compare(b.start, a.start) })
	// earliest placed start among attempts that were observed to start at or after the parent's end
	first, n := int64(math.MaxInt64), 0
	for i := range parents {
		for ; n < len(children) && children[n].start >= parents[i].end; n++ {
			first = min(first, children[n].placed)
		}
		if parents[i].placed+parents[i].length() > first {
			return true
		}
	}
	return false
}

func (b *breaches) plus(c breaches) {
	b.later += c.later
	b.above += c.above
	b.orphans += c.orphans
	b.earlier += c.earlier
}
