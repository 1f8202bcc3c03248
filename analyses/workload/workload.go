// Package workload describes the load of a trace on a cluster: arrivals, durations of runs and tasks, tasks per
// run, concurrency, failures and their cost, fitted distributions, and the cutoff between short and long jobs.
//
// The measures and their sources:
//
//   - Arrivals: gaps and their coefficient of variation; the index of dispersion for counts at several windows (Cox and
//     Lewis, 1966), which is 1 for a Poisson process; the daily rhythm.
//   - Durations: completion times of runs, durations of attempts, tasks per run; each with the share that the largest
//     1% hold.
//   - Fits: exponential, lognormal, Weibull, gamma and Pareto, with package distfit.
//   - Concurrency: attempts and runs under way over time, and the utilisation of tokens or machines.
//   - Failures: attempts by status, reason and machine, retries, and the task-seconds that were wasted.
//   - Cutoff: jobs are short or long by their mean task duration (Hawk, ATC 2015).
//
// Attempts and runs count as well ended if they succeeded, or if the trace records no outcome: a trace without
// statuses still has durations. Failed, killed, evicted and lost ones are summarised apart. Those that had not
// ended enter fits as right-censored at the end of the trace, or, if every run has a separate log, at the last
// known instant of the run.
//
// Every part needs its own columns and is not available without them; see [Needs] for all.
package workload

import (
	"math"
	"time"

	"racecard/analyses/digest"
	"racecard/analyses/internal/uint128"
	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// Options of the analysis.
type Options struct {
	Unix      bool            // times count from 1970: hours of the day are known
	Zone      *time.Location  // of the hours of the day; nil is UTC
	Machines  []trace.Machine // of the cluster; none when the trace does not say
	Until     trace.Instant   // end of the trace's recording; None if every run has a separate log
	Memory    int64           // bytes for values that are kept one by one, per kind; beyond it, results are estimates
	Resamples int             // of each test of a distribution
	Seed      uint64
}

// DefaultOptions returns the options of racecard's manual.
func DefaultOptions() Options {
	return Options{Until: trace.None, Memory: 1 << 30, Resamples: 200, Seed: 1}
}

// Needs returns columns; the analysis needs at least one of them, and every part has further needs.
func Needs() []string {
	return []string{"jobs.submit|jobs.start|jobs.status|stages.tasks|tasks.duration"}
}

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{
		"jobs.submit", "jobs.start", "jobs.end", "jobs.status", "jobs.name", "jobs.guaranteed", "stages.tasks", "stages.cpu", "stages.gpu",
		"tasks.start", "tasks.end", "tasks.duration", "tasks.status", "tasks.machine", "tasks.reason",
		"tasks.speculative",
		"tasks.cpu", "tasks.gpu", "allocations.at", "allocations.tokens", "allocations.spare",
	}
}

// perValue is the number of bytes of Options.Memory per attempt: its duration, start and end, twice while they are
// sorted.
const perValue = 40

// Partial is the state after some of the runs. It takes about 80 bytes per run, and 24 bytes per attempt up to
// Options.Memory / 40 attempts of a kind.
type Partial struct {
	opts     Options `partial:"-"`
	runs     int64
	byStatus map[trace.Status]int64
	parts    [numParts]map[string]int64 // runs left out of each part, by reason

	arrivals     []int64
	byStart      int64
	ends         int64 // runs with a known end
	completion   *digest.Digest
	unknownEnd   int64 // of completion: runs of unknown status
	unsuccessful *digest.Digest
	wait         *digest.Digest
	censored     int64
	open         *digest.Digest // lower bounds of the durations of those runs
	longest      top            // runs
	waited       top

	tasks *digest.Digest // per run
	most  top            // runs, by tasks
	jobs  []job

	duration     *digest.Digest // of attempts
	lost         *digest.Digest // durations of unsuccessful attempts
	openTasks    *digest.Digest // lower bounds of the durations of attempts that had not ended
	attempts     [trace.Running + 1]int64
	time         [trace.Running + 1]uint128.Sum
	untimed      int64 // attempts that ended without a known duration
	longestTask  top
	longestWaste top

	taskLoad load
	runLoad  load
	used     [numResources]series // weights in millionths
	holding  series               // attempts of runs whose tokens are known
	tokens   series

	reasons     *reasons
	perTask     [maxTries]int64 // tasks with 1, 2, ... attempts
	retried     int64
	speculative int64
	retries     top // runs, by attempts after the first
	machines    map[string]*machine
}

// maxTries is the last class of the number of attempts of a task: so many or more.
const maxTries = 10

// load is a number under way at once: its mean in bins, and every event while they are few enough.
type load struct {
	series  series
	events  events
	without int64
}

// New returns an empty partial result.
func New(opts Options) *Partial {
	limit := max(0, opts.Memory/perValue)
	p := &Partial{
		opts: opts, byStatus: map[trace.Status]int64{}, completion: digest.New(math.MaxInt64),
		unsuccessful: digest.New(math.MaxInt64),
		wait:         digest.New(math.MaxInt64), open: digest.New(math.MaxInt64), openTasks: digest.New(limit),
		tasks: digest.New(math.MaxInt64), duration: digest.New(limit), lost: digest.New(limit),
		reasons: newReasons(), machines: map[string]*machine{},
	}
	for i := range p.parts {
		p.parts[i] = map[string]int64{}
	}
	p.taskLoad.events.limit, p.runLoad.events.limit = limit, math.MaxInt64
	return p
}

// badly reports whether something did not succeed.
func badly(s trace.Status) bool { return !s.Well() && s != trace.Running }

