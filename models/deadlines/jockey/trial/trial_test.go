package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// bag is a job of 100 tasks of 10 s each, all alike.
func bag(t testing.TB) Job {
	t.Helper()
	d, err := sim.Constant(10 * second)
	if err != nil {
		t.Fatal(err)
	}
	return modelled(t, "bag", sim.Plan{Stages: []sim.Stage{{Tasks: 100, Duration: d}}},
		[]progress.Stage{{Tasks: 100, WorkS: 1000, LongestS: 10, End: 1, InfEnd: 1}})
}

// chain is a job of 40 tasks of 1 to 9 s and 10 of 5 s behind a barrier, with failures.
func chain(t testing.TB) Job {
	t.Helper()
	a, err := sim.Empirical([]int64{second, 3 * second, 5 * second, 9 * second})
	if err != nil {
		t.Fatal(err)
	}
	b, err := sim.Constant(5 * second)
	if err != nil {
		t.Fatal(err)
	}
	return modelled(t, "chain",
		sim.Plan{Stages: []sim.Stage{{Tasks: 40, Duration: a, Failure: sim.Failure{Probability: 0.05}},
			{Tasks: 10, Duration: b}},
			Edges: []sim.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}},
		[]progress.Stage{{Tasks: 40, WorkS: 180, LongestS: 9, End: 0.8, InfEnd: 0.6}, {Tasks: 10, WorkS: 50, LongestS: 5,
			Begin: 0.8, End: 1, InfBegin: 0.6, InfEnd: 1}})
}

func modelled(t testing.TB, name string, p sim.Plan, totals []progress.Stage) Job {
	t.Helper()
	m := &jobmodel.Model{Job: name, Plan: p, Totals: totals}
	for _, e := range p.Edges {
		m.Edges = append(m.Edges, trace.Edge(e))
	}
	return drawn(m)
}

// small is a comparison that takes next to no time.
func small() Options {
	o := DefaultOptions()
	o.Replicates, o.Bound, o.Sensitive, o.Simulated = 1, 0, 0, 20
	return o
}

