package anatomy

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

const second = trace.Instant(1_000_000)

// drawRun draws a run of some stages, whose attempts may begin before it and end after it, fail, or have no times.
func drawRun(t *rapid.T, id string) Run {
	run := trace.NewRun(id)
	run.Submit = 0
	run.Start = trace.Instant(rapid.IntRange(0, 20).Draw(t, "start")) * second
	run.End = run.Start + trace.Instant(rapid.IntRange(1, 100).Draw(t, "took"))*second
	run.Status = trace.Succeeded
	run.InputBytes = int64(rapid.SampledFrom([]int{trace.None, 5, 1000, 3000}).Draw(t, "input"))
	run.Guaranteed = int64(rapid.SampledFrom([]int{trace.None, 3}).Draw(t, "guaranteed"))
	timed := rapid.SampledFrom([]int{0, 5}).Draw(t, "attempts with times")
	for s := range rapid.IntRange(0, 4).Draw(t, "stages") {
		stage := trace.NewStage()
		stage.Name = rapid.SampledFrom([]string{"a", "b", "c", ""}).Draw(t, "name")
		if rapid.Bool().Draw(t, "timed") {
			stage.Start = run.Start + trace.Instant(rapid.IntRange(-5, 50).Draw(t, "stage start"))*second
			stage.End = stage.Start + trace.Instant(rapid.IntRange(0, 50).Draw(t, "stage took"))*second
		}
		run.Stages = append(run.Stages, stage)
		if s > 0 && rapid.Bool().Draw(t, "has a parent") {
			parent := rapid.IntRange(0, s-1).Draw(t, "parent")
			run.Edges = append(run.Edges, trace.Edge{Parent: int32(parent), Child: int32(s), Kind: trace.AllToAll})
		}
		for k := range rapid.IntRange(0, 6).Draw(t, "attempts") {
			a := trace.NewAttempt(int32(s), int32(k), 0)
			a.Status = rapid.SampledFrom([]trace.Status{trace.Succeeded, trace.Failed}).Draw(t, "status")
			if rapid.IntRange(0, 5).Draw(t, "known") < timed {
				a.Start = run.Start + trace.Instant(rapid.IntRange(-5, 90).Draw(t, "from"))*second
				a.End = a.Start + trace.Instant(rapid.IntRange(0, 40).Draw(t, "for"))*second
				a.Duration = a.End.Since(a.Start)
			} else if rapid.Bool().Draw(t, "lasted") {
				a.Duration = trace.Duration(rapid.IntRange(0, 40).Draw(t, "for")) * trace.Duration(second)
			}
			run.Attempts = append(run.Attempts, a)
		}
	}
	r, known := Measure(t.Context(), run)
	if !known {
		t.Fatalf("%+v has no completion time", run)
	}
	return r
}

// A run's time is queueing, driver time and its stages' times, whatever its attempts.
func TestMeasureAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, "r")
		sum := r.Queued + r.Driver
		for i := range r.Stages {
			sum += r.Stages[i].Seconds(r.Cores)
		}
		if math.Abs(sum-r.Seconds) > 1e-6 {
			t.Fatalf("%+v: parts sum to %v", r, sum)
		}
	})
}

// The parts of a difference sum to it, whatever the runs.
func TestWaterfallAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var others []Run
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			others = append(others, drawRun(t, "other"))
		}
		usual := UsualOf(others, rapid.Float64Range(0, 2).Draw(t, "beta"))
		run := drawRun(t, "run")
		sum := 0.0
		for _, p := range waterfall(&run, &usual) {
			if math.IsNaN(p.Seconds) || math.IsInf(p.Seconds, 0) {
				t.Fatalf("%+v", p)
			}
			sum += p.Seconds
		}
		if want := run.Seconds - usual.Seconds; math.Abs(sum-want) > 1e-6 {
			t.Fatalf("parts sum to %v, the difference is %v", sum, want)
		}
	})
}

