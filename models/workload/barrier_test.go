package workload_test

import (
	"math"
	"slices"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/queues/distributed"
	"racecard/models/workload"
)

// Two maps run from 0 to 10 s and from 0 to 30 s, three reducers from 5 s to 34 s, from 30 s to 36 s, and from 4 s to
// 8 s, which failed. Reducers wait for the maps until 30 s: the first takes 4 s after them, the second 6 s, the third
// nothing. A copy of a map that ends at 33 s, after its task, is waited for by none. The replay on the tokens that the
// run held takes 36 s, as the run did; simulators of clusters take whole durations.
func TestReducersThatOverlapMaps(t *testing.T) {
	const s = 1_000_000
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Status = 0, 0, 36*s, trace.Succeeded
	for v, stage := range [][2]trace.Instant{{0, 30 * s}, {5 * s, 36 * s}} {
		st := trace.NewStage()
		st.Tasks, st.Start, st.End = 2, stage[0], stage[1]
		run.Stages = append(run.Stages, st)
		if v > 0 {
			run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
		}
	}
	for _, x := range []struct {
		stage, task, attempt int32
		from, to             trace.Instant
		status               trace.Status
		copied               trace.Tri
	}{{0, 0, 0, 0, 10, trace.Succeeded, trace.No}, {0, 1, 0, 0, 30, trace.Succeeded, trace.No},
		{0, 1, 1, 20, 33, trace.Killed, trace.Yes}, {1, 0, 0, 5, 34, trace.Succeeded, trace.No},
		{1, 1, 0, 4, 8, trace.Failed, trace.No}, {1, 1, 1, 30, 36, trace.Succeeded, trace.No}} {
		a := trace.NewAttempt(x.stage, x.task, x.attempt)
		a.Start, a.End, a.Status, a.Speculative = x.from*s, x.to*s, x.status, x.copied
		a.Duration = a.End.Since(a.Start)
		run.Attempts = append(run.Attempts, a)
	}
	var took []int64
	for _, a := range workload.AfterBarriers(run).Attempts {
		took = append(took, int64(a.Duration)/s)
	}
	if want := []int64{10, 30, 13, 4, 0, 6}; !slices.Equal(took, want) || run.Attempts[3].Duration != 29*s {
		t.Errorf("attempts take %v, want %v; the run was modified: %v", took, want, run.Attempts[3].Duration)
	}
	r, err := jobmodel.Record(run)
	if err != nil {
		t.Fatal(err)
	}
	if replay, err := r.Replay(); err != nil || math.Abs(replay.End-36) > 1e-6 {
		t.Errorf("the replay takes %v s, the run took 36 s; %v", replay.End, err)
	}
	c := distributed.Collector{Stages: true}
	c.Add(run)
	if got := c.Workload().Of(1); !slices.Equal(got, []int64{29 * s, 6 * s}) {
		t.Errorf("simulators of queues see reducers of %v µs", got)
	}
	apart := workload.AfterBarriers(run)
	apart.Attempts[3].Start, apart.Attempts[4].Start = 30*s, 30*s
	if workload.AfterBarriers(apart) != apart {
		t.Error("a run without overlap is copied")
	}
}
