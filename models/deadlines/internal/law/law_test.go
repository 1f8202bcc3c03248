package law

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var nan = math.NaN()

func plain(seconds ...float64) []Run {
	var runs []Run
	for _, s := range seconds {
		runs = append(runs, Run{Submit: nan, Seconds: s, InputBytes: nan, Tokens: nan, Expected: nan})
	}
	return runs
}

func times(t *testing.T, past []Run, next Next) []float64 {
	t.Helper()
	p := DefaultPrior()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	f, ok := Predict(past, next, p)
	if !ok {
		t.Fatal("no prediction")
	}
	all := f.Times(200, &Standards{})
	if !slices.IsSorted(all) || len(all) != 200 || !(all[0] > 0) || math.IsInf(all[199], 1) {
		t.Fatalf("times %v", all)
	}
	return all
}

func unknown() Next { return Next{InputBytes: nan, Tokens: nan, Expected: nan} }

// Runs that are all alike are foretold so, and ever closer.
func TestAlike(t *testing.T) {
	twelve := times(t, plain(slices.Repeat([]float64{26}, 12)...), unknown())
	if math.Abs(twelve[100]/26-1) > 0.001 || twelve[180]/twelve[20] > 1.03 {
		t.Errorf("twelve runs of 26 s: %v, %v, %v", twelve[20], twelve[100], twelve[180])
	}
	one := times(t, plain(26), unknown())
	if math.Abs(one[100]/26-1) > 0.01 || one[180]/one[20] < 1.2 {
		t.Errorf("one run of 26 s: %v, %v, %v: want it wide", one[20], one[100], one[180])
	}
}

// The slope is the one that nature has where few runs tell, and the one that they have where many do.
func TestSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	of := func(n int, slope, tokens float64) []Run {
		var past []Run
		for range n {
			x, m := math.Exp(0.3*rng.NormFloat64()), float64(2+rng.IntN(7))
			past = append(past, Run{Submit: nan, Seconds: 50 * math.Pow(x, slope) * math.Pow(m,
				tokens) * math.Exp(0.02*rng.NormFloat64()), InputBytes: 1e9 * x, Tokens: m, Expected: nan})
		}
		return past
	}
	for _, x := range []struct {
		n             int
		slope, tokens float64
		within        float64
	}{{5, 1, -1, 0.1}, {40, 0.8, -0.3, 0.05}, {5, 0, 0, 0.1}} {
		got := times(t, of(x.n, x.slope, x.tokens), Next{InputBytes: 2e9, Tokens: 8, Expected: nan})
		want := 50 * math.Pow(2, x.slope) * math.Pow(8, x.tokens)
		if math.Abs(math.Log(got[100]/want)) > x.within {
			t.Errorf("%d runs with slopes %v and %v: %v, want %v", x.n, x.slope, x.tokens, got[100], want)
		}
	}
}

// A simulation of the effect of tokens is believed where no run was.
func TestExpected(t *testing.T) {
	var past []Run
	for range 12 {
		past = append(past, Run{Submit: nan, Seconds: 26, InputBytes: nan, Tokens: 2, Expected: 25})
	}
	got := times(t, past, Next{InputBytes: nan, Tokens: 4, Expected: 15})
	if want := 26. / 25 * 15; math.Abs(got[100]/want-1) > 0.01 {
		t.Errorf("%v, want %v", got[100], want)
	}
}

// Twelve runs alike tell nothing of an error of 0.2 in the expected time of the next: its p10 and p90 are that far
// apart, by hand 2 x 0.2 x 1.35 of Student's t distribution with 12 to 15 degrees of freedom, around the same median.
func TestLeastWidth(t *testing.T) {
	var past []Run
	for range 12 {
		past = append(past, Run{Submit: nan, Seconds: 26, InputBytes: nan, Tokens: 2, Expected: 25})
	}
	narrow := times(t, past, Next{InputBytes: nan, Tokens: 2, Expected: 25})
	wide := times(t, past, Next{InputBytes: nan, Tokens: 2, Expected: 25, Least: 0.2})
	if got, want := math.Log(wide[180]/wide[20]), 2*0.2*1.35; math.Abs(got/want-1) > 0.02 {
		t.Errorf("p10 and p90 are %v apart, want %v", got, want)
	}
	if was := math.Log(narrow[180] / narrow[20]); was > 0.1 || math.Abs(wide[100]/narrow[100]-1) > 0.01 {
		t.Errorf("p10 and p90 were %v apart; the median went from %v to %v", was, narrow[100], wide[100])
	}
}

