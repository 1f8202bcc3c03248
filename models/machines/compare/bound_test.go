package compare_test

import (
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/compare"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
	"racecard/models/machines/replaytest"
)

// TestBound: on two cores, ten tasks of one core and 3 s are 15 s of the cluster; a chain of 10 and 20 s that comes at
// 4 s ends at 34 s at the soonest, and with a chain of 1 s instead, the work decides: 15 s, or from 14 s on 4 tasks of
// 5 s.
func TestBound(t *testing.T) {
	two, err := cluster.New([]trace.Demand{replaytest.CPU(1), replaytest.CPU(1)})
	if err != nil {
		t.Fatal(err)
	}
	one := replaytest.CPU(1)
	wide := replaytest.Job("wide", 0, replaytest.Stage(10, 3, one))
	for _, test := range []struct {
		name string
		all  []*jobs.Job
		want float64
	}{
		{"nothing", nil, 0},
		{"work", []*jobs.Job{wide}, 15},
		{"path", []*jobs.Job{wide, replaytest.Job("chain", 4, replaytest.Stage(1, 10, one), replaytest.Stage(1, 20, one,
			0))}, 34},
		{"late work", []*jobs.Job{wide, replaytest.Job("late", 14, replaytest.Stage(4, 5, one))}, 25},
		{"late work, later", []*jobs.Job{wide, replaytest.Job("late", 20, replaytest.Stage(4, 5, one))}, 30},
	} {
		if got := float64(compare.Bound(test.all, two)) / 1e6; got < test.want-1e-6 || got > test.want {
			t.Errorf("%s: %v s, want %v", test.name, got, test.want)
		}
	}
}

// TestNobodyBelowBound: no schedule is shorter.
func TestNobodyBelowBound(t *testing.T) {
	tight := 0
	rapid.Check(t, func(r *rapid.T) {
		s := setup()
		s.Capacities = replaytest.Machines(r)
		w, err := s.Prepare(&jobs.Builder{Jobs: replaytest.Jobs(r, 6, false)})
		if err != nil {
			r.Fatal(err)
		}
		outcomes, err := compare.All(t.Context(), s.Cases(w, []string{"drf", "tetris", "srtf", "carbyne"}, ""), 2, nil)
		if err != nil {
			r.Fatal(err)
		}
		bound := compare.Bound(w.Jobs, outcomes[0].Machines)
		for _, o := range outcomes {
			if o.Result.Makespan < bound {
				r.Fatalf("%s takes %d µs, less than %d", o.Scheduler, o.Result.Makespan, bound)
			}
			if o.Result.Makespan-bound <= 1 {
				tight++
			}
		}
	})
	t.Logf("%d schedules are as short as the bound", tight)
}
