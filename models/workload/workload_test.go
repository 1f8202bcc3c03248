package workload

import (
	"slices"
	"testing"

	"racecard/datasets/trace"
)

func attempt(task, number int32, seconds float64, status trace.Status) trace.Attempt {
	a := trace.NewAttempt(0, task, number)
	if a.Status = status; seconds >= 0 {
		a.Duration = trace.Duration(seconds * 1e6)
	}
	return a
}

func TestOf(t *testing.T) {
	const none = -1.
	for _, test := range []struct {
		name     string
		tasks    int64
		attempts []trace.Attempt
		want     []int64 // seconds
		known    int64
		filled   int64
	}{
		{"nothing", trace.None, nil, nil, 0, 0},
		{"a number alone", 3, nil, nil, 0, 0},
		{"one each", 2, []trace.Attempt{attempt(0, 0, 1, trace.Succeeded), attempt(1, 0, 2, trace.Succeeded)},
			[]int64{1, 2}, 2, 0},
		{"the attempt that succeeded", 1, []trace.Attempt{attempt(0, 0, 9, trace.Failed),
			attempt(0, 1, 2, trace.Succeeded), attempt(0, 2, 7, trace.Killed)}, []int64{2}, 1, 0},
		{"the first of two that succeeded", 1, []trace.Attempt{attempt(0, 0, 3, trace.Succeeded),
			attempt(0, 1, 2, trace.Succeeded)}, []int64{3}, 1, 0},
		{"none succeeded: the longest", 1, []trace.Attempt{attempt(0, 0, 2, trace.Failed),
			attempt(0, 1, 9, trace.Killed), attempt(0, 2, 4, trace.Failed)}, []int64{9}, 1, 0},
		{"the mean for those without an attempt", 4, []trace.Attempt{attempt(1, 0, 2, trace.Succeeded),
			attempt(2, 0, 4, trace.Succeeded)}, []int64{3, 2, 4, 3}, 2, 2},
		{"the mean for one whose attempt has no duration", 2, []trace.Attempt{attempt(0, 0, none, trace.Running),
			attempt(1, 0, 4, trace.Succeeded)}, []int64{4, 4}, 1, 1},
		{"as many as have attempts", trace.None, []trace.Attempt{attempt(3, 0, 2, trace.Succeeded),
			attempt(7, 0, none, trace.Running)}, []int64{2}, 1, 0},
		{"beyond the number", 1, []trace.Attempt{attempt(0, 0, 2, trace.Succeeded), attempt(1, 0, 5, trace.Succeeded)},
			[]int64{2}, 1, 0},
		{"too long to be true", 2, []trace.Attempt{attempt(0, 0, 2, trace.Succeeded),
			attempt(1, 0, 9e6, trace.Succeeded)}, []int64{2, 2}, 1, 1},
	} {
		st := trace.NewStage()
		st.Tasks = test.tasks
		room := []int64{77}
		got := Of(&st, test.attempts, room)
		var seconds []int64
		for _, x := range got.Durations {
			seconds = append(seconds, x/1e6)
		}
		if !slices.Equal(seconds, test.want) || got.Basis == Recorded != (test.known > 0) ||
			got.Filled != test.filled || room[0] != 77 {
			t.Errorf("%s: %v, %d basis, %d filled; want %v, %d known, %d", test.name, seconds, got.Basis, got.Filled,
				test.want, test.known, test.filled)
		}
	}
	st := trace.NewStage()
	if got := Of(&st, []trace.Attempt{attempt(0, 0, 1, trace.Succeeded)}, nil); len(got.Durations) != 1 ||
		got.Mean != 1e6 {
		t.Errorf("without room: %+v", got)
	}
}

// A stage without a number of tasks, times and attempts was skipped, if others have attempts: it takes no time, and is
// over when its parents are.
func TestFillSkipped(t *testing.T) {
	run := &trace.Run{ID: "r", Stages: []trace.Stage{trace.NewStage(), trace.NewStage(), trace.NewStage(), trace.NewStage()},
		Edges: []trace.Edge{{Parent: 1, Child: 2}, {Parent: 2, Child: 3}}}
	run.Stages[1].Tasks, run.Stages[1].Start, run.Stages[1].End = 1, 5, 9
	run.Stages[3].Tasks = 2 // and no times: it is not skipped
	if same, stages := FillSkipped(run); same != run || len(stages) != 0 {
		t.Errorf("a run without attempts: stages %v", stages)
	}
	a := attempt(0, 0, 4, trace.Succeeded)
	a.Stage = 1
	run.Attempts = []trace.Attempt{a}
	filled, stages := FillSkipped(run)
	if !slices.Equal(stages, []int32{0, 2}) || run.Stages[0].Tasks != trace.None || len(run.Attempts) != 1 {
		t.Fatalf("skipped stages %v, want 0 and 2; the run is %+v", stages, run)
	}
	for v, at := range map[int]trace.Instant{0: 5, 2: 9} {
		if s := filled.Stages[v]; s.Tasks != 1 || s.Start != at || s.End != at {
			t.Errorf("stage %d has %d tasks, from %d to %d; want one at %d", v, s.Tasks, s.Start, s.End, at)
		}
	}
	if of := ByStage(filled); len(of[0]) != 1 || len(of[1]) != 1 || len(of[2]) != 1 || len(of[3]) != 0 ||
		of[2][0].Duration != 0 {
		t.Errorf("attempts %+v", of)
	}
	if again, stages := FillSkipped(filled); again != filled || len(stages) != 0 {
		t.Errorf("filled again: stages %v", stages)
	}
}
