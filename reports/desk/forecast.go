package desk

import "math"

// Miss returns the probability that a run on the usual cores misses a deadline of the grid, in seconds; NaN for other
// deadlines.
func (f *Forecast) Miss(after float64) float64 {
	if f != nil {
		for i, d := range f.Deadlines {
			if d == after {
				return 1 - f.Chance[i][f.Usual]
			}
		}
	}
	return math.NaN()
}
