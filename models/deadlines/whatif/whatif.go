// Package whatif answers, for one finished run, how long it would have taken with other numbers of tokens, at
// which cost, and where it waits: the questions of users of Sparklens (https://github.com/qubole/sparklens).
//
// The run is simulated with its own durations and driver times, so nothing is drawn and answers carry no
// interval: they describe this run, not the next one. Only tasks that become the first of their stage on a machine, or
// no longer are, take other times than recorded, and only on other tokens than the run held: see [jobmodel.Recorded].
//
// At an allocation of a tokens the time T is split into four parts, which add up to it exactly:
//
//	work      token-seconds of all attempts / a: what a perfectly divisible job takes
//	barriers  T of even tasks without driver time - work: stages wait for others
//	skew      T without driver time - T of even tasks: some tasks of a stage take longer than others
//	driver    T - T without driver time: start-up, delays between stages, wind-down
//
// Even tasks all take the mean of their stage; that they come in whole waves counts as barriers. Skew is below 0 where
// they take a wave more than the tasks as they were, and skew and driver may be where list scheduling has an anomaly
// (R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", 1969).
package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
	"racecard/models/limit"
)

// Point is the run at one allocation. Times are in seconds.
type Point struct {
	Tokens      int32
	TimeS       float64 // from submission to end
	CostS       float64 // token-seconds held: tokens x time
	BusyS       float64 // token-seconds that attempts took
	Utilisation float64 // busy / cost
	WorkS       float64 // the parts of TimeS: see the package
	BarriersS   float64
	SkewS       float64
	DriverS     float64
}

// Answer is the simulated outcome of a run.
type Answer struct {
	ObservedS    float64 // seconds from submission to end; NaN where the trace does not say
	PeakObserved int32   // most tokens that it held, by [trace.Run.Held]; 0 where the trace does not tell
	// the same run, simulated at the tokens it held: how far to trust the rest; NaN where they are not known
	ReplayS     float64
	Points      []Point // by ascending tokens; Recommended is one of them
	Unlimited   Point   // with as many tokens as tasks: the critical path
	Within      float64 // of Options
	Recommended Point   // the cheapest that is within that share of the shortest time
	WidestStage int32   // tasks of the stage with most
	Warnings    []string
}

// Options of a what-if.
type Options struct {
	Allocations []int32 // ascending; nil for a geometric grid up to the widest stage, with the observed one
	Within      float64 // of the shortest time that is good enough: 0.1 is 10%
}

// DefaultOptions returns the options that commands use when nothing else is asked for.
func DefaultOptions() Options { return Options{Within: 0.1} }

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	if o.Within < 0 || math.IsNaN(o.Within) || math.IsInf(o.Within, 0) {
		return fmt.Errorf("within %v: want a share of at least 0", o.Within)
	}
	for i, a := range o.Allocations {
		if a < 1 || a > sim.MaxTokens || i > 0 && a <= o.Allocations[i-1] {
			return fmt.Errorf("allocations %v: want ascending numbers from 1 to %d", o.Allocations, sim.MaxTokens)
		}
	}
	return nil
}

// Check reports why a run cannot be simulated: it has no stages, or too many, or no durations.
func Check(run *trace.Run) error {
	if err := limit.Stages(fmt.Sprintf("run %q", run.ID), len(run.Stages), limit.WhatIf,
		"choose a smaller run"); err != nil {
		return err
	}
	if err := jobmodel.Elastic(run); err != nil {
		return err
	}
	_, err := jobmodel.Record(run)
	return err
}

