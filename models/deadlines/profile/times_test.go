package profile

import (
	"testing"

	"racecard/datasets/trace"
)

// On one token a task of stage 0 runs from 0 to 10 s; stages 1 and 2, which depend on nothing, start when the token is
// free again: at 10 s, and at 23 s, 3 s after the task of stage 1 ended. The trace has no times of submission. Only
// these 3 s are the driver's.
func TestStagesThatWaitForTokensHaveNoDelay(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Guaranteed = 0, 0, 30e6, 1
	for v, at := range [][2]trace.Instant{{0, 10e6}, {10e6, 20e6}, {23e6, 30e6}} {
		st := trace.NewStage()
		st.Start, st.End = at[0], at[1]
		run.Stages = append(run.Stages, st)
		a := trace.NewAttempt(int32(v), 0, 0)
		a.Start, a.End, a.Duration, a.Status = at[0], at[1], at[1].Since(at[0]), trace.Succeeded
		run.Attempts = append(run.Attempts, a)
	}
	for v, want := range []trace.Duration{0, 0, 3e6} {
		if got := Times(run).Delay[v]; got != want {
			t.Errorf("stage %d: delay %v, want %v", v, got.Seconds(), want.Seconds())
		}
	}
	run.Guaranteed = 2 // a token was free all the time
	for v, want := range []trace.Duration{0, 10e6, 23e6} {
		if got := Times(run).Delay[v]; got != want {
			t.Errorf("on two tokens, stage %d: delay %v, want %v", v, got.Seconds(), want.Seconds())
		}
	}
	run.Guaranteed = 1
	run.Stages[1].Submit = 12e6 // what the trace says of submissions counts
	if got := Times(run).Delay[1]; got != 12e6 {
		t.Errorf("a stage that was submitted at 12 s: delay %v", got.Seconds())
	}
}

// On two tokens, tasks of stage 0 run from 0 to 10 s and to 20 s, and tasks of stage 1, which waits for it, from 20 s to
// 30 s. Stage 2 waits for nothing, and starts at 30 s. A token was free from 10 s on: stage 2 was handed out after stage
// 1 had taken it, at 20 s. The trace has no times of submission.
func TestAStageIsHandedOutAfterATokenWasFree(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Guaranteed = 0, 0, 40e6, 2
	run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	for v, at := range [][2]trace.Instant{{0, 10e6}, {0, 20e6}, {20e6, 30e6}, {20e6, 30e6}, {30e6, 40e6}} {
		if v%2 == 0 {
			st := trace.NewStage()
			st.Start, st.End = at[0], at[1]
			run.Stages = append(run.Stages, st)
		}
		a := trace.NewAttempt(int32(v/2), int32(v%2), 0)
		a.Start, a.End, a.Duration, a.Status = at[0], at[1], at[1].Since(at[0]), trace.Succeeded
		run.Attempts = append(run.Attempts, a)
		run.Stages[v/2].End = max(run.Stages[v/2].End, at[1])
	}
	for v, want := range []trace.Duration{0, 0, 20e6} {
		if got := Times(run).Held[v]; got != want {
			t.Errorf("stage %d: delay %v s, want %v s", v, got.Seconds(), want.Seconds())
		}
	}
	if got := Times(run).Delay[2]; got != 0 {
		t.Errorf("on other tokens: delay %v s, want none", got.Seconds())
	}
}

// Two tasks on two tokens are queued at 5 s, and start at 9 s and 11 s. The trace has no time at which their stage was
// submitted. The time until 9 s is start-up: it is not the latency of the tasks, too.
func TestLatencyBeginsWithTheStage(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Guaranteed = 0, 9e6, 20e6, 2
	st := trace.NewStage()
	st.Start, st.End = 9e6, 20e6
	run.Stages = []trace.Stage{st}
	for i := range 2 {
		a := trace.NewAttempt(0, int32(i), 0)
		a.Queued, a.Start, a.End, a.Status = 5e6, trace.Instant(9+2*i)*1e6, 20e6, trace.Succeeded
		a.Duration = a.End.Since(a.Start)
		run.Attempts = append(run.Attempts, a)
	}
	if got := Times(run); got.StartUp != 9e6 || got.Latency[0] != 0 || got.Latency[1] != 2e6 {
		t.Errorf("%+v", got)
	}
	run.Stages[0].Submit = 6e6 // start-up ends with the submission
	if got := Times(run); got.StartUp != 6e6 || got.Latency[0] != 3e6 || got.Latency[1] != 5e6 {
		t.Errorf("submitted at 6 s: %+v", got)
	}
}

// A trace of attempts alone: submitted at 0, a first stage that is queued at 5 s and runs from 7 s to 10 s, a second one
// that is queued at 12 s, when it starts, and ends at 20 s, and an end at 23 s. A stage whose attempts were all queued
// with the run is known from its start on.
func TestStagesWithoutTimesHaveThoseOfTheirAttempts(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Guaranteed = 0, 0, 23e6, 1
	for v, at := range [][3]trace.Instant{{5e6, 7e6, 10e6}, {12e6, 12e6, 20e6}} {
		run.Stages = append(run.Stages, trace.NewStage())
		a := trace.NewAttempt(int32(v), 0, 0)
		a.Queued, a.Start, a.End, a.Duration, a.Status = at[0], at[1], at[2], at[2].Since(at[1]), trace.Succeeded
		run.Attempts = append(run.Attempts, a)
	}
	run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	got := Times(run)
	if got.StartUp != 5e6 || got.WindDown != 3e6 || got.Delay[0] != 0 || got.Delay[1] != 2e6 {
		t.Errorf("%+v", got)
	}
	if run.Stages[0].Start.Known() || run.Stages[0].Submit.Known() {
		t.Error("the run was modified")
	}
	run.Attempts[0].Queued = 0
	if got := Times(run); got.StartUp != 7e6 {
		t.Errorf("queued with the run: start-up %v s", got.StartUp.Seconds())
	}
}

// A run is taken as one stage where a stage has neither a time nor an attempt with a duration, or where there is none.
func TestAsOneStage(t *testing.T) {
	run := func() *trace.Run {
		r := trace.NewRun("r")
		r.Submit, r.End = 0, 60*second
		a, b := trace.NewStage(), trace.NewStage()
		a.Start, a.End = 10*second, 20*second
		task := trace.NewAttempt(1, 0, 0)
		task.Duration = 5 * second
		r.Stages, r.Attempts = []trace.Stage{a, b}, []trace.Attempt{task}
		return r
	}
	for name, test := range map[string]struct {
		change func(r *trace.Run)
		one    bool
	}{
		"a time and a duration": {func(*trace.Run) {}, false},
		"no duration":           {func(r *trace.Run) { r.Attempts = nil }, true},
		"no stages":             {func(r *trace.Run) { r.Stages, r.Attempts = nil, nil }, true},
		"no end of the run":     {func(r *trace.Run) { r.Stages, r.Attempts, r.End = nil, nil, trace.NewRun("").End }, false},
	} {
		r := run()
		test.change(r)
		stages := len(r.Stages)
		got := AsOneStage(r)
		if (got != r) != test.one || len(r.Stages) != stages {
			t.Errorf("%s: one stage: %v, want %v", name, got != r, test.one)
		}
		if s := got.Stages; test.one && (len(s) != 1 || s[0].Start != 0 || s[0].End != 60*second || len(got.Attempts) > 0) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
