package cpa

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"racecard/datasets/remaining"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

const second = 1_000_000

func dist(t testing.TB, us ...int64) sim.Dist {
	t.Helper()
	d, err := sim.Empirical(us)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// job makes a job of stages of a plan, each of which took its mean time in an earlier run, one stage after the other.
func job(t testing.TB, p sim.Plan, mean func(stage int) float64) Job {
	t.Helper()
	var totals []progress.Stage
	var edges []trace.Edge
	for i, s := range p.Stages {
		n := float64(len(p.Stages))
		from, to := float64(i)/n, float64(i+1)/n
		totals = append(totals, progress.Stage{Tasks: float64(s.Tasks), QueuedS: 1, WorkS: mean(i) * float64(s.Tasks),
			LongestS: mean(i),
			Begin:    from, End: to, InfBegin: from / 2, InfEnd: to})
	}
	for _, e := range p.Edges {
		edges = append(edges, trace.Edge(e))
	}
	plan, err := progress.NewPlan(totals, edges)
	if err != nil {
		t.Fatal(err)
	}
	return Job{Progress: plan, With: func(int32) (Setting, error) { return Setting{Plan: p}, nil }}
}

// chain is 2 tasks of 3 s and then 2 of 1 s: 8 s on one token, 4 s on two.
func chain(t testing.TB) Job {
	p := sim.Plan{Stages: []sim.Stage{{Tasks: 2, Duration: dist(t, 3*second)}, {Tasks: 2, Duration: dist(t, second)}},
		Edges: []sim.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}}
	return job(t, p, func(i int) float64 { return []float64{3, 1}[i] })
}

