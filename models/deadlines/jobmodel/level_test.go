package jobmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
)

// changing returns jobs whose runs follow each other every hour. The logarithm of a time has noise of a tenth and a
// level that all jobs share.
func changing(jobs, runs int, level func(hour int) float64) *Peers {
	rng := rand.New(rand.NewPCG(31, 32))
	p := &Peers{}
	for j := range jobs {
		for k := range runs {
			r := trace.NewRun(fmt.Sprint(j, "-", k))
			r.Status, r.Submit = trace.Succeeded, trace.Instant(3600e6*k+60e6*j)
			r.End = r.Submit + trace.Instant(60e6*(1+float64(j))*math.Exp(level(k)+0.1*rng.NormFloat64()))
			p.Add(fmt.Sprintf("job-%02d", j), r)
		}
	}
	return p
}

// A level that all jobs share is learned as the runs end; one that few jobs have, or none, is not.
func TestLevels(t *testing.T) {
	rising := func(hour int) float64 { return 0.02 * float64(hour) }
	s := changing(12, 40, rising).Learn()
	got := s.At(trace.None)
	if got == nil || len(got.Levels) != 480 {
		t.Fatalf("learned %+v, want a level after each of 480 runs", got)
	}
	first, last := got.Levels[0], got.Levels[len(got.Levels)-1]
	if first.AtS < 0 || first.AtS > 3600 || last.AtS < 39*3600 || last.AtS > 41*3600 {
		t.Errorf("levels from %v to %v s, want them from the first end to the last", first.AtS, last.AtS)
	}
	for hour := 10; hour < 39; hour++ {
		want := math.Exp(rising(39) - rising(hour))
		if f := got.Levels.Since(3600*float64(hour) + 1800); math.Abs(math.Log(f/want)) > 0.12 {
			t.Errorf("a run of hour %d takes %.2f times as long now, want %.2f", hour, f, want)
		}
	}
	if early := s.At(trace.Instant(5 * 3600e6)); early != nil && len(early.Levels) > 0 {
		t.Errorf("after 60 runs: %+v", early.Levels)
	}
	for name, p := range map[string]*Peers{
		"no level":  changing(12, 40, func(int) float64 { return 0 }),
		"four jobs": changing(4, 120, rising),
	} {
		if got := p.Learn().At(trace.None); got != nil && len(got.Levels) > 0 {
			t.Errorf("%s: levels to %+v", name, got.Levels[len(got.Levels)-1])
		}
	}
}

// Inputs that grow explain that runs take longer, and are no level of all jobs.
func TestLevelIsNoInput(t *testing.T) {
	p := changing(12, 40, func(hour int) float64 { return 0.02 * float64(hour) })
	for _, runs := range p.jobs {
		for i := range runs {
			runs[i].input = 1e9 * float64(1+i)
		}
	}
	if got := p.Learn().At(trace.None); got != nil && len(got.Levels) > 0 {
		t.Errorf("levels to %+v", got.Levels[len(got.Levels)-1])
	}
}

// Times that grow with inputs that vary show a level as times of one input do.
func TestLevelBesidesInputs(t *testing.T) {
	rising := func(hour int) float64 { return 0.02 * float64(hour) }
	p := changing(12, 40, rising)
	rng := rand.New(rand.NewPCG(33, 34))
	for _, runs := range p.jobs {
		for i := range runs {
			f := math.Exp(0.5 * rng.NormFloat64())
			runs[i].input, runs[i].seconds = 1e9*f, runs[i].seconds*f
		}
	}
	got := p.Learn().At(trace.None)
	if got == nil || len(got.Levels) == 0 {
		t.Fatal("no level is learned")
	}
	for hour := 10; hour < 39; hour++ {
		want := math.Exp(rising(39) - rising(hour))
		if f := got.Levels.Since(3600*float64(hour) + 1800); math.Abs(math.Log(f/want)) > 0.12 {
			t.Errorf("a run of hour %d takes %.2f times as long now, want %.2f", hour, f, want)
		}
	}
}

// Runs are alike until the tokens are others, or the input is known where it was not.
func TestAlike(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		input, tokens []float64
		want          int
	}{
		{[]float64{1, 2, 3}, []float64{nan, nan, nan}, 3},
		{[]float64{1, 2, nan}, []float64{4, 4, 4}, 2},
		{[]float64{nan, nan, 1}, []float64{nan, nan, nan}, 2},
		{[]float64{1, 1, 1}, []float64{4, 4, 5}, 2},
		{[]float64{1, 1, 1}, []float64{nan, 4, 4}, 1},
	} {
		runs := make([]peer, len(tc.input))
		for i := range runs {
			runs[i] = peer{input: tc.input[i], tokens: tc.tokens[i]}
		}
		if got := len(alike(runs)); got != tc.want {
			t.Errorf("inputs %v, tokens %v: %d are alike, want %d", tc.input, tc.tokens, got, tc.want)
		}
	}
}

// After a new level of all jobs, the first runs that it slowed count as such, although it was learned after them.
func TestLevelIsSmooth(t *testing.T) {
	got := changing(12, 40, func(hour int) float64 {
		if hour < 20 {
			return 0
		}
		return 0.4
	}).Learn().At(trace.None)
	if got == nil || len(got.Levels) == 0 {
		t.Fatal("no level is learned")
	}
	for hour, want := range map[int]float64{10: 0.4, 15: 0.4, 20: 0, 30: 0} {
		if log := math.Log(got.Levels.Since(3600*float64(hour) + 1800)); math.Abs(log-want) > 0.12 {
			t.Errorf("since hour %d the logarithm of the level grew by %.2f, want %.2f", hour, log, want)
		}
	}
}

// Two ends a day apart, by hand: 0 with a variance of 1, and 1 after it, of a walk with a variance of 1 in a day. The
// mean of the first, given both, is halfway.
func TestSmooth(t *testing.T) {
	day := trace.Instant(24 * 3600e6)
	got := smooth([]trace.Instant{0, day}, []known{{0, 1}, {1, 1}}, 1)
	if math.Abs(got[0]-0.5) > 1e-12 || got[1] != 1 {
		t.Errorf("levels %v, want 0.5 and 1", got)
	}
}

// Where all jobs take 20% longer than when a job's runs ended, its next run is predicted to.
func TestCompleteWithLevels(t *testing.T) {
	p := history("aaaaaaaa")
	runs := p.Plans[0].RunFactors
	for i := range runs {
		took := 100 + float64(i%3)
		end := 3600*float64(i) + took
		runs[i].EndS, runs[i].CompletionS = &end, &took
	}
	median := func(o Options) float64 {
		c, err := NewJob(p).Complete(o)
		if err != nil {
			t.Fatal(err)
		}
		return quantile.Quantile(c.Times, 0.5)
	}
	o := DefaultOptions()
	before := median(o)
	last := *runs[len(runs)-1].EndS
	p.Tell(&modelfile.Surprise{Levels: modelfile.Levels{{AtS: 0}, {AtS: last + 3600, Log: math.Log(1.2)}}})
	if got := median(o) / before; math.Abs(got-1.2) > 1e-9 {
		t.Errorf("the next run takes %v times as long, want 1.2", got)
	}
	if o.Without = []string{"shared"}; median(o) != before {
		t.Errorf("without the levels: %v s, want %v", median(o), before)
	}
}
