package lists_test

import (
	"maps"
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

func TestKept(t *testing.T) {
	odd := func(x int) bool { return x%2 == 1 }
	all := []int{3, 2, 1}
	if got := lists.Kept(all, odd); !slices.Equal(got, []int{3, 1}) || !slices.Equal(all, []int{3, 2, 1}) {
		t.Errorf("%v of %v", got, all)
	}
	if got := lists.Kept([]int{2}, odd); got != nil {
		t.Errorf("%v of no odd numbers, want nil, which is null in JSON as an empty list of append is", got)
	}
}

func TestOrder(t *testing.T) {
	values := []int{2, 1, 2, 0, 1}
	got := lists.Order(len(values), func(a, b int32) int { return values[a] - values[b] })
	if !slices.Equal(got, []int32{3, 1, 4, 0, 2}) {
		t.Errorf("%v is not the order of %v, equal ones by index", got, values)
	}
}

func TestThin(t *testing.T) {
	for n, want := range map[int][]int{2: {0, 5}, 3: {0, 2, 5}, 6: {0, 1, 2, 3, 4, 5}, 9: {0, 1, 2, 3, 4, 5}} {
		if got := lists.Thin([]int{0, 1, 2, 3, 4, 5}, n); !slices.Equal(got, want) {
			t.Errorf("%d of 6: %v, want %v", n, got, want)
		}
	}
}

func TestPush(t *testing.T) {
	chunks := [][]int{make([]int, 10_000)} // longer than any that Push makes
	var last []int
	for i := range 20_000 {
		chunks = lists.Push(chunks, i)
		if n := len(chunks); n > 2 && last == nil {
			last = chunks[n-2]
		}
	}
	if all := slices.Concat(chunks...); len(all) != 30_000 || all[10_000] != 0 || all[29_999] != 19_999 ||
		!slices.IsSorted(all) {
		t.Errorf("%d numbers, some of them lost or out of order", len(all))
	}
	if len(chunks) < 4 || &last[0] != &chunks[1][0] {
		t.Errorf("%d chunks, or one was copied once it was full", len(chunks))
	}
}

func TestIndexed(t *testing.T) {
	if got := lists.Indexed(3, func(i int) int { return i * i }); !slices.Equal(got, []int{0, 1, 4}) {
		t.Error(got)
	}
}

func TestUnion(t *testing.T) {
	if got := lists.Union([]string{"a", "a"}, "b", "a", "b"); !slices.Equal(got, []string{"a", "a", "b"}) {
		t.Error(got)
	}
	if got := lists.Union[string](nil); got != nil {
		t.Errorf("%v of nothing, want nil", got)
	}
}

func TestSet(t *testing.T) {
	if got := lists.Set([]int{1, 2, 1}); !maps.Equal(got, map[int]bool{1: true, 2: true}) {
		t.Error(got)
	}
}

func TestCounts(t *testing.T) {
	odd := func(x int) bool { return x%2 == 1 }
	half := func(x int) float64 { return float64(x) / 2 }
	all := []int{3, 2, 1}
	if n, sum := lists.Count(all, odd), lists.SumOf(all, half); n != 2 || sum != 3 {
		t.Errorf("%d odd numbers, and a sum of halves of %v, in %v", n, sum, all)
	}
	into := map[string]int{"a": 1, "b": 2}
	lists.Add(into, map[string]int{"b": 3, "c": 4})
	if !maps.Equal(into, map[string]int{"a": 1, "b": 5, "c": 4}) {
		t.Error(into)
	}
}