func build(t testing.TB, j Job, o Options) *remaining.Table {
	t.Helper()
	table, err := Build(context.Background(), j, remaining.About{Job: "j"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// few are options that say how many runs of which allocations.
func few(runs int, grid ...int32) Options {
	o := DefaultOptions()
	o.Replicates, o.Allocations = runs, grid
	return o
}

// On one token tasks end at 3, 6, 7 and 8 s, on two all of a stage at 3 and 4 s. Counting tasks, progress is 1/4, 1/2,
// 3/4 and 1 then, and 1/2 and 1. So 0.26 is reached at 6 s, 2 s before the end, or at 3 s, 1 s before it.
func TestTableByHand(t *testing.T) {
	for _, test := range []struct {
		indicator progress.Indicator
		// by progress, remaining time on one and on two tokens
		want map[float64][2]float64
	}{
		{progress.VertexFrac, map[float64][2]float64{0: {8, 4}, .01: {5, 1}, .25: {5, 1}, .26: {2, 1}, .5: {2, 1},
			.51: {1, 0}, .75: {1, 0}, .76: {0, 0}, 1: {0, 0}}},
		// Of 6 + 2 s of work, 3, 6, 7 and 8 are done then: 3/8, 6/8, 7/8.
		{progress.TotalWork, map[float64][2]float64{0: {8, 4}, .37: {5, 1}, .38: {2, 1}, .75: {2, 1}, .76: {1, 0},
			.87: {1, 0}, .88: {0, 0}}},
		// With 1 s queued in each stage, 3.5, 7, 8.5 and 10 of 10: .35, .7, .85.
		{progress.TotalWorkWithQ, map[float64][2]float64{.35: {5, 1}, .36: {2, 1}, .7: {2, 1}, .71: {1, 0}, .85: {1, 0},
			.86: {0, 0}}},
		// S_0 = 3 + 1; then 1.5 + 1, 1 and .5 are left: 1 - 2.5/4 = .375, .75, .875.
		{progress.CP, map[float64][2]float64{.37: {5, 1}, .38: {2, 1}, .75: {2, 1}, .76: {1, 0}, .87: {1, 0},
			.88: {0, 0}}},
		// The stages ran in 0-.5 and .5-1: .25, .5, .75.
		{progress.MinStage, map[float64][2]float64{.25: {5, 1}, .26: {2, 1}, .5: {2, 1}, .51: {1, 0}, .75: {1, 0},
			.76: {0, 0}}},
		// Without limit in 0-.5 and .25-1. Half of the first: the lesser of .25 and .25. All of it: .25, half of the
		// second: .625.
		{progress.MinStageInf, map[float64][2]float64{.25: {5, 1}, .26: {1, 0}, .62: {1, 0}, .63: {0, 0}}},
	} {
		o := few(3, 1, 2)
		o.Indicator = test.indicator
		table := build(t, chain(t), o)
		for p, want := range test.want {
			for k := range want {
				at := table.At(p, float64(k+1))
				if got := [4]float64{at.Quantile(0), at.Quantile(.5), at.Quantile(1),
					at.Mean()}; got != [4]float64{want[k], want[k], want[k], want[k]} || at.Samples() != 3 {
					t.Errorf("%v at %v on %d tokens: %v of %d samples, want %v of 3", test.indicator, p, k+
						1, got, at.Samples(), want[k])
				}
			}
		}
	}
}

// Every 2 s: on one token at 0, 2, 4 and 6 s, with 8, 6, 4 and 2 s left at a progress of 0, 0, 1/4 and 1/2.
func TestSampledByTime(t *testing.T) {
	o := few(2, 1)
	o.Indicator, o.Sampling, o.StepS = progress.VertexFrac, remaining.ByTime, 2
	table := build(t, chain(t), o)
	for p, want := range map[float64]struct {
		least, mean, most float64
		samples           int64
	}{
		0:   {6, 7, 8, 4}, // of two runs
		.24: {4, 4, 4, 0}, // nobody was there: filled
		.25: {4, 4, 4, 2},
		.26: {2, 2, 2, 0},
		.5:  {2, 2, 2, 2},
		.75: {0, 0, 0, 0}, // at 7 s nobody looked
		1:   {0, 0, 0, 2},
	} {
		at := table.At(p, 1)
		if at.Quantile(0) != want.least || at.Mean() != want.mean || at.Quantile(1) != want.most ||
			at.Samples() != want.samples {
			t.Errorf("at %v: %v, %v, %v of %d, want %v", p, at.Quantile(0), at.Mean(), at.Quantile(1), at.Samples(),
				want)
		}
	}
	if table.About.StepS == nil || *table.About.StepS != 2 {
		t.Error("the table does not say how often it was sampled")
	}
}

// anyJob is a random plan, with failures and latencies.
func anyJob(t *rapid.T, tb testing.TB) Job {
	n := rapid.IntRange(1, 5).Draw(t, "stages")
	tasks := rapid.Int32Range(1, 6).Draw(t, "tasks")
	p := sim.Plan{Stages: make([]sim.Stage, n)}
	for i := range p.Stages {
		s := sim.Stage{Tasks: tasks, Duration: dist(tb, rapid.SliceOfN(rapid.Int64Range(0, 50*second), 1, 5).Draw(t,
			"durations")...)}
		if rapid.Bool().Draw(t, "unreliable") {
			s.Latency, s.Failure = dist(tb, 0, second), sim.Failure{Probability: .3, Share: []float64{.5}}
		}
		p.Stages[i] = s
		for k := range i {
			kind := rapid.SampledFrom([]trace.EdgeKind{trace.EdgeUnknown, trace.AllToAll, trace.OneToOne}).Draw(t,
				"edge")
			if kind != trace.EdgeUnknown {
				p.Edges = append(p.Edges, sim.Edge{Parent: int32(k), Child: int32(i), Kind: kind})
			}
		}
	}
	j := job(tb, p, func(i int) float64 { return float64(i + 1) })
	if rapid.Bool().Draw(t, "lucky") {
		j.With = func(int32) (Setting, error) { return Setting{Plan: p, Slowness: []float64{.5, 1, 2}}, nil }
	}
	return j
}

// TestLaws: whatever the plan, the indicator, the sampling and the grid, the table keeps its laws; and it is the same,
// bit for bit, however many workers there are.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		j, o := anyJob(rt, t), DefaultOptions()
		o.Indicator = progress.Indicator(rapid.IntRange(0, int(progress.Count)-1).Draw(rt, "indicator"))
		o.Seed, o.Antithetic = rapid.Uint64().Draw(rt, "seed"), rapid.Bool().Draw(rt, "antithetic")
		o.Replicates, o.MaxReplicates, o.Tolerance = rapid.SampledFrom([]int{0, 5, 40}).Draw(rt, "replicates"), 100, .1
		if rapid.Bool().Draw(rt, "given") {
			o.Allocations = []int32{1, 3, 4, 9}
		}
		if rapid.Bool().Draw(rt, "by time") {
			o.Sampling = remaining.ByTime
		}
		about := remaining.About{}
		if rapid.Bool().Draw(rt, "tokens known") {
			most := rapid.Int64Range(0, 10).Draw(rt, "most tokens")
			about.MostTokens = &most
		}
		var first *remaining.Table
		for _, workers := range []int{1, 3} {
			o.Crew = NewCrew(workers)
			table, err := Build(context.Background(), j, about, o)
			if err != nil {
				rt.Fatal(err)
			}
			if err := table.Verify(); err != nil {
				rt.Fatal(err)
			}
			if first == nil {
				first = table
			} else if !reflect.DeepEqual(table, first) {
				rt.Fatalf("%d workers make another table", workers)
			}
		}
		if m := first.About.Monotone; m.Changed < 0 || m.Changed > 1 || m.LargestS < 0 || m.Known < 1 {
			rt.Fatalf("monotone %+v", m)
		}
	})
}

