// Package recurrence measures how much the completion times of recurring jobs vary from run to run, and where that comes from.
// It begins with Table 1 of Jockey (A. D. Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys
// 2012, §2.2): the coefficient of variation over all runs of a job, and over groups of its runs whose inputs are nearly equal.
//
// A job is a name, after [jobname.Normalize]; it recurs when at least MinRuns of its runs succeeded. Its CoV is taken over
// the succeeded runs whose completion time is known. Groups of similar input are made within a job: its runs sorted by
// input bytes, a group begins at the first run and takes the next while its input is at most 1.1 times the group's
// smallest; groups of at least three runs count.
//
// # Causes
//
// The variance of the logarithm of a job's completion time is divided by regression: each cause has the share that package
// lmg gives it, averaged over all orders of the causes and adjusted for their number; the shares and the rest add up to 1. The
// causes are
//
//   - input: the logarithm of the input bytes
//   - tokens: the logarithm of the tokens that the run was guaranteed
//   - queueing: the logarithm of the factor by which the time from submit to start would lengthen the job's median run
//   - spare: the share of its attempts on spare tokens
//   - failures: the share of its task-seconds in attempts that did not succeed
//   - hour, weekday: sine and cosine of the time within a day and within a week, whatever instant the trace counts from, where the
//     runs cover at least two of them
//   - drift: the levels between changes, or the trend; only what it explains beyond the other causes
//
// A cause is examined in a job when it is known for four of five of its runs; the runs for which not all of them are known
// are left out. There must be ten runs more than the regression has parameters: causes are taken up in this order while there
// are. One that does not vary explains nothing. An association is no proof: what goes with a cause unseen is put down to it.
//
// # Drift
//
// A job whose level changes, or that becomes steadily slower or faster, is not called variable for that. Changes of level are
// those of package changepoint, in segments of at least five runs; a trend is what the test of Mann and Kendall calls one with
// a probability of error below 0.01, its size the slope of Theil and Sen. Where there are both, what leaves less variation is
// taken. Both take successive runs for independent: where slow runs come in spells, chance looks like drift more often.
// cov_within is the variation within the segments, or along the trend.
//
// # Stragglers, cost, impact
//
// A straggler is an attempt that lasted more than 1.5 times the median of its stage in that run, over succeeded attempts (over
// all when none succeeded). The cost of a job is the task-seconds of its runs; where the trace has none the guaranteed
// tokens times the time from start to end, else the time alone. Its impact is cov_within² x cost: the relative variance of its
// completion time, times what it costs.
package recurrence

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"racecard/analyses/jobname"
	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// MinGroup is the least number of runs in a group of similar input.
const MinGroup = 3

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

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{"jobs.input_bytes", "jobs.guaranteed", "tasks.status", "tasks.duration", "tasks.spare"}
}

// Reasons why runs are left out.
const (
	leftNameless   = "without a name"
	leftCompletion = "succeeded without a known completion time"
)

// Partial is what is known after some of the runs. Its memory grows with the number of succeeded runs, about 130 bytes each.
type Partial struct {
	opts     Options
	runs     int
	byStatus map[string]int
	leftOut  map[string]int64
	jobs     map[string]*job
	names    map[string]string // raw name -> normalised
	room     []float64
}

type job struct {
	name      string // normalised
	raw       map[string]struct{}
	succeeded int
	failed    int
	runs      []observed
	slowest   end
	fastest   end
}

type end struct {
	id      string
	seconds float64
}

// New returns the partial result of no runs.
func New(opts Options) *Partial {
	return &Partial{opts: opts, byStatus: map[string]int{}, leftOut: map[string]int64{}, jobs: map[string]*job{}, names: map[string]string{}}
}

// Add takes one run into account.
func (p *Partial) Add(run *trace.Run) {
	p.runs++
	p.byStatus[run.Status.String()]++
	if run.Name == "" {
		p.leftOut[leftNameless]++
		return
	}
	j := p.job(run.Name)
	if run.Status != trace.Succeeded {
		if run.Status != trace.Running && run.Status != trace.StatusUnknown {
			j.failed++
		}
		return
	}
	j.succeeded++
	d := run.Completion()
	if !d.Known() || d < 0 {
		p.leftOut[leftCompletion]++
		return
	}
	s := d.Seconds()
	j.runs = append(j.runs, observe(run, s, &p.room))
	j.slowest = extremer(j.slowest, end{run.ID, s}, +1)
	j.fastest = extremer(j.fastest, end{run.ID, s}, -1)
}

