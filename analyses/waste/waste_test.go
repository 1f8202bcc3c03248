package waste

import (
	"context"
	"math"
	"path"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

const second = 1_000_000

// job is a run on 4 tokens from 0 to 100 s with those attempts: {task, attempt, start, end}.
func job(status trace.Status, attempts ...trace.Attempt) *trace.Run {
	r := trace.NewRun("r")
	r.Submit, r.Start, r.End, r.Status, r.Guaranteed = 0, 0, 100*second, status, 4
	r.Stages = []trace.Stage{trace.NewStage()}
	r.Attempts = attempts
	return r
}

func at(task, attempt int32, status trace.Status, start, end trace.Instant) trace.Attempt {
	a := trace.NewAttempt(0, task, attempt)
	a.Status, a.Start, a.End = status, start*second, end*second
	a.Duration = a.End.Since(a.Start)
	return a
}

func copied(a trace.Attempt) trace.Attempt {
	a.Speculative = trace.Yes
	return a
}

// Each case is 400 slot-seconds: {useful, failed, speculative, barrier, tail, driver, unused}.
func TestClassesByHand(t *testing.T) {
	const ok, bad, killed = trace.Succeeded, trace.Failed, trace.Killed
	for _, test := range []struct {
		name string
		run  *trace.Run
		want [numClasses]float64
	}{
		// Two slots are used at most, from 10 to 60: 10 to 30 both, 30 to 60 one, and nothing starts after 10.
		{"driver, tail and unused", job(ok, at(0, 0, ok, 10, 30), at(1, 0, ok, 10, 60)),
			[...]float64{70, 0, 0, 0, 30, 2*10 + 2*40, 2 * 100}},
		// The third attempt starts at 60: until then the second slot waits for a barrier.
		{"barrier", job(ok, at(0, 0, ok, 10, 30), at(1, 0, ok, 10, 60), at(2, 0, ok, 60, 100)),
			[...]float64{110, 0, 0, 30, 40, 20, 200}},
		{"a failure and its repetition", job(ok, at(0, 0, bad, 0, 50), at(0, 1, ok, 50, 100)),
			[...]float64{50, 50, 0, 0, 0, 0, 300}},
		{"a result that was lost and made again", job(ok, at(0, 0, ok, 0, 50), at(0, 1, ok, 50, 100)),
			[...]float64{50, 50, 0, 0, 0, 0, 300}},
		{"a copy that was too late", job(ok, at(0, 0, ok, 0, 100), copied(at(0, 1, killed, 40, 100))),
			[...]float64{100, 0, 60, 40, 0, 0, 200}},
		{"a copy that won", job(ok, at(0, 0, killed, 0, 80), copied(at(0, 1, ok, 40, 80))),
			[...]float64{40, 0, 80, 40, 0, 40, 200}},
		{"a run that failed", job(bad, at(0, 0, ok, 0, 100)), [...]float64{0, 100, 0, 0, 0, 0, 300}},
		// Six slots ran while four were guaranteed: the run held six then.
		{"spare slots", job(ok, at(0, 0, ok, 0, 100), at(1, 0, ok, 0, 100), at(2, 0, ok, 0, 100), at(3, 0, ok, 0, 100),
			at(4, 0, ok, 0, 10), at(5, 0, ok, 0, 10)),
			[...]float64{420, 0, 0, 0, 0, 0, 0}},
	} {
		var s sweeper
		u, known := s.classify(test.run)
		if !known || u.classes != test.want || u.basis != basisGuarantee {
			t.Errorf("%s: got %v (%s), want %v", test.name, u.classes, u.basis, test.want)
		}
	}
}

// A run holds its allocations from the first one on, and its use alone where nothing is stated.
func TestBasis(t *testing.T) {
	r := job(trace.Succeeded, at(0, 0, trace.Succeeded, 20, 60))
	r.Allocations = []trace.Allocation{{At: 10 * second, Tokens: 2, Spare: trace.None}, {At: 50 * second, Tokens: 1,
		Spare: trace.None}}
	var s sweeper
	// From 10 to 50 two, to 100 one; one is used from 20 to 60.
	u, _ := s.classify(r)
	if want := [numClasses]float64{40, 0, 0, 0, 0, 10 + 40, 40}; u.classes != want || u.basis != basisAllocations {
		t.Errorf("got %v (%s), want %v", u.classes, u.basis, want)
	}
	r.Allocations, r.Guaranteed = nil, trace.None
	if u, _ = s.classify(r); u.classes != [numClasses]float64{40} || u.basis != basisUse {
		t.Errorf("got %v (%s), want 40 s of use", u.classes, u.basis)
	}
	r.Attempts[0].Start, r.Attempts[0].End = trace.None, trace.None
	if u, _ = s.classify(r); u.classes != [numClasses]float64{40} {
		t.Errorf("a duration alone: got %v", u.classes)
	}
}

// heldSlow adds up what a run held, microsecond by microsecond: its tokens, and never fewer than the attempts that ran.
// The one task of a run that demands as many cores as the run has tokens holds them as one slot.
func heldSlow(run *trace.Run) float64 {
	begin, end := trace.Instant(math.MaxInt64), trace.Instant(trace.None)
	untimed := 0.0
	for _, a := range run.Attempts {
		if a.Start.Known() && a.End.Known() {
			begin, end = min(begin, a.Start), max(end, a.End)
		} else if a.Duration.Known() {
			untimed += a.Duration.Seconds()
		}
	}
	if !end.Known() {
		return untimed
	}
	end = max(end, run.End)
	for _, a := range run.Attempts {
		if a.Start.Known() && !a.End.Known() && !a.Duration.Known() && a.Start < end {
			begin = min(begin, a.Start)
		}
	}
	if run.Start.Known() {
		begin = min(begin, run.Start)
	}
	h := run.Held()
	first := begin
	if h.Basis == trace.HeldAllocations && len(h.Steps) > 1 {
		first = min(first, h.Steps[1].At)
	}
	perSlot, most := int64(1), int64(0)
	for _, a := range run.Allocations {
		most = max(most, a.Tokens)
	}
	other := func(a trace.Attempt) bool { return a.Stage != 0 || a.Task != 0 }
	if most > 1 && !slices.ContainsFunc(run.Attempts, other) && run.Attempts[0].Demand[trace.CPU] == float64(most) {
		perSlot = most
	}
	sum := untimed
	for now := first; now < end; now++ {
		held, running := int64(0), int64(0)
		if h.Stated() {
			for _, s := range h.Steps {
				if s.At <= now {
					held = s.Tokens
				}
			}
		}
		for _, a := range run.Attempts {
			if a.Start.Known() && a.End.Known() && a.Start <= now && now < a.End {
				running++
			} else if a.Start.Known() && !a.End.Known() && !a.Duration.Known() && a.Start <= now {
				running++
			}
		}
		sum += float64(max((held+perSlot-1)/perSlot, running)) / 1e6
	}
	return sum
}

// Whatever a run looks like, its classes add up to what it held, and none is negative.
func TestClassesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Run(t, "r")
		squeeze := func(x *trace.Instant) { // into a hundred microseconds, so that the slow way ends
			if x.Known() {
				*x %= 100
			}
		}
		squeeze(&run.Start)
		run.Submit, run.End = trace.None, trace.None
		if run.Start.Known() && rapid.Bool().Draw(t, "ends") {
			run.End = run.Start + 120
		}
		for i := range run.Attempts {
			a := &run.Attempts[i]
			squeeze(&a.Start)
			if a.End.Known() {
				a.End = max(a.End%100, a.Start)
			}
			if a.Duration.Known() {
				a.Duration %= 100
			}
			if a.Start.Known() && a.End.Known() {
				a.Duration = a.End.Since(a.Start)
			}
		}
		for i := range run.Allocations {
			run.Allocations[i].At = trace.Instant(i * 30)
			run.Allocations[i].Tokens = max(trace.None, run.Allocations[i].Tokens%5)
			run.Allocations[i].Spare = trace.None
		}
		run.Guaranteed = int64(rapid.IntRange(-1, 5).Draw(t, "guaranteed"))
		var s sweeper
		u, ok := s.classify(run)
		if !ok {
			return
		}
		sum := 0.0
		for c, x := range u.classes {
			if x < 0 {
				t.Errorf("class %d: %v", c, x)
			}
			sum += x
		}
		if want := heldSlow(run); math.Abs(sum-want) > 1e-9 {
			t.Errorf("classes %v add up to %v, held %v", u.classes, sum, want)
		}
	})
}

