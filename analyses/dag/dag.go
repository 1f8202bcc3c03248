package dag

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// Options of the analysis.
type Options struct {
	MinRuns  int    // succeeded runs that make a name a recurring job
	RawNames bool   // take names as they are
	Seed     uint64 // of the bootstrap
}

// DefaultOptions returns the options of racecard's manual.
func DefaultOptions() Options { return Options{MinRuns: 10, Seed: 1} }

// Needs returns the columns the analysis cannot do without.
func Needs() []string { return []string{"stages.stage"} }

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{
		"jobs.name", "jobs.status", "jobs.submit", "jobs.start", "jobs.end", "stages.name", "stages.tasks",
		"stages.start", "stages.end", "edges.kind",
		"tasks.status", "tasks.duration",
	}
}

// Reasons why runs are left out of single numbers.
const (
	leftNoTimes = "critical_path_s: a stage has no known time"
	leftNoWork  = "input_work: no task-seconds"
	leftNoTasks = "level_tasks: a stage has no known number of tasks"
)

// Partial is the state after some of the runs. Its memory grows with the number of runs, about 100 bytes each.
type Partial struct {
	opts    Options `partial:"-"`
	without int
	left    map[string]int64
	shapes  result.RunShapes
	largest *result.StageGraph

	graph   Graph       `partial:"-"`
	driver  Graph       `partial:"-"`
	planner planner     `partial:"-"`
	work    []stageWork `partial:"-"`
	loads   levelLoads  `partial:"-"`
}

// stageWork sums the attempts of a stage, in seconds.
type stageWork struct {
	longest, longestAny float64 // of succeeded attempts, and of all; -1 when there is none
	succeeded, total    float64 // sums over succeeded attempts, and over all
	good, all           int     // attempts with a known duration
	tasks               int32   // one more than the highest number of a task with an attempt
}

// mean returns the mean of succeeded attempts, of all when none succeeded; NaN when there is none.
func (w *stageWork) mean() float64 {
	if w.good > 0 {
		return w.succeeded / float64(w.good)
	}
	return w.total / float64(w.all)
}

// New returns an empty partial result.
func New(opts Options) *Partial { return &Partial{opts: opts, left: map[string]int64{}} }

// Add adds one run.
func (p *Partial) Add(run *trace.Run) {
	n := len(run.Stages)
	if n == 0 {
		p.without++
		return
	}
	p.graph.Set(n, run.Edges, func(k trace.EdgeKind) bool { return k != trace.Driver })
	levels := p.graph.Levels()
	disjoint, width := p.graph.Paths()
	nan := math.NaN()
	shape := result.RunShape{
		JobID: run.ID, Name: run.Name, Succeeded: run.Status.Well(), Stages: int32(n),
		Barriers: int32(p.graph.Barriers()),
		Disjoint: int32(disjoint), Width: int32(width), Attempts: int32(len(run.Attempts)),
		CriticalPathS: nan, CriticalPathMeanS: nan, CriticalPathDriverS: nan, InputWork: nan, TaskSeconds: nan,
		LevelTasksMean: nan, LevelTasksMax: nan, Plan: p.planner.hash(n, run.Edges),
	}
	for _, e := range run.Edges {
		if e.Kind == trace.AllToAll {
			shape.Synchronisations++
		}
	}
	shape.Parts = int32(p.planner.components)
	shape.Shape = p.graph.Shape(p.planner.components, shape.Synchronisations > 0)
	weights, means, known := p.weigh(run)
	p.parallelism(run, levels, &shape)
	var path []int32
	if known {
		shape.CriticalPathS, path = p.graph.CriticalPath(weights)
		shape.CriticalPathMeanS, _ = p.graph.CriticalPath(means)
		for _, v := range path {
			shape.ByStageTimes = shape.ByStageTimes || p.work[v].all == 0
		}
		shape.AboveCompletion = run.Completion().Seconds() < shape.CriticalPathS*(1-1e-9)
		p.driver.Set(n, run.Edges, func(trace.EdgeKind) bool { return true })
		shape.CriticalPathDriverS, _ = p.driver.CriticalPath(weights)
	} else {
		p.left[leftNoTimes]++
	}
	var total, input float64
	for v := range p.work {
		total += p.work[v].total
		if len(p.graph.Parents(v)) == 0 {
			input += p.work[v].total
		}
	}
	if total > 0 {
		shape.TaskSeconds, shape.InputWork = total, input/total
	} else {
		p.left[leftNoWork]++
	}
	p.shapes.Add(&shape)
	if p.largest == nil || n > len(p.largest.Stages) {
		p.largest = p.draw(run, levels, weights, path)
	}
}

