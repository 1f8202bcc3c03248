package profile

import (
	"cmp"
	"slices"

	"racecard/datasets/trace"
	"racecard/models/workload"
)

// DriverTimes is time of a run in which tasks that could run did not, though no token was missing. Unknown times are
// [trace.None].
type DriverTimes struct {
	StartUp trace.Duration // from submission to the first stage's
	// per stage, from the end of its last parent, else from the first stage's submission, to its own
	Delay []trace.Duration
	// per stage, Delay on the tokens that the run held: where one was free for a while before the stage began, and
	// another stage took it, it was not handed out before. On others, that stage may have ended sooner.
	Held     []trace.Duration
	Latency  []trace.Duration // per attempt, from when it was queued and a token was free to its start
	WindDown trace.Duration   // from the end of the last stage to that of the run
}

// Times returns the driver times of a run.
func Times(run *trace.Run) DriverTimes {
	run = timed(run)
	var o observed
	o.times(run)
	t := DriverTimes{StartUp: trace.Duration(o.startUp), WindDown: trace.Duration(o.windDown)}
	later, held := delays(run)
	for v := range later {
		t.Delay, t.Held = append(t.Delay, trace.Duration(later[v])), append(t.Held, trace.Duration(held[v]))
	}
	for _, d := range latencies(run) {
		t.Latency = append(t.Latency, trace.Duration(d))
	}
	return t
}

// timed returns a run whose stages have times: a stage with neither a submission nor a start was submitted when the
// first of its attempts was queued, unless that was at the submission of the run, and lasted from their first start to
// their last end. Otherwise start-up, wind-down and the gaps between stages would be taken for 0. The run is not
// modified; it is returned itself if nothing is missing.
func timed(run *trace.Run) *trace.Run {
	lacks := func(s *trace.Stage) bool { return !s.Submit.Known() && !s.Start.Known() }
	if len(run.Attempts) == 0 || !slices.ContainsFunc(run.Stages, func(s trace.Stage) bool { return lacks(&s) }) {
		return run
	}
	out := *run
	out.Stages = slices.Clone(run.Stages)
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if !lacks(&run.Stages[a.Stage]) {
			continue
		}
		s := &out.Stages[a.Stage]
		if a.Queued.Known() && a.Queued > run.Submit && (!s.Submit.Known() || a.Queued < s.Submit) {
			s.Submit = a.Queued
		}
		s.Start = s.Start.Earlier(a.Start)
		if !run.Stages[a.Stage].End.Known() && a.End.Known() {
			s.End = max(s.End, a.End)
		}
	}
	return &out
}

// began returns when a stage was handed to the scheduler, or when it started where that is not known.
func began(s *trace.Stage) trace.Instant {
	if s.Submit.Known() {
		return s.Submit
	}
	return s.Start
}

// delays returns, per stage, how long after the end of its last parent it was submitted: after the first submission of
// a stage for one without parents. A stage that was submitted before its parents ended waited for nothing: 0. Of a
// stage without a time of submission the start of its first attempt counts, and only the time for which a token was
// free for that: with more tokens it would not have waited for one. held are the delays of [DriverTimes].Held.
func delays(run *trace.Run) (out, held []int64) {
	ready := make([]trace.Instant, len(run.Stages))
	unknown := make([]bool, len(run.Stages))
	first := trace.Instant(trace.None)
	for v := range run.Stages {
		if t := began(&run.Stages[v]); t.Known() && (first == trace.None || t < first) {
			first = t
		}
		ready[v] = trace.None
	}
	for _, e := range run.Edges {
		end := run.Stages[e.Parent].End
		unknown[e.Child] = unknown[e.Child] || !end.Known()
		ready[e.Child] = max(ready[e.Child], end)
	}
	free, starts := freeSince(run), firstAttempts(run)
	out, held = make([]int64, len(run.Stages)), make([]int64, len(run.Stages))
	for v := range out {
		from := ready[v]
		if from == trace.None {
			from = first
		}
		d := began(&run.Stages[v]).Since(from)
		own := d
		if a := starts[v]; a >= 0 && !run.Stages[v].Submit.Known() {
			d = began(&run.Stages[v]).Since(max(from, free[a].since))
			own = max(d, free[a].before.Since(from))
		}
		if out[v], held[v] = int64(max(0, d)), int64(max(0, own)); unknown[v] || !d.Known() {
			out[v], held[v] = trace.None, trace.None
		}
	}
	return out, held
}

