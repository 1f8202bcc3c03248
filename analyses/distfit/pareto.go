package distfit

import (
	"math"
	"math/rand/v2"
)

// Pareto has survival function (Min/x)^Alpha above Min, of type I. Its mean is infinite for Alpha <= 1, its variance
// for Alpha <= 2.
type Pareto struct{ Min, Alpha float64 }

// newPareto checks the parameters.
func newPareto(least, alpha float64) (Pareto, error) {
	return Pareto{least, alpha}, positive("pareto", least, alpha)
}

// fitPareto returns the closed form: the least value, and the number of values divided by the sum of ln(x / least) over
// values and the bounds of open ones. If values stand for cells, the least value is the start of the first cell, or
// half of its width if it starts at 0.
func fitPareto(s *Sample) (Pareto, error) {
	from, to := s.cell(s.Min())
	if from == 0 {
		from = to / 2
	}
	least := math.Log(from)
	return newPareto(from, 1/(s.meanLog-least+s.open.logAbove(least)/s.n))
}

// Params implements [Dist].
func (p Pareto) Params() []Param { return []Param{{"min", p.Min}, {"alpha", p.Alpha}} }

// CDF implements [Dist].
func (p Pareto) CDF(x float64) float64 {
	if x <= p.Min {
		return 0
	}
	return -math.Expm1(p.Alpha * math.Log(p.Min/x))
}

// Survival implements [Dist].
func (p Pareto) Survival(x float64) float64 {
	if x <= p.Min {
		return 1
	}
	return math.Pow(p.Min/x, p.Alpha)
}

// LogProb implements [Dist].
func (p Pareto) LogProb(x float64) float64 {
	if x < p.Min {
		return math.Inf(-1)
	}
	return math.Log(p.Alpha/x) + p.Alpha*math.Log(p.Min/x)
}

// Quantile implements [Dist].
func (p Pareto) Quantile(q float64) float64 { return p.Min * math.Exp(-math.Log1p(-q)/p.Alpha) }

// Rand implements [Dist].
func (p Pareto) Rand(rng *rand.Rand) float64 { return p.Min * math.Exp(rng.ExpFloat64()/p.Alpha) }

func (p Pareto) logMidpoints(w *midpoints) float64 {
	if len(w.log) > 0 && w.log[0] < math.Log(p.Min) {
		return math.Inf(-1)
	}
	return w.n*(math.Log(p.Alpha)+p.Alpha*math.Log(p.Min)) - (p.Alpha+1)*w.sumLog
}

func (p Pareto) free() []float64 { return []float64{math.Log(p.Min), math.Log(p.Alpha)} }

func (p Pareto) with(f []float64) (Dist, error) { return newPareto(math.Exp(f[0]), math.Exp(f[1])) }
