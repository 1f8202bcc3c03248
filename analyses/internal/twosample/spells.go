package twosample

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/changepoint"
	"racecard/analyses/internal/ranks"
)

// mostKnots bounds the places at which a ramp may begin and end.
const mostKnots = 200

// surely is the number of standard deviations from which on an autocorrelation is not taken for chance.
const surely = 2

// The least numbers of values from which an autocorrelation can be told from chance, and spells from a further step.
const (
	leastInSpells = 20
	leastForTwo   = 50
)

// Spells returns the factor by which spells of slow values raise the variance of a mean, compared with independent
// values: (1+r)/(1-r) for an autoregressive series of order 1 with autocorrelation r, and 1 without evidence of
// spells. The autocorrelation is computed from the ranks of the values, in time order. The likeliest ramp from one
// level to another is taken off first, so that a change is not taken for a spell; a step is a ramp of no length.
// Because the ramp follows the longest spell, the estimate is too low, and it is corrected. It is lowered where values
// two apart are less correlated than spells would make them, as in weeks with two short days. In 50 values or more it
// does not count if one further step explains it. A single spell that lasts is a change. Time O(n log n + min(n,
// 200)²).
func Spells(values []float64) float64 {
	n := len(values)
	if n < leastInSpells {
		return 1
	}
	centred := ranks.Centred(values)
	rest := aboutRamp(centred, mostKnots)
	chance := surely / math.Sqrt(float64(n))
	r := autocorrelation(rest, chance)
	if sumOfSquares(rest) <= 1e-9*sumOfSquares(centred) || r <= chance {
		return 1
	}
	if n >= leastForTwo && autocorrelation(aboutRamp(rest, 0), chance) <= chance {
		return 1
	}
	const lost = 5 // parameters: two levels, where the ramp begins and ends, and the correlation
	m := float64(n)
	r = min((m*r+lost)/(m-lost), 0.97)
	return (1 + r) / (1 - r)
}

// autocorrelation returns the correlation of successive values, whose mean is 0. It is at most the root of the
// correlation of values two apart, plus chance: in an autoregressive series of order 1 the two are equal.
func autocorrelation(values []float64, chance float64) float64 {
	var one, two float64
	for i, x := range values {
		if i >= 1 {
			one += x * values[i-1]
		}
		if i >= 2 {
			two += x * values[i-2]
		}
	}
	squares := sumOfSquares(values)
	return min(one/squares, math.Sqrt(max(0, two/squares))+chance)
}

func sumOfSquares(values []float64) (sum float64) {
	for _, x := range values {
		sum += x * x
	}
	return sum
}

// aboutRamp returns what is left of values after the likeliest ramp.
func aboutRamp(values []float64, most int) []float64 {
	r := changepoint.LikeliestRamp(values, most)
	out, mean := make([]float64, len(values)), 0.0
	for t, v := range values {
		out[t] = v - r.At(t)
		mean += out[t] / float64(len(values))
	}
	for t := range out {
		out[t] -= mean
	}
	return out
}

// InSpells returns the p-value of samples whose p-value is p for independent values, if spells make the variance of
// means so many times as large.
func InSpells(p, spells float64) float64 {
	if !(spells > 1) || p >= 1 {
		return p
	}
	z := distuv.UnitNormal.Quantile(1 - max(p, certain)/2)
	return max(p, math.Erfc(z/math.Sqrt(2*spells)))
}

// scanInSpells is the approximation of [Scan] for values that come in spells.
func scanInSpells(centred []float64, least int, squares, spells float64) float64 {
	n := len(centred)
	sum, most := 0.0, 0.0
	for k, x := range centred[:n-least] {
		if sum += x; k+1 >= least {
			most = max(most, math.Abs(sum)/math.Sqrt(variance(k+1, n, squares)))
		}
	}
	return selected(most/math.Sqrt(spells), float64(least)/float64(n))
}
