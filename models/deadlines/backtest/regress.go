package backtest

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// features turns the input and the tokens of a run into the row of a regression.
type features func(inputBytes, tokens float64) []float64

// ols predicts by least squares of the time on the input and the tokens. It returns NaN if neither is known for both
// the past runs and the next.
func ols(runs []past, to *next) float64 {
	return regress(runs, to, func(input, tokens float64) []float64 { return []float64{1, input, tokens} },
		func(t float64) float64 { return t }, func(y float64) float64 { return max(0, y) }, leastSquares)
}

// olsLog predicts by least squares: the logarithm of the time on the logarithms of input and tokens.
func olsLog(runs []past, to *next) float64 {
	return regress(runs, to, func(input, tokens float64) []float64 {
		return []float64{1, math.Log(input), math.Log(tokens)}
	},
		math.Log, math.Exp, leastSquares)
}

// ernest predicts by Ernest's model, fitted by non-negative least squares.
func ernest(runs []past, to *next) float64 {
	return regress(runs, to, func(input, tokens float64) []float64 {
		return []float64{1, input / tokens, math.Log(tokens), tokens}
	},
		func(t float64) float64 { return t }, func(y float64) float64 { return y }, nonNegative)
}

// regress fits times, transformed by to, to features, and predicts the next run. If some run lacks the input (or the
// tokens), it is set to 1 in all runs, so that it explains nothing. It returns NaN where both are missing, or for fewer
// than two runs.
func regress(runs []past, to *next, row features, transform, back func(float64) float64,
	fit func(x [][]float64, y []float64) []float64) float64 {
	knownInput, knownTokens := to.inputBytes > 0, to.tokens > 0
	var used []*past
	for i := range runs {
		if p := &runs[i]; p.completionS > 0 {
			used = append(used, p)
			knownInput, knownTokens = knownInput && p.inputBytes > 0, knownTokens && p.tokens > 0
		}
	}
	if len(used) < 2 || !knownInput && !knownTokens {
		return math.NaN()
	}
	// The unit of the input does not matter, but features of similar magnitude make better conditioned equations.
	at := func(input, tokens float64) []float64 {
		if input /= to.inputBytes; !knownInput {
			input = 1
		}
		if !knownTokens {
			tokens = 1
		}
		return row(input, tokens)
	}
	x, y := make([][]float64, len(used)), make([]float64, len(used))
	for i, p := range used {
		x[i], y[i] = at(p.inputBytes, p.tokens), transform(p.completionS)
	}
	beta, sum := fit(x, y), 0.0
	if beta == nil {
		return math.NaN()
	}
	for k, f := range at(to.inputBytes, to.tokens) {
		sum += beta[k] * f
	}
	return back(sum)
}

// singular is the size of a singular value, as a share of the largest, below which it is 0.
const singular = 1e-9

// leastSquares returns the least-squares solution of the smallest norm, nil if there is none. Columns are
// centred, so that constant columns have no effect.
func leastSquares(x [][]float64, y []float64) []float64 {
	n, m := len(x), len(x[0])
	means, meanY := make([]float64, m), 0.0
	for i := range x {
		for k := range m {
			means[k] += x[i][k] / float64(n)
		}
		meanY += y[i] / float64(n)
	}
	scales := make([]float64, m)
	for k := range m {
		for i := range x {
			scales[k] = max(scales[k], math.Abs(x[i][k]-means[k]))
		}
		if scales[k] <= singular*math.Abs(means[k]) {
			scales[k] = math.Inf(1)
		}
	}
	a, b := mat.NewDense(n, m, nil), mat.NewVecDense(n, nil)
	for i := range x {
		for k := range m {
			a.Set(i, k, (x[i][k]-means[k])/scales[k])
		}
		b.SetVec(i, y[i]-meanY)
	}
	beta := make([]float64, m) // the first column is 1
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil
	}
	if rank := svd.Rank(singular); rank > 0 {
		var solution mat.VecDense
		svd.SolveVecTo(&solution, b, rank)
		for k := range m {
			beta[k] = solution.AtVec(k) / scales[k]
		}
	}
	beta[0] = meanY
	for k := 1; k < m; k++ {
		beta[0] -= beta[k] * means[k]
	}
	return beta
}

// nonNegative returns the coefficients, none below 0, of least squares. It solves the normal equations of every subset
// of the columns and takes the best solution without a negative coefficient: exact, and cheap for the few columns there
// are. Subsets whose columns depend on each other are left out, as a smaller one fits as well. It returns nil where no
// subset has a solution.
func nonNegative(x [][]float64, y []float64) []float64 {
	m := len(x[0])
	gram, right, scales := mat.NewSymDense(m, nil), make([]float64, m), make([]float64, m)
	for k := range m {
		for i := range x {
			scales[k] += x[i][k] * x[i][k]
		}
		scales[k] = math.Sqrt(scales[k])
	}
	for k := range m {
		for i := range x {
			right[k] += x[i][k] / scales[k] * y[i]
		}
		for l := range k + 1 {
			sum := 0.0
			for i := range x {
				sum += x[i][k] / scales[k] * (x[i][l] / scales[l])
			}
			gram.SetSym(k, l, sum)
		}
	}
	var best []float64
	most := math.Inf(-1) // of the reduction of squares that a solution brings
	for subset := 1; subset < 1<<m; subset++ {
		var columns []int
		for k := range m {
			if subset>>k&1 == 1 && scales[k] > 0 {
				columns = append(columns, k)
			}
		}
		beta, brings, ok := solve(gram, right, columns)
		if !ok || brings <= most {
			continue
		}
		most, best = brings, make([]float64, m)
		for i, k := range columns {
			best[k] = beta[i] / scales[k]
		}
	}
	return best
}

// solve returns the solution of the normal equations of some columns and by how much it reduces the squares; not ok
// where it is not unique or has a negative coefficient.
func solve(gram *mat.SymDense, right []float64, columns []int) (beta []float64, brings float64, ok bool) {
	n := len(columns)
	if n == 0 {
		return nil, 0, false
	}
	a, b := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, k := range columns {
		b.SetVec(i, right[k])
		for j := range i + 1 {
			a.SetSym(i, j, gram.At(k, columns[j]))
		}
	}
	var chol mat.Cholesky
	var solution mat.VecDense
	if !chol.Factorize(a) || chol.Cond() > 1/singular || chol.SolveVecTo(&solution, b) != nil {
		return nil, 0, false
	}
	for i := range n {
		if solution.AtVec(i) < 0 {
			return nil, 0, false
		}
		beta = append(beta, solution.AtVec(i))
	}
	return beta, mat.Dot(b, &solution), true
}
