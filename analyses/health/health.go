package health

import (
	"context"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Options hold facts about a trace that its runs do not show. With the zero value, checks that need such facts
// are unchecked.
type Options struct {
	TimeBase string            // relative or unix
	Units    map[string]string // of columns; those of the canonical tables where it holds none
	Machines *Machines         // the machines of the cluster; nil when they are not known
	Records  Records
}

// Records counts the records of the input by their fate.
type Records struct {
	Read              int64
	Rejected, Repairs map[string]int64 // per reason and kind
}

// Needs returns the columns the analysis cannot do without.
func Needs() []string { return []string{"jobs.job_id"} }

// Also returns the columns of all checks, which are read if they exist.
func Also() []string {
	return []string{
		"jobs.name", "jobs.job", "jobs.user", "jobs.group", "jobs.submit", "jobs.start", "jobs.end", "jobs.status",
		"jobs.input_bytes", "jobs.shuffle_bytes", "jobs.output_bytes", "jobs.guaranteed",
		"stages.stage", "stages.tasks", "stages.estimate_s", "stages.submit", "stages.start", "stages.end",
		"stages.cpu", "stages.mem", "stages.disk_read", "stages.disk_write", "stages.net_in", "stages.net_out",
		"stages.gpu",
		"edges.kind", "allocations.at", "io.at",
		"tasks.queued", "tasks.start", "tasks.end", "tasks.duration", "tasks.status", "tasks.machine",
		"tasks.speculative",
		"tasks.cpu", "tasks.mem", "tasks.disk_read", "tasks.disk_write", "tasks.net_in", "tasks.net_out", "tasks.gpu",
	}
}

// Partial is the state after some of the runs, in bounded memory: a few MB for any trace.
type Partial struct {
	opts                   Options `partial:"-"`
	runs, stages, attempts int64
	tallies                [numChecks]tally
	status                 [2][trace.Running + 1]int64 // of runs, of attempts
	marked                 int64                       // attempts marked as speculative or not

	extents, timed int64 // runs with a known instant, and of these those with two different ones
	activity       activity
	clock          ticks
	durations      ticks // of attempts without a start or an end
	first, last    extremes
	begins         pile
	ends           pile
	values         [numValues]span
	texts          [numTexts]textSpan
	names          names
	shapes         shapes

	cores, bytes bool        // whether cpu and mem are in these units
	spans        []stageSpan `partial:"-"` // of the stages of the present run
}

// New returns an empty partial result.
func New(opts Options) *Partial {
	p := &Partial{
		opts: opts, activity: newActivity(), durations: ticks{lengths: true}, names: newNames(),
		first: extremes{sign: -1}, last: extremes{sign: +1}, begins: pile{sign: -1}, ends: pile{sign: +1},
	}
	p.cores = p.unit(valueStageDemand+int(trace.CPU)) == "cores"
	p.bytes = p.unit(valueStageDemand+int(trace.Mem)) == "bytes"
	return p
}

// Add adds one run.
func (p *Partial) Add(run *trace.Run) {
	p.runs++
	p.stages += int64(len(run.Stages))
	p.attempts += int64(len(run.Attempts))
	p.addTimes(run)
	p.addOrder(run)
	p.addIDs(run)
	p.addValues(run)
	p.addStatus(run)
}

func (p *Partial) addStatus(run *trace.Run) {
	p.status[0][run.Status]++
	p.judgeStatus(run, run.Status)
	for i := range run.Attempts {
		a := &run.Attempts[i]
		p.status[1][a.Status]++
		if a.Status == trace.StatusUnknown {
			continue
		}
		p.see(failedAttempts)
		if failed(a.Status) {
			p.hit(failedAttempts, run, placeOf(a))
		}
	}
}

func (p *Partial) judgeStatus(run *trace.Run, s trace.Status) {
	p.see(statusUnknown)
	if s == trace.StatusUnknown {
		p.hit(statusUnknown, run, nowhere)
		return
	}
	p.see(stillRunning)
	p.see(failedRuns)
	switch {
	case s == trace.Running:
		p.hit(stillRunning, run, nowhere)
	case failed(s):
		p.hit(failedRuns, run, nowhere)
	}
}

func failed(s trace.Status) bool {
	return s == trace.Failed || s == trace.Killed || s == trace.Evicted || s == trace.Lost
}

// Merge adds the runs of q to p, as if they had come after the runs of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.runs += q.runs
	p.stages += q.stages
	p.attempts += q.attempts
	p.marked += q.marked
	p.extents += q.extents
	p.timed += q.timed
	for c := range p.tallies {
		p.tallies[c].merge(&q.tallies[c])
	}
	for i := range p.status {
		for s, n := range q.status[i] {
			p.status[i][s] += n
		}
	}
	p.activity.merge(&q.activity)
	p.clock.merge(&q.clock)
	p.durations.merge(&q.durations)
	p.first.merge(&q.first)
	p.last.merge(&q.last)
	p.begins.merge(&q.begins)
	p.ends.merge(&q.ends)
	for i := range p.values {
		p.values[i].merge(&q.values[i])
	}
	for i := range p.texts {
		p.texts[i].merge(&q.texts[i])
	}
	p.names.merge(&q.names)
	p.shapes.merge(&q.shapes)
}

// Finish judges the counts. It does not change p.
func (p *Partial) Finish(ctx context.Context) (*result.Health, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q := *p // judging does not change the counts
	return q.finish(), nil
}

func (p *Partial) finish() *result.Health {
	h := &result.Health{
		Header: result.Header{Available: true, Needs: Needs()}, Runs: p.runs, Stages: p.stages, Attempts: p.attempts,
		Names: p.names.result(), Values: p.ranges(), Status: map[string]map[string]int64{"runs": p.counts(0),
			"attempts": p.counts(1)},
	}
	p.finishTimes(h)
	p.finishOrphans()
	p.finishNames(&h.Names)
	p.finishGeneric(&h.Names)
	p.finishValues(h.Values)
	p.finishRecords()
	if p.marked > 0 { // the trace marks speculation, so overlaps have another cause
		p.tallies[attemptsOverlap].level = warn
	}
	for c := range p.tallies {
		h.Checks = append(h.Checks, p.tallies[c].result(check(c)))
	}
	return h
}

// counts returns the rows per status that occurs.
func (p *Partial) counts(of int) map[string]int64 {
	out := map[string]int64{}
	for s, n := range p.status[of] {
		if n > 0 {
			out[trace.Status(s).String()] = n
		}
	}
	return out
}
