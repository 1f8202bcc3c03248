package backtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/remaining"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// Of a run of two tasks from 1 to 4 s and one from 4 to 6 s, a third of the work is done at no instant, two thirds from
// 4 s on; as from stage ends alone.
func TestCourse(t *testing.T) {
	whole := twoStages("r", 0, 3, 2)
	stages := twoStages("s", 0, 3, 2)
	stages.Attempts = nil
	again := twoStages("t", 0, 3, 2)
	failed := again.Attempts[0]
	failed.Status, failed.End = trace.Failed, failed.Start+second
	failed.Duration = failed.End.Since(failed.Start)
	again.Attempts[0].Attempt = 1
	again.Attempts = slices.Insert(again.Attempts, 0, failed)
	indicators, err := progress.NewPlan([]progress.Stage{{Tasks: 2, WorkS: 6}, {Tasks: 1, WorkS: 2}},
		[]trace.Edge{{Parent: 0, Child: 1}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Fit([]*trace.Run{whole}, profile.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*trace.Run{whole, stages, again} {
		c := courseOf(r)
		in := c.placed.In(&p.Plans[0])
		if in == nil {
			t.Fatalf("%s: another plan", r.ID)
		}
		for _, want := range []remaining.State{{ElapsedS: 3.9}, {Progress: 0.75, ElapsedS: 4, SinceS: 4},
			{Progress: 0.75, ElapsedS: 5.9, SinceS: 4}, {Progress: 1, ElapsedS: 6.5, SinceS: 6}} {
			if got := c.at(want.ElapsedS, in, indicators, progress.TotalWork); got != want {
				t.Errorf("%s: %+v, want %+v", r.ID, got, want)
			}
		}
	}
	unknown := twoStages("u", 0, 3, 2)
	unknown.Attempts, unknown.Stages[1].End = nil, trace.None
	if c := courseOf(unknown); c != nil {
		t.Errorf("of a stage without an end: %+v", c)
	}
}

// Errors of the remaining time are relative to it. Of 10 and 20 s, 5 and 10 remain at half of the time.
func TestScoreWithin(t *testing.T) {
	runs := []withinRun{{completionS: 10}, {completionS: 20}}
	for k, x := range [][2]float64{{6, 7}, {5, 9}} {
		for i := range elapsed {
			runs[k].remaining[i] = map[string][2]float64{}
			for _, m := range withinMethods {
				runs[k].remaining[i][m] = x
			}
		}
	}
	out := scoreWithin(runs)
	want := result.WithinErrors{N: 2, MedianAbsolute: result.Number((0.2 + 0.5) / 2), P50Share: 0.5, P90Share: 0.5}
	if len(out) != 5 || out[2].Elapsed != 0.5 || out[2].Methods[published] != want || out[2].WithinErrors != want ||
		len(out[2].Methods) != 3 {
		t.Errorf("%+v, want %+v at half", out, want)
	}
}

// While runs of which each is slower or faster as a whole go on, what is known of their pace and of the stage that they
// are in makes predictions better than their age or their progress alone. Runs of another plan are predicted from their
// age.
func TestWithin(t *testing.T) {
	o := small()
	o.Within = true
	runs := noisy(24, 0.15, rand.New(rand.NewPCG(5, 6)))
	out := run(t, o, runs...)
	if len(out.Within) != len(elapsed) || out.Within[0].N != out.Predicted || out.WithinUnknown != 0 {
		t.Fatalf("%+v", out.Within)
	}
	sum := map[string]float64{}
	for _, w := range out.Within {
		sum[Racecard] += float64(w.MedianAbsolute)
		for m, e := range w.Methods {
			sum[m] += float64(e.MedianAbsolute)
		}
	}
	if sum[Racecard] >= sum[published] || sum[Racecard] >= sum[unstarted] {
		t.Errorf("errors %v: want racecard's below those of the published table and of C(0,a)", sum)
	}
	other := twoStages("other", 1e6, 20, 10)
	other.Edges = nil
	for v := range other.Stages {
		other.Stages[v].Start = other.Submit + second
	}
	o.Last = 1
	w := run(t, o, append(runs, other)...)
	if w.WithinUnknown != 1 || w.Within[0].N != 1 {
		t.Fatalf("%d of another plan of %+v", w.WithinUnknown, w.Within)
	}
	one := fmt.Sprint(w.Within)
	o.Workers = 3
	if many := fmt.Sprint(run(t, o, append(runs, other)...).Within); many != one {
		t.Errorf("three workers: %s, one: %s", many, one)
	}
	if o.Within = false; len(run(t, o, runs...).Within) != 0 {
		t.Error("remaining times that nobody asked for")
	}
	if x := float64(w.Within[4].MedianAbsolute); math.IsNaN(x) {
		t.Errorf("error %v", x)
	}
}

// Before a run has made progress, as many runs take at most p50 and p90 of their table as of the forecast at their
// submission: also where other jobs tell that runs become later than their own job's past says.
func TestWithinLearnsFromOtherJobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var runs []*trace.Run
	for job := range 60 {
		for i := range 9 {
			r := trace.NewRun(fmt.Sprintf("j%d-%d", job, i))
			r.Name, r.Status = fmt.Sprint("j", job), trace.Succeeded
			factor := math.Exp(0.03 * rng.NormFloat64())
			if i >= 4 {
				factor *= math.Exp(0.3 * math.Abs(rng.NormFloat64()))
			}
			r.Submit = trace.Instant(i*3600+job) * second
			r.Start, r.End = r.Submit, r.Submit+trace.Instant(100*factor*second)
			stage := trace.NewStage()
			stage.Tasks, stage.Start, stage.End = 1, r.Start, r.End
			r.Stages = []trace.Stage{stage}
			runs = append(runs, r)
		}
	}
	o := small()
	o.Within, o.Last = true, 2
	out := run(t, o, runs...)
	told := out.Within[0].Methods[unstarted]
	for level, share := range map[int]float64{0: float64(told.P50Share), 2: float64(told.P90Share)} {
		if reported := out.Coverage[level].Share; math.Abs(share-float64(reported)) > 0.03 {
			t.Errorf("of %d runs a share of %.3f takes at most p%.0f of its table, and %.3f that of its forecast",
				out.Predicted, share, 100*out.Coverage[level].Level, reported)
		}
	}
}

// Runs whose job cannot be simulated are left out of remaining times, and a warning says so: tasks that took a year,
// and an input a trillion times as large as those of past runs, whose tasks grow with it.
func TestWithinLeavesOutTheEndless(t *testing.T) {
	o := small()
	o.Within, o.Last = true, 1
	for says, next := range map[string]func(i int) *trace.Run{
		sim.ErrTooLong.Error(): func(i int) *trace.Run { return twoStages(fmt.Sprint("r", i), 1e8*float64(i), 365*86400, 10) },
		sim.ErrTooManyTasks.Error(): func(i int) *trace.Run {
			r := twoStages(fmt.Sprint("r", i), 3600*float64(i), 20, 10)
			for r.InputBytes = 1000 * int64(2+i); r.Stages[0].Tasks < int64(2+i); r.Stages[0].Tasks++ {
				again := r.Attempts[0]
				again.Task = int32(r.Stages[0].Tasks)
				r.Attempts = slices.Insert(r.Attempts, int(again.Task), again)
			}
			if i == 6 {
				r.InputBytes = 1e15
			}
			return r
		},
	} {
		var runs []*trace.Run
		for i := range 7 {
			runs = append(runs, next(i))
		}
		out := run(t, o, runs...)
		if out.Predicted != 1 || out.Within[0].N != 0 || !slices.ContainsFunc(out.Warnings, func(w string) bool {
			return strings.Contains(w, "remaining times of 1 run are not predicted") && strings.Contains(w, says)
		}) {
			t.Errorf("%d predicted, %d within, warnings %q, want one of %q", out.Predicted, out.Within[0].N, out.Warnings, says)
		}
	}
}
