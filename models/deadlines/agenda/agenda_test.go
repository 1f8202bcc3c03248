package agenda

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

const s = 1_000_000

// Two cores. Job a: submitted at 0, 1 s of start-up, three tasks of 10 s, then one of 4 s after a delay of 2 s, 3 s of
// wind-down. Job b: submitted at 5 s, two tasks of 6 s. Job c waits for b.
//
//	a: tasks at 1-11, 1-11, third at 11-21 (b has none running then either: a is named first); b: at 11-17, 17-23
//	a: second stage handed out at 23, runs 23-27, ends at 30; b ends at 23; c is submitted at 23: one task of 1 s on the other core, 23-24
func TestSimulateByHand(t *testing.T) {
	a := Run{Tokens: 9, StartUp: 1 * s, WindDown: 3 * s, Stages: []Stage{{Tasks: []int64{10 * s, 10 * s, 10 * s}},
		{Parents: []int32{0}, Delay: 2 * s, Tasks: []int64{4 * s}}}}
	b := Run{At: 5 * s, Tokens: 9, Stages: []Stage{{Tasks: []int64{6 * s, 6 * s}}}}
	c := Run{At: 2 * s, Tokens: 9, Stages: []Stage{{Tasks: []int64{1 * s}}}}
	var used int64
	start, end := simulate([]Job{{}, {}, {After: []int{1}}}, []repeated{exactly(&a), exactly(&b), exactly(&c)}, 2,
		func(from, to int64, cores int) { used += (to - from) * int64(cores) })
	if !reflect.DeepEqual(start, []int64{0, 5 * s, 23 * s}) || !reflect.DeepEqual(end,
		[]int64{30 * s, 23 * s, 24 * s}) || used != (30+4+12+1)*s {
		t.Errorf("start %v, end %v, used %v", start, end, used)
	}
}

// A job never has more tasks at once than cores that it held, no core does two at a time, and all work is done.
func TestSimulateHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cores := rapid.IntRange(1, 5).Draw(t, "cores")
		var jobs []Job
		var runs []repeated
		var work int64
		for j := range rapid.IntRange(1, 4).Draw(t, "jobs") {
			r := Run{At: int64(rapid.IntRange(0, 20).Draw(t, "at")), Tokens: rapid.IntRange(1, 4).Draw(t, "held"),
				StartUp: int64(rapid.IntRange(0, 3).Draw(t, "start-up"))}
			var own int64
			for k := range rapid.IntRange(0, 4).Draw(t, "stages") {
				st := Stage{Delay: int64(rapid.IntRange(0, 2).Draw(t, "delay"))}
				for p := range k {
					if rapid.Bool().Draw(t, "parent") {
						st.Parents = append(st.Parents, int32(p))
					}
				}
				for range rapid.IntRange(0, 5).Draw(t, "tasks") {
					st.Tasks = append(st.Tasks, int64(rapid.IntRange(0, 9).Draw(t, "took")))
					own += st.Tasks[len(st.Tasks)-1]
				}
				r.Stages = append(r.Stages, st)
			}
			work += own
			job := Job{}
			if j > 0 && rapid.Bool().Draw(t, "waits") {
				job.After = []int{j - 1}
			}
			jobs, runs = append(jobs, job), append(runs, exactly(&r))
		}
		var used int64
		start, end := simulate(jobs, runs, cores, func(from, to int64, n int) {
			if n > cores || from >= to {
				t.Fatalf("%d cores of %d from %d to %d", n, cores, from, to)
			}
			used += (to - from) * int64(n)
		})
		if used != work {
			t.Fatalf("%d of %d core-seconds are used", used, work)
		}
		for j, r := range runs {
			var own int64
			for _, st := range r.Stages {
				for _, d := range st.Tasks {
					own += d
				}
			}
			least := r.StartUp + (own+int64(min(cores, r.Tokens))-1)/int64(min(cores, r.Tokens))
			if start[j] < r.At || end[j]-start[j] < least {
				t.Fatalf("job %d runs from %d to %d, at least %d", j, start[j], end[j], least)
			}
			for _, before := range jobs[j].After {
				if start[j] < end[before] {
					t.Fatalf("job %d starts at %d, before job %d ends at %d", j, start[j], before, end[before])
				}
			}
		}
	})
}

