// Package periods compares the runs of two periods, job by job: which jobs became slower or faster, by how much, and
// why.
//
// The completion times of a job's succeeded runs are compared by the means of their logarithms, with the extremes
// clipped (a permutation test), or by ranks where the date of the change is searched (Lausen and Schumacher): once as
// they are, and once less the part that input explains. P-values are corrected for the number of jobs after Benjamini
// and Hochberg. The change is the change of the median, with a distribution-free interval (package twosample). Jobs
// that changed are measured a second time, run by run, for the cause (package anatomy), which has a date if the
// earlier period ends before the later begins. Slow runs may come in spells:
// p-values allow for the autocorrelation of a job's times about its likeliest change.
package periods

import (
	"cmp"
	"context"
	"math"
	"slices"

	"racecard/analyses/anatomy"
	"racecard/analyses/changepoint"
	"racecard/analyses/internal/twosample"
	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Levels of corrected p-values below which a job changed: for given periods, and, lower, for a search for the date of
// the change, where slow runs that come in clusters look like one. If most jobs change, the correction for the number
// of jobs hardly raises p-values, and the share of false positives among unchanged jobs is nearly the level.
const (
	GivenLevel = 0.02
	OwnLevel   = 0.0005
)

// MinChange is the change of the median below which a job counts as unchanged, whatever its p-value: with many runs,
// changes that are too small to matter are significant.
const MinChange = 0.02

// MostMeasured bounds the runs of a job that are measured for the cause, in either period: the latest before and the
// first after.
const MostMeasured = 1000

// MostExplained bounds the changed jobs that are measured for their causes: those with most time at stake.
const MostExplained = 1000

// Period is one of the two.
type Period int

// The periods.
const (
	Before Period = iota
	After
)

// Options define the compared runs.
type Options struct {
	MinRuns int     // succeeded runs in both periods that a job needs to be compared; at least 3
	Level   float64 // corrected p-value below which a job changed
	// least change of the median of a job that changed, as a share of the smaller of both medians; 0 for any
	MinChange float64
	// Own divides the runs of one store, for every job, at the likeliest change of its times, tested by
	// [twosample.Scan].
	Own  bool
	Unix bool // times are Unix times
}

// job accumulates the runs of a job.
type job struct {
	name    string
	all     [2][]one      // by the period that was given
	given   [2]int        // runs by the period that was given
	stands  [2]float64    // the time that these stand for, in seconds
	split   trace.Instant // where its later period begins; None where all runs know their period
	logs    []float64     // of its times, in time order
	seconds [2][]float64  // of runs that succeeded
	ended   [2]int        // runs that succeeded or failed
	failed  [2]int
	runs    [2][]anatomy.Run // of jobs that changed
	at      int              // in the result
}

// one is the kept part of a run.
type one struct {
	at      trace.Instant // submitted
	seconds float64       // NaN where its time is not known, infinite where it failed
	input   float64       // bytes; not positive where not known
}

// failed reports whether the run failed.
func (o one) failed() bool { return math.IsInf(o.seconds, 1) }

// timed reports whether the run succeeded and its time is known.
func (o one) timed() bool { return !math.IsNaN(o.seconds) && !o.failed() }

// held is when runs ran.
type held struct {
	starts, ends []trace.Instant
	seconds      float64 // of all together
}

func (h *held) add(from, to trace.Instant) {
	h.starts, h.ends = append(h.starts, from), append(h.ends, to)
	h.seconds += to.Since(from).Seconds()
}

// Comparison collects runs. First all runs are added, then the runs of the jobs that [Comparison.Changed]
// returns are measured.
type Comparison struct {
	opts    Options
	jobs    map[string]*job
	periods [2]result.Period
	ran     [2]held
	first   [2]trace.Instant
	last    [2]trace.Instant
	late    [2]trace.Instant // the last submission
	doc     *result.Comparison
}

// New returns an empty comparison.
func New(o Options) *Comparison {
	none := [2]trace.Instant{trace.None, trace.None}
	return &Comparison{opts: o, jobs: map[string]*job{}, first: none, last: none, late: none}
}

// Add adds a run of a period: its name, times and status. name is the job by which runs are grouped; runs without one
// count for the period only.
func (c *Comparison) Add(p Period, name string, run *trace.Run) {
	of := &c.periods[p]
	of.Runs++
	failed := false
	switch run.Status {
	case trace.Failed, trace.Killed, trace.Evicted, trace.Lost:
		failed = true
		of.Failed++
	}
	from, to := run.Submitted(), run.End
	if from.Known() {
		if !c.first[p].Known() || from < c.first[p] {
			c.first[p] = from
		}
		c.last[p], c.late[p] = max(c.last[p], from), max(c.late[p], from)
	}
	if to.Known() {
		c.last[p] = max(c.last[p], to)
		if from.Known() && from < to {
			c.ran[p].add(from, to)
		}
	}
	if name == "" {
		return
	}
	j := c.jobs[name]
	if j == nil {
		j = &job{name: name, split: trace.None}
		c.jobs[name] = j
	}
	o := one{at: from, seconds: math.NaN(), input: float64(run.InputBytes)}
	switch d := run.Completion(); {
	case failed:
		o.seconds = math.Inf(1)
	case !run.Status.Well():
		return
	case d.Known():
		o.seconds = max(1e-6, d.Seconds())
	}
	j.all[p] = append(j.all[p], o)
}

// divide assigns the runs of a job to the periods. It returns the p-value of the change if the job has its own periods,
// else NaN.
func (j *job) divide(o Options) float64 {
	p := math.NaN()
	all := slices.Concat(j.all[:]...)
	slices.SortStableFunc(all, func(a, b one) int { return cmp.Compare(a.at, b.at) })
	var inputs []float64
	var at []trace.Instant
	for _, r := range all {
		if r.timed() {
			j.logs, at, inputs = append(j.logs, math.Log(r.seconds)), append(at, r.at), append(inputs, r.input)
		}
	}
	if o.Own {
		p = j.own(at, inputs, o.MinRuns)
	}
	for given, all := range j.all {
		var at []trace.Instant
		for _, r := range all {
			at = append(at, r.at)
		}
		j.given[given], j.stands[given] = len(all), Length(at, 0)
		for _, r := range all {
			period := j.period(Period(given), r.at)
			j.ended[period]++
			if r.failed() {
				j.failed[period]++
			}
			if r.timed() {
				j.seconds[period] = append(j.seconds[period], r.seconds)
			}
		}
	}
	j.all = [2][]one{}
	return p
}

// own divides a job at the likeliest change of its times, in the order of the instants at. It returns the p-value.
func (j *job) own(at []trace.Instant, inputs []float64, minRuns int) float64 {
	p := math.NaN()
	if k, _ := changepoint.Step(j.logs, minRuns); divides(at, k) {
		j.split, p = at[k], scan(j.logs, minRuns)
	}
	if rest := withoutInput(j.logs, inputs); rest != nil {
		k, _ := changepoint.Step(rest, minRuns)
		if q := scan(rest, minRuns); divides(at, k) && q < p {
			j.split, p = at[k], q
		}
		p = min(1, 2*p) // the better of two tests
	}
	return p
}

// divides reports whether runs before and from a position on were submitted at different times.
func divides(at []trace.Instant, k int) bool { return k > 0 && at[k] > at[k-1] }

// doubtful is the p-value below which it is asked whether the runs of a job come in spells.
const doubtful = 0.1

// scan is [twosample.Scan] of runs that may come in spells.
func scan(values []float64, minRuns int) float64 {
	p := twosample.Scan(values, minRuns, 1)
	if p < doubtful {
		p = twosample.Scan(values, minRuns, twosample.Spells(values))
	}
	return p
}

// withoutInput returns the logarithms of times, in time order, less the part that inputs explain; nil where some inputs
// are not known, or all are equal.
func withoutInput(logs, inputs []float64) []float64 {
	if len(inputs) == 0 || !(slices.Min(inputs) > 0) || slices.Min(inputs) == slices.Max(inputs) {
		return nil
	}
	x := lists.Map(inputs, math.Log)
	power := anatomy.Elasticity(x, logs)
	for i := range x {
		x[i] = logs[i] - power*x[i]
	}
	return x
}

// period returns the period of a run.
func (j *job) period(p Period, at trace.Instant) Period {
	switch {
	case !j.split.Known():
		return p
	case at < j.split:
		return Before
	}
	return After
}

// Changed compares all jobs and returns the names of those that changed, those with most time at stake first, at most
// [MostExplained].
func (c *Comparison) Changed(ctx context.Context) ([]string, error) {
	d := &result.Comparison{Header: result.Header{Available: true}, Correction: "Benjamini-Hochberg",
		Level: c.opts.Level, MinChange: c.opts.MinChange, Jobs: []result.ComparedJob{},
		Appeared: []result.ComparedNames{}, Disappeared: []result.ComparedNames{}}
	var all []*job
	for _, j := range c.jobs {
		all = append(all, j)
	}
	slices.SortFunc(all, func(a, b *job) int { return cmp.Compare(a.name, b.name) })
	var both []*job
	own := make([]float64, len(all))
	if err := parallel.Do(ctx, len(all), func(i int) { own[i] = all[i].divide(c.opts) }); err != nil {
		return nil, err
	}
	var p []float64
	for i, j := range all {
		before, after := len(j.seconds[Before])+j.failed[Before], len(j.seconds[After])+j.failed[After]
		if before > 0 && after > 0 {
			both, p = append(both, j), append(p, own[i])
		}
		switch { // in the periods that were given, whatever those of the job
		case j.given[Before] == 0 && j.given[After] > 0:
			d.Appeared = append(d.Appeared, result.ComparedNames{Job: j.name, Runs: j.given[After]})
		case j.given[After] == 0 && j.given[Before] > 0:
			d.Disappeared = append(d.Disappeared, result.ComparedNames{Job: j.name, Runs: j.given[Before]})
		}
	}
	most := func(a, b result.ComparedNames) int { return cmp.Compare(b.Runs, a.Runs) }
	slices.SortStableFunc(d.Appeared, most)
	slices.SortStableFunc(d.Disappeared, most)
	d.Jobs = make([]result.ComparedJob, len(both))
	if err := parallel.Do(ctx, len(both), func(i int) {
		d.Jobs[i] = both[i].compare(c.opts.MinRuns, p[i])
		both[i].logs = nil
	}); err != nil {
		return nil, err
	}
	var tested []int
	p = nil
	for i := range d.Jobs {
		if x := float64(d.Jobs[i].PValue); !math.IsNaN(x) {
			tested, p = append(tested, i), append(p, x)
		}
	}
	d.Compared = len(p)
	for k, x := range twosample.BenjaminiHochberg(p) {
		j := &d.Jobs[tested[k]]
		j.PValue, j.Changed = result.Number(x), x < c.opts.Level && apart(float64(j.Change)) >= c.opts.MinChange
	}
	d.Appeared, d.Disappeared = withoutChanged(d.Appeared, d.Jobs), withoutChanged(d.Disappeared, d.Jobs)
	slices.SortStableFunc(d.Jobs, func(a, b result.ComparedJob) int { return cmp.Compare(stake(&b), stake(&a)) })
	var names []string
	for i := range d.Jobs {
		c.jobs[d.Jobs[i].Job].at = i
		if d.Jobs[i].Changed && len(names) < MostExplained {
			names = append(names, d.Jobs[i].Job)
		}
	}
	c.doc = d
	return names, nil
}

// withoutChanged returns the names without jobs that changed. A job that is divided at its own change may have all runs
// in one period: the change is the account of it.
func withoutChanged(names []result.ComparedNames, jobs []result.ComparedJob) []result.ComparedNames {
	changed := map[string]bool{}
	for i := range jobs {
		changed[jobs[i].Job] = jobs[i].Changed
	}
	return slices.DeleteFunc(names, func(n result.ComparedNames) bool { return changed[n.Job] })
}

// apart returns a relative change as a share of the smaller of both values.
func apart(change float64) float64 { return math.Expm1(math.Abs(math.Log1p(change))) }

// stake is the absolute change in the time of all runs of the later period, in seconds; -1 for jobs that did not
// change.
func stake(j *result.ComparedJob) float64 {
	if !j.Changed {
		return -1
	}
	return math.Abs(j.After.P50-j.Before.P50) * float64(j.After.N)
}

// compare compares the completion times of a job. p is NaN, or its p-value.
func (j *job) compare(minRuns int, p float64) result.ComparedJob {
	nan := result.Number(math.NaN())
	before, after := quantile.Sort(j.seconds[Before]), quantile.Sort(j.seconds[After])
	out := result.ComparedJob{Job: j.name, Before: quantile.Summarize(before), After: quantile.Summarize(after),
		DividedS: nan, Change: nan, Interval: [2]result.Number{nan, nan}, PValue: nan,
		FailedBefore: share(j.failed[Before], j.ended[Before]), FailedAfter: share(j.failed[After],
			j.ended[After]), CoreHBefore: nan, CoreHAfter: nan, Cause: noCause()}
	if j.split.Known() {
		out.DividedS = result.Number(trace.Duration(j.split).Seconds())
	}
	if before.Len() < minRuns || after.Len() < minRuns {
		return out
	}
	change, interval := twosample.MedianRatio(before, after)
	out.Change, out.Interval = result.Number(change), [2]result.Number{result.Number(interval[0]),
		result.Number(interval[1])}
	if math.IsNaN(p) {
		if p = twosample.ClippedMeans(before, after); p < doubtful {
			p = twosample.InSpells(p, twosample.Spells(j.logs))
		}
	}
	out.PValue = result.Number(p)
	return out
}

func share(n, of int) result.Number { return result.Number(float64(n) / float64(of)) }

func noCause() result.ChangeCause {
	nan := result.Number(math.NaN())
	return result.ChangeCause{Kind: "none", SinceS: nan, Share: nan, From: nan, To: nan, Parts: []result.CausePart{},
		Also: []result.AlsoCause{}}
}