// Merging parts is the same as adding their runs one after the other, and further names go to the others.
func TestMergeAndOthers(t *testing.T) {
	runs := []*trace.Run{job(trace.Succeeded, at(0, 0, trace.Succeeded, 0, 100)),
		job(trace.Failed, at(0, 0, trace.Failed, 0, 10))}
	runs[0].Name, runs[1].Name, runs[0].User, runs[1].User = "a-2026-10-30", "b", "ann", "ann"
	o := DefaultOptions()
	o.Most, o.Prices = 1, []Price{{CPU: 36}}
	whole, left, right := New(o), New(o), New(o)
	for _, r := range runs {
		whole.Add(r)
	}
	left.Add(runs[0])
	right.Add(runs[1])
	left.Merge(right)
	for _, p := range []*Partial{whole, left} {
		w, err := p.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// 800 slot-seconds at 0.01 a second; 100 of them useful.
		if w.Runs != 2 || w.HeldCoreH != 800./3600 || math.Abs(float64(w.Cost)-8) > 1e-9 ||
			math.Abs(float64(w.WastedCost)-7) > 1e-9 {
			t.Errorf("got %+v", w.WasteAmount)
		}
		if len(w.Jobs) != 2 || len(w.Users) != 1 || w.Users[0].Runs != 2 || w.Jobs[0].Job != Others ||
			w.Jobs[1].Job != "a-#" {
			t.Errorf("jobs %+v, users %+v", w.Jobs, w.Users)
		}
	}
}

