package compare

import (
	"slices"
	"testing"

	"racecard/datasets/trace"
)

// Of five machines 1/4 and 1/6 are one machine each: that is one setting, not two, and its load is five.
func TestLoadIsOfTheMachinesLeft(t *testing.T) {
	e, err := Find([]string{"load", "misestimation"})
	if err != nil {
		t.Fatal(err)
	}
	for machines, want := range map[int][]float64{1: {1}, 5: {1, 5. / 3, 5. / 2, 5}, 8: {1, 2, 8. / 3, 4, 8},
		12: {1, 2, 3, 4, 6}, 100: {1, 2, 100. / 33, 4, 100. / 17}} {
		base := DefaultSetup()
		base.Capacities = make([]trace.Demand, machines)
		var got []float64
		for _, s := range e[0].distinct(&base) {
			got = append(got, s.X)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d machines the experiment has settings %v, want %v", machines, got, want)
		}
		if e[0].Varies(&base) != (machines > 1) || !e[1].Varies(&base) {
			t.Errorf("of %d machines the load varies: %v", machines, e[0].Varies(&base))
		}
		if n := len(e[1].distinct(&base)); n != len(e[1].Settings) {
			t.Errorf("misestimation: %d settings of %d", n, len(e[1].Settings))
		}
	}
}
