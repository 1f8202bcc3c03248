package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
)

const second = 1_000_000

// handRun is a -> c <- b in seconds: submitted at 0, a and b at 5, tokens: 1 from 4 on. a runs [6,8) and [8,8+d), b
// [8+d,9+d); c is submitted at 10+d and runs [11+d,12+d); the run ends at 14+d. All on machine m.
func handRun(id string, day int64, d trace.Instant) *trace.Run {
	at := trace.Instant(day * 86400)
	r := trace.NewRun(id)
	r.Name, r.Status, r.Submit, r.Start, r.End = "n", trace.Succeeded, at*second, (at+1)*second, (at+14+d)*second
	r.InputBytes = 100 * int64(d)
	names := []string{"a", "b", "c"}
	spans := [][3]trace.Instant{{5, 6, 8 + d}, {5, 8 + d, 9 + d}, {10 + d, 11 + d, 12 + d}}
	for i, s := range spans {
		st := trace.NewStage()
		st.Name, st.Tasks = names[i], 1
		st.Submit, st.Start, st.End = (at+s[0])*second, (at+s[1])*second, (at+s[2])*second
		r.Stages = append(r.Stages, st)
	}
	r.Stages[0].Tasks = 2
	r.Edges = []trace.Edge{{Parent: 0, Child: 2, Kind: trace.AllToAll}, {Parent: 1, Child: 2, Kind: trace.AllToAll}}
	r.Allocations = []trace.Allocation{{At: (at + 4) * second, Tokens: 1, Spare: trace.None, Machines: 1}}
	for _, x := range []struct {
		stage, task int32
		queued      trace.Instant
		from, to    trace.Instant
	}{{0, 0, 5, 6, 8}, {0, 1, 5, 8, 8 + d}, {1, 0, 5, 8 + d, 9 + d}, {2, 0, 10 + d, 11 + d, 12 + d}} {
		a := trace.NewAttempt(x.stage, x.task, 0)
		a.Status, a.Machine = trace.Succeeded, "m"
		a.Queued, a.Start, a.End = (at+x.queued)*second, (at+x.from)*second, (at+x.to)*second
		a.Duration = a.End.Since(a.Start)
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

// renumber swaps stages a and b.
func renumber(r *trace.Run) *trace.Run {
	r.Stages[0], r.Stages[1] = r.Stages[1], r.Stages[0]
	for i := range r.Attempts {
		if s := &r.Attempts[i].Stage; *s < 2 {
			*s = 1 - *s
		}
	}
	trace.SortAttempts(r.Attempts)
	return r
}

func fit(t testing.TB, o Options, runs ...*trace.Run) *modelfile.Profile {
	t.Helper()
	for _, r := range runs {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Fit(runs, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p
}

func named(t *testing.T, p *modelfile.Plan, name string) *modelfile.Stage {
	t.Helper()
	for i := range p.Stages {
		if p.Stages[i].Name == name {
			return &p.Stages[i]
		}
	}
	t.Fatalf("no stage %s", name)
	return nil
}

func seconds(d *modelfile.Dist) []int64 {
	out := make([]int64, len(d.Values))
	for i, x := range d.Values {
		out[i] = x / second
	}
	return out
}

// Two runs with d = 1 and d = 3, the second with its stages numbered otherwise.
func TestTwoRunsThreeStages(t *testing.T) {
	p := fit(t, DefaultOptions(), handRun("r1", 0, 1), renumber(handRun("r2", 1, 3)))
	if len(p.Plans) != 1 || p.Plans[0].Runs != 2 || p.Resolution != modelfile.ByAttempt {
		t.Fatalf("%d plans, the first of %d runs, %s", len(p.Plans), p.Plans[0].Runs, p.Resolution)
	}
	main := &p.Plans[0]
	a, b, c := named(t, main, "a"), named(t, main, "b"), named(t, main, "c")
	for _, test := range []struct {
		name string
		dist *modelfile.Dist
		want []int64
	}{
		{"a run times", &a.Duration, []int64{1, 2, 2, 3}},
		{"a latency", &a.Latency, []int64{0, 0, 1, 1}}, // 5 to 6; the other starts when the token is freed
		{"a delay", &a.Delay, []int64{0, 0}},
		{"a elapsed", &a.Elapsed, []int64{3, 5}}, // 6 to 8+d
		{"b run times", &b.Duration, []int64{1, 1}},
		{"b latency", &b.Latency, []int64{0, 0}},
		{"c latency", &c.Latency, []int64{1, 1}}, // submitted at 10+d, started at 11+d, token free since 9+d
		{"c delay", &c.Delay, []int64{1, 1}},     // b ended at 9+d
		{"start-up", &main.Driver.StartUp, []int64{5, 5}},
		{"first token", &main.Driver.FirstRun, []int64{4, 4}},
		{"wind-down", &main.Driver.WindDown, []int64{2, 2}}, // 12+d to 14+d
		{"idle", &main.Driver.Idle, []int64{2, 2}},          // 9+d to 11+d
		{"work", &main.WorkS, []int64{5, 7}},                // 2 + d + 1 + 1
		{"completion", &main.CompletionS, []int64{15, 17}},
	} {
		if got := seconds(test.dist); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v s, want %v", test.name, got, test.want)
		}
	}
	if !slices.Equal(a.Tasks.Values, []int64{2, 2}) || len(p.Warnings) != 1 ||
		!strings.Contains(p.Warnings[0], "fewer than 3") {
		t.Errorf("tasks %v, warnings %v", a.Tasks.Values, p.Warnings)
	}
	// The mean of a is (2+1)/2 and (2+3)/2; left out, r1 has 1 and 2 against 2 and 3 of r2: half of each is at or below
	// the other's median (2 of 2 at or below 2; 1 of 2 at or below 1 is none): (2 + 0) / 4.
	if a.Fit.Held != 4 || *a.Fit.Below50 != 0.5 {
		t.Errorf("held out %d, below the median %v", a.Fit.Held, *a.Fit.Below50)
	}
}

// The newest run weighs 1, one a half-life older 1/2, two 1/4: of weights 4/7, 2/7, 1/7 the mean work is
// (4x7 + 2x6 + 5)/7 = 45/7. Runs come in any order.
func TestHalfLife(t *testing.T) {
	o := DefaultOptions()
	o.HalfLifeS = 86400
	p := fit(t, o, handRun("new", 2, 3), handRun("old", 0, 1), handRun("mid", 1, 2))
	// End is at 14+d: 2 days and 17 s, 1 day and 16 s, 15 s: ages 86401 and 86402+86400 s.
	if got, want := *p.Plans[0].WorkS.MeanS, 45./7; math.Abs(got-want) > 1e-4 {
		t.Errorf("mean work %v, want %v", got, want)
	}
	w := p.Plans[0].WorkS.Weights
	if len(w) != 3 || math.Abs(w[2]-4./7) > 1e-5 || p.Plans[0].RunIDs[0] != "old" {
		t.Errorf("weights %v of %v", w, p.Plans[0].RunIDs)
	}
	if got := p.Runs.Effective; math.Abs(got-49./21) > 1e-3 { // (7/4)^2 / (1 + 1/4 + 1/16) = 49/21
		t.Errorf("effective runs %v", got)
	}
	o.HalfLifeS = 1e-3 // runs of a day and two days before weigh next to nothing
	p = fit(t, o, handRun("new", 2, 3), handRun("old", 0, 1), handRun("mid", 1, 2))
	if got := *p.Plans[0].WorkS.MeanS; math.Abs(got-7) > 1e-6 {
		t.Errorf("mean work %v, want the newest run's 7", got)
	}
	if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
}

func TestPlansAreKeptApart(t *testing.T) {
	chain := handRun("x", 5, 1)
	chain.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}, {Parent: 1, Child: 2, Kind: trace.AllToAll}}
	failed := handRun("f", 6, 1)
	failed.Status = trace.Failed
	empty := trace.NewRun("e")
	p := fit(t, DefaultOptions(), handRun("r1", 0, 1), handRun("r2", 1, 2), handRun("r3", 2, 3), chain, failed, empty)
	if len(p.Plans) != 2 || p.Plans[0].Runs != 3 || p.Plans[0].ShareOfRuns != 0.75 || p.Plans[1].RunIDs[0] != "x" {
		t.Errorf("plans %+v", p.Plans)
	}
	if p.Runs.Used != 4 || p.Runs.NotSucceeded != 1 || p.Runs.WithoutStages != 1 || len(p.Warnings) != 0 {
		t.Errorf("runs %+v, warnings %v", p.Runs, p.Warnings)
	}
}

// In a, one attempt fails after 1 s where the median is 2 s; then the machine takes three attempts with it, one of c
// apart.
func TestFailuresAndLosses(t *testing.T) {
	r := handRun("r", 0, 2)
	add := func(stage, task, attempt int32, status trace.Status, machine string, from, to trace.Instant) {
		a := trace.NewAttempt(stage, task, attempt)
		a.Status, a.Machine, a.Start, a.End, a.Duration = status, machine, from*second, to*second,
			trace.Duration(to-from)*second
		r.Attempts = append(r.Attempts, a)
	}
	add(0, 2, 0, trace.Failed, "m", 6, 7)
	add(0, 3, 0, trace.Lost, "x", 6, 9)
	add(0, 4, 0, trace.Lost, "x", 6, 9)
	add(1, 1, 0, trace.Lost, "x", 6, 10)
	add(2, 1, 0, trace.Lost, "x", 12, 20)
	add(1, 0, 1, trace.Succeeded, "m", 13, 14) // b ran [10,11): its output was lost
	trace.SortAttempts(r.Attempts)
	main := &fit(t, DefaultOptions(), r).Plans[0]
	a, b := named(t, main, "a"), named(t, main, "b")
	if f := a.Failure; f.Attempts != 3 || f.Failed != 1 || math.Abs(*f.Probability-1./3) > 1e-12 ||
		*f.ShareDone != 0.5 || f.After.Values[0] != second {
		t.Errorf("failures %+v", f)
	}
	if i := *a.Failure.Interval; math.Abs(i[0]-0.0615) > 1e-3 || math.Abs(i[1]-0.7923) > 1e-3 { // Wilson for 1 of 3
		t.Errorf("interval %v", i)
	}
	if l := a.Lost; l.Events != 1 || l.Attempts != 2 || *l.Probability != 1 ||
		!slices.Equal(l.Together.Values, []int64{2}) {
		t.Errorf("lost of a: %+v", l)
	}
	if b.Lost.Redone != 1 || b.Lost.Events != 1 || a.Lost.Redone != 0 {
		t.Errorf("lost of b: %+v", b.Lost)
	}
	// m 6 to 14, x 6 to 20
	if l := main.Losses; l.Events != 2 || !slices.Equal(l.Together.Values, []int64{1, 3}) || l.MachineSeconds != 8+14 {
		t.Errorf("machine losses %+v", l)
	}
}

// y = 3 + 2x exactly; and intervals of 95% hold about 95% of new observations.
func TestLine(t *testing.T) {
	l := line([]point{{1, 5, 1}, {2, 7, 2}, {4, 11, 1}})
	if y, low, high := predict(l, 10, 0.95); math.Abs(y-23) > 1e-9 || high-low > 1e-6 || l.R2 < 1-1e-12 {
		t.Errorf("%+v predicts %v, %v to %v at 10", l, y, low, high)
	}
	if line([]point{{1, 5, 1}, {1, 7, 2}, {1, 11, 1}}) != nil || line([]point{{1, 5, 1}, {2, 7, 2}}) != nil {
		t.Error("a line through one x, or two points")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	in, trials := 0, 4000
	for range trials {
		var points []point
		for x := range 6 {
			points = append(points, point{float64(x), 1 + 2*float64(x) + rng.NormFloat64(), 1})
		}
		_, low, high := predict(line(points), 7, 0.95)
		if y := 15 + rng.NormFloat64(); y >= low && y <= high {
			in++
		}
	}
	if share := float64(in) / float64(trials); math.Abs(share-0.95) > 0.015 {
		t.Errorf("%v of new observations lie in the interval", share)
	}
}

// Work is 4 + d and the input 100 d: a line with slope 1/100.
func TestByInput(t *testing.T) {
	p := fit(t, DefaultOptions(), handRun("r1", 0, 1), handRun("r2", 1, 2), handRun("r3", 2, 4))
	if l := p.Plans[0].WorkByInput; math.Abs(l.Slope-0.01) > 1e-9 || math.Abs(l.Intercept-4) > 1e-9 || l.XMin != 100 ||
		l.XMax != 400 {
		t.Errorf("work %+v", l)
	}
}

// Of a, the first run's attempts take 2 + 1 s, the second's 2 + 3: 3 and 5 of an expected 2 x 2; with b and c 5 and 7
// of 6.
func TestRunFactors(t *testing.T) {
	f := fit(t, DefaultOptions(), handRun("r1", 0, 1), handRun("r2", 1, 3)).Plans[0].RunFactors
	if len(f) != 2 || math.Abs(f[0].Factor-5./6) > 1e-12 || math.Abs(f[1].Factor-7./6) > 1e-12 || *f[1].Tokens != 1 ||
		*f[1].InputBytes != 300 {
		t.Errorf("factors %+v", f)
	}
}

// In a run with two machines the first attempts of a on each are [6,8) and [7,12), that of c [20,21); the others are
// later. The run takes 25 s from its submission; a is at 6 to 14, so at .24 to .56.
func TestFirstOfStageOnMachineAndTotals(t *testing.T) {
	r := trace.NewRun("r")
	r.Name, r.Status, r.Submit, r.Start, r.End = "n", trace.Succeeded, 0, 0, 25*second
	for _, at := range [][3]trace.Instant{{5, 6, 14}, {19, 20, 24}} {
		s := trace.NewStage()
		s.Name, s.Submit, s.Start, s.End = "s", at[0]*second, at[1]*second, at[2]*second
		r.Stages = append(r.Stages, s)
	}
	r.Stages[0].Name = "a"
	r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	for _, x := range []struct {
		stage, task int32
		machine     string
		from, to    trace.Instant
	}{{0, 0, "m", 6, 8}, {0, 1, "n", 7, 12}, {0, 2, "m", 8, 9}, {0, 3, "m", 9, 14}, {1, 0, "m", 20, 21},
		{1, 1, "m", 21, 24}} {
		a := trace.NewAttempt(x.stage, x.task, 0)
		a.Status, a.Machine, a.Queued, a.Start, a.End = trace.Succeeded, x.machine, r.Stages[x.stage].Submit,
			x.from*second, x.to*second
		a.Duration = a.End.Since(a.Start)
		r.Attempts = append(r.Attempts, a)
	}
	main := &fit(t, DefaultOptions(), r).Plans[0]
	a, c := named(t, main, "a"), named(t, main, "s")
	for _, test := range []struct {
		name string
		dist *modelfile.Dist
		want []int64
	}{
		{"a first", a.Typical.First, []int64{2, 5}}, {"a later", &a.Typical.Later, []int64{1, 5}},
		{"c first", c.Typical.First, []int64{1}}, {"c later", &c.Typical.Later, []int64{3}},
	} {
		if got := seconds(test.dist); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v s, want %v", test.name, got, test.want)
		}
	}
	// queued since 5: 1 + 2 + 3 + 4 s
	if x := a.Totals; *x.QueuedS != 10 || *x.WorkS != 2+5+1+5 || *x.LongestS != 5 || math.Abs(*x.Begin-.24) > 1e-12 ||
		math.Abs(*x.End-.56) > 1e-12 {
		t.Errorf("totals of a: queued %v, work %v, longest %v, %v to %v", *x.QueuedS, *x.WorkS, *x.LongestS, *x.Begin,
			*x.End)
	}
	// The factor of the only run is 1: its durations are the means.
	if f := main.RunFactors; len(f) != 1 || math.Abs(f[0].Factor-1) > 1e-12 || *f[0].StartUpS != 5 ||
		*f[0].CompletionS != 25 || *f[0].EndS != 25 {
		t.Errorf("factors %+v", f)
	}
}

// Of a run of 15 s, the tasks of stage a end 8 and 9 s after its submission, and that of b after 10 s. Without
// attempts, stages have ends. Of 50 tasks, each of 20 marks stands for two or three.
func TestEnds(t *testing.T) {
	stages := handRun("s", 0, 1)
	stages.Attempts = nil
	for _, x := range []struct {
		run  *trace.Run
		want []float64
	}{{handRun("r", 0, 1), []float64{0.5333, 0.6}}, {stages, []float64{0.6}}} {
		p := fit(t, DefaultOptions(), x.run).Plans[0]
		a, b := named(t, &p, "a").Ends, named(t, &p, "b").Ends
		if len(a) != 1 || len(b) != 1 || !slices.Equal(a[0], x.want) || !slices.Equal(b[0], []float64{0.6667}) {
			t.Errorf("%s: ends %v and %v, want %v and 0.6667", x.run.ID, a, b, x.want)
		}
	}
	wide := trace.NewRun("w")
	wide.Name, wide.Status, wide.Submit, wide.End = "n", trace.Succeeded, 0, 100*second
	st := trace.NewStage()
	st.Tasks, st.Start, st.End = 50, 0, 100*second
	wide.Stages = []trace.Stage{st}
	for i := range int32(50) {
		a := trace.NewAttempt(0, i, 0)
		a.Status, a.Start, a.End = trace.Succeeded, 0, trace.Instant(2*(i+1))*second
		a.Duration = a.End.Since(a.Start)
		wide.Attempts = append(wide.Attempts, a)
	}
	ends := fit(t, DefaultOptions(), wide).Plans[0].Stages[0].Ends
	if len(ends) != 1 || len(ends[0]) != modelfile.MostEnds || ends[0][0] != 0.04 || ends[0][1] != 0.1 ||
		ends[0][19] != 1 {
		t.Errorf("ends %v, want 0.04, 0.1, ... 1", ends)
	}
}

// The factors of the runs are 5/6 and 7/6: a's later attempts of 1 s and 3 s were 1.2 s and 18/7 s in a typical run.
func TestTypical(t *testing.T) {
	a := named(t, &fit(t, DefaultOptions(), handRun("r1", 0, 1), handRun("r2", 1, 3)).Plans[0], "a").Typical
	if want := []int64{1_200_000, 2_571_429}; !slices.Equal(a.Later.Values, want) || a.Elapsed.N != 0 {
		t.Errorf("later %v µs, want %v; %d times of stages", a.Later.Values, want, a.Elapsed.N)
	}
	if want := []int64{1_714_286, 2_400_000}; !slices.Equal(a.First.Values, want) {
		t.Errorf("first %v µs, want %v", a.First.Values, want)
	}
	for i, want := range []float64{1, 3} {
		if *a.FirstS[i] != 2 || *a.LaterS[i] != want {
			t.Errorf("run %d: means of %v s first and %v s later, want 2 and %v", i, *a.FirstS[i], *a.LaterS[i], want)
		}
	}
}

// Where machines are not known, tokens tell the first tasks: as many of them, the earliest, else the first of the
// trace.
func TestFirstOnTokens(t *testing.T) {
	attempts := make([]trace.Attempt, 4)
	for i := range attempts {
		attempts[i].Start = trace.None
	}
	if got := firstOnToken(attempts, 2); !slices.Equal(got, []bool{true, true, false, false}) {
		t.Errorf("in the order of the trace: %v", got)
	}
	for i := range attempts {
		attempts[i].Start = trace.Instant(10 - i)
	}
	if got := firstOnToken(attempts, 3); !slices.Equal(got, []bool{false, true, true, true}) {
		t.Errorf("by start: %v", got)
	}
	if got := firstOnToken(attempts, 9); !slices.Equal(got, []bool{true, true, true, true}) {
		t.Errorf("on more tokens than tasks: %v", got)
	}
}

// The mean duration of a is (2 + d)/2, it takes 2 + d, and has 2 tasks whatever the input of 100 d is: at 600, 4 s and
// 8 s.
func TestAt(t *testing.T) {
	p := fit(t, DefaultOptions(), handRun("r1", 0, 1), handRun("r2", 1, 2), handRun("r3", 2, 4))
	for i, s := range At(&p.Plans[0], 600, 0.9) {
		if p.Plans[0].Stages[i].Name != "a" {
			continue
		}
		if math.Abs(s.DurationS.Mean-4) > 1e-9 || math.Abs(s.ElapsedS.High-8) > 1e-6 || s.Tasks != (Forecast{2, 2, 2}) {
			t.Errorf("a at 600 bytes: %+v", s)
		}
	}
	p = fit(t, DefaultOptions(), handRun("r1", 0, 1))
	if got := At(&p.Plans[0], 600, 0.9)[0].Tasks.Mean; !math.IsNaN(got) {
		t.Errorf("one run foretells %v tasks", got)
	}
}

func TestStagesAlone(t *testing.T) {
	var runs []*trace.Run
	for i := range 3 {
		r := handRun(fmt.Sprint(i), int64(i), trace.Instant(i+1))
		r.Attempts = nil
		r.Stages[0].EstimateS = 2.5
		runs = append(runs, r)
	}
	p := fit(t, DefaultOptions(), runs...)
	a := named(t, &p.Plans[0], "a")
	if p.Resolution != modelfile.ByStage || a.Duration.Family != modelfile.None ||
		!slices.Equal(seconds(&a.Elapsed), []int64{3, 4, 5}) ||
		*a.Estimate.MeanS != 2.5 || a.Failure.Probability != nil || a.Fit.Below90 != nil {
		t.Errorf("%s, %+v", p.Resolution, a)
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "single attempts") {
		t.Errorf("warnings %v", p.Warnings)
	}
	for i, r := range runs {
		r.Stages, r.Edges = nil, nil
		runs[i] = AsOneStage(r)
	}
	p = fit(t, DefaultOptions(), runs...)
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "no times of stages or tasks: runs are known as a whole") {
		t.Errorf("of runs without stages: warnings %v", p.Warnings)
	}
}

