package trend

import (
	"cmp"
	"slices"

	"racecard/datasets/lists"
)

// Series holds observations in the order of their times. Only [NewSeries] makes one, so a function that takes a Series
// cannot be given observations in another order. The zero value holds no observations.
type Series struct {
	times  []int64
	values []float64
}

// NewSeries makes a series of values at times; both slices have the same length. Observations at the same time
// stay in the given order. Neither slice is modified; both must not change afterwards. Time O(n) if times
// ascend, otherwise O(n log n). It panics if the lengths differ.
func NewSeries(times []int64, values []float64) Series {
	if len(times) != len(values) {
		panic("trend: as many values as times are needed")
	}
	if slices.IsSorted(times) {
		return Series{times, values}
	}
	order := lists.Order(len(times), func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	s := Series{make([]int64, len(times)), make([]float64, len(values))}
	for i, from := range order {
		s.times[i], s.values[i] = times[from], values[from]
	}
	return s
}

// Len returns the number of observations.
func (s Series) Len() int { return len(s.values) }

// Times returns the times, ascending. The slice belongs to s and must not be changed.
func (s Series) Times() []int64 { return s.times }

// Values returns the values in the order of their times. The slice belongs to s and must not be changed.
func (s Series) Values() []float64 { return s.values }