// levelLoads are the stages and tasks on each level of a graph.
type levelLoads struct {
	stages []int32
	tasks  []int64
}

// parallelism fills in how many stages and tasks lie on the levels of the run's graph.
func (p *Partial) parallelism(run *trace.Run, levels []int32, shape *result.RunShape) {
	depth := int(slices.Max(levels)) + 1
	l := &p.loads
	l.stages, l.tasks = zeros(l.stages, depth), slices.Grow(l.tasks[:0], depth)[:depth]
	clear(l.tasks)
	known, all := true, int64(0)
	for v, level := range levels {
		tasks := run.Stages[v].Tasks
		if tasks == trace.None {
			tasks = int64(p.work[v].tasks)
		}
		known = known && tasks > 0
		l.stages[level]++
		l.tasks[level] += tasks
		all += tasks
	}
	shape.PathStages, shape.LevelStagesMax = int32(depth), slices.Max(l.stages)
	if known {
		shape.LevelTasksMean, shape.LevelTasksMax = float64(all)/float64(depth), float64(slices.Max(l.tasks))
	} else {
		p.left[leftNoTasks]++
	}
}

// weigh returns the weight of every stage in seconds, by its longest attempt and by the mean of its attempts, and
// whether all are known, and fills p.work.
func (p *Partial) weigh(run *trace.Run) (weights, means []float64, known bool) {
	p.work = slices.Grow(p.work[:0], len(run.Stages))[:len(run.Stages)]
	for i := range p.work {
		p.work[i] = stageWork{longest: -1, longestAny: -1}
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		w, s := &p.work[a.Stage], a.Duration.Seconds()
		w.tasks = max(w.tasks, a.Task+1)
		if !a.Duration.Known() {
			continue
		}
		w.total += s
		w.all++
		w.longestAny = max(w.longestAny, s)
		if a.Status == trace.Succeeded {
			w.succeeded += s
			w.good++
			w.longest = max(w.longest, s)
		}
	}
	weights, means, known = make([]float64, len(p.work)), make([]float64, len(p.work)), true
	for i := range p.work {
		s := &run.Stages[i]
		switch w := &p.work[i]; {
		case w.longest >= 0:
			weights[i] = w.longest
		case w.longestAny >= 0:
			weights[i] = w.longestAny
		default:
			weights[i] = s.End.Since(s.Start).Seconds()
		}
		if means[i] = p.work[i].mean(); math.IsNaN(means[i]) {
			means[i] = weights[i]
		}
		if !(weights[i] >= 0) { // NaN, or a stage that ended before it began
			weights[i], known = math.NaN(), false
		}
	}
	return weights, means, known
}

// draw describes the run's graph for a figure. Without weights the critical path is the longest in stages.
func (p *Partial) draw(run *trace.Run, levels []int32, weights []float64, path []int32) *result.StageGraph {
	if path == nil {
		ones := make([]float64, len(run.Stages))
		for i := range ones {
			ones[i] = 1
		}
		_, path = p.graph.CriticalPath(ones)
	}
	critical := make([]bool, len(run.Stages))
	for _, v := range path {
		critical[v] = true
	}
	g := &result.StageGraph{JobID: run.ID, Name: run.Name, Edges: []result.GraphEdge{}}
	for i := range run.Stages {
		s := &run.Stages[i]
		g.Stages = append(g.Stages, result.GraphStage{
			Name: s.Name, Tasks: max(0, s.Tasks), Seconds: result.Number(weights[i]),
			TaskSeconds: result.Number(p.work[i].total), Critical: critical[i], Level: int(levels[i]),
		})
	}
	for _, e := range run.Edges {
		g.Edges = append(g.Edges, result.GraphEdge{Parent: int(e.Parent), Child: int(e.Child), Kind: e.Kind.String()})
	}
	return g
}

