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
	mathbits "math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"racecard/analyses/anatomy"
	"racecard/analyses/quantile"
	"racecard/analyses/waste"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/forecast"
	"racecard/models/deadlines/jobmodel"
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
	// Due returns the deadline of a job, as stated; "" for none.
	Due func(job string) string
	// Next chooses the run of a job that is forecast. Of a job with too few runs to forecast, past is nil.
	Next func(job string, submitted []trace.Instant, past *forecast.Fitted) (Next, error)
	// Surprise returns how much next runs of the store surprise, where not all of its runs are added; nil where they are.
	Surprise func() *modelfile.Surprise
}

// Next is the run of a job that is forecast, as racecard forecast chooses it.
type Next struct {
	Past   *forecast.Fitted // the runs from which it is learned
	Submit float64          // of the run, in seconds since 1970; NaN: when runs usually follow each other
	Start  string           // its clock time; "" where times have no calendar
	Due    float64          // its deadline, in seconds after Start; NaN for none
	Times  []string         // clock times of the runs of a day, where there are usually several
	Chosen string           // Start where it is one of several runs that differ, to the second; else ""
	Note   string           // on this choice
}

// Collector collects runs. It holds about ten bytes of a run, 40 of those that [jobmodel.Peers] hold, and of a job some
// 300 bytes and 48 for every bucket in which it has runs.
type Collector struct {
	o       Options
	buckets buckets
	bad     []int
	runs    int
	ill     int // runs that did not succeed, also those whose time is not known
	unknown int // runs of which the trace does not say how they ended
	jobs    map[string]*job
	peers   jobmodel.Peers
	learned func() *modelfile.Surprise // from peers, once
	total   *waste.Partial
	used    bool   // use is known
	use     []cell // by bucket: all runs, also those without a job
	demand  *demand
	users   *demand // by user
}

// job is the runs of a job.
type job struct {
	runs, ok int32
	measured bool            // its use is known
	parts    bits            // of the store, that hold its runs
	cells    []cell          // by bucket, only those with runs
	all      amount          // also of runs outside of all buckets
	took     []float64       // of succeeded runs, and
	tookIn   []int8          // their buckets
	at       []trace.Instant // where it is asked for
	p50, p95 float64         // of took, after [job.sum], which drops them
	sumTook  float64
	summed   bool
	kept     []observed
	trimmed  int
	past     *forecast.Past
	explain  map[string]bool
	explains []*result.Explanation
}

// amount is the core-hours held and wasted, and their cost.
type amount struct{ held, wasted, cost, wastedCost float64 }

func (a *amount) add(u *waste.Use) {
	a.held, a.wasted = a.held+u.HeldCoreH, a.wasted+u.WastedCoreH
	a.cost, a.wastedCost = a.cost+u.Cost, a.wastedCost+u.WastedCost
}

// cell is the runs of a job that were submitted in one bucket.
type cell struct {
	amount
	p50  float64 // of the times of its runs
	runs int32
	in   int8
}

// cell returns the cell of a bucket.
func (j *job) cell(in int) *cell {
	at, found := slices.BinarySearchFunc(j.cells, int8(in), func(c cell, in int8) int { return cmp.Compare(c.in, in) })
	if !found {
		j.cells = slices.Insert(j.cells, at, cell{in: int8(in), p50: math.NaN()})
	}
	return &j.cells[at]
}

// bits is a set of small numbers.
type bits []uint64

func (b *bits) add(n int) {
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

// list returns the numbers in ascending order.
func (b bits) list() []int {
	var out []int
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			out = append(out, 64*i+mathbits.TrailingZeros64(word))
		}
	}
	return out
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
	c.learned = sync.OnceValue(func() *modelfile.Surprise { return c.peers.Learn().At(trace.None) })
	c.buckets = divide(o.First, o.Last, o.Origin, o.Unix, o.Zone)
	c.total, c.use = waste.New(o.Waste), make([]cell, c.buckets.count())
	c.bad = make([]int, c.buckets.count())
	c.demand, c.users = newDemand(&c.buckets, o.Waste.Cores), newDemand(&c.buckets, o.Waste.Cores)
	return c
}

