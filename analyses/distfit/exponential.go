package distfit

import (
	"math"
	"math/rand/v2"
)

// Exponential has density exp(-x/Mean) / Mean.
type Exponential struct{ Mean float64 }

// newExponential checks the parameter.
func newExponential(mean float64) (Exponential, error) {
	return Exponential{mean}, positive("exponential", mean)
}

// fitExponential returns the closed form: the mean is the sample's; with open values, the sum of all values and bounds
// divided by the number of values.
func fitExponential(s *Sample) (Exponential, error) {
	return newExponential((s.sum + s.open.sum) / s.n)
}

// Params implements [Dist].
func (e Exponential) Params() []Param { return []Param{{"mean", e.Mean}} }

// CDF implements [Dist].
func (e Exponential) CDF(x float64) float64 { return -math.Expm1(-max(x, 0) / e.Mean) }

// Survival implements [Dist].
func (e Exponential) Survival(x float64) float64 { return math.Exp(-max(x, 0) / e.Mean) }

// LogProb implements [Dist].
func (e Exponential) LogProb(x float64) float64 {
	if x < 0 {
		return math.Inf(-1)
	}
	return -x/e.Mean - math.Log(e.Mean)
}

// Quantile implements [Dist].
func (e Exponential) Quantile(p float64) float64 { return -e.Mean * math.Log1p(-p) }

// Rand implements [Dist].
func (e Exponential) Rand(rng *rand.Rand) float64 { return e.Mean * rng.ExpFloat64() }

func (e Exponential) logMidpoints(w *midpoints) float64 { return -w.sum/e.Mean - w.n*math.Log(e.Mean) }

func (e Exponential) free() []float64 { return []float64{math.Log(e.Mean)} }

func (e Exponential) with(f []float64) (Dist, error) { return newExponential(math.Exp(f[0])) }
