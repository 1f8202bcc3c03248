// Package dependency measures how jobs depend on each other through the datasets that they write and read: the time
// between a job and the job that reads its output, the length of chains of such jobs, and the number of jobs and groups
// that depend, directly or not, on the output of a job. It follows Figure 1 of Jockey (A. D. Ferguson et al., "Jockey:
// Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012, §2.5).
//
// # Which run depends on which
//
// A read happens when its run starts and a write when its run ends, unless the access has its own time (io.at).
// A run without a start counts as started when it was submitted. A run that was still running when the trace
// ended never ends.
//
// Runs are ordered by start, then end, then place in the input. For each read, a run depends on the writer of the
// dataset with the latest write at or before the read; of writes at one instant the writer that comes last in the order
// counts. If nothing was written yet, it depends on the latest-started writer that had started strictly before it and
// had not ended. A run depends only on runs before it in the order, so never on itself, and a dataset that is written
// repeatedly makes no cycle, even among runs that start and end at the same instant. A pair of runs counts once,
// however many datasets join it.
//
// The gap of a pair is the dependent's start minus the producer's end. If that is negative, the pair overlaps: it is an
// edge like any other, but has no gap.
//
// # Cost
//
// A partial result takes 16 bytes for each row of io, about 70 bytes plus its id for each run with accesses, and about
// 16 bytes plus its name for each dataset. Pairs and chains take time linear in the rows of io, besides sorting. The
// runs downstream of a run take a set per run. A set is dropped as soon as no other run needs it, and sets share their
// common parts: see [Options.Memory]. The default is enough for exact numbers of a synthetic trace of 1,000,000 runs,
// where 804,509 runs feed others and have up to 460,245 runs downstream (3,000,000 reads and writes, 1,656,294 pairs).
// The largest real traces with reads and writes are 38 workflows with 3,094 reads. Beyond the default, sketches take a
// few kilobytes for each set that is needed at once, and time linear in the number of pairs.
package dependency

import (
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// Options of the analysis.
type Options struct {
	// Memory bounds, in bytes, the sets of runs downstream of runs. Indirect dependents and dependent groups are
	// counted exactly while the sets fit. Otherwise they are estimated per connected component with HyperLogLog,
	// with a standard error that the result states. Whether sets fit does not depend on the machine.
	Memory int64
	Seed   uint64 // of the bootstrap
}

// DefaultOptions returns the options of racecard's manual.
func DefaultOptions() Options { return Options{Memory: 1 << 30, Seed: 1} }

// Needs returns the columns the analysis cannot do without. An alternative is written a|b.
func Needs() []string {
	return []string{"io.dataset", "io.mode", "jobs.start|jobs.submit|io.at", "jobs.end|io.at"}
}

// Also returns the columns that are read where there are any.
func Also() []string { return []string{"jobs.name", "jobs.group", "jobs.status", "jobs.seq"} }

// Reasons why runs are left out.
const (
	leftRead  = "reads at an unknown time: no start, submit or io.at"
	leftWrite = "writes at an unknown time: no end or io.at"
)

// never is the end of a run that was still running when the trace ended.
const never = math.MaxInt64

// Partial is the state after some of the runs. It holds at most 2^31 - 1 runs, datasets, names and groups each.
type Partial struct {
	opts     Options `partial:"-"`
	jobs     int     // runs that count
	leftOut  map[string]int64
	reads    int   // that count
	read     bool  // there is a read, whether it counts or not
	written  bool  // the same for a write
	ids      texts // of runs, not interned
	datasets texts
	names    texts
	groups   texts
	runs     []run
	accesses []access
}

// run is a run that reads or writes.
type run struct {
	begin, end int64 // of the run; trace.None when unknown
	first      int64 // key of the order of runs: begin, or the run's first access if that is unknown
	seq        int64
	name       int32
	group      int32 // -1 when there is none
	submitted  bool  // begin is when it was submitted
	failed     bool  // it ended without success
}

// access is a read or a write of a dataset at a known time.
type access struct {
	at      int64
	dataset int32
	run     int32 // index of the run; ^index for a write
}

// New returns an empty partial result.
func New(opts Options) *Partial { return &Partial{opts: opts, leftOut: map[string]int64{}} }

// Add adds one run.
func (p *Partial) Add(r *trace.Run) {
	if len(r.IO) == 0 {
		p.jobs++
		return
	}
	x := run{begin: int64(r.Start), end: int64(r.End), seq: r.Seq, group: -1}
	if !r.Start.Known() {
		x.begin, x.submitted = int64(r.Submit), r.Submit.Known()
	}
	if !r.End.Known() && r.Status == trace.Running {
		x.end = never
	}
	switch r.Status {
	case trace.Failed, trace.Killed, trace.Evicted, trace.Lost:
		x.failed = true
	}
	for i := range r.IO {
		p.read, p.written = p.read || !r.IO[i].Write, p.written || r.IO[i].Write
	}
	x.first = x.begin
	for i := range r.IO {
		at := x.time(&r.IO[i])
		switch {
		case at == trace.None && r.IO[i].Write:
			p.leftOut[leftWrite]++
			return
		case at == trace.None:
			p.leftOut[leftRead]++
			return
		}
		if x.begin == trace.None && (x.first == trace.None || at < x.first) {
			x.first = at
		}
	}
	p.jobs++
	number := int32(len(p.runs))
	for i := range r.IO {
		a := access{at: x.time(&r.IO[i]), dataset: p.datasets.intern(r.IO[i].Dataset), run: number}
		if r.IO[i].Write {
			a.run = ^number
		} else {
			p.reads++
		}
		p.accesses = append(p.accesses, a)
	}
	x.name = p.names.intern(r.Name)
	if r.Group != "" {
		x.group = p.groups.intern(r.Group)
	}
	p.ids.append(r.ID)
	p.runs = append(p.runs, x)
}

// time returns when an access of the run happens, trace.None when that is unknown.
func (x *run) time(a *trace.Access) int64 {
	switch {
	case a.At.Known():
		return int64(a.At)
	case a.Write:
		return x.end
	default:
		return x.begin
	}
}

// Merge adds the runs of q to p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.jobs += q.jobs
	p.reads += q.reads
	p.read, p.written = p.read || q.read, p.written || q.written
	lists.Add(p.leftOut, q.leftOut)
	if len(p.runs) == 0 {
		p.ids, p.datasets, p.names, p.groups, p.runs, p.accesses = q.ids, q.datasets, q.names, q.groups, q.runs,
			q.accesses
		return
	}
	datasets, names, groups := p.datasets.merge(&q.datasets), p.names.merge(&q.names), p.groups.merge(&q.groups)
	before := int32(len(p.runs))
	for _, x := range q.runs {
		x.name = names[x.name]
		if x.group >= 0 {
			x.group = groups[x.group]
		}
		p.runs = append(p.runs, x)
	}
	p.ids.extend(&q.ids)
	for _, a := range q.accesses {
		a.dataset = datasets[a.dataset]
		if a.run < 0 {
			a.run -= before // ^(run + before) = ^run - before
		} else {
			a.run += before
		}
		p.accesses = append(p.accesses, a)
	}
}
