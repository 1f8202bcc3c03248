package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

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

func empirical(t testing.TB, d ...int64) Dist {
	t.Helper()
	x, err := Empirical(d)
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
	all, one := []Edge{{0, 1, trace.AllToAll}}, []Edge{{0, 1, trace.OneToOne}}
	chain, pipe := Plan{Stages: []Stage{st(4, 3), st(4, 2)}, Edges: all}, Plan{Stages: []Stage{st(4, 3), st(4, 2)},
		Edges: one}
	diamond := Plan{Stages: []Stage{st(1, 1), st(2, 2), st(1, 5), st(1, 1)},
		Edges: []Edge{{0, 1, trace.AllToAll}, {0, 2, trace.AllToAll}, {1, 3, trace.AllToAll}, {2, 3, trace.Driver}}}
	branch := Plan{Stages: []Stage{st(1, 1), st(1, 5), st(4, 2)}, Edges: []Edge{{0, 1, trace.AllToAll}}}
	bag := Plan{Stages: []Stage{st(8, 3)}}
	delayed := func(edges []Edge) Plan {
		p := Plan{Stages: []Stage{st(2, 3), st(2, 1)}, Edges: edges}
		p.Stages[1].Delay = constant(t, 2*second)
		return p
	}
	driver := delayed(all)
	driver.StartUp, driver.WindDown = constant(t, 5*second), constant(t, 4*second)
	driver.Stages[0].Delay = constant(t, second)
	recorded, err := InOrder([]int64{5 * second, second, second, 4 * second})
	if err != nil {
		t.Fatal(err)
	}
	replay := Plan{Stages: []Stage{{Tasks: 4, Duration: recorded}}}
	coldChain := Plan{Stages: []Stage{{Tasks: 2, Duration: constant(t, 2*second), First: constant(t, 5*second)},
		{Tasks: 3, Duration: constant(t, second), First: constant(t, 3*second)}}, Edges: []Edge{{0, 1, trace.AllToAll}}}
	cold := Plan{Stages: []Stage{{Tasks: 4, Duration: constant(t, 2*second), First: constant(t, 5*second)}}}
	for _, test := range []struct {
		name string
		plan Plan
		o    *Options
		want int64
	}{
		{"barrier, 1 token: 4·3 + 4·2", chain, tokens(1), 20},
		{"barrier, 2 tokens: 2·3 + 2·2", chain, tokens(2), 10},
		{"barrier, 3 tokens: 2 waves of 3, 2 waves of 2", chain, tokens(3), 10},
		{"barrier, 4 tokens: 3 + 2", chain, tokens(4), 5},
		{"one_to_one, 1 token: as much work", pipe, tokens(1), 20},
		// Tokens A, B, C: parents at 0-3; then the 4th parent (A, 3-6) and children 1, 2 (B, C, 3-5); child 3
		// (B, 5-7), and child 4 after its parent (A or C, 6-8).
		{"one_to_one, 3 tokens", pipe, tokens(3), 8},
		{"diamond, 1 token: 1+2·2+5+1", diamond, tokens(1), 11},
		{"diamond, 2 tokens: 1; 2, 2 side by side to 3; 5 to 8; 1", diamond, tokens(2), 9},
		{"diamond, 3 tokens: 1+5+1", diamond, tokens(3), 7},
		// 4 tokens to 1 s: 4 of 8 tasks of 3 s hold theirs to 3; then 1 token: 4 tasks, 3 + 4·3.
		{"shrinks as tasks end", bag, &Options{Allocation: []Step{{0, 4}, {second, 1}}}, 15},
		// At 1 s three of four are evicted; the token left ends its task at 3, then 7 more: 3 + 7·3.
		{"shrinks by eviction", bag, &Options{Allocation: []Step{{0, 4}, {second, 1}}, Evict: true}, 24},
		// 1 token: 0-3; at 1 s 4 tokens: three more 1-4, one more at 3-6, three at 4-7.
		{"grows at once", bag, &Options{Allocation: []Step{{0, 1}, {second, 4}}}, 7},
		{"input scale", chain, &Options{Allocation: []Step{{0, 4}}, Scale: 2}, 10},
		// Slot 0 takes 3 s, slot 1 twice as long: at 0-3-6-9-12-15 five tasks on the first, at 0-6-12-18 three on the
		// second.
		{"a slow machine", bag, &Options{Allocation: []Step{{0, 2}}, Slow: &Slow{1, []float64{1, 2}}}, 18},
		{"control: asked at 1 s, gives 4", bag, &Options{Allocation: []Step{{0, 1}}, Period: second,
			Control: func(int64, Progress) int32 { return 4 }}, 7},
		{"driver between stages: 3 + 2 + 1", delayed(all), tokens(2), 6},
		{"driver, one_to_one: 2 s after the first parent is done, and so 3 + 2 + 1", delayed(one), tokens(2), 6},
		// 1 token: parents 0-3 and 3-6, the child is handed out at 5 and gets the token at 6: 6-7, 7-8.
		{"driver, one_to_one, 1 token: it waits while the stage runs", delayed(one), tokens(1), 8},
		{"driver before, between and after: 5+1 + 3 + 2 + 1 + 4", driver, tokens(2), 16},
		{"the driver is not scaled: 5+1 + 2·3 + 2 + 2·1 + 4", driver, &Options{Allocation: []Step{{0, 2}}, Scale: 2},
			20},
		// A: 5 (0-5). B: 1, 1, 4 (0-1-2-6).
		{"cold, 1 token: 5 + 3·2", cold, tokens(1), 11},
		{"cold, 2 machines: 5 + 2 on each", cold, tokens(2), 7},
		{"cold, 1 machine of 2 slots: 5 beside 3·2", cold, &Options{Allocation: []Step{{0, 2}}, Machine: 2}, 6},
		{"cold, shrunk and grown again: 5 + 2 beside 5, then 2", cold,
			&Options{Allocation: []Step{{0, 2}, {second, 1}, {6 * second, 2}}}, 8},
		{"every stage is cold, 1 token: 5+2 + 3+1+1", coldChain, tokens(1), 12},
		{"every stage is cold, 2 machines: 5 + 3 and 3, then 1", coldChain, tokens(2), 9},
		// A: 1, then of the third stage's tasks at 1-3 and 3-5; B: 0-2, 2-4, and then 5 s of the second stage, ready
		// since 1.
		{"who is ready first is first", branch, tokens(2), 9},
		// A: 1, 5 s of the second stage to 6, and the last task of the third, whose others are on B to 6.
		{"stages in order", branch, &Options{Allocation: []Step{{0, 2}}, StageOrder: true}, 8},
		{"in order, 2 tokens", replay, tokens(2), 6},
	} {
		if got := run(t, test.plan, test.o).End; got != test.want*second {
			t.Errorf("%s: %v s, want %d", test.name, float64(got)/second, test.want)
		}
	}
}

