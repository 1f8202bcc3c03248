package distfit

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Lognormal is the distribution of exp(Mu + Sigma Z), Z standard normal.
type Lognormal struct{ Mu, Sigma float64 }

// newLognormal checks the parameters: a finite mu and a positive, finite sigma.
func newLognormal(mu, sigma float64) (Lognormal, error) {
	if math.IsNaN(mu) || math.IsInf(mu, 0) {
		return Lognormal{}, fmt.Errorf("lognormal(%v, %v): want a finite mu", mu, sigma)
	}
	return Lognormal{mu, sigma}, positive("lognormal", sigma)
}

// fitLognormal returns the closed form: mean and standard deviation (with n, not n-1) of the logarithms.
func fitLognormal(s *Sample) (Lognormal, error) {
	squares := 0.0
	for i, l := range s.log {
		squares += s.count[i] * (l - s.meanLog) * (l - s.meanLog)
	}
	return newLognormal(s.meanLog, math.Sqrt(squares/s.n))
}

// Params implements [Dist].
func (l Lognormal) Params() []Param { return []Param{{"mu", l.Mu}, {"sigma", l.Sigma}} }

func (l Lognormal) z(x float64) float64 { return (math.Log(max(x, 0)) - l.Mu) / l.Sigma }

// CDF implements [Dist].
func (l Lognormal) CDF(x float64) float64 { return 0.5 * math.Erfc(-l.z(x)/math.Sqrt2) }

// Survival implements [Dist].
func (l Lognormal) Survival(x float64) float64 { return 0.5 * math.Erfc(l.z(x)/math.Sqrt2) }

// LogProb implements [Dist].
func (l Lognormal) LogProb(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	z := l.z(x)
	return -z*z/2 - math.Log(x*l.Sigma) - 0.5*math.Log(2*math.Pi)
}

// Quantile implements [Dist].
func (l Lognormal) Quantile(p float64) float64 {
	return math.Exp(l.Mu + l.Sigma*math.Sqrt2*math.Erfinv(2*p-1))
}

// Rand implements [Dist].
func (l Lognormal) Rand(rng *rand.Rand) float64 { return math.Exp(l.Mu + l.Sigma*rng.NormFloat64()) }

func (l Lognormal) logMidpoints(w *midpoints) float64 {
	squares := w.squares - 2*l.Mu*w.sumLog + w.n*l.Mu*l.Mu
	return -squares/(2*l.Sigma*l.Sigma) - w.sumLog - w.n*(math.Log(l.Sigma)+0.5*math.Log(2*math.Pi))
}

func (l Lognormal) free() []float64 { return []float64{l.Mu, math.Log(l.Sigma)} }

func (l Lognormal) with(f []float64) (Dist, error) { return newLognormal(f[0], math.Exp(f[1])) }
