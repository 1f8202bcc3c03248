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

// foretell regresses past runs on their tokens, input and time, and says what it expects of the run next: Gaussian processes
// with a noise that is not known (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006,
// sections 2.2 and 9.9 ff.; A. O'Hagan and J. Forster, "Bayesian Inference", 2004, 11.9), averaged over how strong the effects may
// be, by how likely each makes the past (J. A. Hoeting et al., "Bayesian Model Averaging", Statistical Science 14, 1999). With few
// runs it is wide, and widest where none like the next one was seen.
func foretell(runs []past, next past) foretold {
	f := foretold{df: priorRuns + float64(len(runs))}
	var logs []float64
	for _, a := range byTokens {
		for _, x := range byInput {
			for _, t := range byTime {
				p, log, ok := regress(runs, next, a, x, t)
				if ok {
					f.parts, logs = append(f.parts, p), append(logs, log)
				}
			}
		}
	}
	top := slices.Max(logs)
	sum := 0.0
	for i := range f.parts {
		f.parts[i].weight = math.Exp(logs[i] - top)
		sum += f.parts[i].weight
	}
	for i := range f.parts {
		f.parts[i].weight /= sum
	}
	return f
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

// regress returns the distribution of the next run under one combination of effects, and the logarithm of how likely it makes
// the past, up to a constant.
func regress(runs []past, next past, a, x, t float64) (p part, log float64, ok bool) {
	n := len(runs)
	k := mat.NewSymDense(n, nil)
	y, cross := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range runs {
		for j := range i + 1 {
			k.SetSym(i, j, covariance(&runs[i], &runs[j], a, x, t))
		}
		k.SetSym(i, i, k.At(i, i)+1/runs[i].weight)
		y.SetVec(i, runs[i].y)
		cross.SetVec(i, covariance(&runs[i], &next, a, x, t))
	}
	var chol mat.Cholesky
	if !chol.Factorize(k) {
		return part{}, 0, false
	}
	var alpha, beta mat.VecDense
	if chol.SolveVecTo(&alpha, y) != nil || chol.SolveVecTo(&beta, cross) != nil {
		return part{}, 0, false
	}
	squares := priorRuns * priorNoise * priorNoise
	df := priorRuns + float64(n)
	noise := (squares + mat.Dot(y, &alpha)) / df
	variance := 1/next.weight + covariance(&next, &next, a, x, t) - mat.Dot(cross, &beta)
	log = -chol.LogDet()/2 - df/2*math.Log(1+mat.Dot(y, &alpha)/squares)
	return part{middle: mat.Dot(cross, &alpha), scale: math.Sqrt(noise * variance)}, log, true
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
func runs(p *modelfile.Plan, o Options, of func(*modelfile.RunFactor) *float64) (all []past, next past) {
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
		y := of(f)
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

// lucks is how many equally likely factors stand for how runs differ.
const lucks = 256

// luck says what slows down the run asked for, and how far it may be off.
func (m *Model) luck(p *modelfile.Plan, o Options) {
	m.Slowdown, m.Luck = 1, []float64{1}
	past, next := runs(p, o, func(f *modelfile.RunFactor) *float64 { return &f.Factor })
	if len(past) == 0 {
		return
	}
	f := foretell(past, next)
	table := f.table(lucks)
	middle := (table[lucks/2-1] + table[lucks/2]) / 2
	m.Slowdown, m.Luck = math.Exp(middle), table
	for i, x := range table {
		m.Luck[i] = math.Exp(max(-farLog, min(farLog, x-middle)))
	}
}

// farLog bounds luck to a tenth and ten times.
var farLog = math.Log(10)

// startUp returns the time before the first stage.
func startUp(p *modelfile.Plan, o Options) (sim.Dist, error) {
	past, next := runs(p, o, func(f *modelfile.RunFactor) *float64 { return f.StartUpS })
	if len(past) == 0 {
		return optional(&p.Driver.StartUp, 1)
	}
	f := foretell(past, next)
	table := f.table(lucks)
	middle := (table[lucks/2-1] + table[lucks/2]) / 2
	times := make([]int64, lucks)
	for i, x := range table {
		times[i] = int64(math.Round(1e6 * math.Exp(middle+max(-farLog, min(farLog, x-middle)))))
	}
	return sim.Empirical(times)
}

// whole says how much longer runs take than simulated ones without limit on tokens, in seconds, where no run tells its tokens.
func (m *Model) whole(p *modelfile.Plan, o Options, unlimited float64) {
	for i := range p.RunFactors {
		if p.RunFactors[i].Tokens != nil {
			return
		}
	}
	past, next := runs(p, o, func(f *modelfile.RunFactor) *float64 { return f.CompletionS })
	if m.ByStage || len(past) == 0 || !(unlimited > 0) {
		return
	}
	f := foretell(past, next)
	m.Luck = []float64{1}
	for _, x := range f.table(lucks) {
		m.Whole = append(m.Whole, math.Exp(x)/unlimited)
	}
}
