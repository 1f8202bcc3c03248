package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"racecard/analyses/periods"
	"racecard/analyses/waste"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/quantity"
	"racecard/reports/figure"
)

func compareCommand(e *env) *cobra.Command {
	o := periods.Options{MinRuns: 4, Level: periods.GivenLevel, MinChange: periods.MinChange}
	var split, out, price string
	var raw, all bool
	cmd := &cobra.Command{
		Use:   "compare STORE [STORE]",
		Short: "List the jobs that became slower or faster, with amount, date and cause",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return usageError{fmt.Errorf("compare wants one store or two, got %s; see `racecard compare --help`",
					words.Of(len(args), "argument", "arguments"))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && split != "" {
				return usageError{errors.New("--split divides one store; two are compared as they are")}
			}
			prices, err := parsePrices(price)
			if err != nil {
				return usageError{fmt.Errorf("--price: %w", err)}
			}
			c, err := e.openPeriods(args, split)
			if err != nil {
				return err
			}
			c.prices = prices
			last := args[len(args)-1:]
			if err := e.checkOut(out, last[0], "changes"); err != nil {
				return err
			}
			c.opts, c.raw = o, raw
			if c.opts.Own = len(args) == 1 && split == ""; c.opts.Own && !cmd.Flags().Changed("level") {
				c.opts.Level = periods.OwnLevel
			}
			doc, err := e.compare(cmd.Context(), c)
			if err != nil {
				return err
			}
			for p, of := range []*result.Period{&doc.Before, &doc.After} {
				if of.Use, err = e.use(cmd.Context(), c, periods.Period(p)); err != nil {
					return err
				}
				if of.Use != nil && of.Use.Unpriced != "" {
					doc.Warnings = append(doc.Warnings, [...]string{"before", "after"}[p]+": "+of.Use.Unpriced)
				}
			}
			if err := e.keep(cmd, out, last, c.stores[len(c.stores)-1], doc); err != nil {
				return err
			}
			if err := e.changes(doc, c, all); err != nil {
				return err
			}
			return e.printJSON(doc)
		},
	}
	f := cmd.Flags()
	parsedBy(f, &split, "split", "time", utcPoint,
		"where the later period begins: 2026-10-01, 2026-10-01T06:00, 7d before the last instant of the trace, or "+
			"+7d after its first")
	number(f, &o.MinRuns, "min-runs", whole(3, maxRuns),
		"succeeded runs in both periods that a job needs to be compared")
	number(f, &o.Level, "level", positive(quantity.Share, 0.5),
		"corrected p-value below which a job changed; 0.05% where jobs are divided at their own changes")
	number(f, &o.MinChange, "min-change", shares(0, 10),
		"change of the median below which a job did not change, however sure it is; 0% for none")
	f.BoolVar(&all, "all", false, "also list jobs that did not change")
	priceFlag(f, &price)
	namesFlag(f, &raw)
	outFlag(f, &out)
	e.filterFlags(f, true)
	return cmd
}

// comparing is the subject of a comparison.
type comparing struct {
	paths  []string
	stores []*store.Store
	from   trace.Instant // where the later period of one store begins
	opts   periods.Options
	raw    bool
	prices []waste.Price
}

// ownChanges is the comparison of the runs of every job of a store before and after its own change.
func ownChanges(s *store.Store, path string, minRuns int) *comparing {
	c := &comparing{paths: []string{path}, stores: []*store.Store{s}, opts: periods.Options{MinRuns: minRuns,
		Level: periods.OwnLevel, MinChange: periods.MinChange, Own: true,
		Unix: s.Manifest().TimeBase == source.TimeBaseUnix}}
	if first, last := s.Span(); last.Known() {
		c.from = first + (last-first+1)/2
	}
	return c
}

