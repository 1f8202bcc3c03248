// Package cov measures how much the completion times of recurring jobs vary from run to run: Table 1 of Jockey (A. D.
// Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012, §2.2), the coefficient of
// variation over all runs of a job, with the percentiles of each job. It reads five columns of the jobs table and
// nothing else, a million runs in a fraction of a second. Package recurrence begins with the same numbers, and explains
// the variation.
//
// A job is a name, after [jobname.Normalize]; it recurs when at least MinRuns of its runs succeeded. Its CoV is taken
// over the succeeded runs whose completion time is known. A run with a known completion time whose outcome the
// trace does not state counts as one that succeeded.
package cov

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/jobname"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// Options define recurring jobs.
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
		return fmt.Errorf("a minimum of %d runs: a job needs at least 2 runs to vary", o.MinRuns)
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

// Partial is the state after some of the runs. Its memory grows with the number of named runs, about 50 bytes
// each, and of names as read.
type Partial struct {
	opts     Options             `partial:"-"`
	form     *jobname.Normalizer `partial:"-"` // nil when names are taken as they are
	runs     int
	byStatus [trace.Running + 1]int
	unstated int // runs of unknown status with a known completion time
	nameless int64
	chunks   []*chunk
	one      *builder `partial:"-"` // the last chunk, when runs are added one by one
}

// New returns an empty partial result.
func New(opts Options) *Partial {
	p := &Partial{opts: opts}
	if !opts.RawNames {
		p.form = &jobname.Normalizer{}
	}
	return p
}

// Add adds one run.
func (p *Partial) Add(run *trace.Run) { p.Counts(run) }

// Counts adds one run, and reports whether it counts for the variation of its job. If so, its completion time is the
// next one of [Partial.Jobs].
func (p *Partial) Counts(run *trace.Run) (seconds float64, counts bool) {
	p.runs++
	p.byStatus[run.Status]++
	seconds = mark(run.Status, run.Completion())
	p.countUnstated(run.Status, seconds)
	if run.JobName(p.form == nil) == "" {
		p.nameless++
		return 0, false
	}
	if p.one == nil {
		p.one = &builder{}
		p.chunks = append(p.chunks, &p.one.chunk)
	}
	p.one.add(p.one.place(run.Name, run.Job, p.form), seconds, len(p.one.ids))
	p.one.ids = append(p.one.ids, run.ID)
	return seconds, seconds >= 0
}

// countUnstated counts a run of unknown status that has a completion time.
func (p *Partial) countUnstated(status trace.Status, seconds float64) {
	if status == trace.StatusUnknown && seconds >= 0 {
		p.unstated++
	}
}

// AddColumns adds runs as Add does, but faster. It keeps the ids in columns.
func (p *Partial) AddColumns(columns *trace.RunColumns) {
	p.runs += columns.Len()
	c := &chunk{ids: columns.IDs}
	c.reserve(columns.Texts, columns.Len())
	names, stated := columns.Names, p.form != nil && columns.Jobs != nil
	if stated {
		names = p.learnJobs(c, columns)
	} else {
		for _, read := range columns.Texts {
			c.learn(read, "", p.form)
		}
	}
	for i, name := range names {
		p.byStatus[columns.Status[i]]++
		seconds := mark(columns.Status[i], columns.Completion(i))
		p.countUnstated(columns.Status[i], seconds)
		if name < 0 || !stated && columns.Texts[name] == "" {
			p.nameless++
			continue
		}
		c.add(name, seconds, i)
	}
	c.divide() // while it is in the cache
	p.chunks, p.one = append(p.chunks, c), nil
}

// learnJobs adds each pair of a name and a job once, and returns the pair of every run, -1 for one with neither.
func (p *Partial) learnJobs(c *chunk, columns *trace.RunColumns) []int32 {
	type pair struct{ name, job int32 }
	places, places0 := map[pair]int32{}, make([]pair, len(columns.Texts)) // most names belong to one job
	out := make([]int32, len(columns.Names))
	first := make([]int32, len(columns.Texts))
	for i, name := range columns.Names {
		x := pair{name, columns.Jobs[i]}
		if name >= 0 && first[name] > 0 && places0[name] == x {
			out[i] = first[name] - 1
			continue
		}
		at, ok := places[x]
		if !ok {
			read, job := "", ""
			if name >= 0 {
				read = columns.Texts[name]
			}
			if x.job >= 0 {
				job = columns.JobTexts[x.job]
			}
			if out[i] = -1; read == "" && job == "" {
				continue
			}
			at = int32(len(c.names))
			c.learn(read, job, p.form)
			if places[x] = at; name >= 0 && first[name] == 0 {
				first[name], places0[name] = at+1, x
			}
		}
		out[i] = at
	}
	return out
}

