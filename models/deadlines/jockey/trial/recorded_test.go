package trial

import (
	"fmt"
	"math"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/sim"
)

// recordedRuns returns simulated runs of 20 tasks of 5 to 15 s and 4 of 10 s behind a barrier, as a trace would hold
// them.
func recordedRuns(t *testing.T, n int) []*trace.Run {
	t.Helper()
	a, err := sim.Empirical([]int64{5 * second, 10 * second, 15 * second})
	if err != nil {
		t.Fatal(err)
	}
	b, err := sim.Constant(10 * second)
	if err != nil {
		t.Fatal(err)
	}
	g := Generated{Name: "j", Plan: sim.Plan{Stages: []sim.Stage{{Tasks: 20, Duration: a}, {Tasks: 4, Duration: b}},
		Edges: []sim.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}}}
	c, err := sim.Compile(g.Plan)
	if err != nil {
		t.Fatal(err)
	}
	var runs []*trace.Run
	for k := range n {
		r, err := record(fmt.Sprint("r", k), g, sim.NewRunner(c), 4, uint64(k))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

func replayed(t *testing.T, learned, executed []*trace.Run) Job {
	t.Helper()
	p, err := profile.Fit(learned, profile.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var all []Execution
	for _, r := range executed {
		x, err := Observe(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	j, err := Replayed(p, p, all, 20)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A recorded run that is executed again on its tokens takes as long as it did, and policies run no draws of the model:
// every undisturbed run under a constant allocation is one of those recorded.
func TestRecordedWorld(t *testing.T) {
	runs := recordedRuns(t, 12)
	j := replayed(t, runs[:6], runs[6:])
	if len(j.Recorded) != 6 {
		t.Fatalf("%d recorded runs, want 6", len(j.Recorded))
	}
	ends := map[float64]bool{}
	for k := range j.Recorded {
		r := &j.Recorded[k]
		res, err := sim.NewRunner(r.compiled).Run(&sim.Options{Allocation: []sim.Step{{Tokens: 4}},
			Inflation: r.Inflation}, fixed(0))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := float64(res.End)/second, runs[6+k].Completion().Seconds(); r.Inflation[3] != 1 ||
			math.Abs(got-want) > 1e-3 {
			t.Errorf("%s: %v s with a factor of %v, want %v s", r.ID, got, r.Inflation[3], want)
		}
		if r.tasks[0] != 20 || r.tasks[1] != 4 {
			t.Errorf("%s: tasks %v of the stages of the model", r.ID, r.tasks)
		}
		res, err = sim.NewRunner(r.compiled).Run(&sim.Options{Allocation: []sim.Step{{Tokens: 20}},
			Inflation: r.Inflation}, fixed(0))
		if err != nil {
			t.Fatal(err)
		}
		ends[math.Round(float64(res.End)/second*1e3)] = true
	}
	o := small()
	o.Loop.Max = 20
	doc, err := Compare(t.Context(), []Job{j}, o)
	if err != nil || doc.World != RecordedWorld {
		t.Fatal(doc, err)
	}
	seen := 0
	for _, r := range doc.Runs {
		if r.Policy == maxAllocation && r.Scenario == "undisturbed" {
			seen++
			if !ends[math.Round(r.EndS*1e3)] {
				t.Errorf("a run of %v s, which no recorded run takes: %v", r.EndS, ends)
			}
		}
	}
	if seen == 0 {
		t.Error("no undisturbed run")
	}
	other := recordedRuns(t, 1)[0]
	other.Edges = nil
	x, err := Observe(other)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Fit(runs, profile.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Replayed(p, p, []Execution{x}, 20); err == nil {
		t.Error("a run of another plan is executed")
	}
}
