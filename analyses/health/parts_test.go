package health

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// The resolution is the greatest distance of which all distances are multiples: compared with all pairs.
func TestResolution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.Int64Range(1, 5000).Draw(t, "step")
		times := rapid.SliceOfN(rapid.Int64Range(-1000, 1000), 1, 9).Draw(t, "times")
		var c, d ticks
		want := int64(0)
		for i := range times {
			times[i] = 17 + step*times[i]
			if i%2 == 0 {
				c.see(times[i])
			} else {
				d.see(times[i])
			}
			for j := range i {
				want = new(big.Int).GCD(nil, nil, big.NewInt(want),
					big.NewInt(max(times[i]-times[j], times[j]-times[i]))).Int64()
			}
		}
		c.merge(&d)
		if c.gcd != want || c.n != int64(len(times)) {
			t.Fatalf("%v: resolution %d of %d times, want %d", times, c.gcd, c.n, want)
		}
	})
}

// Durations are multiples of their resolution themselves: 20, 30 and 50 s are whole tens of seconds, although they
// differ by ten and twenty.
func TestResolutionOfDurations(t *testing.T) {
	c := clean()
	for i, s := range []trace.Duration{25, 75, 125} {
		a := &c.runs[i].Attempts[2]
		a.Start, a.End, a.Duration = trace.None, trace.None, s*sec
	}
	if _, h := c.examine(t); h.Clock.DurationResolutionS != 25 || h.Clock.ResolutionS != 0.001 {
		t.Errorf("resolution of durations is %v s and of instants %v s, want 25 and 0.001", h.Clock.DurationResolutionS,
			h.Clock.ResolutionS)
	}
}

func TestDistinctNames(t *testing.T) {
	for _, n := range []int{0, 1, 100, sketchSize - 1, sketchSize, 50_000} {
		names := newNames()
		for range 2 {
			for i := range n {
				names.see(fmt.Sprintf("job %c%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576))
			}
		}
		r := names.result()
		if exact := n < sketchSize; r.Exact != exact || exact && r.Distinct != int64(n) || r.Named != int64(2*n) {
			t.Errorf("%d names: %+v", n, r)
		}
		if off := math.Abs(float64(r.Distinct)-float64(n)) / max(1, float64(n)); off > 0.05 {
			t.Errorf("%d names are taken for %d", n, r.Distinct)
		}
	}
}

func TestMachineLives(t *testing.T) {
	row := func(from, to trace.Instant) trace.Machine {
		m := trace.NewMachine("m")
		m.From, m.To = from, to
		return m
	}
	lives := NewMachines([]trace.Machine{row(10, 20), row(40, trace.None), row(trace.None, 5), row(18, 30)}).lives["m"]
	want := []life{{math.MinInt64, 5}, {10, 30}, {40, math.MaxInt64}}
	if !slices.Equal(lives, want) {
		t.Fatalf("lives %v, want %v", lives, want)
	}
	for _, c := range []struct {
		start, end trace.Instant
		want       trace.Duration
	}{
		// [40, ...) begins 8 after 32; [10, 30] ends 8 before 38
		{-7, 5, 0}, {10, 30, 0}, {50, 1000, 0}, {12, 33, 3}, {7, 12, 3}, {32, 38, 8},
		{trace.None, 33, 3}, {6, trace.None, 1}, {trace.None, trace.None, trace.None},
	} {
		a := trace.NewAttempt(0, 0, 0)
		a.Start, a.End = c.start, c.end
		if got := outside(lives, &a); got != c.want {
			t.Errorf("%d to %d is outside by %d, want %d", c.start, c.end, got, c.want)
		}
	}
	if NewMachines(nil) != nil {
		t.Error("no rows make machines")
	}
}

// Of each oddity the three largest are kept, the first of equals first.
func TestExamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SliceOf(rapid.Float64Range(0, 3).Filter(func(x float64) bool {
			return x == math.Trunc(x) || x < 1
		})).Draw(t, "ranks")
		var got []example
		all := make([]example, len(ranks))
		for i, x := range ranks {
			all[i] = example{run: fmt.Sprint(i), rank: x}
			got = keep(got, all[i])
		}
		slices.SortStableFunc(all, func(a, b example) int {
			switch {
			case a.rank > b.rank:
				return -1
			case a.rank < b.rank:
				return 1
			}
			return 0
		})
		if want := all[:min(3, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("kept %v of %v, want %v", got, ranks, want)
		}
	})
}

// One instant far away does not hide the others: they are shown as finely as without it.
func TestFarInstantsDoNotCoarsen(t *testing.T) {
	c := clean()
	_, want := c.examine(t)
	c.runs[20].Allocations = at(t0 + 300_000*86400*sec)
	checks, got := c.examine(t)
	if got.Coverage.WidthS != want.Coverage.WidthS || len(got.Coverage.Bins) != len(want.Coverage.Bins) ||
		got.Coverage.ToS != want.Coverage.ToS {
		t.Errorf("bins of %v s until %v, want %v until %v", got.Coverage.WidthS, got.Coverage.ToS, want.Coverage.WidthS,
			want.Coverage.ToS)
	}
	far := checks["far-instants"]
	if far.Count != 1 || far.Runs != 1 || float64(far.Examples[0].Value) != seconds(t0)+300_000*86400 {
		t.Errorf("far instants %+v", far)
	}
	if got.Coverage.LastS == got.Coverage.ToS {
		t.Error("the last instant is not told")
	}
}

// What only a hand can do to a run is counted, and nothing panics.
func TestImpossibleRuns(t *testing.T) {
	r := trace.NewRun("r")
	r.Submit, r.End, r.InputBytes = math.MaxInt64, -math.MaxInt64, math.MaxInt64
	s := trace.NewStage()
	s.Start, s.End, s.Demand[trace.CPU], s.EstimateS = 5, -5, math.Inf(1), math.Inf(-1)
	a := trace.NewAttempt(0, 0, 0)
	a.Start, a.End, a.Duration, a.Machine = 100, 50, math.MaxInt64, "m"
	r.Stages, r.Attempts = []trace.Stage{s}, []trace.Attempt{a, a}
	m := trace.NewMachine("m")
	m.From, m.To = math.MaxInt64, -math.MaxInt64
	one := finish(t, Options{TimeBase: "unix", Machines: NewMachines([]trace.Machine{m})}, []*trace.Run{r, r})
	if one == "" {
		t.Error("no result")
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for c, r := range rules {
		if r.id == "" || seen[r.id] {
			t.Errorf("check %d has id %q, which is empty or taken", c, r.id)
		}
		seen[r.id] = true
		if !slices.Contains([]string{result.HealthInfo, result.HealthWarn, result.HealthBad}, r.level) ||
			(r.raised == "") != (r.share == 0) {
			t.Errorf("%s: level %q, raised to %q at %v", r.id, r.level, r.raised, r.share)
		}
	}
}
