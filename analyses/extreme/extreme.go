// Package extreme finds the runs that lie at the ends of scales, so that a reader of a result can go and look at them.
package extreme

import (
	"math"

	"racecard/datasets/result"
)

// Scale gives runs a value; NaN for a run that has none.
type Scale[T any] struct {
	What string // what lies at its upper end, in words
	Of   func(*T) float64
}

// Runs returns, for each scale, the run with the greatest value: the first of equal ones, none if no run has a
// value. id returns the name of a run.
func Runs[T any](runs []T, id func(*T) (jobID, name string), scales ...Scale[T]) []result.ExtremeRun {
	out := []result.ExtremeRun{}
	for _, s := range scales {
		best, most := -1, math.Inf(-1)
		for i := range runs {
			if x := s.Of(&runs[i]); x > most { // not for NaN
				best, most = i, x
			}
		}
		if best >= 0 {
			e := result.ExtremeRun{What: s.What, Value: most}
			e.JobID, e.Name = id(&runs[best])
			out = append(out, e)
		}
	}
	return out
}
