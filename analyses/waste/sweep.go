package waste

import (
	"math"
	"slices"

	"racecard/datasets/trace"
)

// class of a second of a slot.
type class uint8

// The classes, in the order of the package comment.
const (
	useful class = iota
	failed
	speculative
	barrierIdle
	tailIdle
	driver
	unused
	numClasses
)

// Sources of the slots that a run held.
const (
	basisAllocations = "allocations"
	basisGuarantee   = "guarantee"
	basisUse         = "use"
)

// use is the slot-seconds of a run by class.
type use struct {
	classes [numClasses]float64
	basis   string
	most    int64 // slots that the trace states, at once; all that ran where it states none
}

// sweeper classifies runs, one after the other, in the same memory.
type sweeper struct {
	classes []class          // of the attempts
	events  []event          // starts and ends of attempts
	held    []trace.HeldStep // changes of the slots that are held, by ascending instants
	visit   func(Stretch)    // nil, or called with every stretch of a run
}

// event is the start or the end of an attempt: its instant, the class of the attempt and whether it starts. It is one
// number because traces have many millions of them, to be sorted by time.
type event int64

// farthest is the last instant of an event, 18,000 years from 0. Later ones, which traces may hold by mistake, count as
// that one.
const farthest = 1<<59 - 1

// near returns an instant that fits into an event.
func near(at trace.Instant) trace.Instant { return min(max(at, -farthest), farthest) }

func starts(at trace.Instant, c class) event { return event(at)<<4 | event(c)<<1 | 1 }

func ends(at trace.Instant, c class) event { return event(at)<<4 | event(c)<<1 }

func (e event) at() trace.Instant { return trace.Instant(e >> 4) }

func (e event) class() class { return class(e >> 1 & 7) }

// change is 1 where the attempt starts, -1 where it ends.
func (e event) change() int64 { return int64(e&1)<<1 - 1 }

// classify returns the slot-seconds that a run held, by class; ok is false where no time of an attempt is known. Time
// O(n log n) for n attempts.
func (s *sweeper) classify(run *trace.Run) (u use, ok bool) {
	s.judge(run)
	s.events, s.held = s.events[:0], s.held[:0]
	begin, end, lastStart := trace.Instant(trace.None), trace.Instant(trace.None), trace.Instant(trace.None)
	for i := range run.Attempts {
		a := &run.Attempts[i]
		switch {
		case a.Start.Known() && a.End.Known():
			ok = true
			from, to := near(a.Start), near(a.End)
			lastStart, end = max(lastStart, from), max(end, to)
			if !begin.Known() || from < begin {
				begin = from
			}
			if from < to {
				s.events = append(s.events, starts(from, s.classes[i]), ends(to, s.classes[i]))
			}
		case a.Duration.Known():
			ok = true
			u.classes[s.classes[i]] += a.Duration.Seconds()
		}
	}
	u.basis = basisUse
	if !ok || !lastStart.Known() {
		return u, ok
	}
	if run.End.Known() {
		end = max(end, near(run.End))
	}
	for i := range run.Attempts { // attempts that had not ended run until the end of the run
		if a := &run.Attempts[i]; a.Start.Known() && !a.End.Known() && !a.Duration.Known() && near(a.Start) < end {
			s.events = append(s.events, starts(near(a.Start), s.classes[i]), ends(end, s.classes[i]))
			begin, lastStart = min(begin, near(a.Start)), max(lastStart, near(a.Start))
		}
	}
	held, tokens := run.Held(), run.TokensPerAttempt()
	held.Most = (held.Most + tokens - 1) / tokens
	if run.Start.Known() {
		begin = min(begin, near(run.Start))
	}
	u.most = math.MaxInt64
	if held.Stated() {
		u.basis, u.most = basisGuarantee, held.Most
		if held.Basis == trace.HeldAllocations {
			u.basis = basisAllocations
		}
		for i, step := range held.Steps {
			at := near(step.At)
			if i == 0 {
				if at = begin; held.Basis == trace.HeldAllocations && len(held.Steps) > 1 {
					at = min(begin, near(held.Steps[1].At)) // before the first change it held none
				}
			}
			if at < end {
				s.held = append(s.held, trace.HeldStep{At: at, Tokens: (step.Tokens + tokens - 1) / tokens})
			}
		}
	}
	s.sweep(&u, held.Most, end, lastStart)
	return u, true
}

