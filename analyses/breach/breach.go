// Package breach holds recent runs against rules: jobs that fail, that miss their deadlines, and that ought to have run
// and did not.
//
//   - failures: of the runs of a job that were submitted within Window before the last instant, at least MinFailures
//     did not succeed, and at least the share FailedShare.
//   - deadline: the 95th percentile (type 7) of how late the last Recent succeeded runs of a job ended is above 0. A
//     deadline is a duration after submission, or a clock time: the first such time after submission.
//   - missing: a job with at least MinRuns runs at regular intervals (CoV below Regular) has not been submitted for
//     Missing times the longest interval.
package breach

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// The rules of this package.
const (
	Failures = "failures"
	Missed   = "deadline"
	Missing  = "missing"
)

// Options of the rules. A rule whose number is 0 is off.
type Options struct {
	Last        trace.Instant // of the trace
	Window      time.Duration // before Last, for failures
	FailedShare float64
	MinFailures int
	Deadlines   map[string]Deadline // by job
	Sure        float64             // share of runs that must meet their deadline: 0.95
	Recent      int                 // succeeded runs that tell whether a job meets its deadline
	Missing     float64             // times the longest interval
	MinRuns     int                 // that make intervals regular or not
	Regular     float64             // CoV of intervals below which they are regular
	Zone        *time.Location      // of clock times; nil is UTC
}

// DefaultOptions returns the rules of the command without a file.
func DefaultOptions() Options {
	return Options{Last: trace.None, Window: 7 * 24 * time.Hour, FailedShare: 0.1, MinFailures: 2, Sure: 0.95,
		Recent:  20,
		Missing: 2, MinRuns: 8, Regular: 0.5}
}

// Deadline is when a run must have ended: After its submission, or at a time of day where After is 0.
type Deadline struct {
	After  time.Duration
	Minute int // of the day
}

// String writes the deadline as it is read.
func (d Deadline) String() string {
	if d.After > 0 {
		return short(d.After)
	}
	return fmt.Sprintf("%02d:%02d", d.Minute/60, d.Minute%60)
}

// short writes a duration without units of zero.
func short(d time.Duration) string {
	text := d.Round(time.Second).String()
	if s, ok := strings.CutSuffix(text, "m0s"); ok {
		text = s + "m"
	}
	if s, ok := strings.CutSuffix(text, "h0m"); ok {
		text = s + "h"
	}
	return text
}

// At returns when a run that was submitted then must have ended.
func (d Deadline) At(submitted trace.Instant, zone *time.Location) trace.Instant {
	if d.After > 0 {
		return submitted + trace.Instant(d.After/time.Microsecond)
	}
	at := time.UnixMicro(int64(submitted)).In(zone)
	due := time.Date(at.Year(), at.Month(), at.Day(), d.Minute/60, d.Minute%60, 0, 0, zone)
	if !due.After(at) {
		due = time.Date(at.Year(), at.Month(), at.Day()+1, d.Minute/60, d.Minute%60, 0, 0, zone)
	}
	return trace.Instant(due.UnixMicro())
}

// Needs returns the columns that the rules read.
func Needs() []string {
	return []string{"jobs.name", "jobs.job", "jobs.status", "jobs.submit", "jobs.start", "jobs.end"}
}

// Jobs collects the runs of jobs: 24 bytes each.
type Jobs struct {
	opts Options
	runs map[string][]run
}

type run struct {
	submit, end trace.Instant
	status      trace.Status
}

// New returns no runs.
func New(o Options) *Jobs {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return &Jobs{opts: o, runs: map[string][]run{}}
}

// Add takes a run of a job into account. It is not kept. Runs without a name or a time of submission count for no rule.
func (j *Jobs) Add(job string, r *trace.Run) {
	submit := r.Submit
	if !submit.Known() {
		submit = r.Start
	}
	if job == "" || !submit.Known() {
		return
	}
	all, ok := j.runs[job]
	if !ok {
		job = strings.Clone(job)
	}
	j.runs[job] = append(all, run{submit, r.End, r.Status})
}

