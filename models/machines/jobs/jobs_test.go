package jobs_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
	"racecard/models/workload"
)

// run is a run with a stage per number of tasks.
func run(id string, tasks ...int64) *trace.Run {
	r := trace.NewRun(id)
	r.Submit = 5e6
	for _, n := range tasks {
		s := trace.NewStage()
		s.Tasks = n
		r.Stages = append(r.Stages, s)
	}
	return r
}

func attempt(stage, task, number int32, seconds float64, status trace.Status) trace.Attempt {
	a := trace.NewAttempt(stage, task, number)
	a.Duration, a.Status = trace.Duration(seconds*1e6), status
	return a
}

func build(t *testing.T, r *trace.Run) (*jobs.Job, jobs.Count) {
	t.Helper()
	b := jobs.Builder{Draw: workload.DefaultDraw(1)}
	b.Add(r)
	if len(b.Jobs) != 1 {
		t.Fatalf("left out: %v", b.Count.LeftOut)
	}
	if err := b.Jobs[0].Validate(); err != nil {
		t.Fatal(err)
	}
	return b.Jobs[0], b.Count
}

func TestDurations(t *testing.T) {
	r := run("a", 3, 2, 2, 1)
	r.Attempts = []trace.Attempt{
		attempt(0, 0, 0, 1, trace.Failed), attempt(0, 0, 1, 4, trace.Succeeded), // fails once, then takes 4
		attempt(0, 1, 0, 2, trace.Killed), attempt(0, 1, 1, 6, trace.Killed), // never succeeded: its longest, 6
		// of task 2 nothing is known: the mean of 4 and 6
		attempt(1, 0, 0, 3, trace.Succeeded), attempt(1, 1, 0, 3, trace.Succeeded),
	}
	r.Stages[2].Start, r.Stages[2].End = 10e6, 17e6 // no attempts: as long as the stage
	r.Stages[0].EstimateS = 9
	j, count := build(t, r)
	for i, want := range [][]int64{{4e6, 6e6, 5e6}, {3e6}, {7e6}} {
		if got := j.Stages[i].Durations; !slices.Equal(got, want) {
			t.Errorf("stage %d takes %v µs, want %v", i, got, want)
		}
	}
	if got := j.Stages[0]; got.Estimate != 9e6 ||
		!slices.Equal(got.Retries, []jobs.Retry{{Task: 0, After: 1e6, Status: trace.Failed}}) {
		t.Errorf("estimate %v, retries %v; want the stated 9 s and one failure after 1 s", got.Estimate, got.Retries)
	}
	if j.Stages[1].Estimate != 3e6 || j.Arrival != 5e6 || j.Tasks() != 8 {
		t.Errorf("estimate %v, arrival %v, %d tasks; want 3 s, 5 s, 8", j.Stages[1].Estimate, j.Arrival, j.Tasks())
	}
	if count.MeanTasks != 1 || count.StageTimes[0] != 1 || count.Drawn[0] != 1 || count.Retries != 1 ||
		count.Stages != 4 || count.Tasks != 8 {
		t.Errorf("%+v", count)
	}
	if got := j.Stages[3].Durations[0]; got <= 0 {
		t.Errorf("a drawn time of %d µs", got)
	}
}