func TestNothingToFit(t *testing.T) {
	failed := handRun("f", 0, 1)
	failed.Status = trace.Killed
	if _, err := Fit([]*trace.Run{failed}, DefaultOptions()); err == nil ||
		!strings.Contains(err.Error(), "1 did not succeed") {
		t.Errorf("got error %v", err)
	}
	for _, o := range []Options{{}, {HalfLifeS: -1, MinEmpirical: 1, MaxValues: 2},
		{HalfLifeS: math.NaN(), MinEmpirical: 1, MaxValues: 2}, {MinEmpirical: 1, MaxValues: 1}} {
		if o.Validate() == nil {
			t.Errorf("%+v is valid", o)
		}
	}
}

// Families are found again in their own draws.
func TestFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	o := DefaultOptions()
	o.MinEmpirical = 1 << 30
	draw := func(f func() float64) []value {
		values := make([]value, 20000)
		for i := range values {
			values[i] = value{int64(math.Ceil(f() * 1e6)), 1}
		}
		return values
	}
	for _, test := range []struct {
		family string
		draw   func() float64
		want   []float64
	}{
		{modelfile.Exponential, func() float64 { return 3 * rng.ExpFloat64() }, []float64{3}},
		{modelfile.Gamma, func() float64 { return rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64() },
			[]float64{3, 1}},
		{modelfile.Lognormal, func() float64 { return math.Exp(1 + 0.5*rng.NormFloat64()) }, []float64{1, 0.5}},
		{modelfile.Weibull, func() float64 { return 2 * math.Pow(rng.ExpFloat64(), 1/1.7) }, []float64{1.7, 2}},
		{modelfile.Pareto, func() float64 { return 2 * math.Exp(rng.ExpFloat64()/1.5) }, []float64{2, 1.5}},
	} {
		d := o.pool(draw(test.draw))
		if d.Family != test.family {
			t.Errorf("draws of %s look %s", test.family, d.Family)
			continue
		}
		for i, p := range d.Params {
			if math.Abs(p.Value/test.want[i]-1) > 0.05 {
				t.Errorf("%s: %s is %v, want %v", d.Family, p.Name, p.Value, test.want[i])
			}
		}
		if len(d.Values) != o.MaxValues || d.N != 20000 {
			t.Errorf("%d values of %d kept", len(d.Values), d.N)
		}
	}
}