func compare(t testing.TB, o Options, jobs ...Job) *result.Jockey {
	t.Helper()
	doc, err := Compare(context.Background(), jobs, o)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// The critical path is 10 s, and with 60 tokens two waves take 20 s: both deadlines, 20 and 30 s. The oracle has
// 1000/20 = 50 tokens, two waves, in time; for 30 s it has 34, three waves. With all tokens one wave takes 10 s; 50,
// and 66, of 100 tokens are above the oracle. A quota by the table plans for 1.05 times the run and 5% of the deadline.
// For 20 s, runs may take 19/1.05 = 18.1 s; the table has 20 s at 97 and 10 s at 100 tokens, and between them says 97 +
// 3 · 0.19 = 97.6: 98 tokens, with which it is two waves. For 30 s, 27.1 s lie between 30 s at 41 and 20 s at 51
// tokens: 43.9, 44 tokens and three waves.
func TestBagByHand(t *testing.T) {
	doc := compare(t, small(), bag(t))
	j := doc.Jobs[0]
	if j.CriticalS != 10 || j.P95S != 20 || j.WorkS != 1000 || !slices.Equal(j.Deadlines, []float64{20, 30}) ||
		j.Tasks != 100 || j.Raised[0] || j.Raised[1] {
		t.Fatalf("%+v", j)
	}
	// The earliest deadline that can be promised: 1.05 · 10 s and 5% of the deadline, 10.5/0.95.
	if math.Abs(j.EarliestS-10.5/0.95) > 1e-9 {
		t.Errorf("earliest deadline %v s", j.EarliestS)
	}
	want := map[string][2]struct {
		end, above float64
		oracle     int
	}{
		"oracle":         {{20, 0, 50}, {30, 0, 34}},
		"max-allocation": {{10, 0.5, 50}, {10, 0.66, 34}},
		"no-adaptation":  {{20, 48. / 98, 50}, {30, 10. / 44, 34}},
	}
	seen := 0
	for _, r := range doc.Runs {
		w, ok := want[r.Policy]
		if !ok || r.Scenario != "undisturbed" {
			continue
		}
		seen++
		x := w[0]
		if r.DeadlineS == 30 {
			x = w[1]
		}
		if r.EndS != x.end || math.Abs(r.AboveOracle-x.above) > 1e-12 || r.Oracle != x.oracle || r.WorkS != 1000 ||
			r.OutOfReach {
			t.Errorf("%+v, want %+v", r, x)
		}
	}
	if seen != 6 {
		t.Errorf("%d undisturbed runs under three policies", seen)
	}
	p := doc.Policies["oracle"]
	if x := p.ByScenario["undisturbed"]; x.Runs != 2 || x.Missed != 0 || x.LatenessS.Max != 0 ||
		x.RatioToOracle.Mean != 1 || x.JCTOverDeadline.Max != 1 {
		t.Errorf("%+v", x)
	}
}

func TestScore(t *testing.T) {
	nan := math.NaN()
	s := score([]result.JockeyRun{
		{EndS: 90, DeadlineS: 100, AboveOracle: 0.2, RatioToOracle: 1.5, MeanTokens: 10, Warned: true},
		{EndS: 110, DeadlineS: 100, AboveOracle: 0.4, RatioToOracle: 2.5, MeanTokens: 30, Warned: true},
		{EndS: 150, DeadlineS: 100, AboveOracle: nan, RatioToOracle: nan, MeanTokens: 20, OutOfReach: true},
	})
	if s.Runs != 3 || s.Missed != 2 || s.OutOfReach != 1 || s.Warned != 1 || s.FalseAlarm != 1 {
		t.Errorf("%+v", s)
	}
	if s.LatenessS.Min != -10 || s.LatenessS.P50 != 10 || s.AllocationAboveOracle.N != 2 ||
		math.Abs(s.AllocationAboveOracle.Mean-0.3) > 1e-12 ||
		s.RatioToOracle.Mean != 2 || s.JCTOverDeadline.Max != 1.5 || s.Allocation.Mean != 20 {
		t.Errorf("%+v", s)
	}
}

// A run that is late is put down to what could have helped.
func TestMisses(t *testing.T) {
	run := func(end float64, beyond bool) result.JockeyRun {
		return result.JockeyRun{Job: "j", EndS: end, DeadlineS: 100, OutOfReach: beyond, MostTokens: 9, MostAtS: 50}
	}
	c := &comparison{policies: make([]policy, 2), outcomes: []outcome{
		{runs: []result.JockeyRun{run(100, false), run(300, false)}},                  // in time
		{runs: []result.JockeyRun{run(130, true), run(90, false), run(101, true)}},    // beyond all tokens
		{runs: []result.JockeyRun{run(120, false), run(90, false), run(101, false)}},  // the bound, too
		{runs: []result.JockeyRun{run(110, false), run(200, false), run(100, false)}}, // not the bound
		{runs: []result.JockeyRun{run(105, false), run(200, false)}},                  // no bound was made
	}}
	var got []string
	for _, m := range c.misses() {
		got = append(got, fmt.Sprint(m.Why, " ", m.LateS, " ", m.Most, " ", m.MostAtS))
	}
	if want := []string{"all-tokens 30 9 50", "bound 20 9 50", "prediction 10 9 50",
		"prediction 5 9 50"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Deadlines that are given stay as they are. None is before the fastest of the undisturbed runs on a token per task, 10
// s.
func TestGivenDeadlines(t *testing.T) {
	o := small()
	o.DeadlinesS = []float64{25, 12}
	doc := compare(t, o, bag(t))
	if d := doc.Jobs[0].Deadlines; !slices.Equal(d, []float64{20, 30, 25, 12}) || doc.Policies["jockey"].Runs != 4*9 ||
		o.PerReplicate(1) != 36 {
		t.Errorf("deadlines %v, %d runs", d, doc.Policies["jockey"].Runs)
	}
	if len(doc.Misses) != doc.Policies["jockey"].Missed {
		t.Errorf("%d misses listed of %d", len(doc.Misses), doc.Policies["jockey"].Missed)
	}
	o.Deadlines, o.DeadlinesS = nil, []float64{9.9}
	if _, err := Compare(context.Background(), []Job{bag(t)}, o); err == nil ||
		!strings.Contains(err.Error(), "the critical path alone ends after 10 s; the earliest that 100 tokens can "+
			"promise is 12 s") {
		t.Errorf("%v", err)
	}
}

// Runs that are all twice as slow have deadlines twice as late: 40 and 60 s.
func TestSlownessDelaysDeadlines(t *testing.T) {
	j := bag(t)
	j.Slowness = []float64{2}
	doc := compare(t, small(), j)
	if d := doc.Jobs[0].Deadlines; !slices.Equal(d, []float64{40, 60}) || doc.Jobs[0].WorkS != 2000 {
		t.Errorf("deadlines %v, work %v s", d, doc.Jobs[0].WorkS)
	}
	for _, r := range doc.Runs {
		if r.Scenario == "undisturbed" && r.WorkS != 2000 {
			t.Errorf("%+v", r)
		}
	}
}

// The loop asks for no more tokens than tasks are left: of the bag, whose 100 tasks are all the progress there is.
func TestLimit(t *testing.T) {
	o := small()
	doc := compare(t, o, bag(t))
	few := 0
	for _, line := range append(doc.Changed, doc.Shown) {
		for _, p := range line.Points {
			left := int(math.Round(100 * (1 - p.Progress)))
			if few += min(1, max(0, 90-left)); p.Tokens > max(1, left) {
				t.Errorf("%s: %d tokens for %d tasks", line.Scenario, p.Tokens, left)
			}
		}
	}
	if few == 0 {
		t.Error("never were few tasks left")
	}
	s, err := prepare(context.Background(), chain(t), o, []progress.Indicator{o.Indicator})
	if err != nil || s.widest != 40 || s.left([]float64{0.975, 0.1}) != 1+9 {
		t.Errorf("chain: %d tasks at once, want the 40 of its first stage, and 10 left; %v", s.widest, err)
	}
}

// asker holds whatever it has, but once gets ten tokens more, and notes when the truth says that the run ends.
type asker struct {
	truth  *truth
	tokens int
	ends   []float64
}

func (a *asker) decide(nowS float64, done []float64) jockey.Decision {
	if nowS > 0 {
		a.truth.observe(nowS, done, 0)
		if len(a.ends) == 2 {
			a.tokens += 10
		}
		a.ends = append(a.ends, nowS+a.truth.Remaining(0, float64(a.tokens), 0))
	}
	return jockey.Decision{NowS: nowS, Tokens: a.tokens}
}

func (a *asker) due(float64) error { return nil }
func (a *asker) periodS() float64  { return 2 }

// What the truth says of the allocation that a run then keeps is when it ends, to the microsecond, whatever goes wrong.
func TestTruth(t *testing.T) {
	o := small()
	c := &comparison{o: o}
	for _, j := range []Job{bag(t), chain(t)} {
		s, err := prepare(context.Background(), j, o, []progress.Indicator{o.Indicator})
		if err != nil {
			t.Fatal(err)
		}
		c.subjects = append(c.subjects, s)
	}
	for n := range c.settings() {
		x, err := c.setting(n)
		if err != nil {
			t.Fatal(err)
		}
		e := &execution{setting: x}
		a := &asker{truth: &truth{x: e}, tokens: 5}
		r, err := e.run(policy{"asker", "", func(*execution) (chooser, error) { return a, nil }},
			sim.NewRunner(x.compiled))
		if err != nil || a.truth.err != nil {
			t.Fatal(err, a.truth.err)
		}
		if len(a.ends) < 4 {
			t.Fatalf("asked %d times only", len(a.ends))
		}
		for i, end := range a.ends[2:] {
			if math.Abs(end-(r.EndS-r.DelayS)) > 1e-6 {
				t.Errorf("%s, %s: asked the %d-th time the end is %v s, it was %v", r.Job, scenarios()[x.scenario].name,
					i+3, end, r.EndS-r.DelayS)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	if x := newTicks(0, 5); x.step != 0 {
		t.Errorf("%+v of a policy without a period", x)
	}
	x := newTicks(60, math.NaN())
	if x.step != 60*second || !x.due(120*second) || x.due(61*second) {
		t.Errorf("%+v", x)
	}
	// 45 s are asked about at 60, 120, ... and at 45: every 15 s.
	if x := newTicks(60, 45); x.step != 15*second || !x.due(45*second) || x.due(30*second) || !x.due(60*second) {
		t.Errorf("%+v", x)
	}
	rapid.Check(t, func(t *rapid.T) {
		period, change := rapid.Float64Range(1e-3, 1e4).Draw(t, "period"), rapid.Float64Range(1e-3, 1e5).Draw(t,
			"change")
		x := newTicks(period, change)
		if x.period%x.step != 0 || x.change%x.step != 0 || x.step*100 < x.period ||
			math.Abs(float64(x.period)/second-period) > 0.11*period ||
			math.Abs(float64(x.change)/second-change) > 0.11*period {
			t.Fatalf("%+v", x)
		}
	})
}

// Conditions are as scenarios say, and a setting is the same whenever it is drawn.
func TestSettings(t *testing.T) {
	o := small()
	o.Replicates = 30
	s, err := prepare(context.Background(), chain(t), o, []progress.Indicator{o.Indicator})
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{o: o, subjects: []*subject{s}}
	counts := map[string]int{}
	for n := range c.settings() {
		x, err := c.setting(n)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.setting(n); err != nil || again.c.number != x.c.number || again.newDueS != x.newDueS ||
			again.c.cluster.Scale != x.c.cluster.Scale {
			t.Fatalf("setting %d: %+v, then %+v", n, x.c, again.c)
		}
		name, deadline := scenarios()[x.scenario].name, s.info.Deadlines[x.deadline]
		counts[name]++
		k := &x.c
		all := name == "everything"
		wrong := (k.cluster.Slow != nil) != (name == "slow-machines" || all) ||
			(k.cluster.Spare != nil) != (name == "spare-tokens" || all) ||
			(k.cluster.Loss != nil) != (name == "failures" || all) || (k.failures > 1) != (name == "failures" || all) ||
			k.failures > 5 ||
			(k.cluster.Scale != 1) != (name == "input" || all) || k.cluster.Scale > 1.3 || k.cluster.Scale < 0.7 ||
			(k.delayS > 0) != (name == "late-start" || all) || k.delayS > 0.2*deadline ||
			math.IsNaN(k.changeAtS) == strings.HasPrefix(name, "deadline") ||
			x.dueS != deadline-k.delayS
		if strings.HasPrefix(name, "deadline") {
			wrong = wrong || k.changeAtS < 0.1*deadline-1 || k.changeAtS > 0.4*deadline+1
		}
		switch name {
		case "deadline-halved":
			wrong = wrong || x.newDueS < 0.5*deadline || x.newDueS > deadline || x.newDueS <= k.changeAtS
		case "deadline-doubled":
			wrong = wrong || x.newDueS != 2*deadline
		default:
			wrong = wrong || x.newDueS != x.dueS
		}
		if wrong {
			t.Errorf("%s: %+v, deadline %v s, due after %v s, then %v s", name, k, deadline, x.dueS, x.newDueS)
		}
	}
	for _, s := range scenarios() {
		if counts[s.name] != 60 {
			t.Errorf("%s: %d settings, want 2 deadlines x 30", s.name, counts[s.name])
		}
	}
}

// Everything is the same for any number of workers, and more replicates only add runs.
func TestSameForAnyWorkers(t *testing.T) {
	o := small()
	o.Bound, o.Sensitive, o.Replicates = 1, 1, 2
	one := compare(t, o, bag(t), chain(t))
	o.Workers = 3
	calls, last := 0, -1
	o.Progress = func(done, of int) {
		calls++
		if done < last || done > of {
			t.Errorf("%d of %d after %d", done, of, last)
		}
		last = done
	}
	three := compare(t, o, bag(t), chain(t))
	if !reflect.DeepEqual(one.Runs, three.Runs) || encode(t, one) != encode(t, three) {
		t.Error("results depend on the number of workers")
	}
	if calls < 10 || last != 1000 {
		t.Errorf("progress was told %d times, %d of 1000 at last", calls, last)
	}
	o.Replicates, o.Progress = 1, nil
	for _, r := range compare(t, o, bag(t), chain(t)).Runs {
		if !slices.ContainsFunc(one.Runs, func(x result.JockeyRun) bool { return reflect.DeepEqual(x, r) }) {
			t.Fatalf("%+v is not among the runs of two replicates", r)
		}
	}
	// What was asked for is there.
	if n := len(one.Names()); n != 7 || one.Policies["bound"].Runs != 36 || one.Policies["jockey"].Runs != 72 ||
		len(one.Runs) != 6*72+36 {
		t.Errorf("%d policies, %d and %d runs, %d in all", n, one.Policies["bound"].Runs, one.Policies["jockey"].Runs,
			len(one.Runs))
	}
	if one.Shown == nil || one.Shown.Job != "bag" || len(one.Shown.Points) < 5 || len(one.Changed) != 2 {
		t.Errorf("%+v", one.Shown)
	}
	base := map[string]int{}
	for i, s := range one.Sensitive {
		if s.Runs != 36 || (i == 0) != (s.Parameter == "") {
			t.Errorf("%+v", s)
		}
		if s.Base {
			base[s.Parameter]++
			if s.Missed != one.Sensitive[0].Missed || s.LatenessS != one.Sensitive[0].LatenessS {
				t.Errorf("%s %s is the base, and differs from it", s.Parameter, s.Value)
			}
		}
	}
	for _, p := range []string{"slack", "hysteresis", "rise", "dead-zone-s", "dead-zone-share", "period-s",
		"period-share", "quantile", "learn", "blend", "max-tokens", "utility", "hold", "jump", "dwell", "limit",
		"progress"} {
		if base[p] != 1 {
			t.Errorf("%d values of %s are the base", base[p], p)
		}
	}
}

func encode(t testing.TB, doc *result.Jockey) string {
	t.Helper()
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOptions(t *testing.T) {
	for says, change := range map[string]func(*Options){
		"0 workers": func(o *Options) { o.Workers = 0 }, "0 replicates": func(o *Options) {
			o.Replicates = 0
		}, "bound -1": func(o *Options) { o.Bound = -1 },
		"1 simulations": func(o *Options) { o.Simulated = 1 }, "no deadlines": func(o *Options) {
			o.Deadlines = nil
		}, "deadline of 0": func(o *Options) { o.Deadlines = []float64{0} },
		"deadline of -1 s": func(o *Options) { o.DeadlinesS = []float64{-1} },
		"a share of 2":     func(o *Options) { o.Share = 2 }, "weight of NaN": func(o *Options) {
			o.Blend = math.NaN()
		}, "indicator": func(o *Options) { o.Indicator = progress.Count },
		"slack": func(o *Options) { o.Loop.Slack = 0 },
	} {
		o := small()
		change(&o)
		if _, err := Compare(context.Background(), []Job{bag(t)}, o); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := Compare(context.Background(), nil, small()); err == nil {
		t.Error("no error without jobs")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, []Job{bag(t)}, small()); err == nil {
		t.Error("no error when called off")
	}
	zero, err := sim.Constant(0)
	if err != nil {
		t.Fatal(err)
	}
	j := bag(t)
	j.Plan.Stages = []sim.Stage{{Tasks: 100, Duration: zero}}
	if _, err := Compare(context.Background(), []Job{j}, small()); err == nil ||
		!strings.Contains(err.Error(), "no time at all") {
		t.Errorf("a job that takes no time: %v", err)
	}
	whole := bag(t)
	whole.Model.ByStage = true
	doc := compare(t, small(), j, bag(t), whole) // the others are compared
	if len(doc.Jobs) != 1 || len(doc.Warnings) != 2 || !strings.Contains(doc.Warnings[1], "not known") {
		t.Errorf("%d jobs, warnings %q", len(doc.Jobs), doc.Warnings)
	}
}

// BenchmarkRun reports controlled runs per second and core, of job F with 6,139 tasks.
func BenchmarkRun(b *testing.B) {
	all, err := W7()
	if err != nil {
		b.Fatal(err)
	}
	j, err := Train(all[5], 5, 60, 1)
	if err != nil {
		b.Fatal(err)
	}
	o := small()
	s, err := prepare(context.Background(), j, o, []progress.Indicator{o.Indicator})
	if err != nil {
		b.Fatal(err)
	}
	c := &comparison{o: o, subjects: []*subject{s}}
	for _, p := range append(policies(o), bound(o)) {
		b.Run(p.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				x, err := c.setting(r.IntN(c.settings()))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := (&execution{setting: x}).run(p, sim.NewRunner(x.compiled)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// While the driver of a run is busy, time passes without progress, and the end that is predicted stays, as the loop
// counts how long the run stands still. By the table alone it moves away by as much as passes.
func TestTimelineCountsTheAge(t *testing.T) {
	task, err := sim.Constant(10 * second)
	if err != nil {
		t.Fatal(err)
	}
	start, err := sim.Constant(20 * second)
	if err != nil {
		t.Fatal(err)
	}
	job := modelled(t, "starts late", sim.Plan{Stages: []sim.Stage{{Tasks: 100, Duration: task, Delay: start}}},
		[]progress.Stage{{Tasks: 100, WorkS: 1000, LongestS: 10, Begin: 0.2, End: 1, InfBegin: 0.6, InfEnd: 1}})
	for _, dwell := range []bool{true, false} {
		o := small()
		o.Dwell, o.Loop.Min, o.Loop.Max = dwell, 10, 10
		doc := compare(t, o, job)
		for _, line := range append(doc.Changed, doc.Shown) {
			first, waited := line.Points[0], 0
			for _, p := range line.Points[1:] {
				if p.Progress > 0 || p.AtS >= 20 {
					continue
				}
				want := float64(first.Middle)
				if waited++; !dwell {
					want += p.AtS
				}
				if got := float64(p.Middle); math.Abs(got-want) > 1 {
					t.Errorf("%s, dwell %v: after %v s the end is predicted at %v s, want %v", line.Scenario, dwell, p.AtS,
						got, want)
				}
			}
			if waited == 0 {
				t.Errorf("%s: %+v without a wait", line.Scenario, line.Points)
			}
		}
	}
}

// If a controlled run takes longer than a simulation can, its job is left out. The results of other jobs are the same
// as without it. The tasks of this job take nine tenths of the longest time; two waves, or a slow machine, are too much.
func TestRunsThatTakeTooLongAreLeftOut(t *testing.T) {
	o := small()
	o.Deadlines, o.DeadlinesS = nil, []float64{1e6}
	long := bag(t)
	long.Name = "long"
	long.Inflation = slices.Repeat([]float64{0.9 * (1 << 43) / 1e6 / 10}, o.Loop.Max)
	got, want := compare(t, o, long, bag(t)), compare(t, o, bag(t))
	if len(got.Warnings) != len(want.Warnings)+1 || !strings.HasPrefix(got.Warnings[0], "left out: job long: ") {
		t.Fatalf("warnings %q, without the job %q", got.Warnings, want.Warnings)
	}
	got.Warnings, want.Warnings = nil, nil
	if encode(t, got) != encode(t, want) {
		t.Error("results of the other job differ from those without this one")
	}
	if _, err := Compare(t.Context(), []Job{long}, o); !errors.Is(err, sim.ErrTooLong) {
		t.Errorf("alone: %v", err)
	}
}

// On one token the tasks of a job take so long that a simulation does not end. No policy holds one token: the oracle
// passes it over, and the job is compared.
func TestOraclePassesOverTokensThatTakeTooLong(t *testing.T) {
	o := small()
	job := bag(t)
	job.Inflation = slices.Repeat([]float64{1}, o.Loop.Max)
	job.Inflation[0] = 0.9 * (1 << 43) / 1e6 / 1000
	doc := compare(t, o, job)
	if len(doc.Warnings) != 0 || len(doc.Runs) == 0 {
		t.Fatalf("%d runs, warnings %q", len(doc.Runs), doc.Warnings)
	}
	for _, r := range doc.Runs {
		if r.Oracle < 2 {
			t.Errorf("%+v", r)
		}
	}
	// The truth of one token, on which the run does not end, is very long, and not an error.
	s, err := prepare(t.Context(), job, o, []progress.Indicator{o.Indicator})
	if err != nil {
		t.Fatal(err)
	}
	x, err := (&comparison{o: o, subjects: []*subject{s}}).setting(0)
	if err != nil {
		t.Fatal(err)
	}
	x.c.cluster.Inflation = slices.Clone(x.c.cluster.Inflation)
	x.c.cluster.Inflation[0] *= 2
	of := &truth{x: &execution{setting: x}}
	of.observe(0, nil, 0)
	if one, ten := of.Remaining(0, 1, 0.5), of.Remaining(0, 10, 0.5); of.err != nil || one < 8e6 || ten != 100 {
		t.Errorf("%v s on one token, %v s on ten; %v", one, ten, of.err)
	}
}
