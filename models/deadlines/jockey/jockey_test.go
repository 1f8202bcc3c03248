package jockey

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// remaining is an estimator given as a function.
type answer func(progress, tokens, quantile float64) float64

func (f answer) Remaining(progress, tokens, quantile float64) float64 {
	return f(progress, tokens, quantile)
}

func deadline(t testing.TB, s float64) Utility {
	t.Helper()
	u, err := Deadline(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// instant is a time, in seconds, in which deadlines come no nearer. It is longer than quick control periods.
const instant = 1e-9

func quick(o *Options) { o.PeriodS = instant / 2 }

func controller(t testing.TB, e Estimator, u Utility, change func(*Options)) *Controller {
	t.Helper()
	o := PaperOptions()
	if change != nil {
		change(&o)
	}
	c, err := NewController(e, u, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestUtility(t *testing.T) {
	u := deadline(t, 3600)
	for _, test := range []struct{ at, want float64 }{
		{-5, 1}, {0, 1}, {3600, 1},
		{3900, 0},                                // half of the ten minutes from 1 to -1
		{4200, -1},                               // ten minutes late
		{4200 + 59_400, -1 - 999*59_400./59_400}, // -1000, a thousand minutes late
		{4200 + 2*59_400, -1 - 2*999},            // on along the last piece
		{math.Inf(1), math.Inf(-1)},
	} {
		if got := u.At(test.at); math.Abs(got-test.want) > 1e-9 && got != test.want {
			t.Errorf("utility at %v s is %v, want %v", test.at, got, test.want)
		}
	}
	if got := u.At(math.NaN()); !math.IsNaN(got) {
		t.Errorf("utility of an unknown end is %v", got)
	}
	if u.Target() != 3600 {
		t.Errorf("target %v", u.Target())
	}
	flat, err := NewUtility(Knot{10, 2}, Knot{20, 2}, Knot{30, 1}, Knot{40, 1})
	if err != nil || flat.Target() != 20 || flat.At(1e9) != 1 || flat.At(25) != 1.5 || flat.At(math.Inf(1)) != 1 {
		t.Errorf("%+v, %v", flat, err)
	}
	constant, err := NewUtility(Knot{0, 7})
	if err != nil || !math.IsInf(constant.Target(), 1) || constant.At(math.Inf(1)) != 7 || (Utility{}).At(3) != 0 {
		t.Errorf("%+v, %v", constant, err)
	}
	for _, bad := range [][]Knot{nil, {{0, 1}, {0, 0}}, {{0, 1}, {1, 2}}, {{0, math.NaN()}}, {{math.Inf(1), 1}}} {
		if _, err := NewUtility(bad...); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// Golden: α = 0.2, A = 50, raw 100 three times: 60, 68, 74.4. An estimator that says 50 tokens suffice at first, then
// that none do but all: 1000 s / tokens · 50 against a deadline.
func TestHysteresis(t *testing.T) {
	need := 50.0
	e := answer(func(_, tokens, _ float64) float64 { return 1000 * need / tokens })
	c := controller(t, e, deadline(t, 1000), func(o *Options) {
		quick(o)
		o.Slack, o.DeadZoneS = 1, 0
	})
	for i, want := range []struct {
		raw, tokens int
		smoothed    float64
	}{{50, 50, 50}, {100, 60, 60}, {100, 68, 68}, {100, 75, 74.4}} {
		d := c.Decide(float64(i)*instant, 0)
		if d.Raw != want.raw || d.Tokens != want.tokens || math.Abs(d.Smoothed-want.smoothed) > 1e-12 {
			t.Errorf("decision %d: %+v, want %+v", i, d, want)
		}
		need = 100
	}
}

// However often the loop is asked, after three control periods it has gone as far as after three decisions, a period
// apart. Asked again at the same time, it goes no farther.
func TestHysteresisIsPerPeriod(t *testing.T) {
	for _, apart := range []float64{60, 20, 5, 0.7} {
		enough := 60.0
		c := controller(t, answer(func(_, tokens, _ float64) float64 {
			if tokens >= enough {
				return 1
			}
			return 1e6
		}), deadline(t, 2000), nil)
		c.Decide(0, 0)
		enough = 10
		for i := range int(180 / apart) {
			c.Decide(float64(i+1)*apart, 0)
		}
		c.Decide(180, 0)
		c.Decide(180, 0)
		if want := 10 + (60-10)*0.8*0.8*0.8; math.Abs(c.smoothed-want) > 1e-9 {
			t.Errorf("a decision every %v s: %v tokens, want %v", apart, c.smoothed, want)
		}
	}
}

// T(a) = 60 + 6000/a s, slack 1.2, dead zone 180 s, deadline 1000 s: 1.2 (60 + 6000/a) <= 820 needs a >= 6000/(820/1.2
// - 60) = 9.63: 10. After 300 s with nothing done: 1.2 (60 + 6000/a) <= 520, a >= 16.07: 17. At most 100 tokens: 1.2 ·
// 120 = 144 s.
func TestSlackAndDeadZone(t *testing.T) {
	e := answer(func(_, tokens, _ float64) float64 { return 60 + 6000/tokens })
	c := controller(t, e, deadline(t, 1000), func(o *Options) { o.Hysteresis = 1 })
	d := c.Decide(0, 0)
	if d.Raw != 10 || d.Tokens != 10 || d.Late || math.Abs(d.FinishS-1.2*660) > 1e-9 ||
		math.Abs(d.EarliestS-(144+180)) > 1e-9 {
		t.Errorf("%+v", d)
	}
	if d := c.Decide(300, 0); d.Raw != 17 {
		t.Errorf("%+v", d)
	}
	// 700 + 144 + 180 = 1024 is late, and ends earliest with all tokens; at 600 s it is not: 1.2 (60+6000/a) <= 220, a
	// >= 48.6.
	if d := c.Decide(700, 0); d.Raw != 100 || !d.Late {
		t.Errorf("%+v", d)
	}
	if d := c.Decide(600, 0); d.Raw != 49 || d.Late {
		t.Errorf("%+v", d)
	}
}

func TestSaturation(t *testing.T) {
	// More than 30 tokens do not help: of equal ends the smallest allocation wins, also where all are late.
	e := answer(func(_, tokens, _ float64) float64 { return 3000 / min(tokens, 30) })
	for _, at := range []float64{10, -1e5} {
		c := controller(t, e, deadline(t, at), nil)
		if d := c.Decide(0, 0); d.Raw != 30 || !d.Late {
			t.Errorf("deadline %v: %+v", at, d)
		}
	}
	// A utility that is the same for ever asks for the least.
	u, err := NewUtility(Knot{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if d := controller(t, e, u, func(o *Options) { o.Min = 3 }).Decide(0, 0); d.Raw != 3 || d.Late {
		t.Errorf("%+v", d)
	}
}

// The end is 500 or 1500 s at equal odds with few tokens, half of that with ten or more. By the largest, 1000 s needs
// ten; the expected worth of few tokens is below 1, too. With a utility that is 0 beyond 1000 s and 1 before, whatever
// the odds, the mean tells 51 of 101 quantiles in time from all of them.
func TestExpected(t *testing.T) {
	e := answer(func(_, tokens, q float64) float64 {
		s := 500.0
		if q > 0.5 {
			s = 1500
		}
		if tokens >= 10 {
			s /= 2
		}
		return s
	})
	set := func(o *Options) { o.Slack, o.DeadZoneS, o.Statistic, o.Quantile = 1, 0, Expected, 0.5 }
	c := controller(t, e, deadline(t, 1000), set)
	if d := c.Decide(0, 0); d.Raw != 10 || d.FinishS != 250 {
		t.Errorf("%+v", d)
	}
	if got, want := c.worth(0, 0, 9), (51*1+50*deadline(t, 1000).At(1500))/101; math.Abs(got-want) > 1e-12 {
		t.Errorf("worth of 9 tokens %v, want %v", got, want)
	}
	// By the median, 1 token is enough.
	if d := controller(t, e, deadline(t, 1000), func(o *Options) { set(o); o.Statistic = AtQuantile }).Decide(0,
		0); d.Raw != 1 {
		t.Errorf("%+v", d)
	}
}

// Planned is 820 s, deadline 1000 less 180. While the current allocation leads to an end within 180 s of that, it is
// kept.
func TestHold(t *testing.T) {
	left := 800.0
	e := answer(func(_, tokens, _ float64) float64 { return left * 10 / tokens })
	c := controller(t, e, deadline(t, 1000), func(o *Options) { o.Slack, o.Hold, o.Hysteresis = 1, true, 1 })
	for _, step := range []struct {
		left   float64
		tokens int
		held   bool
	}{{820, 10, false}, {1000, 10, true}, {640, 10, true}, {1001, 13, false}, {1300, 13, true}, {700, 9, false}} {
		left = step.left
		if d := c.Decide(0, 0); d.Tokens != step.tokens || d.Held != step.held {
			t.Errorf("%v s left with 10 tokens: %+v, want %d tokens, held %v", step.left, d, step.tokens, step.held)
		}
	}
}

func TestDeadlineChange(t *testing.T) {
	e := answer(func(_, tokens, _ float64) float64 { return 10_000 / tokens })
	for _, jump := range []bool{false, true} {
		c := controller(t, e, deadline(t, 1000), func(o *Options) {
			quick(o)
			o.Slack, o.DeadZoneS, o.Jump = 1, 0, jump
		})
		c.Decide(0, 0) // 10
		c.SetUtility(deadline(t, 200))
		want := 18 // 10 + 0.2 (50 - 10)
		if jump {
			want = 50
		}
		if d := c.Decide(instant, 0); d.Raw != 50 || d.Tokens != want {
			t.Errorf("jump %v: %+v, want %d tokens", jump, d, want)
		}
		// Once only.
		c.SetUtility(deadline(t, 200))
		c.Decide(2*instant, 0)
		last := c.smoothed
		e2 := c.Decide(3*instant, 0)
		if want := last + 0.2*(50-last); math.Abs(e2.Smoothed-want) > 1e-12 {
			t.Errorf("jump %v: %+v, want %v", jump, e2, want)
		}
	}
}

// What is not known changes nothing, and is all tokens at first; what then is known is followed at once.
func TestUnknown(t *testing.T) {
	known := false
	e := answer(func(_, tokens, _ float64) float64 {
		if !known {
			return math.NaN()
		}
		return 1000 / tokens
	})
	c := controller(t, e, deadline(t, 100), func(o *Options) { o.Slack, o.DeadZoneS = 1, 0 })
	if d := c.Decide(0, math.NaN()); d.Tokens != 100 || !math.IsNaN(d.FinishS) {
		t.Errorf("%+v", d)
	}
	if d := c.Decide(1, math.NaN()); d.Tokens != 100 {
		t.Errorf("%+v", d)
	}
	known = true
	if d := c.Decide(0, 0); d.Tokens != 10 {
		t.Errorf("%+v", d)
	}
	known = false
	if d := c.Decide(0, 0); d.Tokens != 10 || d.Smoothed != 10 {
		t.Errorf("%+v", d)
	}
}

func TestFeasible(t *testing.T) {
	e := answer(func(_, tokens, _ float64) float64 { return 600 + 60_000/tokens }) // 1200 s with 100 tokens
	o := PaperOptions()
	for _, test := range []struct {
		deadline           float64
		possible, promised bool
		says               string
	}{
		{1620, true, true, ""}, // 1.2 · 1200 + 180
		{1619, true, false, "a deadline of 26 min 59 s cannot be promised; the earliest that 100 tokens can promise " +
			"is 27 min"},
		{599, false, false, "no number of tokens meets a deadline of 9 min 59 s: the critical path alone ends after " +
			"10 min; the earliest that 100 tokens can promise is 27 min"},
	} {
		f := o.Feasible(e, 0, 0, 600, test.deadline)
		if f.Possible() != test.possible || f.Promised() != test.promised || f.EarliestS != 1620 {
			t.Errorf("%+v", f)
		}
		if err := f.Err(); (err == nil) != test.promised || err != nil && err.Error() != test.says {
			t.Errorf("%v, want %q", err, test.says)
		}
	}
	// Later, and with a critical path longer than what the table has seen.
	if f := o.Feasible(e, 100, 0.5, 5000, 6000); f.EarliestS != 5100 || !f.Promised() {
		t.Errorf("%+v", f)
	}
	none := answer(func(_, _, _ float64) float64 { return math.NaN() })
	if err := o.Feasible(none, 0, 0, 0, 10).Err(); err == nil || strings.Contains(err.Error(), "earliest") {
		t.Error(err)
	}
}

// Golden: T = 7200 token-minutes and d = 60 min make 120 tokens. Of 100 tokens for 30 s and 200 for 30 s, 80 · 30 of
// 9000 token-seconds lie above; the mean is 150, 1.25 times 120.
func TestOracle(t *testing.T) {
	if got := OracleTokens(7200*60, 60*60); got != 120 {
		t.Errorf("oracle %d, want 120", got)
	}
	for _, test := range []struct {
		work, deadline float64
		want           int
	}{{7200*60 + 1, 3600, 121}, {1, 3600, 1}, {0, 3600, 1}, {0.1 * 3, 0.1, 3}, {5, 0, 0}, {5, -1, 0}} {
		if got := OracleTokens(test.work, test.deadline); got != test.want {
			t.Errorf("oracle of %v / %v is %d, want %d", test.work, test.deadline, got, test.want)
		}
	}
	var u Usage
	if !math.IsNaN(u.AboveOracle(3)) || !math.IsNaN(u.RatioToOracle(3)) {
		t.Error("of nothing, something is above the oracle")
	}
	u.Add(100, 20)
	u.Add(200, 30)
	u.Add(100, 10)
	if a, r := u.AboveOracle(120), u.RatioToOracle(120); math.Abs(a-2400./9000) > 1e-12 || math.Abs(r-1.25) > 1e-12 {
		t.Errorf("above %v, ratio %v", a, r)
	}
	if !math.IsNaN(u.AboveOracle(0)) || !math.IsNaN(u.RatioToOracle(0)) {
		t.Error("an oracle of no tokens")
	}
}

// steps is a random estimator that does not rise with tokens or progress, nor fall with the quantile.
func steps(t *rapid.T) answer {
	fall := rapid.SliceOfN(rapid.Float64Range(0, 300), 20, 20).Draw(t, "falls")
	rest := rapid.Float64Range(0, 2000).Draw(t, "rest")
	spread := rapid.Float64Range(0, 2).Draw(t, "spread")
	return func(progress, tokens, quantile float64) float64 {
		s := rest
		for i, f := range fall {
			if tokens < float64(i+1) {
				s += f
			}
		}
		return s * (1 - progress) * (1 + spread*quantile)
	}
}

func anyUtility(t *rapid.T) Utility {
	var knots []Knot
	at, value := rapid.Float64Range(-1000, 3000).Draw(t, "first"), 1.0
	for range rapid.IntRange(1, 5).Draw(t, "knots") {
		knots = append(knots, Knot{at, value})
		at += rapid.Float64Range(1, 1000).Draw(t, "later")
		if rapid.Bool().Draw(t, "falls") {
			value -= rapid.Float64Range(0.001, 10).Draw(t, "less")
		}
	}
	u, err := NewUtility(knots...)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The raw allocation is what the definition says, allocation by allocation.
func TestRawByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := PaperOptions()
		o.Max, o.Statistic = 24, Statistic(rapid.IntRange(0, 1).Draw(t, "statistic"))
		o.Quantile = rapid.Float64Range(0, 1).Draw(t, "quantile")
		u := anyUtility(t)
		c, err := NewController(steps(t), u, o)
		if err != nil {
			t.Fatal(err)
		}
		now, p := rapid.Float64Range(0, 3000).Draw(t, "now"), rapid.Float64Range(0, 1).Draw(t, "progress")
		most := math.Inf(-1)
		for a := o.Min; a <= o.Max; a++ {
			most = max(most, c.worth(now, p, a))
		}
		want := o.Min
		for c.worth(now, p, want) < most-tie {
			want++
		}
		if d := c.Decide(now, p); d.Raw != want || d.Tokens != want {
			t.Fatalf("%+v, want %d", d, want)
		}
	})
}

// Requests stay between the limits and move towards the raw allocation, never beyond it.
func TestSmoothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := PaperOptions()
		o.Max = 24
		o.Hysteresis = rapid.Float64Range(0.01, 1).Draw(t, "alpha")
		c, err := NewController(steps(t), anyUtility(t), o)
		if err != nil {
			t.Fatal(err)
		}
		last := c.Decide(0, 0)
		for i := range 10 {
			d := c.Decide(float64(i)*60, rapid.Float64Range(0, 1).Draw(t, "progress"))
			low, high := min(last.Smoothed, float64(d.Raw)), max(last.Smoothed, float64(d.Raw))
			if d.Smoothed < low-1e-9 || d.Smoothed > high+1e-9 || d.Tokens < o.Min || d.Tokens > o.Max ||
				float64(d.Tokens) < d.Smoothed-1e-6 {
				t.Fatalf("%+v after %+v", d, last)
			}
			last = d
		}
	})
}

func TestOptions(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"control period": func(o *Options) { o.PeriodS = 0 }, "slack": func(o *Options) { o.Slack = 0.9 },
		"hysteresis": func(o *Options) { o.Hysteresis = 0 }, "dead zone": func(o *Options) { o.DeadZoneS = math.NaN() },
		"quantile": func(o *Options) { o.Quantile = 1.1 }, "statistic": func(o *Options) { o.Statistic = 2 },
		"tokens": func(o *Options) { o.Max = 0 }, "rising": func(o *Options) {
			o.Rise = 2
		}, "learning": func(o *Options) { o.Learn = -1 },
		"at least 0, below 1": func(o *Options) { o.DeadZoneShare = 1 }, "0 to 1": func(o *Options) {
			o.PeriodShare = -1
		},
	} {
		o := PaperOptions()
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&o)
		if _, err := NewController(nil, Utility{}, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecideAllocatesNothing(t *testing.T) {
	var e Estimator = answer(func(p, tokens, q float64) float64 { return (1 - p) * (60 + 6000/tokens) * (1 + q) })
	for _, s := range []Statistic{AtQuantile, Expected} {
		c := controller(t, e, deadline(t, 1000), func(o *Options) { *o = DefaultOptions(); o.Statistic = s })
		if n := testing.AllocsPerRun(100, func() { c.Decide(100, 0.3) }); n != 0 {
			t.Errorf("%v: %v allocations per decision", s, n)
		}
	}
}

// BenchmarkDecide reports decisions per second with an estimator that costs next to nothing.
func BenchmarkDecide(b *testing.B) {
	var e Estimator = answer(func(p, tokens, q float64) float64 { return (1 - p) * (60 + 6000/tokens) * (1 + q) })
	for _, s := range []Statistic{AtQuantile, Expected} {
		b.Run(s.String(), func(b *testing.B) {
			c := controller(b, e, deadline(b, 1000), func(o *Options) { *o = DefaultOptions(); o.Statistic = s })
			b.ReportAllocs()
			for b.Loop() {
				c.Decide(100, 0.3)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}

// Where a few tokens more seem slower, the raw allocation is still the smallest that keeps the deadline: 4 of these.
func TestSmallestOfUnevenAllocations(t *testing.T) {
	left := map[int]float64{1: 24.8, 2: 24.7, 3: 24.7, 4: 23.6}
	e := answer(func(_, tokens, _ float64) float64 {
		if s, ok := left[int(tokens)]; ok {
			return s
		}
		if tokens < 16 {
			return 24.7
		}
		return 21.2
	})
	c := controller(t, e, deadline(t, 24.3), func(o *Options) { o.Slack, o.DeadZoneS, o.Max = 1, 0, 20 })
	if d := c.Decide(0, 0); d.Raw != 4 {
		t.Errorf("%+v, want 4 tokens", d)
	}
}
