package figure

import (
	"cmp"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// layered is a stage graph laid out in layers, after K. Sugiyama, S. Tagawa and M. Toda, "Methods for Visual
// Understanding of Hierarchical System Structures", IEEE Transactions on Systems, Man and Cybernetics 11(2), 1981:
// edges run from lower to higher layers, an edge across several layers bends at a waypoint in each, and vertices of a
// layer are ordered by the mean place of their neighbours so that few edges cross.
type layered struct {
	vertices []vertex // stages first, by index, then waypoints
	layers   [][]int  // vertices of each layer, in order
	routes   [][]int  // per edge: vertices from parent to child
}

// vertex is a stage or a waypoint.
type vertex struct {
	layer    int
	place    float64 // centre across the layers, at least 0
	size     float64 // across the layers
	up, down []link  // neighbours in the layers before and after
}

// link is a neighbour with the weight of its pull on a vertex.
type link struct {
	to     int
	weight float64
}

// graphEdge is an edge to be drawn.
type graphEdge struct {
	parent, child int
	driver        bool
	critical      bool
	all           bool // all_to_all
}

// maxWaypoints bounds the size of a layout: beyond it, edges run straight across layers.
const maxWaypoints = 6000

// edgesOf returns the edges that can be drawn: between stages that exist, from a lower to a higher index (stages come
// in topological order), each once.
func edgesOf(g *result.StageGraph) []graphEdge {
	seen := map[[2]int]bool{}
	last := -1 // the critical stage before the present one
	next := map[int]int{}
	for i := range g.Stages {
		if g.Stages[i].Critical {
			next[last] = i
			last = i
		}
	}
	var out []graphEdge
	for _, e := range g.Edges {
		pair := [2]int{e.Parent, e.Child}
		if e.Parent < 0 || e.Child >= len(g.Stages) || e.Parent >= e.Child || seen[pair] {
			continue
		}
		seen[pair] = true
		d := graphEdge{parent: e.Parent, child: e.Child, driver: e.Kind == "driver", all: e.Kind == "all_to_all"}
		child, ok := next[e.Parent]
		d.critical = ok && child == e.Child && g.Stages[e.Parent].Critical && !d.driver
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b graphEdge) int {
		return cmp.Or(cmp.Compare(a.parent, b.parent), cmp.Compare(a.child, b.child))
	})
	return out
}

// layersOf returns the layer of each stage: the number of edges, of any kind, on the longest path that leads to it.
func layersOf(n int, edges []graphEdge) []int {
	out := make([]int, n)
	for _, e := range edges { // by parent, and parents come before children
		out[e.child] = max(out[e.child], out[e.parent]+1)
	}
	return out
}

// layout orders and places the stages of a graph. size is the extent of a stage across the layers, gap the space
// between two. The same graph gives the same layout.
func layout(n int, edges []graphEdge, size, gap float64) *layered {
	g := &layered{routes: make([][]int, len(edges))}
	g.vertices = lists.Map(layersOf(n, edges), func(layer int) vertex { return vertex{layer: layer, size: size} })
	waypoints := lists.SumOf(edges, func(e graphEdge) int {
		return g.vertices[e.child].layer - g.vertices[e.parent].layer - 1
	})
	for i, e := range edges {
		route := []int{e.parent}
		if waypoints <= maxWaypoints {
			for layer := g.vertices[e.parent].layer + 1; layer < g.vertices[e.child].layer; layer++ {
				g.vertices = append(g.vertices, vertex{layer: layer, size: min(size, 4)})
				route = append(route, len(g.vertices)-1)
			}
		}
		g.routes[i] = append(route, e.child)
		for k, v := range g.routes[i][1:] {
			u := g.routes[i][k]
			weight := 1.0
			switch { // waypoints in one line and a straight critical path come first
			case u >= n && v >= n:
				weight = 8
			case e.critical:
				weight = 6
			}
			g.vertices[u].down = append(g.vertices[u].down, link{v, weight})
			g.vertices[v].up = append(g.vertices[v].up, link{u, weight})
		}
	}
	for i, v := range g.vertices {
		for len(g.layers) <= v.layer {
			g.layers = append(g.layers, nil)
		}
		g.layers[v.layer] = append(g.layers[v.layer], i)
	}
	g.order()
	g.placeAll(gap)
	return g
}

