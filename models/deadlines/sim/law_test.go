package sim

import (
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// TestLaws: on any plan and options, no attempt starts without a token, nor before what it reads is done; every
// task is done once, net of outputs lost; attempts and token time are those of the events; and the same again.
func TestLaws(t *testing.T) {
	check(t, func(t *rapid.T) {
		p, o, number := drawn(t, true), drawnOptions(t), fixed(rapid.Uint64().Draw(t, "number"))
		c := compiled(t, p)
		done := make([][]bool, len(p.Stages))
		for i, s := range p.Stages {
			done[i] = make([]bool, s.Tasks)
		}
		started, counts := map[int32]Event{}, map[Kind]int64{}
		var held, spare, completed int64
		o.Observe = func(e Event, now Progress) {
			counts[e.Kind]++
			if e.Kind == OutputLost {
				done[e.Stage][e.Task] = false
				return
			}
			if e.Kind != Started {
				if s, ok := started[e.Slot]; !ok || s.Stage != e.Stage || s.Task != e.Task {
					t.Fatalf("%+v ended; on its slot is %+v", e, s)
				}
				held += e.Now - started[e.Slot].Now
				if e.Spare {
					spare += e.Now - started[e.Slot].Now
				}
				delete(started, e.Slot)
				if e.Kind == Completed {
					completed = e.Now
					if done[e.Stage][e.Task] {
						t.Fatalf("done twice: %+v", e)
					}
					done[e.Stage][e.Task] = true
				}
				return
			}
			if s, ok := started[e.Slot]; ok {
				t.Fatalf("%+v started on the slot of %+v", e, s)
			}
			started[e.Slot] = e
			if now.Running != int32(len(started)) || e.Spare && now.Spare == 0 || !e.Spare && now.Tokens == 0 {
				t.Fatalf("%+v started, %d run, %+v", e, len(started), now)
			}
			for _, g := range p.Edges {
				for k, ok := range done[g.Parent] {
					if g.Child == e.Stage && !ok && (g.Kind != trace.OneToOne || int32(k) == e.Task) {
						t.Fatalf("%+v started before task %d of stage %d was done", e, k, g.Parent)
					}
				}
			}
		}
		r := NewRunner(c)
		res, err := r.Run(o, number)
		if err != nil {
			t.Fatal(err)
		}
		for i := range done {
			for k, ok := range done[i] {
				if !ok {
					t.Fatalf("task %d of stage %d is not done", k, i)
				}
			}
		}
		if n := int64(c.Tasks()); len(started) > 0 || res.TokenTime != held || res.SpareTime != spare ||
			res.End < completed ||
			p.WindDown.none() && res.End != completed || counts[Completed] != n+res.OutputsLost ||
			res.Attempts != n+res.OutputsLost+res.Failures+res.Evictions+res.Losses+res.Killed ||
			counts[Started] != res.Attempts || counts[Failed] != res.Failures || counts[Evicted] != res.Evictions ||
			counts[Lost] != res.Losses || counts[OutputLost] != res.OutputsLost || counts[Killed] != res.Killed {
			t.Fatalf("%+v; %d attempts still run, held %d, on spare tokens %d, completed at %d, events %v", res,
				len(started), held, spare, completed, counts)
		}
		o.Observe = nil
		if again, err := r.Run(o, number); err != nil || again != res {
			t.Fatalf("again %+v, %v; first %+v", again, err, res)
		}
	})
}

// TestGraham: on constant durations a run on a tokens ends between max(path, work/a) and work/a + (1 - 1/a)·path.
func TestGraham(t *testing.T) {
	check(t, func(t *rapid.T) {
		p := drawn(t, true)
		var work int64
		path := make([]int64, len(p.Stages))
		longest := int64(0)
		for i := range p.Stages {
			d := rapid.Int64Range(1, 20).Draw(t, "constant")
			x, err := Constant(d)
			if err != nil {
				t.Fatal(err)
			}
			p.Stages[i] = Stage{Tasks: p.Stages[i].Tasks, Duration: x}
			work += int64(p.Stages[i].Tasks) * d
			for _, e := range p.Edges {
				if int(e.Child) == i {
					path[i] = max(path[i], path[e.Parent])
				}
			}
			path[i] += d
			longest = max(longest, path[i])
		}
		p.StartUp, p.WindDown = Dist{}, Dist{}
		a := rapid.Int32Range(1, 8).Draw(t, "tokens")
		res, err := NewRunner(compiled(t, p)).Run(tokens(a), fixed(1))
		if err != nil {
			t.Fatal(err)
		}
		if res.TokenTime != work || res.End < longest || res.End*int64(a) < work || res.End*int64(a) > work+
			longest*int64(a-1) {
			t.Fatalf("%+v; work %d, critical path %d, %d tokens", res, work, longest, a)
		}
	})
}

// TestMoreTokens: a chain of stages of durations, latencies and delays never ends later where tokens are nowhere fewer.
func TestMoreTokens(t *testing.T) {
	check(t, func(t *rapid.T) {
		p := drawn(t, true)
		p.Edges = nil
		for i := range p.Stages {
			p.Stages[i].Failure, p.Stages[i].Lost, p.Stages[i].First = Failure{}, GroupLoss{}, Dist{}
			if i > 0 {
				p.Edges = append(p.Edges, Edge{int32(i - 1), int32(i), trace.AllToAll})
			}
		}
		few, more := &Options{}, &Options{}
		var at int64
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			a := rapid.Int32Range(1, 5).Draw(t, "tokens")
			b := a + rapid.Int32Range(0, 3).Draw(t, "more")
			few.Allocation, more.Allocation = append(few.Allocation, Step{at, a}), append(more.Allocation, Step{at, b})
			at += rapid.Int64Range(1, 30).Draw(t, "after")
		}
		r, number := NewRunner(compiled(t, p)), fixed(rapid.Uint64().Draw(t, "number"))
		x, err := r.Run(few, number)
		if err != nil {
			t.Fatal(err)
		}
		y, err := r.Run(more, number)
		if err != nil {
			t.Fatal(err)
		}
		if y.End > x.End {
			t.Fatalf("ends at %d on %v, at %d on %v", x.End, few.Allocation, y.End, more.Allocation)
		}
	})
}

// TestMoreTokensDelay is Graham's example: nine tasks of 3, 2, 2, 2, 4, 4, 4, 4, 9 s; the last after the first, the 5th
// to 8th after the 4th. On 3 tokens: 1 (0-3), 2 and 3 (0-2), 4 (2-4), 9 (3-12), 5 and 6 (4-8), 7 and 8 (8-12): 12 s. On
// 4 tokens the four begin at 2, three of them to 6, the fourth takes the token of 1 (3-7), and 9 waits until 6: 15 s.
func TestMoreTokensDelay(t *testing.T) {
	st := func(n int32, d int64) Stage { return Stage{Tasks: n, Duration: constant(t, d*second)} }
	p := Plan{Stages: []Stage{st(1, 3), st(2, 2), st(1, 2), st(4, 4), st(1, 9)},
		Edges: []Edge{{2, 3, trace.AllToAll}, {0, 4, trace.AllToAll}}}
	if x, y := run(t, p, tokens(3)).End, run(t, p, tokens(4)).End; x != 12*second || y != 15*second {
		t.Errorf("%d and %d µs, want 12 and 15 s", x, y)
	}
}
