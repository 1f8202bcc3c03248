package page

import (
	"maps"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// Facts used by several sentences. Computing them here keeps sentences from contradicting each other.

// notable is the least variation, as a share, for which a sentence names a job.
const notable = 0.1

// explains is the least share of a job's variance that a sentence calls the reason.
const explains = 0.5

// leaders returns the indices of the values that are written like the best one, so that a reader cannot distinguish
// them. better says whether x is better than y. NaN is never best.
func leaders(n int, value func(i int) float64, better func(x, y float64) bool, write func(float64) string) (out []int) {
	best := math.NaN()
	for i := range n {
		if x := value(i); known(x) && (!known(best) || better(x, best)) {
			best = x
		}
	}
	for i := range n {
		if x := value(i); known(best, x) && write(x) == write(best) {
			out = append(out, i)
		}
	}
	return out
}

func less(x, y float64) bool { return x < y }
func more(x, y float64) bool { return x > y }

// lasting is a change of a job's completion time that stayed.
type lasting struct {
	job      *result.RecurringJob
	from, to float64        // seconds
	since    *result.Change // nil for a trend
}

// size returns the absolute logarithm of the factor by which the job became slower or faster.
func (l *lasting) size() float64 { return math.Abs(math.Log(l.to / l.from)) }

// lastingChange returns the largest change of level of a job, or its trend; ok is false where it has neither.
func lastingChange(j *result.RecurringJob) (l lasting, ok bool) {
	if !j.Drift.Drifting {
		return l, false
	}
	for i := range j.Drift.Changes {
		c := &j.Drift.Changes[i]
		now := lasting{job: j, from: float64(c.Before), to: float64(c.After), since: c}
		if x := now.size(); known(x) && (!ok || x > l.size()) {
			l, ok = now, true
		}
	}
	if from, to := float64(j.Drift.TrendFromS), float64(j.Drift.TrendToS); !ok && known(from, to) {
		l = lasting{job: j, from: from, to: to}
		ok = known(l.size())
	}
	return l, ok
}

// reason names the change that coincides with a lasting change of the job, if the trace records one. The share of drift
// is the variance that the recorded causes do not explain but time does.
func (l *lasting) reason() string {
	c := &l.job.Causes
	if !known(c.Rest) {
		return ""
	}
	best, most := "", 0.0
	for _, k := range slices.Sorted(maps.Keys(c.Of)) {
		if x := float64(c.Of[k]); k != "drift" && x > most {
			best, most = k, x
		}
	}
	switch drift, examined := c.Of["drift"]; {
	case most >= explains:
		return causeWords(best) + " explains " + words.Percent(most) + " of its variance"
	case examined && float64(drift) >= explains:
		return "no recorded cause explains it"
	}
	return ""
}
