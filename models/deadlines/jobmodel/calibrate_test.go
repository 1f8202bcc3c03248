package jobmodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/seed"
	"racecard/models/deadlines/sim"
)

// Simulated runs take as long as past ones, and spread as much, whatever they spend outside tasks: on 2 tokens a run of
// the chain takes 5 + 6 + 0.5 + 1 = 12.5 s, and past runs took 20 s more.
func TestSimulatedRunsTakeAsLongAsPastOnes(t *testing.T) {
	p, tokens := chain(), int64(2)
	for i := range 20 {
		s := 32.5 * math.Exp(0.1*(float64(2*i%5)-2)) // in an order without a trend
		p.RunFactors = append(p.RunFactors, modelfile.RunFactor{RunID: string(rune('a' + i)), Factor: 1, Weight: 1,
			Tokens: &tokens, CompletionS: &s})
	}
	o := DefaultOptions()
	o.Tokens = 2
	m, err := New(of(p), o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sim.Compile(m.Plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0.1, 0.5, 0.9} {
		i := int(share * slownesses)
		res, err := sim.NewRunner(c).Run(&sim.Options{Allocation: []sim.Step{{Tokens: 2}}, Scale: m.Slowness[i]},
			seed.Stream(1, "test", 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(res.End) / 1e6; math.Abs(got/m.Completion[i]-1) > 0.001 {
			t.Errorf("quantile %v: a simulated run takes %v s, want %v", share, got, m.Completion[i])
		}
	}
	if middle := m.Completion[slownesses/2]; math.Abs(middle/32.5-1) > 0.03 {
		t.Errorf("median %v s, want about 32.5", middle)
	}
	if wide := math.Log(m.Completion[slownesses*9/10] / m.Completion[slownesses/10]); wide < 0.25 || wide > 0.6 {
		t.Errorf("%v between the 10th and the 90th percentile, want about 0.4 as among past runs", wide)
	}
}

// Twelve runs alike of 4 tasks of 10 s, 2 of 5 s and one of 1 s, on 2 tokens: 51, 26 and 16 s on 1, 2 and 4, and what
// never was held is less certain.
func TestTwelveRunsAlike(t *testing.T) {
	tokens, took := int64(2), 26.0
	p := &modelfile.Plan{Resolution: modelfile.ByAttempt, Runs: 12,
		Edges: []modelfile.Edge{{Parent: 0, Child: 1, Kind: "all_to_all"}, {Parent: 1, Child: 2, Kind: "all_to_all"}}}
	for _, s := range []struct{ tasks, seconds int64 }{{4, 10}, {2, 5}, {1, 1}} {
		mean, means := float64(s.seconds), []*float64{}
		for range 12 {
			means = append(means, &mean)
		}
		first, none := constant(s.seconds*second), modelfile.Dist{Family: modelfile.None}
		typical := modelfile.Typical{First: &first, FirstS: means, Later: none, LaterS: make([]*float64, 12)}
		if s.tasks > 2 {
			typical.Later, typical.LaterS = first, means
		}
		p.Stages = append(p.Stages, modelfile.Stage{Tasks: counts(s.tasks), Duration: first, Typical: typical})
	}
	for i := range 12 {
		p.RunFactors = append(p.RunFactors, modelfile.RunFactor{RunID: string(rune('a' + i)), Factor: 1, Weight: 1,
			Tokens: &tokens, CompletionS: &took})
	}
	width := map[float64]float64{}
	for a, want := range map[float64]float64{1: 51, 2: 26, 4: 16} {
		o := DefaultOptions()
		o.Tokens = a
		m, err := New(of(p), o)
		if err != nil {
			t.Fatal(err)
		}
		if middle := m.Completion[slownesses/2]; math.Abs(middle/want-1) > 0.01 {
			t.Errorf("on %v tokens %v s, want %v", a, middle, want)
		}
		if warned := len(m.Warnings) > 0; warned != (a != 2) {
			t.Errorf("on %v tokens: warnings %q, want one where no run was", a, m.Warnings)
		}
		width[a] = m.Completion[slownesses*9/10] / m.Completion[slownesses/10]
	}
	if !(width[2] < 1.02 && width[1] > width[2] && width[4] > width[2]) {
		t.Errorf("p90 by p10: %v, want less than 1.02 on 2 tokens and more on others", width)
	}
}

// Factors of slowness make up for the shape of what is drawn anyway: simulated runs of 100 s of the driver and tasks of
// 50 s, which take longer by an exponential share, have the times asked for, also in the tails. Where these spread by
// less than simulated runs do, one factor is for all.
func TestSlownessMakesUpForWhatIsDrawn(t *testing.T) {
	rng := rand.New(seed.Stream(1, "slowness", 0))
	var once, twice []float64
	for range 512 {
		x := 50 * (1 + 0.1*rng.ExpFloat64())
		once, twice = append(once, 100+x), append(twice, 100+2*x)
	}
	times := func(sigma float64) []float64 {
		out := make([]float64, slownesses)
		for i := range out {
			p := (float64(i) + 0.5) / slownesses
			out[i] = 160 * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*p-1))
		}
		return out
	}
	want := times(0.1)
	factors := slownessOf(once, twice, want)
	if !slices.IsSorted(factors) {
		t.Errorf("%v", factors)
	}
	var mixed []float64
	for _, f := range factors {
		for k := range once {
			mixed = append(mixed, once[k]+(f-1)*(twice[k]-once[k]))
		}
	}
	for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
		is, told := quantile.Quantile(quantile.Sort(mixed), p), quantile.Quantile(quantile.Sort(want), p)
		if math.Abs(is/told-1) > 0.005 {
			t.Errorf("p%g of simulated runs is %v s, want %v", 100*p, is, told)
		}
	}
	factors = slownessOf(once, twice, times(0.005))
	if low, high := factors[slownesses/20], factors[slownesses*19/20]; high/low > 1.001 || math.Abs(low-1.1) > 0.05 {
		t.Errorf("factors of %v to %v, want one of 1.1", low, high)
	}
}
