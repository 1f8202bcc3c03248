package distributed

import (
	"slices"
	"testing"
)

// The stages of a run are long or short together, by the mean of all its tasks; a job without stages is by its estimate.
func TestMeans(t *testing.T) {
	w := &Workload{}
	w.Add("a", 0, -1, 1, 1, 1, 1)
	w.Add("a", 0, -1, 20, 20)
	w.Jobs[1].After = []int{1}
	w.Add("b", 5, 7, 2, 4)
	if got, want := w.Means(), []int64{7, 7, 7}; !slices.Equal(got, want) { // 44/6, 44/6 and what is told
		t.Errorf("means %v, want %v", got, want)
	}
}