// Merge adds the runs of q to p, as if they had come after the runs of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.without += q.without
	lists.Add(p.left, q.left)
	p.shapes.Append(&q.shapes)
	if q.largest != nil && (p.largest == nil || len(q.largest.Stages) > len(p.largest.Stages)) {
		p.largest = q.largest
	}
}

// metric is a number of runs that is summarized.
type metric struct {
	name string
	into *result.Summary
	of   func(*result.RunShape) float64
}

// metrics returns the metrics of a result.
func metrics(r *result.DAG) []metric {
	return []metric{
		{"stages", &r.Stages, func(s *result.RunShape) float64 { return float64(s.Stages) }},
		{"barriers", &r.Barriers, func(s *result.RunShape) float64 { return float64(s.Barriers) }},
		{"synchronisations", &r.Synchronisations, func(s *result.RunShape) float64 {
			return float64(s.Synchronisations)
		}},
		{"critical_path_stages", &r.CriticalPathStages, func(s *result.RunShape) float64 {
			return float64(s.PathStages)
		}},
		{"critical_path_s", &r.CriticalPathS, func(s *result.RunShape) float64 { return s.CriticalPathS }},
		{"critical_path_mean_s", &r.CriticalPathMeanS, func(s *result.RunShape) float64 { return s.CriticalPathMeanS }},
		{"critical_path_driver_s", &r.CriticalPathDriverS, func(s *result.RunShape) float64 {
			return s.CriticalPathDriverS
		}},
		{"disjoint_paths", &r.DisjointPaths, func(s *result.RunShape) float64 { return float64(s.Disjoint) }},
		{"width", &r.Width, func(s *result.RunShape) float64 { return float64(s.Width) }},
		{"level_stages_mean", &r.LevelStagesMean, (*result.RunShape).LevelStagesMean},
		{"level_stages_max", &r.LevelStagesMax, func(s *result.RunShape) float64 { return float64(s.LevelStagesMax) }},
		{"level_tasks_mean", &r.LevelTasksMean, func(s *result.RunShape) float64 { return s.LevelTasksMean }},
		{"level_tasks_max", &r.LevelTasksMax, func(s *result.RunShape) float64 { return s.LevelTasksMax }},
		{"input_work", &r.InputWork, func(s *result.RunShape) float64 { return s.InputWork }},
	}
}

// atOnce bounds the parts of the result that are computed at once: a part takes about 16 bytes per run.
const atOnce = 2

// Finish computes the result.
func (p *Partial) Finish(ctx context.Context) (*result.DAG, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &result.DAG{
		Header: result.Header{Available: true, Needs: Needs(), LeftOut: p.left},
		Jobs:   p.shapes.Len(), WithoutStages: p.without, Intervals: quantile.NewIntervals(),
		Largest: p.largest, Runs: p.shapes,
	}
	all := metrics(r)
	intervals := make([]result.Intervals, len(all))
	err := parallel.Each(ctx, 1+len(all), parallel.Options{Workers: atOnce}, func(_ context.Context, i int) error {
		if i == 0 { // this takes longest
			r.Plans, r.Extremes = p.plans(), p.extremes()
		} else {
			intervals[i-1] = p.summarize(all[i-1])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range intervals {
		maps.Copy(r.Intervals.Of, intervals[i].Of)
	}
	for _, s := range p.shapes.All() {
		if s.ByStageTimes {
			r.PathsByStageTimes++
		}
		if s.AboveCompletion {
			r.PathsAboveCompletion++
		}
	}
	if n := p.left[leftNoTimes]; n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the critical path in seconds is known for %s of %s",
			words.Count(p.shapes.Len()-int(n)), words.Of(p.shapes.Len(), "run", "runs")))
	}
	return r, nil
}

// summarize fills in the summary of a metric, and returns the intervals of its percentiles.
func (p *Partial) summarize(m metric) result.Intervals {
	values := make([]float64, 0, p.shapes.Len())
	for _, s := range p.shapes.All() {
		if v := m.of(s); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	sorted, intervals := quantile.SortInPlace(values), quantile.NewIntervals()
	*m.into = quantile.Summarize(sorted)
	quantile.AddIntervals(&intervals, m.name, sorted, p.opts.Seed)
	return intervals
}