func TestDemands(t *testing.T) {
	r := run("a", 1, 2)
	r.Stages[0].Demand[trace.CPU] = 2.5
	a, b := attempt(1, 0, 0, 1, trace.Succeeded), attempt(1, 1, 0, 1, trace.Succeeded)
	a.Demand[trace.Mem], b.Demand[trace.Mem] = 1e9, 2e9
	r.Attempts = []trace.Attempt{a, b}
	j, count := build(t, r)
	if j.Stages[0].Demand[trace.CPU] != 2.5 || j.Stages[1].Demand[trace.Mem] != 1.5e9 {
		t.Errorf("%v and %v; want 2.5 cores as stated, 1.5 GB as the attempts hold on average", j.Stages[0].Demand,
			j.Stages[1].Demand)
	}
	if count.DrawnDemands != [trace.NumResources]int64{1, 1, 2, 2, 2, 2} {
		t.Errorf("%v stages drew", count.DrawnDemands)
	}
	for i := range j.Stages {
		d := j.Stages[i].Demand
		for res, bounds := range [][2]float64{{1, 4}, {1e9, 16e9}, {10e6, 200e6}, {10e6, 200e6}, {10e6, 200e6},
			{10e6, 200e6}} {
			if d[res] < bounds[0] || d[res] > bounds[1] {
				t.Errorf("stage %d: resource %d is %v, want %v", i, res, d[res], bounds)
			}
		}
		if !math.IsNaN(d[trace.GPU]) {
			t.Errorf("stage %d draws %v GPUs", i, d[trace.GPU])
		}
	}
	// What is known does not change what is drawn for the rest.
	r.Stages[0].Demand[trace.CPU] = math.NaN()
	other, _ := build(t, r)
	if other.Stages[0].Demand[trace.NetIn] != j.Stages[0].Demand[trace.NetIn] ||
		other.Stages[0].Demand[trace.CPU] == 2.5 {
		t.Errorf("%v, then %v", j.Stages[0].Demand, other.Stages[0].Demand)
	}
	// Nor do other runs, and one that shares the number of another draws its own.
	r2 := run("b", 1, 2)
	r2.Seq = r.Seq
	both := jobs.Builder{Draw: workload.DefaultDraw(1)}
	both.Add(r)
	both.Add(r2)
	if first, second := both.Jobs[0], both.Jobs[1]; first.Seq == second.Seq || first.Seq != other.Seq ||
		first.Stages[0].Demand[trace.NetIn] != other.Stages[0].Demand[trace.NetIn] ||
		second.Stages[0].Demand[trace.NetIn] == first.Stages[0].Demand[trace.NetIn] {
		t.Errorf("%v and %v of runs of one number; alone %v", first.Stages[0].Demand, second.Stages[0].Demand,
			other.Stages[0].Demand)
	}
	half := jobs.Builder{Draw: workload.Draw{Seed: 1, Scale: 0.5}}
	half.Add(r)
	if got, want := half.Jobs[0].Stages[0].Demand[trace.CPU],
		other.Stages[0].Demand[trace.CPU]/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("at half the demands %v, want %v", got, want)
	}
}

// Jobs that are drawn anew are those of runs that are added anew, whatever is drawn of them.
func TestRedraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once, again := jobs.Builder{Draw: workload.DefaultDraw(1)}, jobs.Builder{Draw: workload.Draw{Seed: 2, Scale: 3}}
		for _, id := range []string{"a", "b"} {
			r := tracetest.Run(t, id)
			for v := range r.Stages {
				r.Stages[v].Tasks = min(r.Stages[v].Tasks, 100)
			}
			once.Add(r)
			again.Add(r)
		}
		got := once.Redraw(again.Draw)
		if fmt.Sprintf("%+v", flat(got.Jobs)) != fmt.Sprintf("%+v", flat(again.Jobs)) ||
			!reflect.DeepEqual(got.Count, again.Count) {
			t.Errorf("drawn anew %+v, %+v; added anew %+v, %+v", flat(got.Jobs), got.Count, flat(again.Jobs),
				again.Count)
		}
	})
}

func flat(all []*jobs.Job) (out []jobs.Job) {
	for _, j := range all {
		out = append(out, *j)
	}
	return out
}

// Of more jobs than are kept each has the same chance, the counts are those of all, and what was kept can be drawn
// anew.
func TestKeep(t *testing.T) {
	const runs, keep, seeds = 200, 20, 400
	kept := map[string]int{}
	for seed := range uint64(seeds) {
		b := &jobs.Builder{Draw: workload.DefaultDraw(seed), Keep: keep}
		for i := range runs {
			b.Add(run(fmt.Sprintf("r%03d", i), 2))
		}
		if len(b.Jobs) != keep || b.Made() != runs {
			t.Fatalf("%d jobs of %d", len(b.Jobs), b.Made())
		}
		for i, j := range b.Redraw(workload.DefaultDraw(seed)).Jobs {
			if j.ID != b.Jobs[i].ID || !reflect.DeepEqual(j.Stages[0].Durations, b.Jobs[i].Stages[0].Durations) {
				t.Fatalf("seed %d: %+v, drawn anew %+v", seed, b.Jobs[i], j)
			}
			kept[j.ID]++
		}
	}
	// The number of times that a run is kept has mean 40 and standard deviation 6.
	for i := range runs {
		if n := kept[fmt.Sprintf("r%03d", i)]; n < 40-5*6 || n > 40+5*6 {
			t.Errorf("run %d is kept %d times of %d, want about %d", i, n, seeds, seeds*keep/runs)
		}
	}
}