// Merge adds the runs of q to p, as if they had come after the runs of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.runs += q.runs
	for k, n := range q.byStatus {
		p.byStatus[k] += n
	}
	p.unstated, p.nameless = p.unstated+q.unstated, p.nameless+q.nameless
	for _, c := range q.chunks {
		c.divide() // takes memory proportional to the runs only
	}
	p.chunks, p.one = append(p.chunks, q.chunks...), nil
}

// Job is a recurring job.
type Job struct {
	result.JobVariation
	Runs []int32 // its runs among those that count, in the order in which they came
}

// Jobs returns the overall variation, and the recurring jobs in the order of their names. Time O(n log n).
func (p *Partial) Jobs(ctx context.Context) (v result.Variation, head result.Header, recurring []Job, err error) {
	v, head, recurring, err = p.vary(ctx)
	slices.SortFunc(recurring, func(a, b Job) int { return cmp.Compare(a.Name, b.Name) })
	return v, head, recurring, err
}

// vary is Jobs in any order.
func (p *Partial) vary(ctx context.Context) (v result.Variation, head result.Header, recurring []Job, err error) {
	shards, err := p.group(ctx)
	if err != nil {
		return v, head, nil, err
	}
	head = result.Header{Available: true, Needs: Needs(), LeftOut: map[string]int64{}}
	for reason, n := range map[string]int64{leftNameless: p.nameless, leftCompletion: p.incomplete()} {
		if n > 0 {
			head.LeftOut[reason] = n
		}
	}
	if p.unstated > 0 {
		head.Warnings = append(head.Warnings, fmt.Sprintf("how %s of %s ended is not known: they count as succeeded",
			words.Count(p.unstated), words.Of(p.runs, "run", "runs")))
	}
	v = result.Variation{Runs: p.runs, Succeeded: p.byStatus[trace.Succeeded], Unstated: p.unstated,
		ByStatus: map[string]int{}, MinRuns: p.opts.MinRuns}
	if p.form != nil {
		v.Rules = jobname.Rules()
	}
	for status, n := range p.byStatus {
		if n > 0 {
			v.ByStatus[trace.Status(status).String()] = n
		}
	}
	succeeded, jobs, names := 0, 0, 0
	for i := range shards {
		succeeded, jobs, names = succeeded+shards[i].succeeded, jobs+len(shards[i].recurring), names+
			len(shards[i].merged)
	}
	recurring, v.Merged = make([]Job, 0, jobs), make(map[string]int, names)
	covs := make([]float64, 0, jobs)
	for i := range shards {
		for _, m := range shards[i].merged {
			v.Merged[m.job] = m.names
		}
		for k := range shards[i].recurring {
			job := &shards[i].recurring[k]
			recurring = append(recurring, *job)
			if !math.IsNaN(job.CoV) {
				covs = append(covs, job.CoV)
			}
		}
	}
	v.Recurring, v.ShareOfRuns, v.CoV = len(recurring), result.Number(float64(succeeded)/float64(v.Succeeded+
		v.Unstated)), quantile.Summarize(quantile.Sort(covs))
	return v, head, recurring, nil
}

// group groups the runs by their jobs, on all cores.
func (p *Partial) group(ctx context.Context) ([]shard, error) {
	err := parallel.Do(ctx, len(p.chunks), func(i int) { p.chunks[i].divide() })
	if err != nil {
		return nil, err
	}
	out := make([]shard, shards)
	return out, parallel.With(ctx, shards, parallel.Options{}, func() func(context.Context, int) error {
		g := grouper{minRuns: p.opts.MinRuns}
		return func(_ context.Context, i int) error { out[i] = g.group(p.chunks, i); return nil }
	})
}

// incomplete returns how many named runs succeeded without a known completion time.
func (p *Partial) incomplete() (n int64) {
	for _, c := range p.chunks {
		for i := range c.runs {
			if c.runs[i].seconds == incomplete {
				n++
			}
		}
	}
	return n
}

// Finish computes the result. It sorts before it sums, so the result does not depend on the order of runs or merges.
func (p *Partial) Finish(ctx context.Context) (*result.CoV, error) {
	v, head, jobs, err := p.vary(ctx)
	if err != nil {
		return nil, err
	}
	order := make([]int32, 0, len(jobs))
	for i := range jobs {
		if jobs[i].Varies() {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(jobs[b].CoV, jobs[a].CoV), cmp.Compare(jobs[a].Name, jobs[b].Name))
	})
	r := &result.CoV{Header: head, Variation: v, Intervals: quantile.NewIntervals(),
		Jobs: make([]result.JobVariation, len(order))}
	covs := make([]float64, len(order))
	for i, k := range order {
		r.Jobs[i] = jobs[k].JobVariation
		covs[i] = r.Jobs[i].CoV
	}
	quantile.AddIntervals(&r.Intervals, "cov", quantile.Sort(covs), p.opts.Seed)
	return r, nil
}
