package trial

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
)

// The jobs have the published numbers of stages, barriers and tasks, and their run times, as a trace of 20 runs holds
// them, the published median and 90th percentile over all tasks, and of the fastest and slowest stage.
func TestW7(t *testing.T) {
	jobs, err := W7()
	if err != nil {
		t.Fatal(err)
	}
	again, err := W7()
	if err != nil || !reflect.DeepEqual(jobs, again) {
		t.Fatalf("other jobs the second time, %v", err)
	}
	for i, r := range table2() {
		g := jobs[i]
		tasks, barrier := 0, map[int32]bool{}
		for _, s := range g.Plan.Stages {
			tasks += int(s.Tasks)
			if p := s.Failure.Probability; p < 0.01 || p > 0.02 {
				t.Errorf("%s: %v of the attempts fail", g.Name, p)
			}
		}
		for _, e := range g.Plan.Edges {
			if e.Kind == trace.AllToAll {
				barrier[e.Child] = true
			}
		}
		// A multiple of 14 for B, and of the sizes of groups for E.
		if off := tasks - r.tasks; len(g.Plan.Stages) != r.stages || len(barrier) != r.barriers ||
			g.Barriers != r.barriers || off > 5 || off < -5 ||
			off != 0 && g.Name != "B" && g.Name != "E" {
			t.Errorf("%s: %d stages, %d barriers, %d tasks; want %+v", g.Name, len(g.Plan.Stages), len(barrier), tasks,
				r)
		}
		c, err := sim.Compile(g.Plan)
		if err != nil {
			t.Fatal(err)
		}
		runner := sim.NewRunner(c)
		all, byStage := []float64(nil), make([][]float64, r.stages)
		for k := range 20 {
			run, err := record("r", g, runner, 60, seed.Stream(3, "test", uint64(k)).Uint64())
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Validate(); err != nil {
				t.Fatal(err)
			}
			for _, a := range run.Attempts {
				if a.Status == trace.Succeeded {
					all = append(all, a.Duration.Seconds())
					byStage[a.Stage] = append(byStage[a.Stage], a.Duration.Seconds())
				}
			}
		}
		sorted := quantile.Sort(all)
		fastest, slowest := math.Inf(1), 0.0
		for _, xs := range byStage {
			p90 := quantile.Quantile(quantile.Sort(xs), 0.9)
			fastest, slowest = min(fastest, p90), max(slowest, p90)
		}
		for _, x := range [][3]float64{{quantile.Quantile(sorted, 0.5), r.median, 0.1}, {quantile.Quantile(sorted, 0.9),
			r.p90, 0.1}, {fastest, r.fastest, 0.2}, {slowest, r.slowest, 0.2}} {
			if math.Abs(x[0]/x[1]-1) > x[2] {
				t.Errorf("%s: %v, published %v", g.Name, x[0], x[1])
			}
		}
	}
}

// A model learned from past runs stands for the job stage by stage: as many tasks, and as much work within 10%.
func TestTrain(t *testing.T) {
	jobs, err := W7()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []Generated{jobs[0], jobs[6]} {
		j, err := Train(g, 5, 60, 1)
		if err != nil {
			t.Fatal(err)
		}
		c, err := sim.Compile(j.Plan)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for i, k := range j.Stage {
			if j.Model.Plan.Stages[i].Tasks != j.Plan.Stages[k].Tasks {
				t.Errorf("%s: stage %d of the model has %d tasks, stage %d of the job %d", g.Name, i,
					j.Model.Plan.Stages[i].Tasks, k, j.Plan.Stages[k].Tasks)
			}
			total += j.Model.Totals[i].WorkS
		}
		for k := range j.Plan.Stages {
			if !slices.Contains(j.Stage, k) {
				t.Errorf("%s: no stage of the model stands for %d", g.Name, k)
			}
		}
		res, err := sim.NewRunner(c).Run(&sim.Options{Allocation: []sim.Step{{Tokens: 60}}}, fixed(9))
		if err != nil {
			t.Fatal(err)
		}
		if work := float64(res.TokenTime) / second; math.Abs(total/work-1) > 0.1 {
			t.Errorf("%s: the model has %v s of work, a run %v", g.Name, total, work)
		}
	}
}

// The target of the experiment, on fewer runs: misses are rare, and the allocation above the oracle is less than a
// third. The policies are in the order of the paper.
func TestTarget(t *testing.T) {
	if testing.Short() {
		t.Skip("a table for each of seven jobs takes a few seconds")
	}
	generated, err := W7()
	if err != nil {
		t.Fatal(err)
	}
	var jobs []Job
	for _, g := range generated {
		j, err := Train(g, 5, 60, 1)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	o := small()
	o.Workers, o.Simulated = 2, 60
	doc := compare(t, o, jobs...)
	missed, above := func(p string) int { return doc.Policies[p].Missed }, func(p string) float64 {
		return doc.Policies[p].AllocationAboveOracle.Mean
	}
	t.Logf("%d runs: jockey missed %d, %.3f above the oracle", doc.Policies["jockey"].Runs, missed("jockey"),
		above("jockey"))
	if missed("jockey") > 3 || above("jockey") > 0.33 {
		t.Errorf("missed %d of %d, %.3f above the oracle", missed("jockey"), doc.Policies["jockey"].Runs,
			above("jockey"))
	}
	if missed("no-adaptation") <= missed("jockey") || missed("oracle") <= missed("no-adaptation") {
		t.Errorf("missed: oracle %d, without adaptation %d, jockey %d; want fewer each", missed("oracle"),
			missed("no-adaptation"), missed("jockey"))
	}
	if above("max-allocation") <= above("no-simulator") || above("no-simulator") <= above("jockey") {
		t.Errorf("above the oracle: all tokens %v, without simulator %v, jockey %v; want less each",
			above("max-allocation"), above("no-simulator"), above("jockey"))
	}
}
