package distfit

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Gamma has density x^(Shape-1) exp(-x/Scale) / (Gamma(Shape) Scale^Shape).
type Gamma struct{ Shape, Scale float64 }

// newGamma checks the parameters.
func newGamma(shape, scale float64) (Gamma, error) {
	return Gamma{shape, scale}, positive("gamma", shape, scale)
}

// fitGamma solves the likelihood equation of the shape k, ln k - digamma(k) = ln(mean) - mean(ln x), by the generalised
// Newton steps of T. P. Minka, "Estimating a Gamma Distribution", 2002, from his closed approximation; the scale is
// mean / k.
func fitGamma(s *Sample) (Gamma, error) {
	d := math.Log(s.Mean()) - s.meanLog // positive, by Jensen's inequality, but for rounding
	if !(d > 0) {
		return Gamma{}, errConstant
	}
	k := (3 - d + math.Sqrt((d-3)*(d-3)+24*d)) / (12 * d)
	for range maxIterations {
		trigamma := mathext.Zeta(2, k)
		// beyond what a float64 resolves; the approximation is as good
		if !(trigamma*k > 1) || math.IsInf(trigamma, 1) {
			break
		}
		next := 1 / (1/k + (-d+math.Log(k)-mathext.Digamma(k))/(k*k*(1/k-trigamma)))
		done := !(next > 0) || math.Abs(next-k) <= 1e-12*k
		if next > 0 && !math.IsInf(next, 1) {
			k = next
		}
		if done {
			break
		}
	}
	return newGamma(k, s.Mean()/k)
}

// Params implements [Dist].
func (g Gamma) Params() []Param { return []Param{{"shape", g.Shape}, {"scale", g.Scale}} }

// CDF implements [Dist].
func (g Gamma) CDF(x float64) float64 { return mathext.GammaIncReg(g.Shape, max(x, 0)/g.Scale) }

// Survival implements [Dist].
func (g Gamma) Survival(x float64) float64 {
	return mathext.GammaIncRegComp(g.Shape, max(x, 0)/g.Scale)
}

// LogProb implements [Dist].
func (g Gamma) LogProb(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	lg, _ := math.Lgamma(g.Shape)
	return (g.Shape-1)*math.Log(x/g.Scale) - x/g.Scale - lg - math.Log(g.Scale)
}

// Quantile implements [Dist].
func (g Gamma) Quantile(p float64) float64 { return g.Scale * mathext.GammaIncRegInv(g.Shape, p) }

// Rand implements [Dist].
func (g Gamma) Rand(rng *rand.Rand) float64 {
	return distuv.Gamma{Alpha: g.Shape, Beta: 1 / g.Scale, Src: rng}.Rand()
}

func (g Gamma) logMidpoints(w *midpoints) float64 {
	lg, _ := math.Lgamma(g.Shape)
	return (g.Shape-1)*w.sumLog - w.sum/g.Scale - w.n*(lg+g.Shape*math.Log(g.Scale))
}

func (g Gamma) free() []float64 { return []float64{math.Log(g.Shape), math.Log(g.Scale)} }

func (g Gamma) with(f []float64) (Dist, error) { return newGamma(math.Exp(f[0]), math.Exp(f[1])) }
