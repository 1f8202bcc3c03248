// Package timeline picks one run and lays out its attempts and tokens over time for a waterfall figure, the first view
// for the developer of a job.
package timeline

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Options select the run.
type Options struct {
	Run string // id of the run; "" picks one
}

// MaxAttempts bounds the attempts of a run that is picked by default: no figure shows more bars.
const MaxAttempts = 50_000

// Needs returns the columns the analysis cannot do without.
func Needs() []string { return []string{"tasks.start", "tasks.end"} }

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{
		"jobs.name", "jobs.status", "jobs.guaranteed", "jobs.submit", "jobs.end", "stages.name", "stages.tasks",
		"tasks.queued", "tasks.status",
		"tasks.machine", "tasks.speculative", "tasks.duration", "allocations.at", "allocations.tokens",
		"allocations.spare",
	}
}

// Partial holds the best run so far.
type Partial struct {
	opts Options `partial:"-"`
	runs int
	best *trace.Run
	rank rank
}

// rank orders runs: more stages with timed attempts first, then more timed attempts, then the lower id.
type rank struct {
	stages, attempts int
	id               string
}

func (r rank) less(s rank) bool {
	return cmp.Or(cmp.Compare(r.stages, s.stages), cmp.Compare(r.attempts, s.attempts), cmp.Compare(s.id, r.id)) < 0
}

// New returns an empty partial result.
func New(opts Options) *Partial { return &Partial{opts: opts} }

// Add adds one run.
func (p *Partial) Add(run *trace.Run) {
	if p.opts.Run != "" && run.ID != p.opts.Run {
		return
	}
	r := rank{id: run.ID}
	last := int32(-1)
	for i := range run.Attempts {
		if a := &run.Attempts[i]; a.Start.Known() && a.End.Known() {
			r.attempts++
			if a.Stage != last {
				r.stages++
				last = a.Stage
			}
		}
	}
	if r.attempts == 0 || p.opts.Run == "" && r.attempts > MaxAttempts {
		return
	}
	p.runs++
	if p.best == nil || p.rank.less(r) {
		p.best, p.rank = run.Clone(), r
	}
}

// Merge keeps the better run of p and q. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.runs += q.runs
	if q.best != nil && (p.best == nil || p.rank.less(q.rank)) {
		p.best, p.rank = q.best, q.rank
	}
}

// Finish lays out the run.
func (p *Partial) Finish(context.Context) (*result.Timeline, error) {
	if p.best == nil {
		if p.opts.Run != "" {
			return nil, fmt.Errorf("run %q is not in the store, or none of its attempts has a start and an end",
				p.opts.Run)
		}
		return &result.Timeline{Header: result.Header{Needs: Needs(), Missing: Needs()}}, nil
	}
	run := p.best
	zero := origin(run)
	at := func(t trace.Instant) float64 { return t.Since(zero).Seconds() }
	l := &result.Timeline{
		Header: result.Header{Available: true, Needs: Needs()}, JobID: run.ID, Name: run.Name,
		Status:  run.Status.String(),
		Why:     fmt.Sprintf("the one with most stages, then most attempts, of %d with timed attempts", p.runs),
		SubmitS: result.Number(at(run.Submit)), EndS: result.Number(at(run.End)), Stages: stages(run, at),
		Allocations: []result.TimelineChange{},
	}
	if p.opts.Run != "" {
		l.Why = "asked for"
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		l.Attempts = append(l.Attempts, result.TimelineBar{
			Stage: int(a.Stage), Task: int(a.Task), Attempt: int(a.Attempt), QueuedS: at(a.Queued), StartS: at(a.Start),
			EndS: at(a.End), Status: a.Status.String(), Speculative: a.Speculative == trace.Yes, Machine: a.Machine,
		})
	}
	if held := run.Held(); held.Stated() {
		for _, s := range held.Steps {
			switch {
			case s.At.Known():
				l.Allocations = append(l.Allocations, result.TimelineChange{AtS: at(s.At), Tokens: s.Tokens})
			case s.Tokens > 0: // from the beginning
				l.Allocations = append(l.Allocations, result.TimelineChange{Tokens: s.Tokens})
			}
		}
	}
	return l, nil
}

// origin returns the run's first event.
func origin(run *trace.Run) trace.Instant {
	first := run.Submit
	for i := range run.Attempts {
		if s := run.Attempts[i].Start; s.Known() && (!first.Known() || s < first) {
			first = s
		}
	}
	return first
}

func stages(run *trace.Run, at func(trace.Instant) float64) []result.TimelineStage {
	out := make([]result.TimelineStage, len(run.Stages))
	seconds := make([][]float64, len(run.Stages))
	for i := range out {
		nan := result.Number(math.NaN())
		out[i] = result.TimelineStage{Name: run.Stages[i].Name, Tasks: max(0, run.Stages[i].Tasks), FirstS: nan,
			LastS: nan}
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		s := &out[a.Stage]
		s.Attempts++
		if a.Status == trace.Failed || a.Status == trace.Lost || a.Status == trace.Killed || a.Status == trace.Evicted {
			s.Failed++
		}
		if t := at(a.Start); !(t >= float64(s.FirstS)) && !math.IsNaN(t) {
			s.FirstS = result.Number(t)
		}
		if t := at(a.End); !(t <= float64(s.LastS)) && !math.IsNaN(t) {
			s.LastS = result.Number(t)
		}
		if a.Duration.Known() && a.Status.Well() {
			seconds[a.Stage] = append(seconds[a.Stage], a.Duration.Seconds())
		}
	}
	for i := range out {
		s := quantile.Summarize(quantile.Sort(seconds[i]))
		out[i].MedianS, out[i].MaxS = result.Number(s.P50), result.Number(s.Max)
	}
	return out
}