// TestWholeRuns: before it is made monotone, C(0,a) is how long other runs take on a: D of two samples of 1000 is below
// 1.95·sqrt(2/1000) = 0.087 but in one case of a thousand (Kolmogorov and Smirnov).
func TestWholeRuns(t *testing.T) {
	d := dist(t, 1*second, 2*second, 3*second, 5*second, 30*second)
	p := sim.Plan{Stages: []sim.Stage{{Tasks: 20, Duration: d}, {Tasks: 20, Duration: d, Latency: d},
		{Tasks: 5, Duration: d}},
		Edges:   []sim.Edge{{Parent: 0, Child: 1, Kind: trace.OneToOne}, {Parent: 1, Child: 2, Kind: trace.AllToAll}},
		StartUp: d, WindDown: d}
	for _, antithetic := range []bool{false, true} {
		const n = 1000
		o := few(n, 1, 4, 40)
		o.Antithetic = antithetic
		columns := make([]*column, 3)
		var got [3][]float64
		for k, a := range o.Allocations {
			columns[k] = &column{tokens: a}
			if err := columns[k].simulate(job(t, p, func(int) float64 { return 8 }), o, 0, n); err != nil {
				t.Fatal(err)
			}
			got[k] = columns[k].cells[0].Sorted(1).Values()
		}
		compiled, err := sim.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		r := sim.NewRunner(compiled)
		for k, a := range o.Allocations {
			var whole []float64
			for i := range uint64(n) {
				res, err := r.Run(&sim.Options{Allocation: []sim.Step{{Tokens: a}}}, seed.Stream(9, "other runs", i))
				if err != nil {
					t.Fatal(err)
				}
				whole = append(whole, float64(res.End))
			}
			slices.Sort(whole)
			if d := stat.KolmogorovSmirnov(got[k], nil, whole, nil); d > .087 {
				t.Errorf("on %d tokens, antithetic %v: D = %v, want below 0.087", a, antithetic, d)
			}
		}
	}
}

// TestReplicatesUntilNarrow: with a tolerance there are as many runs as intervals want, up to the cap, and fewer for a
// job that always takes the same time.
func TestReplicatesUntilNarrow(t *testing.T) {
	o := few(0, 1, 2)
	if got := build(t, chain(t), o).About.Replicates; !slices.Equal(got, []int64{128, 128}) {
		t.Errorf("%v runs of a job without chance, want 128: from 64 no interval of p95 is known", got)
	}
	noisy := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 3, Duration: dist(t, second, 9*second)}}}, func(int) float64 {
		return 5
	})
	o.MaxReplicates = 1000
	if got := build(t, noisy, o).About.Replicates; !slices.Equal(got, []int64{1000, 1000}) {
		t.Errorf("%v runs of a job of 3 to 27 s, want the cap", got)
	}
}

