package anatomy

import (
	"reflect"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// conditioned returns a run of one stage of four attempts of 10 s.
func conditioned(gc trace.Duration, spill int64, inputs ...int64) *trace.Run {
	run := trace.NewRun("r")
	st := trace.NewStage()
	st.Name = "join"
	run.Stages = []trace.Stage{st}
	for i, in := range inputs {
		a := trace.NewAttempt(0, int32(i), 0)
		a.Duration, a.GC, a.SpillBytes, a.InputBytes = 10e6, gc, spill, in
		run.Attempts = append(run.Attempts, a)
	}
	return run
}

// A run collects garbage for 3 s of 10, spills 4 GB and reads four times the median in one task; usually 0.5 s, nothing
// and twice the median. A stage that took no longer has no signs.
func TestSigns(t *testing.T) {
	usual := Conditions(conditioned(500_000, 0, 1, 1, 1, 2))
	run := Conditions(conditioned(3_000_000, 1e9, 1, 1, 1, 4))
	want := []result.Sign{{Stage: "join", What: "gc", Value: 0.3, Usual: 0.05}, {Stage: "join", What: "spill",
		Value: 4e9},
		{Stage: "join", What: "input_skew", Value: 4, Usual: 2}}
	parts := []result.CausePart{{What: "stage", Stage: "join", Seconds: 5}, {What: "skew", Stage: "join", Seconds: 1}}
	if got := Signs(parts, run, [][]Condition{usual, usual}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Signs(parts, usual, [][]Condition{usual}); len(got) != 0 {
		t.Errorf("a usual run has signs: %+v", got)
	}
	parts[0].Seconds, parts[1].Seconds = -5, -1
	if got := Signs(parts, run, [][]Condition{usual}); len(got) != 0 {
		t.Errorf("a faster stage has signs: %+v", got)
	}
}

// What a trace does not state is no sign.
func TestNoSignsWithoutColumns(t *testing.T) {
	run := conditioned(0, 0, 1, 1)
	for i := range run.Attempts {
		a := &run.Attempts[i]
		a.GC, a.SpillBytes, a.InputBytes = trace.None, trace.None, trace.None
	}
	c := Conditions(run)
	if got := Signs([]result.CausePart{{What: "stage", Stage: "join", Seconds: 5}}, c,
		[][]Condition{c}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
