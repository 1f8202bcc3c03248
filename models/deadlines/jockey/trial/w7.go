package trial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/datasets/lists"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
)

// row is a column of Jockey's Table 2: the published values of one of the seven jobs that were studied in
// detail. Times are seconds. The run times are run times of single vertices (tasks), over all stages, and over
// the stages with the least and the greatest 90th percentile.
type row struct {
	name                    string
	median, p90             float64
	fastest, slowest        float64 // 90th percentile of a stage
	stages, barriers, tasks int
}

// table2 returns the jobs of the paper.
func table2() []row {
	return []row{
		{"A", 16.3, 61.5, 4.0, 126.3, 23, 6, 681},
		{"B", 4.0, 54.1, 3.3, 116.7, 14, 0, 1605},
		{"C", 2.6, 5.7, 1.7, 21.9, 16, 3, 5751},
		{"D", 6.1, 25.1, 1.6, 72.6, 24, 3, 3897},
		{"E", 8.0, 130.0, 3.7, 320.6, 11, 1, 2033},
		{"F", 3.6, 17.4, 3.3, 110.4, 26, 1, 6139},
		{"G", 3.0, 7.7, 2.0, 68.3, 110, 15, 8496},
	}
}

// Generated is a job made up after published statistics: synthetic.
type Generated struct {
	Name     string
	Plan     sim.Plan
	Barriers int // stages that read all of each parent
}

// W7 makes up jobs A to G of Jockey's Table 2, with the published numbers of stages, barrier stages and tasks.
// Run times are log-normal in every stage, such that over all tasks they have the published median and 90th
// percentile, and so do the fastest and the slowest stage; 1-2% of attempts fail, after any share of their time.
// Unpublished parts, the graph and the spread of tasks over stages, are drawn, the same each time.
//
// A barrier stage reads all of one to three others. Any other stage with parents reads task by task and has as many
// tasks as they have; so B, which has no barrier, has 1,610 tasks for the published 1,605.
func W7() ([]Generated, error) {
	var out []Generated
	for i, r := range table2() {
		g, err := r.generate(rand.New(seed.Stream(7, "jobs of Jockey's Table 2", uint64(i))))
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", r.name, err)
		}
		out = append(out, g)
	}
	return out, nil
}

func (r row) generate(random *rand.Rand) (Generated, error) {
	edges := r.graph(random)
	tasks := r.spread(random, edges)
	weights, total := make([]float64, r.stages), 0.0
	for i, n := range tasks {
		weights[i] = float64(n)
		total += weights[i]
	}
	ranks := random.Perm(r.stages)
	p90s, sigma := r.shape(weights, ranks)
	g := Generated{Name: r.name, Plan: sim.Plan{Edges: edges}, Barriers: r.barriers}
	for i, n := range tasks {
		d, err := sim.Inverse(r.stage(p90s[i], sigma).Quantile, 1000)
		if err != nil {
			return g, err
		}
		g.Plan.Stages = append(g.Plan.Stages, sim.Stage{Tasks: n, Duration: d, Failure: sim.Failure{
			Probability: 0.01 + 0.01*random.Float64(), Share: []float64{0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75,
				0.85, 0.95}}})
	}
	return g, nil
}

// graph draws the edges: roots, then stages that read one stage task by task, or up to three behind a barrier.
// Stages without a reader so far are read first.
func (r row) graph(random *rand.Rand) []sim.Edge {
	roots := max(1, r.stages/5)
	if r.barriers == 0 {
		roots = 1
	}
	barrier := make([]bool, r.stages)
	for _, i := range random.Perm(r.stages - roots)[:r.barriers] {
		barrier[roots+i] = true
	}
	var edges []sim.Edge
	read := make([]bool, r.stages)
	pick := func(before int) int32 {
		var unread []int
		for p := range before {
			if !read[p] {
				unread = append(unread, p)
			}
		}
		p := random.IntN(before)
		if len(unread) > 0 && random.Float64() < 0.8 {
			p = unread[random.IntN(len(unread))]
		}
		read[p] = true
		return int32(p)
	}
	for child := roots; child < r.stages; child++ {
		if !barrier[child] {
			edges = append(edges, sim.Edge{Parent: pick(child), Child: int32(child), Kind: trace.OneToOne})
			continue
		}
		parents := map[int32]bool{}
		for range 1 + random.IntN(3) {
			if p := pick(child); !parents[p] {
				parents[p] = true
				edges = append(edges, sim.Edge{Parent: p, Child: int32(child), Kind: trace.AllToAll})
			}
		}
	}
	return edges
}

