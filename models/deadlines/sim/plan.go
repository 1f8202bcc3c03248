package sim

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/trace"
)

// Edge says that stage Child reads from stage Parent, or that the driver starts it after Parent. Both index
// Plan.Stages. A one_to_one edge holds back each task of the child until the same task of the parent is done, every
// other kind all of the child until all of the parent is done.
type Edge struct {
	Parent, Child int32
	Kind          trace.EdgeKind
}

// Stage is a set of tasks that behave alike. The zero value of every field but Tasks and Duration is none.
type Stage struct {
	Name     string    // for messages; "" where there is none
	Tasks    int32     // at least 1
	Duration Dist      // run time of an attempt that does not fail
	First    Dist      // run time of one that is the first of the stage on its machine, if other than Duration
	Latency  Dist      // initialisation: from taking a token to running
	Failure  Failure   // of single attempts
	Lost     GroupLoss // of several attempts together
	// driver time: from the moment the inputs are there to that at which the tasks are handed out; drawn once per run
	Delay Dist
}

// Failure says how attempts of a stage fail. A failed attempt holds its token for a share of the duration it would have
// had, and its task is queued again.
type Failure struct {
	Probability float64   // of each attempt, in [0, 1)
	Share       []float64 // shares of the duration done before failing, in [0, 1], drawn alike; empty is 1
}

// GroupLoss says that a run may lose several attempts of a stage at once: any one of its first attempts, at any moment
// of its run time, and with it others of the stage that run then. Their tasks are queued again; outputs stay.
type GroupLoss struct {
	Probability float64 // that a run has such a loss, in [0, 1]
	Together    []int32 // how many are lost, drawn alike, each at least 1, as far as so many run; empty is 1
}

// Plan is the plan of one job: its stages and their inputs.
type Plan struct {
	Stages   []Stage
	Edges    []Edge
	StartUp  Dist // driver time before the first stages; the zero Dist is none
	WindDown Dist // driver time after the last task
}

// Tasks returns the number of tasks of all stages.
func (p *Plan) Tasks() int64 {
	n := int64(0)
	for i := range p.Stages {
		n += int64(p.Stages[i].Tasks)
	}
	return n
}

// Unlimited returns one token per task, on which no task is queued, at most [MaxTokens].
func (p *Plan) Unlimited() int32 { return int32(min(MaxTokens, max(1, p.Tasks()))) }

// Compiled is a checked plan, laid out for simulation. It is never modified and may be shared by many Runners.
type Compiled struct {
	stages            []compiledStage
	order             []int32 // topological
	total             int32   // tasks of all stages
	startUp, windDown Dist
	oneToOne          bool
	losing            []int32 // stages that may lose attempts together
	cold              bool    // of a stage, the first attempts on machines differ
	lean              bool    // tasks have durations, also cold ones, and barriers, and nothing else
}

type compiledStage struct {
	name               string
	duration, latency  Dist
	cold               Dist   // run time of the first attempt of the stage on a machine
	fail, lose         uint64 // thresholds on uniform draws
	tasks, first       int32  // count, and index of the first among all tasks
	barriers, pairs    int32  // parents of which all tasks, or one task, must end
	barrierTo, pairsTo []int32
	share              []float64
	together           []int32
	delay              Dist
	gated              bool // handed out some time after the inputs are there
}

// Tasks is the number of tasks of all stages.
func (c *Compiled) Tasks() int { return int(c.total) }

