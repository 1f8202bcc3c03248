package dag

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// Renumbering the stages of a graph moves nothing in canonical order: neither edges nor what tells tied stages apart.
func TestCanonicalOrderDoesNotDependOnNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "stages")
		var edges []trace.Edge
		for c := int32(1); c < int32(n); c++ {
			for p := range c {
				if rapid.Bool().Draw(t, "edge") {
					edges = append(edges, trace.Edge{Parent: p, Child: c, Kind: trace.AllToAll})
				}
			}
		}
		marks := rapid.Permutation(identity(n)).Draw(t, "marks") // what compare looks at: distinct
		perm := rapid.Permutation(identity(n)).Draw(t, "numbers")
		one, keysOne := canonicalForm(n, edges, marks)

		moved := make([]trace.Edge, len(edges))
		for i, e := range edges {
			moved[i] = trace.Edge{Parent: perm[e.Parent], Child: perm[e.Child], Kind: e.Kind}
		}
		order, _, _ := trace.Topological(n, moved)
		number := make([]int32, n)
		for i, v := range order {
			number[v] = int32(i)
		}
		for i, e := range moved {
			moved[i] = trace.Edge{Parent: number[e.Parent], Child: number[e.Child], Kind: e.Kind}
		}
		slices.SortFunc(moved, trace.CompareEdges)
		movedMarks := make([]int32, n)
		for v := range n {
			movedMarks[number[perm[v]]] = marks[v]
		}
		two, keysTwo := canonicalForm(n, moved, movedMarks)
		if !slices.Equal(one, two) || !slices.Equal(keysOne, keysTwo) {
			t.Fatalf("edges %v, marks %v: got %v, %v; renumbered %v, %v", edges, marks, one, keysOne, two, keysTwo)
		}
	})
}

func identity(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// canonicalForm returns edges between positions, and the marks of the stages by position.
func canonicalForm(n int, edges []trace.Edge, marks []int32) ([]trace.Edge, []int32) {
	_, order := Canonical(n, edges, func(a, b int32) int { return cmp.Compare(marks[a], marks[b]) })
	at, byPosition := make([]int32, n), make([]int32, n)
	for i, v := range order {
		at[v], byPosition[i] = int32(i), marks[v]
	}
	out := make([]trace.Edge, len(edges))
	for i, e := range edges {
		out[i] = trace.Edge{Parent: at[e.Parent], Child: at[e.Child], Kind: e.Kind}
		if out[i].Parent >= out[i].Child {
			panic("not topological")
		}
	}
	slices.SortFunc(out, trace.CompareEdges)
	return out, byPosition
}

// The hash is the one of the dag analysis, and many stages that nothing tells apart do not take forever.
func TestCanonicalOfManyTies(t *testing.T) {
	var edges []trace.Edge
	for p := range int32(2000) {
		edges = append(edges, trace.Edge{Parent: p, Child: 2000, Kind: trace.AllToAll})
	}
	weight := rand.New(rand.NewPCG(1, 2)).Perm(2001)
	hash, order := Canonical(2001, edges, func(a, b int32) int { return cmp.Compare(weight[a], weight[b]) })
	if hash != hashOf(2001, edges) {
		t.Errorf("hash %x, want %x", hash, hashOf(2001, edges))
	}
	if order[2000] != 2000 {
		t.Errorf("the child is number %d of the order", slices.Index(order, 2000))
	}
}
