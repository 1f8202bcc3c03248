package jobmodel

import (
	"math"
	"slices"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/models/deadlines/sim"
)

// contended is a plan of one stage whose later tasks take 1 + b x tokens seconds in runs on these tokens.
func contended(b float64, tokens ...int64) *modelfile.Plan {
	s := modelfile.Stage{}
	p := &modelfile.Plan{}
	for _, m := range tokens {
		mean := 1 + b*float64(m)
		s.Typical.LaterS = append(s.Typical.LaterS, &mean)
		p.RunFactors = append(p.RunFactors, modelfile.RunFactor{Tokens: &m, Factor: 1, Weight: 1})
		s.Typical.Later.Values = append(s.Typical.Later.Values, int64(1e6*mean))
		s.Typical.Later.N++
	}
	p.Stages = []modelfile.Stage{s}
	return p
}

func grown(p *modelfile.Plan, tokens float64) *growth {
	return newGrowth(p, newTokenTimes(p, math.NaN()), tokens, false)
}

// Tasks that take a + b x tokens are foretold so beyond the tokens of past runs: by hand, (1+80b)/(1+40b) times as long
// on 80 tokens as on 40. Three runs leave some doubt.
func TestContentionIsExtrapolated(t *testing.T) {
	for _, b := range []float64{0, 0.001, 0.004} {
		g := grown(contended(b, 10, 20, 40), 80)
		_, later := g.of(0)
		got, want := later.at(1+20*b), 1+80*b
		if math.Abs(got/want-1) > 0.08 {
			t.Errorf("1 + %v x tokens: %v s on 80 tokens, want %v", b, got, want)
		}
	}
}

// Runs on many numbers of tokens, as clusters that add and take away executors have, are averaged over spans of tokens.
// That tells the same as all numbers on their own; thousands of these would take minutes.
func TestContentionOfManyAllocations(t *testing.T) {
	for _, test := range []struct {
		b float64
		n int
	}{{0, 200}, {0.001, 200}, {0.004, 200}, {0.004, 3000}} {
		var tokens []int64
		var own []int
		for i := range test.n {
			tokens, own = append(tokens, 10+int64(i)), append(own, i)
		}
		p := contended(test.b, tokens...)
		spans := newTokenTimes(p, math.NaN())
		weight := 0.0
		for _, at := range spans.later[0] {
			weight += at.weight
		}
		if n := len(spans.later[0]); n > mostPoints || n < mostPoints/2 || math.Abs(weight-float64(test.n)) > 1e-6 {
			t.Errorf("%d runs: %d points of weight %v", test.n, n, weight)
		}
		if test.n > 200 {
			continue
		}
		all := timesOf(p, own, test.n)
		for _, on := range []float64{1, 5, 10, 50, 209, 400, 2000} {
			_, got := newGrowth(p, spans, on, false).of(0)
			_, want := newGrowth(p, all, on, false).of(0)
			if g, w := got.at(1), want.at(1); math.Abs(g/w-1) > 0.01 {
				t.Errorf("1 + %v x tokens, on %v: a task of 1 s takes %v s, of all numbers on their own %v", test.b, on, g, w)
			}
		}
	}
}

// One run tells nothing of contention: the prior does, 5% at a crowd, nearly none where few tasks run at once, and in
// proportion to tokens where more do: 20% at 40 tokens would be (1 + 0.2 x 2.5)/1.2 = 1.25 on 100.
func TestContentionOfOneRun(t *testing.T) {
	for _, x := range []struct {
		at        int64
		to        float64
		low, high float64
	}{{10, 40, 1.1, 1.2}, {10, 2, 0.94, 0.98}, {2, 4, 1, 1.005}, {40, 100, 1.2, 1.35}} {
		_, later := grown(contended(0, x.at), x.to).of(0)
		if got := later.at(1); !(got >= x.low && got <= x.high) {
			t.Errorf("%d to %v tokens: a task of 1 s takes %v s, want %v to %v", x.at, x.to, got, x.low, x.high)
		}
	}
}

