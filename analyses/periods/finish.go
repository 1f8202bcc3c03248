package periods

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"racecard/analyses/anatomy"
	"racecard/analyses/quantile"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// Measure adds a run of a changed job in a second pass, with its stages and attempts.
func (c *Comparison) Measure(ctx context.Context, p Period, name string, run *trace.Run) {
	j := c.jobs[name]
	if j == nil || !run.Status.Well() {
		return
	}
	r, known := anatomy.Measure(ctx, run)
	if !known {
		return
	}
	p = j.period(p, r.At)
	j.runs[p] = append(j.runs[p], r)
	if len(j.runs[p]) >= 2*MostMeasured {
		j.trim(p)
	}
}

// trim sorts the runs of a job that were measured and keeps the nearest to the other period.
func (j *job) trim(p Period) {
	slices.SortStableFunc(j.runs[p], func(a, b anatomy.Run) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
	})
	if n := len(j.runs[p]); n > MostMeasured {
		if p == Before {
			j.runs[p] = slices.Clone(j.runs[p][n-MostMeasured:])
		} else {
			j.runs[p] = slices.Clone(j.runs[p][:MostMeasured])
		}
	}
}

// Finish returns what changed. [Comparison.Changed] was called before.
func (c *Comparison) Finish(ctx context.Context) (*result.Comparison, error) {
	d := c.doc
	if d.Beyond = result.Number(c.moveOverlap()); d.Beyond > result.MostBeyond {
		d.Warnings = append(d.Warnings, fmt.Sprintf("runs of the earlier period went on in the later one (%s of their time): "+
			"what runs held a day is not told", words.Percent(d.Beyond)))
	}
	for p := range c.periods {
		c.finish(Period(p))
	}
	d.Before, d.After = c.periods[Before], c.periods[After]
	var changed []*job
	for _, j := range c.jobs {
		if len(j.runs[Before]) > 0 && len(j.runs[After]) > 0 {
			changed = append(changed, j)
		}
	}
	return d, parallel.Do(ctx, len(changed), func(i int) { c.explain(changed[i]) })
}

// explain finds the cause of the change of a job.
func (c *Comparison) explain(j *job) {
	j.trim(Before)
	j.trim(After)
	runs := slices.Concat(j.runs[Before], j.runs[After])
	after := make([]bool, len(runs))
	for i := len(j.runs[Before]); i < len(after); i++ {
		after[i] = true
	}
	to := &c.doc.Jobs[j.at]
	to.CoreHBefore, to.CoreHAfter = coreHours(j.runs[Before]), coreHours(j.runs[After])
	own := j.split.Known()
	found := anatomy.FindCause(runs, after, own || c.late[Before] <= c.first[After], own)
	to.Cause = causeOf(&found, runs, c.opts.Unix)
}

// causeOf converts a cause to the form of documents. runs are the runs in which it was found.
func causeOf(found *anatomy.Cause, runs []anatomy.Run, unix bool) result.ChangeCause {
	out := noCause()
	for _, p := range found.Parts {
		out.Parts = append(out.Parts, result.CausePart{What: string(p.Kind), Stage: p.Stage, Seconds: p.Seconds})
	}
	if named(found) {
		out.Kind, out.Stage = string(found.Kind), found.Stage
		out.Share, out.From, out.To = result.Number(found.Share), result.Number(found.Before),
			result.Number(found.After)
	}
	out.Since, out.SinceS = since(found, runs, unix)
	if out.Gradual = found.Gradual; found.At >= 0 {
		out.Run = runs[found.At].ID
	}
	for i := range found.Also {
		if c := &found.Also[i]; named(c) {
			a := result.AlsoCause{Kind: string(c.Kind), Stage: c.Stage, Share: result.Number(c.Share),
				From: result.Number(c.Before), To: result.Number(c.After)}
			a.Since, a.SinceS = since(c, runs, unix)
			out.Also = append(out.Also, a)
		}
	}
	return out
}

// named reports whether documents name a cause of this kind. They do not for the whole of a run without known stages.
func named(c *anatomy.Cause) bool {
	switch c.Kind {
	case anatomy.Slower:
		return c.Stage != ""
	case anatomy.Input, anatomy.Cores, anatomy.Queueing, anatomy.Failures, anatomy.Skew:
		return true
	}
	return false
}

// since returns the date of a cause, or "" and NaN if it has none.
func since(c *anatomy.Cause, runs []anatomy.Run, unix bool) (text string, seconds result.Number) {
	if c.At < 0 {
		return "", result.Number(math.NaN())
	}
	at := runs[c.At].At
	if unix {
		text = time.UnixMicro(int64(at)).UTC().Format(time.RFC3339)
	}
	return text, result.Number(trace.Duration(at).Seconds())
}

