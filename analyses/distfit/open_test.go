package distfit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
)

// cut returns a sample of n draws of d, each seen until a time that is drawn from until: the draw, or that time when it
// is earlier.
func cut(d Dist, until Dist, n int, step float64) *Sample {
	rng := rand.New(rand.NewPCG(7, 8))
	var values, bounds []float64
	for range n {
		x, c := d.Rand(rng), until.Rand(rng)
		switch {
		case x > c:
			bounds = append(bounds, c)
		case step > 0:
			values = append(values, math.Round(x/step)*step)
		default:
			values = append(values, x)
		}
	}
	s := NewSample(values, nil, step, Rounded)
	s.Censor(bounds, slices.Repeat([]int64{1}, len(bounds)))
	return s
}

// Values 1, 2, 6 and two that had not ended after 3 and 8: three events in 1+2+6+3+8 = 20, so a mean of 20/3 by maximum
// likelihood. ln L = sum of -x/mean - ln mean over values, of -c/mean over bounds: -3 - 3 ln(20/3) = -8.6914.
//
// Of Pareto the least value is 1; the logarithms add up to ln(2·6·3·8) = ln 288, so alpha = 3 / ln 288 = 0.5298.
//
// Kaplan and Meier: 5 at risk at 1, 4 at 2, then one is lost at 3, 2 at 6: shares at least as large 1, 4/5, 3/5, and
// behind 6 half of that, 3/10.
func TestCensoredByHand(t *testing.T) {
	s := NewSample([]float64{6, 1, 2}, nil, 0, Rounded)
	if used := s.Censor([]float64{8, 0, 3, math.Inf(1), -1}, []int64{1, 9, 1, 9, 9}); used != 2 || s.Open() != 2 ||
		s.N() != 3 {
		t.Fatalf("%d used of %d and %d", used, s.N(), s.Open())
	}
	for _, f := range Families() {
		d, err := f.Fit(s)
		if err != nil {
			t.Fatal(f.Name, err)
		}
		switch d := d.(type) {
		case Exponential:
			near(t, "mean", d.Mean, 20./3, 1e-12)
			near(t, "ln L", LogLikelihood(d, s), -3-3*math.Log(20./3), 1e-12)
		case Pareto:
			near(t, "least", d.Min, 1, 1e-12)
			near(t, "alpha", d.Alpha, 3/math.Log(288), 1e-12)
		}
	}
	above := s.Above([]float64{1, 2, 6}, []int64{1, 1, 1}, 0)
	for i, want := range []float64{1, .8, .6} {
		near(t, "share", above[i], want, 1e-12)
	}
	// two more that are zero: all shares are 5/7 of that
	near(t, "share beside zeros", s.Above([]float64{1, 2, 6}, []int64{1, 1, 1}, 2)[2], .6*5/7, 1e-12)
	// The fit has exp(-0.15) = 0.861 above 1, 0.741 above 2 and 0.407 above 6, where the estimate falls from 1 to 0.8,
	// to 0.6, to 0.3.
	near(t, "D", openDistance(Exponential{20. / 3}, s), .6-math.Exp(-.9), 1e-12)
}

// With censoring too the parameters that draws were made with are found, where fits that leave the open values out
// would be far off. The tolerance is some four standard errors.
func TestCensoredFitsRecoverParameters(t *testing.T) {
	for name, d := range some() {
		for _, step := range []float64{0, 0.5} {
			s := cut(d, Exponential{2 * d.Quantile(0.6)}, 4000, step)
			if share := float64(s.Open()) / 4000; share < 0.2 || share > 0.6 {
				t.Fatalf("%s: %v are open", name, share)
			}
			i := slices.IndexFunc(Families(), func(f Family) bool { return f.Name == name })
			fit, err := Families()[i].Fit(s)
			if err != nil {
				t.Fatal(err)
			}
			if name == "pareto" && step > 0 {
				continue // the least value is that of a cell
			}
			for k, p := range fit.Params() {
				near(t, name+" "+p.Name, p.Value, d.Params()[k].Value, 0.12)
			}
			known := NewSample(s.values(), nil, step, Rounded)
			biased, err := Families()[i].Fit(known)
			if err != nil {
				t.Fatal(err)
			}
			if low, high := biased.Quantile(0.9), fit.Quantile(0.9); low > 0.9*high {
				t.Errorf("%s: 90%% are below %v without the open values, %v with them", name, low, high)
			}
		}
	}
}

// Nothing near a fit is likelier.
func TestCensoredFitsAreLikeliest(t *testing.T) {
	for name, d := range some() {
		s := cut(d, Exponential{2 * d.Quantile(0.6)}, 500, 0)
		for _, f := range Families() {
			fit, err := f.Fit(s)
			if err != nil {
				t.Fatal(err)
			}
			best := LogLikelihood(fit, s)
			free := fit.free()
			for i := range free {
				if f.Name == "pareto" && i == 0 {
					continue // the likelihood rises up to the least value
				}
				for _, step := range []float64{-0.02, 0.02} {
					moved := slices.Clone(free)
					moved[i] += step
					other, err := fit.with(moved)
					if err != nil {
						t.Fatal(err)
					}
					if l := LogLikelihood(other, s); l > best+1e-6 {
						t.Errorf("%s fitted to draws of %s: %v is likelier than %v, by %v", f.Name, name,
							other.Params(), fit.Params(), l-best)
					}
				}
			}
		}
	}
}

// Without open values the estimate of Kaplan and Meier is the share of the values, and D from it that of Kolmogorov and
// Smirnov.
func TestKaplanMeierOfWhatEnded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.01, 100), 2, 40).Draw(t, "values")
		s := NewSample(values, nil, 0, Rounded)
		d := Exponential{rapid.Float64Range(0.1, 50).Draw(t, "mean")}
		want, _ := distances(d, s)
		if got := openDistance(d, s); math.Abs(got-want) > 1e-12 {
			t.Errorf("D %v, want %v", got, want)
		}
		// an open value below all others changes nothing; of those above all others each is one more that is larger
		s.Censor([]float64{0.001, 1000}, []int64{3, 2})
		above := s.open.above(s.x, s.count, 0)
		if got, want := above[len(above)-1], 2/(s.n+2); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v above all, want %v", got, want)
		}
	})
}

// A comparison with open values has no tests and no A², and its tail takes them into account.
func TestCompareWithOpenValues(t *testing.T) {
	s := cut(Pareto{2, 1.5}, Exponential{20}, 5000, 0)
	got, err := Compare(context.Background(), s, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if got.Families[0].Family != "pareto" || got.Open != s.Open() || got.Tested != 0 || got.Resamples != 0 ||
		len(got.Families) != 5 {
		t.Errorf("%+v", got)
	}
	unknown := func(x result.Number) bool { return math.IsNaN(float64(x)) }
	for _, f := range got.Families {
		if !unknown(f.PKS) || !unknown(f.PAD) || !unknown(f.AD) || !(f.KS > 0) {
			t.Errorf("%+v is tested", f)
		}
	}
	if got.Tail == nil || !unknown(got.Tail.P) {
		t.Fatalf("tail %+v", got.Tail)
	}
	near(t, "alpha of the tail", got.Tail.Alpha, 1.5, 0.1)
}
