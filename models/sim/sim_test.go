package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/seed"
	"racecard/datasets/trace"
)

const second = 1_000_000

func constant(t testing.TB, d int64) Dist {
	t.Helper()
	x, err := Constant(d)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func exponential(t testing.TB) Dist {
	t.Helper()
	d, err := Inverse(func(p float64) float64 { return -math.Log1p(-p) }, 1<<14)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func runner(t testing.TB, p Plan) *Runner {
	t.Helper()
	c, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return NewRunner(c)
}

func tokens(n int32) *Options { return &Options{Allocation: []Step{{0, n}}} }

func run(t testing.TB, p Plan, o *Options) Result {
	t.Helper()
	res, err := runner(t, p).Run(o, seed.Stream(1, "sim test", 0))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestConstant: makespans of constant durations, in seconds, by hand.
func TestConstant(t *testing.T) {
	st := func(n int32, d int64) Stage { return Stage{Tasks: n, Duration: constant(t, d*second)} }
	chain := []Stage{st(4, 3), st(4, 2)}
	all, one := []Edge{{0, 1, trace.AllToAll}}, []Edge{{0, 1, trace.OneToOne}}
	diamond := Plan{[]Stage{st(1, 1), st(2, 2), st(1, 5), st(1, 1)},
		[]Edge{{0, 1, trace.AllToAll}, {0, 2, trace.AllToAll}, {1, 3, trace.AllToAll}, {2, 3, trace.Driver}}}
	for _, test := range []struct {
		name string
		plan Plan
		o    *Options
		want int64
	}{
		{"barrier, 1 token: 4·3 + 4·2", Plan{chain, all}, tokens(1), 20},
		{"barrier, 2 tokens: 2·3 + 2·2", Plan{chain, all}, tokens(2), 10},
		{"barrier, 3 tokens: 2 waves of 3, 2 waves of 2", Plan{chain, all}, tokens(3), 10},
		{"barrier, 4 tokens: 3 + 2", Plan{chain, all}, tokens(4), 5},
		// Tokens A, B, C: parents at 0-3; then the 4th parent (A, 3-6) and children 1, 2 (B, C, 3-5); child 3
		// (B, 5-7), and child 4 after its parent (A or C, 6-8).
		{"one_to_one, 3 tokens", Plan{chain, one}, tokens(3), 8},
		{"diamond, 1 token: 1+2·2+5+1", diamond, tokens(1), 11},
		{"diamond, 2 tokens: 1; 2, 2 side by side to 3; 5 to 8; 1", diamond, tokens(2), 9},
		{"diamond, 3 tokens: 1+5+1", diamond, tokens(3), 7},
		// 4 tokens to 1 s: 4 of 8 tasks of 3 s hold theirs to 3; then 1 token: 4 tasks, 3 + 4·3.
		{"shrinks as tasks end", Plan{[]Stage{st(8, 3)}, nil}, &Options{Allocation: []Step{{0, 4}, {second, 1}}}, 15},
		// At 1 s three of four are evicted; the token left ends its task at 3, then 7 more: 3 + 7·3.
		{"shrinks by eviction", Plan{[]Stage{st(8, 3)}, nil}, &Options{Allocation: []Step{{0, 4}, {second, 1}}, Evict: true}, 24},
		// 1 token: 0-3; at 1 s 4 tokens: three more 1-4, one more at 3-6, three at 4-7.
		{"grows at once", Plan{[]Stage{st(8, 3)}, nil}, &Options{Allocation: []Step{{0, 1}, {second, 4}}}, 7},
		{"input scale", Plan{chain, all}, &Options{Allocation: []Step{{0, 4}}, Scale: 2}, 10},
		{"control: asked at 1 s, gives 4", Plan{[]Stage{st(8, 3)}, nil}, &Options{Allocation: []Step{{0, 1}}, Period: second,
			Control: func(int64, Progress) int32 { return 4 }}, 7},
	} {
		if got := run(t, test.plan, test.o).End; got != test.want*second {
			t.Errorf("%s: %v s, want %d", test.name, float64(got)/second, test.want)
		}
	}
	if _, err := runner(t, diamond).Run(tokens(0), rand.NewPCG(1, 1)); !errors.Is(err, ErrStarved) {
		t.Errorf("no tokens: %v", err)
	}
}

// TestExponential: n tasks of mean 1 on a tokens take (n-a)/a + H_a, 99 + 2.92897 = 101.93 for 1000 on 10.
func TestExponential(t *testing.T) {
	r := runner(t, Plan{Stages: []Stage{{Tasks: 1000, Duration: exponential(t)}}})
	sum := 0.0
	const runs = 2000
	for i := range uint64(runs) {
		res, err := r.Run(tokens(10), seed.Stream(7, "exponential", i))
		if err != nil {
			t.Fatal(err)
		}
		sum += float64(res.End) / second
	}
	if got := sum / runs; math.Abs(got/101.929-1) > 0.01 {
		t.Errorf("mean makespan %v, want 101.93 within 1%%", got)
	}
}

// TestGeometric: at probability p an attempt fails, a task takes 1/(1-p) attempts: 1/0.8 = 1.25.
// Failing half-way through 2 s, latency 1 s: mean token time 2+1 + 0.25·(1+1) = 3.5 s.
func TestGeometric(t *testing.T) {
	const n = 100_000
	res := run(t, Plan{Stages: []Stage{{Tasks: n, Duration: constant(t, 2*second), Latency: constant(t, second),
		Failure: Failure{0.2, []float64{0.5}}}}}, tokens(100))
	if got := float64(res.Attempts) / n; math.Abs(got-1.25) > 0.01 { // sd of the mean: sqrt(.2)/.8/sqrt(n) = 0.0018
		t.Errorf("%v attempts of a task, want 1.25", got)
	}
	if got, want := res.TokenTime, n*3*second+res.Failures*2*second; got != want {
		t.Errorf("token time %d, want %d", got, want)
	}
}

// TestLoss: one machine of 2 tokens, stages of 2 tasks of 3 s and 2 tasks of 4 s, lost every 5 s.
// Parents 0-3, children from 3; at 5 both children and both outputs go: parents 5-8, children from 8;
// at 10 again, and so for ever unless losses stop: with losses every 8 s, children end at 7.
func TestLoss(t *testing.T) {
	p := Plan{[]Stage{{Tasks: 2, Duration: constant(t, 3*second)}, {Tasks: 2, Duration: constant(t, 4*second)}},
		[]Edge{{0, 1, trace.AllToAll}}}
	between := func(d ...int64) *Options {
		x, err := Empirical(d)
		if err != nil {
			t.Fatal(err)
		}
		return &Options{Allocation: []Step{{0, 2}}, Loss: &Loss{x, 2}}
	}
	if res := run(t, p, between(8*second)); res.End != 7*second || res.Losses != 0 {
		t.Errorf("lost late: %+v", res)
	}
	if _, err := runner(t, p).Run(between(5*second), rand.NewPCG(1, 1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("lost every 5 s: %v, want it never to end", err)
	}
	res := run(t, p, between(5*second, 9*second)) // ends once a gap of 9 s comes
	if res.Losses != res.OutputsLost || res.Attempts != 4+2*res.Losses {
		t.Errorf("%+v: each loss takes two attempts and two outputs, and costs four attempts", res)
	}
}

// TestLaws checks, on random plans: never more running than tokens, no start before what it reads is done, work
// conserved (a token idles only if nothing is ready, so Graham's bound holds for constant durations), same bytes again.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "stages")
		same := rapid.Int32Range(1, 6).Draw(t, "tasks")
		p := Plan{Stages: make([]Stage, n)}
		var work int64
		longest, path := make([]int64, n), int64(0)
		for i := range p.Stages {
			d := rapid.Int64Range(1, 20).Draw(t, "duration")
			dist, err := Constant(d)
			if err != nil {
				t.Fatal(err)
			}
			p.Stages[i] = Stage{Tasks: same, Duration: dist}
			work += int64(same) * d
			for j := range i {
				if k := rapid.SampledFrom([]trace.EdgeKind{trace.EdgeUnknown, trace.AllToAll, trace.OneToOne}).Draw(t, "edge"); k != trace.EdgeUnknown {
					p.Edges = append(p.Edges, Edge{int32(j), int32(i), k})
					longest[i] = max(longest[i], longest[j])
				}
			}
			longest[i] += d
			path = max(path, longest[i])
		}
		a := rapid.Int32Range(1, 8).Draw(t, "tokens")
		lossy := rapid.Bool().Draw(t, "lossy")
		o := tokens(a)
		if lossy {
			gap, err := Empirical([]int64{30, 90, 100_000})
			if err != nil {
				t.Fatal(err)
			}
			o.Loss = &Loss{gap, 2}
		}
		done := make([][]bool, n)
		for i := range done {
			done[i] = make([]bool, same)
		}
		o.Observe = func(e Event, now Progress) {
			if now.Running > a {
				t.Fatalf("%d running on %d tokens", now.Running, a)
			}
			if e.Kind != Started {
				done[e.Stage][e.Task] = e.Kind == Completed
				return
			}
			for _, g := range p.Edges {
				if g.Child != e.Stage {
					continue
				}
				for k, ok := range done[g.Parent] {
					if !ok && (g.Kind == trace.AllToAll || int32(k) == e.Task) {
						t.Fatalf("task %d of stage %d started before task %d of stage %d was done", e.Task, e.Stage, k, g.Parent)
					}
				}
			}
		}
		c, err := Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		r := NewRunner(c)
		res, err := r.Run(o, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		o.Observe = nil
		if again, err := r.Run(o, rand.NewPCG(1, 2)); err != nil || again != res {
			t.Fatalf("again %+v, %v; first %+v", again, err, res)
		}
		if lossy {
			return
		}
		if res.TokenTime != work || res.End < path || res.End*int64(a) < work || res.End*int64(a) > work+path*int64(a-1) {
			t.Fatalf("%+v; work %d, critical path %d, %d tokens", res, work, path, a)
		}
	})
}

func TestNoAllocations(t *testing.T) {
	r := runner(t, Plan{Stages: []Stage{{Tasks: 1000, Duration: exponential(t), Failure: Failure{0.1, []float64{0.5}}}}})
	o, src := tokens(10), rand.NewPCG(1, 1)
	if got := testing.AllocsPerRun(20, func() {
		if _, err := r.Run(o, src); err != nil {
			t.Fatal(err)
		}
	}); got != 0 {
		t.Errorf("%v allocations in a run", got)
	}
}
