package dag

import (
	"cmp"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// maxSingled bounds the stages that [Canonical] distinguishes one by one. Each costs a refinement of the whole
// graph.
const maxSingled = 256

// Canonical returns the hash of a plan, as the dag analysis reports it, and an order of its stages that does not depend
// on their numbers: order[i] is the number of the stage in position i, and parents come before their children. In two
// runs with the same plan, stages in the same position have the same place in the graph. Stages that the graph does not
// distinguish are in the order of compare, then by number. The order is consistent between runs if compare is. Beyond
// 256 such stages, compare orders the rest at once, and subgraphs may be mixed up.
//
// Edges of kind driver are left out, as in the hash. edges are sorted as in [trace.Run] and point to higher numbers. It
// is colour refinement with individualisation (B. D. McKay, "Practical Graph Isomorphism", 1981), where compare picks a
// leaf of the search tree. Time O((1 + ties) x (n log n + edges)) for few rounds of refinement.
func Canonical(n int, edges []trace.Edge, compare func(a, b int32) int) (hash uint64, order []int32) {
	var p planner
	hash = p.hash(n, edges)
	before := func(a, b int32) int { return cmp.Or(compare(a, b), cmp.Compare(a, b)) }
	for singled := 0; ; singled++ {
		tied := p.tied()
		if tied == nil {
			break
		}
		if singled == maxSingled {
			p.rank(before)
			break
		}
		first := slices.MinFunc(tied, before)
		p.label[first] = mix(p.label[first], 3)
		p.refine(edges)
	}
	return hash, p.order(edges)
}

// refine renews all labels until no more stages come apart.
func (p *planner) refine(edges []trace.Edge) {
	for classes, now := 0, p.classes(); now > classes && classes < len(p.label); {
		p.down(edges)
		p.up(edges)
		classes, now = now, p.classes()
	}
}

// tied returns the smallest set of stages with one label, the lowest label among equally small sets; nil if
// there is none.
func (p *planner) tied() []int32 {
	by := lists.Order(len(p.label), func(a, b int32) int { return cmp.Compare(p.label[a], p.label[b]) })
	var best []int32
	for from := 0; from < len(by); {
		to := from + 1
		for to < len(by) && p.label[by[to]] == p.label[by[from]] {
			to++
		}
		if to-from > 1 && (best == nil || to-from < len(best)) {
			best = by[from:to]
		}
		from = to
	}
	return best
}

// rank gives every stage a unique label: ordered by its label, then by before.
func (p *planner) rank(before func(a, b int32) int) {
	by := lists.Order(len(p.label), func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.label[a], p.label[b]), before(a, b))
	})
	for i, v := range by {
		p.label[v] = uint64(i)
	}
}

// order sorts stages topologically, the lowest label first among those whose parents are placed.
func (p *planner) order(edges []trace.Edge) []int32 {
	n := len(p.label)
	by := lists.Order(n, func(a, b int32) int { return cmp.Compare(p.label[a], p.label[b]) })
	place := make([]int32, n)
	for i, v := range by {
		place[v] = int32(i)
	}
	var data []trace.Edge
	for _, e := range edges {
		if e.Kind != trace.Driver {
			data = append(data, trace.Edge{Parent: place[e.Parent], Child: place[e.Child]})
		}
	}
	sorted, _, _ := trace.Topological(n, data) // the edges of a run hold no cycle
	for i, at := range sorted {
		sorted[i] = by[at]
	}
	return sorted
}
