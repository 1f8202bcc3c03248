package dag

import (
	"cmp"
	"slices"

	"racecard/datasets/trace"
)

// Graph is a directed acyclic graph of n nodes in topological order: every edge points to a higher number. Edges are
// distinct. The zero value is the graph of no nodes.
type Graph struct {
	first    []int32 // children of node v are child[first[v]:first[v+1]]
	child    []int32
	firstPar []int32 // parents of node v are parent[firstPar[v]:firstPar[v+1]]
	parent   []int32
}

// N returns the number of nodes.
func (g *Graph) N() int { return max(0, len(g.first)-1) }

// NumEdges returns the number of edges.
func (g *Graph) NumEdges() int { return len(g.child) }

// Children returns the nodes that v points to, ascending. The slice belongs to the graph.
func (g *Graph) Children(v int) []int32 { return g.child[g.first[v]:g.first[v+1]] }

// Parents returns the nodes that point to v, ascending. The slice belongs to the graph.
func (g *Graph) Parents(v int) []int32 { return g.parent[g.firstPar[v]:g.firstPar[v+1]] }

// Set makes g the graph of n nodes and those edges for which keep is true, two edges between the same nodes being one.
// It reuses the memory of g. Edges must point to higher numbers. Time O(n + len(edges)) where they are sorted, as in
// [trace.Run].
func (g *Graph) Set(n int, edges []trace.Edge, keep func(trace.EdgeKind) bool) {
	g.first, g.firstPar = zeros(g.first, n+1), zeros(g.firstPar, n+1)
	g.parent = g.parent[:0]
	if !slices.IsSortedFunc(edges, byChild) {
		edges = slices.SortedFunc(slices.Values(edges), byChild)
	}
	last := trace.Edge{Parent: -1}
	for _, e := range edges { // the parents of a node are together
		if !keep(e.Kind) || e.Parent == last.Parent && e.Child == last.Child {
			continue
		}
		last = e
		g.parent = append(g.parent, e.Parent)
		g.firstPar[e.Child+1]++
		g.first[e.Parent+1]++
	}
	for v := range n {
		g.first[v+1] += g.first[v]
		g.firstPar[v+1] += g.firstPar[v]
	}
	g.child = zeros(g.child, len(g.parent))
	next := append([]int32(nil), g.first[:n]...)
	for v := range n {
		for _, p := range g.Parents(v) {
			g.child[next[p]] = int32(v)
			next[p]++
		}
	}
}

// byChild orders edges by child, then parent.
func byChild(a, b trace.Edge) int {
	return cmp.Or(cmp.Compare(a.Child, b.Child), cmp.Compare(a.Parent, b.Parent))
}

// zeros returns s with length n and all elements zero.
func zeros(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// Barriers returns the number of nodes with more than one parent.
func (g *Graph) Barriers() int {
	n := 0
	for v := range g.N() {
		if len(g.Parents(v)) > 1 {
			n++
		}
	}
	return n
}

// Depth returns the number of nodes on the longest path.
func (g *Graph) Depth() int {
	if g.N() == 0 {
		return 0
	}
	return int(slices.Max(g.Levels())) + 1
}

// Levels returns, for every node, the number of edges on the longest path that ends there.
func (g *Graph) Levels() []int32 {
	level := make([]int32, g.N())
	for v := range level {
		for _, p := range g.Parents(v) {
			level[v] = max(level[v], level[p]+1)
		}
	}
	return level
}

// CriticalPath returns the greatest sum of weights along a path, and the nodes of one such path in order. Of paths of
// equal weight it takes the one with the lowest node numbers, compared from the end. Weights must not be negative.
func (g *Graph) CriticalPath(weight []float64) (length float64, path []int32) {
	best := make([]float64, g.N())
	from := make([]int32, g.N())
	end := -1
	for v := range best {
		from[v] = -1
		for _, p := range g.Parents(v) {
			if from[v] < 0 || best[p] > best[from[v]] {
				from[v] = p
			}
		}
		best[v] = weight[v]
		if from[v] >= 0 {
			best[v] += best[from[v]]
		}
		if end < 0 || best[v] > best[end] {
			end = v
		}
	}
	if end < 0 {
		return 0, nil
	}
	for v := int32(end); v >= 0; v = from[v] {
		path = append(path, v)
	}
	slices.Reverse(path)
	return best[end], path
}