// use returns the resources held by the runs of a period; nil if they are not known.
func (e *env) use(ctx context.Context, c *comparing, p periods.Period) (*result.PeriodUse, error) {
	s := c.stores[0]
	if len(c.stores) == 2 {
		s = c.stores[p]
	} else {
		f := trace.NewFilter()
		if had := s.Filter(); had != nil {
			f = *had
		}
		if p == periods.Before && (!f.Until.Known() || f.Until > c.from) {
			f.Until = c.from
		}
		if p == periods.After && (!f.Since.Known() || f.Since < c.from) {
			f.Since = c.from
		}
		s = s.Where(f)
	}
	docs, err := e.analyze(ctx, s, wasteOptions(s, c.prices), []string{"waste"}, local.Options{})
	if err != nil {
		return nil, err
	}
	w := docs[0].(*result.Waste)
	if !w.Available || w.Runs == 0 {
		return nil, nil
	}
	return &result.PeriodUse{WasteAmount: w.WasteAmount, Classes: w.Classes, Fleet: w.Fleet, Stated: w.HeldKnown(),
		Unpriced: w.Unpriced}, nil
}

// openPeriods opens one store or two, and finds where one is divided.
func (e *env) openPeriods(paths []string, split string) (*comparing, error) {
	c := &comparing{paths: paths}
	for _, path := range paths {
		s, err := e.openStore(path)
		if err != nil {
			return nil, err
		}
		c.stores = append(c.stores, s)
	}
	if len(paths) == 2 {
		if a, b := c.stores[0].Manifest().TimeBase, c.stores[1].Manifest().TimeBase; a != b {
			return nil, fmt.Errorf("times of %s are %s, times of %s are %s: they cannot be compared", paths[0], a, paths[1],
				b)
		}
		return c, nil
	}
	if split != "" {
		var err error
		if c.from, err = pointIn(c.stores[0], split, e.runs.location()); err != nil {
			return nil, usageError{fmt.Errorf("--split %s: %w", split, err)}
		}
		return c, nil
	}
	first, last := c.stores[0].Span()
	if !last.Known() {
		return nil, fmt.Errorf("%s: no run has a time: there are no periods to compare", paths[0])
	}
	c.from = first + (last-first+1)/2
	return c, nil
}

// measured is the part of a store read to divide the time of runs.
var measured = store.Projection{"jobs.name", "jobs.job", "jobs.status", "jobs.submit", "jobs.start", "jobs.end",
	"jobs.input_bytes", "jobs.guaranteed",
	"stages.name", "stages.start", "stages.end", "tasks.status", "tasks.start", "tasks.end", "tasks.duration",
	"tasks.machine", "edges.parent", "edges.child"}

// each calls do for the runs of both periods. want selects the runs by their names and times; nil for all.
func (c *comparing) each(ctx context.Context, p *progress, projection store.Projection,
	do func(of periods.Period, name string, run *trace.Run)) error {
	of, done := 0, 0
	for _, s := range c.stores {
		of += s.Parts()
	}
	for i, s := range c.stores {
		ended := func() {
			done++
			p.count(done, of, "parts")
		}
		for run, err := range runsAhead(ctx, s, allParts(s), projection, ended) {
			if err != nil {
				return fmt.Errorf("%s: %w", c.paths[i], err)
			}
			if period, ok := c.period(i, run); ok {
				do(period, run.JobName(c.raw), run)
			}
		}
	}
	return nil
}

// period returns the period of a run of a store; false for a run of one store that has no time.
func (c *comparing) period(of int, run *trace.Run) (periods.Period, bool) {
	if len(c.stores) == 2 {
		return periods.Period(of), true
	}
	at := run.Submitted()
	if at.Known() && at >= c.from {
		return periods.After, true
	}
	return periods.Before, at.Known()
}

