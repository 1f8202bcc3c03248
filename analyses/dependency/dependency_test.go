package dependency

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

const minute = 60e6

// job returns a run from one minute to another that reads and writes datasets: "a b > c" reads a and b and writes c.
func job(id, group string, start, end float64, io string) *trace.Run {
	r := trace.NewRun(id)
	r.Name, r.Group, r.Status = "job "+id, group, trace.Succeeded
	r.Start, r.End = trace.Instant(start*minute), trace.Instant(end*minute)
	reads, writes, _ := strings.Cut(io, ">")
	for _, d := range strings.Fields(reads) {
		r.IO = append(r.IO, trace.Access{Dataset: d, At: trace.None, Bytes: trace.None})
	}
	for _, d := range strings.Fields(writes) {
		r.IO = append(r.IO, trace.Access{Dataset: d, Write: true, At: trace.None, Bytes: trace.None})
	}
	return r
}

// finish analyses runs, the first split of them as one part and the rest as another.
func finish(t testing.TB, o Options, runs []*trace.Run, splits ...int) *result.Dependency {
	t.Helper()
	all, from := New(o), 0
	for _, to := range append(splits, len(runs)) {
		part := New(o)
		for _, r := range runs[from:to] {
			part.Add(r)
		}
		all.Merge(part)
		from = to
	}
	d, err := all.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// links returns the pairs that runs make, as "producer>dependent", in the order of dependents.
func links(t testing.TB, runs []*trace.Run) []string {
	t.Helper()
	p := New(DefaultOptions())
	for _, r := range runs {
		p.Add(r)
	}
	order, place := p.order()
	pairs, _, err := p.pairs(t.Context(), order, place)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, x := range pairs {
		out = append(out, string(p.ids.at(order[x.producer]))+">"+string(p.ids.at(order[x.dependent])))
	}
	return out
}

func TestWhichRunDependsOnWhich(t *testing.T) {
	running := job("w", "", 0, 0, "> x")
	running.End, running.Status = trace.None, trace.Running
	submitted := job("r", "", 0, 9, "x >")
	submitted.Start, submitted.Submit = trace.None, 5*minute
	at := func(r *trace.Run, minutes ...float64) *trace.Run {
		for i, m := range minutes {
			r.IO[i].At = trace.Instant(m * minute)
		}
		return r
	}
	seq := func(r *trace.Run, n int64) *trace.Run {
		r.Seq = n
		return r
	}
	for _, tc := range []struct {
		name string
		runs []*trace.Run
		want []string
	}{
		{"a write before the read", []*trace.Run{job("w", "", 0, 2, "> x"), job("r", "", 3, 4, "x >")},
			[]string{"w>r"}},
		{"a write at the instant of the read", []*trace.Run{job("w", "", 0, 3, "> x"), job("r", "", 3, 4, "x >")},
			[]string{"w>r"}},
		{"no write before the read", []*trace.Run{job("r", "", 0, 1, "x >"), job("w", "", 2, 3, "> x")}, nil},
		{"another dataset", []*trace.Run{job("w", "", 0, 1, "> y"), job("r", "", 2, 3, "x >")}, nil},
		{"a rewritten dataset: the latest write before the read, not the one after",
			[]*trace.Run{job("u", "", 0, 1, "> x"), job("v", "", 0, 2, "> x"), job("w", "", 0, 9, "> x"),
				job("r", "", 3, 4, "x >")}, []string{"v>r"}},
		{"the latest write is not that of the latest start",
			[]*trace.Run{job("v", "", 0, 2.5, "> x"), job("w", "", 1, 2, "> x"), job("r", "", 3, 4, "x >")},
			[]string{"v>r"}},
		{"several writers at one instant: the one that started last",
			[]*trace.Run{job("v", "", 1, 2, "> x"), job("w", "", 0, 2, "> x"), job("r", "", 3, 4, "x >")},
			[]string{"v>r"}},
		{"and of those that started together the last in the input",
			[]*trace.Run{seq(job("v", "", 1, 2, "> x"), 8), seq(job("w", "", 1, 2, "> x"), 7),
				job("r", "", 3, 4, "x >")}, []string{"v>r"}},
		{"an overlap, without any write before", []*trace.Run{job("w", "", 0, 5, "> x"), job("r", "", 3, 4, "x >")},
			[]string{"w>r"}},
		{"the overlap that started last, not the one that ends first",
			[]*trace.Run{job("v", "", 0, 5, "> x"), job("w", "", 2, 9, "> x"), job("r", "", 3, 4, "x >")},
			[]string{"w>r"}},
		{"no overlap that started at the same instant", []*trace.Run{job("w", "", 3, 5, "> x"),
			job("r", "", 3, 4, "x >")}, nil},
		{"a write before comes before an overlap",
			[]*trace.Run{job("v", "", 0, 1, "> x"), job("w", "", 2, 9, "> x"), job("r", "", 3, 4, "x >")},
			[]string{"v>r"}},
		{"a run that never ended overlaps", []*trace.Run{running, job("r", "", 3, 4, "x >")}, []string{"w>r"}},
		{"submitted, with no start", []*trace.Run{job("w", "", 0, 5, "> x"), submitted}, []string{"w>r"}},
		{"a run reads what it writes", []*trace.Run{job("w", "", 0, 1, "x > x")}, nil},
		{"a run reads what it writes, as the run before it did",
			[]*trace.Run{job("a", "", 0, 1, "x > x"), job("b", "", 1, 2, "x > x"), job("c", "", 2, 3, "x > x")},
			[]string{"a>b", "b>c"}},
		{"a pair counts once", []*trace.Run{job("w", "", 0, 1, "> x y z"), job("r", "", 2, 3, "z x y x >")},
			[]string{"w>r"}},
		{"runs of no length at one instant: by the input, and no cycle",
			[]*trace.Run{seq(job("a", "", 1, 1, "y > x"), 1), seq(job("b", "", 1, 1, "x > y"), 2)}, []string{"a>b"}},
		{"of no length at one instant, the shorter first",
			[]*trace.Run{seq(job("b", "", 1, 2, "x > y"), 1), seq(job("a", "", 1, 1, "y > x"), 2)}, []string{"a>b"}},
		{"times of accesses: written at 1 and read at 2, during both runs",
			[]*trace.Run{at(job("w", "", 0, 9, "> x"), 1), at(job("r", "", 0.5, 9, "x >"), 2)}, []string{"w>r"}},
		{"times of accesses: two runs that write to each other, in the order of their starts",
			[]*trace.Run{at(job("a", "", 0, 9, "y > x"), 4, 1), at(job("b", "", 0.5, 9, "x > y"), 2, 3)},
			[]string{"a>b"}},
		{"times of accesses: what the run that began later wrote does not hide what was there before",
			[]*trace.Run{job("o", "", 0, 1, "> x"), at(job("r", "", 2, 9, "x >"), 6), at(job("w", "", 3, 9, "> x"), 5)},
			[]string{"o>r"}},
		{"times of accesses: a dataset read twice",
			[]*trace.Run{job("v", "", 0, 1, "> x"), at(job("w", "", 1, 9, "> x"), 5), at(job("r", "", 2, 9, "x x >"), 3,
				6)}, []string{"v>r", "w>r"}},
	} {
		if tc.want == nil {
			tc.want = []string{}
		}
		if got := links(t, tc.runs); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
		slices.Reverse(tc.runs)
		if got := links(t, tc.runs); !slices.Equal(got, tc.want) {
			t.Errorf("%s, with the runs the other way round: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// hand is a trace worked by hand; times in minutes.
//
//	raw   0-10  group in   writes log
//	clean 12-20 group in   reads log, writes table         gap 2
//	ads   25-40 group ads  reads table, writes model       gap 5
//	web   50-55 group web  reads table, writes page        gap 30
//	serve 38-60 no group   reads model (unfinished: ads ends at 40) and table; overlaps ads; gap 18 to clean
//	again 70-80 group in   reads log, writes log           gap 60 to raw
//	last  90-95 group ads  reads log                       gap 10 to again
//	other 0-5   reads what nobody wrote; idle has no io; lost reads without a start
//
// Pairs: raw>clean 2, clean>ads 5, clean>web 30, ads>serve (overlaps), clean>serve 18, raw>again 60, again>last 10.
// Chains: ads 1, again 1, clean 2 (ads, serve), raw 3 (clean, ads, serve).
// Downstream: ads {serve}, again {last}, clean {ads, web, serve}, raw {clean, ads, web, serve, again, last}.
// Groups: ads none known, again {ads}, clean {ads, web}, raw {in, ads, web}: its own, as clean has it.
func hand() []*trace.Run {
	lost := job("lost", "", 0, 1, "log >")
	lost.Start = trace.None
	idle := trace.NewRun("idle")
	return []*trace.Run{
		job("raw", "in", 0, 10, "> log"), job("clean", "in", 12, 20, "log > table"),
		job("ads", "ads", 25, 40, "table > model"),
		job("web", "web", 50, 55, "table > page"), job("serve", "", 38, 60, "model table >"), job("again", "in", 70, 80,
			"log > log"),
		job("last", "ads", 90, 95, "log >"), job("other", "web", 0, 5, "nothing >"), idle, lost,
	}
}

func TestHandWorkedTrace(t *testing.T) {
	d := finish(t, DefaultOptions(), hand(), 3)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"jobs", float64(d.Jobs), 9}, // all but lost
		{"left out", float64(d.LeftOut[leftRead]), 1},
		{"share", float64(d.ShareWithDependency), 7.0 / 9},
		{"pairs", float64(d.Pairs), 7},
		{"overlapping", float64(d.Overlapping), 1},
		{"dependents", float64(d.Dependents), 6},
		{"producers", float64(d.Producers), 4},
		{"datasets", float64(d.Datasets), 5}, // log, table, model, page, nothing
		{"reads", float64(d.Reads), 8},
		{"reads of what nobody wrote", float64(d.ReadsWithoutWriter), 1},
		{"gaps", float64(d.GapMin.N), 6}, // 2, 5, 10, 18, 30, 60
		{"least gap", d.GapMin.Min, 2},
		{"median gap", d.GapMin.P50, 14},
		{"mean gap", d.GapMin.Mean, 125.0 / 6},
		{"largest gap", d.GapMin.Max, 60},
		{"chains", float64(d.ChainLength.N), 4}, // 1, 1, 2, 3
		{"median chain", d.ChainLength.P50, 1.5},
		{"longest chain", d.ChainLength.Max, 3},
		{"indirect dependents", float64(d.IndirectDependents.N), 4}, // 1, 1, 3, 6
		{"mean of indirect dependents", d.IndirectDependents.Mean, 11.0 / 4},
		{"most indirect dependents", d.IndirectDependents.Max, 6},
		{"with groups downstream", float64(d.DependentGroups.N), 3}, // 1, 2, 3
		{"median of groups", d.DependentGroups.P50, 2},
		{"most groups", d.DependentGroups.Max, 3},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if d.Estimated || d.StandardError != nil {
		t.Error("exact numbers are called estimates")
	}
	raw := result.Producer{JobID: "raw", Name: "job raw", Group: "in", Dependents: 2, ChainLength: 3,
		IndirectDependents: 6, DependentGroups: 3}
	if got := d.MostDependents[0]; got != raw || *d.MostGroups != raw {
		t.Errorf("most dependents %+v, most groups %+v, want %+v", got, *d.MostGroups, raw)
	}
	var rows, chain []string
	for _, r := range d.Runs {
		rows = append(rows, fmt.Sprint(r.JobID, " ", r.DependsOn, r.Dependents, r.ChainLength, r.IndirectDependents,
			r.DependentGroups))
	}
	if want := []string{"raw 0 2 3 6 3", "clean 1 3 2 3 2", "ads 1 1 1 1 0", "again 1 1 1 1 1"}; !slices.Equal(rows,
		want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	for _, l := range d.LongestChain {
		chain = append(chain, fmt.Sprint(l.JobID, " ", float64(l.GapMin)))
	}
	if want := []string{"raw NaN", "clean 2", "ads 5", "serve NaN"}; !slices.Equal(chain, want) {
		t.Errorf("longest chain %q, want %q", chain, want)
	}
	if want := (result.DependencyPair{Producer: "raw", Dependent: "again", ProducerName: "job raw",
		DependentName: "job again", Dataset: "log", GapMin: 60}); *d.LongestGap != want {
		t.Errorf("longest gap %+v, want %+v", *d.LongestGap, want)
	}
	if want := []float64{2, 5, 10, 18, 30, 60}; !slices.Equal(d.GapQuantiles, want) {
		t.Errorf("gaps %v, want %v", d.GapQuantiles, want)
	}
	if got := strings.Join(d.Warnings, "; "); !strings.Contains(got, "leaves out 1 of 4 runs") {
		t.Errorf("warnings %q", got)
	}
	if table := d.Table(); table.Len() != 4 || len(table.Floats("dependent_groups")) != 3 {
		t.Errorf("%d rows, %d with groups, want 4 and 3", table.Len(), len(table.Floats("dependent_groups")))
	}
}

// A run is in a group of its own dependents only when one of them is in it.
func TestOwnGroup(t *testing.T) {
	for _, tc := range []struct {
		name   string
		groups [3]string
		want   int
	}{
		{"own group only upstream", [3]string{"a", "b", "c"}, 2},
		{"own group downstream", [3]string{"a", "b", "a"}, 2},
		{"one group", [3]string{"a", "a", "a"}, 1},
		{"others share one", [3]string{"a", "b", "b"}, 1},
		{"unknown downstream", [3]string{"a", "", ""}, 0},
	} {
		d := finish(t, DefaultOptions(), []*trace.Run{
			job("1", tc.groups[0], 0, 1, "> x"), job("2", tc.groups[1], 2, 3, "x > y"), job("3", tc.groups[2], 4, 5,
				"y >"),
		})
		if got := d.Runs[0].DependentGroups; got != tc.want {
			t.Errorf("%s: %d groups, want %d", tc.name, got, tc.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	failed := job("w", "g", 0, 1, "> x")
	failed.Status = trace.Killed
	late := job("r", "g", 2, 3, "x >")
	late.Start, late.Submit = trace.None, 90e6
	d := finish(t, DefaultOptions(), []*trace.Run{failed, late})
	if d.GapMin.Max != 0.5 { // submitted at 1.5 minutes
		t.Errorf("gap %v min, want 0.5", d.GapMin.Max)
	}
	for _, want := range []string{"1 of 1 pair depends on a run that failed", "of 2 runs that read or write, 1 has " +
		"no start"} {
		if !strings.Contains(strings.Join(d.Warnings, "; "), want) {
			t.Errorf("warnings %q do not say %q", d.Warnings, want)
		}
	}
	timed := job("r", "g", 2, 3, "x >")
	timed.Start, timed.IO[0].At = trace.None, 120e6
	d = finish(t, DefaultOptions(), []*trace.Run{job("w", "g", 0, 1, "> x"), timed})
	if d.Pairs != 1 || d.GapMin.N != 0 || !strings.Contains(strings.Join(d.Warnings, "; "), "1 of 1 pair has no gap") {
		t.Errorf("%d pairs, %d gaps, warnings %q", d.Pairs, d.GapMin.N, d.Warnings)
	}
}

func TestNotAvailable(t *testing.T) {
	for _, tc := range []struct {
		name string
		runs []*trace.Run
		want []string
	}{
		{"nothing is written", []*trace.Run{job("r", "", 0, 1, "x >")}, []string{"io.mode = write"}},
		{"nothing is read", []*trace.Run{job("w", "", 0, 1, "> x")}, []string{"io.mode = read"}},
		{"no io", []*trace.Run{trace.NewRun("a")}, []string{"io.mode = read", "io.mode = write"}},
	} {
		d := finish(t, DefaultOptions(), tc.runs)
		if d.Available || !slices.Equal(d.Missing, tc.want) {
			t.Errorf("%s: available %v, missing %v, want %v", tc.name, d.Available, d.Missing, tc.want)
		}
	}
}

// Reads and writes without a dependency: shares are 0, and Summaries of nothing are null.
func TestNoDependency(t *testing.T) {
	d := finish(t, DefaultOptions(), []*trace.Run{job("r", "", 0, 1, "x > y"), job("w", "", 2, 3, "> x")})
	data, err := json.Marshal(result.Form(d))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"share_with_dependency":0,`, `"gap_min":{"n":0,"mean":null`,
		`"chain_length":{"n":0,`, `"estimated":false`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s does not hold %s", data, want)
		}
	}
	lost := job("r", "", 0, 1, "x > y")
	lost.Start, lost.End = trace.None, trace.None
	if d = finish(t, DefaultOptions(), []*trace.Run{lost}); !d.Available || d.Jobs != 0 ||
		!math.IsNaN(float64(d.ShareWithDependency)) {
		t.Errorf("all runs left out: %+v", d)
	}
}

func TestTextsAreNumberedOnce(t *testing.T) {
	var a, b texts
	for i := range 3000 {
		a.intern(fmt.Sprint("text ", i%1000))
		b.intern(fmt.Sprint("text ", 500+i%1000))
	}
	if a.len() != 1000 || a.intern("text 7") != 7 || a.intern("") != 1000 {
		t.Errorf("%d texts, text 7 is %d", a.len(), a.intern("text 7"))
	}
	numbers := a.merge(&b)
	if a.len() != 1501 || numbers[0] != 500 || numbers[999] != 1500 || string(a.at(1500)) != "text 1499" {
		t.Errorf("merged: %d texts, the first is %d, the last %d, %q", a.len(), numbers[0], numbers[999], a.at(1500))
	}
}
