package jobmodel

import (
	"math"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/models/deadlines/internal/law"
)

// Ten tasks of 1 + 0.3 x tokens seconds each take about 8, 5 and 4 s on 2, 5 and 10 tokens. They would take 25 s on 80,
// where all run at once, but the run may leave 70 tokens unused. The logarithm of its time has a standard deviation of
// at least 0.4 of the change of the logarithm of tasks' times, and of 0.08 ln(80/10) where they do not change. Between
// tokens that were held there is no least.
func TestFarFromTokens(t *testing.T) {
	grows := 0.3
	expected := func(to float64, without string, held ...int64) (*Job, law.Next) {
		p := contended(grows, held...)
		tasks := 10.0
		p.Resolution, p.Stages[0].Tasks.Mean, p.Stages[0].Totals.WorkS = modelfile.ByAttempt, &tasks, &tasks
		p.Stages[0].Typical.Later.Family = modelfile.Empirical
		p.Stages[0].Duration = p.Stages[0].Typical.Later
		var past []law.Run
		for _, n := range held {
			past = append(past, law.Run{Seconds: 5, Tokens: float64(n)})
		}
		o := DefaultOptions()
		o.Tokens, o.Without = to, []string{without}
		j, next := NewJob(of(p)), law.Next{Tokens: to}
		if err := j.expectAll(past, &next, o, false); err != nil {
			t.Fatal(err)
		}
		return j, next
	}
	j, next := expected(80, "", 2, 5, 10)
	most, err := j.expect(setting{tokens: 10})
	if err != nil || math.Abs(most/4-1) > 0.2 {
		t.Fatalf("%v s on 10 tokens, want about 4: %v", most, err)
	}
	shift := func(tokens float64) float64 { return j.shift(0, tokens, DefaultOptions()) }
	if want := 0.4 * (shift(80) - shift(10)); next.Expected != most || math.Abs(next.Least-want) > 1e-12 || want < 0.2 {
		t.Errorf("%v s on 80 tokens, want %v; least %v, want %v", next.Expected, most, next.Least, want)
	}
	if _, next = expected(80, "unused", 2, 5, 10); !(next.Expected > 2*most) {
		t.Errorf("all tokens used: %v s on 80 tokens, want more than twice %v", next.Expected, most)
	}
	// The ten tasks are expected to take 7 s on 20 tokens, longer than on 10: nothing says that tokens stay unused.
	if _, next = expected(80, "", 5, 10, 20); !(next.Expected > 2*most) {
		t.Errorf("after runs that took longer on 20 tokens than on 10: %v s on 80, want more than twice %v",
			next.Expected, most)
	}
	// Tasks take 1.3 s on one token, 1.6 s on two: the model may be wrong by 0.4 of that.
	if _, next = expected(1, "", 2, 5, 10); math.Abs(next.Least/(0.4*math.Log(1.6/1.3))-1) > 0.2 {
		t.Errorf("on one token: least %v, want about 0.4 ln(1.6/1.3)", next.Least)
	}
	if _, next = expected(80, "", 10); !(next.Least > 0.01) {
		t.Errorf("after one number of tokens: least %v, want what contention may be", next.Least)
	}
	grows = 0
	if _, next = expected(80, "", 2, 5, 10); math.Abs(next.Least-0.08*math.Log(8)) > 1e-12 {
		t.Errorf("tasks whose times do not change: least %v, want 0.08 ln 8", next.Least)
	}
	for _, x := range []struct {
		to      float64
		without string
		held    []int64
	}{{80, "farther", []int64{2, 5, 10}}, {7, "", []int64{2, 5, 10}},
		{1, "farther", []int64{2, 5, 10}}} {
		if _, next := expected(x.to, x.without, x.held...); next.Least != 0 || !(next.Expected > 0) {
			t.Errorf("%v on %v without %q: %+v, want no least", x.held, x.to, x.without, next)
		}
	}
}