// sweep visits the layers downwards with the neighbours above, then upwards with the neighbours below.
func (g *layered) sweep(visit func(layer []int, near func(*vertex) []link)) {
	for _, layer := range g.layers {
		visit(layer, func(v *vertex) []link { return v.up })
	}
	for _, layer := range slices.Backward(g.layers) {
		visit(layer, func(v *vertex) []link { return v.down })
	}
}

// order sorts each layer by the mean places of its neighbours, sweeping down and up, and keeps the order with the
// fewest crossings.
func (g *layered) order() {
	rank := make([]float64, len(g.vertices))
	number := func(layer []int) {
		for i, v := range layer {
			rank[v] = float64(i) - float64(len(layer)-1)/2
		}
	}
	sort := func(layer []int, neighbours func(*vertex) []link) {
		mean := make(map[int]float64, len(layer))
		for _, v := range layer {
			mean[v] = rank[v]
			if near := neighbours(&g.vertices[v]); len(near) > 0 {
				sum := lists.SumOf(near, func(u link) float64 { return rank[u.to] })
				mean[v] = sum / float64(len(near))
			}
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
		number(layer)
	}
	for _, layer := range g.layers {
		number(layer)
	}
	best, fewest := lists.Map(g.layers, slices.Clone), g.crossings()
	for round := 0; round < 12 && fewest > 0; round++ {
		g.sweep(sort)
		if n := g.crossings(); n < fewest {
			best, fewest = lists.Map(g.layers, slices.Clone), n
		}
	}
	g.layers = best
}

// crossings counts pairs of edges between adjacent layers that cross: inversions of the ends of the edges, which are in
// the order of their beginnings.
func (g *layered) crossings() (total int) {
	rank := make([]int, len(g.vertices))
	for _, layer := range g.layers {
		for i, v := range layer {
			rank[v] = i
		}
	}
	for i, layer := range g.layers {
		var before []int // ends of the edges so far, in ascending order
		for _, v := range layer {
			var ends []int
			for _, u := range g.vertices[v].down {
				if g.vertices[u.to].layer == i+1 {
					ends = append(ends, rank[u.to])
				}
			}
			slices.Sort(ends)
			for _, e := range ends {
				at, _ := slices.BinarySearch(before, e+1)
				total += len(before) - at
				before = slices.Insert(before, at, e)
			}
		}
	}
	return total
}

// placeAll gives every vertex its place: sweeps move each layer towards the mean place of its neighbours, within
// the limits of order and gaps.
func (g *layered) placeAll(gap float64) {
	for _, layer := range g.layers {
		g.settle(layer, gap, func(int) float64 { return 0 })
	}
	toward := func(layer []int, neighbours func(*vertex) []link) {
		g.settle(layer, gap, func(v int) float64 {
			near := neighbours(&g.vertices[v])
			if len(near) == 0 {
				return g.vertices[v].place
			}
			sum, weight := 0.0, 0.0
			for _, u := range near {
				sum += u.weight * g.vertices[u.to].place
				weight += u.weight
			}
			return sum / weight
		})
	}
	for range 6 {
		g.sweep(toward)
	}
	for _, layer := range g.layers {
		toward(layer, func(v *vertex) []link { return slices.Concat(v.up, v.down) })
	}
	low, _ := g.bounds(0, len(g.layers))
	for i := range g.vertices {
		g.vertices[i].place -= low
	}
}

// settle moves the vertices of a layer as near as possible (in least squares) to their wanted places, keeping their
// order and gaps.
func (g *layered) settle(layer []int, gap float64, want func(int) float64) {
	offset := make([]float64, len(layer)) // of each vertex from the first, when packed
	for i := 1; i < len(layer); i++ {
		offset[i] = offset[i-1] + (g.vertices[layer[i-1]].size+g.vertices[layer[i]].size)/2 + gap
	}
	places := make([]float64, len(layer)) // without offsets
	for i, v := range layer {
		places[i] = want(v) - offset[i]
	}
	lists.Ascend(places, nil)
	for i, v := range layer {
		g.vertices[v].place = places[i] + offset[i]
	}
}

// extent returns the size of the layout across its layers.
func (g *layered) extent() float64 {
	_, high := g.bounds(0, len(g.layers))
	return max(high, 0)
}