// compare compares two periods.
func (e *env) compare(ctx context.Context, c *comparing) (*result.Comparison, error) {
	c.opts.Unix = c.stores[0].Manifest().TimeBase == source.TimeBaseUnix
	both := periods.New(c.opts)
	p := e.progress("read")
	defer func() { p.done() }()
	runs := store.Projection{"jobs.name", "jobs.job", "jobs.status", "jobs.submit", "jobs.start", "jobs.end",
		"jobs.input_bytes"}
	if err := c.each(ctx, p, runs, both.Add); err != nil {
		return nil, err
	}
	changed, err := both.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		wanted := map[string]bool{}
		for _, name := range changed {
			wanted[name] = true
		}
		p.done()
		p = e.progress("explain")
		err := c.each(ctx, p, measured, func(of periods.Period, name string, run *trace.Run) {
			if wanted[name] {
				both.Measure(ctx, of, name, run)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	doc, err := both.Finish(ctx)
	if err != nil {
		return nil, err
	}
	doc.Needs = measured
	if c.paths[0] != "" {
		doc.Before.Store, doc.After.Store = publish.Name(c.paths[0]), publish.Name(c.paths[len(c.paths)-1])
	}
	for _, s := range c.stores {
		doc.Synthetic = doc.Synthetic || s.Manifest().Synthetic
	}
	return doc, nil
}

// mostListed bounds the rows of a table of jobs, unless all are asked for.
const mostListed = 20

// changes prints the changes.
func (e *env) changes(d *result.Comparison, c *comparing, all bool) error {
	zone := c.zone(e)
	for _, p := range []struct {
		name string
		of   *result.Period
	}{{"before", &d.Before}, {"after", &d.After}} {
		of := p.of
		if of.Runs == 0 {
			e.printf("%-6s  no runs\n", p.name)
			continue
		}
		e.printf("%-6s  %s: %s", p.name, periodText(of, zone), words.Of(of.Runs, "run", "runs"))
		if n := float64(of.RunsPerDay); !math.IsNaN(n) {
			e.printf(", %s a day", words.Number(n))
		}
		if n := float64(of.AtOnce); !math.IsNaN(n) {
			e.printf(", on average %s and at most %s at once", words.Number(n), words.Count(of.PeakAtOnce))
		}
		e.printf(", %s failed\n", words.Percent(float64(of.Failed)/float64(max(1, of.Runs))))
	}
	changed := d.Changed()
	e.heldBetween(d)
	if d.Compared == 0 {
		e.printf("\n%s\n", c.incomparable(d))
	} else {
		e.changedLine(d, changed)
	}
	head := []string{"JOB", "BEFORE", "AFTER", "CHANGE OF THE MEDIAN", "P95", "P", "WHY"}
	if c.opts.Own {
		head = slices.Insert(head, 1, "DIVIDED AT")
	}
	var rows [][]string
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if !all && (!j.Changed || len(rows) >= mostListed) {
			continue
		}
		row := []string{words.Shorten(j.Job, 40), median(j.Before), median(j.After), "~", "", "", ""}
		if p := float64(j.PValue); !math.IsNaN(p) {
			row[5] = probability(p)
		} else {
			row[3] = "too few runs"
		}
		if j.Changed {
			row[3] = figure.SignedShare(float64(j.Change)) + " [" + figure.SignedShare(float64(j.Interval[0])) +
				" to " + figure.SignedShare(float64(j.Interval[1])) + "]"
			row[4] = figure.SignedShare(j.After.P95/j.Before.P95 - 1)
			row[6] = why(&j.Cause, zone)
		}
		if c.opts.Own {
			row = slices.Insert(row, 1, since(float64(j.DividedS), zone))
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		e.rows(head, rows)
	}
	if c.opts.Own && len(rows) > 0 {
		e.printf("the runs of each job are divided at its own likeliest change, not at the date above; --split divides all\n")
	}
	if rest := changed - len(rows); !all && rest > 0 {
		e.printf("and %s more: --all or --json lists them\n", words.Count(rest))
	}
	e.notes("warning", d.Warnings)
	if d.Before.Runs == 0 || d.After.Runs == 0 {
		return nil // all jobs of the other period are in it alone
	}
	for _, of := range []struct {
		what string
		jobs []result.ComparedNames
	}{{"appeared", d.Appeared}, {"disappeared", d.Disappeared}} {
		if len(of.jobs) > 0 {
			e.printf("%s %s: %s\n", words.Of(len(of.jobs), "job", "jobs"), of.what, namesOf(of.jobs))
		}
	}
	return nil
}

// changedLine prints the number of changed jobs.
func (e *env) changedLine(d *result.Comparison, changed int) {
	jobs := words.Of(d.Compared, "job", "jobs")
	e.printf("\n%s of %s changed%s; p-values are corrected for %s (Benjamini and Hochberg)\n", words.Count(changed), jobs,
		marked(d.Synthetic), jobs)
}

// heldBetween prints the change in the resources held by all runs.
func (e *env) heldBetween(d *result.Comparison) {
	a, b := d.Before.Use, d.After.Use
	if a == nil || b == nil || !(d.Before.LengthS > 0) || !(d.After.LengthS > 0) || d.Beyond > result.MostBeyond {
		return
	}
	perDay := func(p *result.Period, x float64) float64 { return x / float64(p.LengthS) * day }
	held := [2]float64{perDay(&d.Before, a.HeldCoreH), perDay(&d.After, b.HeldCoreH)}
	e.printf("%-6s  %s → %s core-hours a day (%s)", words.Either(a.Stated && b.Stated, "held", "ran"),
		words.Number(held[0]), words.Number(held[1]), times(held[0], held[1]))
	if stated := a.Stated && b.Stated; stated || a.WastedCoreH+b.WastedCoreH > 0 {
		e.printf("; %s: %s → %s", words.Either(stated, "did no useful work", "known to have done no useful work"),
			shareOf(a.WastedCoreH, a.HeldCoreH), shareOf(b.WastedCoreH, b.HeldCoreH))
	} else {
		e.printf("; what was held and idle is not known")
	}
	if x, y := float64(a.Cost), float64(b.Cost); !math.IsNaN(x) && !math.IsNaN(y) {
		e.printf("; cost a day: %s → %s", words.Number(perDay(&d.Before, x)), words.Number(perDay(&d.After, y)))
	}
	if a.Fleet != nil && b.Fleet != nil {
		e.printf("; cores held at once, at most: %s → %s", words.Number(a.Fleet.PeakCores),
			words.Number(b.Fleet.PeakCores))
		if a.Fleet.Machines > 0 && b.Fleet.Machines > 0 {
			e.printf(", on %s → %s", words.Count(a.Fleet.Machines), words.Of(b.Fleet.Machines, "machine", "machines"))
		}
	}
	e.printf("\n")
}

// times writes the change of an amount: as a percentage, or as a multiple from 10x on.
func times(from, to float64) string {
	if to >= 10*from {
		return "x" + words.Number(to/from)
	}
	return figure.SignedShare(to/from - 1)
}

// incomparable returns the reason why no job could be compared.
func (c *comparing) incomparable(d *result.Comparison) string {
	for _, column := range []struct{ name, lack string }{
		{"jobs.name", "runs have no names: there are no jobs to compare"},
		{"jobs.end", "the ends of runs are not known: their times cannot be compared"},
	} {
		for _, s := range c.stores {
			if !s.Has(column.name) {
				return column.lack
			}
		}
	}
	for _, empty := range []struct {
		of   *result.Period
		when string
	}{{&d.Before, "before"}, {&d.After, "after"}} {
		switch {
		case empty.of.Runs > 0:
		case len(c.stores) == 2:
			return empty.of.Store + " has none of the runs asked for: there is nothing to compare"
		case c.opts.Own:
			return fmt.Sprintf("the store has %s: there is nothing to compare", words.Of(d.Before.Runs+d.After.Runs, "run",
				"runs"))
		default:
			return "the store has no runs " + empty.when + " the split: there is nothing to compare (--split)"
		}
	}
	why := fmt.Sprintf("no job has enough runs that succeeded in both periods to be compared: %d in either are "+
		"needed (--min-runs)", c.opts.MinRuns)
	if c.opts.Own {
		why = fmt.Sprintf("no job has enough runs that succeeded to be divided: %d are needed (twice --min-runs)",
			2*c.opts.MinRuns)
	}
	if len(d.Jobs) == 0 {
		return why + ", and no job has runs in both"
	}
	j := slices.MaxFunc(d.Jobs, func(a, b result.ComparedJob) int {
		return cmp.Or(cmp.Compare(min(a.Before.N, a.After.N), min(b.Before.N, b.After.N)),
			cmp.Compare(a.Before.N+a.After.N, b.Before.N+b.After.N), strings.Compare(b.Job, a.Job))
	})
	nearest := fmt.Sprintf("%s, and %s comes nearest with ", why, words.Shorten(j.Job, longName))
	if c.opts.Own {
		return nearest + words.Count(j.Before.N+j.After.N)
	}
	return nearest + fmt.Sprintf("%s before and %s after", words.Count(j.Before.N), words.Count(j.After.N))
}

func median(s result.Summary) string {
	if s.N == 0 {
		return words.None
	}
	return words.Seconds(s.P50)
}

// probability writes a p-value.
func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// zone returns the time zone of instants in texts; nil for a trace without a calendar.
func (c *comparing) zone(e *env) *time.Location {
	if !c.opts.Unix {
		return nil
	}
	return e.runs.location()
}

// periodText writes the time that a period covers; zone is nil for a trace without a calendar.
func periodText(p *result.Period, zone *time.Location) string {
	switch {
	case math.IsNaN(float64(p.FromS)):
		return p.Store
	case zone != nil:
		return words.SpanIn(float64(p.FromS), float64(p.ToS), zone)
	}
	return words.Seconds(p.FromS) + " to " + words.Seconds(p.ToS) + " from the start"
}

// since writes an instant; zone is nil for a trace without a calendar.
func since(s float64, zone *time.Location) string {
	switch {
	case math.IsNaN(s):
		return words.None
	case zone != nil:
		return words.InstantIn(s, zone)
	}
	return words.Seconds(s) + " from the start"
}

// namesOf lists the first few names of jobs.
func namesOf(all []result.ComparedNames) string {
	names := lists.Map(all[:min(len(all), maxKept)], func(j result.ComparedNames) string {
		return words.Shorten(j.Job, 40) + " (" + words.Of(j.Runs, "run", "runs") + ")"
	})
	if more := len(all) - len(names); more > 0 {
		names = append(names, words.Count(more)+" more")
	}
	return words.List(names)
}

// why describes the cause of a job's change; zone is nil for a trace without a calendar.
func why(c *result.ChangeCause, zone *time.Location) string {
	text := causeText(c.Kind, c.Stage, float64(c.From), float64(c.To))
	known := text != ""
	if !known {
		text = noCause(c.Parts)
	}
	s := float64(c.SinceS)
	switch {
	case !known || math.IsNaN(s):
	case c.Gradual:
		text += ", step by step"
	default:
		text += " since " + since(s, zone)
	}
	if known {
		text += " (" + words.Percent(c.Share) + " of the change)"
	}
	for i := range c.Also {
		also := &c.Also[i]
		text += "; " + causeText(also.Kind, also.Stage, float64(also.From), float64(also.To)) + " (" +
			words.Percent(also.Share) + ")"
	}
	return text
}

// causeText describes a cause; "" if none is known.
func causeText(kind, stage string, from, to float64) string {
	stage = words.Shorten(stage, 30)
	switch kind {
	case "stage":
		switch x := to / from; {
		case from <= 0:
			return fmt.Sprintf("stage %s: new, %s of work", stage, words.Seconds(to))
		case x < 0.1 || x > 10:
			return fmt.Sprintf("stage %s: work %s → %s", stage, words.Seconds(from), words.Seconds(to))
		default:
			return fmt.Sprintf("stage %s: work x%s", stage, words.Number(x))
		}
	case "input":
		return fmt.Sprintf("input %s → %s", words.Bytes(from), words.Bytes(to))
	case "cores":
		return fmt.Sprintf("cores %s → %s", words.Number(from), words.Number(to))
	case "queueing":
		return fmt.Sprintf("queueing %s → %s", words.Seconds(from), words.Seconds(to))
	case "failures":
		return fmt.Sprintf("failed work %s → %s", words.Percent(from), words.Percent(to))
	case "skew":
		return fmt.Sprintf("skew in stage %s: longest task %s → %s", stage, words.Seconds(from), words.Seconds(to))
	}
	return ""
}

// noCause describes a change without a cause.
func noCause(parts []result.CausePart) string {
	if len(parts) > 0 {
		switch p := &parts[0]; {
		case p.What == "contention":
			return "no single cause: all stages take longer or less long alike"
		case p.What == "driver":
			return "driver and start-up, " + figure.SignedSeconds(p.Seconds)
		case p.What == "stage" && p.Stage == "":
			return "cause not known: the trace has no stages of the runs"
		}
	}
	return "no cause stands out"
}
