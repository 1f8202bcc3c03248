package law

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"racecard/datasets/lists"
)

// Run is a past run of a job. Numbers are NaN where they are not known.
type Run struct {
	Submit     float64 // seconds, in any time of all runs
	Seconds    float64 // from submission to end
	InputBytes float64
	Tokens     float64
	Expected   float64 // seconds that a simulation says of a run on its tokens
	Plan       int     // runs of one plan have the same number
	Apart      bool    // Expected was learned from runs on other tokens only
	// Extra is additional variance of its noise, in units of the variance of the next run's, for runs that weigh less.
	Extra float64
	// Scatter is the variance of its noise, if noise is the luck of tasks, in units that all runs share; 0 where that is
	// not known.
	Scatter float64
}

// Next describes the run to predict.
type Next struct {
	Submit     float64 // seconds, in the time of past runs; NaN where it is not known
	InputBytes float64
	Tokens     float64
	Expected   float64
	Plan       int
	Scatter    float64 // as that of past runs, in the same units; 0 where it is not known
	// Least is the least standard deviation of the logarithm of its time, however alike past runs are: the error of
	// Expected that they cannot show.
	Least float64
}

// MostRuns bounds the past runs that are used, the newest.
const MostRuns = 60

// mostLost bounds the degrees of freedom that expected times on many numbers of tokens lose, as they lie on a smooth
// curve.
const mostLost = 14

// feature is a number of past runs, less its mean; nil values where it is not known.
type feature struct {
	values []float64
	mean   float64
}

// known reports whether a feature is used.
func (f *feature) known() bool { return f.values != nil }

// series holds the past runs of a job as regression data.
type series struct {
	y             []float64 // logarithms of times, less their mean
	mean          float64   // that was taken off
	input, tokens feature   // logarithms
	bends         feature   // deviation of a bent effect of tokens from a line
	base          feature   // logarithms of expected times
	submits       []float64 // seconds; nil if not all are known
	periods       []int     // that past runs can show, as positions in periods
	order         []float64 // of runs in time, by waves; the next run is 0
	plans         []int
	several       bool      // plans, with that of the next run
	noise         []float64 // variance of each past run in units of the noise
	scatter       []float64 // factor of that variance if the noise is the luck of tasks
	scattered     bool      // some run has another factor than others
	// lost is the degrees of freedom of expected times that were fitted to these runs: one per number of tokens but the
	// first, mostLost at most. Expected times that were learned from other runs lose none.
	lost float64
}

// newSeries keeps the runs with a positive time. The input, tokens and expected times are used if they are known for
// the next run and most past ones; past runs without them are then left out. It returns nil where no run is left.
func newSeries(past []Run, next Next) *series {
	runs := lists.Kept(past, func(r Run) bool { return positive(r.Seconds) })
	if runs = runs[max(0, len(runs)-MostRuns):]; len(runs) == 0 {
		return nil
	}
	order := waves(runs)
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
	s := &series{}
	expected := use(func(r Run) float64 { return r.Expected }, next.Expected)
	input := use(func(r Run) float64 { return r.InputBytes }, next.InputBytes)
	tokens := use(func(r Run) float64 { return r.Tokens }, next.Tokens)
	s.order = order
	if finite(next.Submit) && !slices.ContainsFunc(runs, func(r Run) bool { return !finite(r.Submit) }) {
		for _, r := range runs {
			s.submits = append(s.submits, r.Submit)
		}
		s.periods = shown(s.submits)
	}
	if expected {
		different := map[float64]bool{}
		for _, r := range runs {
			if !r.Apart {
				different[r.Expected] = true
			}
		}
		s.lost = min(mostLost, max(0, float64(len(different)-1)))
	}
	logs := func(known bool, of func(Run) float64) (f feature) {
		if !known {
			return f
		}
		for _, r := range runs {
			f.values = append(f.values, math.Log(of(r)))
		}
		return f.centred()
	}
	s.base = logs(expected, func(r Run) float64 { return r.Expected })
	s.input = logs(input, func(r Run) float64 { return r.InputBytes })
	s.tokens = logs(tokens, func(r Run) float64 { return r.Tokens })
	for _, x := range s.tokens.values {
		s.bends.values = append(s.bends.values, bend(x))
	}
	s.bends = s.bends.centred()
	for _, r := range runs {
		y := math.Log(r.Seconds)
		s.y, s.noise = append(s.y, y), append(s.noise, 1+max(0, r.Extra))
		s.mean += y / float64(len(runs))
		s.plans, s.scatter = append(s.plans, r.Plan), append(s.scatter, factorOf(r.Scatter))
	}
	s.several, s.scattered = s.differ(next)
	for i := range s.y {
		s.y[i] -= s.mean
	}
	return s
}

