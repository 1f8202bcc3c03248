package trace_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

func TestRandomRunsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := tracetest.Run(t, "r").Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestValidateRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		breach func(*trace.Run)
		want   string
	}{
		{"no id", func(r *trace.Run) { r.ID = "" }, "without id"},
		{"name not UTF-8", func(r *trace.Run) { r.Name = "\xff" }, "not UTF-8"},
		{"ends before start", func(r *trace.Run) { r.Start, r.End = 2, 1 }, "ends before it starts"},
		{"ends before submit", func(r *trace.Run) { r.Submit, r.End = 2, 1 }, "ends before it starts"},
		{"negative bytes", func(r *trace.Run) { r.InputBytes = -1 }, "negative"},
		{"too many guaranteed tokens", func(r *trace.Run) { r.Guaranteed = trace.MaxTokens + 1 }, "2147483648 guaranteed"},
		{"too many tokens", func(r *trace.Run) {
			r.Allocations = []trace.Allocation{{At: 1, Tokens: trace.MaxTokens + 1, Spare: trace.None, Machines: trace.None}}
		}, "2147483648 tokens"},
		{"no tasks", func(r *trace.Run) { r.Stages[0].Tasks = 0 }, "0 tasks"},
		{"edge backwards", func(r *trace.Run) { r.Edges[0] = trace.Edge{Parent: 1, Child: 0} }, "topological"},
		{"edge to itself", func(r *trace.Run) { r.Edges[0] = trace.Edge{Parent: 1, Child: 1} }, "topological"},
		{"edge to nowhere", func(r *trace.Run) { r.Edges[0].Child = 7 }, "no such stage"},
		{"edge twice", func(r *trace.Run) { r.Edges = append(r.Edges, r.Edges[0]) }, "not unique"},
		{"attempt of no stage", func(r *trace.Run) { r.Attempts[0].Stage = 2 }, "no such stage"},
		{"attempt twice", func(r *trace.Run) { r.Attempts = append(r.Attempts, r.Attempts[0]) }, "not unique"},
		{"negative duration", func(r *trace.Run) { r.Attempts[0].Duration = -1 }, "duration"},
		{"duration not end - start", func(r *trace.Run) {
			a := &r.Attempts[0]
			a.Start, a.End, a.Duration = 1, 3, 1
		}, "not end - start"},
		{"infinite demand", func(r *trace.Run) { r.Attempts[0].Demand[trace.CPU] = math.Inf(1) }, "cpu"},
		{"negative demand", func(r *trace.Run) { r.Stages[0].Demand[trace.Mem] = -1 }, "mem"},
	} {
		r := trace.NewRun("r")
		r.Stages = []trace.Stage{trace.NewStage(), trace.NewStage()}
		r.Edges = []trace.Edge{{Parent: 0, Child: 1}}
		r.Attempts = []trace.Attempt{trace.NewAttempt(0, 0, 0)}
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		test.breach(r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, test := range []struct {
		submit, start, end trace.Instant
		want               trace.Duration
	}{
		{1, 2, 5, 4}, {trace.None, 2, 5, 3}, {1, 2, trace.None, trace.None}, {trace.None, trace.None, 5, trace.None},
	} {
		r := trace.NewRun("r")
		r.Submit, r.Start, r.End = test.submit, test.start, test.end
		if got := r.Completion(); got != test.want {
			t.Errorf("submit %d start %d end %d: got %d, want %d", test.submit, test.start, test.end, got, test.want)
		}
	}
}

func TestSecondsRoundTrip(t *testing.T) {
	for _, test := range []struct {
		seconds float64
		want    trace.Instant
	}{
		{0, 0}, {1.5, 1_500_000}, {-3.25, -3_250_000}, {1406471.0, 1_406_471_000_000}, {0.0000004, 0}, {0.0000006, 1},
	} {
		if got, err := trace.InstantFromSeconds(test.seconds); err != nil || got != test.want {
			t.Errorf("%v s: got %d, %v, want %d", test.seconds, got, err, test.want)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		if _, err := trace.InstantFromSeconds(bad); err == nil {
			t.Errorf("%v s is an instant", bad)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1e-9} {
		if _, err := trace.DurationFromSeconds(bad); err == nil {
			t.Errorf("%v s is a duration", bad)
		}
	}
	if d := trace.Duration(trace.None).Seconds(); !math.IsNaN(d) {
		t.Errorf("null is %v s, want NaN", d)
	}
}

func TestTopological(t *testing.T) {
	edge := func(p, c int32) trace.Edge { return trace.Edge{Parent: p, Child: c} }
	for _, test := range []struct {
		name  string
		n     int
		edges []trace.Edge
		want  []int32 // nil: a cycle
	}{
		{"no edges stay in order", 3, nil, []int32{0, 1, 2}},
		{"in order stays", 3, []trace.Edge{edge(0, 1), edge(1, 2)}, []int32{0, 1, 2}},
		{"reversed chain", 3, []trace.Edge{edge(2, 1), edge(1, 0)}, []int32{2, 1, 0}},
		{"lowest ready first", 4, []trace.Edge{edge(3, 0), edge(3, 1)}, []int32{2, 3, 0, 1}},
		{"double edge", 2, []trace.Edge{edge(1, 0), edge(1, 0)}, []int32{1, 0}},
		{"cycle", 3, []trace.Edge{edge(0, 1), edge(1, 2), edge(2, 1)}, nil},
		{"self loop", 1, []trace.Edge{edge(0, 0)}, nil},
	} {
		got, cycle, ok := trace.Topological(test.n, test.edges)
		if ok != (test.want != nil) || !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, %v, want %v", test.name, got, ok, test.want)
		}
		if !ok && (test.name == "cycle" && cycle == 0) {
			t.Errorf("%s: stage %d is not on the cycle", test.name, cycle)
		}
	}
}

func TestSortStagesKeepsTheGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := tracetest.Run(t, "r")
		for i := range r.Stages {
			r.Stages[i].Name = string(rune('a' + i))
		}
		// Number the stages at random, then sort: the graph over names must be the same.
		n := len(r.Stages)
		number := rapid.Permutation(identity(n)).Draw(t, "order")
		want := named(r)
		stages := make([]trace.Stage, n)
		for i, s := range r.Stages {
			stages[number[i]] = s
		}
		r.Stages = stages
		for i, e := range r.Edges {
			r.Edges[i] = trace.Edge{Parent: number[e.Parent], Child: number[e.Child], Kind: e.Kind}
		}
		for i := range r.Attempts {
			r.Attempts[i].Stage = number[r.Attempts[i].Stage]
		}
		if _, ok := r.SortStages(); !ok {
			t.Fatal("a cycle in a graph that has none")
		}
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := named(r); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
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

// named lists edges and attempts by the names of their stages.
func named(r *trace.Run) []string {
	var out []string
	for _, e := range r.Edges {
		out = append(out, r.Stages[e.Parent].Name+"-"+e.Kind.String()+"-"+r.Stages[e.Child].Name)
	}
	for _, a := range r.Attempts {
		out = append(out, r.Stages[a.Stage].Name+string('0'+a.Task)+string('0'+a.Attempt))
	}
	slices.Sort(out)
	return out
}

func TestNames(t *testing.T) {
	for s := trace.StatusUnknown; s <= trace.Running; s++ {
		if got, ok := trace.ParseStatus(s.String()); !ok || got != s {
			t.Errorf("%v does not survive its name", s)
		}
	}
	for k := trace.EdgeUnknown; k <= trace.Driver; k++ {
		if got, ok := trace.ParseEdgeKind(k.String()); !ok || got != k {
			t.Errorf("%v does not survive its name", k)
		}
	}
	if _, ok := trace.ParseStatus("done"); ok {
		t.Error(`"done" is a status`)
	}
}
