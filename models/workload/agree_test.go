package workload_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
	"racecard/models/machines/jobs"
	"racecard/models/queues/distributed"
	"racecard/models/workload"
)

// known draws a run with a known number of tasks in every stage, and a time of submission.
func known(t *rapid.T) *trace.Run {
	run := tracetest.Run(t, "r")
	run.Submit = 0
	for i := range run.Attempts {
		run.Attempts[i].Duration = min(run.Attempts[i].Duration, 1e12)
	}
	for v := range run.Stages {
		s := &run.Stages[v]
		s.Tasks = int64(rapid.IntRange(1, 5).Draw(t, "tasks of the stage"))
		if rapid.Bool().Draw(t, "no times of the stage") {
			s.Start, s.End = trace.None, trace.None
		}
	}
	return run
}

// Whatever a run holds, recorded, estimated, or drawn: simulators of queues and of machines, the replay of the run and
// the profile see the same tasks, the same work and the same graph, stage by stage.
func TestSimulatorsSeeTheSameWorkload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := known(t)
		b, c := jobs.Builder{Draw: workload.DefaultDraw(7)}, distributed.Collector{Stages: true, Seed: 7}
		b.Add(run)
		c.Add(run)
		if len(run.Stages) == 0 {
			if len(b.Jobs) != 0 || b.Count.LeftOut[workload.NoStages] != 1 || c.Count.LeftOut[workload.NoStages] != 1 {
				t.Fatalf("a run without stages: left out %v and %v", b.Count.LeftOut, c.Count.LeftOut)
			}
			return
		}
		w := c.Workload()
		if len(b.Jobs) != 1 || len(w.Jobs) != len(run.Stages) {
			t.Fatalf("%d jobs, %d bags of %d stages; left out %v and %v", len(b.Jobs), len(w.Jobs), len(run.Stages),
				b.Count.LeftOut, c.Count.LeftOut)
		}
		if b.Count.Drawn != c.Count.Drawn || b.Count.MeanTasks != c.Count.MeanTasks ||
			b.Count.Estimated != c.Count.Estimated || b.Count.StageTimes != c.Count.StageTimes {
			t.Fatalf("assumed %+v and %+v", b.Count.Count, c.Count)
		}
		bag := distributed.Collector{Seed: 7}
		bag.Add(run)
		var all []int64
		for v := range b.Jobs[0].Stages {
			s, got := &b.Jobs[0].Stages[v], w.Of(v)
			for i := range s.Tasks {
				all = append(all, s.Duration(i))
			}
			if !slices.Equal(got, all[len(all)-int(s.Tasks):]) {
				t.Fatalf("stage %d takes %v µs on machines, %v in queues", v, all[len(all)-int(s.Tasks):], got)
			}
			var parents []int32
			for _, p := range s.Parents {
				parents = append(parents, p.Stage)
			}
			var after []int32
			for _, d := range w.Jobs[v].After {
				after = append(after, int32(v-d))
			}
			if !slices.Equal(parents, after) {
				t.Fatalf("stage %d waits for %v on machines, for %v in queues", v, parents, after)
			}
		}
		if got := bag.Workload().Of(0); !slices.Equal(got, all) {
			t.Fatalf("as one bag %v, by stages %v", got, all)
		}
		agreesWithReplay(t, run, b.Jobs[0])
		agreesWithProfile(t, run, b.Jobs[0])
	})
}

