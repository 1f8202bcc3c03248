package law

import "slices"

// together is how many seconds before the end of a run another may be submitted that counts as submitted after it, as
// traces round times.
const together = 1e-3

// waves returns the places of runs in time, oldest first; the next run is at 0. Runs between whose submissions no run
// ended are one wave, and have the same place: how long each takes tells nothing of a change over time, as they wait
// for each other. Where it is not known when runs were submitted, each is a wave.
func waves(runs []Run) []float64 {
	at := make([]float64, len(runs))
	known := !slices.ContainsFunc(runs, func(r Run) bool { return !finite(r.Submit) })
	for i := 1; i < len(runs); i++ {
		at[i] = at[i-1]
		if !known || slices.ContainsFunc(runs[:i], func(r Run) bool {
			end := r.Submit + r.Seconds - together
			return end > runs[i-1].Submit && end <= runs[i].Submit
		}) {
			at[i]++
		}
	}
	for i, last := 0, at[len(at)-1]; i < len(at); i++ {
		at[i] -= last + 1
	}
	return at
}
