// Package extreme finds the runs with the largest values of some quantities, so that readers of a result can examine
// them.
package extreme

import (
	"iter"
	"math"

	"racecard/datasets/result"
)

// Scale gives runs a value; NaN for a run that has none.
type Scale[T any] struct {
	What string // name of the upper end, in words
	Of   func(*T) float64
}

// Runs returns, for each scale, the run with the greatest value: the first of equal ones, none if no run has a
// value. id returns the name of a run.
func Runs[T any](runs []T, id func(*T) (jobID, name string), scales ...Scale[T]) []result.ExtremeRun {
	return Each(func(yield func(int, *T) bool) {
		for i := range runs {
			if !yield(i, &runs[i]) {
				return
			}
		}
	}, id, scales...)
}

// Each is [Runs] for a sequence of runs, each valid until the next.
func Each[T any](runs iter.Seq2[int, *T], id func(*T) (jobID, name string), scales ...Scale[T]) []result.ExtremeRun {
	best := make([]result.ExtremeRun, len(scales))
	for i, s := range scales {
		best[i] = result.ExtremeRun{What: s.What, Value: math.Inf(-1)}
	}
	found := make([]bool, len(scales))
	for _, r := range runs {
		for i, s := range scales {
			if x := s.Of(r); x > best[i].Value { // not for NaN
				found[i], best[i].Value = true, x
				best[i].JobID, best[i].Name = id(r)
			}
		}
	}
	out := []result.ExtremeRun{}
	for i := range best {
		if found[i] {
			out = append(out, best[i])
		}
	}
	return out
}