// Expected times that were fitted to the same runs seem better than they are: the forecast is wider than where they
// were learned from other runs.
func TestExpectedFromTheSameRuns(t *testing.T) {
	wide := func(apart bool) float64 {
		var past []Run
		for i, seconds := range []float64{103, 51, 26.5, 12.4, 6.4} {
			past = append(past, Run{Submit: nan, Seconds: seconds, InputBytes: nan, Tokens: math.Exp2(float64(i)),
				Expected: 100 / math.Exp2(float64(i)), Apart: apart})
		}
		got := times(t, past, Next{InputBytes: nan, Tokens: 3, Expected: 100. / 3})
		return got[180] / got[20]
	}
	if same, other := wide(false), wide(true); !(same > 1.05*other) {
		t.Errorf("p90/p10 of %v where expected times come from the same runs, %v from others", same, other)
	}
}

// Priors are distributions.
func TestPriors(t *testing.T) {
	for _, p := range []Prior{DefaultPrior(), ReplayPrior()} {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// An input twice as large as any before may take twice as long, or as long as before: the distribution says both.
func TestInputNeverSeen(t *testing.T) {
	var past []Run
	for i := range 12 {
		past = append(past, Run{Submit: nan, Seconds: 30 + float64(i%3), InputBytes: 1e9, Tokens: nan, Expected: nan})
	}
	got := times(t, past, Next{InputBytes: 2e9, Tokens: nan, Expected: nan})
	if got[10] > 33 || got[190] < 58 {
		t.Errorf("%v to %v, want it to hold 31 and 62", got[10], got[190])
	}
}

// A trend that begins after many runs without one is followed, also one that is hardly above the noise.
func TestNewTrend(t *testing.T) {
	for _, test := range []struct {
		noise, growth float64
		runs          int // of the trend
	}{{0.03, 1.1, 5}, {0.08, 1.03, 6}} {
		const before = 16
		var runs []float64
		trend := 60.0
		for i := range before + test.runs {
			noise := 1 + test.noise*float64(i%3-1)
			if i >= before {
				trend *= test.growth
				noise = 1
			}
			runs = append(runs, trend*noise)
		}
		got, want := times(t, plain(runs...), unknown())[100], trend*test.growth
		if math.Abs(got/want-1) > 0.05 {
			t.Errorf("after a trend to %.0f s: %.0f s, want %.0f", trend, got, want)
		}
	}
}

// A new level is followed after a run or two, and a single outlier is not.
func TestNewLevelAndOutlier(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	noisy := func(level float64, n int) []Run {
		var s []float64
		for range n {
			s = append(s, level*math.Exp(0.03*rng.NormFloat64()))
		}
		return plain(s...)
	}
	level := times(t, append(noisy(100, 20), noisy(150, 2)...), unknown())
	if math.Abs(level[100]/150-1) > 0.06 {
		t.Errorf("after two runs of 150 s: %v", level[100])
	}
	outlier := append(append(noisy(100, 12), plain(400)...), noisy(100, 6)...)
	got := times(t, outlier, unknown())
	if math.Abs(got[100]/100-1) > 0.04 || got[180]/got[20] > 1.25 {
		t.Errorf("after one run of 400 s among others of 100: %v to %v to %v", got[20], got[100], got[180])
	}
}

// A forecast has a density, and the mixture of two is either by its share: p30 of one to 70% later runs is the end of
// the earlier ones.
func TestMixed(t *testing.T) {
	early, _ := Predict(plain(10, 11, 9, 10, 10.5, 9.5), unknown(), DefaultPrior())
	late, _ := Predict(plain(10, 11, 9, 10, 10.5, 9.5), unknown(), PlainPrior())
	for i := range late.parts {
		late.parts[i].middle += math.Log(10)
	}
	mixed := early.Mixed(late, 0.7)
	if got := mixed.Times(1000, &Standards{}); got[290] > 20 || got[310] < 50 {
		t.Errorf("%v s and %v s around p30, want it between 10 and 100", got[290], got[310])
	}
	for i, f := range []Forecast{early, mixed} {
		const step = 0.001
		sum, before := 0.0, 0.0
		for x := math.Log(10) - 3; x < math.Log(100)+3; x += step {
			p := step * math.Exp(f.Log(math.Exp(x)))
			if sum += p; x < math.Log(30) {
				before += p
			}
		}
		if want := []float64{1, 0.3}[i]; math.Abs(sum-1) > 0.01 || math.Abs(before-want) > 0.01 {
			t.Errorf("the density adds up to %v, %v before 30 s: want 1 and %v", sum, before, want)
		}
	}
}

// Times that a trend and the input explain are as likely in any order to the plain prior.
func TestPlainPrior(t *testing.T) {
	up, down := plain(10, 20, 30, 40, 50, 60, 70, 80, 90, 100), plain(100, 90, 80, 70, 60, 50, 40, 30, 20, 10)
	next := unknown()
	f, _ := Predict(up, next, PlainPrior())
	g, _ := Predict(down, next, PlainPrior())
	a, b := f.Times(201, &Standards{}), g.Times(201, &Standards{})
	for _, k := range []int{20, 100, 180} {
		if math.Abs(a[k]/b[k]-1) > 1e-3 {
			t.Errorf("%v s rising, %v s falling", a[k], b[k])
		}
	}
	if math.Abs(a[100]/45.3-1) > 0.01 { // the geometric mean
		t.Errorf("a median of %v s, want 45.3", a[100])
	}
}

// Runs that weigh nothing, as with a half-life that is short against the time between runs, say nothing, and do no
// harm.
func TestRunsWithoutWeight(t *testing.T) {
	past := plain(1000, 500, 20, 21)
	past[0].Extra, past[1].Extra = 1e9, 1e9
	if got := times(t, past, unknown()); math.Abs(got[100]/20.5-1) > 0.05 {
		t.Errorf("%v, want about 20.5", got[100])
	}
}

// A new plan may have a new level.
func TestNewPlan(t *testing.T) {
	past := plain(100, 102, 99, 101, 98, 100, 103, 100, 99, 100)
	next := unknown()
	next.Plan = 1
	past = append(past, plain(60)...)
	past[10].Plan = 1
	if got := times(t, past, next); math.Abs(got[100]/60-1) > 0.1 {
		t.Errorf("after one run of 60 s of a new plan: %v", got[100])
	}
}

// As many runs lie below each quantile as it says, over jobs with noise of all sizes.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const jobs = 600 // a share of a half has a standard error of 2%
	levels := []int{20, 100, 180, 190}
	below := make([]float64, len(levels))
	for k := range jobs {
		noise := 0.03 * math.Pow(10, float64(k%3)/2)
		var s []float64
		for range 4 + k%12 {
			s = append(s, 100*math.Exp(noise*rng.NormFloat64()))
		}
		got := times(t, plain(s...), unknown())
		y := 100 * math.Exp(noise*rng.NormFloat64())
		for i, l := range levels {
			if y <= (got[l]+got[l-1])/2 {
				below[i]++
			}
		}
	}
	for i, want := range []float64{0.1, 0.5, 0.9, 0.95} {
		if share := below[i] / jobs; math.Abs(share-want) > 0.06 {
			t.Errorf("%v of runs lie below the quantile %v", share, want)
		}
	}
}

// Times that grow by 5% from run to run are followed, and not only from behind.
func TestTrend(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var s []float64
	for i := range 16 {
		s = append(s, 100*math.Pow(1.05, float64(i))*math.Exp(0.02*rng.NormFloat64()))
	}
	got := times(t, plain(s...), unknown())
	if want := 100 * math.Pow(1.05, 16); math.Abs(got[100]/want-1) > 0.02 {
		t.Errorf("%v after a trend, want %v", got[100], want)
	}
}

// Loud runs are no trend: a job whose runs differ tenfold by chance, and whose level rose once, is not expected to rise
// on. A quiet one that doubles from run to run is.
func TestLoudRunsAreNoTrend(t *testing.T) {
	loud := times(t, plain(5, 3, 3, 5, 9, 8, 5, 4, 7, 4, 497, 73, 101, 716, 9, 292, 453, 223, 119, 628, 195), unknown())
	if loud[100] > 300 || loud[190] > 3000 {
		t.Errorf("after loud runs of 3 to 716 s: %v s, and %v s for 95%% of them", loud[100], loud[190])
	}
	doubling := times(t, plain(10, 20, 50, 90, 200, 400, 900, 2100), unknown())
	if doubling[100] < 2500 || doubling[100] > 6000 {
		t.Errorf("after runs that double up to 2100 s: %v s", doubling[100])
	}
}

// The noise of loud runs, of one task each, is not the luck of tasks: it is no larger on many tokens. Quiet noise is.
func TestNoiseOnMoreTokens(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, noise := range []float64{1.5, 0.03} {
		var past []Run
		for range 24 {
			past = append(past, Run{Submit: nan, Seconds: 100 * math.Exp(noise*rng.NormFloat64()), InputBytes: nan,
				Tokens: 2, Expected: 100, Scatter: 1. / 16})
		}
		past[23].Tokens, past[23].Scatter = 32, 1
		next := Next{InputBytes: nan, Tokens: 32, Expected: 100}
		got := times(t, past, next)
		wide := math.Log(got[180]/got[20]) / 2.56 / noise // in units of the noise
		if loud := noise > 1; loud && wide > 1.5 || !loud && wide < 1.5 {
			t.Errorf("noise of %v on 2 tokens is %v times as large on 32", noise, wide)
		}
	}
}

// Forecasts from few loud runs stay near them, also on other tokens. Those from quiet runs are as if that were no rule.
func TestFewLoudRuns(t *testing.T) {
	loud := times(t, plain(200, 35_528, 36_687), unknown())
	if loud[190] > 20*36_687 || loud[190] < 36_687 || loud[10] < 200./20 || loud[10] > 200 {
		t.Errorf("after runs of 200 to 36,687 s: 90%% take %v to %v s", loud[10], loud[190])
	}
	var past []Run
	for i, s := range []float64{4529, 4, 3069, 2302, 620} {
		past = append(past, Run{Submit: nan, Seconds: s, InputBytes: nan, Tokens: float64(int(1) << (i % 3)),
			Expected: nan, Scatter: float64(int(1)<<(i%3)) / 8})
	}
	if got := times(t, past, Next{InputBytes: nan, Tokens: 8, Expected: nan}); got[190] > 50*4529 {
		t.Errorf("after runs of 4 to 4,529 s on 1, 2 and 4 tokens, 5%% take more than %v s on 8", got[190])
	}
	rng := rand.New(rand.NewPCG(15, 16))
	var quiet []float64
	for range 12 {
		quiet = append(quiet, 100*math.Exp(0.03*rng.NormFloat64()))
	}
	f, ok := Predict(plain(quiet...), unknown(), DefaultPrior())
	if !ok {
		t.Fatal("no forecast")
	}
	near := f.Times(200, &Standards{})
	f.shortest, f.longest = math.Inf(-1), math.Inf(1)
	if far := f.Times(200, &Standards{}); !slices.Equal(near[10:190], far[10:190]) {
		t.Errorf("quiet runs: %v s to %v s, want %v s to %v s", near[10], near[190], far[10], far[190])
	}
}

// A run that took ten times as long as the twelve before it is an outlier rather than a new level; two of them are a
// new level.
func TestOneIsNoLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	var s []float64
	for range 12 {
		s = append(s, 100*math.Exp(0.03*rng.NormFloat64()))
	}
	if got := times(t, plain(append(s, 1000)...), unknown()); math.Abs(got[100]/100-1) > 0.05 {
		t.Errorf("%v after one run of 1000 s, want about 100", got[100])
	}
	if got := times(t, plain(append(s, 1000, 1020)...), unknown()); math.Abs(got[100]/1000-1) > 0.1 {
		t.Errorf("%v after two runs of about 1000 s", got[100])
	}
}