// TestSpare: tasks of 3 s on one guaranteed token and on a spare one, where they take twice as long.
func TestSpare(t *testing.T) {
	on := func(steps ...Step) *Options {
		return &Options{Allocation: []Step{{0, 1}}, Spare: &Spare{Steps: steps, Slowdown: []float64{2}}}
	}
	bag := func(n int32) Plan { return Plan{Stages: []Stage{{Tasks: n, Duration: constant(t, 3*second)}}} }
	for _, test := range []struct {
		name string
		plan Plan
		o    *Options
		want Result
	}{
		// Guaranteed: 0-3, 3-6, 6-9; spare: 0-6.
		{"one stays", bag(4), on(Step{0, 1}), Result{End: 9, TokenTime: 15, SpareTime: 6, Attempts: 4, PeakRunning: 2}},
		// At 4 the second task is evicted and queued behind the fourth: guaranteed 0-3, 3-6, 6-9, 9-12.
		{"it goes", bag(4), on(Step{0, 1}, Step{4 * second, 0}), Result{End: 12, TokenTime: 16, SpareTime: 4,
			Attempts: 5, Evictions: 1, PeakRunning: 2}},
		// At 4 the second task moves to the guaranteed token, which nobody has held since 3, and goes on to 6.
		{"it goes, and another is free", bag(2), on(Step{0, 1}, Step{4 * second, 0}), Result{End: 6, TokenTime: 9,
			SpareTime: 6, Attempts: 2, PeakRunning: 2}},
		// Guaranteed: 0-3, 3-6, 6-9; spare: 1-7.
		{"it comes", bag(4), on(Step{0, 0}, Step{second, 1}), Result{End: 9, TokenTime: 15, SpareTime: 6, Attempts: 4,
			PeakRunning: 2}},
	} {
		test.want.End *= second
		test.want.TokenTime *= second
		test.want.SpareTime *= second
		if got := run(t, test.plan, test.o); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	o := on(Step{0, 0})
	o.Spare.Between, o.Spare.Tokens = constant(t, 10*second), []int32{1}
	// Guaranteed: 0-3, 3-6, 6-9, 9-12, 12-15; spare, from 10: 10-16.
	if got := run(t, bag(6), o); got.End != 16*second || got.SpareTime != 6*second {
		t.Errorf("comes at random: %+v, want an end at 16 s and 6 s on spare tokens", got)
	}
}

// TestSpeculate: two tasks of 2 s, one on a spare token where it takes 20. It is late after 1.5 medians, at 3; the
// guaranteed token is free since 2. The copy runs 3-5, and the other is killed after 5 s.
func TestSpeculate(t *testing.T) {
	p := Plan{Stages: []Stage{{Tasks: 2, Duration: constant(t, 2*second)}}}
	o := tokens(1)
	o.Spare = &Spare{Steps: []Step{{0, 1}}, Slowdown: []float64{10}}
	o.Speculate = &Speculation{1.5}
	want := Result{End: 5 * second, TokenTime: 9 * second, SpareTime: 5 * second, Attempts: 3, Copies: 1, Killed: 1,
		PeakRunning: 2}
	if got := run(t, p, o); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Latency does not count: with 1 s of it all is later by 1 until 3, when the guaranteed token is free; late at 1 +
	// 3, the copy runs 4-7.
	p.Stages[0].Latency = constant(t, second)
	if got := run(t, p, o); got.End != 7*second || got.Copies != 1 {
		t.Errorf("with latency: %+v, want an end at 7 s", got)
	}
	// No token is free for copies while tasks are ready: five tasks of 2 s on the guaranteed token to 10, then one
	// copy, to 12.
	p.Stages[0].Latency, p.Stages[0].Tasks = Dist{}, 6
	if got := run(t, p, o); got.End != 12*second || got.Copies != 1 {
		t.Errorf("busy: %+v, want one copy and an end at 12 s", got)
	}
}

// TestExponential: n tasks of mean 1 on a tokens take (n-a)/a + H_a, with H_10 = 2.92897 and H_50 = 4.49921.
func TestExponential(t *testing.T) {
	for _, test := range []struct {
		n, a int32
		want float64
	}{{1000, 10, 101.92897}, {100, 1, 100}, {50, 50, 4.49921}, {500, 50, 13.49921}} {
		r := runner(t, Plan{Stages: []Stage{{Tasks: test.n, Duration: exponential(t)}}})
		sum, runs := 0.0, 200_000/uint64(test.n) // 50 on 50: sd 1.27 of 4.5, of the mean of 4,000 runs 0.45%
		for i := range runs {
			res, err := r.Run(tokens(test.a), seed.Stream(7, "exponential", i))
			if err != nil {
				t.Fatal(err)
			}
			sum += float64(res.End) / second
		}
		if got := sum / float64(runs); math.Abs(got/test.want-1) > 0.01 {
			t.Errorf("%d on %d: mean makespan %v, want %v within 1%%", test.n, test.a, got, test.want)
		}
	}
}

// TestGeometric: at probability p = 0.2 of failure a task takes k attempts with probability 0.8·0.2^(k-1), 1/0.8 = 1.25
// of them on average. Failing half-way through 2 s, latency 1 s: mean token time 2+1 + 0.25·(1+1) = 3.5 s.
func TestGeometric(t *testing.T) {
	const n = 100_000
	o := tokens(100)
	tries, count := make([]int, n), make([]float64, 5)
	o.Observe = func(e Event, _ Progress) {
		switch e.Kind {
		case Started:
			tries[e.Task]++
		case Completed:
			count[min(tries[e.Task], 4)]++
		}
	}
	res := run(t, Plan{Stages: []Stage{{Tasks: n, Duration: constant(t, 2*second), Latency: constant(t, second),
		Failure: Failure{0.2, []float64{0.5}}}}}, o)
	for k, want := range []float64{0, 0.8 * n, 0.16 * n, 0.032 * n, 0.008 * n} {
		if sd := math.Sqrt(want); math.Abs(count[k]-want) > 4*sd {
			t.Errorf("%v tasks took %d attempts (4: or more), want %v within %.0f", count[k], k, want, 4*sd)
		}
	}
	if got := float64(res.Attempts) / n; math.Abs(got-1.25) > 0.007 { // sd of the mean: sqrt(.2)/.8/sqrt(n) = 0.0018
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
	plan := func(unit int64) Plan {
		return Plan{Stages: []Stage{{Tasks: 2, Duration: constant(t, 3*unit)},
			{Tasks: 2, Duration: constant(t, 4*unit)}},
			Edges: []Edge{{0, 1, trace.AllToAll}}}
	}
	p := plan(second)
	between := func(d ...int64) *Options {
		return &Options{Allocation: []Step{{0, 2}}, Loss: &Loss{empirical(t, d...), 2}}
	}
	if res := run(t, p, between(8*second)); res.End != 7*second || res.Losses != 0 {
		t.Errorf("lost late: %+v", res)
	}
	if _, err := runner(t, plan(1000*second)).Run(between(5000*second), rand.NewPCG(1, 1)); !errors.Is(err,
		ErrTooLong) {
		t.Errorf("1,000 times as long, lost every 5,000 s: %v, want it never to end", err)
	}
	res := run(t, p, between(5*second, 9*second)) // ends once a gap of 9 s comes
	if res.Losses != res.OutputsLost || res.Attempts != 4+2*res.Losses {
		t.Errorf("%+v: each loss takes two attempts and two outputs, and costs four attempts", res)
	}
}

// TestGroupLoss: three tasks of 4 s on three tokens, all lost together at some x s: again from x to x + 4.
func TestGroupLoss(t *testing.T) {
	p := Plan{Stages: []Stage{{Tasks: 3, Duration: constant(t, 4*second), Lost: GroupLoss{1, []int32{3}}}}}
	res := run(t, p, tokens(3))
	if x := res.End - 4*second; x < 0 || x >= 4*second || res.Losses != 3 || res.Attempts != 6 || res.TokenTime != 3*x+
		12*second {
		t.Errorf("%+v: want three attempts lost at one time, and made again", res)
	}
	// At probability 0.3, of 10,000 runs 3,000 lose something, sd sqrt(10,000·0.3·0.7) = 46; 1 or 2 attempts, 1.5 on
	// average.
	p.Stages[0].Lost = GroupLoss{0.3, []int32{1, 2}}
	r := runner(t, p)
	runs, lost := 0, int64(0)
	for i := range uint64(10_000) {
		res, err := r.Run(tokens(3), seed.Stream(1, "group loss", i))
		if err != nil {
			t.Fatal(err)
		}
		if lost += res.Losses; res.Losses > 0 {
			runs++
		}
	}
	if mean := float64(lost) / float64(runs); math.Abs(float64(runs)-3000) > 200 || math.Abs(mean-1.5) > 0.05 {
		t.Errorf("%d runs of 10,000 lost %v attempts on average, want 3,000 and 1.5", runs, mean)
	}
}
