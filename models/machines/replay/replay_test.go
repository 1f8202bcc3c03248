package replay_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
	"racecard/models/workload"
)

// believed is a stage of one task that takes so many seconds and holds actual cores, of which a scheduler thinks
// otherwise.
func believed(seconds, seen, actual float64) jobs.Stage {
	s := replaytest.Stage(1, seconds, replaytest.CPU(actual))
	s.Seen = replaytest.CPU(seen)
	return s
}

// TestOverCommit: machines of two cores, tasks believed to hold one (C9).
func TestOverCommit(t *testing.T) {
	for _, test := range []struct {
		name  string
		tasks []jobs.Stage
		ends  []int64
	}{
		// 4 of 2 cores: both take twice as long.
		{"two at once", []jobs.Stage{believed(10, 1, 2), believed(10, 1, 2)}, []int64{20e6, 20e6}},
		// Twice as long until the short one ends at 10; by then the other did 5 of its 10, and goes on alone.
		{"one is shorter", []jobs.Stage{believed(10, 1, 2), believed(5, 1, 2)}, []int64{15e6, 10e6}},
		// 1.5 of 2 cores: as long as they take.
		{"there is room", []jobs.Stage{believed(10, 1, 1), believed(10, 1, 0.5)}, []int64{10e6, 10e6}},
		// Believed to hold two each: one after the other, though half of each would do.
		{"overestimated", []jobs.Stage{believed(10, 2, 1), believed(10, 2, 1)}, []int64{10e6, 20e6}},
		// One that is known well runs from 0; at 2, when it has 8 of 10 to go, another comes that holds 3 of 2 cores
		// with it, and is done after 6 · 3/2 = 9, at 11. The first has 8 - 6 to go then.
		{"the other comes later", []jobs.Stage{believed(10, 1, 1), believed(6, 1, 2)}, []int64{13e6, 11e6}},
	} {
		var all []*jobs.Job
		for i, s := range test.tasks {
			all = append(all, replaytest.Job(string(rune('a'+i)), 0, s))
			if test.name == "the other comes later" {
				all[i].Arrival = int64(i) * 2e6
			}
		}
		got := replaytest.Run(t, []trace.Demand{replaytest.CPU(2)}, all, policy.FIFO(), nil)
		if !slices.Equal(got.Finished, test.ends) {
			t.Errorf("%s: jobs end at %v, want %v", test.name, got.Finished, test.ends)
		}
	}
}

type idle struct{}

func (idle) Schedule(*replay.State) {}

func TestRefused(t *testing.T) {
	m, err := cluster.New([]trace.Demand{replaytest.CPU(1)})
	if err != nil {
		t.Fatal(err)
	}
	a, b := replaytest.Job("a", 0, replaytest.Stage(1, 1, replaytest.CPU(1))),
		replaytest.Job("b", 1, replaytest.Stage(1, 1, replaytest.CPU(1)))
	if _, err := replay.Run(t.Context(), []*jobs.Job{a}, m, idle{}, nil); !errors.Is(err, replay.ErrStuck) {
		t.Errorf("a scheduler that starts nothing: %v", err)
	}
	if _, err := replay.Run(t.Context(), []*jobs.Job{b, a}, m, policy.FIFO(), nil); err == nil ||
		!strings.Contains(err.Error(), "order") {
		t.Errorf("jobs out of order: %v", err)
	}
	if _, err := replay.Run(t.Context(), []*jobs.Job{{ID: "none"}}, m, policy.FIFO(), nil); err == nil {
		t.Error("a job without stages is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replay.Run(ctx, []*jobs.Job{a}, m, policy.FIFO(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
	if got, err := replay.Run(t.Context(), nil, m, policy.FIFO(), nil); err != nil || got.Makespan != 0 {
		t.Errorf("no jobs: %v, %v", got, err)
	}
}

// TestMachinesAreReset: a second run on the same machines, after one that was cut short, is the same as the first.
func TestMachinesAreReset(t *testing.T) {
	m, err := cluster.New([]trace.Demand{replaytest.CPU(1)})
	if err != nil {
		t.Fatal(err)
	}
	d := replaytest.CPU(1)
	v := m.Space().Quanta(&d)
	m.Take(0, &v)
	got, err := replay.Run(t.Context(), []*jobs.Job{replaytest.Job("a", 0, replaytest.Stage(2, 1, replaytest.CPU(1)))},
		m, policy.FIFO(), nil)
	if err != nil || got.Finished[0] != 2e6 || got.Ended != 2 {
		t.Errorf("%+v, %v; want one job that ends at 2 s", got, err)
	}
}

// A task that waits for more than 127 tasks one to one, as in real workflows, runs once, after all of them: 300 tasks of
// 10 s on 100 cores, then one of 5 s.
func TestManyParentsOneToOne(t *testing.T) {
	const parents = 300
	var stages []jobs.Stage
	for range parents {
		stages = append(stages, replaytest.Stage(1, 10, replaytest.CPU(1)))
	}
	last := replaytest.Stage(1, 5, replaytest.CPU(1))
	for i := range parents {
		last.Parents = append(last.Parents, workload.Parent{Stage: int32(i), OneToOne: true})
	}
	job := replaytest.Job("workflow", 0, append(stages, last)...)
	got := replaytest.Run(t, []trace.Demand{replaytest.CPU(100)}, []*jobs.Job{job}, policy.FIFO(), nil)
	if got.Ended != parents+1 || !slices.Equal(got.Finished, []int64{35e6}) {
		t.Errorf("%d tasks ended, the job at %v; want %d, at 35 s", got.Ended, got.Finished, parents+1)
	}
}
