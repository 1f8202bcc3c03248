// Package recurrence measures how much the completion times of recurring jobs vary from run to run, and divides the
// variation among causes. It begins with Table 1 of Jockey (A. D. Ferguson et al., "Jockey: Guaranteed Job Latency in
// Data Parallel Clusters", EuroSys 2012, §2.2): the coefficient of variation over all runs of a job, and over groups of
// its runs whose inputs are nearly equal.
//
// A job is a name, after [jobname.Normalize]; it recurs when at least MinRuns of its runs succeeded. Its CoV is taken
// over the succeeded runs whose completion time is known, and over runs with one whose outcome is not stated, which
// count as runs that succeeded. Groups of similar input are made within a job: its runs
// sorted by input bytes, a group begins at the first run and takes the next while its input is at most 1.1 times the
// group's smallest; groups of at least three runs count.
//
// # Causes
//
// The variance of the logarithm of a job's completion time is divided by regression: each cause has the share that
// package lmg gives it, averaged over all orders of the causes and adjusted for their number; the shares and the rest
// add up to 1. The causes are
//
//   - input: the logarithm of the input bytes
//   - tokens: the logarithm of the tokens that the run was guaranteed
//   - queueing: the logarithm of the factor by which the time from submit to start would lengthen the job's median run
//   - spare: the share of its attempts on spare tokens
//   - failures: the share of its task-seconds in attempts that did not succeed
//   - hour, weekday: sine and cosine of the time within a day and within a week, whatever instant the trace counts
//     from, where the runs cover at least two of them
//   - drift: the levels between changes, or the trend; only what it explains beyond the other causes
//
// A cause is examined in a job if it is known for at least 80% of its runs; the other runs are left out. There must be
// ten runs more than the regression has parameters: causes enter in this order as long as this holds. A constant cause
// explains nothing. An association is no proof: the effect of an unseen cause may be attributed to a seen one.
//
// # Drift
//
// A change of level or a steady trend does not count as variation. Changes of level come from package changepoint, in
// segments of at least five runs. A trend has a Mann-Kendall probability of error below 0.01; its size is the slope of
// Theil and Sen. If there are both, the one that leaves less variation counts. Both assume independent successive runs:
// if slow runs come in clusters, false drifts are more frequent. cov_within is the variation within the segments, or
// along the trend.
//
// # Stragglers, cost, impact
//
// A straggler is an attempt that lasted more than 1.5 times the median of its stage in that run, over succeeded
// attempts (over all if none succeeded). The cost of a job is the task-seconds of its runs. Without these it is
// the guaranteed tokens times the time from start to end, otherwise the time alone. Its impact is cov_within² x
// cost: the relative variance of its completion time, times its cost.
package recurrence

import (
	"cmp"
	"context"
	"math"
	"slices"

	"racecard/analyses/cov"
	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// MinGroup is the least number of runs in a group of similar input.
const MinGroup = 3

// Options define recurring jobs.
type Options = cov.Options

// DefaultOptions returns the options of the paper and of racecard's manual.
func DefaultOptions() Options { return cov.DefaultOptions() }

// Needs returns the columns the analysis reads. An alternative is written a|b.
func Needs() []string {
	return []string{"jobs.name", "jobs.status", "jobs.end", "jobs.submit|jobs.start"}
}

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{"jobs.input_bytes", "jobs.guaranteed", "tasks.status", "tasks.duration", "tasks.spare"}
}

// Partial is the state after some of the runs. Its memory grows with the number of succeeded runs, about 120
// bytes each.
type Partial struct {
	opts Options `partial:"-"`
	cov  *cov.Partial
	seen log       // the runs that count for the variation of their job
	room []float64 `partial:"-"`
}

// job is a recurring job.
type job struct {
	*result.JobVariation
	in *log
	at []int32 // its runs, positions in the log

	ends       [numScales]float64 // largest values of its runs on the scales
	work       float64            // task-seconds of all runs, as far as they are known
	worst      float64            // largest excess of a run's stragglers over their medians, in task-seconds
	stragglers result.Stragglers
}

// runs reads the runs of the job, in the order of time.
func (j *job) runs() []observed {
	out := lists.Map(j.at, j.in.at)
	slices.SortFunc(out, inTime)
	return out
}

// New returns an empty partial result.
func New(opts Options) *Partial {
	return &Partial{opts: opts, cov: cov.New(opts)}
}

