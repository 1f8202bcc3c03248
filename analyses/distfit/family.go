package distfit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Dist is one of this package's distributions on the positive numbers.
type Dist interface {
	Params() []Param // in a fixed order
	CDF(x float64) float64
	Survival(x float64) float64 // 1 - CDF, without its loss of digits in the tail
	LogProb(x float64) float64  // of the density
	Quantile(p float64) float64 // inverse of CDF; p in [0, 1)
	Rand(rng *rand.Rand) float64

	// logMidpoints returns the sum of LogProb over the middles of the cells of w.
	logMidpoints(w *midpoints) float64
	// free returns the parameters on unbounded scales, and with returns the member with other such parameters.
	free() []float64
	with(free []float64) (Dist, error)
}

// Param is a parameter of a distribution.
type Param struct {
	Name  string
	Value float64
}

// Family is a family of distributions that can be fitted.
type Family struct {
	Name       string
	Parameters int
	// Fit returns the maximum-likelihood member. It fails on samples without one, such as those with fewer than two
	// different values.
	Fit func(*Sample) (Dist, error)
}

// Families returns the families in the order in which they are listed: by parameters, then name.
func Families() []Family {
	return []Family{
		{"exponential", 1, func(s *Sample) (Dist, error) { return likeliest(s, fitExponential) }},
		{"gamma", 2, func(s *Sample) (Dist, error) { return likeliest(s, pooling(fitGamma)) }},
		{"lognormal", 2, func(s *Sample) (Dist, error) { return likeliest(s, pooling(fitLognormal)) }},
		{"pareto", 2, func(s *Sample) (Dist, error) { return likeliest(s, fitPareto) }},
		{"weibull", 2, func(s *Sample) (Dist, error) { return likeliest(s, fitWeibull) }},
	}
}

// errConstant is returned if a sample is empty or all its values are equal.
var errConstant = errors.New("fewer than two different values")

// likeliest fits a family in closed form, or nearly so. It then improves the fit if values stand for cells, or if there
// are open values and the closed form is not exact for them.
func likeliest[D Dist](s *Sample, fit func(*Sample) (D, error)) (Dist, error) {
	if len(s.x) < 2 {
		return nil, errConstant
	}
	d, err := fit(s)
	if err != nil || !s.Coarse() && (len(s.open.x) == 0 || exact(d)) {
		return d, err
	}
	return improve(s, d)
}

// exact reports whether the form of a family is exact for samples with open values.
func exact(d Dist) bool {
	switch d.(type) {
	case Exponential, Pareto, Weibull:
		return true
	default:
		return false
	}
}

// positive fails unless all parameters are positive and finite.
func positive(family string, params ...float64) error {
	for _, p := range params {
		if !(p > 0) || math.IsInf(p, 1) {
			return fmt.Errorf("%s%v: want positive, finite parameters", family, params)
		}
	}
	return nil
}

// LogLikelihood returns the logarithm of the sample's likelihood under d: of densities, or of the probabilities of
// cells where values stand for cells; and of the probabilities to lie above the bounds of open values.
func LogLikelihood(d Dist, s *Sample) float64 {
	sum := d.logMidpoints(&s.mid)
	for i, bound := range s.open.x {
		sum += s.open.count[i] * math.Log(d.Survival(bound))
	}
	if !s.coarse {
		return sum
	}
	sum += s.mid.n * math.Log(s.step)
	for i, x := range s.x[:s.mid.from] {
		from, to := s.cell(x)
		if below := d.CDF(from); below < 0.5 {
			sum += s.count[i] * math.Log(d.CDF(to)-below)
		} else { // in the tail this loses fewer digits
			sum += s.count[i] * math.Log(d.Survival(from)-d.Survival(to))
		}
	}
	return sum
}
