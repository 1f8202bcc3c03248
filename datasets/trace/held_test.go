package trace

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func attempt(task int32, start, end Instant) Attempt {
	a := NewAttempt(0, task, 0)
	a.Start, a.End, a.Duration = start, end, end.Since(start)
	return a
}

func TestHeldByHand(t *testing.T) {
	// 2, 3 from 3 on, 2 from 6 on
	three := []Attempt{attempt(0, 0, 10), attempt(1, 0, 4), attempt(2, 3, 10), attempt(3, 4, 6)}
	durations := NewAttempt(0, 0, 0)
	durations.Duration = 7
	for _, test := range []struct {
		name string
		run  Run
		want Held
	}{
		{"nothing", Run{Guaranteed: None}, Held{}},
		{"a duration alone", Run{Guaranteed: None, Attempts: []Attempt{durations}}, Held{}},
		{"a guarantee of nothing", Run{Guaranteed: 0}, Held{}},
		{"guaranteed, durations alone", Run{Guaranteed: 40, Attempts: []Attempt{durations}},
			Held{Basis: HeldGuarantee, Most: 40, Steps: []HeldStep{{None, 40}}}},
		{"guaranteed more than used", Run{Guaranteed: 40, Attempts: three}, Held{Basis: HeldGuarantee, Most: 40,
			Steps: []HeldStep{{None, 40}}}},
		{"spare tokens between 3 and 6", Run{Guaranteed: 2, Attempts: three},
			Held{Basis: HeldGuarantee, Most: 3, Steps: []HeldStep{{None, 2}, {3, 3}, {6, 2}}}},
		{"use alone", Run{Guaranteed: None, Attempts: three}, Held{Basis: HeldUse, Most: 3,
			Steps: []HeldStep{{None, 3}}}},
		{"an instant beside two", Run{Guaranteed: None, Attempts: append(slices.Clone(three[:2]), attempt(5, 2, 2))},
			Held{Basis: HeldUse, Most: 3, Steps: []HeldStep{{None, 3}}}},
		{"allocations before a guarantee", Run{Guaranteed: 9, Attempts: three,
			Allocations: []Allocation{{At: 1, Tokens: 4, Spare: None, Machines: 2}, {At: 5, Tokens: 8, Spare: 3,
				Machines: 4}, {At: 5, Tokens: 6, Spare: None, Machines: 4}, {At: 9, Tokens: None}}},
			Held{Basis: HeldAllocations, Most: 11, PerMachine: 2, Steps: []HeldStep{{None, 0}, {1, 4}, {5, 6}}}},
		{"allocations at unknown times", Run{Guaranteed: 9, Allocations: []Allocation{{At: None, Tokens: 4, Spare: None,
			Machines: None}}},
			Held{Basis: HeldAllocations, Most: 4, Steps: []HeldStep{{None, 4}}}},
		{"allocations of nothing",
			Run{Guaranteed: 9, Allocations: []Allocation{{At: 3, Tokens: 0, Spare: None, Machines: None}}},
			Held{Basis: HeldGuarantee, Most: 9, Steps: []HeldStep{{None, 9}}}},
	} {
		if got := test.run.Held(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// Whatever a run has: steps ascend, none exceeds Most, and without allocations at no instant fewer tokens are held than
// attempts run.
func TestHeldCoversUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := NewRun("r")
		if rapid.Bool().Draw(t, "guarantee") {
			run.Guaranteed = int64(rapid.IntRange(0, 4).Draw(t, "guaranteed"))
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "attempts") {
			start := Instant(rapid.IntRange(0, 9).Draw(t, "start"))
			run.Attempts = append(run.Attempts, attempt(int32(i), start, start+
				Instant(rapid.IntRange(0, 5).Draw(t, "length"))))
		}
		h := run.Held()
		if h.Basis == HeldUnknown {
			if len(run.Attempts) > 0 || run.Guaranteed > 0 {
				t.Fatalf("%+v of %+v", h, run)
			}
			return
		}
		if !slices.IsSortedFunc(h.Steps, func(a, b HeldStep) int { return int(max(a.At, -1) - max(b.At, -1)) }) ||
			h.Steps[0].At != None {
			t.Fatalf("steps %v", h.Steps)
		}
		for at := range Instant(20) {
			var runs, held int64
			for _, a := range run.Attempts {
				if a.Start <= at && at < a.End {
					runs++
				}
			}
			for _, s := range h.Steps {
				if s.At <= at {
					held = s.Tokens
				}
			}
			if held < runs || held > h.Most {
				t.Fatalf("at %d %d held, %d run, at most %d held", at, held, runs, h.Most)
			}
		}
	})
}

// The most tokens that a run may hold, and as many spare ones, add up.
func TestHeldMost(t *testing.T) {
	h := (&Run{Allocations: []Allocation{{At: 3, Tokens: MaxTokens, Spare: MaxTokens, Machines: MaxTokens}}}).Held()
	want := Held{Basis: HeldAllocations, Most: 2 * MaxTokens, PerMachine: 1, Steps: []HeldStep{{None, 0},
		{3, 2 * MaxTokens}}}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%+v, want %+v", h, want)
	}
}

// An attempt takes one token, unless the run is one task that demands all tokens that it held.
func TestTokensPerAttempt(t *testing.T) {
	program := func() *Run {
		run := NewRun("p")
		run.Stages = []Stage{NewStage()}
		run.Attempts = []Attempt{NewAttempt(0, 0, 0), NewAttempt(0, 0, 1)}
		run.Allocations = []Allocation{{At: 0, Tokens: 16}, {At: 9, Tokens: 0}}
		return run
	}
	for _, test := range []struct {
		what   string
		change func(*Run)
		want   int64
	}{
		{"no demand is known", func(*Run) {}, 1},
		{"an attempt demands all cores", func(r *Run) { r.Attempts[1].Demand[CPU] = 16 }, 16},
		{"its stage demands all GPUs", func(r *Run) { r.Stages[0].Demand[GPU] = 16 }, 16},
		{"an attempt demands one core", func(r *Run) { r.Attempts[0].Demand[CPU] = 1 }, 1},
		{"two tasks", func(r *Run) { r.Stages[0].Demand[CPU], r.Attempts[1].Task = 16, 1 }, 1},
		{"two stages", func(r *Run) {
			r.Stages[0].Demand[CPU] = 16
			r.Stages = append(r.Stages, NewStage())
		}, 1},
		{"no allocation", func(r *Run) { r.Stages[0].Demand[CPU], r.Allocations = 16, nil }, 1},
		{"no allocation, but a guarantee", func(r *Run) {
			r.Stages[0].Demand[GPU], r.Allocations, r.Guaranteed = 16, nil, 16
		}, 16},
	} {
		run := program()
		if test.change(run); run.TokensPerAttempt() != test.want {
			t.Errorf("%s: %d tokens, want %d", test.what, run.TokensPerAttempt(), test.want)
		}
	}
}
