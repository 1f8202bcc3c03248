package allocation

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swf"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// span is an attempt from one second to another.
type span struct{ from, to int64 }

const open = math.MaxInt64 // had not ended when the trace did

func run(id, user string, guaranteed int64, spans ...span) *trace.Run {
	r := trace.NewRun(id)
	r.User, r.Guaranteed = user, guaranteed
	r.Stages = []trace.Stage{trace.NewStage()}
	for i, s := range spans {
		a := trace.NewAttempt(0, int32(i), 0)
		a.Start, a.End, a.Status = trace.Instant(s.from*1e6), trace.Instant(s.to*1e6), trace.Succeeded
		if s.to == open {
			a.End, a.Status = trace.None, trace.Running
		}
		a.Duration = a.End.Since(a.Start)
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

func TestMostAtOnce(t *testing.T) {
	for _, test := range []struct {
		name  string
		spans []span
		want  int64
	}{
		{"one", []span{{0, 5}}, 1},
		{"one after the other", []span{{0, 5}, {5, 9}, {9, 10}}, 1}, // ends come before starts
		{"overlap", []span{{0, 5}, {4, 9}, {8, 10}}, 2},
		{"all at once", []span{{0, 5}, {0, 5}, {0, 5}}, 3},
		{"nested", []span{{0, 9}, {1, 8}, {2, 7}, {8, 9}}, 3},
		{"no length alone", []span{{3, 3}}, 1},
		{"no length, all at one instant", []span{{3, 3}, {3, 3}}, 2},
		{"no length at different instants", []span{{3, 3}, {4, 4}}, 1},
		{"no length beside a longer one", []span{{0, 5}, {3, 3}}, 2},
		{"no length where one ends", []span{{0, 3}, {3, 3}}, 1},
		{"no length where one starts", []span{{3, 5}, {3, 3}}, 2},
		{"no length in the middle of a hand-over", []span{{0, 3}, {3, 3}, {3, 6}}, 2},
		{"had not ended", []span{{0, open}, {7, 8}}, 2},
	} {
		r := run("r", "", 1, test.spans...)
		u, known := (&sweeper{}).attempts(r)
		if !known || u.most != test.want {
			t.Errorf("%s: %d at once, want %d", test.name, u.most, test.want)
		}
	}
}

// mostSlow counts, at every instant at which an attempt starts, what runs there by the definition: start <= t < end, or
// start = t = end.
func mostSlow(r *trace.Run) (most int64) {
	for i := range r.Attempts {
		at, n := r.Attempts[i].Start, int64(0)
		for k := range r.Attempts {
			if a := &r.Attempts[k]; a.Start <= at && (at < a.End || at == a.Start && a.Start == a.End) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// timeSlow adds up token-seconds second by second.
func timeSlow(r *trace.Run, from, to int64) (within, beyond float64) {
	for second := from; second < to; second++ {
		n := int64(0)
		for k := range r.Attempts {
			if a := &r.Attempts[k]; int64(a.Start) <= second*1e6 && second*1e6 < int64(a.End) {
				n++
			}
		}
		within += float64(min(n, r.Guaranteed))
		beyond += float64(max(0, n-r.Guaranteed))
	}
	return within, beyond
}

// sustainedSlow returns the least number that is not exceeded in 95% of the seconds in which any attempt ran.
func sustainedSlow(r *trace.Run, from, to int64) int64 {
	var busy []int64
	for second := from; second < to; second++ {
		n := int64(0)
		for k := range r.Attempts {
			if a := &r.Attempts[k]; int64(a.Start) <= second*1e6 && second*1e6 < int64(a.End) {
				n++
			}
		}
		if n > 0 {
			busy = append(busy, n)
		}
	}
	if len(busy) == 0 {
		return 0
	}
	slices.Sort(busy)
	return busy[int(math.Ceil(0.95*float64(len(busy))))-1]
}

func TestAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []span
		first, last := int64(100), int64(-1)
		for range rapid.IntRange(1, 12).Draw(t, "attempts") {
			from := rapid.Int64Range(0, 12).Draw(t, "from")
			to := from + rapid.Int64Range(0, 4).Draw(t, "length")
			first, last = min(first, from), max(last, to)
			spans = append(spans, span{from, to})
		}
		r := run("r", "", rapid.Int64Range(1, 4).Draw(t, "guaranteed"), spans...)
		p := New(DefaultOptions())
		p.Add(r)
		u := uses(&result.Allocation{Runs: p.uses})[0]
		if want := mostSlow(r); u.MaxParallelism != want {
			t.Errorf("%v: %d at once, want %d", spans, u.MaxParallelism, want)
		}
		within, beyond := timeSlow(r, first, last)
		if want := 1 - within/float64(r.Guaranteed*(last-first)); last > first && math.Abs(u.Unused-want) > 1e-12 {
			t.Errorf("%v of %d: %v of the guarantee unused, want %v", spans, r.Guaranteed, u.Unused, want)
		}
		if want := beyond / (within + beyond); within+beyond > 0 && math.Abs(u.Beyond-want) > 1e-12 {
			t.Errorf("%v of %d: %v beyond, want %v", spans, r.Guaranteed, u.Beyond, want)
		}
		if want := sustainedSlow(r, first, last); want > 0 && u.Sustained != want {
			t.Errorf("%v: sustained %d, want %d", spans, u.Sustained, want)
		}
		if u.Seconds != float64(last-first) {
			t.Errorf("%v: %v s, want %v", spans, u.Seconds, last-first)
		}
	})
}

// hand is a trace worked by hand.
//
//	a, of ann: 4 guaranteed. Attempts 0-4 and 0-2: 2 at once, ratio 1/2. Guaranteed 4 x 4 s = 16, used 4 + 2 = 6: 10/16 unused.
//	b, of ann: 1 guaranteed. Eleven attempts 0-1: ratio 11. Used of the guarantee 1 s of 1 s; beyond it 10 s of 11 s.
//	   Its first attempt ran on its guarantee, ten on spare tokens.
//	c, of bob: 2 guaranteed, start 0, end 10. Attempts 2-4 and 3-5: 2 at once, ratio 1. Used 2 + 2 = 4 of 20: 16/20 unused.
//	d, of bob: 3 guaranteed, no attempts; held 6 tokens from 0 and 2 from 5, until its end at 10: ratio 2.
//	   Within the guarantee 3 x 5 + 2 x 5 = 25 of 30: 5/30 unused. Beyond it 3 x 5 = 15 of 40.
//
// One run has no guarantee, one a guarantee of 0, one neither attempts nor allocations.
func hand() []*trace.Run {
	b := run("b", "ann", 1)
	for range 11 {
		b.Attempts = append(b.Attempts, run("", "", 1, span{0, 1}).Attempts...)
	}
	for i := range b.Attempts {
		b.Attempts[i].Task, b.Attempts[i].Spare = int32(i), trace.TriOf(i > 0)
	}
	c := run("c", "bob", 2, span{2, 4}, span{3, 5})
	c.Start, c.End = 0, 10e6
	d := run("d", "bob", 3)
	d.Start, d.End = 0, 10e6
	d.Allocations = []trace.Allocation{{At: 0, Tokens: 6}, {At: 5e6, Tokens: 2}}
	return []*trace.Run{
		run("a", "ann", 4, span{0, 4}, span{0, 2}), b, c, d,
		run("x", "ann", trace.None, span{0, 1}), run("y", "ann", 0, span{0, 1}), run("z", "", 7),
	}
}

// uses returns the rows of a result.
func uses(a *result.Allocation) (all []result.RunUse) {
	for _, u := range a.Runs.All() {
		all = append(all, *u)
	}
	return all
}

func analyze(t *testing.T, runs []*trace.Run, splits ...int) *result.Allocation {
	t.Helper()
	p := New(DefaultOptions())
	from := 0
	for _, to := range append(splits, len(runs)) {
		q := New(DefaultOptions())
		for _, r := range runs[from:to] {
			q.Add(r)
		}
		p.Merge(q)
		from = to
	}
	a, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestHandWorkedTrace(t *testing.T) {
	a := analyze(t, hand())
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"jobs", float64(a.Jobs), 4},
		{"ratio n", float64(a.Ratio.N), 4}, {"ratio min", a.Ratio.Min, 0.5}, {"ratio p50", a.Ratio.P50, 1.5},
		{"ratio max", a.Ratio.Max, 11},
		{"share below", float64(a.ShareBelowGuarantee), 0.25}, {"share above", float64(a.ShareAbove10x), 0.25},
		{"most at once", a.MaxParallelism.Max, 11}, {"most at once, mean", a.MaxParallelism.Mean,
			(2 + 11 + 2 + 6) / 4.0},
		{"sustained", a.SustainedRatio.Min, 0.5}, {"sustained of d", uses(a)[3].SustainedRatio(), 2},
		{"spare", float64(a.SpareShare), 10.0 / 11}, {"spare by run n", float64(a.SpareShareByRun.N), 1},
		{"unused of a", uses(a)[0].Unused, 10.0 / 16}, {"unused of b", uses(a)[1].Unused, 0},
		{"unused of c", uses(a)[2].Unused, 0.8}, {"unused of d", uses(a)[3].Unused, 5.0 / 30},
		{"beyond of a", uses(a)[0].Beyond, 0}, {"beyond of b", uses(a)[1].Beyond, 10.0 / 11},
		{"beyond of d", uses(a)[3].Beyond, 15.0 / 40},
		{"left out, no guarantee", float64(a.LeftOut[leftNoGuarantee]), 1},
		{"left out, nothing", float64(a.LeftOut[leftNothing]), 1},
		{"left out, no times", float64(a.LeftOut[leftNoTimes]), 1},
		{"by attempts", float64(a.ByBasis[result.UseOfAttempts]), 3}, {"by allocations", float64(a.ByBasis[result.UseOfAllocations]),
			1},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	// bob left 16 + 5 token-seconds of 20 + 30 unused, ann 10 of 16 + 1.
	want := []result.Asking{
		{Who: "bob", Runs: 2, Over: 0, Under: 1, P50: 1.5, GuaranteedTokenS: 50, UnusedTokenS: 21},
		{Who: "ann", Runs: 2, Over: 1, Under: 1, Above10: 1, P50: 5.75, GuaranteedTokenS: 17, UnusedTokenS: 10},
	}
	if len(a.Users) != 2 || !near(a.Users[0], want[0]) || !near(a.Users[1], want[1]) || len(a.Groups) != 0 {
		t.Errorf("users %+v, want %+v; groups %+v", a.Users, want, a.Groups)
	}
	for i, id := range []string{"a", "b", "b", "c"} {
		if a.Extremes[i].JobID != id {
			t.Errorf("%s: run %s, want %s", a.Extremes[i].What, a.Extremes[i].JobID, id)
		}
	}
}

func near(a, b result.Asking) bool {
	same := math.Abs(a.UnusedTokenS-b.UnusedTokenS) < 1e-9
	a.UnusedTokenS, b.UnusedTokenS = 0, 0
	return same && a == b
}

// A job of the Standard Workload Format is one attempt that holds many processors: what it held counts, not that it is
// one.
func TestProgramsThatAreNotSplitIntoTasks(t *testing.T) {
	// job, submit, wait, run, procs, cpu time, memory, requested procs, ...: 1 held 8 of 16, 2 held 16 of 4.
	lines := "1 0 5 10 8 -1 -1 16 -1 -1 1 1 1 1 1 -1 -1 -1\n2 0 5 10 16 -1 -1 4 -1 -1 1 1 1 1 1 -1 -1 -1\n"
	a := analyze(t, sourcetest.Read(t, swf.Format(), source.BytesFile("x.swf", []byte(lines))).Runs)
	if a.Jobs != 2 || uses(a)[0].MaxParallelism != 8 || uses(a)[0].Ratio() != 0.5 || uses(a)[1].Ratio() != 4 ||
		uses(a)[0].Basis != result.UseOfAllocations {
		t.Errorf("got %+v", uses(a))
	}
	// One task of a job that is split into tasks ran alone, however many tokens the job held.
	r := run("r", "", 8, span{0, 4})
	r.Allocations = []trace.Allocation{{At: 0, Tokens: 8}}
	r.Stages[0].Demand[trace.CPU] = 1
	if a := analyze(t, []*trace.Run{r}); uses(a)[0].MaxParallelism != 1 || uses(a)[0].Basis != result.UseOfAttempts {
		t.Errorf("one task among eight tokens: %+v", uses(a)[0])
	}
}

// Two slots hand over from task to task for 1000 s; at each of four hand-overs the log says that the old task ended a
// millisecond after the new one had begun: at most 4 ms of 1000 s ran three.
func TestSustained(t *testing.T) {
	r := run("r", "", 2, span{0, 1000}, span{0, 200}, span{200, 400}, span{400, 600}, span{600, 800}, span{800, 1000})
	for i := 1; i <= 4; i++ {
		r.Attempts[i].End += 1000
		r.Attempts[i].Duration += 1000
	}
	r.User = "ann"
	a := analyze(t, []*trace.Run{r})
	if u := uses(a)[0]; u.MaxParallelism != 3 || u.Sustained != 2 {
		t.Errorf("%d at once, %d sustained, want 3 and 2", u.MaxParallelism, u.Sustained)
	}
	if a.Users[0].Under != 0 {
		t.Error("a run that exceeds its guarantee by overlaps alone asked for too little")
	}
}

func TestAttemptsWithoutTimes(t *testing.T) {
	r := run("r", "", 2, span{0, 4}, span{1, 5}, span{2, 6})
	r.Attempts[1].End, r.Attempts[1].Duration = trace.None, trace.None // it did end, but not known when
	a := analyze(t, []*trace.Run{r})
	if uses(a)[0].MaxParallelism != 2 || len(a.Warnings) != 1 {
		t.Errorf("%d at once, want 2; warnings %q", uses(a)[0].MaxParallelism, a.Warnings)
	}
}

func TestNothingToCompare(t *testing.T) {
	a := analyze(t, []*trace.Run{run("x", "", trace.None, span{0, 1})})
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back result.Allocation
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Jobs != 0 || back.Ratio.N != 0 || !math.IsNaN(back.Ratio.P50) ||
		!math.IsNaN(float64(back.ShareBelowGuarantee)) || !math.IsNaN(float64(back.SpareShare)) {
		t.Errorf("got %s", data)
	}
}

// Whatever the runs are and however they are split, the result is the same, and every run is counted once.
func TestPartitionsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var runs []*trace.Run
		for i := range rapid.IntRange(0, 8).Draw(rt, "runs") {
			runs = append(runs, tracetest.Run(rt, fmt.Sprint("r", i)))
		}
		whole := analyze(t, runs)
		left := int64(whole.Jobs)
		for _, n := range whole.LeftOut {
			left += n
		}
		if left != int64(len(runs)) {
			rt.Errorf("%d runs counted or left out of %d", left, len(runs))
		}
		want, err := json.Marshal(whole)
		if err != nil {
			rt.Fatal(err)
		}
		k := rapid.IntRange(0, len(runs)).Draw(rt, "split")
		if got, _ := json.Marshal(analyze(t, runs, k/2, k)); string(got) != string(want) {
			rt.Errorf("split at %d: got %s\nwant %s", k, got, want)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{20, 20_000} {
		b.Run(fmt.Sprint(n, "-attempts"), func(b *testing.B) {
			var spans []span
			for i := range int64(n) {
				spans = append(spans, span{i * 7919 % 997, i*7919%997 + 1 + i%50})
			}
			r := run("r", "u", 10, spans...)
			p := New(DefaultOptions())
			attempts := 0
			for b.Loop() {
				p.Add(r)
				attempts += n
			}
			b.ReportMetric(float64(attempts)/b.Elapsed().Seconds(), "attempts/s")
		})
	}
}

// A shell that held twelve tokens and ran nothing is left out and counted: it is no run that used all of them.
func TestIdleShellIsLeftOut(t *testing.T) {
	idle := trace.NewRun("idle")
	idle.Guaranteed = 12
	idle.Allocations = []trace.Allocation{{At: 0, Tokens: 12, Machines: 1}, {At: 22e6, Tokens: 0}}
	a := analyze(t, []*trace.Run{idle, run("busy", "u", 4, span{0, 5})})
	if got := uses(a); len(got) != 1 || got[0].JobID != "busy" || a.LeftOut[leftNoTasks] != 1 {
		t.Errorf("%+v, left out %v", got, a.LeftOut)
	}
}