// Add adds a run, which it does not keep.
func (c *Collector) Add(run *trace.Run) {
	c.AddTimes(run, 0)
	c.AddUse(run)
	name := run.JobName(false)
	if name == "" || !c.o.Wanted[name] {
		return
	}
	j := c.jobs[name]
	j.keep(run, run.Submitted(), run.Completion().Seconds(), c.o.Kept+60)
	if j.past == nil {
		newest := forecast.DefaultOptions().Newest
		if c.o.Fans[name] {
			newest = max(newest, fanRuns)
		}
		j.past = forecast.NewPast(newest)
	}
	j.past.Add(run)
}

// AddTimes takes the times and the status of a run into account, which lies in a part of the store.
func (c *Collector) AddTimes(run *trace.Run, part int) {
	c.runs++
	if run.Status == trace.StatusUnknown || run.Status == trace.Running {
		c.unknown++
	}
	at, ill := run.Submitted(), failed(run.Status)
	if ill {
		c.ill++
	}
	in := c.buckets.of(at)
	if in >= 0 {
		c.use[in].runs++
		if ill {
			c.bad[in]++
		}
	}
	name := run.JobName(false)
	if name == "" {
		return
	}
	if c.o.Surprise == nil {
		c.peers.Add(name, run)
	}
	j := c.jobs[name]
	if j == nil {
		j = &job{}
		c.jobs[strings.Clone(name)] = j
	}
	j.runs++
	j.parts.add(part)
	if run.Status == trace.Succeeded {
		j.ok++
	}
	if run.Status.Well() {
		if took := run.Completion().Seconds(); !math.IsNaN(took) {
			j.took, j.tookIn = append(j.took, took), append(j.tookIn, int8(in))
		}
	}
	if in >= 0 {
		j.cell(in).runs++
	}
	if at.Known() && c.o.Wanted[name] {
		j.at = append(j.at, at)
	}
}

// Surprise returns how much next runs of the store surprise, nil where they do not. It is asked for when all runs have
// been added.
func (c *Collector) Surprise() *modelfile.Surprise {
	if c.o.Surprise != nil {
		return c.o.Surprise()
	}
	return c.learned()
}

// AddUse takes into account what a run held. AddTimes was called with it.
func (c *Collector) AddUse(run *trace.Run) {
	u, ok := c.total.AddUse(run)
	if !ok {
		c.demand.unplaced++
		c.users.unplaced++
		return
	}
	c.demand.add(run.Group, &u)
	c.users.add(run.User, &u)
	in := c.buckets.of(run.Submitted())
	if in >= 0 {
		c.use[in].add(&u)
	}
	if j := c.jobs[run.JobName(false)]; j != nil {
		j.measured = true
		j.all.add(&u)
		if in >= 0 {
			j.cell(in).add(&u)
		}
	}
}

// Waste returns what all runs held, as racecard waste prints it. From then on the table has it, too: AddUse was called
// with every run.
func (c *Collector) Waste(ctx context.Context) (*result.Waste, error) {
	w, err := c.total.Finish(ctx)
	if c.used = err == nil; c.used {
		w.Available = w.Runs > 0 // no run may have times of attempts
	}
	return w, err
}

// amounts returns what a job held, NaN where that is not known.
func (c *Collector) amounts(j *job, of amount) amount {
	if !c.used || !j.measured {
		nan := math.NaN()
		return amount{nan, nan, nan, nan}
	}
	return of
}

// Has reports whether a job has runs.
func (c *Collector) Has(job string) bool { return c.jobs[job] != nil }

// Parts returns the parts of the store that hold runs of jobs, in ascending order, as AddTimes was told.
func (c *Collector) Parts(jobs ...string) []int {
	var all bits
	for _, name := range jobs {
		if j := c.jobs[name]; j != nil {
			for _, part := range j.parts.list() {
				all.add(part)
			}
		}
	}
	return all.list()
}