// coreHours returns the median usage of runs, NaN if their attempts have no times.
func coreHours(runs []anatomy.Run) result.Number {
	var all []float64
	for i := range runs {
		sum, tasks := 0.0, 0
		for k := range runs[i].Stages {
			s := &runs[i].Stages[k]
			sum, tasks = sum+s.Work+s.Failed, tasks+s.Tasks
		}
		if tasks > 0 {
			all = append(all, sum/3600)
		}
	}
	return result.Number(quantile.Quantile(quantile.Sort(all), 0.5))
}

// finish fills in the totals of a period.
func (c *Comparison) finish(p Period) {
	of := &c.periods[p]
	nan := result.Number(math.NaN())
	of.FromS, of.ToS, of.LengthS, of.RunsPerDay, of.AtOnce = nan, nan, nan, nan, nan
	if !c.first[p].Known() {
		return
	}
	last := c.last[p]
	if cut := c.cut(); p == Before && cut.Known() {
		last = min(last, cut)
	}
	of.FromS, of.ToS = result.Number(trace.Duration(c.first[p]).Seconds()),
		result.Number(trace.Duration(last).Seconds())
	span := float64(of.ToS - of.FromS)
	if !(span > 0) {
		return
	}
	if of.Runs > 1 { // one run tells no interval
		of.LengthS = result.Number(c.length(p, span))
		of.RunsPerDay = result.Number(float64(of.Runs) / float64(of.LengthS) * 86400)
	}
	starts, ends := c.ran[p].starts, c.ran[p].ends
	slices.Sort(starts)
	slices.Sort(ends)
	running, e := 0, 0
	for _, at := range starts {
		for ends[e] <= at {
			e++
			running--
		}
		running++
		of.PeakAtOnce = max(of.PeakAtOnce, running)
	}
	if len(starts) > 0 {
		of.AtOnce = result.Number(c.ran[p].seconds / float64(of.LengthS))
	}
}

// cut returns when the later period begins, if all runs of the earlier one were submitted before: a run that goes on
// does not make its period longer. Otherwise it is None.
func (c *Comparison) cut() trace.Instant {
	if !c.late[Before].Known() || !c.first[After].Known() || c.late[Before] >= c.first[After] {
		return trace.None
	}
	return c.first[After]
}

// moveOverlap counts the time in which runs of the earlier period went on in the later one as time of the later one. It
// returns the share of their time.
func (c *Comparison) moveOverlap() (share float64) {
	cut, before := c.cut(), &c.ran[Before]
	if !cut.Known() || before.seconds == 0 {
		return 0
	}
	all := *before
	*before = held{}
	for i, from := range all.starts {
		to := all.ends[i]
		if from < cut {
			before.add(from, min(to, cut))
		}
		if to > cut {
			c.ran[After].add(max(from, cut), to)
		}
	}
	return 1 - before.seconds/all.seconds
}

// length returns the time that the runs of a period stand for, in seconds: their number over the sum of the rates of
// all jobs. The rate of a job is its runs over their [Length]. span is the time from the first submission to the end
// of the period, over which runs without a job come.
func (c *Comparison) length(p Period, span float64) float64 {
	var rates []float64 // runs a second
	others := c.periods[p].Runs
	for _, j := range c.jobs {
		rates = append(rates, float64(j.given[p])/max(span, j.stands[p]))
		others -= j.given[p]
	}
	slices.Sort(rates) // so that the sum does not depend on the order of a map
	sum := float64(others) / span
	for _, x := range rates {
		sum += x
	}
	return float64(c.periods[p].Runs) / sum
}

// Length returns the time that runs of one job stand for, in seconds: from the first submission to the last, and a
// usual interval more, as n runs at regular intervals span n-1 of them; at least the time over which runs of any job
// were seen. The usual interval is the one that an instant lies in, typically: of runs that come in bursts, that from
// one burst to the next. Submissions that are not known do not count.
func Length(submitted []trace.Instant, least float64) float64 {
	at := slices.DeleteFunc(slices.Clone(submitted), func(t trace.Instant) bool { return !t.Known() })
	if len(at) < 2 {
		return least
	}
	slices.Sort(at)
	var gaps []float64
	for i := range at[1:] {
		gaps = append(gaps, at[i+1].Since(at[i]).Seconds())
	}
	return max(least, at[len(at)-1].Since(at[0]).Seconds()+usualGap(gaps))
}

// usualGap returns the gap in the middle of the time that gaps take together. The longest, which may be a pause that
// does not recur, is left out where there are more than a few.
func usualGap(gaps []float64) float64 {
	const few = 3
	if len(gaps) <= few {
		return quantile.Quantile(quantile.Sort(gaps), 0.5)
	}
	slices.Sort(gaps)
	weighted := make([]quantile.Weighted, len(gaps)-1)
	for i := range weighted {
		weighted[i] = quantile.Weighted{Value: gaps[i], Weight: int64(1e6 * gaps[i])}
	}
	return max(0, float64(quantile.ByWeight(weighted).Summary().P50))
}
