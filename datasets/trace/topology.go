package trace

import (
	"slices"

	"racecard/datasets/lists"
)

// Topological returns the order in which n stages can be numbered so that every parent comes before its children:
// order[i] is the old number of the stage that becomes number i. Among stages that are ready at once the lowest old
// number comes first, so a list that is in order already stays as it is. When the edges hold a cycle, ok is false and
// cycle names one stage on it. Time O((n + len(edges)) log n); edges are not modified and must join stages 0..n-1.
//
// Kahn, "Topological sorting of large networks", CACM 5(11), 1962, with a heap for the ready set.
func Topological(n int, edges []Edge) (order []int32, cycle int32, ok bool) {
	waits := make([]int32, n) // unplaced parents
	first := make([]int32, n+1)
	for _, e := range edges {
		waits[e.Child]++
		first[e.Parent+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	children := make([]int32, len(edges))
	next := slices.Clone(first[:n])
	for _, e := range edges {
		children[next[e.Parent]] = e.Child
		next[e.Parent]++
	}
	ready := lists.Heap[int32]{Less: func(a, b int32) bool { return a < b }}
	for i, w := range waits {
		if w == 0 {
			ready.Items = append(ready.Items, int32(i)) // ascending: a heap
		}
	}
	order = make([]int32, 0, n)
	for ready.Len() > 0 {
		s := ready.Pop()
		order = append(order, s)
		for _, c := range children[first[s]:first[s+1]] {
			if waits[c]--; waits[c] == 0 {
				ready.Push(c)
			}
		}
	}
	if len(order) == n {
		return order, 0, true
	}
	return nil, onCycle(n, edges, waits), false
}

// onCycle walks from a stage that still waits to one of its waiting parents until a stage repeats: that one is on a
// cycle.
func onCycle(n int, edges []Edge, waits []int32) int32 {
	parent := make([]int32, n)
	var s int32
	for _, e := range edges {
		if waits[e.Child] > 0 && waits[e.Parent] > 0 {
			parent[e.Child] = e.Parent
			s = e.Child
		}
	}
	seen := make([]bool, n)
	for !seen[s] {
		seen[s] = true
		s = parent[s]
	}
	return s
}

// SortStages renumbers the stages of r topologically, as [Topological] orders them, and puts Edges and Attempts in
// their canonical order without duplicate edges. It reports the number of a stage on a cycle, and leaves r as it was,
// when there is one. Edges must join existing stages.
func (r *Run) SortStages() (cycle int32, ok bool) {
	inOrder := !slices.ContainsFunc(r.Edges, func(e Edge) bool { return e.Parent >= e.Child })
	if !inOrder {
		order, cycle, ok := Topological(len(r.Stages), r.Edges)
		if !ok {
			return cycle, false
		}
		stages := make([]Stage, len(order))
		number := make([]int32, len(order))
		for i, old := range order {
			stages[i] = r.Stages[old]
			number[old] = int32(i)
		}
		copy(r.Stages, stages) // in its own room, which readers use again
		for i, e := range r.Edges {
			r.Edges[i] = Edge{Parent: number[e.Parent], Child: number[e.Child], Kind: e.Kind}
		}
		for i := range r.Attempts {
			r.Attempts[i].Stage = number[r.Attempts[i].Stage]
		}
	}
	if !ascending(r.Edges) {
		slices.SortFunc(r.Edges, CompareEdges)
		r.Edges = slices.Compact(r.Edges)
	}
	SortAttempts(r.Attempts)
	return 0, true
}

// ascending reports whether edges are in their canonical order, each of them once.
func ascending(edges []Edge) bool {
	for i := 1; i < len(edges); i++ {
		if CompareEdges(edges[i-1], edges[i]) >= 0 {
			return false
		}
	}
	return true
}
