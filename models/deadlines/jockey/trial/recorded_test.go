package trial

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	var all []executable
	for _, r := range executed {
		x, err := observe(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	j, err := replay(t.Context(), p, p, all, 20)
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
	x, err := observe(other)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Fit(runs, profile.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replay(t.Context(), p, p, []executable{x}, 20); err == nil {
		t.Error("a run of another plan is executed")
	}
}

// The newest half of the runs, at most a hundred, is executed, whatever the order in which runs were added; the others
// are learned from. Runs without stages are in neither, and runs without times are not executed.
func TestNewest(t *testing.T) {
	made := recordedRuns(t, 7)
	for _, test := range []struct{ runs, executed int }{{12, 6}, {13, 7}, {200, 100}, {431, 100}} {
		var b profile.Builder
		var n Newest
		order := rand.New(rand.NewPCG(1, uint64(test.runs))).Perm(test.runs)
		want, learned := map[string]bool{}, 0
		for _, at := range order {
			run := *made[at%len(made)]
			run.ID, run.End = fmt.Sprint("r", at), made[0].End+trace.Instant(at/2)*second
			b.Add(&run)
			n.Add(&run)
		}
		// Of two runs that end at once, the one that was added later is newer.
		place := make([]int, test.runs)
		for i, at := range order {
			place[at] = i
		}
		ats := slices.Clone(order)
		slices.SortFunc(ats, func(x, y int) int { return cmp.Or(cmp.Compare(x/2, y/2), cmp.Compare(place[x], place[y])) })
		for i, at := range ats {
			if i >= test.runs-test.executed {
				want[fmt.Sprint("r", at)] = true
			} else {
				learned++
			}
		}
		all, err := b.Fit("j", profile.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		j, err := n.Replayed(t.Context(), &b, all, profile.DefaultOptions(), 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range j.Recorded {
			if !want[r.ID] {
				t.Errorf("%d runs: %s is executed", test.runs, r.ID)
			}
		}
		if len(j.Recorded) != len(want) || j.About.Runs != learned {
			t.Errorf("%d runs: %d executed, learned from %d, want %d and %d", test.runs, len(j.Recorded), j.About.Runs,
				len(want), learned)
		}
	}
}
