package compare

import (
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
)

// Windows are run-length encoded values of windows of 60 s, such as Jain's index: each value with the number of windows
// in a row that have it.
type Windows []quantile.Weighted

// spelt returns the values one by one, and whether each is of one window.
func (w Windows) spelt() ([]float64, bool) {
	out := make([]float64, len(w))
	for i, x := range w {
		if out[i] = x.Value; x.Weight != 1 {
			return nil, false
		}
	}
	return out, true
}

// Summary describes the values of all windows.
func (w Windows) Summary() result.Summary {
	if all, ok := w.spelt(); ok {
		return quantile.Summarize(quantile.Sort(all))
	}
	return quantile.ByCount(slices.Clone(w)).Summary()
}

// Mean returns the mean over all windows, NaN for none.
func (w Windows) Mean() float64 {
	if all, ok := w.spelt(); ok {
		return quantile.Mean(all)
	}
	return w.Summary().Mean
}
