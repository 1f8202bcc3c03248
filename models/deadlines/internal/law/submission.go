package law

import (
	"fmt"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/words"
)

// Intervals between submissions of the newest runs are regular if most are about as long as their median.
const (
	mostIntervals = 20
	likeMedian    = 0.2 // the relative difference from it
	mostAlike     = 0.6 // the share of intervals that must be like it
)

// NextSubmission returns when the next run is submitted, in seconds, if the submissions of past ones are at regular
// intervals: the median interval after the newest. Otherwise both are NaN.
func NextSubmission(all []float64) (at, interval float64) {
	all = slices.Sorted(slices.Values(all))
	all = all[max(0, len(all)-mostIntervals-1):]
	if len(all) < 4 {
		return math.NaN(), math.NaN()
	}
	intervals := make([]float64, len(all)-1)
	for i := range intervals {
		intervals[i] = all[i+1] - all[i]
	}
	interval = quantile.Quantile(quantile.Sort(intervals), 0.5)
	alike := 0.0
	for _, x := range intervals {
		if math.Abs(x-interval) <= likeMedian*interval {
			alike++
		}
	}
	if alike < mostAlike*float64(len(intervals)) {
		return math.NaN(), math.NaN()
	}
	return all[len(all)-1] + interval, interval
}

// Guess warns where the time of the day or of the week matters to a forecast, and the submission of its run is a guess:
// so many seconds after the newest run. It is empty elsewhere, and where after is 0 or NaN.
func (f *Forecast) Guess(after float64) string {
	if !(f.Periodic > 0.5 && after > 0) {
		return ""
	}
	return fmt.Sprintf("how long runs take depends on the time of the day or of the week: this is for a run that is "+
		"submitted %s after the newest", words.Seconds(after))
}