// agreesWithReplay compares the plan of the run's replay. It has no draws, so that it may fail where a stage lacks all
// times.
func agreesWithReplay(t *rapid.T, run *trace.Run, j *jobs.Job) {
	r, err := jobmodel.Record(run)
	if err != nil {
		return
	}
	of := workload.ByStage(run)
	oneToOne := map[[2]int32]bool{}
	for _, e := range r.Edges {
		oneToOne[[2]int32{e.Parent, e.Child}] = e.Kind == trace.OneToOne
	}
	edges := 0
	recorded := make([]bool, len(j.Stages))
	for v := range j.Stages {
		recorded[v] = workload.Of(&run.Stages[v], of[v], nil).Basis == workload.Recorded
		if recorded[v] && int64(r.Plan.Stages[v].Tasks) != int64(j.Stages[v].Tasks) {
			t.Fatalf("stage %d has %d tasks when it is replayed, %d when it is simulated", v, r.Plan.Stages[v].Tasks,
				j.Stages[v].Tasks)
		}
		for _, p := range j.Stages[v].Parents {
			edges++
			if one, ok := oneToOne[[2]int32{p.Stage, int32(v)}]; !ok || recorded[v] && recorded[p.Stage] &&
				one != p.OneToOne {
				t.Fatalf("stage %d waits for %d (one to one: %v) when it is simulated; replayed %v", v, p.Stage,
					p.OneToOne, r.Edges)
			}
		}
	}
	if edges != len(r.Edges) {
		t.Fatalf("%d edges when it is simulated, %d when it is replayed", edges, len(r.Edges))
	}
}

// agreesWithProfile compares a profile of the run alone: its stages are in another order.
func agreesWithProfile(t *rapid.T, run *trace.Run, j *jobs.Job) {
	run.Status = trace.Succeeded
	p, err := profile.Fit([]*trace.Run{run}, profile.DefaultOptions())
	if err != nil {
		return
	}
	var fitted, simulated []int64
	for _, s := range p.Plans[0].Stages {
		fitted = append(fitted, s.Tasks.Values[0])
	}
	for _, s := range j.Stages {
		simulated = append(simulated, int64(s.Tasks))
	}
	slices.Sort(fitted)
	slices.Sort(simulated)
	if !slices.Equal(fitted, simulated) {
		t.Fatalf("stages have %v tasks in the profile, %v when they are simulated", fitted, simulated)
	}
}

// The run of three tasks that was once two tasks and 9 s for one family and three tasks and 19.5 s for the other: a
// task that never succeeded takes its longest attempt, one without attempts the mean.
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

// Copies of a task, what they overtook, kills and failures: the copy that succeeded counts, and only what failed is
// tried again on another cluster; the replay of the run itself repeats losses too.
func TestAttempts(t *testing.T) {
	st := trace.NewStage()
	st.Tasks = 2
	var of []trace.Attempt
	for _, x := range []struct {
		task, attempt int32
		s             trace.Duration
		status        trace.Status
		copied        trace.Tri
	}{{0, 0, 9, trace.Killed, trace.No}, {0, 1, 1, trace.Failed, trace.No}, {0, 2, 4, trace.Succeeded, trace.Yes},
		{1, 0, 3, trace.Lost, trace.No}, {1, 1, 2, trace.Failed, trace.No}, {1, 2, 6, trace.Succeeded, trace.No},
		{1, 3, 5, trace.Killed, trace.Yes}} {
		a := trace.NewAttempt(0, x.task, x.attempt)
		a.Duration, a.Status, a.Speculative = x.s, x.status, x.copied
		of = append(of, a)
	}
	s := workload.Of(&st, of, nil)
	want := []workload.Retry{{Task: 0, After: 1, Status: trace.Failed}, {Task: 1, After: 3, Status: trace.Lost},
		{Task: 1, After: 2, Status: trace.Failed}}
	if !slices.Equal(s.Durations, []int64{4, 6}) || !slices.Equal(s.Retries, want) {
		t.Errorf("durations %v, again %+v; want 4 and 6, %+v", s.Durations, s.Retries, want)
	}
	run := trace.NewRun("r")
	run.Submit, run.Stages, run.Attempts = 0, []trace.Stage{st}, of
	b := jobs.Builder{}
	b.Add(run)
	if got := b.Jobs[0].Stages[0].Retries; len(got) != 2 || b.Count.Retries != 2 {
		t.Errorf("on another cluster %+v fail; want the two that failed", got)
	}
	r, err := jobmodel.Record(run)
	if err != nil || r.Plan.Stages[0].Tasks != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
}
