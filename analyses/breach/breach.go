// Package breach checks recent runs against rules: it reports jobs that fail, that miss their deadlines, and that did
// not run when they should have.
//
//   - failures: of the runs of a job that were submitted within Window before the last instant, at least MinFailures
//     did not succeed, and at least the share FailedShare, and that is more than usual: the chance of so many, given
//     the earlier runs of the job and of all jobs, is below Unusual (see usual). A job that always failed is no
//     news.
//   - deadline: the 95th percentile (type 7) of how late the last Recent runs of a job ended is above 0. Runs that are
//     known not to have succeeded do not count. A deadline is a duration after submission, or a clock time: the first
//     such time after submission.
//   - missing: a job with at least MinRuns runs at regular intervals (CoV below Regular) has not been submitted for
//     Missing times the longest interval. It is missing for Gone of the time over which it ran; then it has ended: a
//     campaign of an hour, weeks ago, is not missing.
//   - stuck: the newest run of a job still runs at the last instant, after more than Stuck times the time of the
//     longest of the Recent runs before it. At least MinRuns of these must have succeeded. The run hangs, or it died
//     without a word. A job with a deadline is judged by that alone.
//
// Breaches of a rule are in order of their weight, the worst first.
package breach

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"racecard/analyses/internal/twosample"
	"racecard/analyses/quantile"
	"racecard/datasets/glob"
	"racecard/datasets/jobname"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// The rules of this package.
const (
	Failures = "failures"
	Missed   = "deadline"
	Missing  = "missing"
	Stuck    = "stuck"
)

// Options of the rules. A rule whose number is 0 is off.
type Options struct {
	Last        trace.Instant // of the trace
	First       trace.Instant // of the trace; None where failures are compared with no earlier ones
	Window      time.Duration // before Last, for failures; at most a quarter of the time from First to Last
	FailedShare float64
	MinFailures int
	Unusual     float64 // corrected p-value below which failures are more than usual; 0: any are
	// Deadlines are by job, by a name of its runs as read ([jobname.WithJobs]), or by a pattern for the jobs that are not
	// named ([glob.Key]).
	Deadlines map[string]Deadline
	Sure      float64        // share of runs that must meet their deadline: 0.95
	Recent    int            // newest runs of a job, by which its deadline is checked
	Missing   float64        // times the longest interval
	Stuck     float64        // times the longest past run
	MinRuns   int            // runs needed to judge the regularity of intervals, and how long runs take
	Regular   float64        // CoV of intervals below which they are regular
	Gone      float64        // share of the time over which a job ran, after which it is no longer missing
	Zone      *time.Location // of clock times; nil is UTC
}

// Recent is how many of the newest runs of a job a deadline is checked by, unless options say otherwise.
const Recent = 20

// DefaultOptions returns the rules of the command without a file.
func DefaultOptions() Options {
	return Options{Last: trace.None, First: trace.None, Window: 7 * 24 * time.Hour, FailedShare: 0.1, MinFailures: 2,
		Unusual: 0.01, Sure: 0.95, Recent: Recent, Missing: 2, Stuck: 2, MinRuns: 8, Regular: 0.5, Gone: 0.5}
}

// HasEnded reports whether a job that ran for active seconds, and has been idle for idle seconds since, is not expected
// to run again.
func (o *Options) HasEnded(active, idle float64) bool { return o.Gone > 0 && idle > o.Gone*active }

// Deadline is the time by which a run must have ended: After its submission, or, if After is 0, a time of day.
type Deadline struct {
	After  time.Duration
	Minute int // of the day
}

// String says after which moment a run is late.
func (d Deadline) String() string {
	if d.After > 0 {
		return words.Seconds(d.After.Seconds()) + " from submission"
	}
	return fmt.Sprintf("%02d:%02d", d.Minute/60, d.Minute%60)
}

// At returns the deadline of a run that was submitted at the given instant.
func (d Deadline) At(submitted trace.Instant, zone *time.Location) trace.Instant {
	if d.After > 0 {
		return submitted + trace.Instant(d.After/time.Microsecond)
	}
	return trace.Instant(trace.NextClock(time.UnixMicro(int64(submitted)).In(zone), 60*d.Minute).UnixMicro())
}

// Needs returns the columns that the rules read.
func Needs() []string {
	return []string{"jobs.name", "jobs.job", "jobs.status", "jobs.submit", "jobs.start", "jobs.end"}
}

