package leftover

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSortAttempts sorts few and many attempts, some of which share their instants.
func TestSortAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moments := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) moment {
			return moment{at: rapid.Int64Range(-3, 9).Draw(t, "at"), then: rapid.Int64Range(0, 2).Draw(t, "then")}
		}), 0, 3*fewAttempts).Draw(t, "moments")
		var got []int32
		for i := range moments {
			moments[i].attempt = int32(i)
			got = append(got, int32(i))
		}
		want := slices.Clone(got)
		slices.SortStableFunc(want, func(i, j int32) int {
			a, b := &moments[i], &moments[j]
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.then, b.then))
		})
		sortAttempts(got, nil, func(i int32) moment { return moments[i] })
		if !slices.Equal(got, want) {
			t.Errorf("%v are in the order %v, want %v", moments, got, want)
		}
	})
}