func TestPricesOfMachines(t *testing.T) {
	o := Options{Most: 9, Prices: []Price{{Machines: "big-*", CPU: 2}, {Machines: "small-?", CPU: 1}}}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	l := priceList{prices: o.Prices, known: map[string]int{}}
	r := job(trace.Succeeded, at(0, 0, trace.Succeeded, 0, 1), at(1, 0, trace.Succeeded, 0, 1),
		at(2, 0, trace.Succeeded, 0, 1))
	r.Attempts[0].Machine, r.Attempts[1].Machine, r.Attempts[2].Machine = "big-7", "small-1", "other"
	if got, free := l.of(r); got.CPU != 1 || math.Abs(free-1./3) > 1e-12 { // (2 + 1 + 0) / 3
		t.Errorf("got %v, and %v of the attempts without a price; want 1, and a third", got.CPU, free)
	}
	if (Options{Most: 1, Prices: []Price{{Machines: "["}}}).Validate() == nil {
		t.Errorf("a bad pattern is taken: %v", path.ErrBadPattern)
	}
}

// A program on 8 processors of a supercomputer, or on 8 GPUs, holds 8 cores, not 8 slots of 8 cores.
func TestTokensThatAreCores(t *testing.T) {
	const unknown = "how 1 of 1 run ended is not known: failures among them are not seen"
	const gpus = "core-hours of 1 of 1 run are GPU-hours: GPUs are stated, and no cores"
	for _, test := range []struct {
		resource trace.Resource
		allocate bool
		status   trace.Status
		warnings []string
	}{
		{trace.CPU, true, trace.Succeeded, nil},
		{trace.CPU, false, trace.Succeeded, nil},
		{trace.CPU, true, trace.StatusUnknown, []string{unknown}},
		{trace.GPU, true, trace.Succeeded, []string{gpus}},
		{trace.GPU, false, trace.Succeeded, []string{gpus}},
	} {
		run := trace.NewRun("swf")
		run.Submit, run.Start, run.End, run.Status = 0, 0, 3_600_000_000, test.status
		run.Guaranteed = 8
		if test.allocate {
			for _, at := range []trace.Allocation{{At: 0, Tokens: 8}, {At: run.End, Tokens: 0}} {
				at.Spare, at.Machines = trace.None, trace.None
				run.Allocations = append(run.Allocations, at)
			}
		}
		st := trace.NewStage()
		st.Tasks = 1
		run.Stages = []trace.Stage{st}
		a := trace.NewAttempt(0, 0, 0)
		a.Status, a.Start, a.End, a.Duration = test.status, run.Start, run.End, 3_600_000_000
		a.Demand[test.resource] = 8
		run.Attempts = []trace.Attempt{a}
		p := New(DefaultOptions())
		p.Add(run)
		w, err := p.Finish(context.Background())
		if err != nil || w.HeldCoreH != 8 || w.WastedCoreH != 0 || w.Fleet.PeakCores != 8 || w.Fleet.BusyCores != 8 {
			t.Errorf("%+v: %+v, fleet %+v, %v; want 8 core-hours, none wasted", test, w.WasteAmount, w.Fleet, err)
		}
		if !slices.Equal(w.Warnings, test.warnings) || w.FailuresKnown() != (test.status == trace.Succeeded) {
			t.Errorf("%+v: warnings %q, failures known: %v", test, w.Warnings, w.FailuresKnown())
		}
	}
}

