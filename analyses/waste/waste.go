// Package waste classifies the resources that runs held: every second of every task slot is in exactly one class, and
// the classes add up to the total.
//
//	useful        an attempt ran whose result counted
//	failed        an attempt ran that did not succeed, whose result was lost or repeated, or whose run did not succeed
//	speculative   a copy of a task ran, or the original that a copy overtook
//	barrier_idle  the slot was idle between the first and the last start of an attempt, while others ran: later tasks
//	              waited for earlier ones, or were too few
//	tail_idle     the slot was idle while others ran, after the last attempt had started
//	driver        no attempt ran: start-up, the driver between stages, wind-down
//	unused        the slot was above the largest number of attempts that the run had at once
//
// A run holds the tokens of [trace.Run.Held] from its first allocation, or else its start, to its end, and never
// fewer than its running attempts. If the trace states neither allocations nor a guarantee, the run is assumed
// to hold the slots of running attempts only. Idle time is then unknown, and ByBasis counts such runs. Attempts
// with a duration alone count as work.
//
// A slot is one task's share of an executor. Its cores are the CPU demand of the run's attempts if the trace
// counts CPU in cores, else 1. Its memory is the memory of an executor divided by its slots, else the memory
// demand of attempts. A run of one task that demands as many cores as the run was given tokens is one slot: there a
// token is a core, as in logs of supercomputers.
package waste

import (
	"context"
	"fmt"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// Options of the analysis.
type Options struct {
	// CPU demands are in cores, and memory demands in bytes; otherwise a slot is one core, and its memory is not known
	Cores  bool
	Prices []Price // the first match of a machine applies; none: no costs
	Most   int     // jobs, users and groups with separate rows; further ones are counted under [Others]
	// bytes for the changes of cores held over time; beyond it, cores held at once are means over bins of time
	Memory int64
	Steps  int // of a run's cores over time; those of runs that changed more often are rounded up to so many
}

// Price of resources on some machines.
type Price struct {
	// pattern for names of machines, see [glob.MatchMachine]; "" matches every machine, and runs without machines
	Machines string
	CPU      float64 // per core-hour
	Mem      float64 // per GB-hour; a GB is 1e9 bytes
}

// DefaultOptions returns the options of the command.
func DefaultOptions() Options {
	return Options{Cores: true, Most: 200_000, Memory: 256 << 20, Steps: 8}
}

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	if o.Most < 1 {
		return fmt.Errorf("most %d: want at least 1", o.Most)
	}
	if o.Memory < 0 {
		return fmt.Errorf("memory %d: must not be negative", o.Memory)
	}
	if o.Steps < 0 {
		return fmt.Errorf("steps %d: must not be negative", o.Steps)
	}
	for _, p := range o.Prices {
		if err := p.validate(); err != nil {
			return err
		}
	}
	return nil
}

// Others is the row of runs with a job, user or group beyond Options.Most.
const Others = "(others)"

// mostRows bounds the jobs, users and groups in a result.
const mostRows = 10_000

// Needs returns the columns the analysis cannot do without. An alternative is written a|b.
func Needs() []string { return []string{"tasks.start|tasks.duration", "tasks.end|tasks.duration"} }

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{
		"jobs.name", "jobs.job", "jobs.user", "jobs.group", "jobs.submit", "jobs.start", "jobs.end", "jobs.status",
		"jobs.guaranteed",
		"jobs.executor_cores", "jobs.executor_mem", "jobs.executor_peak_mem", "stages.cpu", "stages.gpu", "stages.mem",
		"tasks.status", "tasks.speculative", "tasks.machine", "tasks.cpu", "tasks.gpu", "tasks.mem", "tasks.spill_bytes",
		"tasks.gc",
		"allocations.at", "allocations.tokens", "allocations.spare", "allocations.machines",
	}
}

// Reasons why runs are left out.
const (
	leftNoAttempts = "without task attempts"
	leftNoTimes    = "without a known time of an attempt"
)

// Partial is the state after some of the runs. Its memory grows with the jobs, users and groups, about 300 bytes each,
// up to Options.Most of each.
type Partial struct {
	opts        Options `partial:"-"`
	left        map[string]int64
	all         tally
	by          [numKinds]map[string]*tally
	basis       map[string]int
	first, last trace.Instant // submissions
	fleet       fleet
	levels      levels
	sweeper     sweeper   `partial:"-"`
	stretches   []Stretch `partial:"-"` // of the last run
	perSlot     float64   `partial:"-"` // cores of a slot of the last run
	memPerSlot  float64   `partial:"-"` // bytes of that slot
	prices      priceList `partial:"-"`
}

// The kinds of groups of runs.
const (
	byJob = iota
	byUser
	byGroup
	numKinds
)

// New returns an empty partial result.
func New(opts Options) *Partial {
	p := &Partial{opts: opts, left: map[string]int64{}, basis: map[string]int{}, first: trace.None, last: trace.None}
	for k := range p.by {
		p.by[k] = map[string]*tally{}
	}
	p.fleet, p.levels = newFleet(), levels{limit: opts.Memory / perChange, most: max(1, opts.Steps)}
	p.prices = priceList{prices: opts.Prices, known: map[string]int{}}
	return p
}

