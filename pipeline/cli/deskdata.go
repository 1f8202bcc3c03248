package cli

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"racecard/analyses/waste"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	forecasts "racecard/models/deadlines/forecast"
	"racecard/pipeline/internal/desk"
	"racecard/pipeline/internal/local"
	desks "racecard/reports/desk"
	"racecard/reports/page"
)

// deskPlan holds the options of a desk.
type deskPlan struct {
	out, listen string
	title       string // "": made from the store
	price       string
	deadlines   []string
	jobs        int // with details, in a file
	fans        int // of these, jobs with remaining times
	workers     int
	prices      []waste.Price
}

// deskStore is a store with the state for its desk.
type deskStore struct {
	e      *env
	plan   deskPlan
	path   string
	s      *store.Store
	unix   bool
	zone   *time.Location
	rules  *rules
	first  trace.Instant // submissions
	last   trace.Instant
	waste  *result.Waste
	change *result.Comparison
}

// mostRows bounds the jobs in the table of a desk.
const mostRows = 5000

// openDesk opens a store for a desk.
func (e *env) openDesk(ctx context.Context, path string, p deskPlan) (*deskStore, error) {
	s, err := e.openStore(path)
	if err != nil {
		return nil, err
	}
	d := &deskStore{e: e, plan: p, path: path, s: s, unix: s.Manifest().TimeBase == source.TimeBaseUnix,
		first: trace.None, last: trace.None}
	d.zone = e.runs.location()
	if d.rules, err = readRules("", p.deadlines); err != nil {
		return nil, usageError{err}
	}
	if !d.unix && len(d.rules.clocks()) > 0 {
		return nil, usageError{fmt.Errorf("%s has no calendar: want deadlines after submission, such as audit=45m",
			path)}
	}
	d.rules.breach.Zone = d.zone
	for run, err := range e.eachRun(ctx, "find", s, path, store.Projection{"jobs.submit", "jobs.start"}) {
		if err != nil {
			return nil, err
		}
		at := run.Submitted()
		if !at.Known() {
			continue
		}
		if !d.first.Known() || at < d.first {
			d.first = at
		}
		d.last = max(d.last, at)
	}
	if !d.first.Known() {
		return nil, fmt.Errorf("%s: no run has a time of submission or start: there is nothing to show over time", path)
	}
	return d, nil
}

// flags returns the flags that chose runs, as a shell reads them.
func (d *deskStore) flags() string { return strings.Join(d.e.runs.given(), " ") }

// data returns everything that a desk in a file shows.
func (d *deskStore) data(ctx context.Context) (*desks.Data, error) {
	out := d.header()
	docs, err := d.analyze(ctx, "waste", "health")
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		if w, ok := doc.(*result.Waste); ok {
			d.waste = w
		}
	}
	if d.change, err = d.compare(ctx); err != nil {
		return nil, err
	}
	wanted, fans, err := d.chosen(ctx)
	if err != nil {
		return nil, err
	}
	c := desk.New(d.options(wanted, fans))
	for run, err := range d.e.eachRun(ctx, "collect", d.s, d.path, fitted) {
		if err != nil {
			return nil, err
		}
		c.Add(run)
	}
	if _, err := c.Waste(ctx); err != nil {
		return nil, err
	}
	if err := d.overview(ctx, c, out, docs); err != nil {
		return nil, err
	}
	if err := d.details(ctx, c, out, d.e.eachRun(ctx, "explain", d.s, d.path, measured)); err != nil {
		return nil, err
	}
	if out.Plan, err = d.planDays(ctx, out, c); err != nil {
		return nil, err
	}
	out.Machines, err = d.machines(ctx)
	return out, err
}

// header returns what a desk says of its store.
func (d *deskStore) header() *desks.Data {
	m := d.s.Manifest()
	out := &desks.Data{Format: desks.Format, Racecard: version(), Store: filepath.Base(filepath.Clean(d.path)),
		Title: d.plan.title, Path: d.path, Flags: d.flags(), Price: d.plan.price,
		Synthetic: m.Synthetic, Note: m.Note, Unix: d.unix, Zone: d.zone.String(),
		FromS: result.Number(float64(d.first) / 1e6)}
	_, to := d.s.Span()
	out.ToS = result.Number(float64(to) / 1e6)
	return out
}

