package workload

import (
	"slices"
	"testing"

	"racecard/datasets/trace"
)

// Stages of which only the times are known share the tokens of the run in waves: on as many tokens they take as long
// again.
func TestTakeTurns(t *testing.T) {
	const second = 1_000_000
	stage := func(tasks int64, start, end trace.Instant) trace.Stage {
		st := trace.NewStage()
		st.Tasks, st.Start, st.End = tasks, start*second, end*second
		return st
	}
	for _, test := range []struct {
		name   string
		tokens int64
		stages []trace.Stage
		want   []int64 // milliseconds
		most   int64
	}{
		{"tokens are not known", 0, []trace.Stage{stage(15, 0, 12)}, []int64{12_000}, 15},
		{"enough tokens", 15, []trace.Stage{stage(15, 0, 12)}, []int64{12_000}, 15},
		{"two waves", 10, []trace.Stage{stage(15, 0, 12)}, []int64{6000}, 15},
		{"one after the other", 5, []trace.Stage{stage(5, 0, 12), stage(10, 12, 20)}, []int64{12_000, 4000}, 10},
		{"two at once", 10, []trace.Stage{stage(5, 0, 12), stage(12, 0, 12)}, []int64{6000, 6000}, 17},
		{"two at once for half of their time", 10, []trace.Stage{stage(10, 0, 12), stage(10, 6, 18)},
			[]int64{9000, 9000}, 20},
		{"no time", 1, []trace.Stage{stage(4, 3, 3), stage(2, 0, 6)}, []int64{0, 3000}, 4},
	} {
		run := trace.NewRun("r")
		run.Guaranteed, run.Stages = test.tokens, test.stages
		if test.tokens == 0 {
			run.Guaranteed = trace.None
		}
		var of []Stage
		for v := range run.Stages {
			of = append(of, Of(&run.Stages[v], nil, nil))
		}
		most := TakeTurns(run, of)
		var got []int64
		for _, s := range of {
			if s.Durations[0] != s.Mean {
				t.Errorf("%s: duration %d, mean %d", test.name, s.Durations[0], s.Mean)
			}
			got = append(got, s.Mean/1000)
		}
		if !slices.Equal(got, test.want) || most != test.most {
			t.Errorf("%s: %v ms, at most %d at once; want %v and %d", test.name, got, most, test.want, test.most)
		}
	}
}

// Where an attempt records a duration, nothing is shared.
func TestTakeTurnsLeavesRecorded(t *testing.T) {
	run := trace.NewRun("r")
	st := trace.NewStage()
	st.Tasks, st.Start, st.End = 4, 0, 8_000_000
	run.Guaranteed, run.Stages = 2, []trace.Stage{st}
	of := []Stage{Of(&run.Stages[0], []trace.Attempt{attempt(0, 0, 3, trace.Succeeded)}, nil)}
	if most := TakeTurns(run, of); most != 0 || of[0].Mean != 3_000_000 {
		t.Errorf("%+v, %d", of[0], most)
	}
}