func TestEdges(t *testing.T) {
	r := run("a", 2, 2, 2, 3)
	r.Edges = []trace.Edge{
		{Parent: 0, Child: 1, Kind: trace.OneToOne},
		// the driver waits for all
		{Parent: 0, Child: 2, Kind: trace.OneToOne}, {Parent: 0, Child: 2, Kind: trace.Driver},
		{Parent: 0, Child: 3, Kind: trace.OneToOne}, // of other numbers of tasks
	}
	j, _ := build(t, r)
	for i, want := range []bool{true, false, false} {
		if got := j.Stages[i+1].Parents; !slices.Equal(got, []jobs.Parent{{Stage: 0, OneToOne: want}}) {
			t.Errorf("stage %d: %v, want one parent, one to one %v", i+1, got, want)
		}
	}
}

func TestLeftOut(t *testing.T) {
	b := jobs.Builder{Draw: workload.DefaultDraw(1)}
	unknown := run("unknown", trace.None)
	large := run("large", 1<<26, 1)
	for _, r := range []*trace.Run{run("empty"), unknown, large} {
		b.Add(r)
	}
	want := map[string]int64{workload.NoStages: 1, workload.UnknownTasks: 1, workload.TooMany: 1}
	if !reflect.DeepEqual(b.Count.LeftOut, want) || len(b.Jobs) != 0 {
		t.Errorf("%d jobs, left out %v, want %v", len(b.Jobs), b.Count.LeftOut, want)
	}
}

func TestDated(t *testing.T) {
	b := jobs.Builder{Draw: workload.DefaultDraw(1)}
	late := run("late", 1)
	late.Submit = trace.None
	b.Add(late)
	if all, ok := b.Dated(); ok || len(all) != 1 || all[0].Arrival != 0 {
		t.Errorf("where no job is dated: %v, %v; want one at 0", all, ok)
	}
	late.Start = 3e6
	b.Add(late)
	if all, ok := b.Dated(); !ok || len(all) != 1 || all[0].Arrival != 3e6 || b.Count.LeftOut[workload.NoSubmit] != 1 {
		t.Errorf("%v, %v, left out %v; want one that arrives at its start, and one left out", all, ok, b.Count.LeftOut)
	}
}

func TestSample(t *testing.T) {
	all := three(t)
	got := jobs.Sample(all, 300, 1)
	ids, names := map[string]bool{}, map[byte]int{}
	for i, j := range got {
		ids[j.ID] = true
		names[j.ID[0]]++
		if j.Seq != int64(i) {
			t.Errorf("job %d has number %d", i, j.Seq)
		}
	}
	if len(ids) != 300 || names['a'] < 60 || names['b'] < 60 || names['c'] < 60 || all[0].Seq != 1 {
		t.Errorf("%d ids, %v of each; want 300, about 100", len(ids), names)
	}
	if len(jobs.Sample(nil, 3, 1)) != 0 {
		t.Error("a sample of nothing")
	}
}

