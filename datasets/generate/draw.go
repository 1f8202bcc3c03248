package generate

import (
	"math"
	"math/rand/v2"

	"racecard/datasets/seed"
)

// source returns the random numbers of a purpose.
func source(root uint64, purpose string) *rand.Rand {
	return rand.New(seed.Stream(root, "generate "+purpose, 0))
}

// sourceOf returns the random numbers of one item of a purpose, such as a recurring job, which do not depend on others.
func sourceOf(root uint64, purpose string, item int64) *rand.Rand {
	return rand.New(seed.Stream(root, "generate "+purpose, uint64(item)))
}

// lognormal draws from the lognormal distribution of that median and standard deviation of the logarithm.
func lognormal(rng *rand.Rand, median, sigma float64) float64 {
	return median * math.Exp(sigma*rng.NormFloat64())
}

// count draws a lognormal whole number from 1 to most.
func count(rng *rand.Rand, median, sigma float64, most int64) int64 {
	return max(1, int64(min(lognormal(rng, median, sigma), float64(most))))
}

// chance is true with probability p.
func chance(rng *rand.Rand, p float64) bool { return rng.Float64() < p }

// skewed draws a number from 0 to n-1. Low numbers are far more frequent, as with users, queues and names of
// jobs: a tenth of the numbers comes up in about half of the draws.
func skewed(rng *rand.Rand, n int64) int64 {
	x := rng.Float64()
	return int64(float64(n) * x * x * x)
}

// The cycles of arrivals. Production traces have both, of strengths that differ: the rate of arrivals is a fraction of
// daySwing above its mean in the afternoon and as much below at night, and weekendDip lower on two days of seven.
const (
	day        = 86400.0
	daySwing   = 0.5
	weekendDip = 0.3
)

// arrivals draws times of arrival, in seconds, from a Poisson process with a daily and a weekly cycle.
type arrivals struct {
	at       float64 // of the latest, or where to begin
	interval float64 // mean seconds between two
}

// next returns the next time of arrival. It thins a process of the highest rate: P. A. W. Lewis and G. S. Shedler,
// "Simulation of Nonhomogeneous Poisson Processes by Thinning", Naval Research Logistics Quarterly 26(3), 1979.
func (a *arrivals) next(rng *rand.Rand) float64 {
	for {
		a.at += rng.ExpFloat64() * a.interval / (1 + daySwing)
		rate := 1 - daySwing*math.Cos(2*math.Pi*(a.at/day-3.0/24)) // most at 15 o'clock, least at 3
		if math.Mod(a.at/day, 7) >= 5 {
			rate *= 1 - weekendDip
		}
		if chance(rng, rate/(1+daySwing)) {
			return a.at
		}
	}
}
