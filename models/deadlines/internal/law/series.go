package law

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Run is a past run of a job. Numbers are NaN where they are not known.
type Run struct {
	Seconds    float64 // from submission to end
	InputBytes float64
	Tokens     float64
	Expected   float64 // seconds that a simulation says of a run on its tokens
	Plan       int     // runs of one plan have the same number
	Apart      bool    // Expected was learned from runs on other tokens only
	// Extra is additional variance of its noise, in units of the variance of the next run's, for runs that weigh less.
	Extra float64
	// Scatter is the variance of its noise in units of the variance of the next run's, if noise is the luck of tasks; 0
	// where that is not known.
	Scatter float64
}

// Next describes the run to predict.
type Next struct {
	InputBytes float64
	Tokens     float64
	Expected   float64
	Plan       int
	// Least is the least standard deviation of the logarithm of its time, however alike past runs are: the error of
	// Expected that they cannot show.
	Least float64
}

// mostRuns bounds the past runs that are used, the newest.
const mostRuns = 60

// series holds the past runs of a job as regression data; the last element of input, tokens and base is the next run's.
type series struct {
	y             []float64 // logarithms of times, less their mean
	mean          float64   // that was taken off
	input, tokens []float64 // logarithms, less the mean of past runs; nil where they are not known
	// deviation of a bent effect of tokens from a line, less the mean of past runs; nil if tokens are not known
	bends []float64
	base  []float64 // logarithms of expected times, less the mean of past runs; nil where they are not known
	order []float64 // of runs in time
	plans []int     // nil where all runs have one
	noise []float64 // variance of each past run in units of the noise
	// scatter is a factor of that variance if the noise is the luck of tasks; nil where it is 1 for all runs
	scatter []float64
	// lost is the degrees of freedom of expected times that were fitted to these runs: one per number of tokens but the
	// first. Expected times that were learned from other runs lose none.
	lost float64
}

// newSeries keeps the runs with a positive time. The input, tokens and expected times are used if they are known for
// the next run and most past ones; past runs without them are then left out. It returns nil where no run is left.
func newSeries(past []Run, next Next) *series {
	var runs []Run
	var order []float64
	for i, r := range past {
		if r.Seconds > 0 && !math.IsInf(r.Seconds, 1) {
			runs, order = append(runs, r), append(order, float64(i-len(past)))
		}
	}
	if len(runs) > mostRuns {
		runs, order = runs[len(runs)-mostRuns:], order[len(order)-mostRuns:]
	}
	if len(runs) == 0 {
		return nil
	}
	use := func(of func(Run) float64, to float64) bool {
		if !positive(to) {
			return false
		}
		n := 0
		for _, r := range runs {
			if positive(of(r)) {
				n++
			}
		}
		if 2*n <= len(runs) {
			return false
		}
		k := 0
		for i, r := range runs {
			if positive(of(r)) {
				runs[k], order[k] = r, order[i]
				k++
			}
		}
		runs, order = runs[:k], order[:k]
		return true
	}
	expected := use(func(r Run) float64 { return r.Expected }, next.Expected)
	input := use(func(r Run) float64 { return r.InputBytes }, next.InputBytes)
	tokens := use(func(r Run) float64 { return r.Tokens }, next.Tokens)
	s := &series{order: append(order, 0)}
	if expected {
		different := map[float64]bool{}
		for _, r := range runs {
			if !r.Apart {
				different[r.Expected] = true
			}
		}
		s.lost = max(0, float64(len(different)-1))
	}
	feature := func(known bool, of func(Run) float64, to float64) []float64 {
		if !known {
			return nil
		}
		out, sum := make([]float64, 0, len(runs)+1), 0.0
		for _, r := range runs {
			out = append(out, math.Log(of(r)))
			sum += out[len(out)-1]
		}
		out = append(out, math.Log(to))
		for i := range out {
			out[i] -= sum / float64(len(runs))
		}
		return out
	}
	s.base = feature(expected, func(r Run) float64 { return r.Expected }, next.Expected)
	s.input = feature(input, func(r Run) float64 { return r.InputBytes }, next.InputBytes)
	s.tokens = feature(tokens, func(r Run) float64 { return r.Tokens }, next.Tokens)
	s.bends = bends(s.tokens)
	for _, r := range runs {
		if r.Plan != next.Plan {
			s.plans = make([]int, len(runs)+1)
		}
	}
	if s.plans != nil {
		for i, r := range runs {
			s.plans[i] = r.Plan
		}
		s.plans[len(runs)] = next.Plan
	}
	for _, r := range runs {
		y := math.Log(r.Seconds)
		s.y, s.noise = append(s.y, y), append(s.noise, 1+max(0, r.Extra))
		s.mean += y / float64(len(runs))
		if r.Scatter > 0 && r.Scatter != 1 {
			s.scatter = make([]float64, len(runs))
		}
	}
	for i := range s.scatter {
		s.scatter[i] = 1
		if runs[i].Scatter > 0 {
			s.scatter[i] = runs[i].Scatter
		}
	}
	for i := range s.y {
		s.y[i] -= s.mean
	}
	return s
}

