package law

import "math"

// Run is a past run of a job. Numbers are NaN where they are not known.
type Run struct {
	Seconds    float64 // from submission to end
	InputBytes float64
	Tokens     float64
	Expected   float64 // seconds that a simulation says of a run on its tokens
	Plan       int     // runs of one plan have the same number
	Apart      bool    // Expected was learned from runs on other tokens only
	// additional variance of its noise, in units of the variance of the next run's: above 0 for runs that weigh less,
	// below 0, down to -1, for runs that vary less
	Extra float64
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
	// lost is the degrees of freedom of expected times that were fitted to these runs: one per number of tokens but the
	// first. Expected times that were learned from other runs lose none.
	lost float64
}

// leastExtra bounds how little a run varies.
const leastExtra = -0.95

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
		s.y, s.noise = append(s.y, y), append(s.noise, 1+max(leastExtra, r.Extra))
		s.mean += y / float64(len(runs))
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

// covariance of runs i and j, in squares of the noise, without the noise: of the mean, slopes and bends with a spread,
// a local term, a drift and a level per plan.
func (s *series) covariance(i, j int, input, tokens slope, l local, d, plan int) float64 {
	c := anywhere * anywhere
	dx, dm := 0.0, 0.0
	if s.input != nil {
		c += input.spread * input.spread * s.input[i] * s.input[j]
		dx = math.Abs(s.input[i] - s.input[j])
	}
	if s.tokens != nil {
		c += tokens.spread * tokens.spread * s.tokens[i] * s.tokens[j]
		dm = math.Abs(s.tokens[i] - s.tokens[j])
		if tokens.bend > 0 {
			c += bentSpread * bentSpread * s.bends[i] * s.bends[j]
		}
	}
	switch l.kind {
	case rough:
		c += l.amplitude * l.amplitude * math.Exp(-math.Hypot(dx, dm)/l.reach)
	case smooth:
		r := math.Sqrt(3) * math.Hypot(dx, dm) / l.reach
		c += l.amplitude * l.amplitude * (1 + r) * math.Exp(-r)
	case apart:
		c += l.amplitude * l.amplitude * (math.Exp(-dx/l.reach) + math.Exp(-dm/l.reach))
	}
	if a := drifts[d].amplitude; a > 0 {
		c += a * a * math.Exp(-math.Abs(s.order[i]-s.order[j])/drifts[d].reach)
	}
	if a := drifts[d].trend; a > 0 {
		c += a * a * s.order[i] * s.order[j]
	}
	if a := byPlan[plan]; a > 0 && s.plans[i] == s.plans[j] {
		c += a * a
	}
	return c
}

// anywhere is the standard deviation of the mean, in units of the noise.
const anywhere = 30.0
