// Package cov measures how much the completion times of recurring jobs vary from run to run: Table 1 of Jockey (A. D. Ferguson et
// al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012, §2.2), the coefficient of variation over all
// runs of a job, with the percentiles of each job. It reads five columns of the jobs table and nothing else, a million runs in a
// fraction of a second. Package recurrence begins with the same numbers, and says where they come from.
//
// A job is a name, after [jobname.Normalize]; it recurs when at least MinRuns of its runs succeeded. Its CoV is taken over
// the succeeded runs whose completion time is known.
package cov

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"racecard/analyses/each"
	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Options say what recurs.
type Options struct {
	MinRuns  int    // succeeded runs that make a name a recurring job; at least 2
	RawNames bool   // take names as they are
	Seed     uint64 // of the bootstrap
}

// DefaultOptions returns the options of the paper and of racecard's manual.
func DefaultOptions() Options { return Options{MinRuns: 10, Seed: 1} }

// Validate reports the first option that makes no sense.
func (o Options) Validate() error {
	if o.MinRuns < 2 {
		return fmt.Errorf("--min-runs %d: a job needs at least 2 runs to vary", o.MinRuns)
	}
	return nil
}

// Needs returns the columns the analysis reads. An alternative is written a|b.
func Needs() []string {
	return []string{"jobs.name", "jobs.status", "jobs.end", "jobs.submit|jobs.start"}
}

// Reasons why runs are left out.
const (
	leftNameless   = "without a name"
	leftCompletion = "succeeded without a known completion time"
)

// Partial is what is known after some of the runs. Its memory grows with the number of succeeded runs, about 12 bytes each, and
// of distinct names.
type Partial struct {
	opts                 Options
	runs                 int
	byStatus             [trace.Running + 1]int
	nameless, incomplete int64
	jobs                 *jobs
	times                [][]completion // of succeeded runs, in the order in which they came
}

// completion is the completion time of a run.
type completion struct {
	seconds float64
	job     int32
}

// New returns the partial result of no runs.
func New(opts Options) *Partial {
	return &Partial{opts: opts, jobs: newJobs(opts.RawNames), times: [][]completion{nil}}
}

// Add takes one run into account.
func (p *Partial) Add(run *trace.Run) { p.Counts(run) }

// Counts takes one run into account, and reports whether it counts for the variation of its job: its completion time is then the
// next of [Partial.Jobs].
func (p *Partial) Counts(run *trace.Run) (seconds float64, counts bool) {
	p.runs++
	p.byStatus[run.Status]++
	if run.Name == "" {
		p.nameless++
		return 0, false
	}
	k := p.jobs.of(run.Name)
	j := &p.jobs.list[k]
	switch run.Status {
	case trace.Succeeded:
	case trace.Running, trace.StatusUnknown:
		return 0, false
	default:
		j.failed++
		return 0, false
	}
	j.succeeded++
	d := run.Completion()
	if !d.Known() || d < 0 {
		p.incomplete++
		return 0, false
	}
	s := d.Seconds()
	last := &p.times[len(p.times)-1]
	*last = append(*last, completion{s, k})
	j.slowest = extremer(j.slowest, end{run.ID, s}, +1)
	j.fastest = extremer(j.fastest, end{run.ID, s}, -1)
	return s, true
}

// Merge adds what q knows to p, as if its runs had come after those of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.runs += q.runs
	for k, n := range q.byStatus {
		p.byStatus[k] += n
	}
	p.nameless, p.incomplete = p.nameless+q.nameless, p.incomplete+q.incomplete
	number := p.jobs.merge(q.jobs)
	for _, chunk := range q.times {
		for i := range chunk {
			chunk[i].job = number[chunk[i].job]
		}
	}
	p.times = append(p.times, q.times...)
}

// Job is a recurring job.
type Job struct {
	result.JobVariation
	Runs []int32 // its runs among those that count, in the order in which they came
}

// Jobs returns what varies by how much, and the recurring jobs in the order of their names. Time O(n log n).
func (p *Partial) Jobs(ctx context.Context) (v result.Variation, head result.Header, recurring []Job, err error) {
	head = result.Header{Available: true, Needs: Needs(), LeftOut: map[string]int64{}}
	for reason, n := range map[string]int64{leftNameless: p.nameless, leftCompletion: p.incomplete} {
		if n > 0 {
			head.LeftOut[reason] = n
		}
	}
	v = result.Variation{Runs: p.runs, Succeeded: p.byStatus[trace.Succeeded], ByStatus: map[string]int{}, MinRuns: p.opts.MinRuns, Rules: p.jobs.rules()}
	for status, n := range p.byStatus {
		if n > 0 {
			v.ByStatus[trace.Status(status).String()] = n
		}
	}
	if v.Merged, err = p.jobs.merged(ctx); err != nil {
		return v, head, nil, err
	}
	begin, runs, seconds := p.byJob()
	succeeded := 0
	var which []int32
	for _, k := range p.jobs.byName() {
		if j := &p.jobs.list[k]; j.succeeded >= p.opts.MinRuns {
			which = append(which, k)
			succeeded += j.succeeded
		}
	}
	recurring = make([]Job, len(which))
	err = each.Do(ctx, len(which), func() func(int) {
		return func(i int) {
			k := which[i]
			recurring[i] = Job{p.jobs.list[k].describe(seconds[begin[k]:begin[k+1]]), runs[begin[k]:begin[k+1]]}
		}
	})
	var covs []float64
	for i := range recurring {
		if cov := recurring[i].CoV; !math.IsNaN(cov) {
			covs = append(covs, cov)
		}
	}
	v.Recurring, v.ShareOfRuns, v.CoV = len(which), result.Number(float64(succeeded)/float64(v.Succeeded)), quantile.Summarize(covs)
	return v, head, recurring, err
}

// byJob sorts completion times by job. Those of job k are from begin[k] up to begin[k+1]: of which runs, and their seconds.
func (p *Partial) byJob() (begin []int, runs []int32, seconds []float64) {
	begin = make([]int, len(p.jobs.list)+1)
	n := 0
	for _, chunk := range p.times {
		n += len(chunk)
		for i := range chunk {
			begin[chunk[i].job+1]++
		}
	}
	for k := range p.jobs.list {
		begin[k+1] += begin[k]
	}
	next := slices.Clone(begin)
	runs, seconds = make([]int32, n), make([]float64, n)
	n = 0
	for _, chunk := range p.times {
		for i := range chunk {
			at := &next[chunk[i].job]
			runs[*at], seconds[*at] = int32(n), chunk[i].seconds
			*at++
			n++
		}
	}
	return begin, runs, seconds
}

// Finish computes the result. It sorts before it sums, so the result does not depend on the order of runs or merges.
func (p *Partial) Finish(ctx context.Context) (*result.CoV, error) {
	v, head, jobs, err := p.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	r := &result.CoV{Header: head, Variation: v, Intervals: quantile.NewIntervals(), Jobs: []result.JobVariation{}}
	for i := range jobs {
		if j := &jobs[i].JobVariation; j.Varies() {
			r.Jobs = append(r.Jobs, *j)
		}
	}
	slices.SortStableFunc(r.Jobs, func(a, b result.JobVariation) int { return cmp.Compare(b.CoV, a.CoV) })
	covs := make([]float64, len(r.Jobs))
	for i := range r.Jobs {
		covs[i] = r.Jobs[len(r.Jobs)-1-i].CoV
	}
	quantile.AddIntervals(&r.Intervals, "cov", covs, p.opts.Seed)
	return r, nil
}
