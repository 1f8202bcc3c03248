package whatif

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/sample/sampletest"
	"racecard/datasets/trace"
)

// The row on the tokens that a run held is the run as it was, also where other tasks would be the first on a machine if
// it ran again: tasks of 1 s and 2 s on one machine, and of 9 s on another.
func TestTheRowOfHeldTokensIsTheReplay(t *testing.T) {
	r := trace.NewRun("r")
	r.Submit, r.Start, r.End, r.Status, r.Guaranteed = 0, 0, 9*second, trace.Succeeded, 2
	st := trace.NewStage()
	st.Submit, st.Start, st.End = 0, 0, 9*second
	r.Stages = []trace.Stage{st}
	for i, x := range []struct {
		machine  string
		from, to trace.Instant
	}{{"a", 0, 1}, {"a", 1, 3}, {"b", 0, 9}} {
		a := trace.NewAttempt(0, int32(i), 0)
		a.Queued, a.Start, a.End, a.Machine, a.Status = 0, x.from*second, x.to*second, x.machine, trace.Succeeded
		a.Duration = a.End.Since(a.Start)
		r.Attempts = append(r.Attempts, a)
	}
	a, err := Ask(r, Options{Allocations: []int32{1, 2, 3}, Within: 0.1})
	if err != nil || a.ReplayS != a.Points[1].TimeS {
		t.Errorf("simulated as it was %v s, its row %v s; %v", a.ReplayS, a.Points[1].TimeS, err)
	}
}

const second = 1_000_000

