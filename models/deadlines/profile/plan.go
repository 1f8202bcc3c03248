package profile

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/radix"
	"racecard/datasets/trace"
)

// plan pools the runs of a group.
func (o Options) plan(g *group) modelfile.Plan {
	n := len(g.runs[0].stages)
	p := modelfile.Plan{Runs: len(g.runs), Resolution: modelfile.ByStage, Stages: make([]modelfile.Stage, n)}
	for _, r := range g.runs {
		p.RunIDs = append(p.RunIDs, r.id)
	}
	for v := range n {
		p.Stages[v] = o.stage(g, v)
		if p.Stages[v].Duration.N > 0 {
			p.Resolution = modelfile.ByAttempt
		}
	}
	p.CompletionS = o.over(g, func(r *observed) int64 { return r.completion })
	p.WorkS = o.over(g, func(r *observed) int64 { return r.work })
	p.Driver = modelfile.Driver{
		StartUp:  o.over(g, func(r *observed) int64 { return r.startUp }),
		FirstRun: o.over(g, func(r *observed) int64 { return r.firstToken }),
		WindDown: o.over(g, func(r *observed) int64 { return r.windDown }),
		Idle:     o.over(g, func(r *observed) int64 { return r.idle }),
	}
	if inputs := o.countEach(g, func(r *observed) int64 { return r.input }); inputs.N > 0 {
		p.InputBytes = &inputs
	}
	p.WorkByInput = byInput(g, func(r *observed) float64 { return trace.Duration(r.work).Seconds() })
	p.Losses = o.machineLosses(g)
	p.RunFactors = factors(g, p.Stages)
	factor := map[string]float64{}
	for _, f := range p.RunFactors {
		factor[f.RunID] = f.Factor
	}
	for v := range n {
		p.Stages[v].Typical = o.typical(g, v, factor)
		p.Stages[v].Typical.FirstS, p.Stages[v].Typical.LaterS = means(g, v, p.RunFactors)
		p.Stages[v].Ends = courses(g, v, p.RunFactors)
	}
	arrange(&p, g)
	return p
}

// arrange adds the edges: data edges, which all runs share, and the driver edges of more than half the weight. Any two
// of these occur together in a run; should three or more nevertheless make a cycle, the newest run's driver edges
// stand.
func arrange(p *modelfile.Plan, g *group) {
	weight := map[trace.Edge]float64{}
	for i, r := range g.runs {
		for _, e := range r.driver {
			weight[e] += g.weights[i]
		}
	}
	newest := g.runs[len(g.runs)-1]
	edges := slices.Clone(newest.data)
	for e, w := range weight {
		if w > g.weight/2 {
			edges = append(edges, e)
		}
	}
	slices.SortFunc(edges, trace.CompareEdges)
	order, _, ok := trace.Topological(len(p.Stages), edges)
	if !ok {
		edges = append(slices.Clone(newest.data), newest.driver...)
		order, _, _ = trace.Topological(len(p.Stages), edges) // those of a run hold no cycle
	}
	position := make([]int32, len(order))
	stages := make([]modelfile.Stage, len(order))
	for i, v := range order {
		position[v], stages[i] = int32(i), p.Stages[v]
	}
	p.Stages, p.Canonical = stages, order
	moved := make([]trace.Edge, len(edges))
	share := map[trace.Edge]float64{}
	for i, e := range edges {
		moved[i] = trace.Edge{Parent: position[e.Parent], Child: position[e.Child], Kind: e.Kind}
		if share[moved[i]] = 1; e.Kind == trace.Driver {
			share[moved[i]] = weight[e] / g.weight
		}
	}
	slices.SortFunc(moved, trace.CompareEdges)
	p.Edges = []modelfile.Edge{}
	for _, e := range moved {
		p.Edges = append(p.Edges, modelfile.Edge{Parent: int(e.Parent), Child: int(e.Child), Kind: e.Kind.String(),
			ShareOfRuns: share[e]})
	}
}

// over pools one duration per run, where it is known.
func (o Options) over(g *group, of func(*observed) int64) modelfile.Dist { return o.pool(g.values(of)) }

func (o Options) countEach(g *group, of func(*observed) int64) modelfile.Counts {
	return o.counts(g.values(of))
}

func (g *group) values(of func(*observed) int64) []value {
	var values []value
	for i, r := range g.runs {
		if x := of(r); x != trace.None {
			values = append(values, value{x, g.weights[i]})
		}
	}
	return values
}

// all pools any number of values per run.
func (g *group) all(of func(*observed) []int64) []value {
	var values []value
	for i, r := range g.runs {
		for _, x := range of(r) {
			if x != trace.None {
				values = append(values, value{x, g.weights[i]})
			}
		}
	}
	return values
}

// byInput fits what a run did to its input.
func byInput(g *group, of func(*observed) float64) *modelfile.Line {
	var points []point
	for i, r := range g.runs {
		if y := of(r); r.input != trace.None && !math.IsNaN(y) {
			points = append(points, point{float64(r.input), y, g.weights[i]})
		}
	}
	return line(points)
}

