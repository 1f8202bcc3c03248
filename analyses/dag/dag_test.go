package dag

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// drawGraph draws a graph small enough to enumerate its sets of nodes. Its edges are set in any order, some of them
// twice.
func drawGraph(t *rapid.T, most int) *Graph {
	n := rapid.IntRange(1, most).Draw(t, "nodes")
	var edges []trace.Edge
	for c := int32(1); c < int32(n); c++ {
		for p := range c {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				edges = append(edges, trace.Edge{Parent: p, Child: c})
			}
		}
	}
	sorted := graphOf(n, edges)
	if len(edges) == 0 {
		return sorted
	}
	g := graphOf(n, rapid.Permutation(append(edges, edges[0])).Draw(t, "order of edges"))
	if !reflect.DeepEqual(g, sorted) {
		t.Fatalf("edges in another order make %+v, want %+v", g, sorted)
	}
	return g
}

func graphOf(n int, edges []trace.Edge) *Graph {
	g := &Graph{}
	g.Set(n, edges, func(trace.EdgeKind) bool { return true })
	return g
}

// paths calls visit with every path of the graph.
func paths(g *Graph, visit func([]int32)) {
	var walk func(path []int32)
	walk = func(path []int32) {
		visit(path)
		for _, c := range g.Children(int(path[len(path)-1])) {
			walk(append(slices.Clone(path), c))
		}
	}
	for v := range g.N() {
		walk([]int32{int32(v)})
	}
}

// reach returns, for every node, the set of nodes that can be reached from it.
func reach(g *Graph) []uint32 {
	r := make([]uint32, g.N())
	for v := g.N() - 1; v >= 0; v-- {
		for _, c := range g.Children(v) {
			r[v] |= 1<<c | r[c]
		}
	}
	return r
}

func widthSlow(g *Graph) int {
	r, best := reach(g), 0
	for set := uint32(1); set < 1<<g.N(); set++ {
		independent := true
		for v := range g.N() {
			if set&(1<<v) != 0 && set&r[v] != 0 {
				independent = false
				break
			}
		}
		if independent {
			best = max(best, bits.OnesCount32(set))
		}
	}
	return best
}

// disjointSlow tries every way of giving each node at most one child that no other node has.
func disjointSlow(g *Graph) int {
	var most func(v int, taken uint32) int
	most = func(v int, taken uint32) int {
		if v == g.N() {
			return 0
		}
		best := most(v+1, taken)
		for _, c := range g.Children(v) {
			if taken&(1<<c) == 0 {
				best = max(best, 1+most(v+1, taken|1<<c))
			}
		}
		return best
	}
	return g.N() - most(0, 0)
}

func TestAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9)
		weight := rapid.SliceOfN(rapid.Float64Range(0, 10), g.N(), g.N()).Draw(t, "weights")
		depth, length := 0, 0.0
		paths(g, func(p []int32) {
			var s float64
			for _, v := range p {
				s += weight[v]
			}
			depth, length = max(depth, len(p)), max(length, s)
		})
		if got := g.Depth(); got != depth {
			t.Errorf("depth %d, want %d", got, depth)
		}
		got, path := g.CriticalPath(weight)
		if math.Abs(got-length) > 1e-9 {
			t.Errorf("critical path %v, want %v", got, length)
		}
		for i := 1; i < len(path); i++ {
			if !slices.Contains(g.Parents(int(path[i])), path[i-1]) {
				t.Errorf("%v is not a path", path)
			}
		}
		disjoint, width := g.Paths()
		if want := widthSlow(g); width != want {
			t.Errorf("width %d, want %d", width, want)
		}
		if want := disjointSlow(g); disjoint != want {
			t.Errorf("disjoint paths %d, want %d", disjoint, want)
		}
		if disjoint < width {
			t.Error("fewer disjoint paths than an antichain has nodes")
		}
	})
}