// Inputs of 1 to 4: 32 is 8 times the largest, which is as much again as they span, and twice that.
func TestOutsideInputs(t *testing.T) {
	past := []law.Run{{Seconds: 1, InputBytes: 4}, {Seconds: 1, InputBytes: 1}, {InputBytes: 100}, {Seconds: 1}}
	for _, x := range []struct {
		past            []law.Run
		input, want, at float64
	}{{past, 2, 0, 2}, {past, 8, 0, 4}, {past, 16, 0, 4}, {past, 32, math.Log(2), 4}, {past, 0.125, math.Log(2), 1},
		{past, 0, 0, 0}, {past[:1], 2, math.Log(2), 4}, {past[3:], 2, 0, 2}} {
		if got, at := outsideInputs(x.past, x.input); math.Abs(got-x.want) > 1e-12 || at != x.at {
			t.Errorf("%v after %v: %v e-folds, nearest %v; want %v, %v", x.input, x.past, got, at, x.want, x.at)
		}
	}
}

// Runs without times of tasks, exactly in proportion to 1/tokens: on half of the fewest tokens p90 is at least 1.28
// times 0.5 (ln 2)² above the median on the logarithmic scale, and elsewhere it is close to it.
func TestFewerTokensThanHeld(t *testing.T) {
	p := contended(0, 4, 6, 8, 10, 12, 4, 6, 8, 10, 12)
	p.Resolution = modelfile.ByStage
	for i := range p.RunFactors {
		took := 1200 / float64(*p.RunFactors[i].Tokens)
		p.RunFactors[i].CompletionS = &took
	}
	for _, x := range []struct {
		tokens     float64
		without    []string
		from, upTo float64
	}{{2, nil, 0.3, 0.45}, {2, []string{"farther"}, 0, 0.1}, {4, nil, 0, 0.1}, {24, nil, 0, 0.1}} {
		o := DefaultOptions()
		o.Tokens, o.Without = x.tokens, x.without
		c, err := NewJob(of(p)).Complete(o)
		if err != nil {
			t.Fatal(err)
		}
		q := func(p float64) float64 { return quantile.Quantile(c.Times, p) }
		if got := math.Log(q(0.9) / q(0.5)); got < x.from || got > x.upTo {
			t.Errorf("on %v tokens without %v: p90 is %.3f above the median, want %v to %v", x.tokens, x.without, got,
				x.from, x.upTo)
		}
	}
	for i := range p.RunFactors { // nobody knows what these held
		p.RunFactors[i].Tokens = nil
	}
	o := DefaultOptions()
	o.Tokens = 2
	if c, err := NewJob(of(p)).Complete(o); err != nil || !(c.Times.Max() < 2000) {
		t.Errorf("tokens of past runs not known: at most %v s, %v", c.Times.Max(), err)
	}
}

// Runs that each held another number of tokens are simulated on some of these, and the others lie between: the next run
// is expected to take as long as its simulation says, however far from them, and past runs as theirs, within one round
// of tasks in six. The law did not ask the simulation where runs held more than 30 numbers.
func TestRunsOnManyTokens(t *testing.T) {
	var held []int64
	for m := range int64(60) {
		held = append(held, 20+m)
	}
	p := contended(0.01, held...)
	tasks := 400.0
	p.Resolution, p.Stages[0].Tasks.Mean, p.Stages[0].Totals.WorkS = modelfile.ByAttempt, &tasks, &tasks
	p.Stages[0].Typical.Later.Family = modelfile.Empirical
	p.Stages[0].Duration = p.Stages[0].Typical.Later
	j := NewJob(of(p))
	var past []law.Run
	for _, n := range held {
		s, err := j.expect(setting{tokens: float64(n)})
		if err != nil {
			t.Fatal(err)
		}
		past = append(past, law.Run{Seconds: s, InputBytes: math.NaN(), Tokens: float64(n), Expected: math.NaN()})
		p.RunFactors[len(past)-1].CompletionS = &past[len(past)-1].Seconds
	}
	for _, to := range []float64{5, 20, 42, 79, 300} {
		next := law.Next{Tokens: to}
		if err := j.expectAll(past, &next, DefaultOptions(), false); err != nil {
			t.Fatal(err)
		}
		for _, r := range past {
			if math.Abs(r.Expected/r.Seconds-1) > 0.15 {
				t.Errorf("a run on %v tokens is expected to take %v s, want about %v", r.Tokens, r.Expected, r.Seconds)
			}
		}
		o := DefaultOptions()
		o.Tokens = to
		want, err := j.expect(setting{tokens: to})
		if err != nil {
			t.Fatal(err)
		}
		of, err := j.Complete(o)
		if err != nil {
			t.Fatal(err)
		}
		if middle := quantile.Quantile(of.Times, 0.5); math.Abs(middle/want-1) > 0.1 || next.Expected > want {
			t.Errorf("on %v tokens: %v s, expected %v, want %v", to, middle, next.Expected, want)
		}
	}
}

