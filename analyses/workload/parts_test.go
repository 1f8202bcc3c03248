package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"racecard/analyses/distfit"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

func machineOf(name string, cores, from, to float64) trace.Machine {
	m := trace.NewMachine(name)
	m.CPU, m.From, m.To = cores, at(from), at(to)
	return m
}

// poisson returns arrivals of a rate per hour, each of a number of runs at once, over some hours.
func poisson(perHour, hours float64, batch int, seed uint64) []int64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []int64
	for t := 0.0; t < hours; t += rng.ExpFloat64() / perHour {
		for range batch {
			out = append(out, int64(t*float64(hour)))
		}
	}
	return out
}

func TestDispersion(t *testing.T) {
	// By hand: windows of 10 s from 0 on, arrivals at 0, 1, 2, 12 and one in each of the 8 after, the last at 101:
	// counts 3, 1, 1, ..., 1 in ten windows, 12 in all; variance (9 + 9 - 144/10) / 9 = 0.4.
	at := []int64{0, 1, 2, 12, 22, 32, 42, 52, 62, 72, 82, 92, 101}
	for i := range at {
		at[i] *= second
	}
	x, ok := dispersion(inOrder(at), 10*second)
	if !ok || x.Windows != 10 || x.Mean != 1.2 || math.Abs(x.Variance-0.4) > 1e-12 || math.Abs(x.Index-1.0/3) > 1e-12 ||
		x.Peak != 3 || x.PeakToMean != 2.5 || x.PeakAtS != 0 {
		t.Errorf("%+v", x)
	}
	// chi-squared with 9 degrees of freedom, 2.5% and 97.5%: 2.700 and 19.023 (any table)
	if math.Abs(x.Low-2.700/9) > 1e-3 || math.Abs(x.High-19.023/9) > 1e-3 {
		t.Errorf("Poisson range %v to %v", x.Low, x.High)
	}
	if _, ok := dispersion(inOrder(at), 20*second); ok {
		t.Error("five windows are enough")
	}

	inside := 0
	for seed := range uint64(100) {
		if x, _ := dispersion(inOrder(poisson(600, 24, 1, seed)), 600*second); x.Low <= x.Index && x.Index <= x.High {
			inside++
		}
	}
	if inside < 88 { // 95 are expected, with a standard deviation of 2.2
		t.Errorf("of 100 Poisson processes %d are taken for one", inside)
	}
	if x, _ := dispersion(inOrder(poisson(600, 48, 10, 1)), 600*second); math.Abs(x.Index-10) > 2 {
		t.Errorf("ten arrivals at once have an index of %v, want 10", x.Index)
	}
}

// daily returns arrivals at a rate that swings by a share over the day, most at 14:00.
func daily(perHour float64, days int, swing float64, seed uint64) []int64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	var out []int64
	for _, t := range poisson(perHour*(1+swing), float64(24*days), 1, seed) {
		rate := (1 + swing*math.Cos(2*math.Pi*float64(t-14*hour)/float64(day))) / (1 + swing)
		if rng.Float64() < rate {
			out = append(out, t)
		}
	}
	return out
}

func TestRhythm(t *testing.T) {
	r := rhythm(inOrder(daily(60, 10, 0.8, 1)), 0, 1)
	if r == nil || r.P > 0.002 || math.Abs(float64(r.PeakHour)-14) > 2 || math.Abs(float64(r.QuietHour)-2) > 2 ||
		r.Lag24 < 0.6 || r.ShareOfVariance < 0.6 {
		t.Errorf("a daily rhythm: %+v", r)
	}
	if math.Abs(float64(r.PeakToMean)-1.8) > 0.2 { // 1 + swing
		t.Errorf("peak to mean %v, want 1.8", r.PeakToMean)
	}
	small := 0
	for seed := range uint64(60) {
		// batches of 200 about every six hours: very bursty, but at no time of the day
		if r := rhythm(inOrder(poisson(0.16, 240, 200, seed)), 0, 1); r.P < 0.05 {
			small++
		}
	}
	if small > 9 { // 3 are expected, with a standard deviation of 1.7
		t.Errorf("of 60 bursty traces without a rhythm %d seem to have one", small)
	}
	if r := rhythm(inOrder(daily(60, 3, 0.8, 1)), 0, 1); r != nil { // 72 hours from the first full hour on are not there
		t.Errorf("less than three whole days: %+v", r)
	}
	if r := rhythm(inOrder(daily(60, 10, 0.8, 1)), 5*hour, 1); math.Abs(float64(r.PeakHour)-19) > 2 {
		t.Errorf("by clocks that are 5 hours ahead the busiest hour is %d", r.PeakHour)
	}
	if r := rhythm(inOrder([]int64{0, 5 * day}), 0, 1); r == nil || math.IsNaN(float64(r.P)) {
		t.Errorf("two arrivals: %+v", r)
	}
}

