package sim

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/seed"
	"racecard/datasets/trace"
)

// TestSlow: every event and the result are those of a simulator written to be read.
func TestSlow(t *testing.T) {
	check(t, func(t *rapid.T) {
		p, o, number := drawn(t, true), drawnOptions(t), fixed(rapid.Uint64().Draw(t, "number"))
		c := compiled(t, p)
		want, events := runSlow(c, p, o, uint64(number))
		var got []Event
		var done []toldDone
		o.Observe = func(e Event, p Progress) {
			if e.Kind == Completed || e.Kind == OutputLost {
				done = append(done, toldDone{e.Now, e.Stage, p.Done[e.Stage]})
			}
			got = append(got, e)
		}
		var told []toldDone
		o.Done = func(now int64, stage, done int32) { told = append(told, toldDone{now, stage, done}) }
		res, err := NewRunner(c).Run(o, number)
		if err != nil {
			t.Fatal(err)
		}
		for i := range min(len(got), len(events)) {
			if got[i] != events[i] {
				t.Fatalf("event %d: %+v, want %+v, after %+v", i, got[i], events[i], events[:i])
			}
		}
		if res != want || len(got) != len(events) {
			t.Fatalf("%d events, %+v; want %d, %+v", len(got), res, len(events), want)
		}
		if !slices.Equal(told, done) {
			t.Fatalf("told of done tasks: %v; events say %v", told, done)
		}
	})
}

// toldDone is what Options.Done is told.
type toldDone struct {
	now         int64
	stage, done int32
}

// TestLean: the lean loop and the general one say the same.
func TestLean(t *testing.T) {
	check(t, func(t *rapid.T) {
		p := drawn(t, false)
		for i := range p.Stages {
			if us := rapid.SliceOfN(rapid.Int64Range(0, 20), 0, 4).Draw(t, "first"); len(us) > 0 {
				var err error
				if p.Stages[i].First, err = Empirical(us); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := NewRunner(compiled(t, p))
		o, number := tokens(rapid.Int32Range(0, 9).Draw(t, "tokens")), rapid.Uint64().Draw(t, "number")
		o.Machine = rapid.Int32Range(0, 3).Draw(t, "machine")
		o.Scale = rapid.SampledFrom([]float64{0, 1, 0.5, 1.7}).Draw(t, "scale")
		var told []toldDone
		o.Done = func(now int64, stage, done int32) { told = append(told, toldDone{now, stage, done}) }
		r.reset(o, number)
		if !r.isLean() {
			t.Fatal("not lean")
		}
		err := r.lean()
		got, end, done, first := r.res, r.now, slices.Clone(r.done), slices.Clone(told)
		told = told[:0]
		r.reset(o, number)
		if again := r.general(); !errors.Is(again, err) || r.res != got || r.now != end || !slices.Equal(done, r.done) {
			t.Fatalf("lean %+v at %d, done %v, %v; general %+v at %d, done %v, %v", got, end, done, err, r.res, r.now,
				r.done, again)
		}
		if err == nil && !slices.Equal(told, first) {
			t.Fatalf("lean tells %v, general %v", first, told)
		}
	})
}

// TestCommonNumbers: a task takes as long on one token as on five, and in the antithetic run what is left of 1001 µs.
func TestCommonNumbers(t *testing.T) {
	us := make([]int64, 1000)
	for i := range us {
		us[i] = int64(i) + 1
	}
	r := runner(t, Plan{Stages: []Stage{{Tasks: 20, Duration: empirical(t, us...)},
		{Tasks: 20, Duration: empirical(t, us...)}},
		Edges: []Edge{{0, 1, trace.OneToOne}}})
	took := func(o *Options) map[[2]int32]int64 {
		took := map[[2]int32]int64{}
		o.Observe = func(e Event, _ Progress) {
			took[[2]int32{e.Stage, e.Task}] = e.Now - took[[2]int32{e.Stage, e.Task}]
		}
		if _, err := r.Run(o, fixed(5)); err != nil {
			t.Fatal(err)
		}
		return took
	}
	one, five, anti := took(tokens(1)), took(tokens(5)), took(&Options{Allocation: []Step{{0, 3}}, Antithetic: true})
	for k, d := range one {
		if five[k] != d || anti[k] != 1001-d {
			t.Errorf("task %v: %d µs on one token, %d on five, %d antithetic", k, d, five[k], anti[k])
		}
	}
}

// TestWorkers: runs are the same whichever goroutine makes them.
func TestWorkers(t *testing.T) {
	p := benchPlan(t, true, true)
	for i := range p.Stages {
		p.Stages[i].Tasks = 50
	}
	c, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	const runs = 42
	all := func(workers int) []Result {
		out := make([]Result, runs)
		var group sync.WaitGroup
		for w := range workers {
			group.Go(func() {
				r, o := NewRunner(c), everything(t, 10)
				o.Loss.Between = constant(t, 20*second)
				for i := w; i < runs; i += workers {
					var err error
					if out[i], err = r.Run(o, seed.Stream(1, "workers", uint64(i))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		return out
	}
	want := all(1)
	for _, workers := range []int{2, 7} {
		if got := all(workers); !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
	var sum Result
	for _, res := range want {
		sum.Failures, sum.Evictions, sum.Losses = sum.Failures+res.Failures, sum.Evictions+res.Evictions, sum.Losses+
			res.Losses
		sum.OutputsLost, sum.Killed, sum.SpareTime = sum.OutputsLost+res.OutputsLost, sum.Killed+res.Killed,
			sum.SpareTime+res.SpareTime
	}
	if min(sum.Failures, sum.Evictions, sum.Losses, sum.OutputsLost, sum.Killed, sum.SpareTime) == 0 {
		t.Errorf("not everything happens: %+v", sum)
	}
}

// TestNoAllocations: a warm Runner allocates nothing, whatever is on.
func TestNoAllocations(t *testing.T) {
	p := benchPlan(t, true, true)
	for i := range p.Stages {
		p.Stages[i].Tasks = 50
	}
	for name, o := range map[string]*Options{"lean": tokens(10), "everything": everything(t, 10)} {
		plan := p
		if o.Loss != nil {
			o.Loss.Between = constant(t, 20*second)
		}
		if name == "lean" {
			plan = Plan{Stages: []Stage{{Tasks: 1000, Duration: exponential(t)}}}
		}
		r, src := runner(t, plan), rand.NewPCG(1, 1)
		for range 20 {
			if _, err := r.Run(o, src); err != nil {
				t.Fatal(err)
			}
		}
		if got := testing.AllocsPerRun(20, func() {
			if _, err := r.Run(o, src); err != nil {
				t.Fatal(err)
			}
		}); got != 0 {
			t.Errorf("%s: %v allocations in a run", name, got)
		}
	}
}