// Ask simulates a run at other allocations. It fails on runs that cannot be simulated: those without stages or
// durations.
func Ask(run *trace.Run, o Options) (*Answer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := limit.Stages(fmt.Sprintf("run %q", run.ID), len(run.Stages), limit.WhatIf,
		"choose a smaller run"); err != nil {
		return nil, err
	}
	if err := jobmodel.Elastic(run); err != nil {
		return nil, err
	}
	r, err := jobmodel.Record(run)
	if err != nil {
		return nil, err
	}
	a := &Answer{ObservedS: r.End, ReplayS: math.NaN(), Within: o.Within, Warnings: r.Warnings}
	inOrder := false
	if len(r.Tokens) > 0 {
		replay, err := r.Replay()
		if err != nil {
			return nil, fmt.Errorf("run %q: %w", run.ID, err)
		}
		a.ReplayS, inOrder = replay.End, replay.StageOrder
	}
	for _, s := range r.Plan.Stages {
		a.WidestStage = max(a.WidestStage, s.Tasks)
	}
	for _, s := range r.Tokens {
		a.PeakObserved = max(a.PeakObserved, s.Tokens)
	}
	m := &model{machine: r.Machine, inOrder: inOrder, known: map[int32]Point{}}
	if m.elsewhere, err = newCourse(r.Elsewhere); err == nil && len(r.Tokens) == 1 {
		m.held = r.Tokens[0].Tokens
		m.asHeld, err = newCourse(r.Plan)
	}
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run.ID, err)
	}
	grid := o.Allocations
	if grid == nil {
		grid = Grid(a.WidestStage, a.PeakObserved)
	}
	for _, tokens := range grid {
		p, err := m.at(tokens)
		if err != nil {
			return nil, fmt.Errorf("run %q at %d tokens: %w", run.ID, tokens, err)
		}
		a.Points = append(a.Points, p)
	}
	unlimited := r.Plan.Unlimited()
	if a.Unlimited, err = m.at(unlimited); err != nil {
		return nil, fmt.Errorf("run %q at %d tokens: %w", run.ID, unlimited, err)
	}
	fewest, err := m.fewest(a.Points, o.Within)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run.ID, err)
	}
	a.Recommended = cheapest(fewest, a.Points)
	if i, found := slices.BinarySearchFunc(a.Points, a.Recommended.Tokens, func(p Point, tokens int32) int {
		return cmp.Compare(p.Tokens, tokens)
	}); !found {
		a.Points = slices.Insert(a.Points, i, a.Recommended)
	}
	return a, nil
}