// centred takes the mean off the values of a feature.
func (f feature) centred() feature {
	for _, x := range f.values {
		f.mean += x / float64(len(f.values))
	}
	for i := range f.values {
		f.values[i] -= f.mean
	}
	return f
}

// factorOf returns a factor of the noise: 1 where it is not known.
func factorOf(scatter float64) float64 {
	if scatter > 0 {
		return scatter
	}
	return 1
}

// differ reports whether past runs and the next one have several plans, and whether the luck of tasks makes their noise
// differ.
func (s *series) differ(next Next) (plans, scatter bool) {
	scatter = factorOf(next.Scatter) != 1
	for i := range s.plans {
		plans = plans || s.plans[i] != next.Plan
		scatter = scatter || s.scatter[i] != 1
	}
	return plans, scatter
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// slopes returns the hypotheses of the effects of the input and of tokens.
func (s *series) slopes() (input, tokens []slope) {
	input, tokens = none, none
	if s.input.known() {
		input = byInput
	}
	switch {
	case s.tokens.known() && s.base.known():
		tokens = bySimulated
	case s.tokens.known():
		tokens = byTokens
	}
	return input, tokens
}

// covariance returns the covariance matrix of past runs, in squares of the noise and without it. It is the sum of the
// mean, slopes and bends with a spread, a local term, a drift and a level per plan. data holds its upper triangle.
func (s *series) covariance(t *terms, c shared, data []float64) blas64.Symmetric {
	n := len(s.order)
	k := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: data}
	for i := range n {
		row := k.Data[i*n : (i+1)*n]
		for j := i; j < n; j++ {
			row[j] = anywhere * anywhere
		}
		if s.input.known() {
			addOuter(row, s.input.values, i, c.input.spread*c.input.spread)
		}
		if s.tokens.known() {
			addOuter(row, s.tokens.values, i, c.tokens.spread*c.tokens.spread)
			if c.tokens.bend > 0 {
				addOuter(row, s.bends.values, i, bentSpread*bentSpread)
			}
		}
		for _, of := range [][]float64{t.local[c.local], t.drift[c.drift], t.trend[c.drift], t.period[c.period]} {
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
type terms struct{ local, drift, trend, period [][]float64 }

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
	t := &terms{make([][]float64, len(locals)), make([][]float64, len(drifts)), make([][]float64, len(drifts)),
		make([][]float64, len(periods))}
	for i := range locals {
		if l := &locals[i]; l.kind != noLocal && (s.input.known() || s.tokens.known()) {
			t.local[i] = matrix(func(a, b int) float64 { return s.local(l, a, s.input.at(b), s.tokens.at(b)) })
		}
	}
	for k := range drifts {
		if drifts[k].amplitude > 0 {
			t.drift[k] = matrix(func(i, j int) float64 { return drifted(k, s.order[i]-s.order[j]) })
		}
		if d := drifts[k]; d.trend > 0 {
			t.trend[k] = matrix(func(i, j int) float64 { return d.trend * d.trend * s.order[i] * s.order[j] })
		}
	}
	for _, k := range s.periods {
		t.period[k] = matrix(func(i, j int) float64 { return periods[k].of(s.submits[i] - s.submits[j]) })
	}
	return t
}

// at returns the value of a past run; 0 where the feature is not known.
func (f *feature) at(i int) float64 {
	if f.values == nil {
		return 0
	}
	return f.values[i]
}

// local returns the local term of the covariance of past run i and a run of so much input and so many tokens.
func (s *series) local(l *local, i int, input, tokens float64) float64 {
	return l.of(math.Abs(s.input.at(i)-input), math.Abs(s.tokens.at(i)-tokens))
}

// of returns the local term of two runs whose inputs and tokens are so many e-folds apart.
func (l *local) of(dx, dm float64) float64 {
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

// drifted returns the covariance by a drift of two runs that are so many runs apart.
func drifted(drift int, runs float64) float64 {
	d := &drifts[drift]
	return d.amplitude * d.amplitude * math.Exp(-math.Abs(runs)/d.reach)
}

// anywhere is the standard deviation of the mean, in units of the noise.
const anywhere = 30.0
