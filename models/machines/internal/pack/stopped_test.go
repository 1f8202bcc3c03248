package pack_test

import (
	"context"
	"errors"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/pack"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
)

// TestPlansStopWithTheReplay: plans of many stages side by side take minutes; none is made once the replay is
// cancelled.
func TestPlansStopWithTheReplay(t *testing.T) {
	cpu := replaytest.CPU
	job := replaytest.Job("J", 0, replaytest.Stage(2, 1, cpu(0.1)), replaytest.Stage(2, 1, cpu(0.2)),
		replaytest.Stage(1, 1, cpu(0.1), 0, 1))
	m, err := cluster.New([]trace.Demand{cpu(1)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	look := func(s *replay.State) {
		calls++
		cancel()
		var p pack.Planner
		whole := cluster.Vector{trace.CPU: 1e10}
		if order := p.DAGPS(s, s.Job(0), &whole); len(order) != 3 {
			t.Errorf("the stages are in the order %v", order)
		}
		p.Load(s, s.Job(0), &whole, false)
		if _, ok := p.Forward(pack.Unlimited); ok || p.Backward(1e9) || p.Steps != 0 {
			t.Errorf("a plan of %d groups of tasks is made after the end", p.Steps)
		}
	}
	_, err = replay.Run(ctx, []*jobs.Job{job}, m, spy{policy.FIFO(), look}, nil)
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%v after %d calls of the scheduler, want the replay cancelled after the first", err, calls)
	}
}