// tookOn returns past runs on one core that took so many seconds.
func tookOn(seconds ...int64) (runs []Run) {
	for _, x := range seconds {
		runs = append(runs, Run{Submit: math.NaN(), Tokens: 1, PerToken: 1, Stages: []Stage{{Tasks: []int64{x * s}}}})
	}
	return runs
}

// Past runs of 10 s and 20 s on one core: half of the days end in about 10 s. The same seed gives the same days.
func TestDays(t *testing.T) {
	var runs []Run
	for _, long := range rand.New(rand.NewPCG(1, 2)).Perm(200) {
		runs = append(runs, tookOn(10+10*int64(long%2))...)
	}
	job := NewJob("a", runs, math.NaN())
	o := DefaultOptions()
	o.Tokens = 1
	d, err := Simulate(context.Background(), []Job{job}, []float64{15}, o)
	if err != nil || d.Fits || math.Abs(float64(d.Jobs[0].Chance)-0.5) > 0.1 ||
		math.Abs(d.Jobs[0].P95EndS-20.5) > 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	again, _ := Simulate(context.Background(), []Job{job}, []float64{15}, o)
	if !reflect.DeepEqual(d, again) {
		t.Error("the same seed gives other days")
	}
	sum := 0.0
	for _, u := range d.Use {
		sum += u.Mean * (u.ToS - u.FromS)
	}
	if want := 10*float64(d.Jobs[0].Chance) + 20*(1-float64(d.Jobs[0].Chance)); math.Abs(sum-want) > 0.3 {
		t.Errorf("%v core-seconds are in use, want about %v", sum, want)
	}
}

// The longest of four runs is no bound of the next. Four that were all the same show that the next is much like them,
// one alone does not.
func TestFewRuns(t *testing.T) {
	o := DefaultOptions()
	o.Tokens, o.Days = 1, 10_000
	for _, tc := range []struct {
		runs     []Run
		deadline float64
		chance   float64
	}{
		{tookOn(1000, 1100, 1050, 1160), 1160, 0.87},
		{tookOn(1000, 1000, 1000, 1000), 1030, 0.99},
		{tookOn(1000), 1030, 0.68},
		{tookOn(1000), 1500, 0.93},
	} {
		d, err := Simulate(context.Background(), []Job{NewJob("a", tc.runs, math.NaN())}, []float64{tc.deadline}, o)
		if err != nil || math.Abs(float64(d.Jobs[0].Chance)-tc.chance) > 0.03 {
			t.Errorf("deadline %v: chance %v, want %v; %v", tc.deadline, d.Jobs[0].Chance, tc.chance, err)
		}
	}
}

// A job that took 100 s, and 200 s since its last eight runs, is repeated with 200 s. One that takes 2% longer every day
// is repeated with the time of the next day.
func TestDaysFollowChanges(t *testing.T) {
	noise := func(i int) float64 { return 1 + 0.01*math.Sin(float64(7*i*i)) }
	var step, growth []int64
	for i := range 30 {
		took := 100.0
		if i < 8 {
			took = 200
		}
		step = append(step, int64(1000*took*noise(i)))
		growth = append(growth, int64(1e5*math.Pow(1.02, float64(29-i))*noise(i)))
	}
	for _, tc := range []struct {
		runs []int64
		want float64
	}{{step, 200_000}, {growth, 1e5 * math.Pow(1.02, 30)}} {
		o := DefaultOptions()
		o.Tokens = 1
		d, err := Simulate(context.Background(), []Job{NewJob("a", tookOn(tc.runs...), math.NaN())}, []float64{math.NaN()}, o)
		if err != nil || math.Abs(d.Jobs[0].P50EndS/tc.want-1) > 0.02 || d.Jobs[0].P95EndS/tc.want > 1.05 {
			t.Errorf("half end by %v s, 95%% by %v s, want %v; %v", d.Jobs[0].P50EndS, d.Jobs[0].P95EndS, tc.want, err)
		}
	}
}

// The deviations of times of submission have the variance of a prediction from eight normal values: s² (1 + 1/8) 7/5.
func TestSubmissionsVaryLikePredictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	runs := tookOn(1, 1, 1, 1, 1, 1, 1, 1)
	for i := range runs {
		runs[i].At = int64(1e9 * rng.NormFloat64())
	}
	of := spreadOf(runs, math.NaN())
	var ats float64
	const draws = 200_000
	for range draws {
		x := float64(of.draw(runs, rng).at) - of.at
		ats += x * x / draws
	}
	if want := of.ats * of.ats * (1 + 1.0/8) * 7 / 5; math.Abs(ats/want-1) > 0.05 {
		t.Errorf("variance %v, want %v", ats, want)
	}
}

