package health

import (
	"time"

	"racecard/datasets/trace"
)

// Bounds of plausible times, in microseconds.
const (
	tooFar        = trace.Instant(1 << 60)                            // differences of times below it fit into 64 bits
	years         = trace.Duration(365.25 * 24 * 3600 * 1_000_000)    // one of them
	unixFrom      = trace.Instant(631_152_000_000_000)                // 1990-01-01
	unixTo        = trace.Instant(4_102_444_800_000_000)              // 2100-01-01
	relativeLimit = trace.Instant(20 * years)                         // no trace is that long
	second        = int64(time.Second / time.Microsecond)             // in microseconds
	milli         = int64(time.Millisecond / time.Microsecond)        // in microseconds
	day           = trace.Duration(24 * time.Hour / time.Microsecond) // in microseconds
)

// addTimes counts every instant of a run, when it was in progress, and when its attempts ran.
func (p *Partial) addTimes(run *trace.Run) {
	begin, end := trace.Instant(trace.None), trace.Instant(trace.None) // first and last known instant of the run
	see := func(t trace.Instant, at place) bool {
		if !t.Known() || !p.instant(run, t, at) {
			return false
		}
		if begin == trace.None {
			begin, end = t, t
		}
		begin, end = min(begin, t), max(end, t)
		return true
	}
	for _, t := range [...]trace.Instant{run.Submit, run.Start, run.End} {
		see(t, nowhere)
	}
	for i := range run.Stages {
		s := &run.Stages[i]
		for _, t := range [...]trace.Instant{s.Submit, s.Start, s.End} {
			see(t, place{int32(i), -1, -1})
		}
		if s.Start.Known() && s.End.Known() {
			p.zero(zeroStages, run, place{int32(i), -1, -1}, s.End.Since(s.Start))
		}
	}
	for i := range run.Attempts {
		p.addAttempt(run, &run.Attempts[i], see)
	}
	for i := range run.Allocations {
		see(run.Allocations[i].At, nowhere)
	}
	for i := range run.IO {
		see(run.IO[i].At, nowhere)
	}
	p.addExtent(run, begin, end)
}

// addAttempt counts when an attempt ran and how long.
func (p *Partial) addAttempt(run *trace.Run, a *trace.Attempt, see func(trace.Instant, place) bool) {
	at := placeOf(a)
	see(a.Queued, at)
	started, ended := see(a.Start, at), see(a.End, at)
	if started && ended && a.Start <= a.End {
		b := p.activity.place(int64(a.Start))
		p.activity.begin(&p.activity.bins[b].attempts, int64(a.Start))
		b = p.activity.place(int64(a.End))
		p.activity.end(&p.activity.bins[b].attempts, int64(a.End))
	}
	if !a.Duration.Known() {
		return
	}
	if !started || !ended {
		p.durations.see(int64(a.Duration))
	}
	p.zero(zeroAttempts, run, at, a.Duration)
	p.see(longAttempts)
	if a.Duration > years {
		p.late(longAttempts, run, at, a.Duration)
	}
}

func (p *Partial) zero(c check, run *trace.Run, at place, d trace.Duration) {
	p.see(c)
	if d == 0 {
		p.hit(c, run, at)
	}
}

// instant counts a known instant and reports whether it is within range.
func (p *Partial) instant(run *trace.Run, t trace.Instant, at place) bool {
	p.see(outOfRange)
	if t <= -tooFar || t >= tooFar {
		p.hit(outOfRange, run, at)
		return false
	}
	switch p.opts.TimeBase {
	case "unix":
		p.see(implausibleYear)
		if t < unixFrom || t >= unixTo {
			p.found(implausibleYear, example{run: run.ID, at: at, value: seconds(t)})
		}
	case "relative":
		p.see(beforeZero)
		p.see(beyondRelative)
		if t < 0 {
			p.found(beforeZero, example{run: run.ID, at: at, value: seconds(t), rank: -seconds(t)})
		}
		if t > relativeLimit {
			p.found(beyondRelative, example{run: run.ID, at: at, value: seconds(t), rank: seconds(t)})
		}
	}
	p.clock.see(int64(t))
	p.activity.at(int64(t))
	return true
}

// addExtent counts the arrival of a run and when it was in progress: from its first known instant to its last.
func (p *Partial) addExtent(run *trace.Run, begin, end trace.Instant) {
	if begin.Known() {
		arrival := begin
		if inRange(run.Submit) {
			arrival = run.Submit
		}
		b := p.activity.place(int64(arrival))
		p.activity.bins[b].arrivals++
		b = p.activity.place(int64(begin))
		p.activity.begin(&p.activity.bins[b].runs, int64(begin))
		b = p.activity.place(int64(end))
		p.activity.end(&p.activity.bins[b].runs, int64(end))
		p.extents++
		if begin < end {
			p.timed++
		}
		p.first.see(run.ID, begin)
		p.last.see(run.ID, end)
	}
	start := run.Submit
	if !start.Known() {
		start = run.Start
	}
	p.see(withoutBegin)
	if start.Known() {
		p.begins.see(run.ID, start)
	} else {
		p.hit(withoutBegin, run, nowhere)
	}
	p.see(withoutEnd)
	if run.End.Known() {
		p.ends.see(run.ID, run.End)
	} else {
		p.hit(withoutEnd, run, nowhere)
	}
	if inRange(start) && inRange(run.End) {
		d := run.End.Since(start)
		p.zero(zeroRuns, run, nowhere, d)
		p.see(longRuns)
		if d > years {
			p.late(longRuns, run, nowhere, d)
		}
	}
}

func inRange(t trace.Instant) bool { return t > -tooFar && t < tooFar }

func seconds(t trace.Instant) float64 { return float64(t) / float64(second) }