func TestNothingToLearnFrom(t *testing.T) {
	for _, past := range [][]Run{nil, plain(nan, 0, -1, math.Inf(1))} {
		if _, ok := Predict(past, unknown(), DefaultPrior()); ok {
			t.Errorf("%v is predicted from", past)
		}
	}
	for _, change := range []func(*Prior){func(p *Prior) { p.Input = nil }, func(p *Prior) {
		p.Drift[0] = 0
	}, func(p *Prior) { p.Scale[0] = 0.5 }} {
		p := DefaultPrior()
		if change(&p); p.Validate() == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}

// What was learned for one next run predicts others as if it was learned for these, whatever they have known of them,
// and nothing that other past runs or another prior teach.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	var past []Run
	for range 12 {
		past = append(past, Run{Submit: nan, Seconds: math.Exp(0.1 * rng.NormFloat64()), InputBytes: 1 + rng.Float64(),
			Tokens: float64(1 + rng.IntN(4)), Expected: nan})
	}
	other := slices.Clone(past)
	other[3].Plan, other[5].Scatter = 1, 0.5
	var l Laws
	for range 60 {
		next := Next{InputBytes: nan, Tokens: nan, Expected: nan, Plan: rng.IntN(2)}
		if rng.IntN(3) > 0 {
			next.InputBytes = 3 * rng.Float64()
		}
		if rng.IntN(3) > 0 {
			next.Tokens, next.Scatter = float64(1+rng.IntN(9)), float64(rng.IntN(3))
		}
		of, prior := past, DefaultPrior()
		if rng.IntN(3) == 0 {
			of = other
		}
		if rng.IntN(4) == 0 {
			prior = prior.Without("drift")
		}
		got, _ := l.Predict(of, next, prior)
		want, ok := Predict(of, next, prior)
		if !ok || !slices.Equal(got.parts, want.parts) {
			t.Fatalf("%+v: %d components, want %d", next, len(got.parts), len(want.parts))
		}
	}
	if len(l.all) != mostLaws {
		t.Errorf("%d laws are kept, want %d", len(l.all), mostLaws)
	}
}

