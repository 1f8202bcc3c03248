package jobmodel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"racecard/datasets/modelfile"
)

// growth describes how the run times of tasks depend on the tokens of a run. The first task on each machine, or
// token, loads code and fills caches. More tokens mean more first tasks, and each takes longer, as they compete.
// Per stage, the logarithm of the mean of first tasks, and of later ones, is a Gaussian process of the logarithm
// of tokens: a line with a prior on its slope, plus a local deviation (C. E. Rasmussen and C. K. I. Williams,
// "Gaussian Processes for Machine Learning", 2006, section 2.7). It interpolates between the tokens of past
// runs; beyond them the line goes on.
type growth struct {
	plan   *modelfile.Plan
	tokens float64
	apart  bool    // runs on those tokens are left out
	warm   float64 // how long later tasks take, as a share of first ones, over all stages; 1 where unknown
	// chances are the probabilities of contentions, over all stages.
	chances [len(contentions)]float64
}

// Priors. Slopes and contention come from the TPC-H queries of ../shared. localGrowth is the standard deviation around
// lines, stageError the standard deviation of a stage's mean in one run. Like runs may differ by loudStage, an e-fold,
// and tell as much: only a larger difference counts as noise. So two runs on other tokens whose tasks took seconds or
// hours tell little of tokens. Before any run is seen, calmRuns runs without such noise are assumed. The last two come
// from the log of NASA in ../shared.
const (
	firstSlope  = 0.05 // of the first tasks on each machine of jobs whose later ones take half as long, or less
	laterSlope  = 0
	slopeError  = 0.15
	localGrowth = 0.2
	localReach  = 4 // e-folds of tokens
	stageError  = 0.05
	loudStage   = 1
	calmRuns    = 10
)

// contention is a hypothesis about the slowdown of tasks by other tasks of the run. It grows in proportion to tokens.
type contention struct {
	share  float64 // slowdown at the typical number of tokens of past runs, of the time of a task that runs alone
	capped bool    // a stage with fewer tasks than tokens has only as much as its tasks make
	prior  float64 // probability
}

// contentions are all hypotheses.
var contentions = [...]contention{{0, false, 0.1}, {0.02, false, 0.15}, {0.02, true, 0.15}, {0.05, false, 0.2},
	{0.05, true, 0.2}, {0.12, false, 0.075}, {0.12, true, 0.075}, {0.3, false, 0.025}, {0.3, true, 0.025}}

