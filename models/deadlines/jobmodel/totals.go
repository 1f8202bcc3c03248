package jobmodel

import (
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// mostSimulated bounds the tasks that are simulated for totals: of stages with so many tasks one run is like the next.
const mostSimulated = 4_000_000

// totals computes the totals by which progress indicators weigh stages from past runs, if they recorded them. For
// missing totals, and for times without a limit on tokens, runs are simulated. Totals are means over runs, so that
// their sums describe a mean run.
func (m *Model) totals(p *modelfile.Plan, o Options) error {
	m.Totals = make([]progress.Stage, len(m.Plan.Stages))
	for i, s := range m.Plan.Stages {
		m.Totals[i] = progress.Stage{Name: m.Names[i], Tasks: float64(s.Tasks)}
	}
	simulated := min(o.Simulated, int(max(1, mostSimulated/max(1, m.Plan.Tasks()))))
	tokens, unlimited := int32(math.Ceil(o.Tokens)), m.Plan.Unlimited()
	if tokens == 0 {
		tokens = unlimited
	}
	// no task is queued while the driver is busy
	bare := sim.Plan{Stages: slices.Clone(m.Plan.Stages), Edges: m.Plan.Edges}
	for i := range bare.Stages {
		bare.Stages[i].Delay = sim.Dist{}
	}
	runs := float64(simulated)
	for _, s := range []struct {
		plan   sim.Plan
		tokens int32
		add    func(w *watch, i int, end float64)
	}{
		{bare, tokens, func(w *watch, i int, _ float64) {
			t := &m.Totals[i]
			t.QueuedS += w.queued[i] / 1e6 / runs
			t.WorkS += w.work[i] / 1e6 / runs
			t.LongestS += float64(w.longest[i]) / 1e6 / runs
		}},
		{m.Plan, tokens, func(w *watch, i int, end float64) {
			t := &m.Totals[i]
			t.Begin, t.End = t.Begin+float64(w.first[i])/end/runs, min(1, t.End+float64(w.end[i])/end/runs)
		}},
		{m.Plan, unlimited, func(w *watch, i int, end float64) {
			t := &m.Totals[i]
			t.InfBegin, t.InfEnd = t.InfBegin+float64(w.first[i])/end/runs, min(1, t.InfEnd+float64(w.end[i])/end/runs)
		}},
	} {
		compiled, err := sim.Compile(s.plan)
		if err != nil {
			return err
		}
		w, runner := newWatch(m), sim.NewRunner(compiled)
		for k := range simulated {
			w.reset()
			options := sim.Options{Allocation: []sim.Step{{Tokens: s.tokens}}, Observe: w.observe}
			res, err := runner.Run(&options, seed.Stream(o.Seed, "job model totals", uint64(k)))
			if err != nil {
				return err
			}
			for i := range m.Totals {
				s.add(w, i, float64(max(1, res.End)))
			}
		}
	}
	m.observed(p)
	return nil
}

// observed replaces simulated totals with totals of past runs, if all stages have them.
func (m *Model) observed(p *modelfile.Plan) {
	for _, x := range []struct {
		to   func(*progress.Stage) *float64
		from func(*modelfile.Totals) *float64
	}{
		{func(s *progress.Stage) *float64 { return &s.QueuedS }, func(t *modelfile.Totals) *float64 {
			return t.QueuedS
		}},
		{func(s *progress.Stage) *float64 { return &s.WorkS }, func(t *modelfile.Totals) *float64 { return t.WorkS }},
		{func(s *progress.Stage) *float64 { return &s.LongestS }, func(t *modelfile.Totals) *float64 {
			return t.LongestS
		}},
	} {
		if slices.ContainsFunc(p.Stages, func(s modelfile.Stage) bool { return x.from(&s.Totals) == nil }) {
			continue
		}
		for i := range m.Totals {
			*x.to(&m.Totals[i]) = *x.from(&p.Stages[i].Totals)
		}
	}
	if slices.ContainsFunc(p.Stages, func(s modelfile.Stage) bool {
		return s.Totals.Begin == nil || s.Totals.End == nil || *s.Totals.Begin > *s.Totals.End
	}) {
		return
	}
	for i := range m.Totals {
		m.Totals[i].Begin, m.Totals[i].End = *p.Stages[i].Totals.Begin, *p.Stages[i].Totals.End
	}
}

// watch follows one simulated run.
type watch struct {
	parents    [][]trace.Edge // per stage
	first, end []int64        // instants of each stage; first is -1 before its start
	done       [][]int64      // when each task was done
	again      [][]int64      // when each task was queued again
	began      [][]int64      // when the attempt of each task started
	queued     []float64      // microseconds
	work       []float64
	longest    []int64
}

func newWatch(m *Model) *watch {
	n := len(m.Plan.Stages)
	w := &watch{parents: make([][]trace.Edge, n), first: make([]int64, n), end: make([]int64, n),
		done:  make([][]int64, n),
		again: make([][]int64, n), began: make([][]int64, n), queued: make([]float64, n), work: make([]float64, n),
		longest: make([]int64, n)}
	for i, s := range m.Plan.Stages {
		w.done[i], w.again[i], w.began[i] = make([]int64, s.Tasks), make([]int64, s.Tasks), make([]int64, s.Tasks)
	}
	for _, e := range m.Edges {
		w.parents[e.Child] = append(w.parents[e.Child], e)
	}
	return w
}

func (w *watch) reset() {
	for i := range w.first {
		w.first[i], w.end[i], w.queued[i], w.work[i], w.longest[i] = -1, 0, 0, 0, 0
		clear(w.again[i])
	}
}

func (w *watch) observe(e sim.Event, _ sim.Progress) {
	s, t := e.Stage, e.Task
	if e.Kind == sim.Started {
		if w.first[s] < 0 {
			w.first[s] = e.Now
		}
		w.queued[s] += float64(e.Now - w.ready(s, t))
		w.began[s][t] = e.Now
		return
	}
	took := e.Now - w.began[s][t]
	w.work[s] += float64(took)
	w.again[s][t] = e.Now
	if e.Kind == sim.Completed {
		w.longest[s] = max(w.longest[s], took)
		w.done[s][t], w.end[s] = e.Now, e.Now
	}
}

// ready returns the instant from which a task could have started.
func (w *watch) ready(s, t int32) int64 {
	at := w.again[s][t]
	for _, e := range w.parents[s] {
		if e.Kind == trace.OneToOne {
			at = max(at, w.done[e.Parent][t])
		} else {
			at = max(at, w.end[e.Parent])
		}
	}
	return at
}
