package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"racecard/analyses/anatomy"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/whatif"
	"racecard/reports/figure"
	"racecard/reports/page"
)

func explainCommand(e *env) *cobra.Command {
	var id, job, on, history, out string
	var slowest, raw bool
	cmd := &cobra.Command{
		Use:   "explain STORE --run ID | --job NAME | --slowest | --on DATE",
		Short: "Divide the extra time of a slow run among its causes",
		Args:  exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if id == "" && job == "" && !slowest && on == "" {
				return usageError{errors.New("want --run ID, --job NAME for its latest run, --slowest, or --on DATE for " +
					"the slowest of a day")}
			}
			if id != "" && (job != "" || slowest || on != "") {
				return usageError{errors.New("--run names a run: --job, --slowest and --on choose one")}
			}
			s, err := e.openStore(args[0])
			if err != nil {
				return err
			}
			if err := e.checkOut(out, args[0], "explain"); err != nil {
				return err
			}
			want := chosenRun{id: id, job: job, slowest: slowest || job == "", raw: raw, from: trace.None, on: on}
			if on != "" {
				if s.Manifest().TimeBase != source.TimeBaseUnix {
					return fmt.Errorf("%s: --on wants a date, and the trace has none: its times count from its start", args[0])
				}
				zone := e.runs.location()
				day, _ := time.ParseInLocation(time.DateOnly, on, zone) // the flag is a date
				want.from = trace.Instant(day.UnixMicro())
				want.to = trace.Instant(time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, zone).UnixMicro())
			}
			doc, err := e.explainRun(cmd.Context(), s, args[0], want)
			if err != nil {
				return err
			}
			doc.Synthetic = s.Manifest().Synthetic
			if history != "" {
				doc.Link = historyLink(history, doc.Run)
			}
			if err := e.keep(cmd, out, args, s, doc); err != nil {
				return err
			}
			e.difference(doc, args[0], s.Manifest().TimeBase == source.TimeBaseUnix)
			return e.printJSON(doc)
		},
	}
	f := cmd.Flags()
	f.StringVar(&id, "run", "", "job_id of the run")
	f.StringVar(&job, "job", "", "the latest run of this job, or with --slowest its slowest")
	f.BoolVar(&slowest, "slowest", false, "the run that took longest against the median of its job")
	parsedBy(f, &on, "on", "date", parseDate, "only a run submitted on this day, such as 2026-12-06: the slowest, or with "+
		"--job the latest; its usual are the runs before it")
	f.StringVar(&history, "history-url", "", "address of the Spark history server, for a link to the run")
	namesFlag(f, &raw)
	outFlag(f, &out)
	e.filterFlags(f, false)
	return cmd
}

// attempted matches Spark's id of an application attempt; the last number is the attempt.
var attempted = regexp.MustCompile(`^(application_[0-9]+_[0-9]+|app-[0-9]+-[0-9]+|local-[0-9]+)_([0-9]+)$`)

// historyLink returns the page of a run on a Spark history server, which has a folder for each attempt of an
// application.
func historyLink(server, run string) string {
	server = strings.TrimRight(server, "/") + "/history/"
	if m := attempted.FindStringSubmatch(run); m != nil {
		return server + m[1] + "/" + m[2] + "/jobs/"
	}
	return server + url.PathEscape(run) + "/jobs/"
}

// chosenRun selects the run to explain.
type chosenRun struct {
	id, job  string
	slowest  bool
	raw      bool
	from, to trace.Instant // submitted within; from is trace.None for any time
	on       string        // the date of from; "" for any
}

// within reports whether a run was submitted when the chosen one was.
func (w *chosenRun) within(c *candidate) bool {
	return w.from == trace.None || c.at.Known() && w.from <= c.at && c.at < w.to
}

// words describes the choice in an error: " of job "a" on 2026-12-06".
func (w *chosenRun) words() string {
	text := ""
	if w.job != "" {
		text = fmt.Sprintf(" of job %q", w.job)
	}
	if w.on != "" {
		text += " on " + w.on
	}
	return text
}

// candidate is a run that may be explained, or be one of the usual runs.
type candidate struct {
	id      string
	at      trace.Instant
	seconds float64 // NaN where not known
	usual   bool    // it succeeded
	part    int     // of the store
}