func failed(s trace.Status) bool {
	return !s.Well() && s != trace.Running
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
	o.measured, o.known = anatomy.Measure(context.Background(), run)
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

// Overview returns the buckets, the demand and the first jobs, at most most: those that waste most, or those whose runs
// took longest together where use is not known yet.
func (c *Collector) Overview(d *desk.Data, changes Changes, machines []trace.Machine, most int) {
	d.Runs, d.Bad, d.Unknown = c.runs, c.ill, c.unknown
	if c.used {
		d.Demand = c.demand.finish("group", machines)
	}
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
	for i := range c.use {
		u := &c.use[i]
		b.Held, b.Wasted = append(b.Held, u.held), append(b.Wasted, u.wasted)
		if c.priced() {
			b.Cost = append(b.Cost, u.cost)
		}
		b.Runs, b.Bad = append(b.Runs, int(u.runs)), append(b.Bad, c.bad[i])
	}
	names := c.order()
	c.rows(&d.Jobs, changes, names[:min(most, len(names))])
	d.Jobs.More = max(0, len(names)-most)
}

func (c *Collector) priced() bool { return len(c.o.Waste.Prices) > 0 }

// Changes are the changes of jobs, by name.
type Changes struct {
	Jobs map[string]*result.ComparedJob
	Why  func(*result.ChangeCause) string // the cause in words
}

// rows appends jobs to a table.
func (c *Collector) rows(t *desk.Jobs, changes Changes, names []string) {
	nan := math.NaN()
	n := c.buckets.count()
	if t.Job == nil { // a page looks at columns without rows, too
		t.Job, t.Cause, t.Due = []string{}, []string{}, []string{}
		t.Runs, t.OK, t.Changed, t.RunsIn = []int{}, []int{}, []bool{}, [][]int{}
		t.Spark, t.HeldIn, t.WastedIn, t.CostIn = []desk.Column{}, []desk.Column{}, []desk.Column{}, []desk.Column{}
	}
	for _, name := range names {
		j := c.jobs[name]
		j.sum()
		all := c.amounts(j, j.all)
		t.Job, t.Runs, t.OK = append(t.Job, name), append(t.Runs, int(j.runs)), append(t.OK, int(j.ok))
		t.Held, t.Wasted = append(t.Held, all.held), append(t.Wasted, all.wasted)
		if c.priced() {
			t.Cost = append(t.Cost, all.cost)
		}
		t.P50, t.P95 = append(t.P50, j.p50), append(t.P95, j.p95)
		change, since, cause, changed := nan, nan, "", false
		if k := changes.Jobs[name]; k != nil {
			change, changed = float64(k.Change), k.Changed
			if changed {
				cause, since = changes.Why(&k.Cause), float64(k.Cause.SinceS)
			}
		}
		t.Change, t.Changed = append(t.Change, change), append(t.Changed, changed)
		t.Cause, t.Since = append(t.Cause, cause), append(t.Since, since)
		t.Due, t.Risk = append(t.Due, c.o.Due(name)), append(t.Risk, nan)
		spark, runs := make(desk.Column, n), make([]int, n)
		held, lost, cost := make(desk.Column, n), make(desk.Column, n), make(desk.Column, n)
		for i := range spark {
			spark[i] = nan
		}
		for i := range j.cells {
			x := &j.cells[i]
			spark[x.in], runs[x.in] = x.p50, int(x.runs)
			held[x.in], lost[x.in], cost[x.in] = x.held, x.wasted, x.cost
		}
		t.Spark = append(t.Spark, spark)
		t.RunsIn, t.HeldIn, t.WastedIn = append(t.RunsIn, runs), append(t.HeldIn, held), append(t.WastedIn, lost)
		if c.priced() {
			t.CostIn = append(t.CostIn, cost)
		}
	}
}

// order returns the names of jobs, those that waste most first, then by the time that their runs took.
func (c *Collector) order() []string {
	type place struct {
		name         string
		measured     bool
		wasted, took float64
	}
	all := make([]place, 0, len(c.jobs))
	for name, j := range c.jobs {
		j.sum()
		p := place{name: name, took: j.sumTook}
		if p.measured = c.used && j.measured; p.measured {
			if p.wasted = j.all.wasted; c.priced() {
				p.wasted = j.all.wastedCost
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(b2i(b.measured)-b2i(a.measured), cmp.Compare(b.wasted, a.wasted), cmp.Compare(b.took, a.took),
			cmp.Compare(a.name, b.name))
	})
	return lists.Indexed(len(all), func(i int) string { return all[i].name })
}

// sum turns the times of a job's runs into quantiles: of all, and of every bucket. No run is added afterwards.
func (j *job) sum() {
	if j.summed {
		return
	}
	j.summed = true
	by := map[int8][]float64{}
	for i, in := range j.tookIn {
		j.sumTook += j.took[i]
		if in >= 0 {
			by[in] = append(by[in], j.took[i])
		}
	}
	for in, took := range by {
		j.cell(int(in)).p50 = quantile.Quantile(quantile.Sort(took), 0.5)
	}
	took := quantile.Sort(j.took)
	j.p50, j.p95 = quantile.Quantile(took, 0.5), quantile.Quantile(took, 0.95)
	j.took, j.tookIn = nil, nil
}
