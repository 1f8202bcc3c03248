package leftover

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/analyses/dag"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// Options of the analysis.
type Options struct {
	// Memory bounds, in bytes, the steps of all runs and the arrays computed from them; beyond it, time bins are
	// used. At least 1 MiB.
	Memory int64
}

// DefaultOptions returns the options of racecard's manual.
func DefaultOptions() Options { return Options{Memory: 1 << 30} }

// Validate reports the first option that makes no sense.
func (o Options) Validate() error {
	if o.Memory < 1<<20 {
		return fmt.Errorf("a memory of %d bytes: want at least 1 MiB", o.Memory)
	}
	return nil
}

// Needs returns the columns the analysis cannot do without: times of attempts and any demand.
func Needs() []string {
	return []string{"tasks.start", "tasks.end", strings.Join(demandColumns(), "|")}
}

// Also returns the columns that are read where there are any.
func Also() []string {
	return append(demandColumns(), "jobs.name", "jobs.status", "jobs.submit", "jobs.start", "jobs.end", "stages.stage",
		"stages.start", "edges.kind", "tasks.status")
}

func demandColumns() []string {
	var columns []string
	for _, name := range trace.ResourceNames {
		columns = append(columns, columnsOf(name)...)
	}
	return columns
}

// columnsOf returns the columns that hold demands for a resource.
func columnsOf(resource string) []string { return []string{"tasks." + resource, "stages." + resource} }

// Partial is the state after some of the runs. Its memory grows with the number of runs, about 50 bytes each and
// 30 per resource, and up to Options.Memory with the number of attempts.
type Partial struct {
	plan     plan      `partial:"-"`
	shape    dag.Graph `partial:"-"`
	series   series
	byStatus map[string]int
	leftOut  map[string]int64
	rows     result.LeftoverRuns  `partial:"-"`
	runs     []result.LeftoverRun // those of rows, while the partial result is encoded
	known    [trace.NumResources]demands
	attempts int64
	moved    int64
	fixed    int64
	untimed  int64
	breaches breaches
}

// New returns an empty partial result.
func New(opts Options) *Partial {
	return &Partial{series: series{memory: opts.Memory}, byStatus: map[string]int{}, leftOut: map[string]int64{}}
}

// Parts returns a function that makes partial results to be merged into one, as New does. The merged result is the
// same, in less time: once the steps of one partial result do not fit the memory, all others keep time bins at once,
// as wide as the widest so far. The function may be called by several goroutines.
func Parts(opts Options) func() *Partial {
	all := new(shared)
	return func() *Partial {
		p := New(opts)
		p.series.shared = all
		return p
	}
}

// Add adds one run.
func (p *Partial) Add(run *trace.Run) {
	q := &p.plan
	if reason := q.prepare(run); reason != "" {
		p.leftOut[reason]++
		return
	}
	q.observe()
	q.pack()
	p.breaches.plus(q.check())
	r := p.describe(run)
	r.Of = q.account(&p.series.open)
	r.Leftover = overall(r.Of)
	p.rows.Add(&r)
	p.series.settle()
	p.byStatus[run.Status.String()]++
	p.count(&r)
}

// describe returns the row of a packed run without its leftover.
func (p *Partial) describe(run *trace.Run) result.LeftoverRun {
	q := &p.plan
	p.shape.Set(len(run.Stages), run.Edges, func(k trace.EdgeKind) bool { return k != trace.Driver })
	disjoint, width := p.shape.Paths()
	r := result.LeftoverRun{
		JobID: run.ID, Name: run.Name, Start: q.first(run), End: trace.Instant(q.end),
		Stages: int32(len(run.Stages)), Barriers: int32(p.shape.Barriers()), PathStages: int32(p.shape.Depth()),
		Disjoint: int32(disjoint), Width: int32(width), Attempts: int32(len(q.attempts)),
	}
	for i := range q.attempts {
		if q.attempts[i].placed > q.attempts[i].start {
			r.Moved++
		}
	}
	return r
}

// Encodable unpacks the runs, whose fields an encoder compresses better.
func (p *Partial) Encodable() error {
	p.runs = nil
	for _, r := range p.rows.All() {
		p.runs = append(p.runs, *r)
		p.runs[len(p.runs)-1].Of = slices.Clone(r.Of)
	}
	return nil
}

// errRuns says that runs are not what Encodable unpacked.
var errRuns = errors.New("the runs of leftover are damaged")

// Decoded packs the runs, and computes the numbers that are not encoded.
func (p *Partial) Decoded() error {
	for i := range p.runs {
		r := &p.runs[i]
		for k := range r.Of {
			if of := r.Of[k].Resource; of >= trace.NumResources || k > 0 && of <= r.Of[k-1].Resource {
				return errRuns
			}
		}
		r.Leftover = overall(r.Of)
		p.rows.Add(r)
	}
	p.runs = nil
	return nil
}

