// Package progress computes the six progress indicators Jockey compares (EuroSys 2012, §4.2 and §5.4): pure functions
// of what an earlier run took and of the fraction of each stage's tasks that are done.
package progress

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/remaining"
	"racecard/datasets/trace"
)

// Stage is an earlier run's spending on one stage: N_s tasks, Q_s and T_s seconds queued and executing, l_s the longest
// task, b_s and e_s its relative times.
type Stage = remaining.Stage

// Indicator names one of the six.
type Indicator uint8

// The six indicators, as Jockey names them.
const (
	TotalWorkWithQ Indicator = iota // Σ f_s (Q_s+T_s) / Σ (Q_s+T_s)
	TotalWork                       // Σ f_s T_s / Σ T_s
	VertexFrac                      // Σ f_s N_s / Σ N_s
	CP                              // 1 - S_t/S_0, S_t = max over f_s<1 of (1-f_s) l_s + L_s
	MinStage                        // min over f_s<1 of b_s + f_s (e_s - b_s)
	MinStageInf                     // the same, with times of a run without limit on tokens
	Count                           // how many there are
)

// Parse finds an indicator by its name.
func Parse(name string) (Indicator, error) {
	var names []string
	for k := range Count {
		if k.String() == name {
			return k, nil
		}
		names = append(names, k.String())
	}
	return 0, fmt.Errorf("progress indicator %q: want one of %s", name, strings.Join(names, ", "))
}

// String is the name of the indicator.
func (k Indicator) String() string {
	return [...]string{"totalworkWithQ", "totalwork", "vertexfrac", "cp", "minstage", "minstage-inf",
		"?"}[min(k, Count)]
}

// Plan is a plan's totals, ready to ask. It is never modified.
type Plan struct {
	stages []Stage
	after  []float64                 // L_s: longest path after stage s, without it
	weight [VertexFrac + 1][]float64 // shares of the whole
	path   float64                   // S_0
}

// NewPlan checks the totals and finds longest paths; edges index stages.
func NewPlan(stages []Stage, edges []trace.Edge) (*Plan, error) {
	if len(stages) == 0 {
		return nil, fmt.Errorf("progress: no stages")
	}
	for i := range stages {
		if err := stages[i].Verify(); err != nil {
			return nil, fmt.Errorf("progress: stage %d: %w", i, err)
		}
	}
	for _, e := range edges {
		if e.Parent < 0 || e.Child < 0 || int(max(e.Parent, e.Child)) >= len(stages) {
			return nil, fmt.Errorf("progress: edge %d -> %d: want stages below %d", e.Parent, e.Child, len(stages))
		}
	}
	order, cycle, ok := trace.Topological(len(stages), edges)
	if !ok {
		return nil, fmt.Errorf("progress: stage %d is on a cycle", cycle)
	}
	p := &Plan{stages: slices.Clone(stages), after: make([]float64, len(stages))}
	children := make([][]int32, len(stages))
	for _, e := range edges {
		children[e.Parent] = append(children[e.Parent], e.Child)
	}
	for k := len(order) - 1; k >= 0; k-- {
		for _, c := range children[order[k]] {
			p.after[order[k]] = max(p.after[order[k]], stages[c].LongestS+p.after[c])
		}
		p.path = max(p.path, stages[order[k]].LongestS+p.after[order[k]])
	}
	for k, of := range []func(Stage) float64{
		func(s Stage) float64 { return s.QueuedS + s.WorkS },
		func(s Stage) float64 { return s.WorkS },
		func(s Stage) float64 { return s.Tasks },
	} {
		total := 0.0
		for _, s := range stages {
			total += of(s)
		}
		p.weight[k] = make([]float64, len(stages))
		for i, s := range stages {
			p.weight[k][i] = of(s) / total // NaN where nothing was spent: not known
		}
	}
	return p, nil
}

// At is indicator k, in [0, 1], where done[s] is the fraction of the distinct tasks of stage s that are done. It is 1
// when every stage is, less before, and NaN where the earlier run spent no time by which to tell, or done is not of
// this plan: of another length, or with a fraction outside [0, 1].
func (p *Plan) At(k Indicator, done []float64) float64 {
	if len(done) != len(p.stages) {
		return math.NaN()
	}
	x, _ := p.at(k, done)
	return x
}

// at is [Plan.At], and the stage that an indicator which is a maximum or minimum over stages comes from.
func (p *Plan) at(k Indicator, done []float64) (x float64, stage int) {
	sum, path, first, all := 0.0, math.Inf(-1), math.Inf(1), true
	for i, f := range done {
		if !(f >= 0 && f <= 1) {
			return math.NaN(), 0
		}
		if k <= VertexFrac {
			sum += f * p.weight[k][i]
		}
		if f >= 1 {
			continue
		}
		all = false
		s := &p.stages[i]
		switch k {
		case CP:
			if left := (1-f)*s.LongestS + p.after[i]; left > path {
				path, stage = left, i
			}
		case MinStage:
			if at := s.Begin + f*(s.End-s.Begin); at < first {
				first, stage = at, i
			}
		case MinStageInf:
			if at := s.InfBegin + f*(s.InfEnd-s.InfBegin); at < first {
				first, stage = at, i
			}
		}
	}
	switch {
	case all:
		return 1, 0
	case k <= VertexFrac:
		return min(sum, unfinished), 0
	case k == CP:
		return min(1-path/p.path, unfinished), stage
	}
	return min(first, unfinished), stage
}

// unfinished is the most progress of a run that is not at its end.
const unfinished = 1 - 1e-12
