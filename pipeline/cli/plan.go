package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"racecard/analyses/quantile"
	"racecard/datasets/jobname"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/deadlines/agenda"
	forecasts "racecard/models/deadlines/forecast"
)

func planCommand(e *env) *cobra.Command {
	o := agenda.DefaultOptions()
	newest, minRuns, on, out := mostRepeated, recurringRuns, "", ""
	cmd := &cobra.Command{
		Use:   "plan STORE --tokens N JOB@TIME...",
		Short: "Check whether jobs meet clock times together on shared tokens",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{fmt.Errorf("plan wants a store, and jobs with deadlines, such as "+
					"nightly-index@07:00; see `%s --help`", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var planned []plannedJob
			for _, text := range args[1:] {
				j, err := parsePlanned(text)
				if err != nil {
					return usageError{err}
				}
				planned = append(planned, j)
			}
			s, err := e.openStore(args[0])
			if err != nil {
				return err
			}
			if err := e.checkOut(out, args[0], "plan"); err != nil {
				return err
			}
			if on != "" && s.Manifest().TimeBase != source.TimeBaseUnix {
				return usageError{errors.New("--on: times of this trace have no date: leave it out")}
			}
			surprise := sync.OnceValues(func() (*modelfile.Surprise, error) {
				return e.surprise(cmd.Context(), s, args[0], false)
			})
			planned, notes, err := e.matched(cmd.Context(), s, args[0], planned, minRuns)
			if err != nil {
				return err
			}
			if planned, err = e.readPlanned(cmd.Context(), s, args[0], planned, newest, surprise); err != nil {
				return err
			}
			planned, days, err := e.onDate(planned, on)
			if err != nil {
				return err
			}
			notes = append(notes, days...)
			jobs, deadlines, err := e.arrange(planned, on)
			if err != nil {
				return err
			}
			doc, err := e.plan(cmd.Context(), jobs, deadlines, o)
			if err != nil {
				return err
			}
			doc.Warnings = append(doc.Warnings, notes...)
			doc.On, doc.Needs, doc.Synthetic = on, append(slices.Clone(fitted), "io.*"), s.Manifest().Synthetic
			if err := e.keep(cmd, out, args, s, doc); err != nil {
				return err
			}
			e.agenda(doc)
			if err = e.printJSON(doc); err == nil && !doc.Fits {
				err = refusedError{errors.New("not every deadline is met with the chance that is enough")}
			}
			return err
		},
	}
	f := cmd.Flags()
	number(f, &o.Tokens, "tokens", tokenRange(), "tokens (task slots, cores) that the jobs share")
	renamed(f, "cores", "tokens")
	parsedBy(f, &on, "on", "date", parseDate, "date of the day, such as 2026-12-06: runs may take longer on some days of "+
		"the week, and a pattern stands for jobs that run then; when runs usually follow each other when left out")
	number(f, &o.Days, "days", whole(20, 100_000), "days to simulate")
	number(f, &o.Sure, "sure", shares(0.5, 0.999), "chance of a deadline that is enough")
	number(f, &minRuns, "min-runs", whole(1, maxRuns), "succeeded runs of a job that a pattern stands for, at least")
	number(f, &newest, "newest", whole(1, 1000), "past runs of a job that are repeated, at most")
	seeded(f, &o.Seed, "seed of the simulated days")
	outFlag(f, &out)
	e.filterFlags(f, false)
	_ = cmd.MarkFlagRequired("tokens") // fails only for a flag that is not there
	return cmd
}

// The number of newest runs of a job from which its day is drawn, and by how much it is larger for a job with several
// runs a day.
const (
	mostRepeated = 60
	mostOfAll    = 4
)

// plannedJob is a job of a plan, with its past runs.
type plannedJob struct {
	name     string
	deadline clock // NaN: none
	start    clock // NaN: as past runs
	tokens   int   // 0: as past runs
	after    []string
	matched  bool // it is named by a pattern

	runs          []plannedRun
	past          *fittedRuns // as forecasts have them
	reads, writes map[string]bool
	usual         clock
	several       bool // the entry is one of several runs of a day
}

// plannedRun is a past run of a job.
type plannedRun struct {
	id    string
	at    trace.Instant
	clock clock
	end   trace.Instant
	run   agenda.Run
}

// parsePlanned reads NAME[@[DEADLINE]][,start=TIME][,tokens=N][,after=JOB]. A deadline begins with a digit: in
// mail@night the @ is a part of the name, and so is the first of mail@3am@.
func parsePlanned(text string) (j plannedJob, err error) {
	j.deadline, j.start = clock(math.NaN()), clock(math.NaN())
	bad := func(why error) (plannedJob, error) {
		return j, fmt.Errorf("%q: %w; want NAME@DEADLINE[,start=TIME][,tokens=N][,after=JOB], such as "+
			"nightly-index@07:00,start=05:10", text, why)
	}
	parts := strings.Split(text, ",")
	for i := len(parts) - 1; i > 0; i-- { // a name may hold commas
		key, value, _ := strings.Cut(parts[i], "=")
		switch key {
		case "start":
			j.start, err = parseClock(value)
		case "tokens", "cores": // its name in earlier versions
			var n float64
			n, err = tokenRange().Parse(value)
			j.tokens = int(n)
		case "after": // the rest is of its name
			j.after = append(j.after, strings.Join(append([]string{value}, parts[i+1:]...), ","))
			parts = parts[:i+1]
		default:
			continue
		}
		if err != nil {
			return bad(fmt.Errorf("%s: %w", key, err))
		}
		parts = slices.Delete(parts, i, i+1)
	}
	j.name = strings.Join(parts, ",")
	if at := strings.LastIndex(j.name, "@"); at >= 0 && j.name[at+1:] == "" {
		j.name = j.name[:at]
	} else if at >= 0 && strings.ContainsRune("0123456789", rune(j.name[at+1])) {
		due, field, more := strings.Cut(j.name[at+1:], ",")
		if j.deadline, err = parseClock(due); err == nil && more {
			err = fmt.Errorf("unknown field %q", field)
		}
		if err != nil {
			return bad(err)
		}
		j.name = j.name[:at]
	}
	if j.name == "" {
		return bad(errors.New("no name"))
	}
	return j, nil
}

// readPlanned reads the newest runs of jobs. It returns an entry for each run of a day. surprise is as in [env.fitted].
func (e *env) readPlanned(ctx context.Context, s *store.Store, path string, jobs []plannedJob, newest int,
	surprise func() (*modelfile.Surprise, error)) (entries []plannedJob, err error) {
	zone := e.runs.location()
	all, clocks := s, s.Manifest().TimeBase == source.TimeBaseUnix
	var names []string
	pasts := map[string]*pastRuns{}
	for i := range jobs {
		names = append(names, jobs[i].name)
		jobs[i].reads, jobs[i].writes = map[string]bool{}, map[string]bool{}
	}
	s = ofJob(s, names...)
	of, reading := map[string][]int{}, map[string][]*pastRuns{} // by the job of runs
	for i := range jobs {
		name := jobs[i].name
		grouped := slices.Compact([]string{name, jobname.Normalize(name)})
		for _, job := range grouped {
			of[job] = append(of[job], i)
		}
		if pasts[name] != nil {
			continue
		}
		p := newPastRuns(all, path, name, forecasts.DefaultOptions())
		pasts[name] = p
		for _, job := range grouped {
			if p.known == nil {
				reading[job] = append(reading[job], p)
			}
		}
	}
	for run, err := range e.eachRun(ctx, "read", s, path, append(slices.Clone(fitted), "io.*")) {
		if err != nil {
			return nil, err
		}
		job := run.JobName(false)
		for _, i := range of[job] {
			jobs[i].add(run, newest)
		}
		for _, p := range reading[job] {
			p.add(run)
		}
	}
	for i := range jobs {
		j := &jobs[i]
		j.trim(mostOfAll * newest)
		switch {
		case len(j.runs) == 0:
			seen, err := e.jobNames(ctx, all, path, false)
			if err != nil {
				return nil, err
			}
			if seen[jobname.Normalize(j.name)]+seen[j.name] > 0 {
				return nil, fmt.Errorf("%s: no run of job %q succeeded whose time is known", path, j.name)
			}
			return nil, fmt.Errorf("%s: no run of job %q%s", path, j.name, nearest(j.name, seen))
		case !clocks && math.IsNaN(float64(j.start)):
			return nil, usageError{fmt.Errorf("times of this trace have no clock: give %s a start, as in "+
				"%s@07:00,start=05:10", j.name, j.name)}
		}
		if j.past, err = e.fitPast(ctx, pasts[j.name], surprise); err != nil {
			return nil, err
		}
		all := j.clocked(zone, clocks)
		if j.usual = j.start; math.IsNaN(float64(j.start)) {
			j.usual = usualClock(all)
		}
		entries = append(entries, j.entries(newest, clocks)...)
	}
	return entries, nil
}

// add keeps a run, if it is among the newest.
func (j *plannedJob) add(run *trace.Run, newest int) {
	r, known := agenda.RunOf(run, 0)
	if !known {
		return
	}
	j.runs = append(j.runs, plannedRun{strings.Clone(run.ID), run.Submitted(), 0, run.End, r})
	for _, a := range run.IO {
		if name := jobname.Normalize(a.Dataset); a.Write {
			j.writes[name] = true
		} else {
			j.reads[name] = true
		}
	}
	if len(j.runs) >= 2*mostOfAll*newest {
		j.trim(mostOfAll * newest)
	}
}

// clocked gives the runs their times of the day, and returns these: 0 where that is not known.
func (j *plannedJob) clocked(zone *time.Location, clocks bool) []clock {
	all := make([]clock, len(j.runs))
	var at []trace.Instant
	for i := range j.runs {
		if clocks && j.runs[i].at.Known() {
			at = append(at, j.runs[i].at)
		}
	}
	known := clocksOf(at, zone)
	for i := range j.runs {
		if clocks && j.runs[i].at.Known() {
			all[i], known = known[0], known[1:]
		}
		j.runs[i].clock = all[i]
	}
	return all
}

func (j *plannedJob) trim(newest int) {
	slices.SortStableFunc(j.runs, func(a, b plannedRun) int { return cmp.Compare(b.at, a.at) })
	j.runs = slices.Clone(j.runs[:min(len(j.runs), newest)])
}

// mostWork bounds the tasks that are simulated for one number of tokens.
const mostWork = 5_000_000

// plan simulates the days of jobs, and finds the fewest tokens that are enough.
func (e *env) plan(ctx context.Context, jobs []agenda.Job, deadlines []float64, o agenda.Options) (*result.Agenda,
	error) {
	tasks, most := 0, 1
	for i := range jobs {
		widest, tokens := 0, 0
		for k := range jobs[i].Runs {
			n := 0
			for _, st := range jobs[i].Runs[k].Stages {
				n += len(st.Tasks)
			}
			widest, tokens = max(widest, n), max(tokens, jobs[i].Runs[k].Tokens)
		}
		tasks, most = tasks+widest, most+tokens
	}
	o.Days = min(o.Days, max(50, mostWork/max(1, tasks)))
	p := e.progress("simulate")
	defer p.done()
	doc, err := agenda.Simulate(ctx, jobs, deadlines, o)
	if err != nil {
		return nil, err
	}
	most *= 1 + doc.Around // runs of so many days before may hold tokens, too
	// More tokens may be worse: a program that finds enough of them free begins before others. So the number is sought
	// among those below, where the tokens asked for are enough, and else among those above.
	few, enough := agenda.Programs(jobs)-1, 0
	fits := doc.Fits
	if fits {
		few, enough = min(few, o.Tokens-1), min(o.Tokens, most)
	} else if few = max(few, o.Tokens); few < most {
		if fits, err = fitsOn(ctx, jobs, deadlines, o, most); fits {
			enough = most
		}
	}
	for err == nil && enough-few > 1 {
		try := few + (enough-few)/2
		if fits, err = fitsOn(ctx, jobs, deadlines, o, try); fits {
			enough = try
		} else {
			few = try
		}
	}
	if err != nil {
		return nil, err
	}
	doc.Fewest = enough
	writeClocks(doc)
	return doc, nil
}

// fitsOn reports whether jobs meet their deadlines on so many tokens.
func fitsOn(ctx context.Context, jobs []agenda.Job, deadlines []float64, o agenda.Options, tokens int) (bool, error) {
	o.Tokens = tokens
	d, err := agenda.Simulate(ctx, jobs, deadlines, o)
	return err == nil && d.Fits, err
}

// writeClocks writes the times of a plan as clock times. Ends are rounded up to the minute, and so is the start of a
// job that would else start before the written end of a job that it waits for.
func writeClocks(doc *result.Agenda) {
	for i := range doc.Jobs {
		j := &doc.Jobs[i]
		j.Start, j.P50End, j.P95End = clock(j.StartS).String(), clock(j.P50EndS).by(), clock(j.P95EndS).by()
		if !math.IsNaN(float64(j.DeadlineS)) {
			j.Deadline = clock(j.DeadlineS).exact()
		}
		start := clock(j.StartS).minute()
		for _, k := range doc.Jobs {
			if slices.Contains(j.After, k.Job) && k.P50EndS <= j.StartS && clock(k.P50EndS).minuteBy() > start {
				j.Start = clock(j.StartS).by()
			}
		}
	}
}

// next returns the forecast of a planned job that is submitted on a date, "" for the next day, at its time: of the time
// that it takes after it no longer waits. waits are the seconds for which past runs waited. As in a forecast without a
// start, a job with one run a day, at its usual time, follows the newest when runs usually do.
func (j *plannedJob) next(at clock, on string, zone *time.Location, waits map[string]float64) (agenda.Next, error) {
	o, past := forecasts.DefaultOptions(), j.past.Past
	o.Surprise = j.past.Surprise
	submit, err := at.on(on, zone)
	if err != nil {
		return agenda.Next{}, err
	}
	if given := !math.IsNaN(float64(j.start)); len(j.past.Submitted) > 0 && (j.several || given) {
		var newest trace.Instant
		if past, newest = likeAt(j.past, j.usual, zone); on == "" {
			submit = j.usual.next(newest, zone)
		}
	}
	o.Submit, past = submit, past.Later(waits)
	next := agenda.Next{Tokens: j.tokens}
	if next.Tokens == 0 && len(past.Tokens) > 0 {
		next.Tokens = past.UsualTokens()
	}
	f, err := forecasts.New(past, o)
	if err != nil {
		return next, err
	}
	next.Times, next.Warnings, err = f.Next(max(1, next.Tokens))
	next.On = func(tokens int) ([]float64, error) {
		times, _, err := f.Next(tokens)
		return times, err
	}
	return next, err
}

// arrange puts jobs on one day, at the times of startsOf, and finds their dependencies. Where on is not "", it is the
// date on which the day begins.
func (e *env) arrange(planned []plannedJob, on string) (jobs []agenda.Job, deadlines []float64, err error) {
	zone := e.runs.location()
	starts := startsOf(planned)
	if slices.ContainsFunc(planned, func(p plannedJob) bool { return p.matched }) { // a pattern tells no order
		by := lists.Order(len(planned), func(a, b int) int { return cmp.Compare(starts[a], starts[b]) })
		planned = lists.Map(by, func(i int) plannedJob { return planned[i] })
		starts = lists.Map(by, func(i int) float64 { return starts[i] })
	}
	for i := range planned {
		p := &planned[i]
		var runs []agenda.Run
		for _, r := range p.runs {
			at := starts[i]
			if math.IsNaN(float64(p.start)) {
				at += float64(r.clock.after(p.usual))
			}
			if r.run.At = int64(at * 1e6); p.tokens > 0 {
				r.run.Tokens = p.tokens
			}
			runs = append(runs, r.run)
		}
		after := waitsFor(planned, starts, i)
		for _, name := range p.after {
			if !slices.ContainsFunc(planned, func(o plannedJob) bool { return o.name == name }) {
				return nil, nil, usageError{fmt.Errorf("%s waits for %s, which is not in the plan: name it, too",
					p.name, name)}
			}
		}
		before := lists.Map(after, func(k int) *plannedJob { return &planned[k] })
		waits := p.withoutWaits(before, runs, starts)
		due := math.NaN()
		if !math.IsNaN(float64(p.deadline)) {
			due = starts[i] + clock(math.Mod(starts[i], day)).until(p.deadline)
		}
		next, err := p.next(clock(starts[i]), on, zone, waits)
		if err != nil && !errors.Is(err, forecasts.ErrUnknown) {
			return nil, nil, fmt.Errorf("job %q: %w", p.name, err)
		}
		j := agenda.NewJob(p.name, runs, next)
		j.After, j.Several, j.Off = after, p.several, p.daysOff(clock(starts[i]), on, zone)
		jobs, deadlines = append(jobs, j), append(deadlines, due)
	}
	if cycle := waitsForItself(jobs); cycle != "" {
		return nil, nil, usageError{fmt.Errorf("%s waits for itself, through the jobs that it comes after", cycle)}
	}
	return jobs, deadlines, nil
}

// withoutWaits takes the times for which a job waited for the jobs before it out of its past runs, as the plan makes it
// wait anew. The wait is a part of the start-up where the clock submits a job that then waits for its input. Where the
// end of the others submits it, its times of submission are theirs, and only the lag is the job's. planned are the runs
// of the plan, in the order of the past ones. It returns the seconds that were taken out, by the ID of the run.
func (j *plannedJob) withoutWaits(before []*plannedJob, planned []agenda.Run, starts []float64) map[string]float64 {
	out := map[string]float64{}
	var lags, clocks []float64
	ends := make([]trace.Instant, len(j.runs)) // of the last run before, where that is known
	for i, r := range j.runs {
		ends[i] = trace.None
		begun := r.at + trace.Instant(r.run.StartUp)
		for _, b := range before {
			ends[i] = max(ends[i], b.endedBefore(begun))
		}
		if waited := int64(ends[i].Since(r.at)); ends[i].Known() && r.at.Known() {
			planned[i].StartUp -= max(0, waited)
			out[r.id] = max(0, float64(waited)/1e6)
			lags, clocks = append(lags, -float64(waited)), append(clocks, float64(planned[i].At))
		}
	}
	if len(lags) < leastTriggered || len(lags) < len(j.runs) || !math.IsNaN(float64(j.start)) {
		return out
	}
	lag, clock := quantile.Sort(lags), quantile.Sort(clocks)
	spread := func(s quantile.Sorted) float64 { return quantile.Quantile(s, 0.9) - quantile.Quantile(s, 0.1) }
	if lag.Min() < 0 || spread(lag) > spread(clock)/4 {
		return out
	}
	first := int64(slices.Min(starts) * 1e6)
	for i, r := range j.runs {
		planned[i].At = first
		planned[i].StartUp += int64(r.at.Since(ends[i]))
		out[r.id] = -r.at.Since(ends[i]).Seconds()
	}
	return out
}

// leastTriggered is the number of runs from which on it is judged whether another job's end submits a job.
const leastTriggered = 5

// endedBefore returns when the last run of a job ended that ended before an instant, within a day; None if none did.
func (j *plannedJob) endedBefore(at trace.Instant) trace.Instant {
	last := trace.Instant(trace.None)
	for _, r := range j.runs {
		if r.end.Known() && r.end <= at && at-r.end < day*1e6 {
			last = max(last, r.end)
		}
	}
	return last
}

// reads reports whether a job reads a dataset that another writes.
func reads(p, other *plannedJob) bool {
	for name := range p.reads {
		if other.writes[name] {
			return true
		}
	}
	return false
}

// waitsForItself returns a job that is never submitted, "" where there is none.
func waitsForItself(jobs []agenda.Job) string {
	done := make([]bool, len(jobs))
	for range jobs {
		for i := range jobs {
			done[i] = done[i] || !slices.ContainsFunc(jobs[i].After, func(k int) bool { return !done[k] })
		}
	}
	if i := slices.Index(done, false); i >= 0 {
		return jobs[i].Name
	}
	return ""
}