// explainRun explains a run of a store.
func (e *env) explainRun(ctx context.Context, s *store.Store, path string, want chosenRun) (*result.Explanation,
	error) {
	jobs := map[string][]candidate{}
	p := e.progress("find")
	defer func() { p.done() }()
	name := ""
	var run candidate
	ids, names := map[string]int{}, map[string]int{}
	part := 0
	columns := store.Projection{"jobs.job_id", "jobs.name", "jobs.job", "jobs.status", "jobs.submit", "jobs.start",
		"jobs.end"}
	for r, err := range runsAhead(ctx, s, allParts(s), columns, func() { part++; p.count(part, s.Parts(), "parts") }) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		c := candidate{part: part, id: strings.Clone(r.ID), at: r.Submitted(), seconds: r.Completion().Seconds(),
			usual: r.Status.Well()}
		of := r.JobName(want.raw)
		if want.id == r.ID {
			name, run = of, c
		}
		if len(ids) < maxNearest {
			ids[c.id] = 1
		}
		if len(names) < maxNearest {
			names[strings.Clone(of)] = 1
		}
		if want.job == "" || isJob(r, want.raw, want.job) {
			jobs[of] = append(jobs[of], c)
		}
	}
	switch {
	case want.id != "" && run.id == "":
		return nil, fmt.Errorf("%s: no run %q%s", path, want.id, nearest(want.id, ids))
	case want.job != "" && len(jobs) == 0:
		return nil, fmt.Errorf("%s: no run of job %q%s", path, want.job, nearest(want.job, names))
	case want.id == "" && want.slowest:
		name, run = slowestOf(jobs, &want)
	case want.id == "":
		for of, all := range jobs {
			for _, c := range all {
				if want.within(&c) && !math.IsNaN(c.seconds) && (run.id == "" || c.at > run.at) {
					name, run = of, c
				}
			}
		}
	}
	if run.id == "" && want.slowest {
		return nil, fmt.Errorf("%s: no slowest run%s: no job has %d runs that succeeded and whose times are known%s; "+
			"name one with --run", path, want.words(), anatomy.LeastUsual, words.When(want.on != "",
			", and one of these on that day"))
	}
	if run.id == "" {
		return nil, fmt.Errorf("%s: no run to explain: no run%s has a completion time", path, want.words())
	}
	if math.IsNaN(run.seconds) {
		return nil, fmt.Errorf("%s: run %s has no completion time: the trace lacks its start or its end", path, run.id)
	}
	others := usualOf(jobs[name], run)
	if len(others) == 0 {
		return nil, fmt.Errorf("%s: run %s has no usual: its job has no other run that succeeded and whose time is "+
			"known", path, run.id)
	}
	p.done()
	p = e.progress("measure")
	whole, measuredRuns, conditions, err := measureRuns(ctx, s, p, run, others)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	doc, known := anatomy.Explain(ctx, whole, measuredRuns)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !known {
		return nil, fmt.Errorf("%s: run %s has no completion time", path, run.id)
	}
	doc.Needs, doc.Job, doc.Replayable = measured, name, whatif.Check(whole) == nil
	doc.Signs = anatomy.Signs(doc.Parts, anatomy.Conditions(whole), conditions)
	return doc, nil
}

// slowestOf returns the run furthest above the median of its job, among wanted runs of jobs with enough usual runs.
func slowestOf(jobs map[string][]candidate, want *chosenRun) (name string, run candidate) {
	worst := 0.0
	for of, all := range jobs {
		var seconds []float64
		for _, c := range all {
			if c.usual && !math.IsNaN(c.seconds) {
				seconds = append(seconds, c.seconds)
			}
		}
		if of == "" || len(seconds) < anatomy.LeastUsual {
			continue
		}
		slices.Sort(seconds)
		for _, c := range all {
			ratio := c.seconds / max(1e-6, seconds[len(seconds)/2])
			if c.usual && want.within(&c) && (ratio > worst || ratio == worst && c.id < run.id) {
				worst, name, run = ratio, of, c
			}
		}
	}
	return name, run
}

// usualOf returns the usual runs of a run: their parts, by id.
func usualOf(all []candidate, run candidate) map[string]int {
	known := lists.Kept(all, func(c candidate) bool { return c.usual && c.id != run.id && !math.IsNaN(c.seconds) })
	slices.SortFunc(known, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	before := 0
	for before < len(known) && known[before].at < run.at {
		before++
	}
	parts := map[string]int{}
	for _, c := range anatomy.Nearest(known, before) {
		parts[c.id] = c.part
	}
	return parts
}

// conditioned is measured with the columns for conditions.
var conditioned = append(slices.Clone(measured), "tasks.gc", "tasks.spill_bytes", "tasks.input_bytes",
	"stages.description", "stages.plan")

// measureRuns reads a run and measures others of its job, in time order.
func measureRuns(ctx context.Context, s *store.Store, p *progress, wanted candidate,
	others map[string]int) (run *trace.Run, runs []anatomy.Run, conditions [][]anatomy.Condition, err error) {
	parts := slices.Sorted(maps.Values(others))
	parts = slices.Compact(slices.Sorted(slices.Values(append(parts, wanted.part))))
	done := 0
	for r, err := range runsAhead(ctx, s, parts, conditioned, func() { done++; p.count(done, len(parts), "parts") }) {
		if err != nil {
			return nil, nil, nil, err
		}
		if r.ID == wanted.id {
			run = r.Clone()
		}
		if _, of := others[r.ID]; of {
			if m, known := anatomy.Measure(ctx, r); known {
				m.ID = strings.Clone(m.ID)
				runs, conditions = append(runs, m), append(conditions, anatomy.Conditions(r))
			}
			if err := ctx.Err(); err != nil {
				return nil, nil, nil, err
			}
		}
	}
	slices.SortFunc(runs, func(a, b anatomy.Run) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
	})
	if run == nil || len(runs) == 0 {
		return nil, nil, nil, fmt.Errorf("run %s cannot be read again", wanted.id)
	}
	return run, runs, conditions, nil
}