func TestShapes(t *testing.T) {
	edge := func(p, c int32) trace.Edge { return trace.Edge{Parent: p, Child: c} }
	for _, test := range []struct {
		name                             string
		n                                int
		edges                            []trace.Edge
		barriers, depth, disjoint, width int
	}{
		{"one stage", 1, nil, 0, 1, 1, 1},
		{"three alone", 3, nil, 0, 1, 3, 3},
		{"chain", 3, []trace.Edge{edge(0, 1), edge(1, 2)}, 0, 3, 1, 1},
		// 0 -> 1, 2 -> 3: the paths 0-1-3 and 2 cover it.
		{"diamond", 4, []trace.Edge{edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3)}, 1, 3, 2, 2},
		{"join of three", 4, []trace.Edge{edge(0, 3), edge(1, 3), edge(2, 3)}, 1, 2, 3, 3},
		// Two inputs and two outputs around a stage that all pass: a cover without sharing needs three paths, an
		// antichain has two nodes.
		{"hourglass", 5, []trace.Edge{edge(0, 2), edge(1, 2), edge(2, 3), edge(2, 4)}, 1, 3, 3, 2},
		{"same edge twice", 2, []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll},
			{Parent: 0, Child: 1, Kind: trace.OneToOne}}, 0, 2, 1, 1},
	} {
		g := graphOf(test.n, test.edges)
		disjoint, width := g.Paths()
		if got := [4]int{g.Barriers(), g.Depth(), disjoint, width}; got != [4]int{test.barriers,
			test.depth, test.disjoint, test.width} {
			t.Errorf("%s: barriers, depth, disjoint paths, width are %v, want %v", test.name, got,
				[4]int{test.barriers, test.depth, test.disjoint, test.width})
		}
	}
}