// Use holds the resources of one run, as [Partial.AddUse] counts them.
type Use struct {
	HeldCoreH, WastedCoreH float64
	Cost, WastedCost       float64   // 0 without prices
	Cores, Bytes           float64   // of a slot; 0 bytes where they are not known
	Stretches              []Stretch // in time order; valid until the next run
}

// Add takes one run into account. The run is not kept.
func (p *Partial) Add(run *trace.Run) { p.AddUse(run) }

// AddUse is Add, and returns what the run held. ok is false for a run that is left out.
func (p *Partial) AddUse(run *trace.Run) (u Use, ok bool) {
	if at := run.Submitted(); at.Known() {
		if !p.first.Known() || at < p.first {
			p.first = at
		}
		p.last = max(p.last, at)
	}
	if len(run.Attempts) == 0 {
		p.left[leftNoAttempts]++
		return Use{}, false
	}
	if p.stretches = p.stretches[:0]; p.sweeper.visit == nil {
		p.sweeper.visit = func(s Stretch) { p.stretches = append(p.stretches, s) }
	}
	classes, ok := p.sweeper.classify(run)
	if !ok {
		p.left[leftNoTimes]++
		return Use{}, false
	}
	p.basis[classes.basis]++
	t := p.measure(run, classes)
	p.concurrent(run, classes.most)
	p.all.add(&t)
	for k, name := range [numKinds]string{run.JobName(false), run.User, run.Group} {
		if name != "" {
			p.group(k, name).add(&t)
		}
	}
	held := t.held()
	return Use{HeldCoreH: held / hour, WastedCoreH: (held - t.cores[useful]) / hour, Cost: t.cost,
		WastedCost: t.wastedCost, Cores: p.perSlot, Bytes: p.memPerSlot, Stretches: p.stretches}, true
}

// group returns the tally of a job, user or group.
func (p *Partial) group(kind int, name string) *tally {
	t, ok := p.by[kind][name]
	if !ok && len(p.by[kind]) >= p.opts.Most {
		name = Others
		t, ok = p.by[kind][name]
	}
	if !ok {
		t = &tally{}
		p.by[kind][strings.Clone(name)] = t
	}
	return t
}

// Merge adds the runs of q to p, as if they had come after the runs of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	lists.Add(p.left, q.left)
	lists.Add(p.basis, q.basis)
	if q.first.Known() && (!p.first.Known() || q.first < p.first) {
		p.first = q.first
	}
	p.last = max(p.last, q.last)
	p.all.add(&q.all)
	p.fleet.merge(&q.fleet)
	p.levels.merge(&q.levels)
	for k := range q.by {
		for _, name := range sorted(q.by[k]) {
			p.group(k, name).add(q.by[k][name])
		}
	}
}

// unpriced warns of core-hours on machines that no price matches; it is empty if there are none, or no prices.
func (p *Partial) unpriced() string {
	if p.all.free == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the core-hours were on machines that no price matches: they count as free",
		words.Percent(p.all.free/p.all.held()))
}

// Finish computes the result.
func (p *Partial) Finish(ctx context.Context) (*result.Waste, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &result.Waste{
		Header:  result.Header{Available: true, Needs: Needs(), LeftOut: p.left},
		ByBasis: p.basis, Priced: len(p.opts.Prices) > 0, StatusUnknown: p.all.unknown,
	}
	w.WasteAmount = p.amount(&p.all)
	w.Classes, w.Fleet = classes(&p.all), p.fleet.result(&p.levels)
	if p.first.Known() {
		w.PeriodS = result.Number(p.last.Since(p.first).Seconds())
	}
	w.Jobs, w.Users, w.Groups = p.jobs(), p.groups(byUser), p.groups(byGroup)
	w.Users, w.Groups = w.Users[:min(mostRows, len(w.Users))], w.Groups[:min(mostRows, len(w.Groups))]
	if w.More = len(w.Jobs) - mostRows; w.More > 0 {
		w.Jobs = w.Jobs[:mostRows]
	} else {
		w.More = 0
	}
	if p.basis[basisUse] > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("%s of %s state neither allocations nor a guarantee, "+
			"or no times of attempts: they are taken to have held the cores on which tasks ran, and their idle time "+
			"is not known", words.Count(p.basis[basisUse]), words.Of(p.all.runs, "run", "runs")))
	}
	if n := p.all.unknown; n > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("how %s of %s ended is not known: failures among them are not seen",
			words.Count(n), words.Of(p.all.runs, "run", "runs")))
	}
	if n := p.all.gpus; n > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("core-hours of %s of %s are GPU-hours: GPUs are stated, and no cores",
			words.Count(n), words.Of(p.all.runs, "run", "runs")))
	}
	if w.Unpriced = p.unpriced(); w.Unpriced != "" {
		w.Warnings = append(w.Warnings, w.Unpriced)
	}
	return w, nil
}
