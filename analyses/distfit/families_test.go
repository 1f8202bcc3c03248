package distfit

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"
)

// some returns a member of each family, by the family's name.
func some() map[string]Dist {
	return map[string]Dist{"exponential": Exponential{2}, "lognormal": Lognormal{0.5, 1.3}, "weibull": Weibull{0.7, 3},
		"gamma": Gamma{0.4, 5}, "pareto": Pareto{2, 1.5}}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1e-300, math.Abs(want))) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

// SciPy 1.17.1: d.cdf(2.5), d.sf(40), d.logpdf(2.5), d.ppf(0.9) of expon(scale=2), lognorm(1.3, scale=exp(0.5)),
// weibull_min(0.7, scale=3), gamma(0.4, scale=5), pareto(1.5, scale=2).
func TestAgainstSciPy(t *testing.T) {
	for name, want := range map[string][4]float64{
		"exponential": {0.71349520314, 2.06115362244e-09, -1.94314718056, 4.60517018599},
		"lognormal":   {0.62560059804, 0.00708382816158, -2.14886511932, 8.72346948237},
		"weibull":     {0.585293113975, 0.00217668415502, -2.2807740726, 9.87579891649},
		"gamma":       {0.748018554726, 4.0675311773e-05, -2.4902274218, 5.64921412736},
		"pareto":      {0.2844582472, 0.0111803398875, -0.845540950737, 9.28317766723},
	} {
		d := some()[name]
		for i, got := range []float64{d.CDF(2.5), d.Survival(40), d.LogProb(2.5), d.Quantile(0.9)} {
			near(t, name, got, want[i], 1e-9)
		}
	}
}

// What holds of every distribution: quantiles invert the CDF, CDF and survival add up to one, and the density
// integrates to the CDF.
func TestDistributionsAreConsistent(t *testing.T) {
	for name, d := range some() {
		for _, p := range []float64{0.01, 0.2, 0.5, 0.9, 0.999} {
			x := d.Quantile(p)
			near(t, name+" CDF of a quantile", d.CDF(x), p, 1e-8)
			near(t, name+" survival of a quantile", d.Survival(x), 1-p, 1e-7)
		}
		a, b := d.Quantile(0.3), d.Quantile(0.8)
		area := quad.Fixed(func(x float64) float64 { return math.Exp(d.LogProb(x)) }, a, b, 400, nil, 0)
		near(t, name+" integral of the density", area, 0.5, 1e-6)
		if d.CDF(-1) != 0 || d.Survival(-1) != 1 || !math.IsInf(d.LogProb(-1), -1) {
			t.Errorf("%s: something below zero", name)
		}
	}
}

// A fit to many draws of a distribution recovers its parameters: within five standard errors, which are about
// parameter / sqrt(n) times 2 at most for these.
func TestFitsRecoverParameters(t *testing.T) {
	const n = 100_000
	for _, f := range Families() {
		d := some()[f.Name]
		rng := rand.New(rand.NewPCG(1, 2))
		values := make([]float64, n)
		for i := range values {
			values[i] = d.Rand(rng)
		}
		fit, err := f.Fit(NewSample(values, nil, 0, Rounded))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range d.Params() {
			near(t, f.Name+" "+p.Name, fit.Params()[i].Value, p.Value, 5*2/math.Sqrt(n))
		}
	}
}

// Ten numbers, fitted by SciPy 1.17.1: closed forms by NumPy, gamma.fit(x, floc=0), weibull_min by
// brentq on its likelihood equation (its own fit stops at five digits). Likelihoods by logpdf, D by kstest, A² by its
// definition over cdf and sf; of pareto over all but the least value.
func TestFitsAgainstSciPy(t *testing.T) {
	s := NewSample([]float64{0.3, 0.7, 1.1, 1.6, 2.2, 2.2, 3.1, 4.5, 7.9, 19.0}, nil, 0, Rounded)
	want := map[string][]float64{ // parameters, log-likelihood, D, A²
		"exponential": {4.26, -24.4926916028, 0.1966456309, 0.3753904919},
		"lognormal":   {0.8228362028420724, 1.129754528387871, -23.6377511366, 0.1121380858, 0.1296939939},
		"weibull":     {0.9043980593465177, 4.028745779405693, -24.3938851633, 0.1606876073, 0.2795523151},
		"gamma":       {0.9295309147547132, 4.5829567713991946, -24.4748900101, 0.1833404301, 0.3341665433},
		"pareto":      {0.3, 0.49338640022982044, -25.2929884149, 0.2732601810, 1.6971861073248213},
	}
	for _, f := range Families() {
		d, err := f.Fit(s)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, p := range d.Params() {
			got = append(got, p.Value)
		}
		ks, ad := distances(d, s)
		got = append(got, LogLikelihood(d, s), ks, ad)
		for i := range got {
			near(t, f.Name, got[i], want[f.Name][i], 1e-9)
		}
	}
}