// A run worked by hand. Stages: a (2 tasks: 1 s and 3 s), b (2 s; its second attempt failed after 5 s), c after a and b
// (1 s), d after c for the driver (no attempts; it ran from 20 s to 24 s).
//
//	a: longest succeeded 3, total 4     b: longest succeeded 2, total 7     c: 1     d: end - start = 4
//	graph: a -> c <- b, c ..driver..> d
//	critical path: max(3, 2) + 1 = 4 s, or d alone = 4 s; with the driver 3 + 1 + 4 = 8 s
//	by means: a weighs (1 + 3) / 2 = 2, b 2 (the failed attempt does not count), c 1, d 4: max(2 + 1, 4) = 4 s
//	levels: a, b and d (3 stages; 2 + 1 + 1 = 4 tasks), c (1 stage, 1 task): 2 stages and 5/2 tasks on average
//	stages on the longest path: 2; barriers: c; synchronisations: a -> c only, b -> c is one_to_one
//	disjoint paths: a-c, b, d = 3; width: a, b, d = 3
//	input work: stages without parents are a, b and d: (4 + 7 + 0) / 12 = 0.916666...
func TestHandWorkedRun(t *testing.T) {
	r := trace.NewRun("r")
	for _, name := range []string{"a", "b", "c", "d"} {
		s := trace.NewStage()
		s.Name = name
		r.Stages = append(r.Stages, s)
	}
	r.Stages[3].Start, r.Stages[3].End = 20e6, 24e6
	r.Edges = []trace.Edge{{Parent: 0, Child: 2, Kind: trace.AllToAll}, {Parent: 1, Child: 2, Kind: trace.OneToOne},
		{Parent: 2, Child: 3, Kind: trace.Driver}}
	for _, a := range []struct {
		stage, task, attempt int32
		seconds              trace.Duration
		status               trace.Status
	}{{0, 0, 0, 1, trace.Succeeded}, {0, 1, 0, 3, trace.Succeeded}, {1, 0, 0, 2, trace.Succeeded},
		{1, 0, 1, 5, trace.Failed}, {2, 0, 0, 1, trace.Succeeded}} {
		b := trace.NewAttempt(a.stage, a.task, a.attempt)
		b.Duration, b.Status = a.seconds*1e6, a.status
		r.Attempts = append(r.Attempts, b)
	}
	r.Stages[3].Tasks = 1 // no attempt tells
	empty := trace.NewRun("empty")
	unknown := trace.NewRun("unknown") // one stage, nothing known of its time
	unknown.Stages = []trace.Stage{trace.NewStage()}

	p := New(DefaultOptions())
	p.Add(r)
	q := New(DefaultOptions())
	q.Add(empty)
	q.Add(unknown)
	p.Merge(q)
	d, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Jobs != 2 || d.WithoutStages != 1 || d.LeftOut[leftNoTimes] != 1 || d.LeftOut[leftNoWork] != 1 {
		t.Errorf("jobs %d, without stages %d, left out %v", d.Jobs, d.WithoutStages, d.LeftOut)
	}
	for _, c := range []struct {
		name string
		n    int
		got  float64
		want float64
	}{
		{"stages", d.Stages.N, d.Stages.Max, 4}, {"barriers", d.Barriers.N, d.Barriers.Max, 1},
		{"synchronisations", d.Synchronisations.N, d.Synchronisations.Max, 1},
		{"critical path stages", d.CriticalPathStages.N, d.CriticalPathStages.Max, 2},
		{"disjoint", d.DisjointPaths.N, d.DisjointPaths.Max, 3}, {"width", d.Width.N, d.Width.Max, 3},
	} {
		if c.n != 2 || c.got != c.want {
			t.Errorf("%s: n %d, max %v, want 2 and %v", c.name, c.n, c.got, c.want)
		}
	}
	for _, c := range []struct {
		name string
		n    int
		got  float64
		want float64
	}{
		{"critical path", d.CriticalPathS.N, d.CriticalPathS.P50, 4},
		{"critical path by means", d.CriticalPathMeanS.N, d.CriticalPathMeanS.P50, 4},
		{"tasks per level", d.LevelTasksMean.N, d.LevelTasksMean.P50, 2.5},
		{"tasks on the widest level", d.LevelTasksMax.N, d.LevelTasksMax.P50, 4},
		{"critical path with the driver", d.CriticalPathDriverS.N, d.CriticalPathDriverS.P50, 8},
		{"input work", d.InputWork.N, d.InputWork.P50, 11.0 / 12},
	} {
		if c.n != 1 || math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: n %d, %v, want 1 and %v", c.name, c.n, c.got, c.want)
		}
	}
	if d.LevelStagesMax.Max != 3 || d.LevelStagesMean.Max != 2 || d.LeftOut[leftNoTasks] != 1 {
		t.Errorf("stages on levels: most %v, mean %v; left out %v", d.LevelStagesMax.Max, d.LevelStagesMean.Max,
			d.LeftOut)
	}
	if e := d.Extremes[0]; e.What != "most stages" || e.JobID != "r" || e.Value != 4 {
		t.Errorf("extremes %+v", d.Extremes)
	}
	if d.Largest.JobID != "r" || !d.Largest.Stages[0].Critical || d.Largest.Stages[1].Critical ||
		d.Largest.Stages[2].Level != 1 {
		t.Errorf("largest graph %+v", d.Largest)
	}
}

// A chain of three stages of two tasks each, 1 and 3 s, 2 and 2 s, 5 and 1 s: by the longest 3 + 2 + 5 = 10 s, by means
// 2 + 2 + 3 = 7 s.
func TestCriticalPathByMeans(t *testing.T) {
	r := trace.NewRun("r")
	for s, seconds := range [][]trace.Duration{{1, 3}, {2, 2}, {5, 1}} {
		r.Stages = append(r.Stages, trace.NewStage())
		for i, d := range seconds {
			a := trace.NewAttempt(int32(s), int32(i), 0)
			a.Duration, a.Status = d*1e6, trace.Succeeded
			r.Attempts = append(r.Attempts, a)
		}
	}
	r.Edges = []trace.Edge{{Parent: 0, Child: 1}, {Parent: 1, Child: 2}}
	p := New(DefaultOptions())
	p.Add(r)
	if s := firstShape(p); s.CriticalPathS != 10 || s.CriticalPathMeanS != 7 || s.LevelTasksMax != 2 ||
		s.LevelTasksMean != 2 {
		t.Errorf("critical path %v s by the longest, %v s by means; tasks per level at most %v, on average %v",
			s.CriticalPathS, s.CriticalPathMeanS, s.LevelTasksMax, s.LevelTasksMean)
	}
}

