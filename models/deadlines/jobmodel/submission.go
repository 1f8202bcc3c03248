package jobmodel

import (
	"math"

	"racecard/datasets/modelfile"
)

// submission returns when a run was submitted, in seconds of the time of the trace; NaN if that is not known.
func submission(f *modelfile.RunFactor) float64 {
	if f.EndS == nil || f.CompletionS == nil {
		return math.NaN()
	}
	return *f.EndS - *f.CompletionS
}

// submissions returns when runs were submitted, where that is known.
func submissions(past []pastRun) []float64 {
	var all []float64
	for _, r := range past {
		if at := submission(r.RunFactor); !math.IsNaN(at) {
			all = append(all, at)
		}
	}
	return all
}
