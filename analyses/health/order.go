package health

import "racecard/datasets/trace"

// stageSpan is the start and end of a stage, from its row or its attempts, and the number of its observed tasks.
type stageSpan struct {
	start, end trace.Instant
	tasks      int64
	attempts   int64
}

// addOrder checks that effects do not come before their causes.
func (p *Partial) addOrder(run *trace.Run) {
	if run.Start.Known() && run.Submit.Known() {
		p.judge(runBeforeSubmit, run, nowhere, run.Submit, run.Start)
	}
	p.measure(run)
	for _, e := range run.Edges {
		at, ended, started := place{e.Child, -1, -1}, p.spans[e.Parent].end, p.spans[e.Child].start
		switch e.Kind {
		case trace.AllToAll:
			p.judge(stageBeforeParent, run, at, ended, started)
		case trace.EdgeUnknown:
			p.judge(stageOverlapsParent, run, at, ended, started)
		}
	}
	for i := range run.Stages {
		p.stageInRun(run, i)
	}
	for i := range run.Attempts {
		p.attemptInOrder(run, &run.Attempts[i])
	}
	p.overlaps(run)
}

// judge counts a pair of known instants, and a finding if they are in the wrong order.
func (p *Partial) judge(c check, run *trace.Run, at place, earlier, later trace.Instant) {
	if !inRange(earlier) || !inRange(later) {
		return
	}
	p.see(c)
	if later < earlier {
		p.late(c, run, at, earlier.Since(later))
	}
}

// measure fills p.spans.
func (p *Partial) measure(run *trace.Run) {
	p.spans = p.spans[:0]
	for range run.Stages {
		p.spans = append(p.spans, stageSpan{start: trace.None, end: trace.None})
	}
	last := nowhere
	for i := range run.Attempts {
		a := &run.Attempts[i]
		s := &p.spans[a.Stage]
		s.attempts++
		if a.Stage != last.stage || a.Task != last.task {
			s.tasks++
			last = placeOf(a)
		}
		s.start = s.start.Earlier(a.Start)
		if a.Status == trace.Succeeded {
			s.end = max(s.end, a.End)
		}
	}
	for i := range run.Stages {
		s := &run.Stages[i]
		if s.Start.Known() {
			p.spans[i].start = s.Start
		}
		if s.End.Known() {
			p.spans[i].end = s.End
		}
	}
}

// stageInRun checks that a stage lies within its run.
func (p *Partial) stageInRun(run *trace.Run, i int) {
	s, begin := &run.Stages[i], run.Submit
	if !begin.Known() {
		begin = run.Start
	}
	before, after := early(s.Start, begin), early(run.End, s.End)
	if before == trace.None && after == trace.None {
		return
	}
	p.see(stageOutsideRun)
	if by := max(before, after); by > 0 {
		p.late(stageOutsideRun, run, place{int32(i), -1, -1}, by)
	}
}

// early returns the time from t to limit, negative if t is later, None if either is not known.
func early(t, limit trace.Instant) trace.Duration {
	if !inRange(t) || !inRange(limit) {
		return trace.None
	}
	return limit.Since(t)
}

func (p *Partial) attemptInOrder(run *trace.Run, a *trace.Attempt) {
	at := placeOf(a)
	p.judge(attemptBeforeSubmit, run, at, run.Submit, a.Start)
	p.judge(attemptBeforeStage, run, at, run.Stages[a.Stage].Start, a.Start)
	p.judge(attemptAfterRun, run, at, a.End, run.End)
	p.judge(queuedAfterStart, run, at, a.Queued, a.Start)
	if inRange(a.Start) && inRange(a.End) && a.Duration.Known() {
		p.see(durationDiffers)
		if d := a.End.Since(a.Start) - a.Duration; d != 0 {
			p.late(durationDiffers, run, at, max(d, -d))
		}
	}
	if a.Machine == "" || p.opts.Machines == nil {
		return
	}
	p.see(unknownMachine)
	lives, ok := p.opts.Machines.lives[a.Machine]
	if !ok {
		p.foundMachine(unknownMachine, run, a, example{})
		return
	}
	if by := outside(lives, a); by != trace.None {
		p.see(outsideMachine)
		if by > 0 {
			p.foundMachine(outsideMachine, run, a, example{value: by.Seconds(), rank: by.Seconds()})
		}
	}
}

// overlaps checks that the attempts of a task do not overlap, except speculative ones.
func (p *Partial) overlaps(run *trace.Run) {
	last, busy := nowhere, trace.Instant(trace.None) // the task, and the end of its attempts so far
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if a.Speculative != trace.TriNull {
			p.marked++
		}
		if a.Stage != last.stage || a.Task != last.task {
			last, busy = placeOf(a), trace.None
		} else if inRange(a.Start) && inRange(busy) && a.Speculative != trace.Yes {
			p.see(attemptsOverlap)
			if a.Start < busy {
				p.late(attemptsOverlap, run, placeOf(a), busy.Since(a.Start))
			}
		}
		if a.Speculative != trace.Yes {
			busy = max(busy, a.End)
		}
	}
}
