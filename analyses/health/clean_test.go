package health

import (
	"fmt"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// t0 is when the clean trace begins: 2023-11-14 22:13:20 UTC, in microseconds.
const t0 = trace.Instant(1_700_000_000_000_000)

// sec and ms are in microseconds.
const (
	sec = 1_000_000
	ms  = 1_000
)

// trial is a trace and what is known of it beside its runs.
type trial struct {
	opts Options
	runs []*trace.Run
}

// clean returns a trace of 40 runs in which nothing is odd. Run i is submitted at t0 + i x 60.137 s = s. Its stage 0
// has two tasks, s+1 to s+11 and s+1.5 to s+11.25; stage 1 begins at s+11.25 with one task until s+30.25. The run ends
// at s+31.
func clean() *trial {
	t := &trial{opts: Options{TimeBase: "unix", Records: Records{Read: 1000}}}
	for i := range 40 {
		s := t0 + trace.Instant(i)*60_137*ms
		r := trace.NewRun(fmt.Sprintf("r%02d", i))
		r.Name, r.User, r.Group = "job-"+string('a'+rune(i%5)), "user-"+string('a'+rune(i%2)), "group-"+
			string('a'+rune(i%3))
		r.Submit, r.Start, r.End, r.Status = s, s+sec, s+31*sec, trace.Succeeded
		r.InputBytes = int64(i) * 1e9
		r.Stages = []trace.Stage{stage(2, s+sec, s+11*sec+250*ms, i), stage(1, s+11*sec+250*ms, s+30*sec+250*ms, i)}
		r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
		r.Attempts = []trace.Attempt{
			attempt(0, 0, s+sec, s+11*sec), attempt(0, 1, s+sec+500*ms, s+11*sec+250*ms), attempt(1, 0, s+11*sec+
				250*ms, s+30*sec+250*ms),
		}
		t.runs = append(t.runs, r)
	}
	return t
}

func stage(tasks int64, start, end trace.Instant, i int) trace.Stage {
	s := trace.NewStage()
	s.Tasks, s.Start, s.End = tasks, start, end
	s.Demand[trace.CPU], s.Demand[trace.Mem] = float64(1+i%3), 1e9+float64(i)
	return s
}

func attempt(stage, task int32, start, end trace.Instant) trace.Attempt {
	a := trace.NewAttempt(stage, task, 0)
	a.Queued, a.Start, a.End, a.Duration, a.Status = start-500*ms, start, end, end.Since(start), trace.Succeeded
	a.Machine = fmt.Sprint("m", task+1)
	return a
}

// at returns an allocation at an instant, which says nothing else about a run.
func at(t trace.Instant) []trace.Allocation {
	return []trace.Allocation{{At: t, Tokens: trace.None, Spare: trace.None, Machines: trace.None}}
}

// move applies f to every instant of a run and measures durations anew.
func move(r *trace.Run, f func(trace.Instant) trace.Instant) {
	for _, t := range []*trace.Instant{&r.Submit, &r.Start, &r.End} {
		*t = f(*t)
	}
	for i := range r.Stages {
		s := &r.Stages[i]
		s.Start, s.End = f(s.Start), f(s.End)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.Queued, a.Start, a.End = f(a.Queued), f(a.Start), f(a.End)
		a.Duration = a.End.Since(a.Start)
	}
}

func later(by trace.Duration) func(trace.Instant) trace.Instant {
	return func(t trace.Instant) trace.Instant { return t + trace.Instant(by) }
}

func wholeSecond(t trace.Instant) trace.Instant { return t - t%sec }

// each applies f to every run.
func (t *trial) each(f func(i int, r *trace.Run)) {
	for i, r := range t.runs {
		f(i, r)
	}
}

// examine returns the checks of a trace by id.
func (t *trial) examine(tb testing.TB) (map[string]result.HealthCheck, *result.Health) {
	tb.Helper()
	p := New(t.opts)
	for _, r := range t.runs {
		p.Add(r)
	}
	h, err := p.Finish(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string]result.HealthCheck{}
	for _, c := range h.Checks {
		out[c.ID] = c
	}
	return out, h
}

// fired lists the checks that found something, but for the note on time zones.
func fired(checks map[string]result.HealthCheck) []string {
	var out []string
	for _, id := range IDs() {
		if c := checks[id]; c.Severity != result.HealthOK && c.Severity != result.HealthUnchecked &&
			id != "zone-unknown" {
			out = append(out, id)
		}
	}
	return out
}
