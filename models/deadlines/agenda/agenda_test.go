package agenda

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
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

// Four tokens. Job a has tasks of 10 s, on at most two. Job b, one program of 10 s on three tokens, is submitted at 1 s:
// it has the fewest tokens and waits until three are free, at 10 s, as one is kept for it that a may not take. At 20 s a
// goes on. On two tokens b takes 15 s.
func TestProgramsTakeAllTokensAtOnce(t *testing.T) {
	a := Run{Tokens: 2, Stages: []Stage{{Tasks: []int64{10 * s, 10 * s, 10 * s, 10 * s}}}}
	b := Run{At: 1 * s, Tokens: 3, Together: true, Stages: []Stage{{Tasks: []int64{10 * s}}}}
	for _, tc := range []struct{ tokens, a, b int64 }{{4, 30, 20}, {5, 20, 11}, {2, 35, 25}} {
		var used int64
		_, end := simulate([]Job{{}, {}}, []repeated{exactly(&a), exactly(&b)}, int(tc.tokens),
			func(from, to int64, tokens int) { used += (to - from) * int64(tokens) })
		if !reflect.DeepEqual(end, []int64{tc.a * s, tc.b * s}) || used != (40+30)*s {
			t.Errorf("%d tokens: ends %v, want %d and %d s; %v token-seconds", tc.tokens, end, tc.a, tc.b, used/s)
		}
	}
}

// That a program takes as much longer on fewer tokens is assumed only where there are fewer than its next run holds.
func TestStretchedPrograms(t *testing.T) {
	for _, tc := range []struct{ tokens, next, want int }{{3, 0, 0}, {2, 0, 1}, {2, 2, 0}, {1, 2, 1}} {
		b := Job{Name: "b", Runs: []Run{{Tokens: 3, Together: true}}, next: spread{Next: Next{Tokens: tc.next}}}
		said := strings.Count(strings.Join(assumed([]Job{b}, tc.tokens), "\n"), "as much longer on fewer")
		if said != tc.want {
			t.Errorf("%+v: said %d times", tc, said)
		}
	}
}

// Four tokens. Job a holds three from 0 to 10 s. Program b, of 10 s on four, waits for them. The free token is lent to
// jobs that end by then, as c of 10 s, which is submitted at 0. Job d of 7 s waits until b has ended; where b takes three
// tokens, d starts on the fourth when c ends.
func TestTokensOfAProgramThatWaitsAreLent(t *testing.T) {
	task := func(at, took int64) Run {
		return Run{At: at * s, Tokens: 1, Stages: []Stage{{Tasks: []int64{took * s}}}}
	}
	program := func(at, took int64, tokens int) Run {
		return Run{At: at * s, Tokens: tokens, Together: true, Stages: []Stage{{Tasks: []int64{took * s}}}}
	}
	for _, tc := range []struct {
		tokens int // of the program that waits
		want   []int64
	}{{4, []int64{10, 20, 10, 27}}, {3, []int64{10, 20, 10, 17}}} {
		runs := []Run{program(0, 10, 3), program(1, 10, tc.tokens), task(0, 10), task(4, 7)}
		var of []repeated
		for i := range runs {
			of = append(of, exactly(&runs[i]))
		}
		_, end := simulate(make([]Job, len(runs)), of, 4, nil)
		for i, want := range tc.want {
			if end[i] != want*s {
				t.Errorf("a program on %d tokens: job %d ends at %d s, want %d", tc.tokens, i, end[i]/s, want)
			}
		}
	}
	// Two tokens are free. Tasks of 3 s fit in before 10 s three times on each; the fourth and later ones wait.
	wide := Run{At: 1 * s, Tokens: 2, Stages: []Stage{{Tasks: slices.Repeat([]int64{3 * s}, 8)}}}
	a, b := program(0, 10, 2), program(1, 10, 4)
	_, end := simulate(make([]Job, 3), []repeated{exactly(&a), exactly(&b), exactly(&wide)}, 4, nil)
	if !slices.Equal(end, []int64{10 * s, 20 * s, 23 * s}) {
		t.Errorf("ends %v", end)
	}
}