// TestStretch: 2 tasks of 10 s and 1 of 20 s, of 2 cores each, on 4 cores: 80 of 4 core-seconds a second. Half the load
// over 100 s is 200 core-seconds: 2.5 times as long.
func TestStretch(t *testing.T) {
	cores := trace.NoDemand()
	cores[trace.CPU] = 4
	m, err := cluster.New([]trace.Demand{cores})
	if err != nil {
		t.Fatal(err)
	}
	cores[trace.CPU] = 2
	all := []*jobs.Job{{ID: "a", Stages: []jobs.Stage{
		{Tasks: 2, Durations: []int64{10e6}, Estimate: 10e6, Demand: cores},
		{Tasks: 1, Durations: []int64{20e6}, Estimate: 16e6, Demand: cores, Retries: []jobs.Retry{{After: 2e6}}},
	}}}
	got, factor, err := jobs.Stretch(all, m, 0.5, 100)
	if err != nil || factor != 2.5 {
		t.Fatalf("factor %v, %v; want 2.5", factor, err)
	}
	s := got[0].Stages
	if s[0].Durations[0] != 25e6 || s[1].Durations[0] != 50e6 || s[1].Estimate != 40e6 ||
		s[1].Retries[0].After != 5e6 || all[0].Stages[1].Retries[0].After != 2e6 {
		t.Errorf("%+v of %+v", s, all[0].Stages)
	}
	all[0].Stages = []jobs.Stage{{Tasks: 1, Durations: []int64{1}, Demand: trace.NoDemand()}}
	for _, load := range []float64{math.NaN(), 0, 1} {
		if _, _, err := jobs.Stretch(all, m, load, 100); err == nil {
			t.Errorf("a load of %v of jobs that hold nothing is taken", load)
		}
	}
}