// Jobs collects the runs of jobs: 24 bytes each.
type Jobs struct {
	opts Options
	runs map[string][]run
	read map[string]string // the job of runs with a name as read that has a deadline

	deadlines map[string]Deadline // as the options gave them

	untimed map[string]bool // jobs with a deadline that have runs without a time of submission
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
	given := o.Deadlines
	o.Deadlines = jobname.WithJobs(given)
	return &Jobs{opts: o, deadlines: given, runs: map[string][]run{}, read: map[string]string{},
		untimed: map[string]bool{}}
}

// Add adds a run of a job, which it does not keep. Runs without a name or a time of submission count for no rule.
func (j *Jobs) Add(job string, r *trace.Run) {
	submit := r.Submit
	if !submit.Known() {
		submit = r.Start
	}
	if job == "" {
		return
	}
	if !submit.Known() {
		if _, due := glob.Key(j.opts.Deadlines, job); due {
			j.untimed[strings.Clone(job)] = true
		}
		return
	}
	all, ok := j.runs[job]
	if !ok {
		job = strings.Clone(job)
	}
	if _, due := j.deadlines[r.Name]; due && r.Name != job {
		j.read[strings.Clone(r.Name)] = strings.Clone(job)
	}
	j.runs[job] = append(all, run{submit, r.End, r.Status})
}

// Unknown returns the jobs that have a deadline and no run, and the patterns that match no job. A name of runs that are
// grouped by something else comes with their job, others with "".
func (j *Jobs) Unknown() map[string]string {
	unknown := map[string]string{}
	for name := range j.deadlines {
		if len(j.runs[name]) == 0 && (glob.IsPattern(name) || len(j.runs[jobname.Normalize(name)]) == 0) {
			unknown[name] = j.read[name]
		}
		for job := range j.runs {
			if glob.Match(name, job) {
				delete(unknown, name)
				break
			}
		}
	}
	return unknown
}

// Untimed reports whether a job, or one that a pattern matches, has a deadline and runs without a time of submission.
func (j *Jobs) Untimed(name string) bool {
	for job := range j.untimed {
		if job == name || job == jobname.Normalize(name) || glob.Match(name, job) {
			return true
		}
	}
	return false
}

// Runs returns how many runs each job has.
func (j *Jobs) Runs() map[string]int {
	all := make(map[string]int, len(j.runs))
	for job, runs := range j.runs {
		all[job] = len(runs)
	}
	return all
}

// found is a breach of a job.
type found struct {
	job    string
	what   string
	weight float64 // of breaches of one rule, the worst has the largest
}

// Breaches returns all breaches, by rule, the worst first. Time O(n log n).
func (j *Jobs) Breaches(ctx context.Context) ([]result.Breach, error) {
	out := []result.Breach{}
	names := slices.Sorted(maps.Keys(j.runs))
	for _, job := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortStableFunc(j.runs[job], func(a, b run) int { return cmp.Compare(a.submit, b.submit) })
	}
	for _, rule := range []struct {
		name string
		of   func(names []string) []found
	}{{Missed, j.each(j.deadline)}, {Failures, j.failures}, {Missing, j.each(j.missing)},
		{Stuck, j.each(j.stuck)}} {
		all := rule.of(names)
		slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.weight, a.weight) })
		for _, f := range all {
			out = append(out, result.Breach{Rule: rule.name, Job: f.job, What: f.what})
		}
	}
	return out, ctx.Err()
}

// each applies a rule to each job. The rule returns "" where it is not breached.
func (j *Jobs) each(rule func(job string, runs []run) (what string, weight float64)) func([]string) []found {
	return func(names []string) (all []found) {
		for _, job := range names {
			if what, weight := rule(job, j.runs[job]); what != "" {
				all = append(all, found{job, what, weight})
			}
		}
		return all
	}
}

// window returns how long before the last instant failures count.
func (j *Jobs) window() trace.Instant {
	w := trace.Instant(j.opts.Window / time.Microsecond)
	if j.opts.Unusual > 0 && j.opts.First.Known() {
		w = min(w, (j.opts.Last-j.opts.First)/4)
	}
	return w
}

// tally counts the runs of a job that did not succeed.
type tally struct{ failed, runs, failedBefore, runsBefore int }

func (j *Jobs) count(job string, since trace.Instant) (f tally) {
	for _, r := range j.runs[job] {
		bad := 0
		switch r.status {
		case trace.Failed, trace.Killed, trace.Evicted, trace.Lost:
			bad = 1
		}
		if r.submit > since {
			f.runs, f.failed = f.runs+1, f.failed+bad
		} else {
			f.runsBefore, f.failedBefore = f.runsBefore+1, f.failedBefore+bad
		}
	}
	return f
}

