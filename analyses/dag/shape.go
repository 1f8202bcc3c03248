package dag

// Shapes are the classes of graphs, by the direction of edges alone; edges of kind driver are left out, and the kinds
// of the others matter for map_reduce only. The first class that fits counts.
//
//   - single: one stage.
//   - disconnected: more than one weakly connected part.
//   - map_reduce: two stages, joined by an all_to_all edge.
//   - chain: no stage has more than one parent or more than one child.
//   - fork: one stage is the only parent of all others, at least two, which have no children.
//   - join: one stage is the only child of all others, at least two, which have no parents.
//   - diamond: one stage without parents, one without children, and between them at least two chains of at least one
//     stage each, which have nothing else in common: every stage in between has one parent and one child.
//   - out_tree: no stage has more than one parent.
//   - in_tree: no stage has more than one child.
//   - tree: joined by one edge fewer than there are stages, some with several parents and some with several children.
//   - general: all others.
func Shapes() []string {
	return []string{
		Single, MapReduce, Chain, Fork, Join, Diamond, OutTree, InTree, Tree, General, Disconnected,
	}
}

// The names of the shapes, as they are written in tables.
const (
	Single       = "single"
	Disconnected = "disconnected"
	MapReduce    = "map_reduce"
	Chain        = "chain"
	Fork         = "fork"
	Join         = "join"
	Diamond      = "diamond"
	OutTree      = "out_tree"
	InTree       = "in_tree"
	Tree         = "tree"
	General      = "general"
)

// Shape returns the class of a graph of at least one node, one of [Shapes]: components is the number of its weakly
// connected components, shuffle tells whether its edges are all_to_all. Time O(nodes).
func (g *Graph) Shape(components int, shuffle bool) string {
	n, m := g.N(), g.NumEdges()
	if n == 1 {
		return Single
	}
	if components > 1 {
		return Disconnected
	}
	var sources, sinks, parents, children int // stages without; most of one stage
	through, last := 0, 0                     // stages with one parent and one child; parents of the last sink
	for v := range n {
		in, out := len(g.Parents(v)), len(g.Children(v))
		parents, children = max(parents, in), max(children, out)
		if in == 0 {
			sources++
		}
		if out == 0 {
			sinks++
			last = in
		}
		if in == 1 && out == 1 {
			through++
		}
	}
	switch {
	case n == 2 && shuffle:
		return MapReduce
	case parents <= 1 && children <= 1:
		return Chain
	case parents == 1 && sinks == n-1:
		return Fork
	case children == 1 && sources == n-1:
		return Join
	case sources == 1 && sinks == 1 && through == n-2 && last > 1 && !g.joined(0, n-1):
		return Diamond
	case parents == 1:
		return OutTree
	case children == 1:
		return InTree
	case m == n-1:
		return Tree
	}
	return General
}

// joined reports whether an edge leads from p to c.
func (g *Graph) joined(p, c int) bool {
	for _, x := range g.Children(p) {
		if int(x) == c {
			return true
		}
	}
	return false
}