// slower returns how much longer tasks take on tokens than on typically many, for a stage of some tasks. apart is the
// e-folds between the fewest and the most tokens of past runs.
func (c *contention) slower(tokens, typical, tasks, apart float64) float64 {
	share := c.share * math.Pow(min(1, typical/crowd), 2) *
		math.Pow(min(mostCrowded, max(1, typical/crowd)), max(0, 1-apart/math.Ln2))
	most := math.Inf(1)
	if c.capped {
		most = tasks
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

// newGrowth describes a plan on some tokens. apart leaves runs on those tokens out; alone leaves contention out.
func newGrowth(p *modelfile.Plan, tokens float64, apart, alone bool) *growth {
	g := &growth{plan: p, tokens: tokens, apart: apart, warm: 1}
	sum, weight := 0.0, 0.0
	for v := range p.Stages {
		t := &p.Stages[v].Typical
		for i := range min(len(t.FirstS), len(t.LaterS), len(p.RunFactors)) {
			if f, l := t.FirstS[i], t.LaterS[i]; f != nil && l != nil {
				w := p.RunFactors[i].Weight * (*f + *l)
				sum, weight = sum+w*math.Log(*l / *f), weight+w
			}
		}
	}
	if weight > 0 {
		g.warm = math.Exp(min(0, sum/weight))
	}
	if alone {
		g.chances[0] = 1
		return g
	}
	for i := range contentions {
		g.chances[i] = contentions[i].prior
	}
	if tokens > 0 {
		g.contend()
	}
	return g
}

// contend weighs contentions by how likely each makes the means of all stages.
func (g *growth) contend() {
	var logs [len(contentions)]float64
	for v := range g.plan.Stages {
		t := &g.plan.Stages[v].Typical
		for _, x := range []struct {
			means []*float64
			slope float64
		}{{t.FirstS, g.slope()}, {t.LaterS, laterSlope}} {
			if at := g.points(x.means); len(at) > 1 {
				for i := range contentions {
					_, _, log := grow(at, 0, x.slope, &contentions[i], g.tasks(v))
					logs[i] += independent * log
				}
			}
		}
	}
	top, sum := slices.Max(logs[:]), 0.0
	for i, log := range logs {
		g.chances[i] *= math.Exp(log - top)
		sum += g.chances[i]
	}
	for i := range g.chances {
		g.chances[i] /= sum
	}
}

// slope is the slope of first tasks: 0 if later tasks take as long.
func (g *growth) slope() float64 { return firstSlope * min(1, 2*(1-g.warm)) }

// change maps the logarithm of a typical duration to its expected value on the tokens asked for.
type change struct{ middle, narrow, shift float64 }

// at returns the expected duration for a typical one, in seconds.
func (c change) at(seconds float64) float64 {
	if !(seconds > 0) || c.narrow == 1 && c.shift == 0 {
		return seconds
	}
	return math.Exp(c.middle + c.shift + c.narrow*(math.Log(seconds)-c.middle))
}

// of returns the changes of the first and the later tasks of a stage.
func (g *growth) of(v int) (first, later change) {
	t := &g.plan.Stages[v].Typical
	first, later = change{narrow: 1}, change{narrow: 1}
	if t.First != nil {
		first = g.change(t.FirstS, t.First, g.slope(), g.tasks(v))
	}
	if t.Later.N > 0 {
		return first, g.change(t.LaterS, &t.Later, laterSlope, g.tasks(v))
	}
	if t.First != nil && t.First.N > 0 {
		later = first
		later.shift += math.Log(g.warm) // no later task was seen: they are drawn from first ones
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

// tasks is the number of tasks of a stage; infinite if it is not known.
func (g *growth) tasks(v int) float64 {
	if n := g.plan.Stages[v].Tasks.Mean; n != nil {
		return max(1, *n)
	}
	return math.Inf(1)
}

// change compares the expected run times on the requested tokens with the average of past runs. The differences
// between past runs that tokens explain are removed from the spread of durations, which pool all runs.
func (g *growth) change(means []*float64, d *modelfile.Dist, slope, tasks float64) change {
	none := change{narrow: 1}
	if !(g.tokens > 0) || d.N == 0 {
		return none
	}
	at := g.points(means)
	if len(at) == 0 {
		return none
	}
	most := at[0].x
	for _, p := range at {
		most = max(most, p.x)
	}
	expected, without := 0.0, make([]float64, len(at))
	for k := range contentions {
		next, past, _ := grow(at, min(math.Log(g.tokens), most+math.Log(furthest)), slope, &contentions[k], tasks)
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

// points averages the means of runs for each number of tokens.
func (g *growth) points(means []*float64) []point {
	if len(means) != len(g.plan.RunFactors) {
		return nil
	}
	var runs, at []point
	for i, m := range means {
		f := &g.plan.RunFactors[i]
		if m == nil || f.Tokens == nil || *f.Tokens < 1 || !(f.Weight > 0) || g.apart &&
			float64(*f.Tokens) == g.tokens {
			continue
		}
		p := point{x: math.Log(float64(*f.Tokens)), y: math.Log(*m), factor: math.Log(f.Factor), weight: f.Weight}
		if f.InputBytes != nil && *f.InputBytes > 0 {
			p.input = math.Log(float64(*f.InputBytes))
		}
		runs, at = append(runs, p), pool(at, p)
	}
	variance := noise(runs, at)
	for i := range at {
		at[i].noise = variance / at[i].weight
	}
	return at
}

// point is the means, over runs on some tokens, of the logarithms of a stage's durations, of the runs' factors and of
// their inputs, and the variance of the first.
type point struct{ x, y, factor, input, weight, noise float64 }

// pool adds a run to the points.
func pool(at []point, p point) []point {
	i := slices.IndexFunc(at, func(q point) bool { return q.x == p.x })
	if i < 0 {
		return append(at, p)
	}
	q := &at[i]
	q.weight += p.weight
	share := p.weight / q.weight
	q.y, q.factor, q.input = q.y+(p.y-q.y)*share, q.factor+(p.factor-q.factor)*share, q.input+(p.input-q.input)*share
	return at
}

// noise returns the variance of the logarithm of a stage's mean in one run, at least stageError squared. It is the
// variance of runs on the same tokens around a line by their input, less loudStage squared. at are the points of the
// runs.
func noise(runs, at []point) float64 {
	const least = stageError * stageError
	var byInput, both, squares, weight float64
	for _, r := range runs {
		of := at[slices.IndexFunc(at, func(q point) bool { return q.x == r.x })]
		x, y := r.input-of.input, r.y-of.y
		byInput, both, squares, weight = byInput+r.weight*x*x, both+r.weight*x*y, squares+r.weight*y*y, weight+r.weight
	}
	free := len(runs) - len(at)
	if byInput > 0 {
		squares -= both * both / byInput
		free--
	}
	if free < 1 {
		return least
	}
	variance := squares / weight * float64(len(runs)) / float64(free+calmRuns)
	return max(least, variance-loudStage*loudStage)
}

// grow returns the expected value at x, and at each point, of contention, a line with a slope near the given one, and a
// local deviation; and the logarithm of the likelihood of the points.
func grow(at []point, x, slope float64, c *contention, tasks float64) (expected float64, without []float64,
	log float64) {
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
	covariance := func(i, j int) float64 {
		return 1 + slopeError*slopeError*xs[i]*xs[j] +
			localGrowth*localGrowth*math.Exp(-math.Abs(xs[i]-xs[j])/localReach)
	}
	k, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			k.SetSym(i, j, covariance(i, j))
		}
		k.SetSym(i, i, k.At(i, i)+at[i].noise)
		y.SetVec(i, at[i].y-middle(i))
	}
	without = make([]float64, n)
	var chol mat.Cholesky
	var alpha mat.VecDense
	if !chol.Factorize(k) || chol.SolveVecTo(&alpha, y) != nil {
		for i := range without {
			without[i] = at[i].y
		}
		return middle(n), without, 0
	}
	value := func(i int) float64 {
		sum := middle(i)
		for j := range n {
			sum += covariance(i, j) * alpha.AtVec(j)
		}
		return sum
	}
	for i := range without {
		without[i] = value(i)
	}
	return value(n), without, -mat.Dot(y, &alpha)/2 - chol.LogDet()/2
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