// analyze runs analyses with the options of the desk.
func (d *deskStore) analyze(ctx context.Context, only ...string) ([]result.Document, error) {
	return d.e.analyze(ctx, d.s, wasteOptions(d.s, d.plan.prices), only, local.Options{Workers: d.plan.workers})
}

// overview fills the panels of the whole store; docs holds its health.
func (d *deskStore) overview(ctx context.Context, c *desk.Collector, out *desks.Data, docs []result.Document) error {
	for _, doc := range docs {
		h, ok := doc.(*result.Health)
		if !ok {
			continue
		}
		for _, w := range page.Diagnose(h, d.zone) {
			if w.Severity != result.HealthInfo {
				out.Today.Warnings = append(out.Today.Warnings, desks.Warning{Severity: w.Severity, What: w.Text,
					Text: w.Means})
			}
		}
	}
	d.rules.now, d.rules.compared = time.Time{}, d.change
	found, err := d.e.check(ctx, d.path, d.rules)
	if err != nil {
		return err
	}
	machines, err := d.s.Machines()
	if err != nil {
		return err
	}
	c.Overview(out, d.changes(), machines, mostRows)
	d.today(out, found)
	return nil
}

// changes returns the changes of jobs by name.
func (d *deskStore) changes() desk.Changes {
	all := desk.Changes{Jobs: map[string]*result.ComparedJob{}, Why: d.why}
	if d.change != nil {
		for i := range d.change.Jobs {
			all.Jobs[d.change.Jobs[i].Job] = &d.change.Jobs[i]
		}
	}
	return all
}

// comparing returns the comparison of the runs of every job before and after its own change, as racecard compare makes
// it; nil where that is not possible.
func (d *deskStore) comparing(s *store.Store) *comparing {
	if _, last := s.Span(); !s.Has("jobs.end") || !s.Has("jobs.name") || !last.Known() {
		return nil
	}
	return ownChanges(s, d.path, 4)
}

// compare compares the runs of every job before and after its own change; nil where that is not possible.
func (d *deskStore) compare(ctx context.Context) (*result.Comparison, error) {
	c := d.comparing(d.s)
	if c == nil {
		return nil, nil
	}
	return d.e.compare(ctx, c)
}

func (d *deskStore) why(c *result.ChangeCause) string {
	text, _, _ := strings.Cut(why(c, nil), " since ")
	return text
}

// chosen returns the jobs with details: those that waste most, then those whose runs took longest together.
func (d *deskStore) chosen(ctx context.Context) (wanted, fans map[string]bool, err error) {
	wanted, fans = map[string]bool{}, map[string]bool{}
	add := func(job string, runs int) {
		if runs < 2 || len(wanted) >= d.plan.jobs || wanted[job] {
			return
		}
		if wanted[job] = true; len(fans) < d.plan.fans {
			fans[job] = true
		}
	}
	for i := range d.waste.Jobs {
		add(d.waste.Jobs[i].Job, d.waste.Jobs[i].Runs)
	}
	if len(wanted) >= d.plan.jobs {
		return wanted, fans, nil
	}
	all, err := d.took(ctx)
	if err != nil {
		return nil, nil, err
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].seconds, all[a].seconds), cmp.Compare(a, b))
	})
	for _, name := range names {
		add(name, all[name].runs)
	}
	return wanted, fans, nil
}

// tookOf is how often a job ran, and how long its succeeded runs took together.
type tookOf struct {
	runs    int
	seconds float64
}

// took returns it for all jobs.
func (d *deskStore) took(ctx context.Context) (map[string]tookOf, error) {
	all := map[string]tookOf{}
	for run, err := range d.e.eachRun(ctx, "rank", d.s, d.path, store.Projection{"jobs.name", "jobs.job", "jobs.status",
		"jobs.submit", "jobs.start", "jobs.end"}) {
		if err != nil {
			return nil, err
		}
		name := run.JobName(false)
		if name == "" {
			continue
		}
		of := all[name]
		of.runs++
		if s := run.Completion().Seconds(); run.Status.Well() && !math.IsNaN(s) {
			of.seconds += s
		}
		all[strings.Clone(name)] = of
	}
	return all, nil
}