// spread draws how many tasks each stage has: alike in stages that read each other task by task, log-normal over such
// groups, and as near to the published total as that allows.
func (r row) spread(random *rand.Rand, edges []sim.Edge) []int32 {
	group := lists.Indexed(r.stages, func(i int) int { return i })
	for _, e := range edges { // parents come first, so theirs is known
		if e.Kind == trace.OneToOne {
			group[e.Child] = group[e.Parent]
		}
	}
	size, width := make([]int, r.stages), make([]float64, r.stages)
	total := 0.0
	for i, g := range group {
		if size[g]++; g == i {
			width[g] = math.Exp(random.NormFloat64())
		}
		total += width[g]
	}
	n, left := make([]int, r.stages), r.tasks
	for g, s := range size {
		if s > 0 {
			n[g] = max(1, int(math.Round(width[g]/total*float64(r.tasks))))
			left -= n[g] * s
		}
	}
	order := make([]int, 0, r.stages)
	for g, s := range size {
		if s > 0 {
			order = append(order, g)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return size[b] - size[a] })
	for _, g := range order { // the largest groups first, so that small ones take what remains
		change := int(math.Round(float64(left) / float64(size[g])))
		change = max(change, 1-n[g])
		n[g] += change
		left -= change * size[g]
	}
	tasks := make([]int32, r.stages)
	for i, g := range group {
		tasks[i] = int32(n[g])
	}
	return tasks
}

// stage is the distribution of run times with a 90th percentile.
func (r row) stage(p90, sigma float64) distuv.LogNormal {
	return distuv.LogNormal{Mu: math.Log(p90) - sigma*distuv.UnitNormal.Quantile(0.9), Sigma: sigma}
}

// shape finds the 90th percentile of every stage, such that the run times of all tasks have the published median
// and 90th percentile. Every stage has half of the overall standard deviation of logarithms, sigma. The stages
// themselves are log-normal in the order of their ranks, clipped to the fastest and the slowest, with a middle
// and a spread found by bisection.
func (r row) shape(tasks []float64, ranks []int) (p90s []float64, sigma float64) {
	sigma = math.Log(r.p90/r.median) / distuv.UnitNormal.Quantile(0.9) / 2
	at := func(middle, spread float64) []float64 {
		out, last := make([]float64, len(ranks)), len(ranks)-1
		for i, k := range ranks {
			z := distuv.UnitNormal.Quantile((float64(k) + 0.5) / float64(len(ranks)))
			out[i] = min(max(math.Exp(middle+spread*z), r.fastest), r.slowest)
			if k == 0 {
				out[i] = r.fastest
			}
			if k == last {
				out[i] = r.slowest
			}
		}
		return out
	}
	below := func(x float64, p90s []float64) float64 { // share of tasks that take at most x
		sum, all := 0.0, 0.0
		for i, n := range tasks {
			sum += n * r.stage(p90s[i], sigma).CDF(x)
			all += n
		}
		return sum / all
	}
	middle := func(spread float64) float64 {
		return bisect(math.Log(r.fastest), math.Log(r.slowest), func(m float64) bool {
			return below(r.median, at(m, spread)) > 0.5
		})
	}
	spread := bisect(0, 10, func(s float64) bool { return below(r.p90, at(middle(s), s)) > 0.9 })
	return at(middle(spread), spread), sigma
}

// bisect returns where more, true at low, becomes false, or the end to which it does not.
func bisect(low, high float64, more func(float64) bool) float64 {
	for range 60 {
		middle := (low + high) / 2
		if more(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}
