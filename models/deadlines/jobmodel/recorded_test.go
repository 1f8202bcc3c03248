package jobmodel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/sample/sampletest"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
)

// Every run of the sample ends within 5% of when it did, and its stages start within 10%, but for those of three runs:
//
//   - customer-360 7 and page-importance 12 lose an executor. Their tasks that ran again are charged to the first run
//     of the task, so that what follows comes later, and what was computed again later does not.
//   - customer-360 9 has tasks that failed. Spark tries them again after other tasks, here they hold their token for
//     both attempts.
//
// What remains elsewhere, half a percent, is that attempts overlap by some milliseconds in the log: it has the next
// start on an executor before the last end, as the driver sees both late. Here, one token runs one attempt.
func TestReplayOfTheSample(t *testing.T) {
	disturbed := map[string]float64{"customer-360 7": 0.15, "customer-360 9": 0.15, "page-importance 12": 0.15}
	var ends []float64
	for _, job := range sampletest.Jobs {
		for k, run := range sampletest.ByJob(t)[job] {
			name := fmt.Sprintf("%s %d", job, k+1)
			r, err := Record(run)
			if err != nil {
				t.Fatal(err)
			}
			again, err := r.Replay()
			if err != nil {
				t.Fatal(err)
			}
			off := math.Abs(again.End/r.End - 1)
			ends = append(ends, off)
			if off > 0.05 {
				t.Errorf("%s ends at %.2f s, simulated at %.2f", name, r.End, again.End)
			}
			most := 0.1
			if d, ok := disturbed[name]; ok {
				most = d
			}
			for v := range again.Start {
				if off := math.Abs(again.Start[v]/r.Start[v] - 1); !(off <= most) {
					t.Errorf("%s: stage %d starts at %.2f s, simulated at %.2f", name, v, r.Start[v], again.Start[v])
				}
			}
		}
	}
	off := quantile.Sort(ends)
	t.Logf("ends are off by %.4f (median), %.4f (p90), %.4f (max)", quantile.Quantile(off, 0.5),
		quantile.Quantile(off, 0.9), off.Max())
}

// In seconds, submitted at 10, with 2 tokens on machines a and b from 11 on. Stage 0 is submitted at 13: its tasks run
// at 13-17 (a), 13-16 (b), 16-17 (b, fails) and again 17-18, and 17-18 (a), of which there is a copy. Stage 1, after
// it, is submitted at 19 and has one task at 19-21. The run ends at 22.
func handRun() *trace.Run {
	r := trace.NewRun("r")
	r.Submit, r.Start, r.End, r.Status = 10*second, 12*second, 22*second, trace.Succeeded
	for _, at := range [][3]trace.Instant{{13, 13, 18}, {19, 19, 21}} {
		s := trace.NewStage()
		s.Submit, s.Start, s.End = at[0]*second, at[1]*second, at[2]*second
		r.Stages = append(r.Stages, s)
	}
	r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	r.Allocations = []trace.Allocation{{At: 11 * second, Tokens: 2, Spare: trace.None, Machines: 2}}
	for _, x := range []struct {
		stage, task, attempt int32
		machine              string
		from, to             trace.Instant
		status               trace.Status
		copied               bool
	}{
		{0, 0, 0, "a", 13, 17, trace.Succeeded, false},
		{0, 1, 0, "b", 13, 16, trace.Succeeded, false},
		{0, 2, 0, "b", 16, 17, trace.Failed, false},
		{0, 2, 1, "b", 17, 18, trace.Succeeded, false},
		{0, 3, 0, "a", 17, 18, trace.Succeeded, false},
		{0, 3, 1, "b", 18, 19, trace.Killed, true},
		{1, 0, 0, "a", 19, 21, trace.Succeeded, false},
	} {
		a := trace.NewAttempt(x.stage, x.task, x.attempt)
		a.Machine, a.Status, a.Speculative = x.machine, x.status, trace.TriOf(x.copied)
		a.Queued, a.Start, a.End = r.Stages[x.stage].Submit, x.from*second, x.to*second
		a.Duration = a.End.Since(a.Start)
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

// At its own tokens the run is as it was: 12 s long, with stages at 3 and 9 s. On one token one machine is warmed up,
// by the first task's 4 s. The second then takes what is usual later, the median of the others' 2 and 1 s: 2 s. So 3 +
// 4+2+2+1 + 1 + 2 + 1 = 16 s.
func TestRecordedByHand(t *testing.T) {
	run := handRun()
	if err := run.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := Record(run)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Replay()
	if err != nil {
		t.Fatal(err)
	}
	if again.End != 12 || !slices.Equal(again.Start, []float64{3, 9}) || r.End != 12 ||
		!slices.Equal(r.Start, []float64{3, 9}) {
		t.Errorf("replayed to %v, stages at %v; recorded %v, %v", again.End, again.Start, r.End, r.Start)
	}
	if want := []sim.Step{{}, {At: second, Tokens: 2}}; !slices.Equal(r.Tokens, want) || r.Machine != 1 {
		t.Errorf("tokens %v, %d on a machine", r.Tokens, r.Machine)
	}
	at := func(tokens int32) int64 {
		c, err := sim.Compile(r.Elsewhere)
		if err != nil {
			t.Fatal(err)
		}
		res, err := sim.NewRunner(c).Run(&sim.Options{Allocation: []sim.Step{{Tokens: tokens}}, Machine: r.Machine},
			seed.Stream(1, "test", 0))
		if err != nil {
			t.Fatal(err)
		}
		return res.End / second
	}
	if one, two := at(1), at(2); one != 16 || two != 12 {
		t.Errorf("on one token %d s, on two %d s; want 16, 12", one, two)
	}
}

func TestWhatIsNotRecorded(t *testing.T) {
	run := handRun()
	run.Allocations = nil
	run.Attempts[0].Start, run.Attempts[0].End, run.Attempts[0].Duration = trace.None, trace.None, trace.None
	r, err := Record(run)
	if err != nil {
		t.Fatal(err)
	}
	if r.Plan.Stages[0].Tasks != 3 || r.Tokens[0].Tokens != 2 || len(r.Warnings) != 2 {
		t.Errorf("%d tasks on %d tokens, warnings %q", r.Plan.Stages[0].Tasks, r.Tokens[0].Tokens, r.Warnings)
	}
	run.Attempts = nil
	if r, err = Record(run); err != nil || r.Plan.Stages[0].Tasks != 1 || len(r.Warnings) != 3 {
		t.Errorf("stages alone: %+v, %v", r, err)
	}
	run.Stages[1].End = trace.None
	if _, err = Record(run); err == nil || !strings.Contains(err.Error(), `run "r": stage 1`) {
		t.Errorf("got error %v, want one that names the run and the stage", err)
	}
	if _, err = Record(trace.NewRun("e")); err == nil || !strings.Contains(err.Error(), "no stages") {
		t.Errorf("got error %v", err)
	}
}