// Add adds one run.
func (p *Partial) Add(run *trace.Run) {
	p.runs++
	p.byStatus[run.Status]++
	p.addTimes(run)
	p.addTasks(run)
	p.addAttempts(run)
	p.addTokens(run)
}

// addTimes adds the times of the run.
func (p *Partial) addTimes(run *trace.Run) {
	arrival := run.Submit
	if !arrival.Known() {
		arrival = run.Start
		if arrival.Known() {
			p.byStart++
		}
	}
	if arrival.Known() {
		p.arrivals = append(p.arrivals, int64(arrival))
	} else {
		p.parts[partArrivals]["runs without a known submission or start"]++
	}
	if arrival.Known() && run.End.Known() {
		p.runLoad.add(int64(arrival), int64(run.End))
	} else {
		p.runLoad.without++
	}
	if run.End.Known() {
		p.ends++
	}
	here := place{run: run.ID}
	if w := run.Start.Since(run.Submit); w.Known() {
		if w < 0 {
			p.parts[partDurations]["waits of runs that start before they are submitted"]++
		} else {
			p.wait.Add(int64(w))
			p.waited.add(int64(w), here, run.Name)
		}
	}
	d := run.Completion()
	switch {
	case run.Status == trace.Running:
		p.censored++
		seen(p.open, arrival, p.until(run))
	case !d.Known() || d < 0:
		p.parts[partDurations]["runs without a known completion time"]++
	case badly(run.Status):
		p.unsuccessful.Add(int64(d))
	default:
		if run.Status == trace.StatusUnknown {
			p.unknownEnd++
		}
		p.completion.Add(int64(d))
		p.longest.add(int64(d), here, run.Name)
	}
}

// until returns the last instant at which a run that had not ended was observed; None if it is not known.
func (p *Partial) until(run *trace.Run) trace.Instant {
	if p.opts.Until.Known() {
		return p.opts.Until
	}
	last := max(run.Submit, run.Start)
	for i := range run.Attempts {
		last = max(last, run.Attempts[i].Start, run.Attempts[i].End)
	}
	return last
}

// seen adds the observed duration of a run or attempt that had not ended, if it is known.
func seen(to *digest.Digest, from, until trace.Instant) {
	if d := until.Since(from); d.Known() && d > 0 {
		to.Add(int64(d))
	}
}

// addTasks counts the run's tasks: the stated number of each stage, or else its tasks with attempts.
func (p *Partial) addTasks(run *trace.Run) {
	var tasks int64
	if len(run.Stages) == 0 {
		p.parts[partTasks]["runs without stages"]++
		return
	}
	next := 0
	for i := range run.Stages {
		seen, last := int64(0), int32(-1)
		for ; next < len(run.Attempts) && run.Attempts[next].Stage == int32(i); next++ {
			if a := &run.Attempts[next]; a.Task != last {
				seen, last = seen+1, a.Task
			}
		}
		switch n := run.Stages[i].Tasks; {
		case n != trace.None:
			tasks += min(n, math.MaxInt64-tasks)
		case seen > 0:
			tasks += seen
		default:
			p.parts[partTasks]["runs with a stage of an unknown number of tasks"]++
			return
		}
	}
	p.tasks.Add(tasks)
	p.most.add(tasks, place{run: run.ID}, run.Name)
}

func (l *load) add(from, to int64) {
	l.series.add(from, to, 1)
	l.events.add(from, to)
}

func (l *load) merge(q *load) {
	l.series.merge(&q.series)
	l.events.merge(&q.events)
	l.without += q.without
}

// Merge adds the runs of q to p, as if they had come after the runs of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.runs += q.runs
	lists.Add(p.byStatus, q.byStatus)
	for i := range p.parts {
		lists.Add(p.parts[i], q.parts[i])
	}
	p.arrivals = append(p.arrivals, q.arrivals...)
	p.jobs = append(p.jobs, q.jobs...)
	p.byStart += q.byStart
	p.ends += q.ends
	p.unknownEnd += q.unknownEnd
	p.censored += q.censored
	for _, d := range [][2]*digest.Digest{{p.completion, q.completion}, {p.unsuccessful, q.unsuccessful},
		{p.wait, q.wait},
		{p.tasks, q.tasks}, {p.open, q.open}, {p.openTasks, q.openTasks}, {p.duration, q.duration}, {p.lost, q.lost}} {
		d[0].Merge(d[1])
	}
	for _, t := range [][2]*top{{&p.longest, &q.longest}, {&p.waited, &q.waited}, {&p.most, &q.most},
		{&p.longestTask, &q.longestTask}, {&p.longestWaste, &q.longestWaste}, {&p.retries, &q.retries}} {
		t[0].merge(t[1])
	}
	for s := range p.attempts {
		p.attempts[s] += q.attempts[s]
		p.time[s].AddSum(q.time[s])
	}
	p.untimed += q.untimed
	p.taskLoad.merge(&q.taskLoad)
	p.runLoad.merge(&q.runLoad)
	for r := range p.used {
		p.used[r].merge(&q.used[r])
	}
	p.holding.merge(&q.holding)
	p.tokens.merge(&q.tokens)
	p.reasons.merge(q.reasons)
	for i, n := range q.perTask {
		p.perTask[i] += n
	}
	p.retried += q.retried
	p.speculative += q.speculative
	for name, m := range q.machines {
		if have := p.machines[name]; have != nil {
			have.ended += m.ended
			have.failed += m.failed
			have.time.AddSum(m.time)
		} else {
			p.machines[name] = m
		}
	}
}
