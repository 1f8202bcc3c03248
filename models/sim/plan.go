package sim

import (
	"fmt"
	"slices"

	"racecard/datasets/trace"
)

// Edge says that stage Child reads from stage Parent. Both index Plan.Stages.
type Edge struct {
	Parent, Child int32
	Kind          trace.EdgeKind
}

// Stage is a set of tasks that behave alike.
type Stage struct {
	Tasks    int32   // at least 1
	Duration Dist    // run time of an attempt that does not fail
	Latency  Dist    // initialisation: from taking a token to running; the zero Dist is none
	Failure  Failure // the zero Failure is none
}

// Failure says how attempts of a stage fail. A failed attempt holds its token
// for a share of the duration it would have had, and its task is queued again.
type Failure struct {
	Probability float64   // of each attempt, in [0, 1)
	Share       []float64 // shares of the duration done before failing, in [0, 1], drawn alike; empty is 1
}

// Plan is what one job does: its stages and what they read from each other.
type Plan struct {
	Stages []Stage
	Edges  []Edge
}

// Compiled is a checked plan, laid out for simulation. It is never modified
// and may be shared by many Runners.
type Compiled struct {
	stages   []compiledStage
	order    []int32 // topological
	total    int32   // tasks of all stages
	oneToOne bool
}

type compiledStage struct {
	tasks, first       int32 // count, and index of the first among all tasks
	barriers, pairs    int32 // parents of which all tasks, or one task, must end
	duration, latency  Dist
	fail               uint64 // threshold on a uniform draw
	share              []float64
	barrierTo, pairsTo []int32
}

// Tasks is the number of tasks of all stages.
func (c *Compiled) Tasks() int { return int(c.total) }

// Compile checks a plan: at least one stage and task, at most 2^20 - 16 tasks
// in all, durations given, probabilities in [0, 1), edges between its stages
// without a cycle or a pair given twice, and one_to_one edges between equally many tasks.
func Compile(p Plan) (*Compiled, error) {
	if len(p.Stages) == 0 {
		return nil, fmt.Errorf("plan: no stages")
	}
	c := &Compiled{stages: make([]compiledStage, len(p.Stages))}
	var total int64
	for i, s := range p.Stages {
		switch {
		case s.Tasks < 1:
			return nil, fmt.Errorf("plan: stage %d: %d tasks; want at least 1", i, s.Tasks)
		case len(s.Duration.table) == 0:
			return nil, fmt.Errorf("plan: stage %d: no duration", i)
		case !(s.Failure.Probability >= 0 && s.Failure.Probability < 1):
			return nil, fmt.Errorf("plan: stage %d: failure probability %v; want [0, 1)", i, s.Failure.Probability)
		}
		for _, x := range s.Failure.Share {
			if !(x >= 0 && x <= 1) {
				return nil, fmt.Errorf("plan: stage %d: failed after a share of %v; want [0, 1]", i, x)
			}
		}
		c.stages[i] = compiledStage{tasks: s.Tasks, first: int32(total), duration: s.Duration, latency: s.Latency,
			fail: uint64(s.Failure.Probability * (1 << 63) * 2), share: slices.Clone(s.Failure.Share)}
		if total += int64(s.Tasks); total > maxSlots {
			return nil, fmt.Errorf("plan: more than %d tasks", maxSlots)
		}
	}
	c.total = int32(total)
	edges := make([]trace.Edge, len(p.Edges))
	seen := make(map[[2]int32]bool, len(p.Edges))
	for i, e := range p.Edges {
		n := int32(len(p.Stages))
		if e.Parent < 0 || e.Child < 0 || e.Parent >= n || e.Child >= n {
			return nil, fmt.Errorf("plan: edge %d -> %d: want stages below %d", e.Parent, e.Child, n)
		}
		if seen[[2]int32{e.Parent, e.Child}] {
			return nil, fmt.Errorf("plan: edge %d -> %d given twice", e.Parent, e.Child)
		}
		seen[[2]int32{e.Parent, e.Child}] = true
		edges[i] = trace.Edge{Parent: e.Parent, Child: e.Child, Kind: e.Kind}
		parent, child := &c.stages[e.Parent], &c.stages[e.Child]
		if e.Kind != trace.OneToOne {
			parent.barrierTo = append(parent.barrierTo, e.Child)
			child.barriers++
			continue
		}
		if parent.tasks != child.tasks {
			return nil, fmt.Errorf("plan: edge %d -> %d: one_to_one between %d and %d tasks; want as many, or all_to_all",
				e.Parent, e.Child, parent.tasks, child.tasks)
		}
		parent.pairsTo = append(parent.pairsTo, e.Child)
		child.pairs++
		c.oneToOne = true
	}
	order, cycle, ok := trace.Topological(len(p.Stages), edges)
	if !ok {
		return nil, fmt.Errorf("plan: stage %d is on a cycle", cycle)
	}
	c.order = order
	return c, nil
}