// firstAttempts returns, per stage, the index of its attempt that starts first; -1 where no start is known.
func firstAttempts(run *trace.Run) []int {
	first := make([]int, len(run.Stages))
	for v := range first {
		first[v] = -1
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if k := first[a.Stage]; a.Start.Known() && a.End.Known() && (k < 0 || a.Start < run.Attempts[k].Start) {
			first[a.Stage] = i
		}
	}
	return first
}

// times fills in what the driver did, and the work of the run.
func (o *observed) times(run *trace.Run) {
	submit := run.Submit
	if !submit.Known() {
		submit = run.Start
	}
	first, last := trace.Instant(trace.None), trace.Instant(trace.None)
	for v := range run.Stages {
		if t := began(&run.Stages[v]); t.Known() && (first == trace.None || t < first) {
			first = t
		}
		last = max(last, run.Stages[v].End)
	}
	o.startUp = known(first.Since(submit))
	o.windDown = known(run.End.Since(last))
	held := run.Held()
	if o.tokens = trace.None; held.Stated() {
		o.tokens = held.Most
	}
	for _, s := range held.Steps {
		if held.Basis == trace.HeldAllocations && s.Tokens > 0 && s.At.Known() && submit.Known() {
			o.firstToken = max(0, int64(s.At.Since(submit)))
			break
		}
	}
	o.idle = idle(run)
	for i := range run.Attempts {
		if d := run.Attempts[i].Duration; d.Known() {
			o.work = max(0, o.work) + int64(d)
		}
	}
}

// idle returns the time between the first start and the last end of attempts in which none ran.
func idle(run *trace.Run) int64 {
	type span struct{ from, to trace.Instant }
	var spans []span
	for i := range run.Attempts {
		if a := &run.Attempts[i]; a.Start.Known() && a.End.Known() {
			spans = append(spans, span{a.Start, a.End})
		}
	}
	if len(spans) == 0 {
		return trace.None
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var sum int64
	end := spans[0].to
	for _, s := range spans[1:] {
		if s.from > end {
			sum += int64(s.from - end)
		}
		end = max(end, s.to)
	}
	return sum
}

// change is a moment at which a token is freed, granted or taken.
type change struct {
	at      trace.Instant
	kind    int8  // in this order at one moment: 0 an end, 1 an allocation, 2 a start
	attempt int   // of a start
	tokens  int64 // of an allocation
}

// latencies returns, for every attempt, how long it waited while a token was free for it: from the latest of when it
// was queued, when its stage began and when the run last left the state of having no token free, until its start. The
// time before its stage began is a part of the delay of the stage or of the start-up of the run. The latency is 0 for
// an attempt that started as soon as there was a token, and unknown for one without time of queueing or start.
func latencies(run *trace.Run) []int64 {
	free := freeSince(run)
	latency := make([]int64, len(free))
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if latency[i] = trace.None; a.Queued.Known() && a.Start.Known() && a.End.Known() {
			latency[i] = int64(max(0, a.Start-max(a.Queued, began(&run.Stages[a.Stage]), free[i].since)))
		}
	}
	return latency
}

// free says when tokens were free before the start of an attempt.
type free struct {
	since  trace.Instant // one was at the start: the start if none was before, None if one had always been
	before trace.Instant // the end of the last stretch before since in which one was; None if there was none
}