// handRun is submitted at 0. The first stage comes at 2 with tasks of 1, 1, 1 and 5 s on two tokens, ends at 8, and the
// second, with two tasks of 2 s, at 10. The run ends at 11.
func handRun() *trace.Run {
	r := trace.NewRun("r")
	r.Submit, r.Start, r.End, r.Status = 0, 0, 11*second, trace.Succeeded
	for _, at := range [][2]trace.Instant{{2, 8}, {8, 10}} {
		s := trace.NewStage()
		s.Submit, s.Start, s.End = at[0]*second, at[0]*second, at[1]*second
		r.Stages = append(r.Stages, s)
	}
	r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	for _, x := range []struct {
		stage, task int32
		from, to    trace.Instant
	}{{0, 0, 2, 3}, {0, 1, 2, 3}, {0, 2, 3, 4}, {0, 3, 3, 8}, {1, 0, 8, 10}, {1, 1, 8, 10}} {
		a := trace.NewAttempt(x.stage, x.task, 0)
		a.Status = trace.Succeeded
		a.Queued, a.Start, a.End = r.Stages[x.stage].Submit, x.from*second, x.to*second
		a.Duration = a.End.Since(a.Start)
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

// The attempts take 12 s, the driver 2 + 1. Without it, and with tasks of 2 s (the first stage's mean is 8/4):
//
//	tokens  stage 1 ends   stage 2 ends  even tasks  work
//	1       8              12            8 + 4 = 12  12
//	2       1 + 5 = 6      8             4 + 2 = 6   6
//	3       1 + 5 = 6      8             4 + 2 = 6   4
//	4       5              7             2 + 2 = 4   3
func TestHandWorked(t *testing.T) {
	a, err := Ask(handRun(), Options{Allocations: []int32{1, 2, 3, 4}, Within: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	want := []Point{
		{Tokens: 1, TimeS: 15, CostS: 15, BusyS: 12, Utilisation: 12. / 15, WorkS: 12, BarriersS: 0, SkewS: 0,
			DriverS: 3},
		{Tokens: 2, TimeS: 11, CostS: 22, BusyS: 12, Utilisation: 12. / 22, WorkS: 6, BarriersS: 0, SkewS: 2,
			DriverS: 3},
		{Tokens: 3, TimeS: 11, CostS: 33, BusyS: 12, Utilisation: 12. / 33, WorkS: 4, BarriersS: 2, SkewS: 2,
			DriverS: 3},
		{Tokens: 4, TimeS: 10, CostS: 40, BusyS: 12, Utilisation: 12. / 40, WorkS: 3, BarriersS: 1, SkewS: 3,
			DriverS: 3},
	}
	if !reflect.DeepEqual(a.Points, want) {
		t.Errorf("got %+v\nwant %+v", a.Points, want)
	}
	// Within 10% of 10 s, 11 s, are two tokens.
	if a.ReplayS != 11 || a.ObservedS != 11 || a.Unlimited.TimeS != 10 || a.Recommended != want[1] ||
		a.PeakObserved != 2 {
		t.Errorf("replay %v, observed %v, unlimited %+v, recommended %+v", a.ReplayS, a.ObservedS, a.Unlimited,
			a.Recommended)
	}
	if a, err = Ask(handRun(), Options{Allocations: []int32{1000}, Within: 0.1}); err != nil ||
		a.Unlimited.Tokens >= 1000 || a.Unlimited.TimeS != 10 {
		t.Errorf("a token per task: %+v, %v", a.Unlimited, err)
	}
	if a, err = Ask(handRun(), Options{Allocations: []int32{1, 4}, Within: 0.1}); err != nil ||
		a.Recommended.Tokens != 2 || len(a.Points) != 3 || a.Points[1] != a.Recommended {
		t.Errorf("on a coarse grid: recommended %+v, %v", a.Recommended, err)
	}
}

// A run of 100 tasks of 1 s on 40 tokens, whose trace has durations alone: it took three waves.
func TestTokensThatTheTraceStates(t *testing.T) {
	r := trace.NewRun("r")
	r.Submit, r.Start, r.End, r.Status, r.Guaranteed = 0, 0, 3*second, trace.Succeeded, 40
	r.Stages = []trace.Stage{trace.NewStage()}
	for i := range int32(100) {
		a := trace.NewAttempt(0, i, 0)
		a.Status, a.Duration = trace.Succeeded, second
		r.Attempts = append(r.Attempts, a)
	}
	a, err := Ask(r, DefaultOptions())
	if err != nil || a.PeakObserved != 40 || a.ReplayS != 3 || a.ObservedS != 3 {
		t.Errorf("guaranteed 40: %+v, %v", a, err)
	}
	r.Guaranteed = trace.None
	if a, err = Ask(r, DefaultOptions()); err != nil || a.PeakObserved != 0 || !math.IsNaN(a.ReplayS) ||
		len(a.Warnings) == 0 {
		t.Errorf("tokens unknown: %+v, %v", a, err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Within: -1}, {Within: math.NaN()}, {Allocations: []int32{0}},
		{Allocations: []int32{2, 2}}, {Allocations: []int32{1 << 21}}} {
		if _, err := Ask(handRun(), o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	if _, err := Ask(trace.NewRun("e"), DefaultOptions()); err == nil {
		t.Error("a run without stages is taken")
	}
}

func TestGrid(t *testing.T) {
	// 1, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5, 10 and 5
	if got := Grid(10, 5); !slices.Equal(got, []int32{1, 2, 3, 4, 5, 6, 7, 10}) {
		t.Errorf("got %v", got)
	}
	if got := Grid(1, 3); !slices.Equal(got, []int32{1, 3}) {
		t.Errorf("got %v", got)
	}
}

// For every run of the sample: the parts add up, attempts take no more than what is held, no time is below the work, or
// below what an unlimited allocation takes by more than an anomaly of list scheduling, and the recommendation keeps its
// promise.
func TestSample(t *testing.T) {
	for _, job := range sampletest.Jobs {
		for _, run := range sampletest.ByJob(t)[job] {
			a, err := Ask(run, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			best := math.Inf(1)
			for _, p := range a.Points {
				best = min(best, p.TimeS)
				if sum := p.WorkS + p.BarriersS + p.SkewS + p.DriverS; math.Abs(sum-p.TimeS) > 1e-6 {
					t.Errorf("%s at %d: parts sum to %v of %v", run.ID, p.Tokens, sum, p.TimeS)
				}
				if p.BusyS > p.CostS || p.WorkS > p.TimeS || p.BarriersS < -1e-6 || p.Utilisation > 1 {
					t.Errorf("%s: %+v", run.ID, p)
				}
			}
			if a.Recommended.TimeS > best*(1+a.Within) || !slices.Contains(a.Points, a.Recommended) {
				t.Errorf("%s: recommended %+v, best %v, of %+v", run.ID, a.Recommended, best, a.Points)
			}
			for _, p := range a.Points {
				if p.TimeS <= a.Recommended.TimeS && p.CostS < a.Recommended.CostS {
					t.Errorf("%s: recommended %+v, though %+v is no slower and costs less", run.ID, a.Recommended, p)
				}
			}
			if a.Unlimited.TimeS > a.Points[len(a.Points)-1].TimeS*1.05 {
				t.Errorf("%s: unlimited %v, widest %v", run.ID, a.Unlimited.TimeS, a.Points[len(a.Points)-1].TimeS)
			}
		}
	}
}

func BenchmarkAsk(b *testing.B) {
	run := sampletest.ByJob(b)["customer-360"][0]
	sims := 0
	for b.Loop() {
		a, err := Ask(run, DefaultOptions())
		if err != nil {
			b.Fatal(err)
		}
		sims += len(a.Points)
	}
	b.ReportMetric(float64(sims)/b.Elapsed().Seconds(), "allocations/s")
}

// 20,000 tasks of 1 s take one round on a token each, and two on 10,000 tokens. Between 1,000 and 30,000 tokens the
// fewest that take two rounds are found within a step of 29,000/65, without trying thousands of them; between near
// points every number is tried.
func TestFewestTokensOfManyTasks(t *testing.T) {
	r := trace.NewRun("r")
	r.Submit, r.Start, r.End, r.Status = 0, 0, second, trace.Succeeded
	r.Stages = []trace.Stage{trace.NewStage()}
	for i := range int32(20_000) {
		a := trace.NewAttempt(0, i, 0)
		a.Status, a.Duration = trace.Succeeded, second
		r.Attempts = append(r.Attempts, a)
	}
	for _, test := range []struct {
		low, high int32
		within    float64
		below     int32
	}{{1000, 30_000, 1.1, 10_000 + 29_000/65 + 1}, {9_950, 10_010, 0.1, 10_001}} {
		a, err := Ask(r, Options{Allocations: []int32{test.low, test.high}, Within: test.within})
		if err != nil || a.Recommended.Tokens < 10_000 || a.Recommended.Tokens >= test.below ||
			a.Recommended.TimeS != 2 {
			t.Errorf("between %d and %d tokens: %+v, %v", test.low, test.high, a.Recommended, err)
		}
	}
}

// A program that takes all its tokens at once is not simulated on others.
func TestProgramOnManyProcessors(t *testing.T) {
	run := trace.NewRun("swf")
	run.Submit, run.Start, run.End = 0, 0, 100e6
	st := trace.NewStage()
	st.Tasks, st.Demand[trace.CPU] = 1, 128
	run.Stages = []trace.Stage{st}
	a := trace.NewAttempt(0, 0, 0)
	a.Status, a.Start, a.End, a.Duration = trace.Succeeded, 0, 100e6, 100e6
	run.Attempts = []trace.Attempt{a}
	run.Allocations = []trace.Allocation{{At: 0, Tokens: 128}, {At: 100e6, Tokens: 0}}
	if _, err := Ask(run, DefaultOptions()); err == nil || !strings.Contains(err.Error(), "128 tokens at once") {
		t.Errorf("err %v", err)
	}
}
