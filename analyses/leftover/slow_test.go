package leftover

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// This file says the definitions again, slowly: time is an array, and every question is asked of every attempt.

// slowAttempt is an attempt with known times.
type slowAttempt struct {
	*trace.Attempt
	demand     trace.Demand // NaN where unknown
	placed     int
	start, end int
}

// slowPlan is a run packed slowly. Its times are small whole numbers.
type slowPlan struct {
	run      *trace.Run
	attempts []*slowAttempt
	most     trace.Demand
	end      int
}

func slowly(run *trace.Run) *slowPlan {
	p := &slowPlan{run: run}
	last := 0
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if !a.Start.Known() || !a.End.Known() {
			continue
		}
		s := &slowAttempt{Attempt: a, demand: a.Demand, placed: int(a.Start), start: int(a.Start), end: int(a.End)}
		for r := range s.demand {
			if math.IsNaN(s.demand[r]) {
				s.demand[r] = run.Stages[a.Stage].Demand[r]
			}
		}
		p.attempts = append(p.attempts, s)
		last = max(last, s.end)
	}
	p.end = last
	if run.End.Known() {
		p.end = int(run.End)
	}
	for r := range p.most {
		for t := range last {
			p.most[r] = max(p.most[r], p.held(r, t, p.attempts, false))
		}
	}
	p.pack()
	return p
}

// held returns what attempts hold at t, where they were observed or where they were packed.
func (p *slowPlan) held(r, t int, attempts []*slowAttempt, packed bool) float64 {
	sum := 0.0
	for _, a := range attempts {
		start := a.start
		if packed {
			start = a.placed
		}
		if start <= t && t < start+a.end-a.start && !math.IsNaN(a.demand[r]) {
			sum += a.demand[r]
		}
	}
	return sum
}

func (p *slowPlan) pack() {
	order := slices.Clone(p.attempts)
	slices.SortFunc(order, func(a, b *slowAttempt) int {
		return cmp.Or(cmp.Compare(b.end, a.end), cmp.Compare(b.start, a.start), cmp.Compare(b.Stage, a.Stage),
			cmp.Compare(b.Task, a.Task), cmp.Compare(b.Attempt.Attempt, a.Attempt.Attempt))
	})
	for n, a := range order {
		if a.Status != trace.Succeeded && a.Status != trace.StatusUnknown {
			continue
		}
		placed := order[:n]
		by := max(a.end, min(p.end, p.needed(a.Stage, placed)))
		for a.placed = by - (a.end - a.start); !p.fits(a, placed); a.placed-- {
		}
	}
}

// fits reports whether an attempt and those placed before it stay within what the run held at once.
func (p *slowPlan) fits(a *slowAttempt, placed []*slowAttempt) bool {
	for t := a.placed; t < a.placed+a.end-a.start; t++ {
		for r, d := range a.demand {
			if !math.IsNaN(d) && p.held(r, t, placed, true)+d > p.most[r] {
				return false
			}
		}
	}
	return true
}

// needed returns when the children of a stage need it, judging by the attempts that were placed.
func (p *slowPlan) needed(stage int32, placed []*slowAttempt) int {
	by := math.MaxInt
	for _, e := range p.run.Edges {
		if e.Parent != stage {
			continue
		}
		any := false
		for i := range p.run.Attempts {
			if a := &p.run.Attempts[i]; a.Stage == e.Child && a.Start.Known() {
				any = true
				if !a.End.Known() {
					by = min(by, int(a.Start))
				}
			}
		}
		for _, a := range placed {
			if a.Stage == e.Child {
				by = min(by, a.placed)
			}
		}
		if !any {
			if s := p.run.Stages[e.Child].Start; s.Known() {
				by = min(by, int(s))
			}
			by = min(by, p.needed(e.Child, placed))
		}
	}
	return by
}

// breaks returns what the packed schedule breaks, "" for nothing.
func (p *slowPlan) breaks() string {
	last := p.end
	for _, a := range p.attempts {
		last = max(last, a.end)
	}
	for _, a := range p.attempts {
		if a.placed < a.start {
			return fmt.Sprintf("%d.%d.%d starts earlier", a.Stage, a.Task, a.Attempt.Attempt)
		}
		if a.placed+a.end-a.start > last {
			return fmt.Sprintf("%d.%d.%d ends after the run", a.Stage, a.Task, a.Attempt.Attempt)
		}
		for _, b := range p.attempts {
			child := slices.ContainsFunc(p.run.Edges, func(e trace.Edge) bool {
				return e.Parent == a.Stage && e.Child == b.Stage
			})
			if child && b.start >= a.end && b.placed < a.placed+a.end-a.start {
				return fmt.Sprintf("%d.%d starts before its parent %d.%d ends", b.Stage, b.Task, a.Stage, a.Task)
			}
		}
	}
	for r := range p.most {
		for t := range last {
			if p.held(r, t, p.attempts, true) > p.most[r] {
				return fmt.Sprintf("more %s at %d than observed at once", trace.Resource(r), t)
			}
		}
	}
	return ""
}

// drawRun draws a run with small whole times and demands, some of them unknown, that need not make sense as a schedule.
func drawRun(t *rapid.T, id string) *trace.Run {
	r := trace.NewRun(id)
	number := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	instant := func(what string) trace.Instant {
		if number(3, what+" known") == 0 {
			return trace.None
		}
		return trace.Instant(number(40, what))
	}
	n := int32(1 + number(4, "stages"))
	for range n {
		s := trace.NewStage()
		s.Start = instant("stage start")
		s.Demand = drawDemand(t)
		r.Stages = append(r.Stages, s)
	}
	for child := range n {
		for parent := range child {
			if number(2, "edge") == 0 {
				r.Edges = append(r.Edges, trace.Edge{Parent: parent, Child: child,
					Kind: trace.EdgeKind(number(3, "kind"))})
			}
		}
	}
	for s := range n {
		for task := range int32(number(4, "tasks")) {
			a := trace.NewAttempt(s, task, 0)
			a.Start = trace.Instant(number(30, "start"))
			if number(7, "end known") > 0 {
				a.Duration = trace.Duration(number(9, "duration"))
				a.End = a.Start + trace.Instant(a.Duration)
			}
			a.Status = rapid.SampledFrom([]trace.Status{trace.Succeeded, trace.Succeeded, trace.StatusUnknown,
				trace.Failed, trace.Killed}).Draw(t, "status")
			if number(3, "demand known") > 0 {
				a.Demand = drawDemand(t)
			}
			r.Attempts = append(r.Attempts, a)
		}
	}
	r.Submit, r.Start = instant("submit"), instant("run start")
	if end := instant("run end"); end.Known() {
		r.End = max(end, r.Submit, r.Start)
	}
	r.Status = rapid.SampledFrom([]trace.Status{trace.Succeeded, trace.Succeeded, trace.Failed}).Draw(t, "run status")
	return r
}

func drawDemand(t *rapid.T) trace.Demand {
	d := trace.NoDemand()
	for _, r := range []trace.Resource{trace.CPU, trace.Mem} {
		if rapid.IntRange(0, 4).Draw(t, "known") > 0 {
			d[r] = float64(rapid.IntRange(0, 3).Draw(t, "demand"))
		}
	}
	return d
}
