package dag

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

func hashOf(n int, edges []trace.Edge) uint64 {
	edges = slices.Clone(edges)
	slices.SortFunc(edges, trace.CompareEdges)
	return (&planner{}).hash(n, edges)
}

// renumbered returns a run's stages in another order: a random one of those in which parents come before children.
func renumbered(n int, edges []trace.Edge, rng *rand.Rand) []trace.Edge {
	r := trace.NewRun("r")
	place := rng.Perm(n)
	for range n {
		r.Stages = append(r.Stages, trace.NewStage())
	}
	for _, e := range edges {
		r.Edges = append(r.Edges, trace.Edge{Parent: int32(place[e.Parent]), Child: int32(place[e.Child]),
			Kind: e.Kind})
	}
	if _, ok := r.SortStages(); !ok {
		panic("renumbering made a cycle")
	}
	return r.Edges
}

func TestHashDoesNotDependOnNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "stages")
		var edges []trace.Edge
		for c := int32(1); c < int32(n); c++ {
			for p := range c {
				if rapid.IntRange(0, n/3).Draw(t, "edge") == 0 {
					edges = append(edges, trace.Edge{Parent: p, Child: c,
						Kind: trace.EdgeKind(rapid.IntRange(0, 3).Draw(t, "kind"))})
				}
			}
		}
		want := hashOf(n, edges)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := &planner{}
		for range 3 {
			other := renumbered(n, edges, rng)
			if got := p.hash(n, other); got != want {
				t.Fatalf("%v: hash %x, renumbered %v: %x", edges, want, other, got)
			}
		}
		driver := slices.DeleteFunc(slices.Clone(edges), func(e trace.Edge) bool { return e.Kind == trace.Driver })
		if hashOf(n, driver) != want {
			t.Fatalf("%v: edges of the driver change the hash", edges)
		}
	})
}

// canonical returns the least list of edges over all numberings of a small graph: the same for isomorphic graphs only.
func canonical(n int, edges []trace.Edge) string {
	least := ""
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	permute(order, 0, func() {
		moved := make([]trace.Edge, len(edges))
		for i, e := range edges {
			moved[i] = trace.Edge{Parent: order[e.Parent], Child: order[e.Child], Kind: e.Kind}
		}
		slices.SortFunc(moved, trace.CompareEdges)
		if s := fmt.Sprint(moved); least == "" || s < least {
			least = s
		}
	})
	return least
}

func permute(s []int32, from int, visit func()) {
	if from == len(s) {
		visit()
		return
	}
	for i := from; i < len(s); i++ {
		s[from], s[i] = s[i], s[from]
		permute(s, from+1, visit)
		s[from], s[i] = s[i], s[from]
	}
}

// All graphs of up to five stages: graphs that are not isomorphic have different hashes, without exception. How many
// there are is sequence A003087 of the On-Line Encyclopedia of Integer Sequences, acyclic digraphs with n unlabelled
// nodes.
func TestSmallGraphsHaveDifferentHashes(t *testing.T) {
	for _, test := range []struct{ n, graphs int }{{1, 1}, {2, 2}, {3, 6}, {4, 31}, {5, 302}} {
		form, hash := map[uint64]string{}, map[string]uint64{}
		var pairs []trace.Edge
		for c := int32(1); c < int32(test.n); c++ {
			for p := range c {
				pairs = append(pairs, trace.Edge{Parent: p, Child: c})
			}
		}
		for set := range 1 << len(pairs) {
			var edges []trace.Edge
			for i, e := range pairs {
				if set&(1<<i) != 0 {
					edges = append(edges, e)
				}
			}
			f, h := canonical(test.n, edges), hashOf(test.n, edges)
			if other, ok := form[h]; ok && other != f {
				t.Errorf("%s and %s have the same hash", f, other)
			}
			if other, ok := hash[f]; ok && other != h {
				t.Errorf("%s has two hashes", f)
			}
			form[h], hash[f] = f, h
		}
		if len(hash) != test.graphs || len(form) != test.graphs {
			t.Errorf("%d stages: %d graphs and %d hashes, want %d of both", test.n, len(hash), len(form), test.graphs)
		}
	}
}

// Graphs of up to three stages with every choice of kinds: one_to_one, all_to_all or none between each two.
func TestKindsChangeTheHash(t *testing.T) {
	form, hash := map[uint64]string{}, map[string]uint64{}
	for choice := range 27 {
		var edges []trace.Edge
		for i, pair := range []trace.Edge{{Parent: 0, Child: 1}, {Parent: 0, Child: 2}, {Parent: 1, Child: 2}} {
			if k := choice / []int{1, 3, 9}[i] % 3; k > 0 {
				pair.Kind = trace.EdgeKind(k)
				edges = append(edges, pair)
			}
		}
		form[hashOf(3, edges)] = canonical(3, edges)
		hash[canonical(3, edges)] = hashOf(3, edges)
	}
	if len(form) != len(hash) {
		t.Errorf("%d hashes of %d plans", len(form), len(hash))
	}
}