func TestHours(t *testing.T) {
	p := New(DefaultOptions())
	// from 22:30 to 01:00 of the next day
	cells, _, _ := p.hours(inOrder([]int64{22*hour + hour/2, 23 * hour, 25 * hour}))
	for h, want := range map[int]result.Cell{22: {Arrivals: 1, Hours: 0.5}, 23: {Arrivals: 1, Hours: 1},
		0: {Arrivals: 0, Hours: 1}, 1: {Arrivals: 1, Hours: 0}, 5: {}} {
		if cells[h] != want {
			t.Errorf("hour %d: %+v, want %+v", h, cells[h], want)
		}
	}
	p.opts.Unix = true
	// 2026-11-21 is a Saturday; 1,795,224,600 is its 01:30 UTC
	cells, _, _ = p.hours(inOrder([]int64{1_795_224_600 * second}))
	if len(cells) != 168 || cells[5*24+1].Arrivals != 1 {
		t.Errorf("Saturday at 1: %+v", cells[5*24+1])
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// 2026-03-29 is a Sunday, on which the hour from 02:00 to 03:00 is left out: 1,774,742,400 is its 00:00 UTC
	p.opts.Zone = berlin
	const sunday = 1_774_742_400 * second
	cells, what, zone := p.hours(inOrder([]int64{sunday, sunday + hour, sunday + 3*hour}))
	for h, want := range map[int]result.Cell{0: {}, 1: {Arrivals: 1, Hours: 1}, 2: {}, 3: {Arrivals: 1, Hours: 1},
		4: {Hours: 1}, 5: {Arrivals: 1}} {
		if cells[6*24+h] != want {
			t.Errorf("Sunday at %d in Berlin: %+v, want %+v", h, cells[6*24+h], want)
		}
	}
	if what != "hours of the week from Monday 00:00 Europe/Berlin" || zone != "Europe/Berlin" {
		t.Errorf("%q, %q", what, zone)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOfN(rapid.Int64Range(-20*day, 400*day), 2, 20).Draw(t, "arrivals")
		p.opts.Unix = rapid.Bool().Draw(t, "unix")
		cells, _, _ := p.hours(inOrder(at))
		arrivals, hours := int64(0), 0.0
		for _, c := range cells {
			arrivals += c.Arrivals
			hours += c.Hours
		}
		if want := seconds(at[len(at)-1]-at[0]) / 3600; arrivals != int64(len(at)) || math.Abs(hours-want) > 1e-6 {
			t.Fatalf("%d arrivals in %v hours, want %d in %v", arrivals, hours, len(at), want)
		}
	})
}

// Ninety short jobs of ten tasks of 10 s (100 s each, 9,000 s) and ten long ones of ten tasks of 1,000 s (100,000 s):
// one in ten is long and holds 100,000 of 109,000 task-seconds.
func TestCutoff(t *testing.T) {
	p := New(DefaultOptions())
	for range 90 {
		p.jobs = append(p.jobs, job{100e6, 10, 100e6})
	}
	for range 10 {
		p.jobs = append(p.jobs, job{10_000e6, 10, 10_000e6})
	}
	c := p.cutoffStats()
	if s := c.Suggested; !c.Clear || s.CutoffS != 10 || s.Long != 10 || s.ShareOfJobs != 0.1 ||
		math.Abs(s.ShareOfTime-100.0/109) > 1e-12 || s.ShareTasks != 0.1 {
		t.Errorf("suggested %+v, clear %v", c.Suggested, c.Clear)
	}
	if len(c.Rows) != 1 || len(c.Curve) != 1 {
		t.Errorf("rows %+v: there is one division", c.Rows)
	}
	p = New(DefaultOptions())
	p.jobs = []job{{4e6, 2, 4e6}, {2e6, 1, 9e6}}
	if c := p.cutoffStats(); c.Suggested != nil || c.Reason == "" {
		t.Errorf("jobs of equal means are divided: %+v", c)
	}
}

