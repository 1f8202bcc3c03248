package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"racecard/datasets/lists"
)

func TestMap(t *testing.T) {
	if got := lists.Map([]int{3, 1}, strconv.Itoa); !slices.Equal(got, []string{"3", "1"}) {
		t.Error(got)
	}
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("%v of no elements, want nil, which is null in JSON as an empty list of append is", got)
	}
}

func TestThin(t *testing.T) {
	for n, want := range map[int][]int{2: {0, 5}, 3: {0, 2, 5}, 6: {0, 1, 2, 3, 4, 5}, 9: {0, 1, 2, 3, 4, 5}} {
		if got := lists.Thin([]int{0, 1, 2, 3, 4, 5}, n); !slices.Equal(got, want) {
			t.Errorf("%d of 6: %v, want %v", n, got, want)
		}
	}
}