// failures applies the rule to all jobs, as p-values are corrected for the number of jobs.
func (j *Jobs) failures(names []string) (out []found) {
	if j.opts.FailedShare <= 0 || !j.opts.Last.Known() {
		return nil
	}
	since := j.opts.Last - j.window()
	of := lists.Map(names, func(job string) tally { return j.count(job, since) })
	all := learn(of)
	least := max(1, j.opts.MinFailures)
	var tested []int
	var p, expected []float64
	for i := range of {
		if of[i].runs >= least {
			chance, mean := of[i].usual(all)
			tested, p, expected = append(tested, i), append(p, chance), append(expected, mean)
		}
	}
	corrected := twosample.BenjaminiHochberg(p)
	for k, i := range tested {
		f := &of[i]
		if f.failed < least || float64(f.failed) < j.opts.FailedShare*float64(f.runs) ||
			j.opts.Unusual > 0 && corrected[k] >= j.opts.Unusual {
			continue
		}
		what := fmt.Sprintf("%s of %s in the last %s did not succeed", words.Count(f.failed),
			words.Of(f.runs, "run", "runs"), last(time.Duration(j.window())*time.Microsecond))
		if f.runsBefore > 0 {
			what += fmt.Sprintf(", %s of %s before", words.Count(f.failedBefore), words.Count(f.runsBefore))
		}
		out = append(out, found{names[i], what, float64(f.failed) - expected[k]})
	}
	return out
}

// usually is how often runs fail: the beta distribution of that share over the jobs of a trace.
type usually struct{ failed, succeeded float64 }

// Bounds of the weight, in runs, of the failure rate of all jobs in the estimate for one job.
const fewestAlike, mostAlike = 1, 200

// learn fits the distribution to the runs before the window by its moments: J. C. Kleinman, "Proportions with
// extraneous variance", Journal of the American Statistical Association 68(341), 1973. Where all jobs fail alike, a job
// without failures is expected to fail as they do; where every job is different, its own runs count alone.
func learn(jobs []tally) usually {
	runs, failed, squares, k := 0.0, 0.0, 0.0, 0.0
	for i := range jobs {
		if n := float64(jobs[i].runsBefore); n > 0 {
			runs, failed, squares, k = runs+n, failed+float64(jobs[i].failedBefore), squares+n*n, k+1
		}
	}
	share, alike := (failed+0.5)/(runs+1), float64(mostAlike)
	spread := 0.0
	for i := range jobs {
		if n := float64(jobs[i].runsBefore); n > 0 {
			d := float64(jobs[i].failedBefore)/n - share
			spread += n * d * d
		}
	}
	if room := runs - squares/max(1, runs) - (k - 1); room > 0 {
		if within := (spread/(share*(1-share)) - (k - 1)) / room; within > 0 {
			alike = 1/within - 1
		}
	} else {
		alike = fewestAlike // one run of every job, or one job
	}
	alike = min(mostAlike, max(fewestAlike, alike))
	return usually{alike * share, alike * (1 - share)}
}

// usual returns the chance of at least as many failures as there were in the window, and how many are expected: the
// number is beta-binomial, given the runs of the job before the window.
func (f *tally) usual(all usually) (chance, expected float64) {
	a, b := float64(f.failedBefore)+all.failed, float64(f.runsBefore-f.failedBefore)+all.succeeded
	n := float64(f.runs)
	expected = n * a / (a + b)
	gamma := func(x float64) float64 { y, _ := math.Lgamma(x); return y }
	whole := gamma(n+1) + gamma(a+b) - gamma(a) - gamma(b) - gamma(n+a+b)
	for k := float64(f.failed); k <= n; k++ {
		chance += math.Exp(whole - gamma(k+1) - gamma(n-k+1) + gamma(a+k) + gamma(b+n-k))
	}
	return min(1, chance), expected
}

// last writes a window.
func last(d time.Duration) string {
	switch n := int64(d / (24 * time.Hour)); {
	case n == 1 && d%(24*time.Hour) == 0:
		return "day"
	case n > 1 && d%(24*time.Hour) == 0:
		return words.Of(n, "day", "days")
	}
	return words.Seconds(d.Seconds())
}

