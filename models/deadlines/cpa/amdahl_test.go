package cpa

import (
	"math"
	"testing"

	"racecard/datasets/remaining"
	"racecard/datasets/trace"
	"racecard/models/deadlines/progress"
)

// amdahlChain is PAPERS' case: 10 tasks of 4 s, then 2 tasks of 3 s. In the earlier run they ran in 0-.8 and .8-1.
func amdahlChain(t *testing.T) *progress.Plan {
	t.Helper()
	p, err := progress.NewPlan([]progress.Stage{{Tasks: 10, WorkS: 40, LongestS: 4, Begin: 0, End: .8},
		{Tasks: 2, WorkS: 6, LongestS: 3, Begin: .8, End: 1}},
		[]trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// With stage 0 half done, S_t = max(.5·4 + 3, 3) = 5 and P_t = .5·40 + 6 = 26: on 4 tokens 5 + 26/4 = 11.5 s. Apart
// from the path, 5 + (26-5)/4 = 10.25 s. At the end of stage 1 the path is all: 1.5 + 3/2 is 3 s on 2 tokens, or 1.5 +
// 1.5/2.
func TestAmdahlByHand(t *testing.T) {
	p := amdahlChain(t)
	for _, test := range []struct {
		done   []float64
		tokens float64
		apart  bool
		want   float64
	}{
		{[]float64{.5, 0}, 4, false, 11.5},
		{[]float64{.5, 0}, 4, true, 10.25},
		{[]float64{1, .5}, 2, false, 3},
		{[]float64{1, .5}, 2, true, 2.25},
		{[]float64{1, 1}, 2, false, 0},
	} {
		if got := amdahl(p, test.done, test.tokens, test.apart); got != test.want {
			t.Errorf("%v on %v tokens, apart %v: %v s, want %v", test.done, test.tokens, test.apart, got, test.want)
		}
	}
}

// Half of 40 s of 46 are a progress of .4348 by work; 0.43 is reached when 19.78/40 of stage 0 is done: 3 + 4·.5055 +
// (46-19.78)/4.
func TestAmdahlTable(t *testing.T) {
	table, err := BuildAmdahl(amdahlChain(t), remaining.About{}, AmdahlOptions{Indicator: progress.TotalWork,
		Allocations: []int32{2, 4}, GridError: .05, Runs: 7})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ p, tokens, want float64 }{
		{0, 4, 7 + 46./4}, {0, 2, 7 + 46./2}, {.43, 4, 3 + 4*.5055 + 26.22/4}, {1, 4, 0},
	} {
		for _, q := range []float64{0, .5, 1} {
			if got := table.Remaining(test.p, test.tokens, q); math.Abs(got-test.want) > 1e-9 {
				t.Errorf("C(%v,%v): quantile %v is %v s, want %v", test.p, test.tokens, q, got, test.want)
			}
		}
	}
	if a := table.About; a.Method != remaining.Amdahl || a.Monotone.Changed != 0 || table.Samples[0] != 7 {
		t.Errorf("%+v, %d samples", a, table.Samples[0])
	}
	for k := range progress.Count {
		chosen, err := BuildAmdahl(amdahlChain(t), remaining.About{}, AmdahlOptions{Indicator: k, Most: 10,
			GridError: .05})
		if k == progress.MinStageInf { // this run's are not known: 0
			continue
		}
		if err != nil || chosen.Allocations[0] != 1 || chosen.Allocations[len(chosen.Allocations)-1] != 10 {
			t.Errorf("%v: %v, %v", k, chosen, err)
		}
	}
}