// A table that the cap keeps from its tolerance says how close it is; one within it, or of a given number of runs, does
// not.
func TestTablesBeyondTheirTolerance(t *testing.T) {
	noisy := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 3, Duration: dist(t, second, 9*second)}}}, func(int) float64 {
		return 5
	})
	for _, c := range []struct {
		replicates, most int
		tolerance        float64
		want             string
	}{
		{0, 200, 0.02, "of a run's median time on 2 tokens from 200 runs, not within the tolerance of 2%: more replicates"},
		{0, 20, 0.02, "20 runs on 1 token do not tell how close p90 is"}, {0, 2000, 0.9, ""}, {50, 200, 0.02, ""},
	} {
		o := few(c.replicates, 1, 2)
		o.MaxReplicates, o.Tolerance = c.most, c.tolerance
		got := build(t, noisy, o).About.Warnings
		if len(got) == 0 && c.want != "" || len(got) > 0 && (c.want == "" || !strings.Contains(got[0], c.want)) {
			t.Errorf("%d replicates, at most %d, tolerance %v: warnings %q, want %q", c.replicates, c.most, c.tolerance, got,
				c.want)
		}
	}
}

// TestInterval: of 100 values the median is between the 40th and the 61st (W. J. Conover, Practical Nonparametric
// Statistics).
func TestInterval(t *testing.T) {
	if low, high, ok := interval(100, .5); !ok || math.Round(low*99) != 39 || math.Round(high*99) != 60 {
		t.Errorf("%v to %v of 99, %v; want 39 to 60", low*99, high*99, ok)
	}
	if _, _, ok := interval(50, .95); ok { // P(all 50 below p95) = .95^50 = .077
		t.Error("50 values bound p95 from above")
	}
	for q := range 19 {
		q := float64(q+1) / 20
		low, high, ok := interval(2000, q)
		if !ok || low >= q || high <= q {
			t.Errorf("%v: %v to %v, %v", q, low, high, ok)
		}
	}
}

// TestChosenGrid: 32 tasks on 1, 2, ... 32 tokens; between the allocations that were chosen, the line is close.
func TestChosenGrid(t *testing.T) {
	j := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 32, Duration: dist(t, 2*second, 5*second, 7*second, 10*second,
		26*second)}}}, func(int) float64 { return 10 })
	o := DefaultOptions()
	o.Replicates = 200
	table := build(t, j, o)
	grid := table.Allocations
	if grid[0] != 1 || grid[len(grid)-1] != 32 || len(grid) > 20 {
		t.Fatalf("grid %v, want 1 to 32, with less than 20", grid)
	}
	var all []int32
	for a := range int32(32) {
		all = append(all, a+1)
	}
	o.Allocations = all
	full := build(t, j, o)
	for _, a := range all {
		for i := range remaining.Steps {
			p := remaining.Progress(i)
			for _, q := range []float64{.5, .9} {
				got, want := table.Remaining(p, float64(a), q), full.Remaining(p, float64(a), q)
				if whole := full.Remaining(0, float64(a), .5); math.Abs(got-want) > 2*o.GridError*whole {
					t.Fatalf("grid %v: C(%v,%d) is %v, want %v within a tenth of %v", grid, p, a, got, want, whole)
				}
			}
		}
	}
}