// A program starts no later for the jobs behind it.
func TestBackfillingDelaysNoProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []Run
		first := Run{Tokens: rapid.IntRange(1, 3).Draw(t, "first"), Together: true, Stages: []Stage{{Tasks: []int64{
			rapid.Int64Range(2, 20).Draw(t, "takes")}}}}
		head := Run{At: 1, Tokens: 4, Together: true, Stages: []Stage{{Tasks: []int64{5}}}}
		runs = append(runs, first, head)
		for range rapid.IntRange(1, 4).Draw(t, "others") {
			r := Run{At: rapid.Int64Range(1, 20).Draw(t, "at"), Tokens: rapid.IntRange(1, 3).Draw(t, "tokens")}
			r.Stages = []Stage{{Tasks: rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 6).Draw(t, "tasks")}}
			r.Together = rapid.Bool().Draw(t, "together")
			runs = append(runs, r)
		}
		var of []repeated
		for i := range runs {
			of = append(of, exactly(&runs[i]))
		}
		_, end := simulate(make([]Job, len(runs)), of, 4, nil)
		_, alone := simulate(make([]Job, 2), of[:2], 4, nil)
		if end[1] != alone[1] {
			t.Fatalf("the program ends at %d, without those behind it at %d", end[1], alone[1])
		}
	})
}

// A run whose stages are not known is one stage that holds all of its tokens for its time; one token where it is not
// known how many it held.
func TestRunsWithoutStagesAreRepeated(t *testing.T) {
	for _, held := range []int64{0, 1, 4} {
		run := trace.NewRun("r")
		if run.Submit, run.Start, run.End, run.Status = 0, 2*s, 20*s, trace.Succeeded; held > 0 {
			run.Guaranteed = held
		}
		r, known := RunOf(run, 60)
		if !known || r.Single != (held == 0) || r.Tokens != int(max(1, held)) || r.Together != (held > 0) ||
			r.StartUp != 2*s || len(r.Stages) != 1 || !reflect.DeepEqual(r.Stages[0].Tasks, []int64{18 * s}) ||
			r.length(r.Tokens) != 20 {
			t.Errorf("%d tokens: %+v, %v", held, r, known)
		}
	}
}

// Where the trace states only how long tasks took, a run has a token for every task that can run at once: three stages of
// one task each, of which the last waits for both others, have two.
func TestTasksWithoutTimesRunAtOnce(t *testing.T) {
	run := trace.NewRun("r")
	run.Start, run.End, run.Status = 0, 20*s, trace.Succeeded
	for v := range int32(3) {
		st := trace.NewStage()
		st.Tasks = 1
		a := trace.NewAttempt(v, 0, 0)
		a.Status, a.Duration = trace.Succeeded, 10*s
		run.Stages, run.Attempts = append(run.Stages, st), append(run.Attempts, a)
	}
	run.Edges = []trace.Edge{{Parent: 0, Child: 2}, {Parent: 1, Child: 2}}
	r, known := RunOf(run, 0)
	if !known || r.Tokens != 2 || !r.Unknown || r.length(r.Tokens) != 20 {
		t.Errorf("%+v, %v", r, known)
	}
	if got := assumed([]Job{{Name: "a", Runs: []Run{r}}}, 1); len(got) != 1 || !strings.Contains(got[0], "held is not known") {
		t.Errorf("warnings %q", got)
	}
}

