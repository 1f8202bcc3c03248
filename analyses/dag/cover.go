package dag

// Paths returns the least number of vertex-disjoint paths along edges that together visit every node once, and the
// width: the size of the largest antichain, the largest set of nodes in which none can be reached from another.
//
// The first is n minus a maximum matching between nodes and their successors (J. E. Hopcroft and R. M. Karp, "An n^5/2
// Algorithm for Maximum Matchings in Bipartite Graphs", SIAM J. Computing 2(4), 1973). Time O(edges x sqrt(n)).
//
// By Dilworth's theorem, the width is the least number of paths that together visit every node at least once and may
// share nodes (R. P. Dilworth, "A Decomposition Theorem for Partially Ordered Sets", Annals of Mathematics 51(1),
// 1950). The paths are a flow of at least one unit through every node. It starts as the vertex-disjoint cover and is
// reduced along shortest augmenting paths (Y. Dinitz, 1970), without the transitive closure, so large sparse graphs are
// cheap. It is not needed where a level has as many nodes as there are disjoint paths: the nodes of a level are an
// antichain. Most graphs of jobs are such that even the first cover at hand has no more paths.
func (g *Graph) Paths() (disjoint, width int) {
	m, level := g.greedy(), g.broadest()
	if disjoint = m.paths(); disjoint == level {
		return disjoint, disjoint
	}
	m.complete()
	if disjoint = m.paths(); disjoint == level {
		return disjoint, disjoint
	}
	width = disjoint
	f := newFlow(g, m.before)
	for f.layers() {
		width -= f.reduce()
	}
	return disjoint, width
}

// broadest returns the most nodes on one level.
func (g *Graph) broadest() int {
	levels := g.Levels()
	nodes, most := make([]int32, len(levels)), int32(0)
	for _, l := range levels {
		nodes[l]++
		most = max(most, nodes[l])
	}
	return int(most)
}

// greedy returns a matching of every node with its first child that has no other parent yet. It leaves little to do.
func (g *Graph) greedy() *matching {
	m := &matching{g: g, after: fill(make([]int32, g.N()), -1), before: fill(make([]int32, g.N()), -1)}
	for v := range m.after {
		for _, c := range g.Children(v) {
			if m.before[c] < 0 {
				m.after[v], m.before[c] = c, int32(v)
				break
			}
		}
	}
	return m
}

// paths returns the number of paths that the matching leaves.
func (m *matching) paths() (n int) {
	for _, before := range m.before {
		if before < 0 {
			n++
		}
	}
	return n
}

// complete makes the matching a largest one.
func (m *matching) complete() {
	n := m.g.N()
	m.dist, m.next, m.queue = make([]int32, n), make([]int32, n), make([]int32, 0, n)
	for m.layers() {
		copy(m.next, m.g.first)
		for v := range n {
			if m.after[v] < 0 {
				m.augment(int32(v))
			}
		}
	}
}

func fill(s []int32, x int32) []int32 {
	for i := range s {
		s[i] = x
	}
	return s
}

// matching pairs a node with at most one of its children, and every child with at most one parent: with the node after
// it on its path, and the node before it, -1 where a path ends or starts.
type matching struct {
	g             *Graph
	after, before []int32
	dist          []int32 // alternating steps from a free node; -1 when not reached
	next          []int32 // edges of a node that were tried in this phase
	queue, stack  []int32
}

// layers finds the distance of every node from the unmatched ones and reports whether an augmenting path exists.
func (m *matching) layers() bool {
	m.queue = m.queue[:0]
	for v := range m.dist {
		m.dist[v] = -1
		if m.after[v] < 0 {
			m.dist[v] = 0
			m.queue = append(m.queue, int32(v))
		}
	}
	found := false
	for i := 0; i < len(m.queue); i++ {
		v := m.queue[i]
		for _, c := range m.g.Children(int(v)) {
			w := m.before[c]
			if w < 0 {
				found = true
			} else if m.dist[w] < 0 {
				m.dist[w] = m.dist[v] + 1
				m.queue = append(m.queue, w)
			}
		}
	}
	return found
}

// augment looks for an augmenting path from v along the layers. It keeps an explicit stack, since chains can be
// long.
func (m *matching) augment(v int32) {
	m.stack = append(m.stack[:0], v)
	for len(m.stack) > 0 {
		u := m.stack[len(m.stack)-1]
		if m.next[u] == m.g.first[u+1] {
			m.stack = m.stack[:len(m.stack)-1]
			continue
		}
		c := m.g.child[m.next[u]]
		m.next[u]++
		w := m.before[c]
		if w >= 0 {
			if m.dist[w] == m.dist[u]+1 {
				m.stack = append(m.stack, w)
			}
			continue
		}
		for i := len(m.stack) - 1; i >= 0; i-- { // every node on the stack is matched with its current child
			x := m.stack[i]
			c := m.g.child[m.next[x]-1]
			m.after[x], m.before[c] = c, x
		}
		return
	}
}

