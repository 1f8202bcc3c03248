package jobmodel

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"racecard/datasets/modelfile"
	"racecard/models/deadlines/sim"
)

// growth describes how the run times of tasks depend on the tokens of a run. The first task on each machine, or
// token, loads code and fills caches. More tokens mean more first tasks, and each takes longer, as they compete.
// Per stage, the logarithm of the mean of first tasks, and of later ones, is a Gaussian process of the logarithm
// of tokens: a line with a prior on its slope, plus a local deviation (C. E. Rasmussen and C. K. I. Williams,
// "Gaussian Processes for Machine Learning", 2006, section 2.7), averaged over hypotheses of how far means are off the
// line. It interpolates between the tokens of past runs; beyond them the line goes on.
type growth struct {
	plan   *modelfile.Plan
	times  *tokenTimes
	tokens float64
	// chances are the probabilities of contentions, over all stages.
	chances [len(contentions)]float64
}

// Priors. Slopes and contention come from the TPC-H queries of ../shared. stageError is the standard deviation of a
// stage's mean in one run. Like runs may differ by loudStage, an e-fold, and tell as much: only a larger difference
// counts as noise. So two runs on other tokens whose tasks took seconds or hours tell little of tokens. Before any run
// is seen, calmRuns runs without such noise are assumed. The last two come from the log of NASA in ../shared.
const (
	firstSlope = 0.05 // of the first tasks on each machine of jobs whose later ones take half as long, or less
	laterSlope = 0
	stageError = 0.05
	loudStage  = 1
	calmRuns   = 10
)

// deviation is a hypothesis about how far the means of a stage are off its line.
type deviation struct {
	slope float64 // standard deviation of the slope
	local float64 // standard deviation of the local deviation
	reach float64 // of it, in e-folds of tokens
	own   float64 // standard deviation of what holds for one number of tokens alone
	prior float64 // probability
}

// same is the distance, in e-folds, of tokens that count as one number.
const same = 1e-9

// deviations are all hypotheses. Most stages stay near their lines. The second is a line of another slope. The third is
// a jump, as of a stage of two tasks that runs on warm executors on two tokens and on cold ones on more: it is not
// repeated on still more. In the last, times on some tokens tell nothing of those on others. From the TPC-H queries of
// ../shared: how much the tasks of one stage slow down from 2 to 10 tokens says nothing of how much from 10 to 80.
var deviations = [...]deviation{{0.1, 0.2, 4, 0, 0.55}, {0.8, 0.1, 4, 0, 0.15}, {0.1, 1, 10, 0, 0.15},
	{0.1, 0.2, 4, 0.4, 0.15}}

// contention is a hypothesis about the slowdown of tasks by other tasks of the run. It grows in proportion to tokens.
type contention struct {
	share  float64 // slowdown at the typical number of tokens of past runs, of the time of a task that runs alone
	capped bool    // a stage with fewer tasks than tokens has only as much as its tasks make
	prior  float64 // probability
	// full is the tokens, as a multiple of the typical number, from which on the machines have no processor left: tasks
	// then take as much longer as there are more. 0: they always have.
	full float64
}

// contentions are all hypotheses.
var contentions = [...]contention{{0, false, 0.1, 0}, {0.02, false, 0.15, 0}, {0.02, true, 0.15, 0},
	{0.05, false, 0.2, 0}, {0.05, true, 0.2, 0}, {0.12, false, 0.075, 0}, {0.12, true, 0.075, 0},
	{0.3, false, 0.02, 0}, {0.3, true, 0.02, 0}, {0.8, false, 0.0035, 0}, {0.8, true, 0.0035, 0}, {0, true, 0.001, 0.7},
	{0, true, 0.001, 1}, {0, true, 0.001, 1.4}}

// slower returns how much longer tasks take on tokens than on typically many, for a stage of some tasks. apart is the
// e-folds between the fewest and the most tokens of past runs.
func (c *contention) slower(tokens, typical, tasks, apart float64) float64 {
	share := c.share * math.Pow(min(1, typical/crowd), 2) *
		math.Pow(min(mostCrowded, max(1, typical/crowd)), max(0, 1-apart/math.Ln2))
	most := math.Inf(1)
	if c.capped {
		most = tasks
	}
	if c.full > 0 {
		return max(1, min(tokens, most)/typical/c.full) / max(1, min(typical, most)/typical/c.full)
	}
	return (1 + share*min(tokens, most)/typical) / (1 + share*min(typical, most)/typical)
}

