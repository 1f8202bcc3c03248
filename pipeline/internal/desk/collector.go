// Package desk collects the data of the planner's desk from the runs of a store: demand over time, the table of jobs,
// and per job its runs, its stages before and after a change, its forecast on a grid of cores and deadlines, the
// remaining time of its runs, and its unusual runs against their usual.
//
// Every number comes from the function of the corresponding command, with the same options.
package desk

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"racecard/analyses/anatomy"
	"racecard/analyses/quantile"
	"racecard/analyses/waste"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/forecast"
	"racecard/models/deadlines/profile"
	"racecard/reports/desk"
)

// Options are the options of a [Collector].
type Options struct {
	Waste       waste.Options
	First, Last trace.Instant // submissions
	Origin      trace.Instant // first instant of the trace
	Unix        bool
	Zone        *time.Location
	Kept        int // runs of a job that its table holds, the newest
	Explained   int // runs of a job that are explained
	// Wanted are the jobs with details, Fans the jobs of Wanted with remaining times; nil is none.
	Wanted, Fans map[string]bool
	// Usual returns the clock time at which a job is usually submitted; "" where times have no calendar.
	Usual func(submitted []trace.Instant) string
	// Due returns the deadline of a job, as stated, and in seconds after its usual submission; NaN for none.
	Due func(job string, submitted []trace.Instant) (text string, after float64)
}

// Collector collects runs.
type Collector struct {
	o       Options
	buckets buckets
	parts   []*waste.Partial // by bucket
	bad     []int
	runs    int
	jobs    map[string]*job
	demand  *demand
	users   *demand // by user
}

// job is the runs of a job.
type job struct {
	ok       int
	runs     int
	runsIn   []int
	took     []float64 // of succeeded runs, and
	tookIn   []int     // their buckets
	at       []trace.Instant
	kept     []observed
	trimmed  int
	past     forecast.Past
	builder  profile.Builder
	explain  map[string]bool
	explains []*result.Explanation
}

// observed is a run of a job with details.
type observed struct {
	measured anatomy.Run
	known    bool // it was measured
	id       string
	at       trace.Instant
	took     float64 // NaN where not known
	cores    float64
	input    float64
	status   trace.Status
}

// New returns a collector without runs.
func New(o Options) *Collector {
	c := &Collector{o: o, jobs: map[string]*job{}}
	c.buckets = divide(o.First, o.Last, o.Origin, o.Unix, o.Zone)
	for range c.buckets.count() {
		c.parts = append(c.parts, waste.New(o.Waste))
	}
	c.bad = make([]int, c.buckets.count())
	c.demand, c.users = newDemand(&c.buckets, o.Waste.Cores), newDemand(&c.buckets, o.Waste.Cores)
	return c
}

// submitted returns when a run was submitted, or started where that is not known.
func submitted(run *trace.Run) trace.Instant {
	if run.Submit.Known() {
		return run.Submit
	}
	return run.Start
}

// Add adds a run, which it does not keep.
func (c *Collector) Add(run *trace.Run) {
	c.runs++
	at := submitted(run)
	in := c.buckets.of(at)
	if in >= 0 {
		c.parts[in].Add(run)
		if failed(run.Status) {
			c.bad[in]++
		}
	}
	c.demand.add(strings.Clone(run.Group), run)
	c.users.add(strings.Clone(run.User), run)
	name := run.JobName(false)
	if name == "" {
		return
	}
	j := c.jobs[name]
	if j == nil {
		j = &job{runsIn: make([]int, c.buckets.count())}
		c.jobs[strings.Clone(name)] = j
	}
	j.runs++
	took := run.Completion().Seconds()
	if run.Status == trace.Succeeded {
		j.ok++
		if !math.IsNaN(took) {
			j.took, j.tookIn = append(j.took, took), append(j.tookIn, in)
		}
	}
	if in >= 0 {
		j.runsIn[in]++
	}
	if at.Known() {
		j.at = append(j.at, at)
	}
	if c.o.Wanted[name] {
		j.keep(run, at, took, c.o.Kept+60)
		j.past.Add(run)
		if c.o.Fans[name] {
			j.builder.Add(run)
		}
	}
}

func failed(s trace.Status) bool {
	return s != trace.Succeeded && s != trace.StatusUnknown && s != trace.Running
}

// keep adds a run if it is among the newest.
func (j *job) keep(run *trace.Run, at trace.Instant, took float64, most int) {
	o := observed{id: strings.Clone(run.ID), at: at, took: took, cores: math.NaN(), input: math.NaN(),
		status: run.Status}
	if held := run.Held(); held.Most > 0 {
		o.cores = float64(held.Most)
	}
	if run.InputBytes > 0 {
		o.input = float64(run.InputBytes)
	}
	o.measured, o.known = anatomy.Measure(run)
	o.measured.ID = o.id
	for i := range o.measured.Stages {
		o.measured.Stages[i].Name = strings.Clone(o.measured.Stages[i].Name)
	}
	j.kept = append(j.kept, o)
	if len(j.kept) >= 4*most {
		j.trim(most)
	}
}

