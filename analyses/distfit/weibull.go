package distfit

import (
	"math"
	"math/rand/v2"
)

// Weibull has survival function exp(-(x/Scale)^Shape). A shape below 1 has a heavier tail than the exponential.
type Weibull struct{ Shape, Scale float64 }

// newWeibull checks the parameters.
func newWeibull(shape, scale float64) (Weibull, error) {
	return Weibull{shape, scale}, positive("weibull", shape, scale)
}

// maxIterations bounds the searches of this package; they end far earlier.
const maxIterations = 100

// fitWeibull solves the likelihood equation of the shape k, sum(x^k ln x) / sum(x^k) - 1/k = mean(ln x), whose left
// side increases in k, by Newton's method within a bracket; the scale follows. The bounds of open values are in the
// sums, not in the mean (J. F. Lawless, "Statistical Models and Methods for Lifetime Data", 2nd ed., 2003, §5.2).
func fitWeibull(s *Sample) (Weibull, error) {
	top := s.log[len(s.log)-1]
	if n := len(s.open.log); n > 0 {
		top = max(top, s.open.log[n-1])
	}
	// moments of ln x - top, weighted with (x / max)^k, which cannot overflow
	moments := func(k float64) (m0, m1, m2 float64) {
		add := func(logs, count []float64) {
			for i, l := range logs {
				l -= top
				w := count[i] * math.Exp(k*l)
				m0 += w
				m1 += w * l
				m2 += w * l * l
			}
		}
		add(s.log, s.count)
		add(s.open.log, s.open.count)
		return m0, m1, m2
	}
	low, high := 0.0, math.Inf(1)
	k := 1.2 / spread(s) // the moments of the logarithm: pi / sqrt(6) = 1.28
	for range maxIterations {
		m0, m1, m2 := moments(k)
		f := m1/m0 - 1/k - (s.meanLog - top)
		if f > 0 {
			high = k
		} else {
			low = k
		}
		next := k - f/(m2/m0-(m1/m0)*(m1/m0)+1/(k*k))
		switch {
		case next > low && next < high:
		case math.IsInf(high, 1):
			next = 2 * k
		default:
			next = (low + high) / 2
		}
		done := math.Abs(next-k) <= 1e-12*k
		k = next
		if done {
			break
		}
	}
	m0, _, _ := moments(k)
	return newWeibull(k, math.Exp(top+math.Log(m0/s.n)/k))
}

// spread returns the standard deviation of the logarithms of a sample of different values.
func spread(s *Sample) float64 {
	squares := 0.0
	for i, l := range s.log {
		squares += s.count[i] * (l - s.meanLog) * (l - s.meanLog)
	}
	return math.Sqrt(squares / s.n)
}

// Params implements [Dist].
func (w Weibull) Params() []Param { return []Param{{"shape", w.Shape}, {"scale", w.Scale}} }

func (w Weibull) hazard(x float64) float64 { return math.Pow(max(x, 0)/w.Scale, w.Shape) }

// CDF implements [Dist].
func (w Weibull) CDF(x float64) float64 { return -math.Expm1(-w.hazard(x)) }

// Survival implements [Dist].
func (w Weibull) Survival(x float64) float64 { return math.Exp(-w.hazard(x)) }

// LogProb implements [Dist].
func (w Weibull) LogProb(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	return math.Log(w.Shape/w.Scale) + (w.Shape-1)*math.Log(x/w.Scale) - w.hazard(x)
}

// Quantile implements [Dist].
func (w Weibull) Quantile(p float64) float64 { return w.Scale * math.Pow(-math.Log1p(-p), 1/w.Shape) }

// Rand implements [Dist].
func (w Weibull) Rand(rng *rand.Rand) float64 {
	return w.Scale * math.Pow(rng.ExpFloat64(), 1/w.Shape)
}

func (w Weibull) logMidpoints(of *midpoints) float64 {
	scale, hazard := math.Log(w.Scale), 0.0
	for i, l := range of.log {
		hazard += of.count[i] * math.Exp(w.Shape*(l-scale))
	}
	return of.n*(math.Log(w.Shape)-w.Shape*scale) + (w.Shape-1)*of.sumLog - hazard
}

func (w Weibull) free() []float64 { return []float64{math.Log(w.Shape), math.Log(w.Scale)} }

func (w Weibull) with(f []float64) (Dist, error) { return newWeibull(math.Exp(f[0]), math.Exp(f[1])) }
