package jobmodel

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"racecard/datasets/modelfile"
	"racecard/models/sim"
)

// past is a run and the logarithm of something positive that was measured of it.
type past struct {
	tokens, input float64 // NaN where they are not known
	order         float64 // of the runs in time: 0, 1, 2, ...
	weight        float64 // above 0
	y             float64
}

// foretold is what past runs say of the next one: a mixture of Student's t distributions of the logarithm.
type foretold struct {
	df    float64 // of all parts
	parts []part
}

type part struct{ weight, middle, scale float64 }

// What is assumed before any run is seen: the noise of a run is a tenth, as sure as 4 runs make it. Of recurring jobs with
// like inputs, the quietest tenth varies by 0.13 and half by 0.20 or more (Jockey, table 1), with the noise of tasks in it.
const (
	priorNoise = 0.1
	priorRuns  = 4
)

// effects are the standard deviations, in those of the noise, that what runs depend on may have; each combination
// explains runs as well as it does, and weighs so much.
var (
	byTokens = []float64{0, 1, 2, 4}
	byInput  = []float64{0, 3, 10} // per e-fold
	byTime   = []float64{0, 1, 2}  // of runs that are drift runs apart and less
)

const (
	anywhere = 10.0 // of the mean
	drift    = 5.0
)

// foretell says what past runs, which hold y, make expected of the run next: see [regression].
func foretell(runs []past, next past) foretold {
	y := make([]float64, len(runs))
	for i := range runs {
		y[i] = runs[i].y
	}
	return newRegression(runs, next).foretell(y)
}

// regression explains what was measured of past runs by their tokens, input and time, and says what to expect of the next one:
// Gaussian processes with a noise that is not known (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine
// Learning", 2006, sections 2.2 and 9.9 ff.; A. O'Hagan and J. Forster, "Bayesian Inference", 2004, 11.9), averaged over how strong the
// effects may be, by how likely each makes the past (J. A. Hoeting et al., "Bayesian Model Averaging", Statistical Science 14,
// 1999). With few runs it is wide, and widest where none like the next one was seen. Matrices are inverted once for all that was
// measured of the same runs.
type regression struct {
	weights []float64 // of past runs
	ways    []way
}

// way is one combination of effects.
type way struct {
	chol     mat.Cholesky  // of the covariance of past runs
	cross    *mat.VecDense // covariance of past runs with the next one
	variance float64       // of the next run given past ones, in squares of the noise
}

// leastWeight bounds the weights of past runs, of which the newest has 1: with a short half-life older ones weigh nothing that a float64
// holds, and their noise would be infinite.
const leastWeight = 1e-9

func newRegression(runs []past, next past) *regression {
	r := &regression{}
	runs = slices.Clone(runs)
	for i := range runs {
		runs[i].weight = max(runs[i].weight, leastWeight)
		r.weights = append(r.weights, runs[i].weight)
	}
	for _, a := range byTokens {
		for _, x := range byInput {
			for _, t := range byTime {
				if w, ok := newWay(runs, next, a, x, t); ok {
					r.ways = append(r.ways, w)
				}
			}
		}
	}
	return r
}

// newWay inverts the covariance of past runs under one combination of effects; not ok for one that cannot be inverted.
func newWay(runs []past, next past, a, x, t float64) (w way, ok bool) {
	n := len(runs)
	k := mat.NewSymDense(n, nil)
	w.cross = mat.NewVecDense(n, nil)
	for i := range runs {
		for j := range i + 1 {
			k.SetSym(i, j, covariance(&runs[i], &runs[j], a, x, t))
		}
		k.SetSym(i, i, k.At(i, i)+1/runs[i].weight)
		w.cross.SetVec(i, covariance(&runs[i], &next, a, x, t))
	}
	var beta mat.VecDense
	if !w.chol.Factorize(k) || w.chol.SolveVecTo(&beta, w.cross) != nil {
		return w, false
	}
	w.variance = 1/next.weight + covariance(&next, &next, a, x, t) - mat.Dot(w.cross, &beta)
	return w, true
}

// explain returns the distribution of the next run under one combination of effects; alpha, of which 1/weight is the noise in what was
// measured of a run; and the logarithm of how likely the past is, up to a constant.
func (w *way) explain(y *mat.VecDense) (p part, alpha *mat.VecDense, log float64, ok bool) {
	alpha = &mat.VecDense{}
	if w.chol.SolveVecTo(alpha, y) != nil {
		return p, nil, 0, false
	}
	squares, df := priorRuns*priorNoise*priorNoise, priorRuns+float64(y.Len())
	left := mat.Dot(y, alpha)
	log = -w.chol.LogDet()/2 - df/2*math.Log(1+left/squares)
	return part{middle: mat.Dot(w.cross, alpha), scale: math.Sqrt((squares + left) / df * w.variance)}, alpha, log, true
}

// foretell says what is expected of the next run where past ones measured y.
func (r *regression) foretell(y []float64) foretold {
	f, _ := r.explain(y)
	return f
}