// manyRuns are past runs on several tokens.
func manyRuns() (past []Run) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range MostRuns {
		past = append(past, Run{Submit: nan, Seconds: math.Exp(rng.NormFloat64()), InputBytes: 1 + rng.Float64(),
			Tokens: float64(1 + rng.IntN(8)), Expected: nan})
	}
	return past
}

func BenchmarkPredict(b *testing.B) {
	past := manyRuns()
	for b.Loop() {
		f, _ := Predict(past, Next{InputBytes: 1.5, Tokens: 3, Expected: nan}, DefaultPrior())
		f.Times(256, &Standards{})
	}
}

// Where twice the machines help less and less, that goes on below the fewest that were tried; a line would say 20%
// less.
func TestBend(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	took := func(m float64) float64 { return 60 * math.Exp(-0.5*math.Log(m/6)+bent*math.Pow(math.Log(m/6), 2)) }
	var past []Run
	for range 4 {
		for _, m := range []float64{4, 6, 8, 10, 12} {
			past = append(past, Run{Submit: nan, Seconds: took(m) * math.Exp(0.01*rng.NormFloat64()), InputBytes: nan,
				Tokens: m, Expected: nan})
		}
	}
	next := Next{InputBytes: nan, Tokens: 2, Expected: nan}
	if got := times(t, past, next)[100]; math.Abs(got/took(2)-1) > 0.05 {
		t.Errorf("on 2 machines: %v, want %v", got, took(2))
	}
	f, _ := Predict(past, next, DefaultPrior().Without("bend"))
	if got := f.Times(201, &Standards{})[100]; got/took(2)-1 > -0.05 {
		t.Errorf("on 2 machines without a bend: %v of %v, want less", got, took(2))
	}
	if bend(3) != 8 || bend(-1) != 1 {
		t.Errorf("bends of %v and %v", bend(3), bend(-1))
	}
}