func (o Options) stage(g *group, v int) modelfile.Stage {
	s := modelfile.Stage{
		Name:     g.runs[len(g.runs)-1].stages[v].name,
		Tasks:    o.countEach(g, func(r *observed) int64 { return r.stages[v].tasks }),
		Duration: o.pool(g.all(func(r *observed) []int64 { return r.stages[v].durations })),
		Latency:  o.pool(g.all(func(r *observed) []int64 { return r.stages[v].latency })),
		Delay:    o.over(g, func(r *observed) int64 { return r.stages[v].delay }),
		Elapsed:  o.over(g, func(r *observed) int64 { return r.stages[v].elapsed }),
		Estimate: o.over(g, func(r *observed) int64 { return r.stages[v].stated }),
		TasksByInput: byInput(g, func(r *observed) float64 {
			if n := r.stages[v].tasks; n != trace.None {
				return float64(n)
			}
			return math.NaN()
		}),
		DurationByInput: byInput(g, func(r *observed) float64 {
			sum := 0.0
			for _, d := range r.stages[v].durations {
				sum += float64(d) / 1e6
			}
			return sum / float64(len(r.stages[v].durations)) // NaN for none
		}),
		ElapsedByInput: byInput(g, func(r *observed) float64 {
			return trace.Duration(r.stages[v].elapsed).Seconds()
		}),
		Failure: o.failure(g, v),
		Lost:    o.lost(g, v),
		Totals:  totals(g, v),
	}
	if !o.NoFit {
		s.Fit = fitness(g, v)
	}
	return s
}

// totals are weighted means over the runs that know.
func totals(g *group, v int) modelfile.Totals {
	mean := func(of func(*stage) float64) *float64 {
		sum, weight := 0.0, 0.0
		for i, r := range g.runs {
			if x := of(&r.stages[v]); !math.IsNaN(x) {
				sum += g.weights[i] * x
				weight += g.weights[i]
			}
		}
		if !(weight > 0) {
			return nil
		}
		sum /= weight
		return &sum
	}
	return modelfile.Totals{
		QueuedS:  mean(func(s *stage) float64 { return trace.Duration(s.queued).Seconds() }),
		WorkS:    mean(func(s *stage) float64 { return trace.Duration(s.work).Seconds() }),
		LongestS: mean(func(s *stage) float64 { return trace.Duration(s.longest).Seconds() }),
		Begin:    mean(func(s *stage) float64 { return s.begin }),
		End:      mean(func(s *stage) float64 { return s.end }),
	}
}

// factors compares the durations of each run with the means over all of them: of attempts, where first and later ones
// on a machine are compared apart, else of stages. stages are in canonical order.
func factors(g *group, stages []modelfile.Stage) []modelfile.RunFactor {
	first, later := make([]float64, len(stages)), make([]float64, len(stages))
	for v := range stages {
		first[v] = weightedMean(g.all(func(r *observed) []int64 { return r.stages[v].durations[:r.stages[v].first] }))
		later[v] = weightedMean(g.all(func(r *observed) []int64 { return r.stages[v].durations[r.stages[v].first:] }))
	}
	out := []modelfile.RunFactor{}
	for i, r := range g.runs {
		var took, expected float64
		for v := range r.stages {
			s := &r.stages[v]
			for k, d := range s.durations {
				took += float64(d)
				if k < s.first {
					expected += first[v]
				} else {
					expected += later[v]
				}
			}
			if stages[v].Duration.N == 0 && s.elapsed != trace.None {
				took += float64(s.elapsed)
				expected += 1e6 * *stages[v].Elapsed.MeanS
			}
		}
		if !(expected > 0 && took > 0) {
			continue
		}
		out = append(out, modelfile.RunFactor{RunID: r.id, Factor: took / expected, Weight: g.weights[i],
			Tokens: optional(r.tokens), InputBytes: optional(r.input), StartUpS: optionalSeconds(r.startUp),
			CompletionS: optionalSeconds(r.completion), EndS: optionalSeconds(int64(r.at)),
			ReplayS: optionalSeconds(r.replay), CriticalPathS: optionalSeconds(r.path),
			WorkS: optionalSeconds(r.least)})
	}
	return out
}

// typical pools the observations of a stage, divided by the factor of their run.
func (o Options) typical(g *group, v int, factor map[string]float64) modelfile.Typical {
	pool := func(of func(*stage) []int64) modelfile.Dist {
		return o.pool(g.all(func(r *observed) []int64 {
			f, ok := factor[r.id]
			if !ok { // all its durations are 0
				f = 1
			}
			var out []int64
			for _, d := range of(&r.stages[v]) {
				if d != trace.None {
					out = append(out, int64(math.Round(float64(d)/f)))
				}
			}
			return out
		}))
	}
	t := modelfile.Typical{
		Later: pool(func(s *stage) []int64 { return s.durations[s.first:] }),
		Elapsed: pool(func(s *stage) []int64 {
			if len(s.durations) > 0 {
				return nil
			}
			return []int64{s.elapsed}
		}),
	}
	if slices.ContainsFunc(g.runs, func(r *observed) bool { return r.stages[v].onMachines }) {
		first := pool(func(s *stage) []int64 { return s.durations[:s.first] })
		t.First = &first
	}
	return t
}

