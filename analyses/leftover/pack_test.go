package leftover

import (
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// build makes a run of attempts that are one task each, of 1 core unless said otherwise. Times are in seconds.
type build struct {
	stage, start, end int
	cpu               float64
	status            trace.Status
}

func (b build) attempt(task int32) trace.Attempt {
	a := trace.NewAttempt(int32(b.stage), task, 0)
	a.Start, a.End = trace.Instant(b.start)*1e6, trace.Instant(b.end)*1e6
	a.Duration, a.Status, a.Demand[trace.CPU] = a.End.Since(a.Start), b.status, b.cpu
	if b.status == trace.StatusUnknown {
		a.Status = trace.Succeeded
	}
	if b.cpu == 0 {
		a.Demand[trace.CPU] = 1
	}
	return a
}

func runOf(id string, end int, edges []trace.Edge, attempts ...build) *trace.Run {
	r := trace.NewRun(id)
	r.Submit, r.End, r.Status, r.Edges = 0, trace.Instant(end)*1e6, trace.Succeeded, edges
	tasks := map[int]int32{}
	for _, b := range attempts {
		for len(r.Stages) <= b.stage {
			r.Stages = append(r.Stages, trace.NewStage())
		}
		r.Attempts = append(r.Attempts, b.attempt(tasks[b.stage]))
		tasks[b.stage]++
	}
	trace.SortAttempts(r.Attempts)
	return r
}

func edge(parent, child int32) trace.Edge { return trace.Edge{Parent: parent, Child: child} }

// Hand-worked schedules. Letters are attempts, one column is a second; the packed schedule is below the observed one.
func TestPackHand(t *testing.T) {
	for _, test := range []struct {
		name string
		run  *trace.Run
		want []trace.Instant // starts in the packed schedule, in seconds, in the order of the attempts
	}{
		{ // AABBB      a chain has no slack
			// AABBB
			"chain", runOf("r", 5, []trace.Edge{edge(0, 1)}, build{0, 0, 2, 1, 0}, build{1, 2, 5, 1, 0}),
			[]trace.Instant{0, 2},
		},
		{ // AABBB..    the run ends 2 s after its last attempt: both may be 2 s later
			// ..AABBB
			"chain with time to spare", runOf("r", 7, []trace.Edge{edge(0, 1)}, build{0, 0, 2, 1, 0},
				build{1, 2, 5, 1, 0}),
			[]trace.Instant{2, 4},
		},
		{ // A....C     C waits for A and B: A may end with B. A_k = 2 cores
			// BBBBB
			// ....A
			// BBBBBC
			"early branch of a barrier", runOf("r", 6, []trace.Edge{edge(0, 2), edge(1, 2)},
				build{0, 0, 1, 1, 0}, build{1, 0, 5, 1, 0}, build{2, 5, 6, 1, 0}),
			[]trace.Instant{4, 0, 5},
		},
		{ // AAAA.      A: 1 core, B and C: 2 cores each, no edges. A_k = 3: at 0 (A and C), at 3 (A and B)
			// ...BB order: B (ends at 5), A (4), C (1). B stays. A may end at T = 5: at [1,5) beside B 1 + 2 = 3 fit.
			// C.... C may not end at 5 or 4: beside A and B 2 + 1 + 2 > 3. It ends at 3: beside A 2 + 1 fit.
			"the most held at once binds", runOf("r", 5, nil,
				build{0, 0, 4, 1, 0}, build{1, 3, 5, 2, 0}, build{2, 0, 1, 2, 0}),
			[]trace.Instant{1, 3, 2},
		},
		{ // AA         A failed: it stays, although its retry could be late
			// ..AA....
			"failed attempts stay", runOf("r", 8, nil, build{0, 0, 2, 1, trace.Failed}, build{0, 2, 4, 1, 0}),
			[]trace.Instant{0, 6},
		},
		{ // AAAA       B started before A, its parent, had ended: nothing moves earlier, and B holds A where it is
			// ..BBBB
			"child before its parent ended", runOf("r", 6, []trace.Edge{edge(0, 1)}, build{0, 0, 4, 1, 0},
				build{1, 2, 6, 1, 0}),
			[]trace.Instant{0, 2},
		},
		{ // AAAA..     B even ended before A: it is placed later, so it does not bound A
			// .B....
			// ..AAAA
			// .....B     B has no children
			"child ended before its parent", runOf("r", 6, []trace.Edge{edge(0, 1)}, build{0, 0, 4, 1, 0},
				build{1, 1, 2, 1, 0}),
			[]trace.Instant{2, 5},
		},
		{ // A.B.       the middle stage has no attempts: A must end before B
			// .AB.
			"through a stage without attempts", runOf("r", 3, []trace.Edge{edge(0, 1), edge(1, 2)},
				build{0, 0, 1, 1, 0}, build{2, 2, 3, 1, 0}),
			[]trace.Instant{1, 2},
		},
		{ // |.B        A takes no time and no room; it must end before B, its child. A_k = 1
			// CC.        C may not end at 3, where B is, so it ends at 2 and stays
			"no length", runOf("r", 3, []trace.Edge{edge(0, 1)}, build{0, 0, 0, 1, 0}, build{1, 2, 3, 1, 0},
				build{2, 0, 2, 1, 0}),
			[]trace.Instant{2, 2, 0},
		},
		{
			"the driver waits, too", runOf("r", 4, []trace.Edge{{Parent: 0, Child: 1, Kind: trace.Driver}},
				build{0, 0, 1, 1, 0}, build{1, 2, 4, 1, 0}),
			[]trace.Instant{1, 2},
		},
		{
			"attempt after the end of the run", runOf("r", 2, nil, build{0, 0, 1, 1, 0}, build{1, 1, 5, 1, 0}),
			// T = 2; the second ended at 5 and stays. A_k = 1: the first cannot end at 2 beside it, so it stays as
			// well.
			[]trace.Instant{0, 1},
		},
	} {
		p := &plan{}
		if reason := p.prepare(test.run); reason != "" {
			t.Fatalf("%s: %s", test.name, reason)
		}
		p.observe()
		p.pack()
		for i, want := range test.want {
			if got := p.attempts[i].placed; got != int64(want)*1e6 {
				t.Errorf("%s: attempt %d is placed at %g s, want %d s", test.name, i, float64(got)/1e6, want)
			}
		}
		if b := p.check(); b != (breaches{}) {
			t.Errorf("%s: the schedule breaks a rule: %+v", test.name, b)
		}
	}
}

// Runs of whole numbers are packed as the slow definition packs them, and keep its rules.
func TestPackAgainstDefinition(t *testing.T) {
	p := &plan{} // one for all: nothing of a run must show in the next
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t, "r")
		if err := run.Validate(); err != nil {
			t.Fatal(err)
		}
		if p.prepare(run) != "" {
			return
		}
		p.observe()
		p.pack()
		slow := slowly(run)
		for i, a := range slow.attempts {
			if got := p.attempts[i].placed; got != int64(a.placed) {
				t.Fatalf("attempt %d.%d is placed at %d, by the definition at %d", a.Stage, a.Task, got, a.placed)
			}
		}
		if why := slow.breaks(); why != "" {
			t.Error(why)
		}
		if b := p.check(); b != (breaches{}) {
			t.Errorf("check finds %+v", b)
		}
	})
}