// Three observations are too few for a family; five of which one is far out look like a Pareto distribution without a
// mean, which is none to draw from; weights say how often an observation counts: of 1, 2, 3, 4 s at weights 1, 1, 1, 5
// the mean is 3.25 s.
func TestFewObservations(t *testing.T) {
	o := DefaultOptions()
	if d := o.pool([]value{{1 * second, 1}, {2 * second, 1}, {3 * second, 1}}); d.Family != modelfile.Empirical {
		t.Errorf("3 observations look %s", d.Family)
	}
	if d := o.pool([]value{{1000, 1}, {1001, 1}, {1002, 1}, {2000, 1},
		{1000 * second, 1}}); d.Family == modelfile.Pareto {
		t.Errorf("a Pareto distribution without a mean: %v", d.Params)
	}
	family, params := best([]value{{1 * second, 1}, {2 * second, 1}, {3 * second, 1}, {4 * second, 5}})
	mean := math.NaN()
	switch family {
	case modelfile.Weibull:
		mean = params[1].Value * math.Gamma(1+1/params[0].Value)
	case modelfile.Gamma:
		mean = params[0].Value * params[1].Value
	}
	if math.Abs(mean-3.25) > 0.1 {
		t.Errorf("%s %v has mean %v, want about 3.25", family, params, mean)
	}
}