// flow is a set of paths that visits every node. Vertex 2v is where paths enter node v, 2v+1 where they leave it.
type flow struct {
	g       *Graph
	edge    []int32 // paths along edge i of g.child
	edgeOf  []int32 // edge number behind position i of g.parent
	through []int32 // paths through a node, at least 1
	starts  []int32 // paths that start at a node
	ends    []int32 // paths that end at a node
	dist    []int32
	next    []int32
	queue   []int32
	stack   []int32
	moves   []move
}

// move is a step of an augmenting path: it adds delta to one count.
type move struct {
	count *int32
	delta int32
}

// newFlow returns the flow of a vertex-disjoint path cover.
func newFlow(g *Graph, cover []int32) *flow {
	n := g.N()
	f := &flow{
		g: g, edge: make([]int32, g.NumEdges()), edgeOf: make([]int32, g.NumEdges()),
		through: fill(make([]int32, n), 1), starts: make([]int32, n), ends: fill(make([]int32, n), 1),
		dist: make([]int32, 2*n), next: make([]int32, 2*n), queue: make([]int32, 0, 2*n),
	}
	at := append([]int32(nil), g.firstPar...)
	for v := range n {
		for i := g.first[v]; i < g.first[v+1]; i++ {
			c := g.child[i]
			f.edgeOf[at[c]] = i
			at[c]++
		}
	}
	for v, before := range cover {
		if before < 0 {
			f.starts[v] = 1
			continue
		}
		f.ends[before] = 0
		for i := g.first[before]; i < g.first[before+1]; i++ {
			if g.child[i] == int32(v) {
				f.edge[i] = 1
			}
		}
	}
	return f
}

// steps calls visit for arc number k of vertex x in the residual graph, from which the flow can be reduced: against
// paths, or along edges and nodes, which may carry any number of them. It reports whether there is an arc k.
func (f *flow) step(x, k int32) (to int32, m move, usable, more bool) {
	v := x >> 1
	if x&1 == 1 { // leaving node v: on along its edges, or back through the node
		if children := f.g.first[v+1] - f.g.first[v]; k < children {
			i := f.g.first[v] + k
			return 2 * f.g.child[i], move{&f.edge[i], +1}, true, true
		} else if k == children {
			return 2 * v, move{&f.through[v], -1}, f.through[v] > 1, true
		}
		return 0, move{}, false, false
	}
	// entering node v: through it, or back along the edges by which paths came
	if k == 0 {
		return 2*v + 1, move{&f.through[v], +1}, true, true
	}
	if j := f.g.firstPar[v] + k - 1; j < f.g.firstPar[v+1] {
		i := f.edgeOf[j]
		return 2*f.g.parent[j] + 1, move{&f.edge[i], -1}, f.edge[i] > 0, true
	}
	return 0, move{}, false, false
}

// layers finds distances from the ends of paths and reports whether the start of a path can be reached: then that path
// can be joined to the end of another.
func (f *flow) layers() bool {
	fill(f.dist, -1)
	f.queue = f.queue[:0]
	for v := range f.g.N() {
		if f.ends[v] > 0 {
			f.dist[2*v+1] = 0
			f.queue = append(f.queue, int32(2*v+1))
		}
	}
	found := false
	for i := 0; i < len(f.queue); i++ {
		x := f.queue[i]
		if x&1 == 0 && f.starts[x>>1] > 0 {
			found = true
		}
		for k := int32(0); ; k++ {
			to, _, usable, more := f.step(x, k)
			if !more {
				break
			}
			if usable && f.dist[to] < 0 {
				f.dist[to] = f.dist[x] + 1
				f.queue = append(f.queue, to)
			}
		}
	}
	return found
}

// reduce joins paths along the layers until no more can be joined, and returns the number of joins.
func (f *flow) reduce() int {
	clear(f.next)
	joined := 0
	for v := range f.g.N() {
		for f.ends[v] > 0 && f.join(int32(v)) {
			joined++
		}
	}
	return joined
}

// join looks for a way from the end of a path at node v to the start of another.
func (f *flow) join(v int32) bool {
	f.stack, f.moves = append(f.stack[:0], 2*v+1), f.moves[:0]
	for len(f.stack) > 0 {
		x := f.stack[len(f.stack)-1]
		if x&1 == 0 && f.starts[x>>1] > 0 {
			f.starts[x>>1]--
			f.ends[v]--
			for _, m := range f.moves {
				*m.count += m.delta
			}
			return true
		}
		to, m, usable, more := f.step(x, f.next[x])
		switch {
		case !more:
			f.stack = f.stack[:len(f.stack)-1]
			if len(f.moves) > 0 {
				f.moves = f.moves[:len(f.moves)-1]
			}
			if len(f.stack) > 0 {
				f.next[f.stack[len(f.stack)-1]]++
			}
		case usable && f.dist[to] == f.dist[x]+1:
			f.stack, f.moves = append(f.stack, to), append(f.moves, m)
		default:
			f.next[x]++
		}
	}
	return false
}
