package leftover

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// slowCluster is a cluster looked at slowly: leftover at the instants of events, and how much they weigh.
type slowCluster struct {
	events    int
	leftover  []float64 // at instants with something allocated
	weight    []int64
	times     []int // events at those instants
	allocated float64
	spare     float64
}

func slowlyTogether(runs []*trace.Run, r trace.Resource) slowCluster {
	var plans []*slowPlan
	events := map[int]int{}
	var c slowCluster
	see := func(t int) {
		events[t]++
		c.events++
	}
	last := 0
	for _, run := range runs {
		p := slowly(run)
		plans = append(plans, p)
		arrival := math.MaxInt
		for _, a := range p.attempts {
			see(a.start)
			see(a.end)
			arrival = min(arrival, a.start)
			last = max(last, a.end)
		}
		if run.Submit.Known() {
			arrival = int(run.Submit)
		} else if run.Start.Known() {
			arrival = int(run.Start)
		}
		see(arrival)
		see(p.end)
	}
	at := func(t int) (alloc, spare float64) {
		for _, p := range plans {
			a, need := p.held(int(r), t, p.attempts, false), p.held(int(r), t, p.attempts, true)
			alloc, spare = alloc+a, spare+max(0, a-need)
		}
		return alloc, spare
	}
	instants := slices.Sorted(func(yield func(int) bool) {
		for t := range events {
			if !yield(t) {
				return
			}
		}
	})
	for i, t := range instants {
		alloc, spare := at(t)
		if alloc == 0 {
			continue
		}
		weight := 0
		if i+1 < len(instants) {
			weight = instants[i+1] - t
		}
		c.leftover, c.weight, c.times = append(c.leftover, spare/alloc), append(c.weight, int64(weight)),
			append(c.times, events[t])
	}
	for t := range last {
		alloc, spare := at(t)
		c.allocated, c.spare = c.allocated+alloc, c.spare+spare
	}
	return c
}

// weightedQuantile is the smallest value with at least share p of the weight at or below it, or NaN.
func (c *slowCluster) weightedQuantile(p float64) float64 {
	best, total := math.NaN(), int64(0)
	for _, w := range c.weight {
		total += w
	}
	for i, v := range c.leftover {
		below := int64(0)
		for k, x := range c.leftover {
			if x <= v {
				below += c.weight[k]
			}
		}
		if c.weight[i] > 0 && float64(below) >= p*float64(total) && !(best <= v) {
			best = v
		}
	}
	return best
}

func (c *slowCluster) timeMean() float64 {
	sum, weight := 0.0, 0.0
	for i, v := range c.leftover {
		sum, weight = sum+v*float64(c.weight[i]), weight+float64(c.weight[i])
	}
	return sum / weight
}

func (c *slowCluster) byEvent() result.Summary {
	var all []float64
	for i, v := range c.leftover {
		for range c.times[i] {
			all = append(all, v)
		}
	}
	return quantile.Summarize(quantile.Sort(all))
}

func same(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }

func finish(t interface{ Fatal(...any) }, p *Partial) *result.Leftover {
	doc, err := p.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// The cluster's leftover is the one of the definition, per resource and per run.
func TestClusterAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(DefaultOptions())
		var runs []*trace.Run
		for i := range rapid.IntRange(1, 4).Draw(t, "runs") {
			run := drawRun(t, fmt.Sprint("r", i))
			before := p.rows.Len()
			p.Add(run)
			if p.rows.Len() > before {
				runs = append(runs, run)
			}
		}
		doc := finish(t, p)
		if len(runs) == 0 {
			if doc.Available {
				t.Fatal("available without a run")
			}
			return
		}
		for _, r := range []trace.Resource{trace.CPU, trace.Mem} {
			slow := slowlyTogether(runs, r)
			got := doc.Resources[r.String()]
			if int(doc.Events) != slow.events {
				t.Errorf("%d events, want %d", doc.Events, slow.events)
			}
			if !got.Available {
				if slow.allocated > 0 {
					t.Errorf("%v is not available", r)
				}
				continue
			}
			if !same(float64(got.Allocated)*1e6, slow.allocated) || !same(float64(got.Spare)*1e6, slow.spare) {
				t.Errorf("%v: %v of %v spare, want %v of %v", r, got.Spare*1e6, got.Allocated*1e6, slow.spare,
					slow.allocated)
			}
			w := got.TimeWeighted
			for _, q := range []struct{ got, p float64 }{{w.Min, 0}, {w.P10, .1}, {w.P25, .25}, {w.P50, .5},
				{w.P75, .75}, {w.P90, .9}, {w.P95, .95}, {w.P99, .99}, {w.Max, 1}} {
				if want := slow.weightedQuantile(q.p); !same(q.got, want) {
					t.Errorf("%v: time-weighted quantile %v is %v, want %v", r, q.p, q.got, want)
				}
			}
			if !same(w.Mean, slow.timeMean()) {
				t.Errorf("%v: time-weighted mean %v, want %v", r, w.Mean, slow.timeMean())
			}
			if e, want := got.EventWeighted, slow.byEvent(); e.N != want.N || !same(e.P50, want.P50) ||
				!same(e.P90, want.P90) || !same(e.Mean, want.Mean) {
				t.Errorf("%v: event-weighted %+v, want %+v", r, e, want)
			}
		}
		rows := runsOf(doc)
		for i, run := range runs {
			for _, of := range rows[i].Of {
				slow := slowlyTogether([]*trace.Run{run}, of.Resource)
				if !same(of.Leftover, slow.timeMean()) || !same(of.Spare*1e6, slow.spare) ||
					!same(of.Allocated*1e6, slow.allocated) {
					t.Errorf("%s, %v: %+v, want %v, %v of %v", run.ID, of.Resource, of, slow.timeMean(), slow.spare,
						slow.allocated)
				}
			}
		}
	})
}