// A stage of 20 tasks has no more than 20 at once. By hand: with a slowdown of 10% on 10 tokens, 1.4/1.1 on 40 tokens,
// and 1.2/1.1 where it is capped.
func TestContentionOfFewTasks(t *testing.T) {
	for _, x := range []struct {
		capped bool
		want   float64
	}{{false, 1.4 / 1.1}, {true, 1.2 / 1.1}} {
		c := contention{share: 0.1, capped: x.capped}
		if got := c.slower(40, 10, 20, 0); math.Abs(got-x.want) > 1e-12 {
			t.Errorf("capped %v: %v, want %v", x.capped, got, x.want)
		}
	}
	sum, of := 0.0, 0.0
	for _, c := range contentions {
		sum += c.prior
	}
	for _, d := range deviations {
		of += d.prior
	}
	if math.Abs(sum-1) > 1e-12 || math.Abs(of-1) > 1e-12 {
		t.Errorf("prior probabilities sum to %v and %v", sum, of)
	}
}

// A machine of two processors: on three tokens all tasks take half as long again. So they take six times as long on 12,
// which no contention of a crowd explains. A stage of one task has a processor for itself: by hand, 6 tokens are three
// times as many as processors, one task is fewer.
func TestMachinesWithoutFreeProcessors(t *testing.T) {
	p := contended(0, 1, 2, 3)
	*p.Stages[0].Typical.LaterS[2], p.Stages[0].Typical.Later.Values[2] = 1.5, 1_500_000
	for len(p.Stages) < 6 {
		p.Stages = append(p.Stages, p.Stages[0])
	}
	_, later := grown(p, 12).of(0)
	if got := math.Exp(later.middle + later.shift); !(got >= 5 && got <= 7) {
		t.Errorf("%.2f s on 12 tokens, want about 6", got)
	}
	c := contention{capped: true, full: 1}
	if many, one := c.slower(6, 2, 100, 0), c.slower(6, 2, 1, 0); math.Abs(many-3) > 1e-12 || one != 1 {
		t.Errorf("%v times as long with 100 tasks, %v with one; want 3 and 1", many, one)
	}
}

// A stage of two tasks that ran on warm executors on 2 tokens, and on cold ones on 5 and on 10, takes as long on 80 as on
// 10. So does a stage whose mean varies for no reason. The times of both are from query 8 of TPC-H.
func TestJumpsAreNotExtrapolated(t *testing.T) {
	for _, x := range []struct {
		seconds     []float64
		least, most float64
	}{{[]float64{0.086, 1.482, 1.506}, 0.75, 3}, {[]float64{0.263, 0.273, 0.114}, 0.1, 0.3}} {
		p := contended(0, 2, 5, 10)
		later := &p.Stages[0].Typical
		for i, s := range x.seconds {
			*later.LaterS[i], later.Later.Values[i] = s, int64(1e6*s)
		}
		_, changed := grown(p, 80).of(0)
		if got := math.Exp(changed.middle + changed.shift); !(got >= x.least && got <= x.most) {
			t.Errorf("%v s on 2, 5 and 10 tokens: %.3f s on 80, want %v to %v", x.seconds, got, x.least, x.most)
		}
	}
}

// Of a job whose tasks take a second or minutes, two runs on 64 tokens that took half as long as thirty on 32 tell
// nothing of 8 tokens, where a task of a calm job takes longer.
func TestLoudRunsTellLittleOfTokens(t *testing.T) {
	on := func(sd float64) float64 {
		p := contended(0, slices.Concat(slices.Repeat([]int64{32}, 30), []int64{64, 64})...)
		later := &p.Stages[0].Typical
		for i, m := range later.LaterS {
			*m = math.Exp(sd * float64(i%5-2))
			if i >= 30 {
				*m = 0.5 * math.Exp(sd*float64(2*(i%2)-1))
			}
			later.Later.Values[i] = int64(1e6 * *m)
		}
		_, changed := grown(p, 8).of(0)
		return changed.at(1)
	}
	if calm, loud := on(0.01), on(1.2); calm < 1.3 || math.Abs(loud-1) > 0.1 {
		t.Errorf("a task of 1 s takes %.2f s on 8 tokens of a calm job, want more than 1.3, and %.2f of a loud one, want 1",
			calm, loud)
	}
}

// Far extrapolation stays a duration that a simulation takes. A job of the NASA log came to 336 days.
func TestExtrapolatedDurationsAreBounded(t *testing.T) {
	if got := (change{narrow: 1, shift: 100}).at(1); got != sim.MaxDuration/1e6 {
		t.Errorf("%v s, want %v", got, sim.MaxDuration/1e6)
	}
}
