package distfit

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// improve returns the maximum-likelihood member of the family of d if values stand for cells. It starts the search at d
// and uses the method of J. A. Nelder and R. Mead, "A Simplex Method for Function Minimization", The Computer Journal
// 7(4), 1965.
func improve(s *Sample, d Dist) (Dist, error) {
	cost := func(free []float64) float64 {
		near, err := d.with(free)
		if err != nil {
			return math.Inf(1)
		}
		if l := LogLikelihood(near, s) / s.n; !math.IsNaN(l) {
			return -l
		}
		return math.Inf(1)
	}
	start := d.free()
	if math.IsInf(cost(start), 1) {
		return d, nil
	}
	r, err := optimize.Minimize(optimize.Problem{Func: cost}, start, &optimize.Settings{
		FuncEvaluations: 400,
		Converger:       &optimize.FunctionConverge{Absolute: 1e-7, Iterations: 10},
	}, &optimize.NelderMead{SimplexSize: 0.1})
	if err != nil {
		return nil, err
	}
	return d.with(r.X)
}
