package profile

import (
	"testing"

	"racecard/datasets/trace"
)

// By hand: the critical path of handRun is its start-up of 5 s, the longer of a (d s, of two tasks) and b (1 s), 1 s
// until c is submitted, after a and b have ended, c (1 s) and 2 s until the run ends. A second attempt that takes less
// counts, one that failed does not. The work is 2 + d + 1 + 1 s.
func TestCriticalPath(t *testing.T) {
	run := handRun("r", 0, 4)
	path := func(want float64) {
		t.Helper()
		f := fit(t, DefaultOptions(), run).Main().RunFactors[0]
		if f.CriticalPathS == nil || *f.CriticalPathS != want || f.WorkS == nil || *f.WorkS != want-5 {
			t.Errorf("%v s and work of %v s, want %v and %v", f.CriticalPathS, f.WorkS, want, want-5)
		}
	}
	path(13)
	again := run.Attempts[1]
	again.Attempt, again.End, again.Duration = 1, again.End-second, 3*second
	run.Attempts = append(run.Attempts[:2:2], append([]trace.Attempt{again}, run.Attempts[2:]...)...)
	path(12)
	run.Attempts[2].Status = trace.Failed
	path(13)
}

// Tasks of 10 and 1 s, each followed by one of 1 and 8 s: with one-to-one edges these run in pairs, of 11 and 9 s, and
// 10 + 1 s is known to be the least; with a barrier they take 18 s.
func TestCriticalPathOfPairs(t *testing.T) {
	for kind, want := range map[trace.EdgeKind]int64{trace.OneToOne: 11 * second, trace.AllToAll: 18 * second} {
		run := trace.NewRun("r")
		var byStage [][]trace.Attempt
		for v, took := range [][2]trace.Duration{{10 * second, second}, {second, 8 * second}} {
			run.Stages = append(run.Stages, trace.NewStage())
			byStage = append(byStage, nil)
			for k, d := range took {
				a := trace.NewAttempt(int32(v), int32(k), 0)
				a.Duration, a.Status = d, trace.Succeeded
				byStage[v] = append(byStage[v], a)
			}
		}
		run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: kind}}
		o := observed{startUp: trace.None, windDown: trace.None, completion: trace.None}
		if got, work := o.bounds(run, byStage, make([]int64, 2)); got != want || work != 20*second {
			t.Errorf("%v: %d µs, work %d; want %d and %d", kind, got, work, want, 20*second)
		}
		run.Attempts = byStage[0][:1]
		byStage[0], byStage[1] = byStage[0][:1], nil
		if got, work := o.bounds(run, byStage, make([]int64, 2)); got != 10*second || work != 10*second {
			t.Errorf("one task: %d µs, work %d; want 10 s of both", got, work)
		}
		run.Guaranteed, run.Stages = 8, run.Stages[:1]
		if got, work := o.bounds(run, byStage[:1], make([]int64, 1)); got != 10*second || work != 10*second {
			t.Errorf("one task on one of 8 tokens: %d µs, work %d; want 10 s of both", got, work)
		}
		run.Stages[0].Demand[trace.CPU] = 8
		if got, work := o.bounds(run, byStage[:1], make([]int64, 1)); got != trace.None || work != trace.None {
			t.Errorf("one program on 8 tokens: %d µs, work %d; want none", got, work)
		}
	}
}