// Compile checks a plan: at least one stage and task, at most 2^20 - 16 tasks in all, durations given, probabilities in
// range, edges between its stages without a cycle or a pair given twice, and one_to_one edges between equally many
// tasks.
func Compile(p Plan) (*Compiled, error) {
	if len(p.Stages) == 0 {
		return nil, fmt.Errorf("plan: no stages")
	}
	c := &Compiled{stages: make([]compiledStage, len(p.Stages)), startUp: p.StartUp, windDown: p.WindDown}
	var total int64
	for i := range p.Stages {
		s := &p.Stages[i]
		if err := s.validate(); err != nil {
			return nil, fmt.Errorf("plan: stage %d: %w", i, err)
		}
		c.stages[i] = compiledStage{name: s.Name, tasks: s.Tasks, first: int32(total), duration: s.Duration,
			cold: s.First, latency: s.Latency, delay: s.Delay,
			fail: threshold(s.Failure.Probability), share: slices.Clone(s.Failure.Share), gated: !s.Delay.none(),
			lose: threshold(s.Lost.Probability), together: slices.Clone(s.Lost.Together)}
		if s.Lost.Probability > 0 {
			c.losing = append(c.losing, int32(i))
		}
		if total += int64(s.Tasks); total > maxSlots {
			return nil, fmt.Errorf("plan: %w: more than %d tasks", ErrTooManyTasks, maxSlots)
		}
	}
	c.total = int32(total)
	if err := c.connect(p.Edges); err != nil {
		return nil, err
	}
	c.lean = !c.oneToOne
	for i := range c.stages {
		s := &c.stages[i]
		s.gated = s.gated || !p.StartUp.none() && s.barriers+s.pairs == 0
		c.cold = c.cold || !s.cold.none()
		c.lean = c.lean && !s.cold.inOrder && s.latency.none() && s.fail == 0 && s.lose == 0 && !s.gated &&
			!s.duration.inOrder
	}
	return c, nil
}

func (s *Stage) validate() error {
	switch {
	case s.Tasks < 1:
		return fmt.Errorf("%d tasks; want at least 1", s.Tasks)
	case s.Duration.none():
		return fmt.Errorf("no duration")
	case !(s.Failure.Probability >= 0 && s.Failure.Probability < 1):
		return fmt.Errorf("failure probability %v; want [0, 1)", s.Failure.Probability)
	case !(s.Lost.Probability >= 0 && s.Lost.Probability <= 1):
		return fmt.Errorf("probability of losing attempts %v; want [0, 1]", s.Lost.Probability)
	}
	for _, x := range s.Failure.Share {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("failed after a share of %v; want [0, 1]", x)
		}
	}
	for _, n := range s.Lost.Together {
		if n < 1 {
			return fmt.Errorf("%d attempts lost together; want at least 1", n)
		}
	}
	for _, d := range []Dist{s.Duration, s.First, s.Latency} {
		if d.inOrder && len(d.table) != int(s.Tasks) {
			return fmt.Errorf("%d durations in order for %d tasks; want as many", len(d.table), s.Tasks)
		}
	}
	return nil
}

// threshold is the number below which a uniform draw of 64 bits is with probability p.
func threshold(p float64) uint64 {
	if p >= 1 {
		return math.MaxUint64
	}
	return uint64(p * (1 << 63) * 2)
}

// connect lays out the edges and orders the stages.
func (c *Compiled) connect(given []Edge) error {
	edges := make([]trace.Edge, len(given))
	seen := make(map[[2]int32]bool, len(given))
	for i, e := range given {
		n := int32(len(c.stages))
		if e.Parent < 0 || e.Child < 0 || e.Parent >= n || e.Child >= n {
			return fmt.Errorf("plan: edge %d -> %d: want stages below %d", e.Parent, e.Child, n)
		}
		if seen[[2]int32{e.Parent, e.Child}] {
			return fmt.Errorf("plan: edge %d -> %d given twice", e.Parent, e.Child)
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
			return fmt.Errorf("plan: edge %d -> %d: one_to_one between %d and %d tasks; want as many, or all_to_all",
				e.Parent, e.Child, parent.tasks, child.tasks)
		}
		parent.pairsTo = append(parent.pairsTo, e.Child)
		child.pairs++
		c.oneToOne = true
	}
	order, cycle, ok := trace.Topological(len(c.stages), edges)
	if !ok {
		return fmt.Errorf("plan: stage %d is on a cycle", cycle)
	}
	c.order = order
	return nil
}
