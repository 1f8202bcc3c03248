package compare

import (
	"slices"
	"testing"

	"racecard/datasets/trace"
)

// Of five machines 1/4 and 1/6 are one machine each: that is one setting, not two.
func TestLoadLeavesOutEqualClusters(t *testing.T) {
	e, err := Find([]string{"load", "misestimation"})
	if err != nil {
		t.Fatal(err)
	}
	for machines, want := range map[int][]float64{1: {1}, 5: {1, 2, 3, 4}, 100: {1, 2, 3, 4, 6}} {
		base := DefaultSetup()
		base.Capacities = make([]trace.Demand, machines)
		var got []float64
		for _, s := range e[0].distinct(&base) {
			got = append(got, s.X)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d machines the experiment has settings %v, want %v", machines, got, want)
		}
		if n := len(e[1].distinct(&base)); n != len(e[1].Settings) {
			t.Errorf("misestimation: %d settings of %d", n, len(e[1].Settings))
		}
	}
}