// trim keeps the newest runs, in time order.
func (j *job) trim(most int) {
	slices.SortFunc(j.kept, func(a, b observed) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	if left := len(j.kept) - most; left > 0 {
		j.trimmed += left
		j.kept = slices.Clone(j.kept[left:])
	}
}

// Overview returns the buckets, the demand and the table of jobs. all and changes are the results of waste and
// compare. The table has at most most jobs.
func (c *Collector) Overview(ctx context.Context, d *desk.Data, all *result.Waste, changes *result.Comparison,
	machines []trace.Machine, most int, why func(*result.ChangeCause) string) error {
	d.Runs = c.runs
	d.Demand = c.demand.finish("group", machines)
	if d.Demand != nil && len(d.Demand.Held) < 2 {
		if users := c.users.finish("user", machines); len(users.Held) > 1 {
			d.Demand = users
		} else {
			d.Demand.By = ""
		}
	}
	b := &d.Buckets
	b.Names = c.buckets.names
	for _, at := range c.buckets.edges {
		b.Edges = append(b.Edges, seconds(at))
	}
	var found []map[string]*result.WasteJob
	for i, p := range c.parts {
		w, err := p.Finish(ctx)
		if err != nil {
			return err
		}
		b.Held, b.Wasted = append(b.Held, w.HeldCoreH), append(b.Wasted, w.WastedCoreH)
		if all.Priced {
			b.Cost = append(b.Cost, float64(w.Cost))
		}
		b.Bad = append(b.Bad, c.bad[i])
		d.Bad += c.bad[i]
		by := map[string]*result.WasteJob{}
		for k := range w.Jobs {
			by[w.Jobs[k].Job] = &w.Jobs[k]
		}
		found = append(found, by)
	}
	b.Runs = make([]int, c.buckets.count())
	for _, j := range c.jobs {
		for i, n := range j.runsIn {
			b.Runs[i] += n
		}
	}
	c.table(&d.Jobs, all, changes, found, most, why)
	return nil
}

// table fills the table of jobs.
func (c *Collector) table(t *desk.Jobs, all *result.Waste, changes *result.Comparison, in []map[string]*result.WasteJob,
	most int, why func(*result.ChangeCause) string) {
	compared := map[string]*result.ComparedJob{}
	if changes != nil {
		for i := range changes.Jobs {
			compared[changes.Jobs[i].Job] = &changes.Jobs[i]
		}
	}
	wasted := map[string]*result.WasteJob{}
	for i := range all.Jobs {
		wasted[all.Jobs[i].Job] = &all.Jobs[i]
	}
	nan := math.NaN()
	for _, name := range c.order(all) {
		if len(t.Job) == most {
			t.More = len(c.jobs) - most
			return
		}
		j := c.jobs[name]
		w := result.WasteAmount{HeldCoreH: nan, WastedCoreH: nan, Cost: result.Number(nan)}
		if known := wasted[name]; known != nil {
			w = known.WasteAmount
		}
		t.Job, t.Runs, t.OK = append(t.Job, name), append(t.Runs, j.runs), append(t.OK, j.ok)
		t.Held, t.Wasted = append(t.Held, w.HeldCoreH), append(t.Wasted, w.WastedCoreH)
		if all.Priced {
			t.Cost = append(t.Cost, float64(w.Cost))
		}
		took := quantile.Sort(j.took)
		t.P50, t.P95 = append(t.P50, quantile.Quantile(took, 0.5)), append(t.P95, quantile.Quantile(took, 0.95))
		change, since, cause, changed := nan, nan, "", false
		if k := compared[name]; k != nil {
			change, changed = float64(k.Change), k.Changed
			if changed {
				cause, since = why(&k.Cause), float64(k.Cause.SinceS)
			}
		}
		t.Change, t.Changed = append(t.Change, change), append(t.Changed, changed)
		t.Cause, t.Since = append(t.Cause, cause), append(t.Since, since)
		text, _ := c.o.Due(name, j.at)
		t.Due, t.Risk = append(t.Due, text), append(t.Risk, nan)
		t.Spark = append(t.Spark, j.spark(c.buckets.count()))
		held, lost, cost := make(desk.Column, len(in)), make(desk.Column, len(in)), make(desk.Column, len(in))
		for i := range in {
			if w := in[i][name]; w != nil {
				held[i], lost[i], cost[i] = w.HeldCoreH, w.WastedCoreH, float64(w.Cost)
			}
		}
		t.RunsIn, t.HeldIn, t.WastedIn = append(t.RunsIn, j.runsIn), append(t.HeldIn, held), append(t.WastedIn, lost)
		if all.Priced {
			t.CostIn = append(t.CostIn, cost)
		}
	}
}

// order returns the names of jobs, those that waste most first, then by the time that their runs took.
func (c *Collector) order(all *result.Waste) []string {
	var names []string
	listed := map[string]bool{}
	for i := range all.Jobs {
		if name := all.Jobs[i].Job; c.jobs[name] != nil {
			names, listed[name] = append(names, name), true
		}
	}
	var rest []string
	for name := range c.jobs {
		if !listed[name] {
			rest = append(rest, name)
		}
	}
	slices.SortFunc(rest, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.jobs[b].total(), c.jobs[a].total()), cmp.Compare(a, b))
	})
	return append(names, rest...)
}

func (j *job) total() (s float64) {
	for _, x := range j.took {
		s += x
	}
	return s
}

// spark returns the median time of a job's runs by bucket.
func (j *job) spark(n int) desk.Column {
	by := make([][]float64, n)
	for i, in := range j.tookIn {
		if in >= 0 {
			by[in] = append(by[in], j.took[i])
		}
	}
	out := make(desk.Column, n)
	for i := range by {
		out[i] = quantile.Quantile(quantile.Sort(by[i]), 0.5)
	}
	return out
}