// Whatever the runs are and however they are split, the result is the same.
func TestPartitionsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var runs []*trace.Run
		for i := range rapid.IntRange(0, 8).Draw(rt, "runs") {
			r := tracetest.Run(rt, fmt.Sprint("r", i))
			r.Name = rapid.SampledFrom([]string{"", "a-20261103", "a-20261104", "b"}).Draw(rt, "name")
			runs = append(runs, r)
		}
		o := DefaultOptions()
		o.MinRuns = 1
		finish := func(splits ...int) string {
			p, from := New(o), 0
			for _, to := range append(splits, len(runs)) {
				q := New(o)
				for _, r := range runs[from:to] {
					q.Add(r)
				}
				p.Merge(q)
				from = to
			}
			d, err := p.Finish(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			data, err := json.Marshal(d)
			if err != nil {
				rt.Fatal(err)
			}
			text := string(data)
			for _, r := range d.Runs.All() {
				text += fmt.Sprint(*r)
			}
			return text
		}
		k := rapid.IntRange(0, len(runs)).Draw(rt, "split")
		if finish() != finish(k/2, k) {
			rt.Errorf("split at %d: another result", k)
		}
	})
}

// Long chains and wide layers must neither overflow a stack nor take quadratic time.
func TestLargeGraphs(t *testing.T) {
	const n = 100_000
	var chain []trace.Edge
	for v := int32(1); v < n; v++ {
		chain = append(chain, trace.Edge{Parent: v - 1, Child: v})
	}
	g := graphOf(n, chain)
	if disjoint, width := g.Paths(); g.Depth() != n || width != 1 || disjoint != 1 {
		t.Errorf("chain: depth %d, width %d, disjoint paths %d", g.Depth(), width, disjoint)
	}
	var layers []trace.Edge // 100 layers of 1000 stages; each stage reads three of the layer before
	for v := int32(1000); v < n; v++ {
		base := v/1000*1000 - 1000
		var parents []int32
		for k := range int32(3) {
			parents = append(parents, base+(v+k*331)%1000)
		}
		slices.Sort(parents)
		for _, p := range slices.Compact(parents) {
			layers = append(layers, trace.Edge{Parent: p, Child: v})
		}
	}
	g = graphOf(n, layers)
	if disjoint, width := g.Paths(); g.Depth() != 100 || width != 1000 || disjoint != 1000 {
		t.Errorf("layers: depth %d, width %d, disjoint paths %d", g.Depth(), width, disjoint)
	}
}

// randomRun is a run of n stages, each with one to three parents at random among the 200 stages before it.
func randomRun(n int) *trace.Run {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	r := trace.NewRun("r")
	for v := range int32(n) {
		r.Stages = append(r.Stages, trace.NewStage())
		a := trace.NewAttempt(v, 0, 0)
		a.Duration, a.Status = trace.Duration(1+v%7)*1e6, trace.Succeeded
		r.Attempts = append(r.Attempts, a)
		for range min(v, 1+rng.Int32N(3)) {
			r.Edges = append(r.Edges, trace.Edge{Parent: v - 1 - rng.Int32N(min(v, 200)), Child: v,
				Kind: trace.AllToAll})
		}
	}
	slices.SortFunc(r.Edges, trace.CompareEdges)
	r.Edges = slices.Compact(r.Edges)
	return r
}

// BenchmarkAdd measures whole runs; BenchmarkHash the hash of the plan alone.
func BenchmarkAdd(b *testing.B) {
	p := New(DefaultOptions())
	eachSize(b, p.Add)
}

func BenchmarkHash(b *testing.B) {
	p := &planner{}
	eachSize(b, func(r *trace.Run) { p.hash(len(r.Stages), r.Edges) })
}

func eachSize(b *testing.B, do func(*trace.Run)) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprint(n, "-stages"), func(b *testing.B) {
			r := randomRun(n)
			runs := 0
			for b.Loop() {
				do(r)
				runs++
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "jobs/s")
			b.ReportMetric(float64(runs*len(r.Edges))/b.Elapsed().Seconds(), "edges/s")
		})
	}
}