// extremer returns the larger (sign +1) or smaller (sign -1) of two, the lower id of equals, and b when a is empty.
func extremer(a, b end, sign int) end {
	if a.id == "" || b.id != "" && cmp.Or(sign*cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.id, b.id)) > 0 {
		return b
	}
	return a
}

func (p *Partial) job(raw string) *job {
	name, ok := p.names[raw]
	if !ok {
		name = raw
		if !p.opts.RawNames {
			name = jobname.Normalize(raw)
		}
		p.names[raw] = name
	}
	j := p.jobs[name]
	if j == nil {
		j = &job{raw: map[string]struct{}{}}
		p.jobs[name] = j
	}
	j.raw[raw] = struct{}{}
	return j
}

// Merge adds what q knows to p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	p.runs += q.runs
	for k, n := range q.byStatus {
		p.byStatus[k] += n
	}
	for k, n := range q.leftOut {
		p.leftOut[k] += n
	}
	maps.Copy(p.names, q.names)
	for name, from := range q.jobs {
		to := p.jobs[name]
		if to == nil {
			p.jobs[name] = from
			continue
		}
		maps.Copy(to.raw, from.raw)
		to.succeeded += from.succeeded
		to.failed += from.failed
		to.runs = append(to.runs, from.runs...)
		to.slowest = extremer(to.slowest, from.slowest, +1)
		to.fastest = extremer(to.fastest, from.fastest, -1)
	}
}

// Finish computes the result. It sorts before it sums, so the result does not depend on the order of runs or merges.
func (p *Partial) Finish(ctx context.Context) (*result.Recurrence, error) {
	r := &result.Recurrence{
		Header: result.Header{Available: true, Needs: Needs(), LeftOut: p.leftOut},
		Runs:   p.runs, ByStatus: p.byStatus, Succeeded: p.byStatus[trace.Succeeded.String()], MinRuns: p.opts.MinRuns,
		Merged: map[string]int{}, Rules: jobname.Rules(), Intervals: quantile.NewIntervals(),
		Jobs: []result.RecurringJob{}, Groups: []result.SimilarInputSet{},
	}
	if p.opts.RawNames {
		r.Rules = nil
	}
	recurring := 0
	var covs, similar []float64
	var jobs []*job
	for _, name := range slices.Sorted(maps.Keys(p.jobs)) {
		j := p.jobs[name]
		j.name = name
		if len(j.raw) > 1 {
			r.Merged[name] = len(j.raw)
		}
		if j.succeeded >= p.opts.MinRuns {
			jobs = append(jobs, j)
			recurring += j.succeeded
		}
	}
	r.Recurring = len(jobs)
	basis := costBasis(jobs)
	r.CostBasis = costs[basis].name
	for _, j := range jobs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, groups := j.describe(j.name, basis)
		for _, g := range groups {
			r.Groups = append(r.Groups, g)
			similar = appendKnown(similar, g.CoV)
		}
		covs = appendKnown(covs, row.CoV)
		if len(j.runs) > 1 && row.MeanS > 0 {
			r.Jobs = append(r.Jobs, row)
		}
	}
	r.ShareOfRuns = result.Number(float64(recurring) / float64(r.Succeeded))
	slices.SortStableFunc(r.Jobs, func(a, b result.RecurringJob) int {
		return cmp.Or(cmp.Compare(b.Impact, a.Impact), cmp.Compare(b.CoV, a.CoV))
	})
	r.Shown = shown(r.Jobs, p.jobs)
	r.Extremes = extremes(jobs)
	r.CoV, r.CoVSimilarInput = quantile.Summarize(covs), quantile.Summarize(similar)
	within := p.summarize(r, jobs)
	quantile.AddIntervals(&r.Intervals, "cov", covs, p.opts.Seed)
	quantile.AddIntervals(&r.Intervals, "cov_similar_input", similar, p.opts.Seed)
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
func (j *job) similar(name string) (groups []result.SimilarInputSet, least, most int64) {
	var known []observed
	for _, o := range j.runs {
		if o.input != trace.None {
			known = append(known, o)
		}
	}
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
					Name: name, Runs: to - from, MinInput: float64(known[from].input), MaxInput: float64(known[to-1].input),
					MeanS: quantile.Mean(seconds), CoV: cov,
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