// The rows agree with dividing the jobs anew at each cutoff, and no cutoff divides better than the one suggested.
func TestCutoffAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(DefaultOptions())
		for range rapid.IntRange(2, 40).Draw(t, "jobs") {
			j := job{time: rapid.Int64Range(0, 50).Draw(t, "time"), tasks: rapid.Int64Range(1, 5).Draw(t, "tasks")}
			j.all = j.time + rapid.Int64Range(0, 9).Draw(t, "wasted")
			p.jobs = append(p.jobs, j)
		}
		jobs := slices.Clone(p.jobs)
		divide := func(cutoff float64) result.CutoffRow {
			r := result.CutoffRow{CutoffS: cutoff}
			var all, time, tasks, long int64
			for _, j := range jobs {
				all += j.all
				tasks += j.tasks
				if float64(j.time)/float64(j.tasks)/1e6 > cutoff {
					r.Long++
					time += j.all
					long += j.tasks
				}
			}
			r.ShareOfJobs, r.ShareOfTime, r.ShareTasks = float64(r.Long)/float64(len(jobs)), float64(time)/float64(all),
				float64(long)/float64(tasks)
			return r
		}
		c := p.cutoffStats()
		for _, r := range slices.Concat(c.Rows, c.Curve) {
			if want := divide(r.CutoffS); r != want {
				t.Fatalf("%+v, want %+v", r, want)
			}
		}
		if c.Suggested == nil {
			return
		}
		for _, j := range jobs {
			if r := divide(j.mean() / 1e6); r.Long > 0 &&
				r.ShareOfTime-r.ShareOfJobs > c.Suggested.ShareOfTime-c.Suggested.ShareOfJobs+1e-12 {
				t.Fatalf("%+v divides better than %+v", r, c.Suggested)
			}
		}
	})
}

// choose returns n over k.
func choose(n, k int64) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

func TestMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.Int64Range(1, 30).Draw(t, "n"), rapid.Float64Range(0, 1).Draw(t, "p")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		want := 0.0
		for i := k; i <= n; i++ {
			want += choose(n, i) * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
		}
		if got := atLeast(k, n, p); math.Abs(got-want) > 1e-9 {
			t.Fatalf("P(X >= %d of %d at %v) = %v, want %v", k, n, p, got, want)
		}
	})
	// The example of Benjamini and Hochberg, 1995, §3: fifteen p-values, of which the procedure rejects four at 0.05.
	var tested []*result.MachineLoad
	for _, p := range []float64{.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719,
		.6528, .7590, 1} {
		tested = append(tested, &result.MachineLoad{P: result.Number(p)})
	}
	slices.Reverse(tested)
	adjust(tested)
	rejected := 0
	for _, m := range tested {
		if m.Q <= discovery {
			rejected++
		}
	}
	if rejected != 4 {
		t.Errorf("%d are rejected, want 4", rejected)
	}
	// one bad machine among a hundred: 30 of 100 attempts fail on it, 2 of 100 elsewhere
	of := map[string]*machine{}
	for i := range 100 {
		of[fmt.Sprintf("m%03d", i)] = &machine{ended: 100, failed: 2}
	}
	of["m042"].failed = 30
	loads, test := machineStats(of)
	if len(test.Suspects) != 1 || test.Suspects[0].Machine != "m042" || !loads[42].Suspect || len(loads) != 100 ||
		math.Abs(float64(test.Rate)-0.0228) > 1e-12 {
		t.Errorf("suspects %+v at a rate of %v", test.Suspects, test.Rate)
	}
	if _, test := machineStats(map[string]*machine{"m": {ended: 9}}); len(test.Suspects) != 0 || test.Rate != 0 {
		t.Errorf("without failures %+v", test)
	}
}