// mostQueries bounds the stages whose query operators are printed.
const mostQueries = 5

// difference prints the parts of a run's difference from usual.
func (e *env) difference(d *result.Explanation, path string, unix bool) {
	beyond := d.TookS - d.UsualS
	differs := words.Seconds(math.Abs(beyond)) + " longer than usual"
	switch {
	case beyond == 0:
		differs = "as usual"
	case beyond < 0:
		differs = words.Seconds(-beyond) + " less than usual"
	}
	e.printf("run %s", d.Run)
	if d.Job != "" && d.Job != d.Run {
		e.printf(" of %s", d.Job)
	}
	if unix {
		e.printf(", %s", words.InstantIn(float64(d.Submitted), e.runs.location()))
	}
	e.printf("%s: took %s, %s (%s", marked(d.Synthetic), words.Seconds(d.TookS), differs, words.Seconds(d.UsualS))
	if d.UsualRuns >= anatomy.LeastUsual {
		e.printf("; %s for 8 of 10", words.Range(d.UsualFrom, d.UsualTo, words.Seconds))
	}
	e.printf(", n = %s)\n\n", words.Count(d.UsualRuns))
	parts, small, rest := figure.BigParts(d.Parts)
	most := 0.0
	head := []string{"  PART", "TIME", ""}
	var rows [][]string
	names := figure.PartNames(parts)
	for i, p := range parts {
		most = max(most, math.Abs(p.Seconds))
		rows = append(rows, []string{"  " + names[i], figure.SignedSeconds(p.Seconds), bar(p.Seconds, most)})
	}
	if small > 0 {
		rows = append(rows, []string{"  " + words.Of(small, "small part", "small parts"), figure.SignedSeconds(rest),
			""})
	}
	rows = append(rows, []string{"  together", figure.SignedSeconds(beyond), ""})
	e.rows(head, rows)
	e.notes("note", d.Warnings)
	for i := range d.Signs {
		if i == 0 {
			e.printf("\nworse than usual:\n")
		}
		e.printf("  %s\n", page.SignAnswer(&d.Signs[i]))
	}
	bigStages := map[string]bool{}
	for _, p := range parts {
		for _, name := range p.Names() {
			bigStages[name] = true
		}
	}
	told := 0
	for _, q := range d.Stages {
		if !bigStages[q.Stage] || told == mostQueries {
			continue
		}
		if told++; told == 1 {
			e.printf("\nwhat stages that took longer do:\n")
		}
		e.printf("  %s\n", page.QueryAnswer(&q))
	}
	if len(d.Slowest) > 0 {
		e.printf("\nslowest tasks, by how much they outlast the median of their stage:\n")
		head = []string{"  STAGE", "TASK", "TOOK", "MEDIAN", "MACHINE", "STATUS"}
		rows = nil
		for _, t := range d.Slowest {
			name := fmt.Sprint(t.Task)
			if t.Attempt > 0 {
				name += fmt.Sprintf(" (attempt %d)", t.Attempt)
			}
			rows = append(rows, []string{"  " + words.Shorten(t.Stage, 40), name, words.Seconds(t.Seconds),
				words.Seconds(t.MedianS), words.Shorten(cmp.Or(t.Machine, words.None), 30), t.Status})
		}
		e.rows(head, rows)
	}
	switch {
	case d.Replayable:
		e.printf("\nmore: racecard whatif %s --run %s\n", words.Shell(path), words.Shell(d.Run))
	case d.Job != "": // a run that cannot be simulated again
		e.printf("\nmore: racecard compare %s --job %s\n", words.Shell(path), words.Shell(d.Job))
	default:
		e.printf("\nmore: racecard inspect %s\n", words.Shell(path))
	}
	if d.Link != "" {
		e.printf("      %s\n", d.Link)
	}
}

// bar draws a bar for a part, relative to the largest.
func bar(s, most float64) string {
	const width = 24
	n := int(math.Round(math.Abs(s) / most * width))
	if s < 0 {
		return strings.Repeat("░", n)
	}
	return strings.Repeat("█", n)
}
