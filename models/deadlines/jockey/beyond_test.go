package jockey

import (
	"math"
	"testing"

	"racecard/datasets/remaining"
	"racecard/datasets/trace"
	"racecard/models/deadlines/progress"
)

// Golden: a chain of 10 tasks of 4 s, half of which are done, and 2 tasks of 3 s: S = max(0.5·4 + 3, 1·3 + 0) = 5,
// P = 0.5·40 + 6 = 26; with 4 tokens 5 + 26/4 = 11.5.
func TestAmdahl(t *testing.T) {
	stages := []progress.Stage{{Tasks: 10, WorkS: 40, LongestS: 4, End: 1, InfEnd: 1}, {Tasks: 2, WorkS: 6, LongestS: 3,
		End: 1, InfEnd: 1}}
	p, err := progress.NewPlan(stages, []trace.Edge{{Parent: 0, Child: 1}})
	if err != nil {
		t.Fatal(err)
	}
	a := NewAmdahl(p, 2)
	if got := a.Remaining(0, 4, 1); got != 7+46./4 {
		t.Errorf("before the start %v s, want 18.5", got)
	}
	a.Observe([]float64{0.5, 0})
	if got := a.Remaining(math.NaN(), 4, 0); got != 11.5 {
		t.Errorf("%v s, want 11.5", got)
	}
	if got := (Blend{a, answer(func(_, _, q float64) float64 { return 20 * q }), 0.25}).Remaining(0, 4,
		0.5); got != 0.75*11.5+0.25*10 {
		t.Errorf("blend %v s, want 11.125", got)
	}
	if a.Observe([]float64{1, 1}); a.Remaining(0, 4, 0) != 0 {
		t.Errorf("%v s left of a job that is done", a.Remaining(0, 4, 0))
	}
	if a.Observe([]float64{1}); !math.IsNaN(a.Remaining(0, 4, 0)) {
		t.Error("half a state is an answer")
	}
}