func TestMapReduce(t *testing.T) {
	stage := func(tasks int32, parents ...int32) jobs.Stage {
		s := jobs.Stage{Tasks: tasks, Durations: []int64{1e6}}
		for _, p := range parents {
			s.Parents = append(s.Parents, jobs.Parent{Stage: p, OneToOne: true})
		}
		return s
	}
	all := []*jobs.Job{{ID: "a", Stages: []jobs.Stage{stage(1), stage(3), stage(9, 0), stage(2, 1), stage(3, 1, 2),
		stage(8, 4)}}, {ID: "b", Stages: []jobs.Stage{stage(2)}}}
	got := jobs.MapReduce(all)
	// Of the stages without parents 1 has most work; of those that wait for it 4 has.
	if s := got[0].Stages; len(s) != 2 || s[0].Tasks != 3 || s[1].Tasks != 3 ||
		!slices.Equal(s[1].Parents, []jobs.Parent{{Stage: 0}}) {
		t.Errorf("%+v", s)
	}
	if len(got[1].Stages) != 1 || len(all[0].Stages) != 6 || all[0].TaskSeconds() != 26 {
		t.Errorf("%+v, of %v task-seconds", got[1].Stages, all[0].TaskSeconds())
	}
	for _, j := range got {
		if err := j.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func three(t *testing.T) []*jobs.Job {
	b := jobs.Builder{Draw: workload.DefaultDraw(1)}
	for k, at := range []trace.Instant{9e6, 4e6, 4e6} {
		r := run(string(rune('a'+k)), 2)
		r.Submit, r.Seq = at, int64(k)
		b.Add(r)
	}
	jobs.Sort(b.Jobs)
	if got := b.Jobs[0].ID + b.Jobs[1].ID + b.Jobs[2].ID; got != "bca" {
		t.Fatalf("order %s, want bca: by arrival, then number", got)
	}
	return b.Jobs
}

func TestArrivals(t *testing.T) {
	all := three(t)
	arrivals := func(of []*jobs.Job) (out []int64) {
		for _, j := range of {
			out = append(out, j.Arrival)
		}
		return out
	}
	if got := arrivals(jobs.Offline(all)); !slices.Equal(got, []int64{0, 0, 0}) {
		t.Errorf("offline: %v", got)
	}
	if got := arrivals(jobs.FromStart(all)); !slices.Equal(got, []int64{0, 0, 5e6}) {
		t.Errorf("from the start: %v, want 0, 0, 5 s", got)
	}
	many := make([]*jobs.Job, 10_000)
	for i := range many {
		many[i] = all[0]
	}
	drawn, err := jobs.Poisson(many, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	// The last of 10,000 exponential gaps of mean 20 s is at 200,000 s, with a standard deviation of 2,000 s.
	last := float64(drawn[len(drawn)-1].Arrival) / 1e6
	if drawn[0].Arrival != 0 || math.Abs(last-200_000) > 8_000 || !slices.IsSorted(arrivals(drawn)) {
		t.Errorf("from %d to %v s, want 0 to about 200,000", drawn[0].Arrival, last)
	}
	if all[0].Arrival != 4e6 {
		t.Error("the jobs themselves changed")
	}
	if _, err := jobs.Poisson(all, math.NaN(), 1); err == nil {
		t.Error("gaps of NaN are taken")
	}
}

func TestMisestimate(t *testing.T) {
	r := run("a", 1)
	r.Stages[0].Demand[trace.CPU] = 2
	r.Attempts = []trace.Attempt{attempt(0, 0, 0, 10, trace.Succeeded)}
	j, _ := build(t, r)
	for _, test := range []struct {
		e        jobs.Error
		cpu      float64
		estimate int64
	}{
		{jobs.Error{Share: 0.25, Some: 1}, 2.5, 8e6}, // the same work
		{jobs.Error{Share: -0.5, Some: 1}, 1, 20e6},
		{jobs.Error{Share: 0.25, Some: 1, Durations: true}, 2.5, 12.5e6},
		{jobs.Error{Share: 0.25, Some: 0}, 2, 10e6},
	} {
		got, err := jobs.Misestimate([]*jobs.Job{j}, test.e)
		if err != nil {
			t.Fatal(err)
		}
		s := got[0].Stages[0]
		if s.Seen[trace.CPU] != test.cpu || s.Estimate != test.estimate || s.Demand[trace.CPU] != 2 ||
			s.Durations[0] != 10e6 {
			t.Errorf("%+v: seen %v cores and %v µs, want %v and %v; true %v and %v", test.e, s.Seen[trace.CPU],
				s.Estimate, test.cpu, test.estimate,
				s.Demand[trace.CPU], s.Durations[0])
		}
	}
	random, err := jobs.Misestimate([]*jobs.Job{j}, jobs.Error{Share: -0.5, Some: 1, Random: true, Seed: 3})
	if f := random[0].Stages[0].Seen[trace.CPU] / 2; err != nil || f < 0.5 || f > 1.5 || f == 1 {
		t.Errorf("a random factor of %v, want within 0.5 to 1.5 (%v)", f, err)
	}
	for _, e := range []jobs.Error{{Share: -1, Some: 1}, {Share: math.NaN(), Some: 1}, {Some: 2}} {
		if _, err := jobs.Misestimate(nil, e); err == nil {
			t.Errorf("%+v is taken", e)
		}
	}
}

func TestValidate(t *testing.T) {
	ok := jobs.Stage{Tasks: 1, Durations: []int64{1}}
	two := jobs.Stage{Tasks: 2, Durations: []int64{1}}
	with := func(s jobs.Stage, f func(s *jobs.Stage)) jobs.Stage { f(&s); return s }
	for _, test := range []struct {
		name   string
		stages []jobs.Stage
	}{
		{"0 stages", nil},
		{"0 tasks", []jobs.Stage{{Durations: []int64{1}}}},
		{"0 durations", []jobs.Stage{{Tasks: 1}}},
		{"takes -1", []jobs.Stage{{Tasks: 1, Durations: []int64{-1}}}},
		{"estimate", []jobs.Stage{with(ok, func(s *jobs.Stage) { s.Estimate = -1 })}},
		{"waits for stage 0", []jobs.Stage{with(ok, func(s *jobs.Stage) { s.Parents = []jobs.Parent{{Stage: 0}} })}},
		{"waits for stage 0", []jobs.Stage{ok, with(ok, func(s *jobs.Stage) {
			s.Parents = []jobs.Parent{{Stage: 0}, {Stage: 0}}
		})}},
		{"one to one", []jobs.Stage{ok, with(two, func(s *jobs.Stage) {
			s.Parents = []jobs.Parent{{OneToOne: true}}
		})}},
		{"retry 0", []jobs.Stage{with(ok, func(s *jobs.Stage) { s.Retries = []jobs.Retry{{Task: 1}} })}},
		{"retry 1", []jobs.Stage{with(two, func(s *jobs.Stage) { s.Retries = []jobs.Retry{{Task: 1}, {Task: 0}} })}},
		{"of work", []jobs.Stage{{Tasks: 1 << 26, Durations: []int64{1}, Estimate: 1 << 42}}},
	} {
		if err := (&jobs.Job{ID: "x", Stages: test.stages}).Validate(); err == nil ||
			!strings.Contains(err.Error(), test.name) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if err := (workload.Draw{Scale: math.NaN()}).Validate(); err == nil {
		t.Error("a scale of NaN is taken")
	}
}