// All graphs of six stages: since the hash does not depend on the numbering, as many hashes as graphs means that none
// is shared.
func TestGraphsOfSixStagesHaveDifferentHashes(t *testing.T) {
	var pairs, edges []trace.Edge
	for c := int32(1); c < 6; c++ {
		for p := range c {
			pairs = append(pairs, trace.Edge{Parent: p, Child: c})
		}
	}
	p, seen := &planner{}, map[uint64]bool{}
	for set := range 1 << len(pairs) {
		edges = edges[:0]
		for i, e := range pairs {
			if set&(1<<i) != 0 {
				edges = append(edges, e)
			}
		}
		seen[p.hash(6, edges)] = true
	}
	if len(seen) != 5984 { // A003087
		t.Errorf("%d hashes, want 5984", len(seen))
	}
}

// Of the 243,668 graphs of seven stages 19 share their hash with another (243,649 hashes, counted as above). One such
// pair: two stages, each of which feeds a second and a third that the second feeds too, the thirds both feeding the
// last; and the same with the second of each feeding the third of the other. Colour refinement cannot see triangles.
func TestKnownPairWithOneHash(t *testing.T) {
	edge := func(p, c int32) trace.Edge { return trace.Edge{Parent: p, Child: c} }
	triangles := []trace.Edge{edge(0, 2), edge(2, 4), edge(0, 4), edge(1, 3), edge(3, 5), edge(1, 5), edge(4, 6),
		edge(5, 6)}
	crossed := []trace.Edge{edge(0, 2), edge(2, 5), edge(0, 4), edge(1, 3), edge(3, 4), edge(1, 5), edge(4, 6),
		edge(5, 6)}
	if canonical(7, triangles) == canonical(7, crossed) {
		t.Error("the two graphs are one")
	}
	if hashOf(7, triangles) != hashOf(7, crossed) {
		t.Error("the hash tells them apart: say so where it is documented")
	}
}

// Colour refinement alone cannot tell one cycle of eight stages, alternately parents and children, from two of four;
// the size of the parts does.
func TestPartsAreToldApart(t *testing.T) {
	cycle := func(from, length int32) (edges []trace.Edge) { // sources from..from+length/2-1, then as many sinks
		half := length / 2
		for i := range half {
			edges = append(edges, trace.Edge{Parent: from + i, Child: from + half + i}, trace.Edge{Parent: from +
				i, Child: from + half + (i+1)%half})
		}
		return edges
	}
	if hashOf(8, cycle(0, 8)) == hashOf(8, append(cycle(0, 4), cycle(4, 4)...)) {
		t.Error("one cycle of eight and two of four have the same hash")
	}
}

func TestHashOfLongGraphs(t *testing.T) {
	const n = 100_000
	var chain, zigzag []trace.Edge
	for v := int32(1); v < n; v++ {
		chain = append(chain, trace.Edge{Parent: v - 1, Child: v})
	}
	for v := int32(0); v < n/2; v++ { // parents first, then the children between them
		zigzag = append(zigzag, trace.Edge{Parent: v, Child: n/2 + v}, trace.Edge{Parent: (v + 1) % (n / 2),
			Child: n/2 + v})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	if hashOf(n, zigzag) != (&planner{}).hash(n, renumbered(n, zigzag, rng)) {
		t.Error("the hash of a zigzag depends on the order of its stages")
	}
	if hashOf(n, chain) == hashOf(n, chain[1:]) || hashOf(n, chain) == hashOf(n, zigzag) {
		t.Error("different long graphs have the same hash")
	}
}

func TestShapeClasses(t *testing.T) {
	edge := func(p, c int32) trace.Edge { return trace.Edge{Parent: p, Child: c, Kind: trace.AllToAll} }
	narrow := trace.Edge{Parent: 0, Child: 1, Kind: trace.OneToOne}
	driver := trace.Edge{Parent: 0, Child: 1, Kind: trace.Driver}
	for _, test := range []struct {
		name  string
		n     int
		edges []trace.Edge
		want  string
	}{
		{"one stage", 1, nil, Single},
		{"two alone", 2, nil, Disconnected},
		{"two that the driver orders", 2, []trace.Edge{driver}, Disconnected},
		{"a shuffle", 2, []trace.Edge{edge(0, 1)}, MapReduce},
		{"two without a shuffle", 2, []trace.Edge{narrow}, Chain},
		{"map, shuffle, reduce, shuffle, reduce", 3, []trace.Edge{edge(0, 1), edge(1, 2)}, Chain},
		{"a shuffle and one alone", 3, []trace.Edge{edge(0, 1)}, Disconnected},
		{"fork", 3, []trace.Edge{edge(0, 1), edge(0, 2)}, Fork},
		{"join", 4, []trace.Edge{edge(0, 3), edge(1, 3), edge(2, 3)}, Join},
		{"diamond", 4, []trace.Edge{edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3)}, Diamond},
		{"diamond of three unequal chains", 6, []trace.Edge{edge(0, 1), edge(0, 2), edge(2, 3), edge(0, 4), edge(1, 5),
			edge(3, 5), edge(4, 5)}, Diamond},
		{"triangle", 3, []trace.Edge{edge(0, 1), edge(0, 2), edge(1, 2)}, General},
		{"diamond with a short cut", 4, []trace.Edge{edge(0, 1), edge(0, 2), edge(0, 3), edge(1, 3), edge(2, 3)},
			General},
		{"diamond with a rung", 4, []trace.Edge{edge(0, 1), edge(0, 2), edge(1, 2), edge(1, 3), edge(2, 3)}, General},
		{"out-tree", 4, []trace.Edge{edge(0, 1), edge(1, 2), edge(1, 3)}, OutTree},
		{"in-tree", 4, []trace.Edge{edge(0, 2), edge(1, 2), edge(2, 3)}, InTree},
		{"hourglass", 5, []trace.Edge{edge(0, 2), edge(1, 2), edge(2, 3), edge(2, 4)}, Tree},
		{"two diamonds in a row", 7, []trace.Edge{edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3), edge(3, 4),
			edge(3, 5), edge(4, 6), edge(5, 6)}, General},
		{"two diamonds", 8, []trace.Edge{edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3), edge(4, 5), edge(4, 6),
			edge(5, 7), edge(6, 7)}, Disconnected},
		{"the same edge twice", 2, []trace.Edge{narrow, edge(0, 1)}, MapReduce},
	} {
		r := trace.NewRun("r")
		for range test.n {
			r.Stages = append(r.Stages, trace.NewStage())
		}
		r.Edges = test.edges
		slices.SortFunc(r.Edges, trace.CompareEdges)
		p := New(DefaultOptions())
		p.Add(r)
		if got := firstShape(p).Shape; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if !slices.Contains(Shapes(), test.want) {
			t.Errorf("%s is not among the shapes", test.want)
		}
	}
}