// chain is a run of two stages, one after the other: tasks of so many seconds on so many cores, in waves.
func chain(cores int, queued, a, b float64, input int64, lost float64) Run {
	run := trace.NewRun("chain")
	at := func(s float64) trace.Instant { return trace.Instant(s * 1e6) }
	run.Submit, run.Start, run.Status, run.InputBytes = 0, at(queued), trace.Succeeded, input
	begin := queued + 2
	for s, d := range []float64{a, b} {
		stage := trace.NewStage()
		stage.Name = []string{"first", "second"}[s]
		run.Stages = append(run.Stages, stage)
		for k := range 8 {
			t := trace.NewAttempt(int32(s), int32(k), 0)
			t.Status, t.Start, t.End = trace.Succeeded, at(begin+float64(k/cores)*d), at(begin+float64(k/cores+1)*d)
			t.Duration = t.End.Since(t.Start)
			run.Attempts = append(run.Attempts, t)
		}
		begin += float64((8+cores-1)/cores) * d
		if lost > 0 && s == 1 {
			for k := range cores {
				t := trace.NewAttempt(int32(s), int32(k), 1)
				t.Status, t.Start, t.End = trace.Failed, at(begin), at(begin+lost)
				t.Duration = t.End.Since(t.Start)
				run.Attempts = append(run.Attempts, t)
			}
			begin += lost
		}
	}
	run.End = at(begin + 1)
	r, _ := Measure(context.Background(), run)
	return r
}

// Usual: 5 s of queueing, 3 s of the driver, two stages of 8 tasks on 4 cores of 10 s and 20 s: 8 + 20 + 40 = 68 s.
func TestWaterfallByHand(t *testing.T) {
	usual := UsualOf([]Run{chain(4, 5, 10, 20, 1000, 0)}, 1)
	if usual.Seconds != 68 {
		t.Fatalf("the usual run takes %v s", usual.Seconds)
	}
	for _, tc := range []struct {
		name string
		run  Run
		want Part
	}{
		{"queueing", chain(4, 25, 10, 20, 1000, 0), Part{Queueing, "", 20}},
		{"half of the cores", chain(2, 5, 10, 20, 1000, 0), Part{Cores, "", 60}},
		{"three cores: three waves", chain(3, 5, 10, 20, 1000, 0), Part{Cores, "", 30}},
		{"twice the input", chain(4, 5, 20, 40, 2000, 0), Part{Input, "", 60}},
		{"a stage twice as slow", chain(4, 5, 10, 40, 1000, 0), Part{Slower, "second", 40}},
		{"failures", chain(4, 5, 10, 20, 1000, 7), Part{Failures, "", 7}},
	} {
		for _, p := range waterfall(&tc.run, &usual) {
			want := 0.0
			if p.Kind == tc.want.Kind && p.Stage == tc.want.Stage {
				want = tc.want.Seconds
			}
			if math.Abs(p.Seconds-want) > 1e-9 {
				t.Errorf("%s: %s %q is %v s, want %v", tc.name, p.Kind, p.Stage, p.Seconds, want)
			}
		}
	}
}

// On two cores, a task of 20 s runs beside three of 6 s. As it takes 40 s, its core-seconds are 20 more and so is the
// run's time: none of it is unexplained.
func TestWaterfallOfALongTask(t *testing.T) {
	of := func(c int) Run {
		run := trace.NewRun("r")
		run.Submit, run.Start, run.Status = 0, 0, trace.Succeeded
		add := func(stage, task, from, to int) {
			a := trace.NewAttempt(int32(stage), int32(task), 0)
			a.Start, a.End, a.Status = trace.Instant(from)*second, trace.Instant(to)*second, trace.Succeeded
			a.Duration = a.End.Since(a.Start)
			run.Attempts = append(run.Attempts, a)
			run.End = max(run.End, a.End)
		}
		for _, name := range []string{"b", "c"} {
			stage := trace.NewStage()
			stage.Name = name
			run.Stages = append(run.Stages, stage)
		}
		for k := range 3 {
			add(0, k, 6*k, 6*k+6)
		}
		add(1, 0, 0, c)
		r, _ := Measure(t.Context(), run)
		return r
	}
	short, long := of(20), of(40)
	for _, tc := range []struct {
		run, usual Run
		want       float64
	}{{long, short, 20}, {short, long, -20}} {
		usual := UsualOf([]Run{tc.usual}, 1)
		for _, p := range waterfall(&tc.run, &usual) {
			want := 0.0
			if p.Kind == Slower && p.Stage == "c" {
				want = tc.want
			}
			if math.Abs(p.Seconds-want) > 1e-9 {
				t.Errorf("%v s of the run: %s %q is %v s, want %v", tc.run.Seconds, p.Kind, p.Stage, p.Seconds, want)
			}
		}
	}
}

