package law

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/lists"
)

// period is the hypothesis that runs take similar times at the same time of the day, or of the week.
type period struct {
	seconds   float64
	amplitude float64 // in units of the noise
}

const (
	day  = 86_400.0
	week = 7 * day
)

var periods = []period{{}, {day, 2}, {day, 8}, {week, 2}, {week, 10}}

// sameTime says how fast similarity falls with the distance in a period. Similarity is 0.76 for two runs that are an
// hour of the day apart, or seven hours of the week, and 0.05 for runs on neighbouring days of the week.
const sameTime = 0.125

// similar returns the similarity of runs that were submitted so many seconds apart, by a period in seconds: from 0 to 1
// for the same time of it (Rasmussen and Williams, equation 4.31).
func similar(period, seconds float64) float64 {
	x := math.Sin(math.Pi * seconds / period)
	return math.Exp(-2 * x * x / sameTime)
}

// SimilarInWeek returns how similar the times of the week are of runs that were submitted so many seconds apart: from 0
// to 1, for the same.
func SimilarInWeek(seconds float64) float64 { return similar(week, seconds) }

// of returns the covariance of two runs that were submitted so many seconds apart.
func (p *period) of(seconds float64) float64 {
	return p.amplitude * p.amplitude * similar(p.seconds, seconds)
}

// Past runs show a period if there are fewestOfPeriod, some are leastPeriods of it apart, and the similarity of some is
// below sameAlways: runs that are always submitted at the same time of the day show nothing of days.
const (
	fewestOfPeriod = 8
	leastPeriods   = 8. / 7
	sameAlways     = 0.8
)

// shown returns the periods that runs submitted at these seconds can show, as positions in periods.
func shown(submits []float64) []int {
	if len(submits) < fewestOfPeriod {
		return nil
	}
	span, first := slices.Max(submits)-slices.Min(submits), submits[0]
	var out []int
	for k, p := range periods {
		if p.amplitude > 0 && span >= leastPeriods*p.seconds && slices.ContainsFunc(submits, func(x float64) bool {
			return similar(p.seconds, x-first) < sameAlways
		}) {
			out = append(out, k)
		}
	}
	return out
}

// Periods are added to likely hypotheses only, as there are many others: to covariances of at least leastLikely, and
// mostPeriodic at most.
const (
	leastLikely  = 0.02
	mostPeriodic = 6
)

// periodic returns the covariances of hypotheses with a period: the likeliest without one, and the same without a
// drift.
func (f *fit) periodic() []shared {
	if len(f.s.periods) == 0 {
		return nil
	}
	weights, sum := make([]float64, len(f.covariances)), 0.0
	for _, c := range f.weights.components {
		w := math.Exp(c.weight - f.weights.top)
		weights[f.hypotheses[c.at].covariance] += w
		sum += w
	}
	order := lists.Order(len(weights), func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	var out []shared
	for n, i := range order {
		if n == mostPeriodic || weights[i] < leastLikely*sum {
			break
		}
		for _, k := range f.s.periods {
			with := f.covariances[i].shared
			with.period = k
			still := with
			still.drift = 0
			for _, c := range []shared{with, still} {
				if !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}