// options returns the options of the collector.
func (d *deskStore) options(wanted, fans map[string]bool) desk.Options {
	origin, _ := d.s.Span()
	return desk.Options{Waste: wasteOptions(d.s, d.plan.prices).Waste, First: d.first, Last: d.last, Origin: origin,
		Unix: d.unix, Zone: d.zone, Wanted: wanted, Fans: fans,
		Kept: min(400, max(40, 20_000/max(1, len(wanted)))), Explained: min(12, max(1, 1500/max(1, len(wanted)))),
		Due: d.rules.due, Next: d.next}
}

// next returns the run of a job that is forecast, as racecard forecast chooses it.
func (d *deskStore) next(job string, at []trace.Instant, past *forecasts.Fitted) (n desk.Next, err error) {
	n = desk.Next{Past: past, Submit: math.NaN(), Due: math.NaN()}
	usual := clock(math.NaN())
	if d.unix && len(at) > 0 {
		usual = usualClock(clocksOf(at, d.zone))
		fit := &fittedRuns{Past: past, Submitted: at}
		if slots := fit.slots(d.zone); len(slots) > 1 {
			n.Times = lists.Map(slots, clock.String)
		}
		if past != nil {
			if n.Chosen, n.Note = d.e.runOfDay(d.rules.due(job), "", fit); n.Chosen != "" {
				if usual, n.Submit, n.Past, err = d.e.submission(n.Chosen, "", fit); err != nil {
					return n, err
				}
			}
		}
		n.Start = usual.String()
	}
	if until, err := parseDeadline(d.rules.due(job)); err == nil {
		if n.Due = until.after; math.IsNaN(n.Due) {
			n.Due = usual.until(until.at)
		}
	}
	return n, nil
}

// details explains runs, which it chooses from those that are yielded again, and simulates jobs.
func (d *deskStore) details(ctx context.Context, c *desk.Collector, out *desks.Data,
	again iter.Seq2[*trace.Run, error]) error {
	if chosen := c.Choose(); len(chosen) > 0 {
		for run, err := range again {
			if err != nil {
				return err
			}
			if chosen[run.ID] {
				c.Explain(run)
			}
		}
	}
	p := d.e.progress("forecast")
	defer p.done()
	var mu sync.Mutex
	return c.Details(ctx, out, d.change, min(d.plan.workers, runtime.GOMAXPROCS(0)), func(done, of int) {
		mu.Lock()
		defer mu.Unlock()
		p.count(done, of, "jobs")
	})
}

// today fills the state of the store.
func (d *deskStore) today(out *desks.Data, found *result.Check) {
	row := map[string]int{}
	for i, name := range out.Jobs.Job {
		row[name] = i
	}
	t := &out.Today
	w := *d.waste
	w.Jobs, w.Users, w.Groups = []result.WasteJob{}, []result.WasteGroup{}, []result.WasteGroup{}
	t.Waste = &w
	if w.Unpriced != "" {
		t.Warnings = append(t.Warnings, desks.Warning{Severity: result.HealthWarn, What: "Costs are too low.",
			Text: words.Capital(w.Unpriced) + "."})
	}
	if d.change != nil {
		t.Changed, t.Compared = d.change.Changed(), d.change.Compared
	}
	t.Breaches = []desks.Breach{}
	for _, b := range found.Breaches {
		at, ok := row[b.Job]
		if !ok {
			at = -1
		}
		t.Breaches = append(t.Breaches, desks.Breach{Breach: b, Row: at})
	}
	if out.Demand != nil && out.Demand.Unplaced > 0 {
		t.Warnings = append(t.Warnings, desks.Warning{Severity: result.HealthWarn,
			What: words.Of(out.Demand.Unplaced, "run has", "runs have") + " no attempt with a start and an end.",
			Text: "Demand over time leaves them out."})
	}
}