// sweep adds the time between events to the classes.
func (s *sweeper) sweep(u *use, most int64, end, lastStart trace.Instant) {
	slices.Sort(s.events)
	peak := s.peak()
	if u.basis != basisUse {
		peak = min(peak, most) // attempts that hand a slot over overlap by milliseconds
	}
	var running [numClasses]int64
	total, held := int64(0), int64(0)
	i, h := 0, 0
	coming := func() trace.Instant { // the instant of the next change, or the end
		next := end
		if i < len(s.events) {
			next = s.events[i].at()
		}
		if h < len(s.held) && (i == len(s.events) || s.held[h].At < next) {
			next = s.held[h].At
		}
		return next
	}
	for i < len(s.events) || h < len(s.held) {
		at := coming()
		for ; h < len(s.held) && s.held[h].At == at; h++ {
			held = s.held[h].Tokens
		}
		for ; i < len(s.events) && s.events[i].at() == at; i++ {
			change := s.events[i].change()
			running[s.events[i].class()] += change
			total += change
		}
		next := coming()
		if next <= at {
			continue
		}
		if s.visit != nil {
			s.visit(Stretch{at, next, max(held, total), total})
		}
		length := next.Since(at).Seconds()
		for c, n := range running[:barrierIdle] {
			u.classes[c] += float64(n) * length
		}
		idle := max(0, held-total)
		over := min(idle, max(0, held-peak))
		u.classes[unused] += float64(over) * length
		switch idle -= over; {
		case total == 0:
			u.classes[driver] += float64(idle) * length
		case at >= lastStart:
			u.classes[tailIdle] += float64(idle) * length
		default:
			u.classes[barrierIdle] += float64(idle) * length
		}
	}
}

// peak returns the most attempts that run at once. Events are in order of time.
func (s *sweeper) peak() int64 {
	most, now := int64(0), int64(0)
	for i := 0; i < len(s.events); {
		at := s.events[i].at()
		for ; i < len(s.events) && s.events[i].at() == at; i++ {
			now += s.events[i].change()
		}
		most = max(most, now)
	}
	return most
}

// judge sets the class of every attempt of a run.
func (s *sweeper) judge(run *trace.Run) {
	s.classes = slices.Grow(s.classes[:0], len(run.Attempts))[:len(run.Attempts)]
	lost := false
	switch run.Status {
	case trace.Failed, trace.Killed, trace.Evicted, trace.Lost:
		lost = true
	}
	for from := 0; from < len(run.Attempts); {
		to := from + 1
		for to < len(run.Attempts) && run.Attempts[to].Stage == run.Attempts[from].Stage &&
			run.Attempts[to].Task == run.Attempts[from].Task {
			to++
		}
		judgeTask(run.Attempts[from:to], s.classes[from:to], lost)
		from = to
	}
}

// judgeTask judges the attempts of one task. The result of the last that succeeded counts, unless the run was lost.
func judgeTask(attempts []trace.Attempt, classes []class, lost bool) {
	winner, copies := -1, false
	for i := range attempts {
		a := &attempts[i]
		copies = copies || a.Speculative == trace.Yes
		if a.Status == trace.Succeeded && (winner < 0 || a.End > attempts[winner].End) {
			winner = i
		}
	}
	overtaken := winner >= 0 && attempts[winner].Speculative == trace.Yes
	for i := range attempts {
		a := &attempts[i]
		switch open := a.Status == trace.Running || a.Status == trace.StatusUnknown; {
		case a.Speculative == trace.Yes && i != winner:
			classes[i] = speculative
		case overtaken && copies && i != winner && a.Status == trace.Killed:
			classes[i] = speculative
		case lost:
			classes[i] = failed
		case i == winner, open && winner < 0:
			classes[i] = useful
		default:
			classes[i] = failed
		}
	}
}