// Breaches returns all breaches, by rule and job. Time O(n log n).
func (j *Jobs) Breaches(ctx context.Context) ([]result.Breach, error) {
	out := []result.Breach{}
	for _, job := range slices.Sorted(maps.Keys(j.runs)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		runs := j.runs[job]
		slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.submit, b.submit) })
		for _, rule := range []struct {
			name string
			of   func(string, []run) string
		}{{Failures, j.failures}, {Missed, j.deadline}, {Missing, j.missing}} {
			if what := rule.of(job, runs); what != "" {
				out = append(out, result.Breach{Rule: rule.name, Job: job, What: what})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b result.Breach) int { return cmp.Compare(a.Rule, b.Rule) })
	return out, nil
}

func (j *Jobs) failures(_ string, runs []run) string {
	if j.opts.FailedShare <= 0 || !j.opts.Last.Known() {
		return ""
	}
	failed, n := 0, 0
	for _, r := range runs {
		if r.submit <= j.opts.Last-trace.Instant(j.opts.Window/time.Microsecond) {
			continue
		}
		n++
		switch r.status {
		case trace.Failed, trace.Killed, trace.Evicted, trace.Lost:
			failed++
		}
	}
	if failed < max(1, j.opts.MinFailures) || float64(failed) < j.opts.FailedShare*float64(n) {
		return ""
	}
	return fmt.Sprintf("%d of %d runs in the last %s did not succeed", failed, n, days(j.opts.Window))
}

// days writes a window.
func days(d time.Duration) string {
	if n := d / (24 * time.Hour); n > 0 && d%(24*time.Hour) == 0 {
		if n == 1 {
			return "day"
		}
		return fmt.Sprintf("%d days", n)
	}
	return d.String()
}

func (j *Jobs) deadline(job string, runs []run) string {
	due, ok := j.opts.Deadlines[job]
	if !ok {
		return ""
	}
	var late []float64 // seconds
	missed := 0
	for i := len(runs) - 1; i >= 0 && len(late) < max(1, j.opts.Recent); i-- {
		r := runs[i]
		if r.status != trace.Succeeded || !r.end.Known() {
			continue
		}
		by := r.end.Since(due.At(r.submit, j.opts.Zone)).Seconds()
		if late = append(late, by); by > 0 {
			missed++
		}
	}
	if len(late) == 0 {
		return ""
	}
	worst := quantile.Quantile(quantile.Sort(late), j.opts.Sure)
	if worst <= 0 {
		return ""
	}
	return fmt.Sprintf("%d of its last %d runs ended after %s; p%.0f is %s late", missed, len(late), due,
		100*j.opts.Sure,
		short(time.Duration(worst*float64(time.Second))))
}

func (j *Jobs) missing(_ string, runs []run) string {
	if j.opts.Missing <= 0 || !j.opts.Last.Known() || len(runs) < max(3, j.opts.MinRuns) {
		return ""
	}
	gaps := make([]float64, 0, len(runs)-1)
	for i := range runs[1:] {
		gaps = append(gaps, runs[i+1].submit.Since(runs[i].submit).Seconds())
	}
	all := quantile.Sort(gaps)
	latest := &runs[len(runs)-1]
	if latest.status == trace.Running {
		return ""
	}
	since := j.opts.Last.Since(latest.submit).Seconds()
	idle := j.opts.Last.Since(max(latest.submit, latest.end)).Seconds() // while it ran, it was not missing
	if longest := all.Max(); longest <= 0 || quantile.CoV(gaps) >= j.opts.Regular || idle <= j.opts.Missing*longest {
		return ""
	}
	seconds := func(s float64) string {
		d := time.Duration(s * float64(time.Second))
		if d >= 10*time.Minute {
			d = d.Round(time.Minute)
		}
		return short(d)
	}
	return fmt.Sprintf("has not run for %s at the end of the trace; it usually runs every %s", seconds(since),
		seconds(quantile.Quantile(all, 0.5)))
}
