package recurrence

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"racecard/analyses/cov"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

func run(id, name string, seconds float64, input int64) *trace.Run {
	r := trace.NewRun(id)
	r.Name, r.Status, r.InputBytes = name, trace.Succeeded, input
	r.Submit, r.End = 5e6, 5e6+trace.Instant(seconds*1e6)
	return r
}

// hand is a trace worked by hand.
//
// Job "a-#" (two raw names, a date each): ten runs of 10, 12, ..., 28 s.
//
//	mean 19, sum of squared deviations 2 x (1 + 9 + 25 + 49 + 81) = 330, variance 330/9, sd 6.0553007..., CoV 0.318700...
//	inputs 100, 105, 110, 111, 120, 121, 122, 200, 210, 221:
//	  group from 100: 100, 105, 110 (<= 110); 111 does not fit
//	  group from 111: 111, 120, 121, 122 (<= 122.1); 200 does not fit
//	  group from 200: 200, 210 (<= 220); 221 does not fit; two runs do not count
//	  group from 221: one run does not count
//	  times 10, 12, 14: mean 12, sd 2, CoV 1/6
//	  times 16, 18, 20, 22: mean 19, squared deviations 9 + 1 + 1 + 9 = 20, sd sqrt(20/3), CoV 0.135889...
//
// Job "b": ten runs of 4 s: CoV 0, no inputs. Job "c": nine runs: does not recur. One run has no name, one of "b"
// failed.
func hand() []*trace.Run {
	var runs []*trace.Run
	inputs := []int64{100, 105, 110, 111, 120, 121, 122, 200, 210, 221}
	for i, input := range inputs {
		name := "a-2026-11-03"
		if i%2 == 1 {
			name = "a-2026-11-04"
		}
		runs = append(runs, run(fmt.Sprintf("a%d", i), name, 10+2*float64(i), input))
	}
	for i := range 10 {
		runs = append(runs, run(fmt.Sprintf("b%d", i), "b", 4, trace.None))
	}
	for i := range 9 {
		runs = append(runs, run(fmt.Sprintf("c%d", i), "c", float64(i+1), 7))
	}
	nameless := run("n", "", 1, 1)
	failed := run("f", "b", 100, 1)
	failed.Status = trace.Failed
	return append(runs, nameless, failed)
}

func analyze(t *testing.T, runs []*trace.Run, split int) *result.Recurrence {
	t.Helper()
	p, q := New(DefaultOptions()), New(DefaultOptions())
	for i, r := range runs {
		if i < split {
			p.Add(r)
		} else {
			q.Add(r)
		}
	}
	p.Merge(q)
	r, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHandWorkedTrace(t *testing.T) {
	r := analyze(t, hand(), 0)
	covA, covG := math.Sqrt(330.0/9)/19, math.Sqrt(20.0/3)/19
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"recurring", float64(r.Recurring), 2},
		{"runs", float64(r.Runs), 31},
		{"succeeded", float64(r.Succeeded), 30},
		{"share of runs", float64(r.ShareOfRuns), 20.0 / 30},
		{"cov n", float64(r.CoV.N), 2},
		{"cov min", r.CoV.Min, 0},
		{"cov max", r.CoV.Max, covA},
		{"cov p50", r.CoV.P50, covA / 2},
		{"cov mean", r.CoV.Mean, covA / 2},
		{"cov p90", r.CoV.P90, 0.9 * covA},
		{"similar n", float64(r.CoVSimilarInput.N), 2},
		{"similar min", r.CoVSimilarInput.Min, covG},
		{"similar max", r.CoVSimilarInput.Max, 1.0 / 6},
		{"left out", float64(r.LeftOut["without a name"]), 1},
		{"merged names", float64(r.Merged["a-#"]), 2},
		{"failed runs of b", float64(r.Jobs[1].Failed), 1},
		{"least input of a", float64(r.Jobs[0].MinInput), 100},
		{"most input of a", float64(r.Jobs[0].MaxInput), 221},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if a := r.Jobs[0]; a.Name != "a-#" || a.SlowestRun != "a9" || a.FastestRun != "a0" || a.P50S != 19 ||
		a.SimilarSets != 2 {
		t.Errorf("first row %+v", a)
	}
	if b := r.Jobs[1]; b.SlowestRun != "b0" || !math.IsNaN(float64(b.MinInput)) {
		t.Errorf("second row %+v", b)
	}
}