// Which reasons are told apart does not depend on how they were divided, also when there are too many.
func TestReasons(t *testing.T) {
	texts := []string{}
	for i := range maxReasons + 50 {
		texts = append(texts, fmt.Sprintf("%s number %d", []string{"Lost", "Broken"}[i%2], i%9999))
	}
	r := run("r", 0, 0, 1, trace.Failed)
	count := func(parts int) *reasons {
		all := newReasons()
		for k := range parts {
			q := newReasons()
			for i, text := range texts {
				if i%parts == k {
					a := try(int32(i), 0, 0, 1, trace.Failed, "", text)
					q.add(r, &a)
				}
			}
			all.merge(q)
		}
		return all
	}
	one, three := count(1), count(3)
	if !slices.Equal(one.list(), three.list()) || one.note() == "" {
		t.Errorf("in one part %v, in three %v", one.list(), three.list())
	}
	if l := one.list(); len(l) != 2 || l[0].Reason != "Broken" || l[0].Attempts != (maxReasons+50)/2 ||
		l[0].Example != "r, stage 0, task 1, attempt 0" {
		t.Errorf("reasons %v", l)
	}
	one.lower(notAtAll)
	if l := one.list(); len(l) != 1 || l[0].Attempts != maxReasons+50 {
		t.Errorf("reasons %v", l)
	}
}

// The largest values stay, of equals those at lower places, whatever the order.
func TestTop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 9), 0, 30).Draw(t, "values")
		var all []extreme
		parts := [2]top{}
		for i, v := range values {
			e := extreme{v, place{run: fmt.Sprintf("%02d", (i*7)%30)}, ""}
			all = append(all, e)
			parts[i%2].add(e.value, e.at, "")
		}
		parts[0].merge(&parts[1])
		slices.SortFunc(all, func(a, b extreme) int {
			return cmp.Or(cmp.Compare(b.value, a.value), a.at.compare(b.at))
		})
		if !slices.Equal(parts[0].values, all[:min(len(all), extremes)]) {
			t.Fatalf("%v, want %v", parts[0].values, all)
		}
	})
}

// A curve begins at the least value with all of them, ends at the largest, never rises, and misses no large step.
func TestCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(0.001, 1e6), 1, 300, rapid.ID[float64]).Draw(t, "values")
		slices.Sort(values)
		counts := make([]int64, len(values))
		for i := range counts {
			counts[i] = rapid.Int64Range(1, 1000).Draw(t, "count")
		}
		c := curve(values, counts, distfit.NewSample(values, counts, 0, distfit.Rounded))
		if c[0] != (result.Point{X: values[0], Share: 1}) || c[len(c)-1].X != values[len(values)-1] || len(c) > 400 {
			t.Fatalf("%d points from %+v to %+v", len(c), c[0], c[len(c)-1])
		}
		for i := 1; i < len(c); i++ {
			if c[i].X <= c[i-1].X || c[i].Share > c[i-1].Share {
				t.Fatalf("%+v follows %+v", c[i], c[i-1])
			}
		}
	})
	if c := curve(nil, nil, distfit.NewSample(nil, nil, 0, distfit.Rounded)); len(c) != 0 {
		t.Errorf("of nothing %v", c)
	}
	// two of five are 0: of all, 3/5 are at least 2
	zeros := distfit.NewSample([]float64{0, 2, 4}, []int64{2, 2, 1}, 2, distfit.Rounded)
	if c := curve([]float64{0, 2, 4}, []int64{2, 2, 1}, zeros); len(c) != 2 ||
		c[0] != (result.Point{X: 2, Share: 0.6}) || c[1] != (result.Point{X: 4, Share: 0.2}) {
		t.Errorf("with zeros %v", c)
	}
	// 200 values, the largest two of which hold 100 of 298: the largest hundredth is two values
	p := New(DefaultOptions())
	for range 198 {
		p.tasks.Add(1)
	}
	p.tasks.Add(50)
	p.tasks.Add(50)
	if top := topShare(p.tasks, count); math.Abs(float64(top)-100.0/298) > 1e-12 {
		t.Errorf("share of the largest hundredth %v", top)
	}
}