// By hand: of 100 numbers from 10 to 1,000 those nearest to a geometric series are taken, with both ends. Two plans have
// half as many each, and runs that the law does not learn from count only while there are few.
func TestSimulatedTokens(t *testing.T) {
	runs := func(n, plans int) (past []law.Run) {
		for i := range n {
			past = append(past, law.Run{Seconds: 1, Tokens: float64(10 * (1 + i)), Plan: i % plans})
		}
		return past
	}
	if got := simulatedTokens(runs(29, 1))[0]; len(got) != 29 {
		t.Errorf("%d of 29 numbers", len(got))
	}
	one, two := simulatedTokens(runs(60, 1)), simulatedTokens(runs(60, 2))
	if got := one[0]; len(got) != 14 || got[0] != 10 || got[13] != 600 {
		t.Errorf("of 60 numbers: %v", got)
	}
	if len(two) != 2 || len(two[0]) > mostKnots/2 || two[1][0] != 20 {
		t.Errorf("of 60 numbers of two plans: %v", two)
	}
	if got := simulatedTokens(runs(200, 1))[0]; got[0] != 1410 || got[len(got)-1] != 2000 || len(got) != mostKnots {
		t.Errorf("of 200 numbers: %v", got)
	}
	line := func(tokens float64) float64 { return 100 / tokens }
	for tokens, want := range map[float64]float64{1: 10, 10: 10, 20: 5, 40: 2.5, 80: 2.5} {
		if got := between([]float64{10, 40}, tokens, line); math.Abs(got-want) > 1e-9 {
			t.Errorf("100/tokens on %v, from 10 and 40: %v, want %v", tokens, got, want)
		}
	}
}

// A run of ten tasks of 46 days each is too long to simulate on one or two tokens. It is expected to take as many times
// as long as one of ten tasks of a second as its tasks do; what the driver takes first does not grow.
func TestLongRuns(t *testing.T) {
	const days = 4_000_000 // in seconds
	expected := func(seconds, tokens float64) float64 {
		p := contended(0, 10)
		tasks := 10.0
		p.Resolution, p.Stages[0].Tasks.Mean, p.Stages[0].Totals.WorkS = modelfile.ByAttempt, &tasks, &tasks
		later := &p.Stages[0].Typical.Later
		later.Family, later.Values[0] = modelfile.Empirical, int64(seconds*1e6)
		p.Stages[0].Duration = *later
		p.Driver.StartUp = modelfile.Dist{Family: modelfile.Empirical, N: 1, Values: []int64{100e6}}
		x, err := NewJob(of(p)).expect(setting{tokens: tokens})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, tokens := range []float64{1, 2, 10} {
		short := expected(1, tokens)
		want := 100 + (short-100)*days
		if got := expected(days, tokens); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("on %v tokens: %v s, want %v", tokens, got, want)
		}
	}
}