// Where the trace does not say how runs ended, those that ended count, and no share of their time is known to be lost.
func TestUnstatedOutcomes(t *testing.T) {
	var stated, unstated []*trace.Run
	for i := range 30 {
		r := trace.NewRun(fmt.Sprint(i))
		r.Name, r.Status, r.Submit, r.Start, r.End = "job", trace.Succeeded, 0, 0, trace.Instant(10+i%7)*1e6
		r.Stages = []trace.Stage{trace.NewStage()}
		a := trace.NewAttempt(0, 0, 0)
		a.Duration, a.Status = trace.Duration(r.End), trace.Succeeded
		r.Attempts = []trace.Attempt{a}
		u := r.Clone()
		u.Status, u.Attempts[0].Status = trace.StatusUnknown, trace.StatusUnknown
		stated, unstated = append(stated, r), append(unstated, u)
	}
	open := trace.NewRun("open")
	open.Name, open.Submit = "job", 0
	want, got := analyze(t, stated, 3), analyze(t, append(unstated, open), 3)
	if got.Succeeded != 0 || got.Unstated != 30 || got.Runs != 31 || got.Recurring != 1 || got.CoV != want.CoV ||
		got.ShareOfRuns != 1 || got.Jobs[0].Runs != 30 {
		t.Errorf("got %+v\nwant the CoV of %+v", got, want)
	}
	examined := func(r *result.Recurrence) bool {
		return slices.ContainsFunc(r.Causes, func(c result.Cause) bool { return c.Cause == "failures" && c.Jobs > 0 })
	}
	if !examined(want) || examined(got) {
		t.Errorf("failures examined: %v with outcomes, %v without", examined(want), examined(got))
	}
}

func TestMergeDoesNotMatter(t *testing.T) {
	runs := hand()
	want, err := json.Marshal(analyze(t, runs, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range []int{1, 13, 30, 31} {
		if got, _ := json.Marshal(analyze(t, runs, split)); string(got) != string(want) {
			t.Errorf("split at %d: got %s\nwant %s", split, got, want)
		}
	}
}

func TestRawNames(t *testing.T) {
	o := DefaultOptions()
	o.RawNames, o.MinRuns = true, 5
	p := New(o)
	for _, r := range hand() {
		p.Add(r)
	}
	r, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Recurring != 4 || len(r.Merged) != 0 || r.Rules != nil {
		t.Errorf("%d recurring jobs, merged %v; want a-2026-11-03, a-2026-11-04, b and c apart", r.Recurring, r.Merged)
	}
}

func TestNothingRecurs(t *testing.T) {
	r := analyze(t, hand()[20:29], 0)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back result.Recurrence
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Recurring != 0 || back.CoV.N != 0 || !math.IsNaN(back.CoV.P50) || back.ShareOfRuns != 0 {
		t.Errorf("got %s", data)
	}
}

func TestWithin10Percent(t *testing.T) {
	for _, c := range []struct {
		small, large int64
		want         bool
	}{{100, 110, true}, {100, 111, false}, {30, 33, true}, {0, 0, true}, {0, 1, false}, {9, 9, true}, {9, 10, false},
		{math.MaxInt64 - 1, math.MaxInt64, true}} {
		if got := within10Percent(c.small, c.large); got != c.want {
			t.Errorf("%d to %d: %v", c.small, c.large, got)
		}
	}
}

func TestOptions(t *testing.T) {
	if err := (Options{MinRuns: 1}).Validate(); err == nil {
		t.Error("one run was enough to recur")
	}
}

func BenchmarkAdd(b *testing.B) {
	runs := make([]*trace.Run, 10_000)
	for i := range runs {
		runs[i] = run(fmt.Sprint(i), fmt.Sprintf("job-%d-2026-11-03", i%500), float64(i%97+1), int64(i))
	}
	n := 0
	for b.Loop() {
		p := New(DefaultOptions())
		for _, r := range runs {
			p.Add(r)
		}
		if _, err := p.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
		n += len(runs)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "jobs/s")
}

// The jobs are ranked by what they cost, not by how much they vary: the intervals must not depend on that order.
// Package cov computes those of the same numbers with the same seed.
func TestIntervalsDoNotDependOnTheOrderOfJobs(t *testing.T) {
	var runs []*trace.Run
	for job := range 40 {
		varies := 0.02 * float64(1+(job*17)%40) // in another order than the jobs
		for k := range 12 {
			seconds := float64(100+50*((job*7)%9)) * (1 + varies*float64(k%3-1))
			runs = append(runs, run(fmt.Sprintf("%d-%d", job, k), fmt.Sprintf("job %c%c", 'a'+job/10, 'a'+job%10),
				seconds, trace.None))
		}
	}
	got := analyze(t, runs, len(runs))
	p := cov.New(DefaultOptions())
	for _, r := range runs {
		p.Add(r)
	}
	want, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for percentile, interval := range want.Intervals.Of["cov"] {
		if got.Intervals.Of["cov"][percentile] != interval {
			t.Errorf("%s: interval %v, want %v", percentile, got.Intervals.Of["cov"][percentile], interval)
		}
	}
	if len(want.Intervals.Of["cov"]) == 0 || got.Recurring != 40 {
		t.Errorf("%d jobs recur, %d intervals", got.Recurring, len(want.Intervals.Of["cov"]))
	}
}
