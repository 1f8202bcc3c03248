package distfit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
)

func draws(d Dist, n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 9))
	out := make([]float64, n)
	for i := range out {
		out[i] = d.Rand(rng)
	}
	return out
}

// The bootstrap's critical values are those that Lilliefors found by simulation for fitted parameters, not those of a
// distribution that is known: 5% points of D for n = 20.
//
// Normal, hence lognormal: 0.190 (H. W. Lilliefors, JASA 62, 1967, Table 1; 0.192 by G. E. Dallal and L. Wilkinson, The
// American Statistician 40(4), 1986). Exponential: 0.234 (H. W. Lilliefors, JASA 64, 1969). Without fitting: 0.294 (F.
// J. Massey, JASA 46, 1951). A², 5% points for any n: normal 0.752 / (1 + 0.75/n + 2.25/n²) = 0.721, exponential 1.321
// / (1 + 0.6/n) = 1.283 (R. B. D'Agostino and M. A. Stephens, "Goodness-of-Fit Techniques", 1986, Tables 4.7 and 4.14).
func TestCriticalValuesOfFittedParameters(t *testing.T) {
	o := Options{Resamples: 20_000, Most: 20, Seed: 1, Purpose: "critical values"}
	for _, test := range []struct {
		family int
		d      Dist
		ks, ad float64
	}{{2, Lognormal{0, 1}, 0.191, 0.721}, {0, Exponential{1}, 0.234, 1.283}} {
		f := Families()[test.family]
		ks, ad, err := o.null(t.Context(), f.Name, NewSample(draws(test.d, 20, 1), nil, 0, Rounded), f.resample(test.d, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		// Standard error of the 95% point of 20,000 draws: sqrt(.05 x .95 / 20,000) / density = 0.0015 / density; the
		// density of D there is about 2, that of A² about 0.2.
		if got := quantile.Quantile(quantile.Sort(ks), 0.95); math.Abs(got-test.ks) > 0.003 {
			t.Errorf("%s: 5%% point of D %.4f, want %.3f; that of a known distribution is 0.294", f.Name, got, test.ks)
		}
		if got := quantile.Quantile(quantile.Sort(ad), 0.95); math.Abs(got-test.ad) > 0.03 {
			t.Errorf("%s: 5%% point of A² %.4f, want %.3f", f.Name, got, test.ad)
		}
	}
}

// When the family is right, p-values are uniform: 10% are below 0.1. The textbook's, for a known distribution, hardly
// ever are.
func TestPValuesAreUniform(t *testing.T) {
	const samples, n = 300, 25
	o := Options{Resamples: 99, Most: n, Seed: 2, Purpose: "uniform"}
	f := Families()[2]
	bootstrap, textbook := 0, 0
	for i := range samples {
		s := NewSample(draws(Lognormal{1, 0.8}, n, uint64(i)), nil, 0, Rounded)
		fit, _, err := describe(f, s)
		if err != nil {
			t.Fatal(err)
		}
		o.Purpose = "uniform " + string(rune(i))
		if err := o.test(t.Context(), f, s, fit); err != nil {
			t.Fatal(err)
		}
		bootstrap += below(float64(fit.PKS), 0.1)
		textbook += below(kolmogorov(fit.KS, n), 0.1)
	}
	// 300 x 0.1 = 30, with a standard deviation of 5.2
	if bootstrap < 14 || bootstrap > 46 {
		t.Errorf("%d of %d bootstrap p-values are below 0.1, want about 30", bootstrap, samples)
	}
	if textbook > 3 {
		t.Errorf("%d of %d textbook p-values are below 0.1: fitted parameters should make them too large", textbook,
			samples)
	}
}

func below(p, than float64) int {
	if p < than {
		return 1
	}
	return 0
}

// kolmogorov is the textbook's p-value for D: Kolmogorov's limit with the correction of M. A. Stephens, 1970.
func kolmogorov(d float64, n int) float64 {
	root := math.Sqrt(float64(n))
	x, sum := (root+0.12+0.11/root)*d, 0.0
	for k := 1; k <= 100; k++ {
		sum += 2 * math.Pow(-1, float64(k-1)) * math.Exp(-2*float64(k*k)*x*x)
	}
	return sum
}

func TestCompareFindsTheFamily(t *testing.T) {
	for i, f := range Families() {
		d := some()[f.Name]
		s := NewSample(draws(d, 4000, 3), nil, 0, Rounded)
		got, err := Compare(t.Context(), s, Options{Resamples: 50, Most: 400, Seed: 1, Purpose: "family"})
		if err != nil {
			t.Fatal(err)
		}
		best := got.Families[0]
		// the exponential is a member of gamma and Weibull, which a likelihood may prefer by a little
		if best.Family != f.Name && (f.Name != "exponential" || math.Abs(best.Params["shape"]-1) > 0.05) {
			t.Errorf("%s: the best is %s %v", f.Name, best.Family, best.Params)
		}
		k := slices.IndexFunc(got.Families, func(g result.FamilyFit) bool { return g.Family == f.Name })
		if own := got.Families[k]; float64(own.PKS) < 0.02 || float64(own.PAD) < 0.02 {
			t.Errorf("%s is rejected by itself: %+v", f.Name, own)
		}
		if got.Tested != 400 || got.N != 4000 || len(got.Families) != 5 || len(got.At) != len(got.Families[i].Above) {
			t.Errorf("%s: %d values, %d tested, %d families", f.Name, got.N, got.Tested, len(got.Families))
		}
		worst := got.Families[4]
		if !(worst.DeltaAIC > 10) || float64(worst.PKS) > 0.05 {
			t.Errorf("%s: the worst, %s, is not rejected: %+v", f.Name, worst.Family, worst)
		}
	}
}

// A clock of one second on exponential times of three seconds: taken as cells, the right family stays and its mean is
// found; taken as exact, it is rejected.
func TestCoarseClock(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	values := make([]float64, 2000)
	var zeros, others, odd float64 // odd: sum of 2x - 1
	for i := range values {
		values[i] = math.Round(3 * rng.ExpFloat64())
		if values[i] == 0 {
			zeros++
		} else {
			others++
			odd += 2*values[i] - 1
		}
	}
	// With r = exp(-1/(2 mean)), P(0) = 1 - r and P(k) = r^(2k-1) (1 - r²). The derivative of the log-likelihood is 0
	// where (odd + zeros + 2 others) r² + zeros r - odd = 0.
	a := odd + zeros + 2*others
	r := (-zeros + math.Sqrt(zeros*zeros+4*a*odd)) / (2 * a)
	mean := -1 / (2 * math.Log(r))
	f := Families()[0]
	for _, test := range []struct {
		step             float64
		coarse, rejected bool
	}{{1, true, false}, {0, false, true}, {0.01, false, true}} {
		s := NewSample(values, nil, test.step, Rounded)
		fit, _, err := describe(f, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := (Options{Resamples: 99, Most: 2000, Seed: 1, Purpose: "clock"}).test(t.Context(), f, s,
			fit); err != nil {
			t.Fatal(err)
		}
		if s.Coarse() != test.coarse || (fit.PKS <= 0.02) != test.rejected {
			t.Errorf("step %v: coarse %v, p %v", test.step, s.Coarse(), fit.PKS)
		}
		if got := fit.Params["mean"]; test.coarse && (math.Abs(got-mean) > 1e-3*mean || s.Dropped != 0) {
			t.Errorf("mean %v, want %v; %d left out", got, mean, s.Dropped)
		}
		if want := int64(zeros); !test.coarse && s.Dropped != want {
			t.Errorf("step %v: %d left out, want %d zeros", test.step, s.Dropped, want)
		}
	}
}

// Draws of every family, read with a step of a fifth of their median: the fit finds the family's parameters again.
func TestCoarseFitsRecoverParameters(t *testing.T) {
	for _, f := range Families() {
		d := some()[f.Name]
		step := d.Quantile(0.5) / 5
		for _, reading := range []Reading{Rounded, Counted} {
			read := &Sample{step: step, reading: reading, coarse: true}
			rng := rand.New(rand.NewPCG(4, 4))
			values := make([]float64, 40_000)
			for i := range values {
				values[i] = read.tick(d, rng)
			}
			s := NewSample(values, nil, step, reading)
			fit, err := f.Fit(s)
			if err != nil || !s.Coarse() || s.Dropped > 0 {
				t.Fatalf("%s: %v, coarse %v, %d left out", f.Name, err, s.Coarse(), s.Dropped)
			}
			for i, p := range d.Params() {
				near(t, f.Name+" "+p.Name, fit.Params()[i].Value, p.Value, 0.03) // standard errors are about 1%
			}
		}
	}
}

// A sample whose upper tenth is Pareto above 10 with alpha 1.5, and whose body is uniform.
func TestTail(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var values []float64
	for range 3000 {
		if rng.IntN(10) == 0 {
			values = append(values, Pareto{10, 1.5}.Rand(rng))
		} else {
			values = append(values, 10*rng.Float64())
		}
	}
	o := Options{Resamples: 50, Most: 3000, Seed: 1, Purpose: "tail"}
	got, err := FitTail(t.Context(), NewSample(values, nil, 0, Rounded), o)
	if err != nil {
		t.Fatal(err)
	}
	// alpha has a standard error of 1.5 / sqrt(150) = 0.12 when half of the tail is found
	if math.Abs(got.Alpha-1.5) > 0.36 || got.From < 9 || got.From > 25 || got.Share > 0.15 || float64(got.P) < 0.05 {
		t.Errorf("tail %+v, want alpha 1.5 from 10 on or a little above, not rejected", got)
	}
	if got, err := FitTail(t.Context(), NewSample(draws(Weibull{3, 1}, 3000, 1), nil, 0, Rounded), o); err != nil ||
		got.Alpha < 5 {
		t.Errorf("the tail of a distribution without a heavy one is %+v, %v", got, err)
	}
	if got, err := FitTail(t.Context(), NewSample([]float64{1, 2, 3}, nil, 0, Rounded), o); got != nil || err != nil {
		t.Errorf("three values have a tail: %+v, %v", got, err)
	}
}

// The same seed gives the same bytes, whatever the number of processors.
func TestCompareIsReproducible(t *testing.T) {
	s := NewSample(draws(Gamma{2, 3}, 700, 8), nil, 0, Rounded)
	var first []byte
	for _, processors := range []int{1, 4} {
		before := runtime.GOMAXPROCS(processors)
		got, err := Compare(t.Context(), s, Options{Resamples: 20, Most: 300, Seed: 1, Purpose: "same"})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && string(first) != string(text) {
			t.Errorf("with %d processors %s, with one %s", processors, text, first)
		}
		first = text
	}
}

func TestCompareOfLittle(t *testing.T) {
	for name, values := range map[string][]float64{"nothing": nil, "zeros": {0, 0, -1, math.NaN()}, "one": {5},
		"equal": {5, 5, 5}} {
		got, err := Compare(t.Context(), NewSample(values, nil, 0, Rounded), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if name == "zeros" && got.LeftOut != 4 {
			t.Errorf("%d values left out, want 4", got.LeftOut)
		}
		if len(got.NotFitted) != 5 || len(got.Families) != 0 {
			t.Errorf("%s: not fitted %v, want all families", name, got.NotFitted)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ctx, NewSample(draws(Exponential{1}, 100, 1), nil, 0, Rounded),
		DefaultOptions()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, o := range []Options{{Resamples: -1, Most: 5}, {Most: 1}, {Resamples: 5}} {
		if _, err := Compare(t.Context(), NewSample([]float64{1, 2}, nil, 0, Rounded), o); err == nil {
			t.Errorf("options %+v make sense", o)
		}
	}
}

// distancesSlow is D and A² by their definitions, value by value.
func distancesSlow(d Dist, sorted []float64) (ks, ad float64) {
	n := float64(len(sorted))
	for i, x := range sorted {
		upTo := 0.0
		for _, y := range sorted {
			if y <= x {
				upTo++
			}
		}
		before := 0.0
		for _, y := range sorted {
			if y < x {
				before++
			}
		}
		ks = max(ks, math.Abs(upTo/n-d.CDF(x)), math.Abs(d.CDF(x)-before/n))
		k := float64(i + 1)
		ad -= (2*k - 1) * (math.Log(d.CDF(x)) + math.Log(d.Survival(sorted[len(sorted)-1-i]))) / n
	}
	return ks, ad - n
}

func TestDistancesAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{0.2, 0.5, 1, 1.5, 2, 3, 5, 8}), 1, 30).Draw(t, "values")
		slices.Sort(values)
		for _, d := range []Dist{Exponential{2}, Lognormal{0.5, 1.3}, Weibull{0.7, 3}, Gamma{0.4, 5}} {
			ks, ad := distances(d, NewSample(values, nil, 0, Rounded))
			ks2, ad2 := distancesSlow(d, values)
			if math.Abs(ks-ks2) > 1e-12 || math.Abs(ad-ad2) > 1e-9*float64(len(values)) {
				t.Fatalf("%v: D %v, A² %v, by definition %v, %v", d, ks, ad, ks2, ad2)
			}
		}
	})
}

// What is said to be closer is closer, of exact values, repeated ones and ones at the minimum of a Pareto distribution;
// and a sample far closer than asked for is said to be.
func TestCloser(t *testing.T) {
	for name, d := range some() {
		for n, step := range map[int]float64{2: 0, 9: 0.5, 500: 0, 3000: 0.001} {
			values := draws(d, n, 3)
			for i, x := range values {
				if step > 0 {
					values[i] = max(step, math.Round(x/step)*step)
				}
			}
			s := NewSample(values, nil, 0, Rounded)
			if p, ok := d.(Pareto); ok { // the fit takes the minimum from the sample
				d = Pareto{s.Min(), p.Alpha}
			}
			ks, ad := distances(d, s)
			for _, times := range []float64{0.5, 0.99, 1, 1.01, 1.2, 2} {
				for more := range 40 {
					k, a := ks*times, ad*times+float64(more)
					if closer(d, s, k, a) && !(ks < k && ad < a) {
						t.Fatalf("%s, %d values: distances of %g and %g are not closer than %g and %g", name, n, ks, ad, k, a)
					}
				}
			}
			if step == 0 && (!closer(d, s, 1.1, ad+40) || n == 500 && !closer(d, s, ks+0.1, ad+40)) {
				t.Errorf("%s, %d values: distances of %g and %g are not far closer", name, n, ks, ad)
			}
		}
	}
}

// A² of cells, against its integral in small steps: the sample's share runs straight across each cell.
func TestCellDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 2, 3, 5, 8}), 2, 30).Draw(t, "values")
		s := NewSample(values, nil, 1, Rounded)
		if !s.Coarse() {
			return // all are zero
		}
		d := Weibull{0.7, 3}
		ks, ad := distances(d, s)
		share := func(x float64) float64 { // straight in the distribution's probability
			sum := 0.0
			for _, v := range values {
				from, to := d.CDF(max(0, v-0.5)), d.CDF(v+0.5)
				sum += min(1, max(0, (d.CDF(x)-from)/(to-from)))
			}
			return sum / float64(len(values))
		}
		const steps = 4000
		want, far := 0.0, 0.0
		for i := range steps {
			u := (float64(i) + 0.5) / steps
			e := share(d.Quantile(u)) - u
			want += e * e / (u * (1 - u)) / steps
			far = max(far, math.Abs(e))
		}
		want *= float64(len(values))
		if math.Abs(ad-want) > 0.02*want+0.002 || math.Abs(ks-far) > 0.001 {
			t.Fatalf("A² %v and D %v of %v, by integration %v and %v", ad, ks, values, want, far)
		}
	})
}

