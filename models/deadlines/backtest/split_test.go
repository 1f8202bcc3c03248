package backtest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"racecard/datasets/trace"
)

// bare is a run of a stage of 8 tasks of 8 s each, of which no time is known but those durations.
func bare(id string, tokens int64) *trace.Run {
	r := trace.NewRun(id)
	r.Name, r.Status, r.Guaranteed = "n", trace.StatusUnknown, tokens
	st := trace.NewStage()
	st.Tasks = 8
	r.Stages = []trace.Stage{st}
	for k := range 8 {
		a := trace.NewAttempt(0, int32(k), 0)
		a.Duration = 8 * second
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

// A run is predicted from runs with other numbers of tokens, of those that may be learned from. Without times, 8 tasks
// of 8 s count as 64, 32 and 16 s on 1, 2 and 4 tokens, and a replay of any of them tells the others.
func TestLeaveOutTokens(t *testing.T) {
	var runs []*trace.Run
	for i, tokens := range []int64{1, 1, 2, 4, 4} {
		runs = append(runs, bare(fmt.Sprint(i), tokens))
	}
	o := small()
	o.LeaveOut, o.After = Tokens, 1
	for _, test := range []struct {
		from, at []float64
		want     map[string]int // runs that a run was predicted from
	}{
		{nil, nil, map[string]int{"0": 3, "1": 3, "2": 4, "3": 3, "4": 3}},
		{[]float64{1}, nil, map[string]int{"2": 2, "3": 2, "4": 2}},
		{[]float64{1, 4}, []float64{2, 4}, map[string]int{"2": 4, "3": 2, "4": 2}},
	} {
		o.FromTokens, o.AtTokens = test.from, test.at
		out := run(t, o, runs...)
		if out.Predicted != len(test.want) || !slices.Equal(out.AtTokens, test.at) || out.LeaveOut != Tokens {
			t.Errorf("from %v at %v: %d predicted, want %d", test.from, test.at, out.Predicted, len(test.want))
		}
		for i := range out.PerRun {
			r := &out.PerRun[i]
			if want := 64 / r.Tokens; r.Before != test.want[r.JobID] || !r.Replayed || r.ObservedS != want ||
				r.Predictions["replay"] != want {
				t.Errorf("from %v at %v: %+v, want %v s from %d runs", test.from, test.at, r, want, test.want[r.JobID])
			}
		}
	}
	o.FromTokens, o.AtTokens = nil, []float64{3}
	if out := run(t, o, runs...); out.Available || len(out.Missing) != 1 ||
		out.LeftOut["another number of tokens than asked for"] != 5 {
		t.Errorf("at 3 tokens: %+v", out.Header)
	}
	for _, change := range []func(*Options){func(o *Options) { o.LeaveOut = "inputs" }, func(o *Options) {
		o.LeaveOut = Newest
	},
		func(o *Options) { o.AtTokens = []float64{0} }, func(o *Options) { o.FromTokens = []float64{math.NaN()} }} {
		o := o
		change(&o)
		if _, err := NewBuilder(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// Runs that are a name, a time and an input are predicted, with stages of which nothing but a number of tasks is known,
// too.
func TestOnlyTimes(t *testing.T) {
	var runs []*trace.Run
	for i := range 8 {
		r := trace.NewRun(fmt.Sprint(i))
		r.Name, r.Status, r.InputBytes = "n", trace.Succeeded, int64(i+1)*1e9
		r.Submit, r.End = trace.Instant(i*3600*second), trace.Instant((i*3600+10*(i+1))*second)
		if i%2 == 1 {
			st := trace.NewStage()
			st.Tasks = 7
			r.Stages = []trace.Stage{st}
		}
		runs = append(runs, r)
	}
	out := run(t, small(), runs...)
	if out.Predicted != 5 || out.Errors[Racecard].N != 5 || out.Errors["nearest"].MedianAbsolute > 1e-9 {
		t.Fatalf("%d predicted, errors %+v", out.Predicted, out.Errors)
	}
	if e := out.Errors[Racecard].MedianAbsolute; !(e < out.Errors["last"].MedianAbsolute) {
		t.Errorf("racecard is off by %v, the last run by %v", e, out.Errors["last"].MedianAbsolute)
	}
}

// Which runs are predicted is decided without their pasts, each of which takes memory as long as the job's: that memory
// would grow with the square of the number of runs.
func TestChoiceOfRunsTakesNoPast(t *testing.T) {
	allocated := func(runs int) float64 {
		o := small()
		o.Last = 2
		b := &Builder{o: o, LeftOut: map[string]int64{}}
		j := &job{}
		for i := range runs {
			at := trace.Instant(i) * second
			j.runs = append(j.runs, past{index: i, from: at, to: at + second, completionS: 1})
		}
		if got := len(b.tasks([]*job{j})); got != o.Last {
			t.Fatalf("%d of %d runs are predicted, want %d", got, runs, o.Last)
		}
		return testing.AllocsPerRun(5, func() { b.tasks([]*job{j}) })
	}
	if few, many := allocated(20), allocated(2000); many > few {
		t.Errorf("%v allocations for 2,000 runs, %v for 20", many, few)
	}
}

// Of runs that overlap, the last is the one that was submitted last, not the one that ended last, which is the longest.
func TestLastRunIsSubmittedLast(t *testing.T) {
	runs := []*trace.Run{
		twoStages("a", 0, 3, 2), twoStages("b", 3600, 3, 2), twoStages("long", 7200, 60, 20),
		twoStages("short", 7210, 4, 3), twoStages("next", 10_800, 4, 3),
	}
	b, err := NewBuilder(small())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		b.Add(r)
	}
	j := b.recurring()[0]
	if q := b.question(j, len(runs)-1); q.next.id != "next" || len(q.past) != 4 || q.last().id != "short" {
		t.Errorf("the last of %d runs before %s is %s", len(q.past), q.next.id, q.last().id)
	}
}
