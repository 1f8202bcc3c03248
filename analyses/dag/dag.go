package dag

import (
	"context"
	"fmt"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Options of the analysis.
type Options struct {
	Seed uint64 // of the bootstrap
}

// DefaultOptions returns the options of racecard's manual.
func DefaultOptions() Options { return Options{Seed: 1} }

// Needs returns the columns the analysis cannot do without.
func Needs() []string { return []string{"stages.stage"} }

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{
		"jobs.name", "stages.name", "stages.tasks", "stages.start", "stages.end", "edges.kind",
		"tasks.status", "tasks.duration",
	}
}

// Reasons why runs are left out of single numbers.
const (
	leftNoTimes = "critical_path_s: a stage has no known time"
	leftNoWork  = "input_work: no task-seconds"
)

// Partial is what is known after some of the runs. Its memory grows with the number of runs, about 150 bytes each.
type Partial struct {
	opts    Options
	without int
	left    map[string]int64
	shapes  []result.RunShape
	largest *result.StageGraph

	graph  Graph
	driver Graph
	work   []stageWork
}

// stageWork is what the attempts of a stage add up to, in seconds.
type stageWork struct {
	longest, longestAny float64 // of succeeded attempts, and of all; -1 when there is none
	total               float64
}

// New returns the partial result of no runs.
func New(opts Options) *Partial { return &Partial{opts: opts, left: map[string]int64{}} }

// Add takes one run into account.
func (p *Partial) Add(run *trace.Run) {
	n := len(run.Stages)
	if n == 0 {
		p.without++
		return
	}
	p.graph.Set(n, run.Edges, func(k trace.EdgeKind) bool { return k != trace.Driver })
	shape := result.RunShape{
		JobID: run.ID, Name: run.Name, Stages: n, Barriers: p.graph.Barriers(), PathStages: p.graph.Depth(),
		Disjoint: p.graph.DisjointPaths(), Width: p.graph.Width(), Attempts: len(run.Attempts),
		CriticalPathS: math.NaN(), CriticalPathDriverS: math.NaN(), InputWork: math.NaN(), TaskSeconds: math.NaN(),
	}
	for _, e := range run.Edges {
		if e.Kind == trace.AllToAll {
			shape.Synchronisations++
		}
	}
	weights, known := p.weigh(run)
	var path []int32
	if known {
		shape.CriticalPathS, path = p.graph.CriticalPath(weights)
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
	p.shapes = append(p.shapes, shape)
	if p.largest == nil || n > len(p.largest.Stages) {
		p.largest = p.draw(run, weights, path)
	}
}

// weigh returns the weight of every stage in seconds and whether all are known, and fills p.work.
func (p *Partial) weigh(run *trace.Run) (weights []float64, known bool) {
	p.work = slices.Grow(p.work[:0], len(run.Stages))[:len(run.Stages)]
	for i := range p.work {
		p.work[i] = stageWork{longest: -1, longestAny: -1}
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if !a.Duration.Known() {
			continue
		}
		w, s := &p.work[a.Stage], a.Duration.Seconds()
		w.total += s
		w.longestAny = max(w.longestAny, s)
		if a.Status == trace.Succeeded {
			w.longest = max(w.longest, s)
		}
	}
	weights, known = make([]float64, len(p.work)), true
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
		if !(weights[i] >= 0) { // NaN, or a stage that ended before it began
			weights[i], known = math.NaN(), false
		}
	}
	return weights, known
}

// draw describes the run's graph for a figure. Without weights the critical path is the longest in stages.
func (p *Partial) draw(run *trace.Run, weights []float64, path []int32) *result.StageGraph {
	if path == nil {
		ones := make([]float64, len(run.Stages))
		for i := range ones {
			ones[i] = 1
		}
		_, path = p.graph.CriticalPath(ones)
	}
	levels := p.graph.Levels()
	g := &result.StageGraph{JobID: run.ID, Name: run.Name, Edges: []result.GraphEdge{}}
	for i := range run.Stages {
		s := &run.Stages[i]
		g.Stages = append(g.Stages, result.GraphStage{
			Name: s.Name, Tasks: max(0, s.Tasks), Seconds: result.Number(weights[i]),
			TaskSeconds: result.Number(p.work[i].total), Critical: slices.Contains(path, int32(i)), Level: int(levels[i]),
		})
	}
	for _, e := range run.Edges {
		g.Edges = append(g.Edges, result.GraphEdge{Parent: int(e.Parent), Child: int(e.Child), Kind: e.Kind.String()})
	}
	return g
}

// Merge adds what q knows to p, as if its runs had come after those of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.without += q.without
	for k, n := range q.left {
		p.left[k] += n
	}
	p.shapes = append(p.shapes, q.shapes...)
	if q.largest != nil && (p.largest == nil || len(q.largest.Stages) > len(p.largest.Stages)) {
		p.largest = q.largest
	}
}

// Finish computes the result.
func (p *Partial) Finish(ctx context.Context) (*result.DAG, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &result.DAG{
		Header: result.Header{Available: true, Needs: Needs(), LeftOut: p.left},
		Jobs:   len(p.shapes), WithoutStages: p.without, Intervals: quantile.NewIntervals(),
		Largest: p.largest, Runs: p.shapes,
	}
	for _, m := range []struct {
		name string
		into *result.Summary
		of   func(*result.RunShape) float64
	}{
		{"stages", &r.Stages, func(s *result.RunShape) float64 { return float64(s.Stages) }},
		{"barriers", &r.Barriers, func(s *result.RunShape) float64 { return float64(s.Barriers) }},
		{"synchronisations", &r.Synchronisations, func(s *result.RunShape) float64 { return float64(s.Synchronisations) }},
		{"critical_path_stages", &r.CriticalPathStages, func(s *result.RunShape) float64 { return float64(s.PathStages) }},
		{"critical_path_s", &r.CriticalPathS, func(s *result.RunShape) float64 { return s.CriticalPathS }},
		{"critical_path_driver_s", &r.CriticalPathDriverS, func(s *result.RunShape) float64 { return s.CriticalPathDriverS }},
		{"disjoint_paths", &r.DisjointPaths, func(s *result.RunShape) float64 { return float64(s.Disjoint) }},
		{"width", &r.Width, func(s *result.RunShape) float64 { return float64(s.Width) }},
		{"input_work", &r.InputWork, func(s *result.RunShape) float64 { return s.InputWork }},
	} {
		values := make([]float64, 0, len(p.shapes))
		for i := range p.shapes {
			if v := m.of(&p.shapes[i]); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		*m.into = quantile.Summarize(values)
		quantile.AddIntervals(&r.Intervals, m.name, values, p.opts.Seed)
	}
	if n := p.left[leftNoTimes]; n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the critical path in seconds is known for %d of %d runs", len(p.shapes)-int(n), len(p.shapes)))
	}
	return r, nil
}