// A run on one token takes 120 days: with a chosen grid it is left out, and says so.
func TestTooLong(t *testing.T) {
	j := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 3, Duration: dist(t, 40*86400*second)}}}, func(int) float64 {
		return 5
	})
	o := few(2)
	table := build(t, j, o)
	if !slices.Equal(table.Allocations, []int32{2, 3}) || len(table.About.Warnings) != 1 ||
		!strings.Contains(table.About.Warnings[0], "1 token is left out") {
		t.Errorf("%v tokens, warnings %q", table.Allocations, table.About.Warnings)
	}
	o.Allocations = []int32{1, 2}
	if _, err := Build(context.Background(), j, remaining.About{}, o); err == nil {
		t.Error("a run of 120 days is simulated")
	}
}

// A model that cannot be made for one token, as totals would take too long to simulate, can be for others.
func TestTooLongToModel(t *testing.T) {
	j := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 3, Duration: dist(t, second)}}}, func(int) float64 { return 5 })
	with := j.With
	j.With = func(tokens int32) (Setting, error) {
		if tokens == 1 {
			return Setting{}, sim.ErrTooLong
		}
		return with(tokens)
	}
	if table := build(t, j, few(2)); !slices.Equal(table.Allocations, []int32{2, 3}) {
		t.Errorf("%v tokens, want 2 and 3", table.Allocations)
	}
}

// The grid of a run of very many tasks ends at twice what past runs held, or at manyTokens, and says so.
func TestTopOfManyTasks(t *testing.T) {
	j := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: manyTokens + 10, Duration: dist(t, second)}}},
		func(int) float64 { return 5 })
	held := int64(3)
	table, err := Build(context.Background(), j, remaining.About{Tasks: manyTasks + 1, MostTokens: &held}, few(1))
	if err != nil {
		t.Fatal(err)
	}
	if last := table.Allocations[len(table.Allocations)-1]; last != manyTokens || len(table.About.Warnings) == 0 ||
		!strings.Contains(table.About.Warnings[0], "the largest allocation is 16,384 tokens") {
		t.Errorf("up to %d tokens, warnings %q", last, table.About.Warnings)
	}
	held = 2_000_000
	for tasks, want := range map[int]int32{manyTasks: sim.MaxTokens, manyTasks + 1: sim.MaxTokens} {
		if got := largest(remaining.About{Tasks: tasks, MostTokens: &held}); got != want {
			t.Errorf("%d tasks: at most %d tokens, want %d", tasks, got, want)
		}
	}
	held = 50_000
	if got := largest(remaining.About{Tasks: manyTasks + 1, MostTokens: &held}); got != 100_000 {
		t.Errorf("runs held 50,000: at most %d tokens, want 100,000", got)
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := few(1_000_000, 1, 2)
	o.Report = func(done, of int64) {
		if of != 2_000_000 {
			t.Errorf("of %d runs, want 2000000", of)
		}
		if done >= 100 {
			cancel()
		}
	}
	if _, err := Build(ctx, chain(t), remaining.About{}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBadOptions(t *testing.T) {
	for name, spoil := range map[string]func(*Options){
		"indicator": func(o *Options) { o.Indicator = progress.Count }, "sampling": func(o *Options) {
			o.Sampling = ""
		},
		"sampled every": func(o *Options) { o.StepS = 0 }, "grid error": func(o *Options) { o.GridError = math.NaN() },
		"replicates": func(o *Options) { o.Replicates = -1 }, "tolerance": func(o *Options) { o.Tolerance = 0 },
		"at most": func(o *Options) { o.MaxReplicates = 0 }, "no quantiles": func(o *Options) { o.Quantiles = nil },
		"quantile 1": func(o *Options) { o.Quantiles = []float64{1} }, "crew": func(o *Options) { o.Crew = nil },
		"allocations": func(o *Options) { o.Allocations = []int32{2, 2} },
	} {
		o := DefaultOptions()
		spoil(&o)
		if _, err := Build(context.Background(), chain(t), remaining.About{}, o); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	idle := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 1, Duration: dist(t, 0)}}}, func(int) float64 { return 0 })
	o := few(1, 1)
	o.Indicator = progress.TotalWork
	if _, err := Build(context.Background(), idle, remaining.About{}, o); err == nil ||
		!strings.Contains(err.Error(), "tells nothing") {
		t.Errorf("a job of which nothing is known: %v", err)
	}
}