// Plans of three jobs, by hand, with a job recurring from two succeeded runs on:
//
//	a-#: a chain of two, twice, the second named otherwise; a fork once: 2 plans, the commonest has 2 of 3 runs
//	b:   two stages alone, once succeeded, once failed: does not recur
//	c:   the chain of two again, twice: 1 plan
//
// Together 3 plans over 7 runs. The chain, of unknown kind, has 4 of them, under 2 names.
func TestPlansOfJobs(t *testing.T) {
	o := DefaultOptions()
	o.MinRuns = 2
	runs := []*trace.Run{
		planRun("a1", "a-20261103", 2, 1), planRun("b1", "b", 2, 0), planRun("c1", "c", 2, 1),
		planRun("a2", "a-20261104", 2, 1),
		planRun("a3", "a-20261105", 3, 2), planRun("b2", "b", 2, 0), planRun("c2", "c", 2, 1),
	}
	runs[5].Status = trace.Failed
	p := New(o)
	for _, r := range runs {
		p.Add(r)
	}
	d, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plans := d.Plans
	if plans.Distinct != 3 || len(plans.Jobs) != 2 || plans.ShareOfOne != 0.5 || plans.PerJob.N != 2 ||
		plans.PerJob.Max != 2 {
		t.Errorf("plans %+v", plans)
	}
	if j := plans.Jobs[0]; j.Name != "a-#" || j.Runs != 3 || j.Plans != 2 || j.Share != 2.0/3 ||
		j.Common != plans.Common[0].Plan {
		t.Errorf("job with most plans %+v", j)
	}
	if c := plans.Common[0]; c.Runs != 4 || c.Names != 2 || c.JobID != "a1" || c.Stages != 2 || c.Shape != Chain {
		t.Errorf("commonest plan %+v", c)
	}
	var shapes string
	for _, s := range plans.Shapes {
		shapes += fmt.Sprintf("%s %d runs %d plans, see %s; ", s.Shape, s.Runs, s.Plans, s.JobID)
	}
	if want := "chain 4 runs 1 plans, see a1; fork 1 runs 1 plans, see a3; disconnected 2 runs 1 plans, see b1; "; shapes != want {
		t.Errorf("shapes %q, want %q", shapes, want)
	}
}

// planRun is a succeeded run of n stages, of which the first is the only parent of the next `children`.
func planRun(id, name string, n, children int32) *trace.Run {
	r := trace.NewRun(id)
	r.Name, r.Status = name, trace.Succeeded
	for range n {
		r.Stages = append(r.Stages, trace.NewStage())
	}
	for c := int32(1); c <= children; c++ {
		r.Edges = append(r.Edges, trace.Edge{Parent: 0, Child: c})
	}
	slices.SortFunc(r.Edges, func(a, b trace.Edge) int { return cmp.Compare(a.Child, b.Child) })
	return r
}

// firstShape returns the shape of the first run.
func firstShape(p *Partial) result.RunShape {
	for _, s := range p.shapes.All() {
		return *s
	}
	return result.RunShape{}
}