// Any valid run is packed without a breach.
func TestPackAnyRun(t *testing.T) {
	p := &plan{}
	rapid.Check(t, func(t *rapid.T) {
		if p.prepare(tracetest.Run(t, "r")) != "" {
			return
		}
		p.observe()
		p.pack()
		if b := p.check(); b != (breaches{}) {
			t.Errorf("check finds %+v", b)
		}
	})
}

// The check notices schedules that break a rule.
func TestCheckNotices(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(*plan)
		want  breaches
	}{
		{"nothing", func(*plan) {}, breaches{}},
		{"ends later", func(p *plan) { p.attempts[1].placed = 4e6 }, breaches{later: 1}},
		{"starts earlier", func(p *plan) { p.attempts[1].placed = 2e6; p.attempts[0].placed = -1e6 },
			breaches{earlier: 1}},
		{"child first", func(p *plan) { p.attempts[0].placed = 1e6 }, breaches{orphans: 1}},
		{"too much at once", func(p *plan) { p.packed.raise(0, 1e6, &vector{1}) }, breaches{above: 1}},
	} {
		p := &plan{}
		p.prepare(runOf("r", 5, []trace.Edge{edge(0, 1)}, build{0, 0, 2, 1, 0}, build{1, 2, 5, 1, 0}))
		p.observe()
		p.pack()
		test.spoil(p)
		if got := p.check(); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}