// Work grows with the square root of an input that grows over the runs, and once by half: the power is found beside the
// step.
func TestElasticity(t *testing.T) {
	var runs []Run
	for i := range 60 {
		input := 1000 * math.Exp(float64(i)/30)
		work := math.Sqrt(input) * math.Exp(0.02*math.Sin(float64(7*i*i)))
		if i >= 40 {
			work *= 1.5
		}
		runs = append(runs, Run{Input: input, Stages: []Stage{{Work: work}}})
	}
	if got := elasticity(runs); math.Abs(got-0.5) > 0.05 {
		t.Errorf("power %v, want 0.5", got)
	}
	if got := elasticity(make([]Run, 20)); got != 1 {
		t.Errorf("power %v of unknown inputs, want 1", got)
	}
}

// Of two stages, the first takes the same whatever the input, and the second twice the time for twice the input. A run
// with twice the input is slower by the second's time, and all of that is input.
func TestStagesGrowWithInputEachInItsWay(t *testing.T) {
	var runs []Run
	for i := range 40 {
		x := math.Exp(0.3 * math.Sin(float64(i)))
		noise := math.Exp(0.02 * math.Sin(float64(7*i*i)))
		runs = append(runs, Run{ID: fmt.Sprint(i), Seconds: 40*noise + 60*x*noise, Cores: 1, Input: 1000 * x,
			Stages: []Stage{{Name: "first", Work: 40 * noise}, {Name: "second", Work: 60 * x * noise}}})
	}
	usual := UsualOf(runs, elasticity(runs))
	usual.Powers = powers(runs)
	if a, b := usual.Powers["first"], usual.Powers["second"]; math.Abs(a) > 0.05 || math.Abs(b-1) > 0.05 {
		t.Errorf("powers %v and %v, want 0 and 1", a, b)
	}
	run := Run{Seconds: 160, Cores: 1, Input: 2000, Stages: []Stage{{Name: "first", Work: 40}, {Name: "second",
		Work: 120}}}
	for _, p := range waterfall(&run, &usual) {
		if want := map[Kind]float64{Input: 60}[p.Kind]; math.Abs(p.Seconds-want) > 5 {
			t.Errorf("%s %q is %v s, want %v", p.Kind, p.Stage, p.Seconds, want)
		}
	}
}

// Idle time below zero, which overlapping attempts leave, and tasks that fill whole waves on the usual cores give
// numbers.
func TestStageOnOtherCores(t *testing.T) {
	s := Stage{Name: "s", Tasks: 48, Work: 2.84, Idle: -0.0035}
	if got, want := s.on(3, 2), 2.84/3-0.0035*(1-1/3.0)/(1-1/2.0); math.Abs(got-want) > 1e-12 {
		t.Errorf("on 3 cores %v s, want %v", got, want)
	}
}

// A run is compared with the 30 before it; with all others, 60 at most, where fewer than 5 came before.
func TestNearest(t *testing.T) {
	others := make([]int, 100)
	for i := range others {
		others[i] = i
	}
	for _, test := range []struct{ of, before, first, n int }{{100, 40, 10, 30}, {100, 5, 0, 5}, {100, 4, 0, 60},
		{3, 0, 0, 3}, {0, 0, 0, 0}} {
		got := Nearest(others[:test.of], test.before)
		if len(got) != test.n || test.n > 0 && got[0] != test.first {
			t.Errorf("%d others, %d before: %v, want %d from %d on", test.of, test.before, got, test.n, test.first)
		}
	}
}
