package workload_test

import (
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
	"racecard/models/distributed"
	"racecard/models/jobs"
)

// Whatever a run holds: both families of simulators see the same tasks, and the same work, in it, stage by stage, where an attempt of
// every stage has a known duration.
func TestSimulatorsSeeTheSameTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Run(t, "r")
		run.Submit = 0
		timed := make([]bool, len(run.Stages))
		for i := range run.Attempts {
			a := &run.Attempts[i]
			if a.Duration > 1e12 { // a simulator of machines takes durations of more than 100 days for unknown
				a.Duration = 1e12
			}
			run.Stages[a.Stage].Tasks = int64(rapid.IntRange(1, 5).Draw(t, "tasks of the stage"))
		}
		for i := range run.Attempts {
			a := &run.Attempts[i]
			timed[a.Stage] = timed[a.Stage] || a.Duration.Known() && int64(a.Task) < run.Stages[a.Stage].Tasks
		}
		for v := range timed {
			if !timed[v] {
				t.Skip("a stage without a known duration: what stands for it is each simulator's choice, and said")
			}
		}
		if len(run.Stages) == 0 {
			t.Skip("no stages")
		}
		b := jobs.Builder{}
		b.Add(run)
		c := distributed.Collector{}
		c.Add(run)
		w := c.Workload()
		if len(b.Jobs) != 1 || len(w.Jobs) != 1 {
			t.Fatalf("%d and %d jobs; left out %v and %v", len(b.Jobs), len(w.Jobs), b.Count.LeftOut, c.LeftOut)
		}
		k := 0
		all := w.Of(0)
		for v := range b.Jobs[0].Stages {
			s := &b.Jobs[0].Stages[v]
			for i := range s.Tasks {
				want := s.Durations[0]
				if len(s.Durations) > 1 {
					want = s.Durations[i]
				}
				if k >= len(all) || all[k] != want {
					t.Fatalf("stage %d, task %d takes %d µs on machines; of workers in queues the run has %v", v, i, want, all)
				}
				k++
			}
		}
		if k != len(all) {
			t.Fatalf("%d tasks on machines, %d in queues", k, len(all))
		}
		if b.Count.MeanTasks != c.Mean {
			t.Fatalf("%d tasks take the mean, and %d", b.Count.MeanTasks, c.Mean)
		}
	})
}

// The run of three tasks that was once two tasks and 9 s for one family and three tasks and 19.5 s for the other: a task that never
// succeeded takes its longest attempt, one without attempts the mean.
func TestOneRun(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit = 0
	st := trace.NewStage()
	st.Tasks = 3
	run.Stages = []trace.Stage{st}
	for _, x := range []struct {
		task, attempt int32
		s             trace.Duration
		status        trace.Status
	}{{0, 0, 5, trace.Succeeded}, {1, 0, 4, trace.Failed}, {1, 1, 8, trace.Failed}} {
		a := trace.NewAttempt(0, x.task, x.attempt)
		a.Duration, a.Status = 1e6*x.s, x.status
		run.Attempts = append(run.Attempts, a)
	}
	b, c := jobs.Builder{}, distributed.Collector{}
	b.Add(run)
	c.Add(run)
	sum := int64(0)
	for _, d := range c.Workload().Of(0) {
		sum += d
	}
	if n := len(c.Workload().Of(0)); n != 3 || sum != 19_500_000 || b.Jobs[0].Tasks() != 3 {
		t.Errorf("%d tasks, %d µs; want 3 and 19.5 s", n, sum)
	}
}