// Two runs by hand. One core per attempt; a column is a second.
//
//	run 1  AA      arrives at 0, ends at 6; A may end with B, at 5
//	       BBBBB   A_k = 2
//	       .....C
//	run 2  ..DD    arrives at 0, ends at 4: a chain without slack
//
//	packed A at [3,5): spare of run 1 is 1 on [0,2), where it holds 2 and needs 1; then it holds 1 and needs 1, 2 or 2
//	t          0    2    4    5    6
//	events     4    2    2    2    2    (0: arrivals, A, B. 2: end of A, D. 4: end of D and run 2. 5: B, C. 6: C and run 1)
//	alloc      2    2    1    1    0
//	spare      1    0    0    0    0
//	leftover   1/2  0    0    0    -
//	weight     2    2    1    1    0
//
//	time-weighted: mean 2 x 1/2 / 6 = 1/6; median 0 (4 of 6 s at 0); 75%: 1/2 (0 holds for 4/6 < 75%)
//	event-weighted: 4 x 1/2, 6 x 0: mean 0.2, median 0
//	share: 2 core-seconds of 2 + 5 + 1 + 2 = 10
//	run 1 alone: events at 0, 2, 5, 6: 1/2 for 2 s of 6 s = 1/6; run 2: 0
func TestClusterByHand(t *testing.T) {
	p := New(DefaultOptions())
	p.Add(runOf("1", 6, []trace.Edge{edge(0, 2), edge(1, 2)}, build{0, 0, 2, 1, 0}, build{1, 0, 5, 1, 0},
		build{2, 5, 6, 1, 0}))
	q := New(DefaultOptions())
	q.Add(runOf("2", 4, nil, build{0, 2, 4, 1, 0}))
	p.Merge(q)
	doc := finish(t, p)
	cpu := doc.Resources["cpu"]
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"events", float64(doc.Events), 12}, {"instants", float64(doc.Instants), 5}, {"attempts", float64(doc.Attempts),
			4},
		{"moved", float64(doc.Moved), 1}, {"time-weighted n", float64(cpu.TimeWeighted.N), 4},
		{"time-weighted mean", cpu.TimeWeighted.Mean, 1. / 6}, {"time-weighted median", cpu.TimeWeighted.P50, 0},
		{"time-weighted 75%", cpu.TimeWeighted.P75, 0.5}, {"event-weighted n", float64(cpu.EventWeighted.N), 10},
		{"event-weighted mean", cpu.EventWeighted.Mean, 0.2}, {"event-weighted median", cpu.EventWeighted.P50, 0},
		{"allocated", float64(cpu.Allocated), 10}, {"spare", float64(cpu.Spare), 2}, {"share", float64(cpu.Share), 0.2},
		{"run 1", runsOf(doc)[0].Leftover, 1. / 6}, {"run 2", runsOf(doc)[1].Leftover, 0},
		{"most of run 1", runsOf(doc)[0].Of[0].Most, 2}, {"runs", float64(cpu.Runs), 2},
		// Two runs: (3 stages, 1/6) and (1 stage, 0) lie on a line.
		{"Pearson with stages", float64(doc.Correlation["stages"].Pearson), 1},
		{"Spearman with stages", float64(doc.Correlation["stages"].Spearman), 1},
		// Over time the mean of barriers among running runs, x, is 1, (1 + 0) / 2, 1, 1 at 0, 2, 4, 5, the leftover, y,
		// is 1/2, 0, 0, 0, for 2, 2, 1, 1 s: mean x = 5/6, mean y = 1/6. cov = [2 (1/6)(1/3) + 2 (-1/3)(-1/6) + 2
		// (1/6)(-1/6)] / 6 = 1/36, var x = [2/36 + 2/9 + 2/36] / 6 = 1/18, var y = [2/9 + 4/36] / 6 = 1/18: r = 1/2
		{"over time", float64(doc.Correlation["barriers"].OverTime["cpu"].Pearson), 0.5},
		{"check", float64(doc.Check.Runs), 2},
	} {
		if !same(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	if doc.Estimated || !math.IsNaN(float64(doc.BinS)) {
		t.Errorf("estimated %v, bins of %v s", doc.Estimated, doc.BinS)
	}
	if e := cpu.Extremes; len(e) != 1 || e[0].JobID != "1" || e[0].Spare != 2 {
		t.Errorf("extremes %+v", e)
	}
	if mem := doc.Resources["mem"]; mem.Available || !slices.Equal(mem.Missing, []string{"tasks.mem", "stages.mem"}) {
		t.Errorf("memory %+v", mem)
	}
	if doc.Resources["gpu"] != nil || len(doc.Resources) != 6 {
		t.Errorf("resources %v", doc.Names())
	}
	if p, want := doc.Timeline.Resources["cpu"], 10.0; !same(sum(p.Allocated)*float64(doc.Timeline.StepS), want) {
		t.Errorf("the timeline holds %v core-seconds, want %v", sum(p.Allocated)*float64(doc.Timeline.StepS), want)
	}
	// Run 1 runs for 6 s, run 2 from its first attempt, at 2, for 2 s.
	if got := sum(doc.Timeline.Running) * float64(doc.Timeline.StepS); !same(got, 8) {
		t.Errorf("the timeline holds %v run-seconds, want 8", got)
	}
	if n := len(doc.Timeline.Running); n > maxPoints || n < maxPoints/4 {
		t.Errorf("the timeline has %d steps", n)
	}
}

func sum(values []float64) float64 {
	s := 0.0
	for _, v := range values {
		s += v
	}
	return s
}

// Runs that cannot be packed are counted by reason; what is not known of attempts is counted, too.
func TestLeftOut(t *testing.T) {
	p := New(DefaultOptions())
	p.Add(trace.NewRun("nothing"))
	censored := runOf("censored", 0, nil, build{0, 0, 1, 1, 0})
	censored.End, censored.Status = trace.None, trace.Running
	p.Add(censored)
	open := runOf("its last attempt is open", 0, nil, build{0, 0, 1, 1, 0}, build{0, 1, 2, 1, 0})
	open.End, open.Status, open.Attempts[1].End, open.Attempts[1].Duration = trace.None, trace.StatusUnknown,
		trace.None, trace.None
	p.Add(open)
	bare := runOf("no demands", 3, nil, build{0, 0, 1, 1, 0})
	bare.Attempts[0].Demand = trace.NoDemand()
	p.Add(bare)
	absurd := runOf("more than there is", 3, nil, build{0, 0, 1, 1e18, 0})
	p.Add(absurd)
	mixed := runOf("mixed", 9, nil, build{0, 0, 1, 1, trace.Failed}, build{0, 1, 2, 1, 0}, build{0, 2, 3, 1, 0},
		build{1, 3, 4, 1, 0})
	// of stage 0 the stage knows
	mixed.Attempts[1].Demand, mixed.Attempts[3].Demand = trace.NoDemand(), trace.NoDemand()
	mixed.Stages[0].Demand[trace.CPU] = 2
	mixed.Attempts[2].End, mixed.Attempts[2].Duration = trace.None, trace.None
	p.Add(mixed)
	doc := finish(t, p)
	for reason, want := range map[string]int64{leftAttempts: 1, leftCensored: 2, leftDemands: 2} {
		if got := doc.LeftOut[reason]; got != want {
			t.Errorf("%s: %d runs, want %d", reason, got, want)
		}
	}
	cpu := doc.Resources["cpu"]
	if doc.Runs != 1 || doc.Attempts != 3 || doc.Untimed != 1 || doc.Fixed != 1 || cpu.Attempts != 2 ||
		cpu.FromStage != 1 || cpu.Unknown != 1 {
		t.Errorf("runs %d, attempts %d, untimed %d, fixed %d, cpu %+v", doc.Runs, doc.Attempts, doc.Untimed, doc.Fixed,
			cpu)
	}
	if len(doc.Warnings) != 2 {
		t.Errorf("warnings %q", doc.Warnings)
	}
	for _, c := range []struct {
		run  *trace.Run
		want []string
	}{
		{nil, append([]string{"tasks.start", "tasks.end"}, demandColumns()...)},
		{trace.NewRun("nothing"), []string{"tasks.start", "tasks.end"}}, {censored, []string{"jobs.end"}},
		{bare, demandColumns()},
	} {
		p := New(DefaultOptions())
		if c.run != nil {
			p.Add(c.run)
		}
		if doc := finish(t, p); doc.Available || !slices.Equal(doc.Missing, c.want) {
			t.Errorf("available %v, missing %v, want %v", doc.Available, doc.Missing, c.want)
		}
	}
}

// runsOf returns the rows of a result.
func runsOf(doc *result.Leftover) (all []result.LeftoverRun) {
	for _, r := range doc.PerRun.All() {
		all = append(all, *r)
		all[len(all)-1].Of = slices.Clone(r.Of)
	}
	return all
}