// first returns the start of the run: its first attempt's start if the trace does not record it.
func (p *plan) first(run *trace.Run) trace.Instant {
	if run.Start.Known() {
		return run.Start
	}
	first := p.attempts[0].start
	for i := range p.attempts {
		first = min(first, p.attempts[i].start)
	}
	return trace.Instant(first)
}

// overall returns the mean leftover over the resources that the run held, NaN if it held none.
func overall(of []result.LeftoverAmount) float64 {
	sum, n := 0.0, 0
	for i := range of {
		if !math.IsNaN(of[i].Leftover) {
			sum, n = sum+of[i].Leftover, n+1
		}
	}
	return sum / float64(n)
}

// count adds up counters over runs.
func (p *Partial) count(r *result.LeftoverRun) {
	q := &p.plan
	p.attempts += int64(r.Attempts)
	p.moved += int64(r.Moved)
	p.untimed += q.untimed
	for i := range q.attempts {
		if q.attempts[i].fixed {
			p.fixed++
		}
	}
	for i := range p.known {
		p.known[i].plus(q.known[i])
	}
}

func (d *demands) plus(e demands) {
	d.attempts += e.attempts
	d.fromStage += e.fromStage
	d.unknown += e.unknown
}

// Merge adds the runs of q to p, as if they had come after the runs of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.series.add(&q.series)
	lists.Add(p.byStatus, q.byStatus)
	lists.Add(p.leftOut, q.leftOut)
	p.rows.Append(&q.rows)
	for i := range p.known {
		p.known[i].plus(q.known[i])
	}
	p.attempts += q.attempts
	p.moved += q.moved
	p.fixed += q.fixed
	p.untimed += q.untimed
	p.breaches.plus(q.breaches)
}

// Finish computes the result.
func (p *Partial) Finish(ctx context.Context) (*result.Leftover, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.rows.Len() == 0 {
		return &result.Leftover{Header: result.Header{Needs: Needs(), Missing: p.missing(), LeftOut: p.leftOut}}, nil
	}
	b := &p.breaches
	doc := &result.Leftover{
		Header: result.Header{Available: true, Needs: Needs(), LeftOut: p.leftOut},
		Runs:   p.rows.Len(), ByStatus: p.byStatus, Attempts: p.attempts, Moved: p.moved, Fixed: p.fixed,
		Untimed:   p.untimed,
		Resources: p.resources(), Correlation: map[string]result.LeftoverCorrelation{},
		Check: result.LeftoverCheck{Runs: p.rows.Len(), EndsLater: b.later, Above: b.above, BeforeChild: b.orphans,
			Earlier: b.earlier},
	}
	workers := p.atOnce()
	s := p.overTime(doc)
	p.extremes(doc)
	if err := p.correlate(ctx, doc, s, workers); err != nil {
		return nil, err
	}
	p.warn(doc)
	doc.PerRun = p.rows
	return doc, ctx.Err()
}

// missing returns the columns without which no run could be packed.
func (p *Partial) missing() []string {
	var columns []string
	none := len(p.leftOut) == 0
	if none || p.leftOut[leftAttempts] > 0 {
		columns = append(columns, "tasks.start", "tasks.end")
	}
	if p.leftOut[leftCensored] > 0 {
		columns = append(columns, "jobs.end")
	}
	if none || p.leftOut[leftDemands] > 0 {
		columns = append(columns, demandColumns()...)
	}
	return columns
}

// resources describes the sources of demands.
func (p *Partial) resources() map[string]*result.LeftoverResource {
	of := map[string]*result.LeftoverResource{}
	for r, k := range p.known {
		name := trace.ResourceNames[r]
		switch {
		case k.attempts > 0:
			of[name] = &result.LeftoverResource{Available: true, Attempts: k.attempts, FromStage: k.fromStage,
				Unknown: k.unknown}
		case trace.Resource(r) != trace.GPU:
			of[name] = &result.LeftoverResource{Missing: columnsOf(name)}
		}
	}
	return of
}

// warn adds warnings for readers of the numbers.
func (p *Partial) warn(doc *result.Leftover) {
	say := func(format string, args ...any) { doc.Warnings = append(doc.Warnings, fmt.Sprintf(format, args...)) }
	if p.untimed > 0 {
		say("%s no known start or end and count as holding nothing",
			words.Of(p.untimed, "attempt has", "attempts have"))
	}
	for _, name := range doc.Names() {
		if r := doc.Resources[name]; r.Available && r.Unknown > 0 {
			say("the %s that %s of %s held is not known; they count as holding none", name, words.Count(r.Unknown),
				words.Of(p.attempts, "attempt", "attempts"))
		}
	}
	if doc.Estimated {
		say("estimated over %s bins of %g s: the steps of all runs need more than the memory allowed",
			words.Count(doc.Instants), float64(doc.BinS))
	}
	if c := doc.Check; c.EndsLater+c.Above+c.BeforeChild+c.Earlier > 0 {
		say("a packed schedule breaks its rules: %+v; this is a defect of racecard, please report it", c)
	}
}
