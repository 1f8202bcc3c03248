package generate

import (
	"math"
	"math/rand/v2"
	"slices"
)

// dags are jobs shaped as a workload of Carbyne's (R. Grandl et al., OSDI 2016): its Table 1 says of four workloads how
// many stages and barriers a job has and what share of its work reads input, at the median and the 95th percentile.
//
// Each of the three is drawn from the distribution of that median and that percentile: stages and barriers log-normal,
// large graphs having more barriers; the share logit-normal. Paths are 2.2·n^0.37 stages long, which makes the median
// over all four five stages, as the paper says; what else its Table 2 holds is not known. Sizes are heavy-tailed: the
// task-seconds of a job are log-normal and proportional to the number of stages. Larger jobs have both more tasks and
// longer ones, each as the root of the size, about 20 s. Demands are left out. Jobs arrive by Poisson.
type dags struct {
	stages, barriers, input [2]float64 // median and 95th percentile
	tasks, sigma            float64    // of a job: median, and standard deviation of the logarithm of its task-seconds
	gap                     float64    // mean seconds between arrivals
}

// The sizes are such that a job of the benchmarks takes minutes to tens of minutes of a hundred machines that many jobs
// share, and 30,000 Microsoft jobs have 5 million tasks: millions, as the paper says.
var (
	microsoftDAGs = dags{[2]float64{13, 121}, [2]float64{4, 13}, [2]float64{0.34, 0.85}, 49, 1.0, 1}
	tpcdsDAGs     = dags{[2]float64{8, 23}, [2]float64{1, 4}, [2]float64{0.11, 0.88}, 180, 1.5, 20}
	tpchDAGs      = dags{[2]float64{8, 12}, [2]float64{2, 4}, [2]float64{0.46, 0.82}, 180, 1.5, 20}
	bigBenchDAGs  = dags{[2]float64{7, 19}, [2]float64{2, 6}, [2]float64{0.24, 0.70}, 180, 1.5, 20}
)

// p95 is the 95th percentile of the standard normal distribution.
const p95 = 1.6448536269514722

// meanTask is the mean duration of a task of a job of median size, in seconds.
const meanTask = 20

// between returns the value at z standard deviations of the log-normal distribution of a median and a 95th percentile.
func between(of [2]float64, z float64) float64 {
	return of[0] * math.Pow(of[1]/of[0], z/p95)
}

// write writes jobs of this shape.
func (d *dags) write(t *traceWriter) {
	rng := source(t.seed, t.kind.Name)
	o := t.file("")
	for at := 0.0; t.more(); at += rng.ExpFloat64() * d.gap {
		g := d.graph(rng)
		o.field(`{"id":"`, t.rows)
		o.text(`","submit_s":`)
		o.round(at, 3)
		o.text(`,"stages":[`)
		for i := range g {
			o.stage(rng, &g[i], i)
		}
		o.text("]}")
		o.endRow()
	}
}

// node is a stage of a graph.
type node struct {
	level   int
	parents []int
	share   float64 // of the task-seconds of the job
	tasks   int64
	seconds float64 // mean of a task
}

// graph draws a job.
func (d *dags) graph(rng *rand.Rand) []node {
	z := rng.NormFloat64()
	n := max(2, int(math.Round(between(d.stages, z))))
	depth := min(n, max(2, int(math.Round(2.2*math.Pow(float64(n), 0.37)))))
	g := levels(rng, n, depth)
	barriers := int(math.Round(between(d.barriers, 0.8*z+0.6*rng.NormFloat64())))
	connect(rng, g, min(barriers, n-2))
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	low, high := logit(d.input[0]), logit(d.input[1])
	input := 1 / (1 + math.Exp(-(low + (high-low)*rng.NormFloat64()/p95)))
	size := lognormal(rng, 1, d.sigma)
	scale := float64(n) / d.stages[0] * d.tasks * meanTask
	divide(rng, g, input, size*scale, meanTask*math.Sqrt(size))
	return g
}

// levels puts n stages on depth levels, at least one on each, the others the likelier the lower, in ascending order.
func levels(rng *rand.Rand, n, depth int) []node {
	count := slices.Repeat([]int{1}, depth)
	for range n - depth {
		l := min(int(float64(depth)*(1-math.Sqrt(rng.Float64()))), depth-1)
		count[l]++
	}
	var g []node
	for l, c := range count {
		for range c {
			g = append(g, node{level: l})
		}
	}
	return g
}

// connect gives every stage above the lowest level a parent on the level below, and some, the barriers, more: from any
// lower level, those without a child first.
func connect(rng *rand.Rand, g []node, barriers int) {
	below := func(level int) int { // the first stage on a level or above
		for i := range g {
			if g[i].level >= level {
				return i
			}
		}
		return len(g)
	}
	children := make([]int, len(g))
	join := func(i, p int) {
		g[i].parents = append(g[i].parents, p)
		children[p]++
	}
	var may []int // be barriers: of which at least two stages are below
	for i := range g {
		if g[i].level == 0 {
			continue
		}
		from, to := below(g[i].level-1), below(g[i].level)
		join(i, from+rng.IntN(to-from))
		if to > 1 {
			may = append(may, i)
		}
	}
	rng.Shuffle(len(may), func(i, j int) { may[i], may[j] = may[j], may[i] })
	may = may[:min(barriers, len(may))]
	for _, i := range may {
		to := below(g[i].level)
		p := rng.IntN(to)
		for k := range to { // a stage without a child, else any that is not a parent yet
			if q := (p + k) % to; children[q] == 0 {
				p = q
				break
			}
		}
		for p == g[i].parents[0] {
			p = rng.IntN(to)
		}
		join(i, p)
	}
	for p := range g { // what is still without a child joins a barrier above it, if there is one
		for _, i := range may {
			if children[p] == 0 && g[i].level > g[p].level {
				join(i, p)
			}
		}
	}
}

// divide gives the stages without parents a share of the work together, the others the rest, and each tasks of about so
// many seconds for its part.
func divide(rng *rand.Rand, g []node, input, work, seconds float64) {
	var sums [2]float64
	kind := func(n *node) int { return min(1, len(n.parents)) }
	for i := range g {
		g[i].share = lognormal(rng, 1, 1)
		sums[kind(&g[i])] += g[i].share
	}
	for i := range g {
		s := &g[i]
		s.share *= [2]float64{input, 1 - input}[kind(s)] / sums[kind(s)]
		s.tasks = max(1, int64(math.Round(work*s.share/lognormal(rng, seconds, 0.5))))
		s.seconds = work * s.share / float64(s.tasks)
	}
}

// stage writes stage i: as many durations as it has tasks, log-normal about their mean.
func (o *output) stage(rng *rand.Rand, s *node, i int) {
	if i > 0 {
		o.text(",")
	}
	o.text(`{"durations_s":[`)
	for k := range s.tasks {
		if k > 0 {
			o.text(",")
		}
		const sigma = 0.3
		o.round(lognormal(rng, s.seconds*math.Exp(-sigma*sigma/2), sigma), 3)
	}
	o.text("]")
	for k, p := range s.parents {
		if k == 0 {
			o.text(`,"parents":[`)
		} else {
			o.text(",")
		}
		o.int(int64(p))
	}
	if len(s.parents) > 0 {
		o.text("]")
	}
	o.text("}")
}