// Tasks of 4 cores and 8 GB hold them whether the tasks say so or their stages.
func TestDemandsOfStages(t *testing.T) {
	for _, where := range []string{"stages", "tasks", "both"} {
		run := trace.NewRun("r")
		run.Stages = []trace.Stage{trace.NewStage()}
		run.Attempts = []trace.Attempt{trace.NewAttempt(0, 0, 0), trace.NewAttempt(0, 1, 0)}
		if where != "tasks" {
			run.Stages[0].Demand[trace.CPU], run.Stages[0].Demand[trace.Mem] = 4, 8e9
		}
		for i := range run.Attempts {
			if where != "stages" {
				run.Attempts[i].Demand[trace.CPU], run.Attempts[i].Demand[trace.Mem] = 4, 8e9
			}
		}
		if cores, bytes := Slot(run); cores != 4 || bytes != 8e9 {
			t.Errorf("stated by %s: %v cores, %v bytes", where, cores, bytes)
		}
	}
}

// A token of an executor of 16 cores is all of them where its one GPU runs one task, four where tasks take four, and one
// where executors differ.
func TestCoresOfAToken(t *testing.T) {
	for _, test := range []struct {
		of   []trace.Allocation
		want float64
	}{
		{[]trace.Allocation{{Tokens: 1, Machines: 1}, {Tokens: 2, Machines: 2}, {}}, 16},
		{[]trace.Allocation{{Tokens: 4, Machines: 1}}, 4},
		{[]trace.Allocation{{Tokens: 16, Machines: 1}, {Tokens: 32, Machines: 2}}, 1},
		{[]trace.Allocation{{Tokens: 16, Machines: 1}, {Tokens: 24, Machines: 2}}, 1},
		{[]trace.Allocation{{Tokens: 7, Machines: 2}}, 1},
		{nil, 1},
	} {
		run := trace.NewRun("r")
		run.ExecutorCores, run.Allocations = 16, test.of
		run.Stages = []trace.Stage{trace.NewStage(), trace.NewStage()}
		if got, _ := Slot(run); got != test.want {
			t.Errorf("%+v: %v cores, want %v", test.of, got, test.want)
		}
	}
}
