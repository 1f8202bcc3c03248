package jockey

import (
	"math"

	"racecard/datasets/lists"
)

// OracleTokens is the fewest tokens that could ever suffice, T/d rounded up and at least 1: as if the work of a run, in
// token-seconds, could be spread evenly over the time until its deadline. It is 0 for a deadline that is not positive:
// then there are none.
func OracleTokens(workS, deadlineS float64) int {
	if !(deadlineS > 0) {
		return 0
	}
	const noise = 1e-9 // of a division
	return max(1, int(math.Ceil(workS/deadlineS*(1-noise))))
}

// Usage adds up for how long a run requested how many tokens. The zero Usage has none.
type Usage struct{ seconds []float64 }

// Add adds a time for which a number of tokens was requested.
func (u *Usage) Add(tokens int, forS float64) {
	for len(u.seconds) <= tokens {
		u.seconds = append(u.seconds, 0)
	}
	u.seconds[tokens] += forS
}

// TokenSeconds is the sum of tokens x seconds.
func (u *Usage) TokenSeconds() float64 {
	sum := 0.0
	for n, s := range u.seconds {
		sum += float64(n) * s
	}
	return sum
}

// Seconds is the sum of all times.
func (u *Usage) Seconds() float64 { return lists.Sum(u.seconds) }

// AboveOracle is the share of the requested token-time that lies above an allocation: Σ max(0, A-O)·Δt / Σ A·Δt, which
// the paper calls the impact on the rest of the cluster. NaN where nothing was requested, or there is no such
// allocation.
func (u *Usage) AboveOracle(oracle int) float64 {
	if oracle < 1 {
		return math.NaN()
	}
	above := 0.0
	for n, s := range u.seconds {
		above += float64(max(0, n-oracle)) * s
	}
	return above / u.TokenSeconds()
}

// RatioToOracle is the mean number of tokens requested, over time, for each of the oracle's. NaN as for
// [Usage.AboveOracle].
func (u *Usage) RatioToOracle(oracle int) float64 {
	if oracle < 1 {
		return math.NaN()
	}
	return u.TokenSeconds() / u.Seconds() / float64(oracle)
}
