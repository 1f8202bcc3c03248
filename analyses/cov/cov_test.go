package cov_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/cov"
	"racecard/analyses/recurrence"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// run is a run from 0 to seconds.
func run(id, name string, seconds float64, status trace.Status) *trace.Run {
	r := trace.NewRun(id)
	r.Name, r.Status, r.Submit, r.End = name, status, 0, trace.Instant(seconds*1e6)
	return r
}

func finish(t interface{ Fatal(...any) }, p *cov.Partial) *result.CoV {
	r, err := p.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Completion times 2, 4, 4, 4, 5, 5, 7, 9 have mean 5 and sum of squares about it 9+1+1+1+0+0+4+16 = 32: a sample
// standard deviation of √(32/7) = 2.138, CoV 0.4276. Their type 7 median is 4.5, their 90th percentile, at 6.3 of 0..7,
// 7 + 0.3·2 = 7.6.
func TestCoVByHand(t *testing.T) {
	o := cov.DefaultOptions()
	o.MinRuns = 8
	p := cov.New(o)
	for i, seconds := range []float64{9, 4, 5, 2, 4, 7, 5, 4} {
		p.Add(run(fmt.Sprint(i), fmt.Sprintf("report-2026-01-%02d", i+1), seconds, trace.Succeeded))
	}
	p.Add(run("failed", "report-2026-02-01", 1, trace.Failed))
	p.Add(run("nameless", "", 1, trace.Succeeded))
	p.Add(run("rare", "other", 1, trace.Succeeded))
	never := run("never", "other", 1, trace.Succeeded)
	never.End = trace.Instant(trace.None)
	p.Add(never)
	r := finish(t, p)
	if len(r.Jobs) != 1 || r.Runs != 12 || r.Succeeded != 11 || r.Recurring != 1 || r.LeftOut["without a name"] != 1 ||
		r.LeftOut["succeeded without a known completion time"] != 1 || r.Merged["report-#"] != 9 {
		t.Fatalf("%+v", r)
	}
	j := r.Jobs[0]
	for _, x := range []struct {
		what      string
		got, want float64
	}{{"CoV", j.CoV, math.Sqrt(32./7) / 5}, {"mean", j.MeanS, 5}, {"p50", j.P50S, 4.5}, {"p90", j.P90S, 7.6},
		{"min", j.MinS, 2}, {"max", j.MaxS, 9}} {
		if math.Abs(x.got-x.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", x.what, x.got, x.want)
		}
	}
	if j.Name != "report-#" || j.Failed != 1 || j.SlowestRun != "0" || j.FastestRun != "3" {
		t.Errorf("%+v", j)
	}
}

// However runs are spread over partial results, the result is the same, and recurrence says the same of CoV.
func TestCoVDoesNotDependOnParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := cov.DefaultOptions()
		o.MinRuns, o.RawNames = 2, rapid.Bool().Draw(t, "raw")
		parts := []*cov.Partial{cov.New(o), cov.New(o), cov.New(o)}
		whole, other := cov.New(o), recurrence.New(o)
		statuses := []trace.Status{trace.Succeeded, trace.Succeeded, trace.Succeeded, trace.Failed, trace.Running}
		for i := range rapid.IntRange(0, 40).Draw(t, "runs") {
			name := rapid.SampledFrom([]string{"", "a", "a-2026-01-01", "a-2026-01-02", "b", "B"}).Draw(t, "name")
			r := run(fmt.Sprint(i), name, rapid.Float64Range(0, 100).Draw(t, "seconds"),
				rapid.SampledFrom(statuses).Draw(t, "status"))
			parts[rapid.IntRange(0, 2).Draw(t, "part")].Add(r)
			whole.Add(r)
			other.Add(r)
		}
		parts[0].Merge(parts[1])
		parts[0].Merge(parts[2])
		got, want := finish(t, parts[0]), finish(t, whole)
		if a, b := text(t, got), text(t, want); a != b {
			t.Fatalf("in parts %s\nwhole %s", a, b)
		}
		r, err := other.Finish(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if a, b := text(t, r.CoV), text(t, want.CoV); a != b || r.Recurring != want.Recurring || r.Runs != want.Runs {
			t.Fatalf("recurrence says %s, this %s", a, b)
		}
	})
}

func text(t *rapid.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestOptions(t *testing.T) {
	if (cov.Options{MinRuns: 1}).Validate() == nil || cov.DefaultOptions().Validate() != nil {
		t.Error("a job of one run cannot vary; the defaults are fine")
	}
}
