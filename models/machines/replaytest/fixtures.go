package replaytest

import (
	"context"
	"math"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
	"racecard/models/machines/replay"
)

// CPU returns a demand or capacity of cores alone.
func CPU(cores float64) trace.Demand {
	d := trace.NoDemand()
	d[trace.CPU] = cores
	return d
}

// Both returns a demand or capacity of cores and bytes of memory.
func Both(cores, mem float64) trace.Demand {
	d := CPU(cores)
	d[trace.Mem] = mem
	return d
}

// Stage returns a stage of tasks that all take so many seconds, after all of its parents.
func Stage(tasks int32, seconds float64, demand trace.Demand, parents ...int32) jobs.Stage {
	us := int64(math.Round(seconds * 1e6))
	s := jobs.Stage{Tasks: tasks, Durations: []int64{us}, Estimate: us, Demand: demand, Seen: demand}
	for _, p := range parents {
		s.Parents = append(s.Parents, jobs.Parent{Stage: p})
	}
	return s
}

// Job returns a job that arrives after so many seconds.
func Job(id string, arrival float64, stages ...jobs.Stage) *jobs.Job {
	return &jobs.Job{ID: id, Arrival: int64(math.Round(arrival * 1e6)), Stages: stages}
}

// Fixture is a workload with a schedule that can be computed by hand. The schedule is the same for every scheduler that
// starts every task that fits, or gives every job its demand if it can.
type Fixture struct {
	Name     string
	Machines []trace.Demand
	Jobs     []*jobs.Job
	Ends     []float64 // seconds, by job
}

// Fixtures returns the schedules computed by hand. In the comments, times are seconds and a task is stage.task.
func Fixtures() []Fixture {
	pairs := Stage(3, 2, CPU(1), 0)
	pairs.Parents[0].OneToOne = true
	uneven := Stage(3, 7./3, CPU(1))
	uneven.Durations = []int64{1e6, 4e6, 2e6}
	again := Stage(2, 4, CPU(1))
	again.Retries = []jobs.Retry{{Task: 0, After: 1e6}, {Task: 0, After: 3e6}}
	return []Fixture{
		{"one task", []trace.Demand{CPU(1)}, []*jobs.Job{Job("a", 0, Stage(1, 3, CPU(1)))}, []float64{3}},
		{"a task of no time", []trace.Demand{CPU(1)}, []*jobs.Job{Job("a", 2, Stage(1, 0, CPU(1)))}, []float64{2}},
		// Three tasks of one core on two cores: 0–2 and 0–2, then 2–4.
		{"waves", []trace.Demand{CPU(2)}, []*jobs.Job{Job("a", 0, Stage(3, 2, CPU(1)))}, []float64{4}},
		// 0–1, then both of the second stage 1–3, then 3–3.5.
		{"barriers", []trace.Demand{CPU(2)}, []*jobs.Job{
			Job("a", 0, Stage(1, 1, CPU(1)), Stage(2, 2, CPU(1), 0), Stage(1, 0.5, CPU(2), 1)),
		}, []float64{3.5}},
		// Stage 0 and 1 both from 0, on a core each, to 1 and 5; stage 2 waits for both: 5–6.
		{"the longer branch", []trace.Demand{CPU(2)}, []*jobs.Job{
			Job("a", 0, Stage(1, 1, CPU(1)), Stage(1, 5, CPU(1)), Stage(1, 1, CPU(1), 0, 1)),
		}, []float64{6}},
		// 0.0, 0.1, 0.2 take 1, 4, 2; each child takes 2, and has a core at once: 1–3, 4–6, 2–4.
		{"one to one", []trace.Demand{CPU(3)}, []*jobs.Job{Job("a", 0, uneven, pairs)}, []float64{6}},
		// The first task fails after 1, again after 3 more, then takes 4: 8. The second takes 4.
		{"failures", []trace.Demand{CPU(2)}, []*jobs.Job{Job("a", 0, again)}, []float64{8}},
		// The machine is busy until 3, the second job waits there from 1: 3–5.
		{"no preemption", []trace.Demand{CPU(1)}, []*jobs.Job{
			Job("a", 0, Stage(1, 3, CPU(1))), Job("b", 1, Stage(1, 2, CPU(1))),
		}, []float64{3, 5}},
		// Two cores are free at 1, one on each machine: a task of two has to wait until 4.
		{"a task is placed whole", []trace.Demand{CPU(2), CPU(2)}, []*jobs.Job{
			Job("a", 0, Stage(2, 4, CPU(1.5))), Job("b", 1, Stage(1, 1, CPU(1))),
		}, []float64{4, 5}},
		// Memory is short: a core is free from 0 on, the task needs 2 GB, 1 is free until 2: 2–3.
		{"every resource must fit", []trace.Demand{Both(2, 3e9)}, []*jobs.Job{
			Job("a", 0, Stage(1, 2, Both(1, 2e9))), Job("b", 1, Stage(1, 1, Both(1, 2e9))),
		}, []float64{2, 3}},
		// 0.29 and 0.21 of a core add up to all of 0.5.
		{"what fits exactly fits", []trace.Demand{CPU(0.5)}, []*jobs.Job{
			Job("a", 0, Stage(1, 1, CPU(0.29)), Stage(1, 1, CPU(0.21))),
		}, []float64{1}},
		// A demand above the capacity of the machine: the task gets the whole machine.
		{"larger than any machine", []trace.Demand{CPU(1)}, []*jobs.Job{Job("a", 0, Stage(2, 1, CPU(7)))},
			[]float64{2}},
		{"nothing to hold", []trace.Demand{CPU(1)}, []*jobs.Job{Job("a", 0, Stage(5, 1, CPU(0)))}, []float64{1}},
		// Idle from 1 to 10.
		{"arrivals apart", []trace.Demand{CPU(1)}, []*jobs.Job{
			Job("a", 0, Stage(1, 1, CPU(1))), Job("b", 10, Stage(1, 1, CPU(1))),
		}, []float64{1, 11}},
	}
}

// Check runs a scheduler, made anew each time, on all fixtures, and fails the test where it ends a job at another time,
// breaks a rule, or, if it is conserving, leaves a fitting task waiting.
func Check(t *testing.T, make func() replay.Scheduler, conserving bool) {
	t.Helper()
	for _, f := range Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			got := Run(t, f.Machines, f.Jobs, make(), &Checker{T: t, Conserving: conserving})
			for i, want := range f.Ends {
				if end := float64(got.Finished[i]) / 1e6; end != want {
					t.Errorf("job %s ends at %v s, want %v", f.Jobs[i].ID, end, want)
				}
			}
		})
	}
}

// Run runs a scheduler on jobs in the order of their arrival.
func Run(t testing.TB, machines []trace.Demand, all []*jobs.Job, s replay.Scheduler, o replay.Observer) *replay.Result {
	t.Helper()
	m, err := cluster.New(machines)
	if err != nil {
		t.Fatal(err)
	}
	got, err := replay.Run(context.Background(), all, m, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