// The run of a length is one of those with the nearest ones.
func TestRunsOfTheLengthAreRepeated(t *testing.T) {
	of := spreadOf(tookOn(40, 10, 30, 20, 50, 10), math.NaN())
	for length, want := range map[float64][]float64{1: {10, 10, 20}, 9: {10, 10, 20}, 29: {20, 30, 40}, 36: {30, 40, 50},
		99: {30, 40, 50}, 16: {10, 10, 20}} {
		if from, to := of.near(length); !slices.Equal(of.lengths[from:to], want) {
			t.Errorf("%v s: %v, want %v", length, of.lengths[from:to], want)
		}
	}
}

// A job that takes 300 s on one day of the week and 100 s on others is repeated as on the day that is planned, with the
// run of such a day: its two stages. Where no day is given, it is that after the newest run, and that is said.
func TestDaysOfTheWeek(t *testing.T) {
	const night = 86400
	var runs []Run
	for i := 34; i >= 0; i-- {
		r := tookOn(100)[0]
		if i%7 == 3 {
			r = tookOn(150)[0]
			r.Stages = append(r.Stages, Stage{Parents: []int32{0}, Tasks: []int64{150 * s}})
		}
		r.Stages[0].Tasks[0] += int64(i*i%5) * s
		r.Submit = float64(i * night)
		runs = append(runs, r)
	}
	for submit, want := range map[float64]float64{math.NaN(): 100, 35 * night: 100, 38 * night: 300} {
		o := DefaultOptions()
		o.Tokens = 1
		d, err := Simulate(context.Background(), []Job{NewJob("a", runs, submit)}, []float64{math.NaN()}, o)
		if err != nil || math.Abs(d.Jobs[0].P50EndS/want-1) > 0.05 || d.Jobs[0].P95EndS/want > 1.1 {
			t.Errorf("submitted at %v: half end by %v s, 95%% by %v s, want %v; %v", submit, d.Jobs[0].P50EndS,
				d.Jobs[0].P95EndS, want, err)
		}
		if warned := len(d.Warnings) > 0 && strings.Contains(d.Warnings[0], "1 d after the newest"); warned !=
			math.IsNaN(submit) {
			t.Errorf("submitted at %v: warnings %q", submit, d.Warnings)
		}
	}
}

// Jobs that are submitted every six hours have one run on the day, and one warning says so of all. So it does with
// one start for all runs, but not where the day has a start for each.
func TestSeveralRunsOfADay(t *testing.T) {
	var runs []Run
	for i := 20; i > 0; i-- {
		r := tookOn(100)[0]
		r.Submit = float64(i * 6 * 3600)
		r.At = int64(i%4*6*3600) * s
		runs = append(runs, r)
	}
	often := []Job{NewJob("a", runs, math.NaN()), NewJob("b", runs, math.NaN())}
	if got := assumed(often, 1); len(got) != 1 || !strings.Contains(got[0], "typically: a every 6 h, b every 6 h; its other") {
		t.Errorf("warnings %q", got)
	}
	often[0].Several, often[1].Several = true, true
	if got := assumed(often, 1); len(got) > 0 {
		t.Errorf("with a job for each run: warnings %q", got)
	}
	for i := range runs {
		runs[i].At = 5 * 3600 * s
	}
	one := NewJob("a", runs, math.NaN())
	if got := assumed([]Job{one}, 1); len(got) != 1 || !strings.Contains(got[0], "typically: a every 6 h; its other") {
		t.Errorf("with a start: warnings %q", got)
	}
	if got := assumed([]Job{one, one, one, one}, 1); len(got) > 0 {
		t.Errorf("with a start for each run: warnings %q", got)
	}
}