// explain also returns what past runs would have measured without noise.
func (r *regression) explain(y []float64) (f foretold, without []float64) {
	f.df = priorRuns + float64(len(y))
	var logs []float64
	var alphas []*mat.VecDense
	measured := mat.NewVecDense(len(y), y)
	for i := range r.ways {
		if p, alpha, log, ok := r.ways[i].explain(measured); ok {
			f.parts, alphas, logs = append(f.parts, p), append(alphas, alpha), append(logs, log)
		}
	}
	top, sum := slices.Max(logs), 0.0
	for i := range f.parts {
		f.parts[i].weight = math.Exp(logs[i] - top)
		sum += f.parts[i].weight
	}
	without = slices.Clone(y)
	for i := range f.parts {
		f.parts[i].weight /= sum
		for k := range without {
			without[k] -= f.parts[i].weight * alphas[i].AtVec(k) / r.weights[k]
		}
	}
	return f, without
}

// mean of the middles.
func (f *foretold) mean() float64 {
	sum := 0.0
	for _, p := range f.parts {
		sum += p.weight * p.middle
	}
	return sum
}

// covariance of two runs, in squares of the noise, without the noise.
func covariance(p, q *past, a, x, t float64) float64 {
	c := anywhere * anywhere
	if a > 0 && p.tokens > 0 && q.tokens > 0 {
		c += a * a * math.Exp(-math.Abs(math.Log(p.tokens/q.tokens)))
	}
	if x > 0 && p.input > 0 && q.input > 0 {
		c += x * x * math.Log(p.input) * math.Log(q.input)
	}
	if t > 0 {
		c += t * t * math.Exp(-math.Abs(p.order-q.order)/drift)
	}
	return c
}

// points is how many equally likely ones stand for a t distribution.
const points = 128

// table returns so many equally likely values of the mixture, ascending: its quantiles at the middles of equal shares.
func (f *foretold) table(n int) []float64 {
	standard := make([]float64, points)
	for i := range standard {
		standard[i] = distuv.StudentsT{Sigma: 1, Nu: f.df}.Quantile((float64(i) + 0.5) / points)
	}
	type point struct{ x, weight float64 }
	all := make([]point, 0, len(f.parts)*points)
	for _, p := range f.parts {
		for _, t := range standard {
			all = append(all, point{p.middle + p.scale*t, p.weight / points})
		}
	}
	slices.SortFunc(all, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.weight, b.weight)) })
	out := make([]float64, n)
	k, below := 0, all[0].weight
	for i := range out {
		for below < (float64(i)+0.5)/float64(n) && k < len(all)-1 {
			k++
			below += all[k].weight
		}
		out[i] = all[k].x
	}
	return out
}

// runs returns the runs of a plan as far as a number of them is known and positive, and the one that is asked for. Where
// its tokens or its input are not, those of past runs are left out as well: what they cause is noise then.
func runs(p *modelfile.Plan, o Options, of func(i int) *float64) (all []past, next past) {
	next = past{tokens: math.NaN(), input: math.NaN(), weight: 1}
	if o.Tokens > 0 {
		next.tokens = o.Tokens
	}
	if o.InputBytes > 0 {
		next.input = o.InputBytes
	}
	logInput, inputs := 0.0, 0.0
	for i := range p.RunFactors {
		f := &p.RunFactors[i]
		y := of(i)
		if y == nil || !(*y > 0) || !(f.Weight > 0) {
			continue
		}
		r := past{tokens: math.NaN(), input: math.NaN(), order: float64(i), weight: f.Weight, y: math.Log(*y)}
		if f.Tokens != nil && !math.IsNaN(next.tokens) {
			r.tokens = float64(*f.Tokens)
		}
		if f.InputBytes != nil && *f.InputBytes > 0 && !math.IsNaN(next.input) {
			r.input = float64(*f.InputBytes)
			logInput, inputs = logInput+math.Log(r.input), inputs+1
		}
		all = append(all, r)
	}
	typical := math.Exp(logInput / inputs) // NaN for none, and unknown then
	for i := range all {
		all[i].input /= typical
	}
	next.input /= typical
	next.order = float64(len(p.RunFactors))
	return all[max(0, len(all)-mostRuns):], next
}

// mostRuns bounds the runs, the newest, that say how runs vary.
const mostRuns = 100

// slowdown says what slows down the tasks of the run asked for.
func (m *Model) slowdown(p *modelfile.Plan, o Options) {
	m.Slowdown = 1
	if past, next := runs(p, o, func(i int) *float64 { return &p.RunFactors[i].Factor }); len(past) > 0 {
		f := foretell(past, next)
		m.Slowdown = math.Exp(f.median())
	}
}

// startUp returns the time before the first stage.
func startUp(p *modelfile.Plan, o Options) (sim.Dist, error) {
	past, next := runs(p, o, func(i int) *float64 { return p.RunFactors[i].StartUpS })
	if len(past) == 0 {
		return optional(&p.Driver.StartUp, unchanged)
	}
	f := foretell(past, next)
	return sim.Constant(int64(math.Round(1e6 * math.Exp(f.median()))))
}

// median of the mixture.
func (f *foretold) median() float64 {
	table := f.table(2 * points)
	return (table[points-1] + table[points]) / 2
}
