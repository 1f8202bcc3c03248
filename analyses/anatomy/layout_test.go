package anatomy

import (
	"context"
	"math"
	"slices"
	"testing"

	"racecard/datasets/trace"
)

// durationsRun returns a run of a map of four tasks and of a reduce of two, with durations of its tasks but no times.
func durationsRun(took, mapS, reduceS float64, cores int64) *trace.Run {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.Status = 0, 0, trace.Succeeded
	run.End, run.Guaranteed = trace.Instant(took*1e6), cores
	for s, stage := range []struct {
		name  string
		tasks int
		each  float64
	}{{"map", 4, mapS}, {"reduce", 2, reduceS}} {
		of := trace.NewStage()
		of.Name = stage.name
		run.Stages = append(run.Stages, of)
		for k := range stage.tasks {
			a := trace.NewAttempt(int32(s), int32(k), 0)
			a.Status, a.Duration = trace.Succeeded, trace.Duration(stage.each*1e6)
			run.Attempts = append(run.Attempts, a)
		}
	}
	run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	return run
}

// By hand: four tasks of 10 s on two cores take 20 s, then two of 5 s take 5 s. Without a guarantee two cores are the
// fewest for 26 s. In 12 s the run must have held four cores, with its tasks 3 s of 15 shorter.
func TestMeasureOfDurations(t *testing.T) {
	for _, tc := range []struct {
		took                       float64
		guaranteed                 int64
		cores, driver, work, tasks float64
	}{{26, 2, 2, 1, 40, 4}, {26, trace.None, 2, 1, 40, 4}, {26, 100, 4, 11, 40, 4}, {12, 2, 4, 0, 32, 4}} {
		r, known := Measure(t.Context(), durationsRun(tc.took, 10, 5, tc.guaranteed))
		s := r.find("map")
		if !known || s == nil || r.Cores != tc.cores || math.Abs(r.Driver-tc.driver) > 1e-6 ||
			math.Abs(s.Work-tc.work) > 1e-4 || float64(s.Tasks) != tc.tasks {
			t.Errorf("%+v: %+v", tc, r)
		}
	}
}

// A stage whose tasks take twice as long explains a run of which only durations are known.
func TestCauseOfDurations(t *testing.T) {
	var runs []Run
	var after []bool
	for i := range 20 {
		of := durationsRun(26+0.01*float64(i%3), 10, 5, 2)
		if i >= 12 {
			of = durationsRun(46+0.01*float64(i%3), 20, 5, 2)
		}
		r, _ := Measure(t.Context(), of)
		runs, after = append(runs, r), append(after, i >= 12)
	}
	if c := FindCause(runs, after, true, false); c.Kind != Slower || c.Stage != "map" || c.At != 12 {
		t.Errorf("%+v", c)
	}
}

// A layout of many attempts ends soon after its context.
func TestLayoutEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	run := durationsRun(1000, 10, 5, 1)
	run.Attempts = slices.Repeat(run.Attempts, checkEvery)
	l := newLayout(run, 0)
	placed := 0
	l.place(ctx, 1, func(*trace.Attempt, trace.Instant, trace.Instant) {
		placed++
		cancel()
	})
	if placed > checkEvery {
		t.Errorf("%d attempts were placed after the context had ended", placed)
	}
	if _, known := Measure(ctx, run); known {
		t.Error("a run was measured after the context had ended")
	}
}