// TestMemory: four times as many runs take no more memory, with samples counted in bins.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage again and again")
	}
	most := func(runs int) uint64 {
		o := few(runs, 2)
		var peak uint64
		o.Report = func(done, _ int64) {
			if done%1024 != 0 {
				return
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		if table := build(t, chain(t), o); table.About.Error == 0 {
			t.Errorf("%d samples are all kept", runs)
		}
		return peak
	}
	small, large := most(8192), most(32768)
	t.Logf("at most %d kB with 8,192 runs, %d kB with 32,768", small>>10, large>>10)
	if float64(large) > 1.1*float64(small) {
		t.Errorf("%d bytes with 8,192 runs, %d with 32,768: want no more", small, large)
	}
}

// The number of runs is lowered where each has very many tasks, never below those that bound a p95, and never where it
// was asked for.
func TestRunsOfManyTasksAreFew(t *testing.T) {
	for _, c := range []struct{ replicates, tasks, want int }{
		{0, 0, 2000}, {0, 32_000, 2000}, {0, 64_000, 1000}, {0, 1_000_000, boundingRuns}, {0, math.MaxInt, boundingRuns},
		{500, 1_000_000, 2000},
	} {
		o := DefaultOptions()
		o.Replicates = c.replicates
		if limited := o.limit(c.tasks); o.MaxReplicates != c.want || limited != (c.want != 2000) {
			t.Errorf("%d tasks, %d replicates: at most %d, want %d", c.tasks, c.replicates, o.MaxReplicates, c.want)
		}
	}
}

// A table whose runs were too few, or too many for a finer grid, says so, and how closely it knows its quantiles.
func TestTableOfManyTasksSaysHowCloseItIs(t *testing.T) {
	j := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 20, Duration: dist(t, second, 20*second)}}},
		func(int) float64 { return 10 })
	o := DefaultOptions()
	o.Quantiles = []float64{0.5, 0.95, 0.999}
	table, err := Build(context.Background(), j, remaining.About{Job: "j", Tasks: 7_000_000}, o)
	if err != nil {
		t.Fatal(err)
	}
	warnings := strings.Join(table.About.Warnings, "\n")
	for _, want := range []string{
		"at most 72 runs were simulated at every allocation, as no number of replicates was given",
		"p50 is within ", "p95 is within ", "p99.9 takes more runs to tell",
		"a run has 7,000,000 tasks: 4 allocations are left out that a grid error of 5% wants",
	} {
		if !strings.Contains(warnings, want) {
			t.Errorf("want %q in\n%s", want, warnings)
		}
	}
	if !slices.Equal(table.Allocations, []int32{1, 2, 4, 8, 16, 20}) {
		t.Errorf("allocations %v", table.Allocations)
	}
}

// The fewest runs that bound a p95 do, and one run less does not.
func TestBoundingRuns(t *testing.T) {
	_, _, ok := interval(boundingRuns, 0.95)
	if _, _, fewer := interval(boundingRuns-2, 0.95); !ok || fewer {
		t.Errorf("%d runs bound a p95: %t; a pair less: %t", boundingRuns, ok, fewer)
	}
}

// Tasks that all take 10 s run in whole waves: the time of a run falls in steps, at 34, 50 and 100 of 100 tokens. The
// chosen grid has allocations on both sides of steps.
func TestChosenGridHasWaves(t *testing.T) {
	j := job(t, sim.Plan{Stages: []sim.Stage{{Tasks: 100, Duration: dist(t, 10*second)}}}, func(int) float64 { return 10 })
	o := DefaultOptions()
	o.Replicates = 2
	table := build(t, j, o)
	for a := 1; a <= 100; a++ {
		want := 10 * math.Ceil(100/float64(a))
		if got := table.Remaining(0, float64(a), 0.5); math.Abs(got/want-1) > o.GridError+1e-9 {
			t.Errorf("grid %v: on %d tokens %v s, want %v within 5%%", table.Allocations, a, got, want)
		}
	}
}