// No nearby parameters are likelier than the fit.
func TestFitsAreLikeliest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.001, 1000), 5, 40).Draw(t, "values")
		s := NewSample(values, nil, 0, Rounded)
		if s.Distinct() < 2 {
			return
		}
		for _, f := range Families() {
			d, err := f.Fit(s)
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			best := LogLikelihood(d, s)
			for _, a := range []float64{0.99, 1, 1.01} {
				for _, b := range []float64{0.99, 1, 1.01} {
					var near Dist
					switch d := d.(type) {
					case Exponential:
						near = Exponential{d.Mean * a}
					case Lognormal:
						near = Lognormal{d.Mu + a - 1, d.Sigma * b}
					case Weibull:
						near = Weibull{d.Shape * a, d.Scale * b}
					case Gamma:
						near = Gamma{d.Shape * a, d.Scale * b}
					case Pareto:
						// no member with a larger minimum allows the sample
						near = Pareto{d.Min * min(a, 1), d.Alpha * b}
					}
					if l := LogLikelihood(near, s); l > best+1e-9*math.Abs(best) {
						t.Fatalf("%s: %v has log-likelihood %v, the fit %v only %v", f.Name, near, l, d, best)
					}
				}
			}
		}
	})
}

func TestConstructorsCheck(t *testing.T) {
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		for name, err := range map[string]error{
			"exponential": second(newExponential(bad)), "lognormal": second(newLognormal(0, bad)),
			"weibull": second(newWeibull(1, bad)),
			"gamma":   second(newGamma(bad, 1)), "pareto": second(newPareto(bad, 1)),
		} {
			if err == nil {
				t.Errorf("%s takes %v", name, bad)
			}
		}
	}
	if _, err := newLognormal(math.NaN(), 1); err == nil {
		t.Error("lognormal takes a mu of NaN")
	}
	if _, err := newLognormal(-5, 1); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

// Whatever positive numbers a trace holds, a fit has positive, finite parameters, or says why there is none.
func TestFitsOfAnyNumbers(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(1e-6, 2e12), rapid.SampledFrom([]float64{1e-6, 1, 1 + 1e-15, 5, 2e12}))
	rapid.Check(t, func(t *rapid.T) {
		s := NewSample(rapid.SliceOfN(number, 1, 12).Draw(t, "values"), nil, 0, Rounded)
		for _, f := range Families() {
			d, err := f.Fit(s)
			if err != nil {
				continue
			}
			for i, p := range d.Params() {
				free := f.Name == "lognormal" && i == 0 // mu may be of either sign
				if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || p.Value <= 0 && !free {
					t.Fatalf("%s%v", f.Name, d.Params())
				}
			}
			if ks, ad := distances(d, s); !(ks >= 0 && ks <= 1) || math.IsNaN(ad) || math.IsInf(ad, 0) {
				t.Fatalf("%s%v: D %v, A² %v", f.Name, d.Params(), ks, ad)
			}
		}
	})
}

// Likelihoods of cells by hand: counts with step 1 stand for (0, 1], (1, 2], (2, 3] and (6, 7], rounded times with step
// 2 for [0, 1], [1, 3] and [5, 7].
func TestCells(t *testing.T) {
	d := Weibull{0.8, 1.5}
	s := NewSample([]float64{1, 1, 1, 2, 3, 7}, nil, 1, Counted)
	F := d.CDF
	near(t, "counts", LogLikelihood(d, s), 3*math.Log(F(1))+math.Log(F(2)-F(1))+math.Log(F(3)-F(2))+math.Log(F(7)-F(6)),
		1e-12)
	s = NewSample([]float64{0, 0, 2, 6}, nil, 2, Rounded)
	near(t, "rounded", LogLikelihood(d, s), 2*math.Log(F(1))+math.Log(F(3)-F(1))+math.Log(F(7)-F(5)), 1e-12)
	if s.N() != 4 || s.Dropped != 0 {
		t.Errorf("%d values, %d left out", s.N(), s.Dropped)
	}
	// D: after 0 the share is 2/4, after 2 3/4, after 6 1.
	want := 0.0
	for _, at := range [][2]float64{{0, F(0)}, {0.5, F(1)}, {0.75, F(3)}, {0.75, F(5)}, {1, F(7)}} {
		want = max(want, math.Abs(at[0]-at[1]))
	}
	ks, _ := distances(d, s)
	near(t, "D", ks, want, 1e-12)
}