// Tokens that are about as large are not said to differ, nor are those of two runs of one job.
func TestSizesOfTokens(t *testing.T) {
	of := func(name string, cores float64) Job { return Job{Name: name, Runs: []Run{{PerToken: cores}}} }
	for want, jobs := range map[string][]Job{"": {of("a", 0.70), of("b", 0.72), of("a", 2)},
		"the jobs share tokens, whose cores differ: 0.7 for a, 2 for b": {of("a", 0.7), of("b", 2), of("a", 0.75)}} {
		if got := tokenSizes(jobs); got != want {
			t.Errorf("%q, want %q", got, want)
		}
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
			each := int64(1)
			if rapid.Bool().Draw(t, "together") {
				r.Together, r.Tokens = true, min(r.Tokens, cores)
				each = int64(r.Tokens)
			}
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
					own += each * st.Tasks[len(st.Tasks)-1]
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
			own, each := int64(0), int64(1)
			if r.Together {
				each = int64(r.Tokens)
			}
			for _, st := range r.Stages {
				for _, d := range st.Tasks {
					own += each * d
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

// takes returns a forecast of equally likely times.
func takes(tokens int, seconds ...float64) Next { return Next{Times: seconds, Tokens: tokens} }

// Runs of 10 s and 20 s on one core: half of the days end in 10 s. The same seed gives the same days.
func TestDays(t *testing.T) {
	job := NewJob("a", tookOn(20, 10, 20, 10), takes(1, 10, 20))
	o := DefaultOptions()
	o.Tokens = 1
	d, err := Simulate(context.Background(), []Job{job}, []float64{15}, o)
	if err != nil || d.Fits || d.Jobs[0].Chance != 0.5 || d.Jobs[0].P95EndS != 20 {
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

// On three tokens no bin has more than three in use, not even by the rounding of a sum.
func TestNoMoreTokensAreInUseThanThereAre(t *testing.T) {
	three := Run{Submit: math.NaN(), Tokens: 3, Stages: []Stage{{Tasks: []int64{7 * s, 11 * s, 13 * s, 3 * s, 5 * s}}}}
	o := DefaultOptions()
	o.Tokens = 3
	for _, length := range []float64{14, 17.3, 19.7} {
		d, err := Simulate(context.Background(), []Job{NewJob("a", []Run{three}, takes(3, length))}, []float64{30}, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range d.Use {
			if u.Mean > 3 || u.P95 > 3 {
				t.Errorf("from %v to %v s %v and %v tokens of 3 are in use", u.FromS, u.ToS, u.Mean, u.P95)
			}
		}
	}
}

// Alone on its tokens a job takes the time of its forecast: also where past runs took longer or shorter than their tasks
// do when they are repeated, on other tokens, or where a stage waits for another. The use of tokens grows with it.
func TestDaysTakeTheForecastTime(t *testing.T) {
	var times []float64
	for i := range 256 {
		times = append(times, 100+float64(i))
	}
	run := Run{Submit: math.NaN(), Tokens: 4, StartUp: 3 * s, WindDown: 2 * s, Stages: []Stage{
		{Tasks: []int64{20 * s, 30 * s, 10 * s}}, {Parents: []int32{0}, Delay: 4 * s, Tasks: []int64{7 * s, 8 * s}}}}
	for tokens := range 5 {
		o := DefaultOptions()
		o.Tokens = 9
		d, err := Simulate(context.Background(), []Job{NewJob("a", append(tookOn(3, 70), run), takes(tokens, times...))},
			[]float64{300}, o)
		j := d.Jobs[0]
		if err != nil || math.Abs(j.P50EndS-227.5) > 1 || math.Abs(j.P95EndS-342) > 1 ||
			math.Abs(float64(j.Chance)-201./256) > 0.005 {
			t.Errorf("%d tokens: half end by %v s, 95%% by %v s, chance %v; %v", tokens, j.P50EndS, j.P95EndS, j.Chance, err)
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
	of := spreadOf(runs, takes(1, 1))
	var ats float64
	const draws = 200_000
	for range draws {
		x := float64(of.draw(runs, 0, rng).at) - of.at
		ats += x * x / draws
	}
	if want := of.ats * of.ats * (1 + 1.0/8) * 7 / 5; math.Abs(ats/want-1) > 0.05 {
		t.Errorf("variance %v, want %v", ats, want)
	}
}

// The run of a length is one of those with the nearest ones.
func TestRunsOfTheLengthAreRepeated(t *testing.T) {
	of := spreadOf(tookOn(40, 10, 30, 20, 50, 10), takes(1, 1))
	for length, want := range map[float64][]float64{1: {10, 10, 20}, 9: {10, 10, 20}, 29: {20, 30, 40}, 36: {30, 40, 50},
		99: {30, 40, 50}, 16: {10, 10, 20}} {
		if from, to := of.near(length); !slices.Equal(of.lengths[from:to], want) {
			t.Errorf("%v s: %v, want %v", length, of.lengths[from:to], want)
		}
	}
}

// A run that is forecast to take 300 s is repeated with the run of 300 s, its two stages; what the forecast guesses is
// said.
func TestTheRunOfTheForecastIsRepeated(t *testing.T) {
	runs := append(tookOn(100, 101, 102, 103), Run{Submit: math.NaN(), Tokens: 1, Stages: []Stage{{Tasks: []int64{150 * s}},
		{Parents: []int32{0}, Tasks: []int64{150 * s}}}})
	runs = append(runs, runs[4], runs[4])
	next := takes(1, 300)
	next.Warnings = []string{"a guess"}
	job := NewJob("a", runs, next)
	if r := job.next.draw(job.Runs, 0, rand.New(rand.NewPCG(1, 1))); len(r.Stages) != 2 || r.factor != 1 {
		t.Errorf("%+v", r)
	}
	if got := assumed([]Job{job}, 1); !slices.Equal(got, []string{"a: a guess"}) {
		t.Errorf("warnings %q", got)
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
	often := []Job{NewJob("a", runs, takes(1, 100)), NewJob("b", runs, takes(1, 100))}
	if got := assumed(often, 1); len(got) != 1 || !strings.Contains(got[0], "typically: a every 6 h, b every 6 h; their "+
		"other runs are left out") {
		t.Errorf("warnings %q", got)
	}
	often[0].Several, often[1].Several = true, true
	if got := assumed(often, 1); len(got) > 0 {
		t.Errorf("with a job for each run: warnings %q", got)
	}
	for i := range runs {
		runs[i].At = 5 * 3600 * s
	}
	one := NewJob("a", runs, takes(1, 100))
	if got := assumed([]Job{one}, 1); len(got) != 1 || !strings.Contains(got[0], "typically: a every 6 h; their other "+
		"runs are left out") {
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

// A run of MapReduce alone on its tokens takes its time, 50 s, without stretching: 4 s of start-up, a map that starts then
// and one that starts 6 s later though a token is free, reducers that start while maps run and wait for them, and 3 s
// of wind-down.
func TestARunAloneTakesItsTime(t *testing.T) {
	run := trace.NewRun("r")
	run.Submit, run.Start, run.End, run.Status, run.Guaranteed = 0, 4*s, 50*s, trace.Succeeded, 4
	run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	for v, of := range [][2][3]trace.Instant{{{2, 4, 12}, {2, 10, 30}}, {{11, 11, 40}, {20, 20, 47}}} {
		st := trace.NewStage()
		st.Tasks, st.Start, st.End = 2, of[0][1]*s, of[1][2]*s
		run.Stages = append(run.Stages, st)
		for i, at := range of {
			a := trace.NewAttempt(int32(v), int32(i), 0)
			a.Queued, a.Start, a.End, a.Status = at[0]*s, at[1]*s, at[2]*s, trace.Succeeded
			a.Duration = a.End.Since(a.Start)
			run.Attempts = append(run.Attempts, a)
		}
	}
	r, known := RunOf(run, 0)
	if got := r.length(4); !known || got != 50 || !slices.Equal(r.Stages[0].Tasks, []int64{8 * s, 26 * s}) ||
		!slices.Equal(r.Stages[1].Tasks, []int64{10 * s, 17 * s}) {
		t.Errorf("%v s, %+v", got, r)
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
		d, err := Simulate(context.Background(), []Job{NewJob("a", runs, takes(1, 100))}, []float64{60}, o)
		if err != nil || len(d.Warnings) != want {
			t.Errorf("on %d cores: %q, %v", cores, d.Warnings, err)
		}
	}
}

// A job that held 8 cores, and is forecast on 4, holds 4, with its work as it was: eight tasks of 40 s take 80 s.
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
	d, err := Simulate(context.Background(), []Job{NewJob("a", runs, takes(4, 80))}, []float64{60}, o)
	most := slices.MaxFunc(d.Use, func(a, b result.AgendaUse) int { return cmp.Compare(a.Mean, b.Mean) })
	if err != nil || d.Jobs[0].Chance > 0.05 || math.Abs(d.Jobs[0].P50EndS-80) > 1 || math.Abs(most.Mean-4) > 1e-6 {
		t.Errorf("%+v, %+v, %v", d.Jobs[0], most, err)
	}
}

// Four tasks of 10 s took 10 s on four tokens. The forecast for two tokens says 18 to 30 s, by work it would be 20: a
// plan with two tokens ends as the forecast says. With four it does not ask. Programs, of which nothing is known on
// fewer, take as much longer.
func TestFewerTokensTakeTheirForecast(t *testing.T) {
	o := DefaultOptions()
	for _, tc := range []struct {
		tokens   int
		together bool
		p50, p95 float64
	}{{4, false, 10, 10}, {2, false, 24, 30}, {2, true, 20, 20}} {
		run := Run{Tokens: 4, Stages: []Stage{{Tasks: slices.Repeat([]int64{10 * s}, 4)}}}
		if tc.together {
			run.Together, run.Stages[0].Tasks = true, []int64{10 * s}
		}
		next := Next{Times: []float64{10}, Tokens: 4, On: func(tokens int) ([]float64, error) {
			if tokens != 2 {
				t.Errorf("asked for %d tokens", tokens)
			}
			return []float64{18, 20, 24, 28, 30}, nil
		}}
		o.Tokens = tc.tokens
		d, err := Simulate(context.Background(), []Job{NewJob("a", []Run{run}, next)}, []float64{math.NaN()}, o)
		if err != nil {
			t.Fatal(err)
		}
		unsure := strings.Contains(strings.Join(d.Warnings, "\n"), "less sure than it seems")
		if j := d.Jobs[0]; math.Abs(j.P50EndS-tc.p50) > 1e-5 || math.Abs(j.P95EndS-tc.p95) > 1e-5 || unsure != tc.together {
			t.Errorf("%+v: %v s, p95 %v s; %q", tc, j.P50EndS, j.P95EndS, d.Warnings)
		}
	}
}

// A daily run of 30 hours holds its token for six hours of the next day, until 08:00 where it begins at 02:00. On one
// token every day ends later than the one before; on two it does not. Another job of one hour at 03:00 then waits on
// two tokens, as both are held, and does not on three. A run of 30 hours each week holds none the next day, nor one of
// 23 hours a day: there the day is simulated alone.
func TestRunsOfTheDayBeforeHoldTokens(t *testing.T) {
	for _, tc := range []struct {
		hours, apart float64
		tokens       int
		around       int
		end, other   float64 // in hours
		told         string
	}{
		{30, 24, 3, 1, 32, 4, "which is simulated: a"},
		{30, 24, 2, 1, 32, 9, "which is simulated: a"},
		{30, 24, 1, 3, 0, 0, "more work than 1 token does in a day"},
		{30, 168, 1, 0, 32, 33, ""},
		{23, 24, 2, 0, 25, 4, ""},
		{54, 24, 4, 2, 56, 4, "which is simulated: a"},
	} {
		daily := func(at, hours, apart float64) (runs []Run) {
			for i := range 10 {
				runs = append(runs, Run{Submit: 3600 * (apart*float64(i) + at), At: int64(at) * 3600 * s, Tokens: 1,
					Stages: []Stage{{Tasks: []int64{int64(hours) * 3600 * s}}}})
			}
			return runs
		}
		o := DefaultOptions()
		o.Tokens, o.Days = tc.tokens, 20
		d, err := Simulate(t.Context(), []Job{NewJob("a", daily(2, tc.hours, tc.apart), Next{}),
			NewJob("b", daily(3, 1, tc.apart), Next{})}, []float64{math.NaN(), math.NaN()}, o)
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(d.Warnings, "\n"); d.Around != tc.around || !strings.Contains(notes, tc.told) ||
			tc.told == "" && notes != "" {
			t.Errorf("%+v: %d days around, %q", tc, d.Around, notes)
		}
		if a, b := d.Jobs[0].P50EndS/3600, d.Jobs[1].P50EndS/3600; tc.end > 0 && (a != tc.end || b != tc.other) {
			t.Errorf("%+v: a ends at %v h, b at %v h", tc, a, b)
		}
	}
}