// bends returns the deviation of a bent effect of tokens from a line, less the mean of past runs.
func bends(tokens []float64) []float64 {
	var out []float64
	past := 0.0
	for i, x := range tokens {
		out = append(out, bend(x))
		if i < len(tokens)-1 {
			past += out[i] / float64(len(tokens)-1)
		}
	}
	for i := range out {
		out[i] -= past
	}
	return out
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// slopes returns the hypotheses of the effects of the input and of tokens.
func (s *series) slopes() (input, tokens []slope) {
	input, tokens = none, none
	if s.input != nil {
		input = byInput
	}
	switch {
	case s.tokens != nil && s.base != nil:
		tokens = bySimulated
	case s.tokens != nil:
		tokens = byTokens
	}
	return input, tokens
}

// covariance returns the covariance matrix of all runs, in squares of the noise and without it. It is the sum of the
// mean, slopes and bends with a spread, a local term, a drift and a level per plan. data holds its upper triangle.
func (s *series) covariance(t *terms, c shared, data []float64) blas64.Symmetric {
	n := len(s.order)
	k := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: data}
	for i := range n {
		row := k.Data[i*n : (i+1)*n]
		for j := i; j < n; j++ {
			row[j] = anywhere * anywhere
		}
		if s.input != nil {
			addOuter(row, s.input, i, c.input.spread*c.input.spread)
		}
		if s.tokens != nil {
			addOuter(row, s.tokens, i, c.tokens.spread*c.tokens.spread)
			if c.tokens.bend > 0 {
				addOuter(row, s.bends, i, bentSpread*bentSpread)
			}
		}
		for _, of := range [][]float64{t.local[c.local], t.drift[c.drift], t.trend[c.drift]} {
			if of != nil {
				floats.Add(row[i:], of[i*n+i:(i+1)*n])
			}
		}
		if a := byPlan[c.plan]; a > 0 {
			for j := i; j < n; j++ {
				if s.plans[i] == s.plans[j] {
					row[j] += a * a
				}
			}
		}
	}
	return k
}

// addOuter adds row i of size times the outer product of x with itself, from the diagonal on.
func addOuter(row, x []float64, i int, size float64) {
	for j := i; j < len(row); j++ {
		row[j] += size * x[i] * x[j]
	}
}

// terms holds matrices that are added to many covariances: one per local term and per drift in the lists of hypotheses,
// nil for a hypothesis without it. They are square, in rows, and filled from the diagonal on.
type terms struct{ local, drift, trend [][]float64 }

// terms computes the terms of a series.
func (s *series) terms() *terms {
	matrix := func(of func(i, j int) float64) []float64 {
		n := len(s.order)
		out := make([]float64, n*n)
		for i := range n {
			for j := i; j < n; j++ {
				out[i*n+j] = of(i, j)
			}
		}
		return out
	}
	t := &terms{make([][]float64, len(locals)), make([][]float64, len(drifts)), make([][]float64, len(drifts))}
	for i, l := range locals {
		if l.kind != noLocal && (s.input != nil || s.tokens != nil) {
			t.local[i] = matrix(func(i, j int) float64 { return s.local(i, j, l) })
		}
	}
	for k, d := range drifts {
		if d.amplitude > 0 {
			t.drift[k] = matrix(func(i, j int) float64 {
				return d.amplitude * d.amplitude * math.Exp(-math.Abs(s.order[i]-s.order[j])/d.reach)
			})
		}
		if d.trend > 0 {
			t.trend[k] = matrix(func(i, j int) float64 { return d.trend * d.trend * s.order[i] * s.order[j] })
		}
	}
	return t
}

// local returns the local term of the covariance of runs i and j.
func (s *series) local(i, j int, l local) float64 {
	dx, dm := 0.0, 0.0
	if s.input != nil {
		dx = math.Abs(s.input[i] - s.input[j])
	}
	if s.tokens != nil {
		dm = math.Abs(s.tokens[i] - s.tokens[j])
	}
	switch l.kind {
	case rough:
		return l.amplitude * l.amplitude * math.Exp(-math.Hypot(dx, dm)/l.reach)
	case smooth:
		r := math.Sqrt(3) * math.Hypot(dx, dm) / l.reach
		return l.amplitude * l.amplitude * (1 + r) * math.Exp(-r)
	case apart:
		return l.amplitude * l.amplitude * (math.Exp(-dx/l.reach) + math.Exp(-dm/l.reach))
	}
	return 0
}

// anywhere is the standard deviation of the mean, in units of the noise.
const anywhere = 30.0