// freeSince returns, for every attempt, when tokens were free before its start: None if its times are unknown. The
// tokens come from [trace.Run.Held].
func freeSince(run *trace.Run) []free {
	out := make([]free, len(run.Attempts))
	changes := make([]change, 0, 2*len(run.Attempts)+len(run.Allocations)+1)
	for i := range run.Attempts {
		a := &run.Attempts[i]
		out[i] = free{trace.None, trace.None}
		if a.Start.Known() && a.End.Known() {
			changes = append(changes, change{at: a.Start, kind: 2, attempt: i}, change{at: a.End})
		}
	}
	for _, s := range run.Held().Steps {
		changes = append(changes, change{at: s.At, kind: 1, tokens: s.Tokens}) // the first at None, before all others
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind))
	})
	busy, held := int64(0), int64(0)
	now := free{trace.None, trace.None}
	for _, c := range changes {
		full := busy >= held
		switch c.kind {
		case 0:
			busy--
		case 1:
			held = c.tokens
		case 2:
			if out[c.attempt] = now; full {
				out[c.attempt].since = c.at
			}
			busy++
		}
		switch has := busy < held; {
		case full && has:
			now.since = c.at
		case !full && !has && c.at > now.since:
			now.before = c.at
		}
	}
	return out
}

// together is the time within which the attempts that a machine loses are reported.
const together = 2_000_000

// losses groups the attempts that were lost by machine and time.
func (o *observed) losses(run *trace.Run, position []int32) {
	type span struct{ from, to trace.Instant }
	machines := map[string]span{}
	var lost []*trace.Attempt
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if a.Machine != "" && a.Start.Known() && a.End.Known() {
			s, ok := machines[a.Machine]
			if !ok {
				s = span{a.Start, a.End}
			}
			machines[a.Machine] = span{min(s.from, a.Start), max(s.to, a.End)}
		}
		if a.Status == trace.Lost {
			lost = append(lost, a)
		}
	}
	o.machines = int64(len(machines))
	for _, s := range machines {
		o.machineUS += int64(s.to - s.from)
	}
	slices.SortStableFunc(lost, func(a, b *trace.Attempt) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.End, b.End), cmp.Compare(position[a.Stage],
			position[b.Stage]))
	})
	for from := 0; from < len(lost); {
		to := from + 1
		for to < len(lost) && lost[to].Machine == lost[from].Machine && lost[to].End.Since(lost[to-1].End) <= together {
			to++
		}
		o.together = append(o.together, int64(to-from))
		per := map[int32]int64{}
		for _, a := range lost[from:to] {
			per[position[a.Stage]]++
		}
		for s, n := range per { // one entry per stage: the order of the map does not show
			o.stages[s].together = append(o.stages[s].together, n)
		}
		from = to
	}
}

// wholeRun is the name of the stage that stands for a run whose stages are not known.
const wholeRun = "all"

// AsOneStage returns the run with its skipped stages filled ([workload.FillSkipped]), if then every stage has a time or
// an attempt with a duration, or if it is not known how long the run took. Otherwise it returns one of a single stage
// from its start to its end: only its name, time, tokens and input are known. The run is not modified.
func AsOneStage(run *trace.Run) *trace.Run {
	run, _ = workload.FillSkipped(run)
	if !run.Completion().Known() {
		return run
	}
	known := make([]bool, len(run.Stages))
	for i := range run.Attempts {
		known[run.Attempts[i].Stage] = known[run.Attempts[i].Stage] || run.Attempts[i].Duration.Known()
	}
	for v := range run.Stages {
		known[v] = known[v] || run.Stages[v].End.Since(run.Stages[v].Start) >= 0
	}
	if len(known) > 0 && !slices.Contains(known, false) {
		return run
	}
	one := *run
	st := trace.NewStage()
	st.Name, st.Tasks, st.Submit, st.Start, st.End = wholeRun, 1, run.Submit, run.Start, run.End
	if !st.Start.Known() {
		st.Start = run.Submit
	}
	one.Stages, one.Edges, one.Attempts = []trace.Stage{st}, nil, nil
	return &one
}