// A failed attempt lengthens its task, a guarantee bounds the cores, and a run without durations is not repeated.
func TestRunOf(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Status, run.Guaranteed = 0, 2*s, 20*s, trace.Succeeded, 3
	st := trace.NewStage()
	st.Tasks = 1
	run.Stages = []trace.Stage{st}
	for k, status := range []trace.Status{trace.Failed, trace.Succeeded} {
		a := trace.NewAttempt(0, 0, int32(k))
		a.Status, a.Start, a.End, a.Duration = status, trace.Instant(2+5*k)*s, trace.Instant(7+8*k)*s, trace.Duration(5+
			3*k)*s
		run.Attempts = append(run.Attempts, a)
	}
	r, known := RunOf(run, 60)
	if !known || r.At != 60*s || r.Tokens != 3 || len(r.Stages) != 1 || !reflect.DeepEqual(r.Stages[0].Tasks,
		[]int64{13 * s}) {
		t.Errorf("%+v, %v", r, known)
	}
	run.Attempts, run.Start, run.End = nil, trace.None, trace.None
	if _, known := RunOf(run, 0); known {
		t.Error("a run without durations is repeated")
	}
}

// A run of which only the times of its stages are known takes as long again on the cores that it held, and longer on
// half of them: its tasks do not all take the time of their stage one after the other.
func TestStagesWithoutTasksAreRepeated(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Status, run.Guaranteed = 0, 0, 90*s, trace.Succeeded, 10
	for i, tasks := range []int64{1200, 35, 4} {
		st := trace.NewStage()
		st.Tasks, st.Start, st.End = tasks, trace.Instant(30*i)*s, trace.Instant(30*i+30)*s
		run.Stages = append(run.Stages, st)
		if i > 0 {
			run.Edges = append(run.Edges, trace.Edge{Parent: int32(i - 1), Child: int32(i), Kind: trace.AllToAll})
		}
	}
	r, known := RunOf(run, 0)
	if !known || r.Tokens != 10 {
		t.Fatalf("%+v, %v", r, known)
	}
	job := Job{Name: "j", Runs: []Run{r}} // as it was
	for cores, want := range map[int]float64{10: 90, 20: 90, 5: 60 + 52.5 + 30} {
		o := DefaultOptions()
		o.Tokens, o.Days = cores, 20
		d, err := Simulate(context.Background(), []Job{job}, []float64{math.NaN()}, o)
		if err != nil || math.Abs(d.Jobs[0].P50EndS-want) > 0.001 {
			t.Errorf("%d cores: %v s, want %v; %v", cores, d.Jobs[0].P50EndS, want, err)
		}
	}
	run.Guaranteed = trace.None
	if r, known = RunOf(run, 0); !known || !r.Single || len(r.Stages[0].Tasks) != 1 {
		t.Errorf("nobody knows the cores of %+v", r)
	}
	o := DefaultOptions()
	o.Tokens = 1
	d, err := Simulate(context.Background(), []Job{{Name: "j", Runs: []Run{r}}}, []float64{math.NaN()}, o)
	if err != nil || d.Jobs[0].P50EndS != 90 || len(d.Warnings) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// A day on fewer cores than any past run held is extrapolated, and says so; on as many it says nothing.
func TestFewerCoresThanHeld(t *testing.T) {
	runs := tookOn(10, 11, 12)
	for i := range runs {
		runs[i].Tokens = 4 + i
	}
	for cores, want := range map[int]int{3: 1, 4: 0, 100: 0} {
		o := DefaultOptions()
		o.Tokens = cores
		d, err := Simulate(context.Background(), []Job{NewJob("a", runs, math.NaN())}, []float64{60}, o)
		if err != nil || len(d.Warnings) != want {
			t.Errorf("on %d cores: %q, %v", cores, d.Warnings, err)
		}
	}
}

// A job that held 8 cores, and 4 since its last eight runs, is repeated on 4: a run of 40 s on 8 takes 80 s.
func TestDaysHoldCoresOfNow(t *testing.T) {
	var runs []Run
	for i := range 30 {
		r := Run{Submit: math.NaN(), Tokens: 4, Stages: []Stage{{Tasks: slices.Repeat([]int64{40 * s}, 8)}}}
		if i >= 8 {
			r.Tokens = 8
		}
		runs = append(runs, r)
	}
	o := DefaultOptions()
	o.Tokens = 20
	d, err := Simulate(context.Background(), []Job{NewJob("a", runs, math.NaN())}, []float64{60}, o)
	if err != nil || d.Jobs[0].Chance > 0.05 || math.Abs(d.Jobs[0].P50EndS-80) > 1 {
		t.Errorf("%+v, %v", d.Jobs[0], err)
	}
}
