package dependency

// graph links runs, by their place in the order, to their dependents. Every edge leads to a later place, so there is no
// cycle.
type graph struct {
	first     []int   // children of run i are children[first[i]:first[i+1]]
	children  []int32 // ascending
	producers []int32 // how many runs each run depends on
	chain     []int32 // edges on the longest chain that begins with each run
}

// newGraph returns the graph of n runs. pairs are sorted by dependent.
func newGraph(n int, pairs []pair) *graph {
	g := &graph{first: make([]int, n+1), children: make([]int32, len(pairs)), producers: make([]int32, n),
		chain: make([]int32, n)}
	for _, p := range pairs {
		g.first[p.producer+1]++
		g.producers[p.dependent]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	next := append([]int(nil), g.first...)
	for _, p := range pairs {
		g.children[next[p.producer]] = p.dependent
		next[p.producer]++
	}
	for i := n - 1; i >= 0; i-- {
		for _, c := range g.of(int32(i)) {
			g.chain[i] = max(g.chain[i], g.chain[c]+1)
		}
	}
	return g
}

// of returns the runs that depend on a run.
func (g *graph) of(run int32) []int32 { return g.children[g.first[run]:g.first[run+1]] }

// longest returns the runs of the longest chain, at most n of them, the earliest of equals at each step.
func (g *graph) longest(n int) []int32 {
	at := int32(-1)
	for i, edges := range g.chain {
		if edges > 0 && (at < 0 || edges > g.chain[at]) {
			at = int32(i)
		}
	}
	var out []int32
	for at >= 0 && len(out) < n {
		out = append(out, at)
		next := int32(-1)
		for _, c := range g.of(at) {
			if g.chain[c] == g.chain[at]-1 {
				next = c
				break
			}
		}
		at = next
	}
	return out
}

// components returns the sets of two or more runs that are connected by dependencies, each in ascending order, the one
// with the earliest run first.
func (g *graph) components() [][]int32 {
	n := len(g.chain)
	parent := make([]int32, n) // a union-find forest whose roots are the earliest of their sets
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i := range n {
		for _, c := range g.of(int32(i)) {
			a, b := root(int32(i)), root(c)
			parent[max(a, b)] = min(a, b)
		}
	}
	size := make([]int32, n)
	for i := range n {
		size[root(int32(i))]++
	}
	var out [][]int32
	number := make([]int32, n)
	for i := range n {
		r := root(int32(i))
		if size[r] < 2 {
			continue
		}
		if int(r) == i {
			number[r] = int32(len(out))
			out = append(out, make([]int32, 0, size[r]))
		}
		out[number[r]] = append(out[number[r]], int32(i))
	}
	return out
}
