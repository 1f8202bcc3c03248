package jobmodel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"racecard/datasets/modelfile"
	"racecard/datasets/seed"
	"racecard/models/sim"
)

func unknown(y ...float64) []past {
	var runs []past
	for i, y := range y {
		runs = append(runs, past{tokens: math.NaN(), input: math.NaN(), order: float64(i), weight: 1, y: y})
	}
	return runs
}

// Runs at 0.1 and 0.3 without effects: the covariance is ((101, 100), (100, 101)), its inverse ((101, -100), (-100, 101)) / 201.
// The mean is 100 (0.1 + 0.3) / 201; the squares y'K⁻¹y are (101 (0.01 + 0.09) - 200 0.03) / 201 = 4.1/201; the noise with 4 runs
// at 0.1 before is (0.04 + 4.1/201) / 6; and the variance of the next run 1 + 100 - 100² 2/201 = 301/201 of it.
func TestRegressionByHand(t *testing.T) {
	next := unknown(0)[0]
	w, _ := newWay(unknown(0.1, 0.3), next, 0, 0, 0)
	p, alpha, _, ok := w.explain(mat.NewVecDense(2, []float64{0.1, 0.3}))
	// alpha is K⁻¹y: (101 0.1 - 100 0.3, -100 0.1 + 101 0.3) / 201 = (-19.9, 20.3) / 201
	if math.Abs(alpha.AtVec(0)+19.9/201) > 1e-9 || math.Abs(alpha.AtVec(1)-20.3/201) > 1e-9 {
		t.Errorf("alpha %v", alpha.RawVector().Data)
	}
	if want := math.Sqrt((0.04 + 4.1/201) / 6 * 301 / 201); !ok || math.Abs(p.middle-40./201) > 1e-9 || math.Abs(p.scale-want) > 1e-9 {
		t.Errorf("%+v, want %v with scale %v", p, 40./201, want)
	}
}

// width of the middle 80%.
func width(f foretold) float64 {
	table := f.table(100)
	return table[90] - table[10]
}

func TestMoreRunsNarrowAndOtherTokensWiden(t *testing.T) {
	at := func(tokens float64, runs int) foretold {
		rng := rand.New(rand.NewPCG(1, 2))
		all := unknown(make([]float64, runs)...)
		for i := range all {
			all[i].tokens = float64(1 + i%2)
			all[i].y = 0.3*math.Log(all[i].tokens) + 0.1*rng.NormFloat64()
		}
		next := past{tokens: tokens, input: math.NaN(), order: float64(runs), weight: 1}
		return foretell(all, next)
	}
	few, many, far := at(2, 2), at(2, 40), at(30, 40)
	if !(width(few) > 1.3*width(many)) {
		t.Errorf("2 runs: %v wide, 40 runs: %v", width(few), width(many))
	}
	if !(width(far) > 1.5*width(many)) {
		t.Errorf("on 30 tokens that no run had: %v wide, on 2: %v", width(far), width(many))
	}
	// 0.3 ln 2 = 0.21 on two tokens, 0 on one
	one := at(1, 40)
	if middle := many.table(3)[1]; math.Abs(middle-0.21) > 0.08 {
		t.Errorf("on 2 tokens %v, want about 0.21", middle)
	}
	if middle := one.table(3)[1]; math.Abs(middle) > 0.08 {
		t.Errorf("on 1 token %v, want about 0", middle)
	}
}

// The slope of y = 0.8 ln input is found, and a step in time followed.
func TestInputAndDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	byInput, step := unknown(make([]float64, 30)...), unknown(make([]float64, 30)...)
	for i := range byInput {
		byInput[i].input = math.Exp(0.3 * rng.NormFloat64())
		byInput[i].y = 0.8*math.Log(byInput[i].input) + 0.05*rng.NormFloat64()
		step[i].y = 0.05 * rng.NormFloat64()
		if i >= 25 {
			step[i].y += 0.4
		}
	}
	next := past{tokens: math.NaN(), input: 2, order: 30, weight: 1}
	f := foretell(byInput, next)
	if got := f.table(3)[1]; math.Abs(got-0.8*math.Ln2) > 0.08 {
		t.Errorf("at twice the input: %v, want about %v", got, 0.8*math.Ln2)
	}
	next.input = math.NaN()
	f = foretell(step, next)
	if got := f.table(3)[1]; got < 0.25 {
		t.Errorf("after five runs at 0.4: %v", got)
	}
}