// The chain of TestAmdahl beside a table that says 20 s: before a task has ended, and where stages are not known, the
// table's 20 s; then 0.75·20 + 0.25·11.5.
func TestStaged(t *testing.T) {
	stages := []progress.Stage{{Tasks: 10, WorkS: 40, LongestS: 4, End: 1, InfEnd: 1}, {Tasks: 2, WorkS: 6, LongestS: 3,
		End: 1, InfEnd: 1}}
	p, err := progress.NewPlan(stages, []trace.Edge{{Parent: 0, Child: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s := &Staged{Table: answer(func(_, _, _ float64) float64 { return 20 }), Stages: NewAmdahl(p, 2), Weight: 0.25}
	for _, step := range []struct {
		done []float64
		want float64
	}{{nil, 20}, {[]float64{0, 0}, 20}, {[]float64{0.5, 0}, 0.75*20 + 0.25*11.5}, {nil, 20}} {
		if s.Observe(step.done); s.Remaining(0, 4, 0.5) != step.want {
			t.Errorf("%v done: %v s, want %v", step.done, s.Remaining(0, 4, 0.5), step.want)
		}
	}
}

// A job of 1000 s on 10 tokens is predicted; after 200 s, 100 s of it are done: with a weight of 0.1 · 1000 s it is
// slower by (200 + 100) / (100 + 100) = 1.5. After 100 s more that took off 400 s: (300 + 100) / (500 + 100) < 1: it is
// as predicted. After 4000 s in which nothing happened: 4400/600, which is more than is believed.
func TestLearn(t *testing.T) {
	left := 1000.0
	e := answer(func(_, tokens, _ float64) float64 { return left * 10 / tokens })
	c := controller(t, e, deadline(t, 1000), func(o *Options) {
		o.Slack, o.DeadZoneS, o.Learn, o.Hysteresis = 1, 0, 0.1,
			1
	})
	for _, step := range []struct{ now, left, slower, finish float64 }{
		// 10 tokens; then with 900 s left on 10, 1.5 · 900 s in the 800 s to go need 17: 200 + 1.5 · 9000/17.
		{0, 1000, 1, 1000}, {200, 900, 1.5, 200 + 1.5*9000/17},
	} {
		left = step.left
		if d := c.Decide(step.now, 0); math.Abs(d.Slower-step.slower) > 1e-12 ||
			math.Abs(d.FinishS-step.finish) > 1e-9 {
			t.Errorf("%+v, want %+v", d, step)
		}
	}
	// On 17 tokens the 900 s on 10 were 9000/17; 400 · 10/17 s are taken off.
	left = 500
	d := c.Decide(300, 0)
	if want := max(1, (300.+100)/(100+4000./17+100)); d.Slower != want {
		t.Errorf("%+v, want slower by %v", d, want)
	}
	if d := c.Decide(9000, 0); d.Slower != 2 {
		t.Errorf("%+v, want slower by no more than 2", d)
	}
	left = math.NaN()
	if d := c.Decide(9100, 0); d.Slower != 2 {
		t.Errorf("%+v after an unknown time", d)
	}
	// Learning begins with the first time that is known: 500 s with the 2 tokens that 1.2 · 1000/2 <= 1000 - 10 - 180
	// asks for, a weight of 50 s. After 10 s without progress the run is slower by 60/50.
	c = controller(t, e, deadline(t, 1000), func(o *Options) { o.Learn = 0.1 })
	c.Decide(0, 0)
	left = 100
	if d := c.Decide(10, 0); d.Slower != 1 || d.Tokens != 2 {
		t.Errorf("%+v", d)
	}
	if d := c.Decide(20, 0); math.Abs(d.Slower-1.2) > 1e-12 {
		t.Errorf("%+v, want slower by 1.2", d)
	}
}

// α is 0.1 downwards and 1 upwards.
func TestRise(t *testing.T) {
	need := 50.0
	e := answer(func(_, tokens, _ float64) float64 { return 1000 * need / tokens })
	c := controller(t, e, deadline(t, 1000), func(o *Options) {
		quick(o)
		o.Slack, o.DeadZoneS, o.Hysteresis, o.Rise = 1, 0, 0.1, 1
	})
	for i, want := range []float64{50, 48, 80, 75} {
		need = []float64{50, 30, 80, 30}[i]
		if d := c.Decide(float64(i)*instant, 0); math.Abs(d.Smoothed-want) > 1e-9 {
			t.Errorf("decision %d: %+v, want %v", i, d, want)
		}
	}
}

// With 1000 s to go, 5% are 50 s; with 7200 s, 360 s, and the 180 s of the option are less.
func TestShares(t *testing.T) {
	o := DefaultOptions()
	for _, test := range []struct{ deadline, zone, period float64 }{{1000, 50, 1000. / 30}, {7200, 180, 60}, {-5, 0, 0},
		{math.Inf(1), 180, 60}} {
		if z, p := o.DeadZone(test.deadline), o.Period(test.deadline); z != test.zone || p != test.period {
			t.Errorf("%v s: dead zone %v s, period %v s; want %+v", test.deadline, z, p, test)
		}
	}
	if o := PaperOptions(); o.DeadZone(10) != 180 || o.Period(10) != 60 {
		t.Error("the options of the paper are not the same for all jobs")
	}
	// The earliest deadline is the end and its own dead zone: 950 s + 50 s, 3600 s + 180 s.
	for end, want := range map[float64]float64{950: 1000, 3600: 3780, 3420: 3600} {
		if got := o.earliest(end); math.Abs(got-want) > 1e-9 || math.Abs(got-o.DeadZone(got)-end) > 1e-9 {
			t.Errorf("an end at %v s promises %v s, want %v", end, got, want)
		}
	}
	// A dead zone fits itself to a deadline that changes.
	e := answer(func(_, tokens, _ float64) float64 { return 95 * 10 / tokens })
	c := controller(t, e, deadline(t, 7200), func(o *Options) { *o = DefaultOptions(); o.Slack = 1 })
	c.Decide(0, 0)
	c.SetUtility(deadline(t, 100))
	if d := c.Decide(0, 0); d.Raw != 10 {
		t.Errorf("%+v, want 10 tokens, with which 95 s and 5%% of 100 s are in time", d)
	}
}

// Few tasks are left, and more again when an output is lost. A deadline that is too near wants all tokens.
func TestLimit(t *testing.T) {
	e := answer(func(_, tokens, _ float64) float64 { return 1e6 / tokens })
	c := controller(t, e, deadline(t, 1000), func(o *Options) { o.Hysteresis, o.Min = 1, 2 })
	for i, x := range []struct{ limit, want int }{{1000, 100}, {7, 7}, {1, 2}, {30, 30}} {
		c.SetLimit(x.limit)
		if d := c.Decide(float64(i), 0.5); d.Tokens != x.want || d.Raw != x.want {
			t.Errorf("%d tasks left: %+v, want %d tokens", x.limit, d, x.want)
		}
	}
}

// A start-up of 30 s, then a second for each hundredth: 130 s at first, 99 s with the first hundredth. After 10 s
// without progress 120 s are left, after 40 s no less than 99 s; with the first hundredth the time begins anew, and
// again when progress is lost.
func TestAged(t *testing.T) {
	table := remaining.New(remaining.About{}, []int32{1, 2})
	for c := range table.Samples {
		left, tokens := float64(remaining.Steps-1-c%remaining.Steps), float64(1+c/remaining.Steps)
		if left == remaining.Steps-1 {
			left += 30
		}
		table.Samples[c], table.Mean[c] = 1, left/tokens
		for q := range table.Quantiles {
			table.Quantiles[q][c] = left / tokens
		}
	}
	if err := table.Verify(); err != nil {
		t.Fatal(err)
	}
	a := &Aged{Table: table}
	for _, x := range []struct{ now, progress, want float64 }{
		{0, 0, 130}, {10, 0, 120}, {40, 0, 99}, {41, 0.015, 99}, {41.5, 0.019, 98.5}, {50, 0.019, 98}, {51, 0.5, 50},
		{52, 0, 130}, {53, 0, 129}, {60, 1, 0}, {70, 1, 0},
	} {
		a.Observe(x.now, x.progress)
		if got := a.Remaining(x.progress, 1, 0.5); math.Abs(got-x.want) > 1e-9 {
			t.Errorf("%v s, progress %v: %v s left, want %v", x.now, x.progress, got, x.want)
		}
	}
	// On 2 tokens 130 / 2 - 10 = 55, and no less than 99 / 2 = 49.5.
	a = &Aged{Table: table}
	a.Observe(10, 0)
	if got := a.Remaining(0, 2, 0.5); math.Abs(got-55) > 1e-9 {
		t.Errorf("%v s, want 55", got)
	}
	if got := a.Remaining(0.5, 1, 0.5); got != 50 {
		t.Errorf("%v s of a progress that was not observed, want 50", got)
	}
	a.Observe(11, math.NaN())
	if got := a.Remaining(math.NaN(), 2, 0.5); !math.IsNaN(got) {
		t.Errorf("%v s of an unknown progress", got)
	}
}

// A stage of 8 tasks of 1 s: 8/a s of work and 1 s of path at a tokens, times a factor. On 3 tokens a run takes 3 · (1
// + 8/3) = 11 s, on 2 it takes 1.5 · 5 = 7.5 s: the third token counts as not used.
func TestAmdahlInflation(t *testing.T) {
	p, err := progress.NewPlan([]progress.Stage{{Tasks: 8, WorkS: 8, LongestS: 1, End: 1, InfEnd: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := NewAmdahl(p, 1)
	a.Inflation = []float64{1, 1.5, 3}
	for tokens, want := range map[float64]float64{1: 9, 2: 7.5, 3: 7.5, 100: 3 * (1 + 8./100)} {
		if got := a.Remaining(0, tokens, 0.5); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v tokens: %v s, want %v", tokens, got, want)
		}
	}
	last := math.Inf(1)
	for tokens := 0.5; tokens < 12; tokens += 0.25 {
		got := a.Remaining(0, tokens, 0.5)
		if got > last+1e-9 {
			t.Errorf("%v tokens: %v s, %v with fewer", tokens, got, last)
		}
		last = got
	}
}

// A run that is late whatever it does: 100 s and 10 s per token left, 5 s to its deadline. Each token from the 20th on
// saves less than a half of a percent. With a gain of 3% it asks for the fewest tokens with at most 1/0.97 of the least
// time; without, for all of them.
func TestGain(t *testing.T) {
	o := DefaultOptions()
	u, err := Deadline(5)
	if err != nil {
		t.Fatal(err)
	}
	left := estimate(func(tokens float64) float64 { return 100 + 100/tokens })
	for _, x := range []struct {
		gain float64
		want int
	}{{0, 100}, {0.03, 25}} { // 100 + 100/a <= 101/0.97 = 104.12 from a = 24.25 on
		o.Gain, o.Learn = x.gain, 0
		c, err := NewController(left, u, o)
		if err != nil {
			t.Fatal(err)
		}
		if d := c.Decide(0, 0); d.Tokens != x.want || !d.Late {
			t.Errorf("gain %v: %d tokens, want %d; late %v", x.gain, d.Tokens, x.want, d.Late)
		}
	}
}

// estimate is a remaining time that depends on tokens alone.
type estimate func(tokens float64) float64

func (e estimate) Remaining(_, tokens, _ float64) float64 { return e(tokens) }
