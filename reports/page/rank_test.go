package page

import (
	"slices"
	"testing"

	"racecard/reports/internal/figuretest"
)

// What makes numbers wrong comes first, then what is at stake, from large to small; the rest stays as it was. Of the
// first, 34% of the CPU can be given away, the second is that 1 - 0.77 of the tokens are idle, the third 2 of 40
// deadlines.
func TestRank(t *testing.T) {
	found := []Finding{
		{ID: "plans"},
		{ID: "deadlines", Numbers: map[string]float64{"missed": 2, "runs": 40}},
		{ID: "outcomes", Numbers: map[string]float64{"unsuccessful": 0, "runs": 0}},
		{ID: "leftover", Numbers: map[string]float64{"cpu_share": .34, "cpu_time_p50": .9, "mem_share": .1}},
		{ID: "utilization-tokens", Numbers: map[string]float64{"share": .77}},
		{ID: "utilization-cpu"},
		{ID: "health", Urgent: 1},
		{ID: "health-units", Urgent: 2},
		{ID: "arrivals"},
	}
	rank(found)
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	want := []string{"health-units", "health", "leftover", "utilization-tokens", "deadlines", "plans", "outcomes",
		"utilization-cpu", "arrivals"}
	if !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
	for i, stake := range []float64{0, 0, .34, .23, .05, 0, 0, 0, 0} {
		if d := found[i].Stake - stake; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: stake %v, want %v", found[i].ID, found[i].Stake, stake)
		}
	}
}

// Every stake is of a finding that a report can hold, and is a share of it.
func TestStakesAreShares(t *testing.T) {
	met := 0
	for _, f := range Findings(figuretest.Typical()) {
		if f.Stake < 0 || f.Stake > 1 {
			t.Errorf("%s: stake %v", f.ID, f.Stake)
		}
		if f.Stake > 0 {
			met++
		}
	}
	if met < 4 {
		t.Errorf("%d findings have a stake", met)
	}
}