// deadline is a breach where too few of the newest runs met the deadline, where the time by which they ended is late at
// the quantile that is asked for, or where the newest run still runs after it. A run that did not succeed missed it,
// unless a later one of the job made it.
func (j *Jobs) deadline(job string, runs []run) (what string, weight float64) {
	key, ok := glob.Key(j.opts.Deadlines, job)
	if !ok {
		return "", 0
	}
	due := j.opts.Deadlines[key]
	var late []float64 // of runs that ended well, in seconds
	missed, failed, running, hangs := 0, 0, 0, 0.0
	madeIt := map[trace.Instant]bool{} // deadlines that a later run met
	for i := len(runs) - 1; i >= 0 && len(late)+failed+running < max(1, j.opts.Recent); i-- {
		r := runs[i]
		at := due.At(r.submit, j.opts.Zone)
		switch {
		case r.status.Well() && r.end.Known():
			by := r.end.Since(at).Seconds()
			if late = append(late, by); by > 0 {
				missed++
			} else {
				madeIt[at] = true
			}
		case madeIt[at] && due.After == 0:
		case !r.status.Well() && r.status != trace.Running:
			failed++
		case r.status == trace.Running && j.opts.Last > at: // unknown is the least
			if running++; i == len(runs)-1 {
				hangs = j.opts.Last.Since(at).Seconds()
			}
		}
	}
	of := len(late) + failed + running
	worst := math.Inf(-1)
	if len(late) > 0 {
		worst = quantile.Quantile(quantile.Sort(late), j.opts.Sure)
	}
	share := float64(missed+failed+running) / float64(max(1, of))
	if worst <= 0 && hangs == 0 && share <= 1-j.opts.Sure+1e-9 {
		return "", 0
	}
	if failed+running == 0 {
		what = fmt.Sprintf("%d of its last %d runs ended after %s", missed, of, due)
	} else {
		what = fmt.Sprintf("%d of its last %d runs missed %s", missed+failed+running, of, due)
		what += words.When(failed > 0, "; %d did not succeed", failed)
	}
	what += words.When(worst > 0, "; p%.0f is %s late", 100*j.opts.Sure, words.Seconds(worst))
	what += words.When(hangs > 0, "; the newest has not ended, %s late", words.Seconds(hangs))
	return what, max(share, worst, hangs)
}

func (j *Jobs) missing(_ string, runs []run) (what string, weight float64) {
	if j.opts.Missing <= 0 || !j.opts.Last.Known() || len(runs) < max(3, j.opts.MinRuns) {
		return "", 0
	}
	gaps := make([]float64, 0, len(runs)-1)
	for i := range runs[1:] {
		gaps = append(gaps, runs[i+1].submit.Since(runs[i].submit).Seconds())
	}
	all := quantile.Sort(gaps)
	latest := &runs[len(runs)-1]
	if latest.status == trace.Running {
		return "", 0
	}
	since := j.opts.Last.Since(latest.submit).Seconds()
	idle := j.opts.Last.Since(max(latest.submit, latest.end)).Seconds() // while it ran, it was not missing
	longest, active := all.Max(), latest.submit.Since(runs[0].submit).Seconds()
	if longest <= 0 || quantile.CoV(gaps) >= j.opts.Regular || idle <= j.opts.Missing*longest ||
		j.opts.HasEnded(active, idle) {
		return "", 0
	}
	return fmt.Sprintf("has not run for %s at the end of the trace; it usually runs every %s", words.Seconds(since),
		words.Seconds(quantile.Quantile(all, 0.5))), idle / longest
}

func (j *Jobs) stuck(job string, runs []run) (what string, weight float64) {
	newest := runs[len(runs)-1]
	if _, due := glob.Key(j.opts.Deadlines, job); due || j.opts.Stuck <= 0 || !j.opts.Last.Known() ||
		newest.status != trace.Running {
		return "", 0
	}
	longest, n := 0.0, 0
	for i := len(runs) - 2; i >= 0 && n < max(j.opts.Recent, j.opts.MinRuns); i-- {
		if r := runs[i]; r.status.Well() && r.end.Known() {
			longest, n = max(longest, r.end.Since(r.submit).Seconds()), n+1
		}
	}
	took := j.opts.Last.Since(newest.submit).Seconds()
	if n < j.opts.MinRuns || longest <= 0 || took <= j.opts.Stuck*longest {
		return "", 0
	}
	return fmt.Sprintf("its newest run has not ended %s after its submission; the longest of the %d before it took %s",
		words.Seconds(took), n, words.Seconds(longest)), took / longest
}