// Add adds one run.
func (p *Partial) Add(run *trace.Run) {
	if seconds, counts := p.cov.Counts(run); counts {
		o := observe(run, seconds, &p.room)
		p.seen.add(&o)
	}
}

// Merge adds the runs of q to p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.cov.Merge(q.cov)
	p.seen.merge(&q.seen)
}

// Finish computes the result. It sorts before it sums, so the result does not depend on the order of runs or merges.
func (p *Partial) Finish(ctx context.Context) (*result.Recurrence, error) {
	v, head, found, err := p.cov.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	p.cov = nil // release its memory
	head.Needs = Needs()
	r := &result.Recurrence{
		Header: head, Runs: v.Runs, ByStatus: v.ByStatus, Succeeded: v.Succeeded,
		Unstated: v.Unstated, MinRuns: v.MinRuns, Recurring: v.Recurring, ShareOfRuns: v.ShareOfRuns,
		CoV: v.CoV, Merged: v.Merged, Rules: v.Rules, Intervals: quantile.NewIntervals(), Jobs: []result.RecurringJob{},
		Groups: []result.SimilarInputSet{},
	}
	jobs := make([]*job, len(found))
	for i := range found {
		jobs[i] = &job{JobVariation: &found[i].JobVariation, in: &p.seen, at: found[i].Runs}
	}
	basis := costBasis(jobs)
	r.CostBasis = costs[basis].name
	rows, groups := make([]result.RecurringJob, len(jobs)), make([][]result.SimilarInputSet, len(jobs))
	err = parallel.Do(ctx, len(jobs), func(i int) { rows[i], groups[i] = jobs[i].describe(basis) })
	if err != nil {
		return nil, err
	}
	var covs, similar []float64
	r.Jobs = rows[:0] // in place
	for i := range rows {
		for _, g := range groups[i] {
			r.Groups = append(r.Groups, g)
			similar = appendKnown(similar, g.CoV)
		}
		covs = appendKnown(covs, rows[i].CoV)
		if jobs[i].Varies() {
			r.Jobs = append(r.Jobs, rows[i])
		}
	}
	slices.SortStableFunc(r.Jobs, func(a, b result.RecurringJob) int {
		return cmp.Or(cmp.Compare(b.Impact, a.Impact), cmp.Compare(b.CoV, a.CoV))
	})
	r.Shown = shown(r.Jobs, jobs)
	r.Extremes = extremes(jobs)
	similarInput := quantile.Sort(similar)
	r.CoVSimilarInput = quantile.Summarize(similarInput)
	within := p.summarize(r, jobs)
	quantile.AddIntervals(&r.Intervals, "cov", quantile.Sort(covs), p.opts.Seed)
	quantile.AddIntervals(&r.Intervals, "cov_similar_input", similarInput, p.opts.Seed)
	quantile.AddIntervals(&r.Intervals, "cov_within", within, p.opts.Seed)
	return r, nil
}

func appendKnown(values []float64, v float64) []float64 {
	if math.IsNaN(v) {
		return values
	}
	return append(values, v)
}

// similar returns the groups of runs with nearly equal input, and the least and the most input (-1 when none is known).
func (j *job) similar(runs []observed) (groups []result.SimilarInputSet, least, most int64) {
	known := lists.Kept(runs, func(o observed) bool { return o.input != trace.None })
	if len(known) == 0 {
		return nil, -1, -1
	}
	slices.SortFunc(known, func(a, b observed) int {
		return cmp.Or(cmp.Compare(a.input, b.input), cmp.Compare(a.seconds, b.seconds))
	})
	for from := 0; from < len(known); {
		to := from + 1
		for to < len(known) && within10Percent(known[from].input, known[to].input) {
			to++
		}
		if to-from >= MinGroup {
			seconds := make([]float64, 0, to-from)
			for _, o := range known[from:to] {
				seconds = append(seconds, o.seconds)
			}
			slices.Sort(seconds)
			if cov := quantile.CoV(seconds); !math.IsNaN(cov) {
				groups = append(groups, result.SimilarInputSet{
					Name: j.Name, Runs: to - from, MinInput: float64(known[from].input),
					MaxInput: float64(known[to-1].input),
					MeanS:    quantile.Mean(seconds), CoV: cov,
				})
			}
		}
		from = to
	}
	return groups, known[0].input, known[len(known)-1].input
}

// within10Percent reports whether large <= 1.1 x small, exactly.
func within10Percent(small, large int64) bool {
	return large-small <= small/10 // large - small is whole, so rounding small/10 down loses nothing
}