// Of 0..10 with at most 5, the quantiles at 0, 1/4, 1/2, 3/4 and 1: the smallest values with 2.75, 5.5 and 8.25 of 11
// at or below are the 3rd, 6th and 9th.
func TestKeepsExtremes(t *testing.T) {
	var values []value
	for i := range 11 {
		values = append(values, value{int64(i), 0.5})
	}
	xs, w := Options{MaxValues: 5}.keep(values)
	if !slices.Equal(xs, []int64{0, 2, 5, 8, 10}) || w != nil {
		t.Errorf("kept %v, %v", xs, w)
	}
}

// The order of runs does not change a byte.
func TestOrderOfRunsDoesNotMatter(t *testing.T) {
	var runs []*trace.Run
	for i := range 12 {
		runs = append(runs, handRun(fmt.Sprint(i), int64(i), trace.Instant(1+i%5)))
	}
	o := DefaultOptions()
	o.HalfLifeS = 1e5
	want, err := modelfile.Encode(fit(t, o, runs...))
	if err != nil {
		t.Fatal(err)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	if got, _ := modelfile.Encode(fit(t, o, runs...)); !bytes.Equal(got, want) {
		t.Error("profiles differ")
	}
}

func BenchmarkFit(b *testing.B) {
	var runs []*trace.Run
	attempts := 0
	for i := range 100 {
		r := handRun(fmt.Sprint(i), int64(i), trace.Instant(1+i%5))
		for k := range int32(1000) {
			a := r.Attempts[1]
			a.Task = 2 + k
			r.Attempts = append(r.Attempts, a)
		}
		r.Stages[0].Tasks = 1002
		trace.SortAttempts(r.Attempts)
		attempts += len(r.Attempts)
		runs = append(runs, r)
	}
	for b.Loop() {
		fit(b, DefaultOptions(), runs...)
	}
	b.ReportMetric(float64(len(runs)*b.N)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(attempts*b.N)/b.Elapsed().Seconds(), "attempts/s")
}