// Where typical runs held fewer tokens than crowd, contentions are scaled down by (tokens/crowd)²: few tasks hardly
// compete. Where they held more, and all the same number, the runs cannot show how much of their tasks' time is
// contention. Contentions are then scaled up in proportion to tokens, by mostCrowded at most, as the TPC-H queries of
// ../shared end there. Where some runs held twice as many tokens as others, the runs show it, and nothing is scaled up.
const (
	crowd       = 10
	mostCrowded = 10
)

// furthest bounds extrapolation, as a multiple of the most tokens of past runs. Beyond it, run times are constant.
const furthest = 20

// independent is how much each stage tells of contention: stages of one run share its luck.
const independent = 0.5

// newGrowth describes a plan on some tokens, by the times of its runs; alone leaves contention out.
func newGrowth(p *modelfile.Plan, times *tokenTimes, tokens float64, alone bool) *growth {
	g := &growth{plan: p, times: times, tokens: tokens, chances: times.chances}
	if alone {
		g.chances = [len(contentions)]float64{1}
	}
	return g
}

// change maps the logarithm of a typical duration to its expected value on the tokens asked for.
type change struct{ middle, narrow, shift float64 }

// at returns the expected duration for a typical one, in seconds: at most the longest that a simulation takes.
func (c change) at(seconds float64) float64 {
	if !(seconds > 0) || c.narrow == 1 && c.shift == 0 {
		return seconds
	}
	return min(sim.MaxDuration/1e6, math.Exp(c.middle+c.shift+c.narrow*(math.Log(seconds)-c.middle)))
}

// of returns the changes of the first and the later tasks of a stage.
func (g *growth) of(v int) (first, later change) {
	t := &g.plan.Stages[v].Typical
	first, later = change{narrow: 1}, change{narrow: 1}
	if t.First != nil {
		first = g.change(g.times.first[v], t.First, g.times.slope(), tasksOf(g.plan, v))
	}
	if t.Later.N > 0 {
		return first, g.change(g.times.later[v], &t.Later, laterSlope, tasksOf(g.plan, v))
	}
	if t.First != nil && t.First.N > 0 {
		later = first
		later.shift += math.Log(g.times.warm) // no later task was seen: they are drawn from first ones
	}
	return first, later
}

// shift is the change of the logarithm of task times, on average over the work of all stages; 0 where it is not known.
func (g *growth) shift() float64 {
	sum, work := 0.0, 0.0
	for v := range g.plan.Stages {
		if w := g.plan.Stages[v].Totals.WorkS; w != nil {
			_, later := g.of(v)
			sum, work = sum+*w*later.shift, work+*w
		}
	}
	if work == 0 {
		return 0
	}
	return sum / work
}

// change compares the expected run times on the requested tokens with the average of past runs. The differences
// between past runs that tokens explain are removed from the spread of durations, which pool all runs.
func (g *growth) change(at []point, d *modelfile.Dist, slope, tasks float64) change {
	if !(g.tokens > 0) || d.N == 0 || len(at) == 0 {
		return change{narrow: 1}
	}
	most := at[0].x
	for _, p := range at {
		most = max(most, p.x)
	}
	expected, without := 0.0, make([]float64, len(at))
	f := newFactors(at)
	for k := range contentions {
		next, past, _ := grow(at, f, min(math.Log(g.tokens), most+math.Log(furthest)), slope, &contentions[k], tasks)
		expected += g.chances[k] * next
		for i := range past {
			without[i] += g.chances[k] * past[i]
		}
	}
	var ys, weights []float64
	average := 0.0
	total := 0.0
	for i, p := range at {
		// durations are divided by the factors of their runs
		ys, weights = append(ys, without[i]-p.factor), append(weights, p.weight)
		average, total = average+p.weight*without[i], total+p.weight
	}
	explained := variance(ys, weights)
	var logs, shares []float64
	for i, x := range d.Values {
		if x <= 0 {
			continue
		}
		logs, shares = append(logs, math.Log(float64(x)/1e6)), append(shares, 1)
		if d.Weights != nil {
			shares[len(shares)-1] = d.Weights[i]
		}
	}
	out := change{middle: mean(logs, shares), narrow: 1, shift: expected - average/total}
	if all := variance(logs, shares); explained > 0 && all > 0 {
		out.narrow = math.Sqrt(max(0, 1-explained/all))
	}
	return out
}

