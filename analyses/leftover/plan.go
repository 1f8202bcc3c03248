package leftover

import (
	"math"
	"slices"

	"racecard/analyses/dag"
	"racecard/datasets/trace"
)

// Reasons why runs are left out.
const (
	leftAttempts = "no attempt with a known start and end"
	leftCensored = "had not ended"
	leftDemands  = "no demand of an attempt is known"
)

// plan is one run as the packing sees it. Its memory is reused from run to run.
type plan struct {
	run       *trace.Run
	attempts  []attempt // those with known times, in the order of the run
	demand    []vector  // of the attempts, in quanta << shift
	byStart   []int32   // attempts in the order of their start
	byEnd     []int32   // attempts in the order of their end, start, stage, task and number: the last is placed first
	moments   []moment  // room to sort them in
	end       int64     // T
	arrival   int64
	resources []trace.Resource // known in the run; vectors have their order
	shift     vector           // binary exponents that demands of the run were divided by
	most      vector           // A
	graph     dag.Graph        // with driver edges
	bound     []int64          // per stage: earliest start, so far, of its dependents; MaxInt64 if it has none
	empty     []bool           // per stage: no attempt has a known start
	stack     []int32
	observed  []step
	packed    profile
	untimed   int64 // attempts without a known start or end
	known     [trace.NumResources]demands
}

// attempt is one attempt of a plan.
type attempt struct {
	start, end int64 // observed
	placed     int64 // start in the packed schedule
	stage      int32
	fixed      bool // stays where it was
}

func (a *attempt) length() int64 { return a.end - a.start }

// demands counts the attempts with a known demand for a resource, by its source.
type demands struct {
	attempts  int64 // known
	fromStage int64 // of these, the demands taken from the stage
	unknown   int64
}

// prepare reads a run into the plan. The reason is not empty when the run must be left out.
func (p *plan) prepare(run *trace.Run) (reason string) {
	p.run = run
	p.attempts, p.untimed = p.attempts[:0], 0
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if !a.Start.Known() || !a.End.Known() {
			p.untimed++
			continue
		}
		fixed := !a.Status.Well()
		p.attempts = append(p.attempts, attempt{int64(a.Start), int64(a.End), int64(a.Start), a.Stage, fixed})
	}
	if len(p.attempts) == 0 {
		return leftAttempts
	}
	if !p.span() {
		return leftCensored
	}
	if !p.demands() {
		return leftDemands
	}
	return ""
}

// span finds the arrival and the end of the run, and reports whether it had ended.
func (p *plan) span() bool {
	first, last := p.attempts[0].start, p.attempts[0].end
	for i := range p.attempts {
		first, last = min(first, p.attempts[i].start), max(last, p.attempts[i].end)
	}
	p.end = int64(p.run.End)
	if !p.run.End.Known() {
		open := func(a trace.Attempt) bool { return a.Start.Known() && !a.End.Known() }
		if p.run.Status == trace.Running || slices.ContainsFunc(p.run.Attempts, open) {
			return false
		}
		p.end = last
	}
	p.arrival = first
	if at := p.run.Submitted(); at.Known() {
		p.arrival = int64(at)
	}
	return true
}

// demands finds the demands of attempts, and reports whether any is known.
func (p *plan) demands() bool {
	var total [trace.NumResources]float64
	p.known = [trace.NumResources]demands{}
	p.timed(func(_ int, a *trace.Attempt) {
		for r := range trace.NumResources {
			held, fromStage := p.held(a, r)
			k := &p.known[r]
			switch {
			case math.IsNaN(held):
				k.unknown++
				continue
			case fromStage:
				k.fromStage++
			}
			k.attempts++
			total[r] += held
		}
	})
	p.resources, p.shift = p.resources[:0], vector{}
	for r := range trace.NumResources {
		if p.known[r].attempts > 0 {
			_, exponent := math.Frexp(total[r]) // total < 2^exponent, so the held amount is below 2^61
			p.shift[len(p.resources)] = int64(max(0, exponent+quantum-61))
			p.resources = append(p.resources, r)
		}
	}
	p.demand = slices.Grow(p.demand[:0], len(p.attempts))[:len(p.attempts)]
	p.timed(func(i int, a *trace.Attempt) {
		d := &p.demand[i]
		*d = vector{}
		for k, r := range p.resources {
			if held, _ := p.held(a, r); !math.IsNaN(held) {
				d[k] = int64(math.RoundToEven(math.Ldexp(held, quantum-int(p.shift[k]))))
			}
		}
	})
	return len(p.resources) > 0
}

// timed calls visit with the attempts of the plan and their numbers in it.
func (p *plan) timed(visit func(i int, a *trace.Attempt)) {
	n := 0
	for i := range p.run.Attempts {
		if a := &p.run.Attempts[i]; a.Start.Known() && a.End.Known() {
			visit(n, a)
			n++
		}
	}
}

// held returns the demand of an attempt for a resource, and whether it comes from the stage; NaN if it is not known.
func (p *plan) held(a *trace.Attempt, r trace.Resource) (held float64, fromStage bool) {
	held = a.Demand[r]
	if fromStage = math.IsNaN(held); fromStage {
		held = p.run.Stages[a.Stage].Demand[r]
	}
	if held > maxDemand {
		held = math.NaN()
	}
	return held, fromStage
}