// Grid returns allocations from 1 up to the widest stage, at least, each about a third more than the last, with the
// observed one unless that is 0.
func Grid(widest, observed int32) []int32 {
	var grid []int32
	for x := 1.; ; x *= 4. / 3 {
		n := int32(min(math.Round(x), sim.MaxTokens))
		if n >= widest {
			grid = append(grid, max(1, widest))
			break
		}
		grid = append(grid, n)
	}
	if observed > 0 {
		grid = append(grid, observed)
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// model simulates one run at any number of tokens.
type model struct {
	elsewhere, asHeld *course
	held              int32 // tokens that the run held all the time, on which it is simulated as it was; else 0
	machine           int32
	inOrder           bool
	known             map[int32]Point
}

// course is a plan of the run, with driver time, and without.
type course struct{ whole, quick *simulation }

func newCourse(p sim.Plan) (*course, error) {
	whole, err := newSimulation(p)
	if err != nil {
		return nil, err
	}
	quick, err := newSimulation(withoutDriver(p))
	return &course{whole, quick}, err
}

// on returns the plan on so many tokens.
func (m *model) on(tokens int32) *course {
	if tokens == m.held {
		return m.asHeld
	}
	return m.elsewhere
}

// at returns the run at an allocation.
func (m *model) at(tokens int32) (Point, error) {
	if p, ok := m.known[tokens]; ok {
		return p, nil
	}
	of := m.on(tokens)
	busy := make([]int64, len(of.whole.plan.Stages))
	end, err := of.whole.run(tokens, m.machine, m.inOrder, busy)
	if err != nil {
		return Point{}, err
	}
	quick, err := of.quick.run(tokens, m.machine, m.inOrder, nil)
	if err != nil {
		return Point{}, err
	}
	level, err := evened(of.whole.plan, busy)
	if err != nil {
		return Point{}, err
	}
	even, err := newSimulation(level)
	if err != nil {
		return Point{}, err
	}
	flat, err := even.run(tokens, m.machine, m.inOrder, nil)
	if err != nil {
		return Point{}, err
	}
	work := lists.Sum(busy)
	p := Point{Tokens: tokens, TimeS: seconds(end), CostS: float64(tokens) * seconds(end), BusyS: seconds(work)}
	p.WorkS = p.BusyS / float64(tokens)
	p.BarriersS, p.SkewS, p.DriverS = seconds(flat)-p.WorkS, seconds(quick-flat), seconds(end-quick)
	if p.CostS > 0 {
		p.Utilisation = p.BusyS / p.CostS
	}
	m.known[tokens] = p
	return p, nil
}

// fewest returns the point with the fewest tokens, on the grid or between its points, that takes at most (1 + within)
// of the shortest time on the grid. Below the first point of the grid that does, it tries one number after the other,
// or mostTried of them, evenly spread: a run may take longer on more tokens, so that halving would miss some.
func (m *model) fewest(points []Point, within float64) (Point, error) {
	if len(points) == 0 {
		return Point{}, errors.New("no allocations")
	}
	best := points[0].TimeS
	for _, p := range points {
		best = min(best, p.TimeS)
	}
	good := func(p Point) bool { return p.TimeS <= best*(1+within) }
	for i, p := range points {
		if !good(p) {
			continue
		}
		if i > 0 {
			low, gap := points[i-1].Tokens, p.Tokens-points[i-1].Tokens
			for k := range min(gap, mostTried+1) - 1 {
				tokens := low + int32(int64(k+1)*int64(gap)/int64(min(gap, mostTried+1)))
				end, err := m.on(tokens).whole.run(tokens, m.machine, m.inOrder, nil)
				if err != nil {
					return Point{}, err
				}
				if seconds(end) <= best*(1+within) {
					return m.at(tokens)
				}
			}
		}
		return p, nil
	}
	return points[len(points)-1], nil // not reached: the best is good
}

// mostTried bounds the numbers of tokens that are tried between two points of a grid.
const mostTried = 64

// cheapest returns the point with the least cost of fewest and of the points that take no longer, so that no allocation
// in the table is both faster and cheaper; of equal ones the one with the fewest tokens.
func cheapest(fewest Point, points []Point) Point {
	best := fewest
	for _, p := range points {
		if p.TimeS <= fewest.TimeS && p.CostS < best.CostS {
			best = p
		}
	}
	return best
}

// simulation is a plan, compiled.
type simulation struct {
	plan   sim.Plan
	runner *sim.Runner
}

func newSimulation(p sim.Plan) (*simulation, error) {
	c, err := sim.Compile(p)
	if err != nil {
		return nil, err
	}
	return &simulation{plan: p, runner: sim.NewRunner(c)}, nil
}

// run returns when the plan ends, in microseconds, and adds what the attempts of each stage took to busy, unless it is
// nil.
func (s *simulation) run(tokens, machine int32, inOrder bool, busy []int64) (int64, error) {
	o := sim.Options{Allocation: []sim.Step{{Tokens: tokens}}, Machine: machine, StageOrder: inOrder}
	if busy != nil {
		began := lists.Indexed(len(s.plan.Stages), func(v int) []int64 { return make([]int64, s.plan.Stages[v].Tasks) })
		o.Observe = func(e sim.Event, _ sim.Progress) {
			if e.Kind == sim.Started {
				began[e.Stage][e.Task] = e.Now
			} else {
				busy[e.Stage] += e.Now - began[e.Stage][e.Task]
			}
		}
	}
	res, err := s.runner.Run(&o, seed.Stream(0, "whatif", 0)) // nothing is drawn
	return res.End, err
}

// withoutDriver returns the plan as it would be with a driver that takes no time.
func withoutDriver(p sim.Plan) sim.Plan {
	p.StartUp, p.WindDown = sim.Dist{}, sim.Dist{}
	p.Stages = slices.Clone(p.Stages)
	for v := range p.Stages {
		p.Stages[v].Delay = sim.Dist{}
	}
	return p
}

// evened returns the plan without driver time and with tasks that take the mean of their stage; together they
// took busy microseconds.
func evened(p sim.Plan, busy []int64) (sim.Plan, error) {
	p = withoutDriver(p)
	for v := range p.Stages {
		s := &p.Stages[v]
		even := make([]int64, s.Tasks)
		for i := range even { // to the microsecond the same sum
			even[i] = busy[v] / int64(s.Tasks)
			if int64(i) < busy[v]%int64(s.Tasks) {
				even[i]++
			}
		}
		mean, err := sim.InOrder(even)
		if err != nil {
			return p, err
		}
		*s = sim.Stage{Tasks: s.Tasks, Duration: mean}
	}
	return p, nil
}

func seconds(us int64) float64 { return float64(us) / 1e6 }