// A part of a sample is of its values, has the right size, and every value has the same chance.
func TestDraw(t *testing.T) {
	s := NewSample([]float64{1, 2, 3}, []int64{5, 1, 4}, 0, Rounded)
	times := map[float64]int{}
	for i := range 2000 {
		part := s.draw(3, rand.New(rand.NewPCG(uint64(i), 1)))
		if len(part) != 3 || !slices.IsSorted(part) || part[1] == 2 && part[0] == 2 {
			t.Fatalf("part %v", part)
		}
		for _, x := range part {
			times[x]++
		}
	}
	// 6,000 draws: 3,000, 600 and 2,400; standard deviations below 40
	if math.Abs(float64(times[1]-3000)) > 160 || math.Abs(float64(times[2]-600)) > 100 ||
		math.Abs(float64(times[3]-2400)) > 160 {
		t.Errorf("drawn %v, want about 3000, 600, 2400", times)
	}
	if got := s.draw(10, nil); !slices.Equal(got, []float64{1, 1, 1, 1, 1, 2, 3, 3, 3, 3}) {
		t.Errorf("all of it is %v", got)
	}
}

func BenchmarkCompare(b *testing.B) {
	s := NewSample(draws(Lognormal{3, 1.5}, 100_000, 1), nil, 0, Rounded)
	for b.Loop() {
		if _, err := Compare(b.Context(), s, DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "comparisons/s")
}