// Intervals hold what they say: of runs with a noise of 0.15, after 2 to 9 others.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	below := [3]float64{}
	const trials = 300
	for k := range trials {
		all := unknown(make([]float64, 2+k%8)...)
		for i := range all {
			all[i].y = 0.15 * rng.NormFloat64()
		}
		f := foretell(all, past{tokens: math.NaN(), input: math.NaN(), order: float64(len(all)), weight: 1})
		table := f.table(100)
		y := 0.15 * rng.NormFloat64()
		for i, q := range []int{50, 75, 90} {
			if y <= table[q] {
				below[i]++
			}
		}
	}
	for i, want := range []float64{0.5, 0.75, 0.9} {
		if share := below[i] / trials; math.Abs(share-want) > 0.06 {
			t.Errorf("%v of runs lie below the quantile %v", share, want)
		}
	}
}

func TestLuckOfAModel(t *testing.T) {
	p := chain()
	m, err := New(of(p), 0, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if m.Slowdown != 1 || len(m.Luck) != 1 {
		t.Errorf("without runs: slowdown %v, luck %v", m.Slowdown, m.Luck)
	}
	for i := range 12 {
		tokens := int64(1 + i%3)
		f := modelfile.RunFactor{Factor: map[int64]float64{1: 0.8, 2: 1, 3: 1.6}[tokens], Weight: 1, Tokens: &tokens}
		p.RunFactors = append(p.RunFactors, f)
	}
	for tokens, want := range map[float64]float64{1: 0.8, 2: 1, 3: 1.6} {
		o := DefaultOptions()
		o.Tokens = tokens
		if m, err = New(of(p), 0, o); err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.Slowdown/want-1) > 0.05 || m.Luck[0] > 1 || m.Luck[len(m.Luck)-1] < 1 {
			t.Errorf("on %v tokens: slowdown %v, want %v; luck %v to %v", tokens, m.Slowdown, want, m.Luck[0], m.Luck[len(m.Luck)-1])
		}
	}
}

func BenchmarkForetell(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	all := unknown(make([]float64, mostRuns)...)
	for i := range all {
		all[i].tokens, all[i].input, all[i].y = float64(1+i%4), 1+rng.Float64(), rng.NormFloat64()
	}
	next := past{tokens: 2, input: 1.5, order: mostRuns, weight: 1}
	for b.Loop() {
		f := foretell(all, next)
		f.table(lucks)
	}
}

// Simulated runs take as long as past ones, and spread as much, whatever they spend outside tasks: on 2 tokens a run of the chain
// takes 5 + 6 + 0.5 + 1 = 12.5 s, and past runs took 20 s more.
func TestSimulatedRunsTakeAsLongAsPastOnes(t *testing.T) {
	p, tokens := chain(), int64(2)
	for i := range 20 {
		s := 32.5 * math.Exp(0.1*(float64(i%5)-2))
		p.RunFactors = append(p.RunFactors, modelfile.RunFactor{RunID: string(rune('a' + i)), Factor: 1, Weight: 1, Tokens: &tokens, CompletionS: &s})
	}
	o := DefaultOptions()
	o.Tokens = 2
	m, err := New(of(p), 0, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sim.Compile(m.Plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0.1, 0.5, 0.9} {
		i := int(share * lucks)
		res, err := sim.NewRunner(c).Run(&sim.Options{Allocation: []sim.Step{{Tokens: 2}}, Scale: m.Luck[i]}, seed.Stream(1, "test", 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(res.End) / 1e6; math.Abs(got/m.Completion[i]-1) > 0.001 {
			t.Errorf("quantile %v: a simulated run takes %v s, want %v", share, got, m.Completion[i])
		}
	}
	if middle := m.Completion[lucks/2]; math.Abs(middle/32.5-1) > 0.03 {
		t.Errorf("median %v s, want about 32.5", middle)
	}
	if wide := math.Log(m.Completion[lucks*9/10] / m.Completion[lucks/10]); wide < 0.25 || wide > 0.6 {
		t.Errorf("%v between the 10th and the 90th percentile, want about 0.4 as among past runs", wide)
	}
}

// Runs that weigh nothing, as with a half-life that is short against the time between runs, say nothing, and do no harm.
func TestForetellFromRunsWithoutWeight(t *testing.T) {
	next := past{tokens: math.NaN(), input: math.NaN(), order: 3, weight: 1}
	var all []past
	for i, weight := range []float64{0, 1e-300, 1} {
		all = append(all, past{tokens: math.NaN(), input: math.NaN(), order: float64(i), weight: weight, y: 5 * float64(2-i)})
	}
	newest := all[2:]
	if got, want := foretell(all, next), foretell(newest, next); math.Abs(got.mean()-want.mean()) > 0.5 {
		t.Errorf("the mean is %v, want about %v, that of the newest run", got.mean(), want.mean())
	}
}