// means returns, for each run factor, the means of the first and of the later attempts of a stage on their machine, in
// seconds.
func means(g *group, v int, factors []modelfile.RunFactor) (first, later []*float64) {
	mean := func(us []int64) *float64 {
		sum := 0.0
		for _, d := range us {
			sum += float64(d) / 1e6
		}
		if sum == 0 {
			return nil
		}
		sum /= float64(len(us))
		return &sum
	}
	first, later = make([]*float64, len(factors)), make([]*float64, len(factors))
	k := 0
	for _, r := range g.runs { // in the order of factors, some of which may be left out
		if k == len(factors) || factors[k].RunID != r.id {
			continue
		}
		s := &r.stages[v]
		first[k], later[k] = mean(s.durations[:s.first]), mean(s.durations[s.first:])
		k++
	}
	return first, later
}

func optional(x int64) *int64 {
	if x == trace.None {
		return nil
	}
	return &x
}

func optionalSeconds(us int64) *float64 {
	if us == trace.None {
		return nil
	}
	s := float64(us) / 1e6
	return &s
}

func (o Options) failure(g *group, v int) modelfile.Failure {
	var f modelfile.Failure
	var failed, all, shares, shareWeight float64
	for i, r := range g.runs {
		s, w := &r.stages[v], g.weights[i]
		f.Failed += int64(len(s.failedAfter))
		f.Attempts += int64(len(s.failedAfter) + len(s.durations))
		failed += w * float64(len(s.failedAfter))
		all += w * float64(len(s.failedAfter)+len(s.durations))
		for _, x := range s.shareDone {
			shares += w * x
			shareWeight += w
		}
	}
	if all > 0 {
		p := failed / all
		interval := [2]float64(quantile.Wilson(p, float64(f.Attempts)*effective(g.weights)/float64(len(g.runs))))
		f.Probability, f.Interval = &p, &interval
	}
	if shareWeight > 0 {
		mean := shares / shareWeight
		f.ShareDone = &mean
	}
	f.After = o.pool(g.all(func(r *observed) []int64 { return r.stages[v].failedAfter }))
	return f
}

func (o Options) lost(g *group, v int) modelfile.Lost {
	var l modelfile.Lost
	hit := 0.0
	for i, r := range g.runs {
		s := &r.stages[v]
		l.Events += len(s.together)
		l.Redone += s.redone
		for _, n := range s.together {
			l.Attempts += n
		}
		if len(s.together) > 0 {
			hit += g.weights[i]
		}
	}
	if slices.ContainsFunc(g.runs, func(r *observed) bool { return len(r.stages[v].durations) > 0 }) {
		p := hit / g.weight
		l.Probability = &p
	}
	l.Together = o.counts(g.all(func(r *observed) []int64 { return r.stages[v].together }))
	return l
}

func (o Options) machineLosses(g *group) modelfile.Losses {
	var l modelfile.Losses
	events, seconds := 0.0, 0.0
	for i, r := range g.runs {
		l.Events += len(r.together)
		l.MachineSeconds += float64(r.machineUS) / 1e6
		events += g.weights[i] * float64(len(r.together))
		seconds += g.weights[i] * float64(r.machineUS) / 1e6
	}
	if seconds > 0 {
		rate := events / seconds
		l.RatePerS = &rate
	}
	l.Together = o.counts(g.all(func(r *observed) []int64 { return r.together }))
	l.Machines = o.countEach(g, func(r *observed) int64 {
		if r.machines == 0 {
			return trace.None
		}
		return r.machines
	})
	return l
}

// maxFolds bounds the groups of runs that are left out in turn.
const maxFolds = 20

// fitness leaves runs out in turn and compares their durations with the other runs.
func fitness(g *group, v int) modelfile.Fit {
	with := lists.Kept(g.runs, func(r *observed) bool { return len(r.stages[v].durations) > 0 })
	var f modelfile.Fit
	if len(with) < 2 {
		return f
	}
	folds := min(maxFolds, len(with))
	below := [3]float64{}
	distance := 0.0
	for k := range folds {
		var held, others []float64
		for i, r := range with {
			for _, d := range r.stages[v].durations {
				if i%folds == k {
					held = append(held, float64(d))
				} else {
					others = append(others, float64(d))
				}
			}
		}
		radix.Floats(held)
		radix.Floats(others)
		for q, p := range [3]float64{0.5, 0.9, 0.95} {
			at := stat.Quantile(p, stat.Empirical, others, nil)
			n, _ := slices.BinarySearchFunc(held, at, func(x, at float64) int {
				if x <= at {
					return -1
				}
				return 1
			})
			below[q] += float64(n)
		}
		f.Held += int64(len(held))
		distance += stat.KolmogorovSmirnov(held, nil, others, nil) / float64(folds)
	}
	for q := range below {
		below[q] /= float64(f.Held)
	}
	f.Below50, f.Below90, f.Below95, f.Distance = &below[0], &below[1], &below[2], &distance
	return f
}
