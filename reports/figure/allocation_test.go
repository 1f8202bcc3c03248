package figure

import (
	"math"
	"slices"
	"testing"

	"racecard/datasets/result"
)

// A run whose guarantee is not known does not shift the guarantees of others.
func TestGuaranteesStayWithTheirRuns(t *testing.T) {
	var runs result.Table
	for _, r := range [][2]float64{{4, 2}, {math.NaN(), 9}, {8, 3}, {0, 5}} {
		runs.Row().Float("guaranteed", r[0]).Float("max_parallelism", r[1])
	}
	points, dropped := guaranteed(&runs)
	if want := []point{{4, 2}, {8, 3}}; !slices.Equal(points, want) || dropped != 1 {
		t.Errorf("%v, %d left out; want %v and 1", points, dropped, want)
	}
	if got := runs.Numbers("guaranteed"); len(got) != 4 || !math.IsNaN(got[1]) || got[2] != 8 {
		t.Errorf("%v", got)
	}
	if points, dropped := guaranteed(nil); points != nil || dropped != 0 {
		t.Errorf("without a table: %v, %d left out", points, dropped)
	}
	if got := runs.Floats("guaranteed"); !slices.Equal(got, []float64{4, 8, 0}) {
		t.Errorf("%v", got)
	}
}