// factors are the Cholesky factors of the covariance of points, by deviation; empty where there is none. They are the
// same for all contentions.
type factors [len(deviations)]mat.Cholesky

func newFactors(at []point) *factors {
	xs, weights := make([]float64, len(at)), make([]float64, len(at))
	for i, p := range at {
		xs[i], weights[i] = p.x, p.weight
	}
	floats.AddConst(-mean(xs, weights), xs)
	f := &factors{}
	for d := range deviations {
		k := mat.NewSymDense(len(at), nil)
		for i, p := range at {
			for j := range i + 1 {
				k.SetSym(i, j, deviations[d].covariance(xs[i], xs[j]))
			}
			k.SetSym(i, i, k.At(i, i)+p.noise)
		}
		if !f[d].Factorize(k) {
			f[d].Reset()
		}
	}
	return f
}

// covariance returns the covariance of the expected values at two distances from the mean.
func (d *deviation) covariance(x, y float64) float64 {
	far := math.Abs(x - y)
	sum := 1 + d.slope*d.slope*x*y + d.local*d.local*math.Exp(-far/d.reach)
	if far < same {
		sum += d.own * d.own
	}
	return sum
}

// grow returns the expected value at x, and at each point, averaged over deviations; and the logarithm of the
// likelihood of the points.
func grow(at []point, f *factors, x, slope float64, c *contention, tasks float64) (expected float64,
	without []float64, log float64) {
	var values [len(deviations)][]float64
	var logs [len(deviations)]float64
	for i := range deviations {
		d := &deviations[i]
		values[i], logs[i] = d.grow(at, &f[i], x, slope, c, tasks)
		logs[i] += math.Log(d.prior)
	}
	log = floats.LogSumExp(logs[:])
	all := make([]float64, len(at)+1)
	for i := range deviations {
		floats.AddScaled(all, math.Exp(logs[i]-log), values[i])
	}
	return all[len(at)], all[:len(at)], log
}

// grow returns the expected values at each point, and at x, of contention, a line with a slope near the given one, and
// a deviation; and the logarithm of the likelihood of the points.
func (d *deviation) grow(at []point, f *mat.Cholesky, x, slope float64, c *contention, tasks float64) (
	values []float64, log float64) {
	n := len(at)
	xs := make([]float64, n, n+1)
	mx, my, weight := 0.0, 0.0, 0.0
	for _, p := range at {
		mx, my, weight = mx+p.weight*p.x, my+p.weight*p.y, weight+p.weight
	}
	mx, my = mx/weight, my/weight
	low, high := at[0].x, at[0].x
	for i, p := range at {
		xs[i] = p.x - mx
		low, high = min(low, p.x), max(high, p.x)
	}
	xs = append(xs, x-mx)
	typical := math.Exp(mx)
	middle := func(i int) float64 {
		return my + slope*xs[i] + math.Log(c.slower(typical*math.Exp(xs[i]), typical, tasks, high-low))
	}
	y := mat.NewVecDense(n, nil)
	for i := range n {
		y.SetVec(i, at[i].y-middle(i))
	}
	values = make([]float64, n+1)
	var alpha mat.VecDense
	if f.IsEmpty() || f.SolveVecTo(&alpha, y) != nil {
		for i := range at {
			values[i] = at[i].y
		}
		values[n] = middle(n)
		return values, 0
	}
	for i := range at { // the covariance times alpha is y less the noise of the points
		values[i] = at[i].y - at[i].noise*alpha.AtVec(i)
	}
	values[n] = middle(n)
	for j := range n {
		values[n] += d.covariance(xs[n], xs[j]) * alpha.AtVec(j)
	}
	return values, -mat.Dot(y, &alpha)/2 - f.LogDet()/2
}

// mean is weighted; NaN for none.
func mean(xs, weights []float64) float64 {
	sum, weight := 0.0, 0.0
	for i, x := range xs {
		sum, weight = sum+weights[i]*x, weight+weights[i]
	}
	return sum / weight
}

// variance is weighted, of the xs themselves.
func variance(xs, weights []float64) float64 {
	middle, sum, weight := mean(xs, weights), 0.0, 0.0
	for i, x := range xs {
		sum, weight = sum+weights[i]*(x-middle)*(x-middle), weight+weights[i]
	}
	return sum / weight
}