// Two runs of a like input that disagree, one of them among the newest: neither is an outlier, and the next may take as
// long as either.
func TestTwoDisagree(t *testing.T) {
	var past []Run
	for i, s := range []float64{133, 14.4, 14, 239, 13.5, 13.7} {
		past = append(past, Run{Submit: nan, Seconds: s, InputBytes: []float64{16e6, 2.6e6, 1e5}[i%3], Tokens: nan,
			Expected: nan})
	}
	got := times(t, past, Next{InputBytes: 16e6, Tokens: nan, Expected: nan})
	if got[20] > 133 || got[180] < 239 {
		t.Errorf("%v to %v, want it to hold 133 and 239", got[20], got[180])
	}
}

// Jobs so loud that effects in units of the noise would allow any slope are still foretold within reason on tokens that
// few runs held; so were p5 and p95 1e-12 s and 1e16 s for runs of NASA's iPSC between 1 s and 6 h.
func TestLoud(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	var past []Run
	for i := range 14 {
		past = append(past, Run{Submit: nan, Seconds: 100 * math.Exp(2*rng.NormFloat64()), InputBytes: nan,
			Tokens: []float64{1, 1, 1, 4}[i%4], Expected: nan})
	}
	got := times(t, past, Next{InputBytes: nan, Tokens: 32, Expected: nan})
	if got[10] < 1e-3 || got[190] > 1e7 {
		t.Errorf("%v to %v from runs of 0.1 s to 10,000 s", got[10], got[190])
	}
}

// Predictions of other next runs from the same past ones.
func BenchmarkPredictAgain(b *testing.B) {
	past, l := manyRuns(), &Laws{}
	for i := 0; b.Loop(); i++ {
		f, _ := l.Predict(past, Next{InputBytes: 1.5, Tokens: float64(1 + i%64), Expected: nan}, DefaultPrior())
		f.Times(256, &Standards{})
	}
}
