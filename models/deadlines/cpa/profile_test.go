package cpa

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
	"racecard/datasets/sample/sampletest"
	"racecard/datasets/trace"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/progress"
)

// fitted returns the job of a profile of runs.
func fitted(t *testing.T, runs []*trace.Run) (Job, remaining.About) {
	t.Helper()
	return fittedFor(t, runs, math.NaN())
}

// fittedFor is fitted for an input of some bytes.
func fittedFor(t *testing.T, runs []*trace.Run, inputBytes float64) (Job, remaining.About) {
	t.Helper()
	p, err := profile.Fit(runs, profile.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	j, about, err := Of(p, inputBytes)
	if err != nil {
		t.Fatal(err)
	}
	return j, about
}

// TestSample: the tables of the embedded sample keep their laws under every indicator, and their times of whole runs are
// near the runs. Runs of customer-360 take longer on three tokens than on two: its tables, whose times never grow with
// tokens, say so, and have the times on three.
func TestSample(t *testing.T) {
	for job, runs := range sampletest.ByJob(t) {
		j, about := fitted(t, runs)
		if about.Runs != 18 || about.Resolution != modelfile.ByAttempt || about.OldestS == nil {
			t.Errorf("%s: %+v", job, about)
		}
		for k := range progress.Count {
			if testing.Short() && k > 0 {
				break // one indicator is enough for the race detector, under which each takes seconds
			}
			o := few(40, 1, 2, 3, 4)
			o.Indicator = k
			table, err := Build(context.Background(), j, about, o)
			if err != nil {
				t.Fatalf("%s by %v: %v", job, k, err)
			}
			slower := slices.ContainsFunc(table.About.Warnings, func(w string) bool { return strings.HasPrefix(w, "runs take 32 s on 2 ") })
			if slower != (job == "customer-360") {
				t.Errorf("%s: warnings %q", job, table.About.Warnings)
			}
			var took []float64
			for _, r := range runs {
				if d := r.End.Since(r.Submit).Seconds(); !math.IsNaN(d) && (!slower || r.Guaranteed == 3) {
					took = append(took, d)
				}
			}
			low, high := table.Remaining(0, 4, .01), table.Remaining(0, 1, .99)
			if m := stat.Mean(took, nil); m < low || m > high {
				t.Errorf("%s: runs took %v s in the mean, the table says %v to %v", job, m, low, high)
			}
		}
	}
}

// Stages of 3 and 2 s, of which nobody knows the tasks: 5 s on any tokens, and a warning.
func TestByStage(t *testing.T) {
	dist := func(us int64) modelfile.Dist {
		mean := float64(us) / 1e6
		return modelfile.Dist{N: 1, Family: modelfile.Constant, MeanS: &mean, Values: []int64{us}}
	}
	p := &modelfile.Profile{Job: "j", Plans: []modelfile.Plan{{Resolution: modelfile.ByStage, Runs: 1,
		Stages: []modelfile.Stage{{Typical: modelfile.Typical{Elapsed: dist(3 * second)}},
			{Typical: modelfile.Typical{Elapsed: dist(2 * second)}}},
		Edges: []modelfile.Edge{{Parent: 0, Child: 1, Kind: "all_to_all"}}}}}
	j, about, err := Of(p, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	if about.InputBytes == nil || *about.InputBytes != 1e6 || len(about.Warnings) != 2 {
		t.Errorf("%+v: want two warnings, of inputs and tasks that are not known", about)
	}
	table, err := Build(context.Background(), j, about, few(400, 1, 10))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := table.Remaining(0, 1, .5), table.Remaining(0, 10, .5); a != b || math.Abs(a-5) > .5 {
		t.Errorf("%v and %v s on 1 and 10 tokens, want 5 both", a, b)
	}
	if table.Samples[remaining.Steps] != 400 {
		t.Errorf("%d samples", table.Samples[remaining.Steps])
	}
}

// Runs of one stage, of which nobody knows the tasks, took 48 s on 2 tokens and 24 s on 4: so the table says, and on 8
// tokens less.
func TestByStageOnOtherTokens(t *testing.T) {
	elapsed := modelfile.Dist{N: 12, Family: modelfile.Empirical}
	plan := modelfile.Plan{Resolution: modelfile.ByStage, Runs: 12}
	for i := range 12 {
		tokens, took := int64(2+2*(i%2)), 48.0/float64(1+i%2)
		plan.RunFactors = append(plan.RunFactors, modelfile.RunFactor{RunID: string(rune('a' + i)), Factor: took / 36,
			Weight: 1, Tokens: &tokens, CompletionS: &took})
		elapsed.Values = append(elapsed.Values, 36*second)
	}
	mean := 36.0
	elapsed.MeanS = &mean
	plan.Stages = []modelfile.Stage{{Typical: modelfile.Typical{Elapsed: elapsed}}}
	j, about, err := Of(&modelfile.Profile{Job: "j", Plans: []modelfile.Plan{plan}}, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	table, err := Build(context.Background(), j, about, few(64, 2, 4, 8))
	if err != nil {
		t.Fatal(err)
	}
	for tokens, want := range map[float64]float64{2: 48, 4: 24} {
		if got := table.Remaining(0, tokens, 0.5); math.Abs(got/want-1) > 0.03 {
			t.Errorf("%v s on %v tokens, want %v", got, tokens, want)
		}
	}
	if got := table.Remaining(0, 8, 0.5); got > 23 {
		t.Errorf("%v s on 8 tokens, want fewer than on 4", got)
	}
}

// Twelve runs on 2 tokens, of stages of 4 tasks of 10 s, 2 of 5 s and one of 1 s: on one token they take 40 + 10 + 1 s,
// on two 20 + 5 + 1, on four 10 + 5 + 1. Three simulated runs tell, and where runs were the table is as narrow as they.
func TestTwelveAlike(t *testing.T) {
	var runs []*trace.Run
	for k := range 12 {
		runs = append(runs, alike(k))
	}
	j, about := fitted(t, runs)
	table, err := Build(context.Background(), j, about, few(3, 1, 2, 4))
	if err != nil {
		t.Fatal(err)
	}
	for tokens, want := range map[float64]float64{1: 51, 2: 26, 4: 16} {
		if got := table.Remaining(0, tokens, 0.5); math.Abs(got/want-1) > 0.01 {
			t.Errorf("C(0,%v) is %v s, want %v", tokens, got, want)
		}
	}
	many, err := Build(context.Background(), j, about, few(200, 2))
	if err != nil {
		t.Fatal(err)
	}
	if low, high := many.Remaining(0, 2, 0.05), many.Remaining(0, 2, 0.95); high/low > 1.04 {
		t.Errorf("runs that are alike take %v to %v s", low, high)
	}
}

// The runs of TestTwelveAlike, where the trace tells how many tokens they used at once, but not how many they held: their
// table is the same on any number that can do the work, and says so: one token takes 51 s.
func TestTableOfUnknownTokens(t *testing.T) {
	for _, guaranteed := range []int64{2, trace.None} {
		var runs []*trace.Run
		for k := range 12 {
			runs = append(runs, alike(k))
			runs[k].Guaranteed = guaranteed
		}
		j, about := fitted(t, runs)
		told := slices.ContainsFunc(about.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "how many tokens past runs held is not known: on any number ")
		})
		if told != (guaranteed == trace.None) {
			t.Errorf("%d guaranteed tokens: %q", guaranteed, about.Warnings)
		}
		table, err := Build(context.Background(), j, about, few(20, 1, 2, 4))
		if err != nil {
			t.Fatal(err)
		}
		c1, c2, c4 := table.Remaining(0, 1, 0.5), table.Remaining(0, 2, 0.5), table.Remaining(0, 4, 0.5)
		if math.Abs(c1/51-1) > 0.05 || told != (math.Abs(c2/c4-1) < 0.05) {
			t.Errorf("%d guaranteed tokens: %v s on 1, %v s on 2, %v s on 4", guaranteed, c1, c2, c4)
		}
	}
}

// alike is a run on 2 tokens that starts every task as soon as there is a token.
func alike(k int) *trace.Run {
	r := trace.NewRun(string(rune('a' + k)))
	at := trace.Instant(k) * 3600 * second
	r.Name, r.Status, r.Submit, r.Start, r.Guaranteed = "n", trace.Succeeded, at, at, 2
	now := at
	for i, s := range []struct {
		tasks int64
		took  trace.Instant
	}{{4, 10 * second}, {2, 5 * second}, {1, second}} {
		st := trace.NewStage()
		st.Name, st.Tasks, st.Submit, st.Start = string(rune('a'+i)), s.tasks, now, now
		begin := now
		for task := range s.tasks {
			a := trace.NewAttempt(int32(i), int32(task), 0)
			a.Queued, a.Start = begin, begin+trace.Instant(task/2)*s.took
			a.End = a.Start + s.took
			a.Status, a.Duration = trace.Succeeded, a.End.Since(a.Start)
			now = a.End
			r.Attempts = append(r.Attempts, a)
		}
		st.End = now
		r.Stages = append(r.Stages, st)
		if i > 0 {
			r.Edges = append(r.Edges, trace.Edge{Parent: int32(i - 1), Child: int32(i), Kind: trace.AllToAll})
		}
	}
	r.End = now
	return r
}

// After ten runs of three stages and three of two, tables are of two: 20 + 5 s on 2 tokens.
func TestNewestPlan(t *testing.T) {
	var runs []*trace.Run
	for k := range 13 {
		r := alike(k)
		if k >= 10 {
			r.Stages, r.Edges, r.Attempts, r.End = r.Stages[:2], r.Edges[:1], r.Attempts[:6], r.Stages[1].End
		}
		runs = append(runs, r)
	}
	j, about := fitted(t, runs)
	if about.Stages != 2 || about.Runs != 3 || len(about.Warnings) == 0 {
		t.Errorf("%+v: want two stages of three runs, and a warning", about)
	}
	table, err := Build(context.Background(), j, about, few(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Remaining(0, 2, 0.5); math.Abs(got/25-1) > 0.03 {
		t.Errorf("C(0,2) is %v s, want 25", got)
	}
}

// Runs of one task that held 16 or 64 processors took 100 or 30 s. The chosen grid goes up to 64, and says what
// either took.
func TestTasksThatHoldSeveralTokens(t *testing.T) {
	var runs []*trace.Run
	for i := range 20 {
		r := trace.NewRun(string(rune('a' + i)))
		r.Name, r.Status, r.Guaranteed = "j", trace.Succeeded, 16
		took := 100.0
		if i%2 == 1 {
			r.Guaranteed, took = 64, 30
		}
		r.Submit = trace.Instant(i * 3600 * second)
		r.Start, r.End = r.Submit, r.Submit+trace.Instant(took*second)
		stage := trace.NewStage()
		stage.Tasks, stage.Start, stage.End = 1, r.Start, r.End
		a := trace.NewAttempt(0, 0, 0)
		a.Status, a.Start, a.End, a.Duration = trace.Succeeded, r.Start, r.End, r.End.Since(r.Start)
		r.Stages, r.Attempts = []trace.Stage{stage}, []trace.Attempt{a}
		runs = append(runs, r)
	}
	j, about := fitted(t, runs)
	o := DefaultOptions()
	o.Replicates = 100
	table, err := Build(t.Context(), j, about, o)
	if err != nil {
		t.Fatal(err)
	}
	if most := table.Allocations[len(table.Allocations)-1]; most != 64 {
		t.Errorf("the grid %v ends at %d tokens, want 64", table.Allocations, most)
	}
	for tokens, want := range map[float64]float64{16: 100, 64: 30} {
		if got := table.Remaining(0, tokens, 0.5); math.Abs(got/want-1) > 0.05 {
			t.Errorf("%.1f s on %v tokens, want %v", got, tokens, want)
		}
	}
}

// A job that reads its files in batches has a stage for each. A table for an input is of the plan that such runs have;
// for an input that is not known, of the most frequent one, not of the newest run's.
func TestPlansThatDependOnTheInput(t *testing.T) {
	const took = 10 * second
	var runs []*trace.Run
	for i, batches := range []int{4, 2, 4, 7, 4, 2, 2, 4, 7, 4, 4, 7} {
		r := trace.NewRun(string(rune('a' + i)))
		r.Name, r.Status, r.Guaranteed, r.InputBytes = "j", trace.Succeeded, 1, int64(1_000_000*batches+1000*i)
		r.Submit = trace.Instant(i * 3600 * second)
		at := r.Submit
		for k := range batches {
			stage, a := trace.NewStage(), trace.NewAttempt(int32(k), 0, 0)
			stage.Tasks, stage.Start, stage.End = 1, at, at+took
			a.Status, a.Start, a.End, a.Duration = trace.Succeeded, at, at+took, took
			r.Stages, r.Attempts = append(r.Stages, stage), append(r.Attempts, a)
			if k > 0 {
				r.Edges = append(r.Edges, trace.Edge{Parent: int32(k - 1), Child: int32(k), Kind: trace.AllToAll})
			}
			at += took
		}
		r.Start, r.End = r.Submit, at
		runs = append(runs, r)
	}
	for input, batches := range map[float64]int{2e6: 2, 4e6: 4, 7e6: 7, math.NaN(): 4} {
		j, about := fittedFor(t, runs, input)
		if about.Stages != batches {
			t.Errorf("an input of %.0f bytes: %d stages, want %d", input, about.Stages, batches)
			continue
		}
		table, err := Build(t.Context(), j, about, few(100, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := table.Remaining(0, 1, 0.5), float64(10*batches); math.Abs(got/want-1) > 0.1 {
			t.Errorf("an input of %.0f bytes: %.1f s, want %v", input, got, want)
		}
	}
}
