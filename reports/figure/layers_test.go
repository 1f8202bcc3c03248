package figure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
)

// drawGraph draws a graph of up to most stages in topological order.
func drawGraph(t *rapid.T, most int) (int, []graphEdge) {
	n := rapid.IntRange(1, most).Draw(t, "stages")
	g := &result.StageGraph{Stages: make([]result.GraphStage, n)}
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		kind := rapid.SampledFrom([]string{"all_to_all", "one_to_one", "driver", "unknown"}).Draw(t, "kind")
		g.Edges = append(g.Edges, result.GraphEdge{Parent: rapid.IntRange(-1, n).Draw(t, "parent"),
			Child: rapid.IntRange(-1, n).Draw(t, "child"), Kind: kind})
	}
	return n, edgesOf(g)
}

func TestEdgesThatCannotBeDrawnAreLeftOut(t *testing.T) {
	g := &result.StageGraph{Stages: make([]result.GraphStage, 3), Edges: []result.GraphEdge{
		{Parent: 0, Child: 1, Kind: "all_to_all"}, {Parent: 0, Child: 1, Kind: "driver"}, // the same twice
		{Parent: 2, Child: 1}, {Parent: 1, Child: 1}, // against the order
		{Parent: -1, Child: 2}, {Parent: 1, Child: 3}, // no such stage
		{Parent: 1, Child: 2, Kind: "driver"},
	}}
	got := edgesOf(g)
	want := []graphEdge{{parent: 0, child: 1, all: true}, {parent: 1, child: 2, driver: true}}
	if !slices.Equal(got, want) {
		t.Errorf("edges %+v, want %+v", got, want)
	}
}

// A stage's layer is the number of edges on the longest path to it: compared with all paths, enumerated.
func TestLayersAreLongestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := drawGraph(t, 8)
		var longest func(v int) int
		longest = func(v int) int {
			most := 0
			for _, e := range edges {
				if e.child == v {
					most = max(most, longest(e.parent)+1)
				}
			}
			return most
		}
		for v, got := range layersOf(n, edges) {
			if want := longest(v); got != want {
				t.Fatalf("layer of %d is %d, want %d", v, got, want)
			}
		}
	})
}

// In a layout no two vertices of a layer overlap, edges run to the next layer only, and nothing lies below zero.
func TestLayoutIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := drawGraph(t, 30)
		const size, gap = 18, 6
		g := layout(n, edges, size, gap)
		for l, layer := range g.layers {
			for i, v := range layer {
				at := &g.vertices[v]
				if at.layer != l || at.place-at.size/2 < -1e-6 {
					t.Fatalf("vertex %d: layer %d, place %v", v, at.layer, at.place)
				}
				if i > 0 {
					before := &g.vertices[layer[i-1]]
					if space := at.place - before.place - (at.size+before.size)/2; space < gap-1e-6 {
						t.Fatalf("layer %d: space of %v between %d and %d", l, space, layer[i-1], v)
					}
				}
			}
		}
		for i, route := range g.routes {
			if route[0] != edges[i].parent || route[len(route)-1] != edges[i].child {
				t.Fatalf("route %v of edge %+v", route, edges[i])
			}
			for k := 1; k < len(route); k++ {
				if g.vertices[route[k]].layer != g.vertices[route[k-1]].layer+1 {
					t.Fatalf("route %v skips a layer", route)
				}
			}
		}
	})
}

// crossings counts what comparing every pair of edges counts, and sorting layers never adds any.
func TestCrossings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := drawGraph(t, 20)
		g := layout(n, edges, 18, 6)
		rank := make([]int, len(g.vertices))
		for _, layer := range g.layers {
			for i, v := range layer {
				rank[v] = i
			}
		}
		type segment struct{ layer, from, to int }
		var segments []segment
		for v := range g.vertices {
			for _, u := range g.vertices[v].down {
				segments = append(segments, segment{g.vertices[v].layer, rank[v], rank[u.to]})
			}
		}
		want := 0
		for i, a := range segments {
			for _, b := range segments[:i] {
				if a.layer == b.layer && (a.from-b.from)*(a.to-b.to) < 0 {
					want++
				}
			}
		}
		if got := g.crossings(); got != want {
			t.Fatalf("%d crossings, want %d", got, want)
		}
	})
}

// settle is a least-squares fit: moving any run of vertices a little, gaps allowing, makes it no better.
func TestSettleIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "vertices")
		const gap = 3.0
		g := &layered{}
		var row []int
		want := make([]float64, n)
		for i := range n {
			g.vertices = append(g.vertices, vertex{size: rapid.Float64Range(1, 9).Draw(t, "size")})
			row = append(row, i)
			want[i] = rapid.Float64Range(-40, 40).Draw(t, "want")
		}
		g.settle(row, gap, func(v int) float64 { return want[v] })
		cost := func(shift float64, from, to int) float64 {
			sum := 0.0
			for i := range n {
				at := g.vertices[i].place
				if i >= from && i < to {
					at += shift
				}
				sum += (at - want[i]) * (at - want[i])
			}
			return sum
		}
		space := func(i int) float64 { // between i-1 and i, beyond the gap
			if i <= 0 || i >= n {
				return math.Inf(1)
			}
			a, b := &g.vertices[i-1], &g.vertices[i]
			return b.place - a.place - (a.size+b.size)/2 - gap
		}
		best := cost(0, 0, 0)
		for from := range n {
			if space(from) < -1e-6 {
				t.Fatalf("vertices %d and %d overlap", from-1, from)
			}
			for to := from + 1; to <= n; to++ {
				const step = 1e-3
				if space(from) >= step && cost(-step, from, to) < best-1e-9 || space(to) >= step && cost(step, from,
					to) < best-1e-9 {
					t.Fatalf("moving %d to %d makes it better", from, to)
				}
			}
		}
	})
}
