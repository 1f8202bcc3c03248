package twosample

import (
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
)

// clipped is the share of values, at either end, that are clipped to the next ones.
const clipped = 0.1

// Bounds of an exact distribution: of the steps that it takes, and of the levels that values are rounded to. With fewer
// levels the normal approximation takes its place; samples are then so large that it is good.
const (
	mostSteps   = 1_000_000
	mostLevels  = 64
	leastLevels = 16
)

// doubtful is the approximate probability up to which the exact one is computed.
const doubtful = 0.1

// ClippedMeans returns the probability of samples whose mean logarithms are at least as far apart if both came from one
// distribution: two-sided, by all ways in which the values could be divided (E. J. G. Pitman, "Significance Tests Which
// May be Applied to Samples from any Populations", Supplement to the Journal of the Royal Statistical Society 4(1),
// 1937). The tenth of all values at either end is clipped, so that outliers do not hide a change. Where one sample has
// values of two kinds, as the period before has if a change came within it, means tell more than ranks do. Values are
// positive; observations are taken for independent. It is 1 for an empty sample. Time O(n log n), and at most a million
// steps.
func ClippedMeans(a, b quantile.Sorted) float64 {
	few, many := a.Values(), b.Values()
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) == 0 {
		return 1
	}
	pooled := slices.Concat(few, many)
	slices.Sort(pooled)
	n := len(pooled)
	out := int(clipped * float64(n))
	low, high := math.Log(pooled[out]), math.Log(pooled[n-1-out])
	if !(high > low) {
		return 1
	}
	score := func(x float64) float64 { return (min(high, max(low, math.Log(x))) - low) / (high - low) }
	var sum, squares, of float64
	for _, x := range pooled {
		s := score(x)
		sum, squares = sum+s, squares+s*s
	}
	for _, x := range few {
		of += score(x)
	}
	m, k := float64(n), float64(len(few))
	mean := sum / m
	variance := k * (m - k) / (m - 1) * (squares/m - mean*mean)
	if !(variance > 0) {
		return 1
	}
	p := math.Erfc(math.Abs(of-k*mean) / math.Sqrt(2*variance))
	levels := min(mostLevels, int(mostSteps/(m*k*k)))
	if p > doubtful || levels < leastLevels {
		return p
	}
	rounded := func(values []float64) []int {
		return lists.Map(values, func(x float64) int { return int(math.Round(float64(levels) * score(x))) })
	}
	return exactSums(rounded(pooled), rounded(few), levels)
}

// exactSums returns the share of the ways to choose as many of all values, which are 0 to most, with a sum at least as
// far from the expected one. Time O(len(all) len(chosen)² most).
func exactSums(all, chosen []int, most int) float64 {
	k := len(chosen)
	// ways[i][s]: shares of the ways to choose i of the values so far, with sum s
	ways := make([][]float64, k+1)
	for i := range ways {
		ways[i] = make([]float64, i*most+1)
	}
	ways[0][0] = 1
	total := 0
	for seen, x := range all {
		total += x
		for i := min(k, seen+1); i >= 1; i-- {
			for s, w := range ways[i-1] {
				if w != 0 {
					ways[i][s+x] += w
				}
			}
		}
	}
	sum := lists.Sum(chosen)
	// Distances from the mean, times the number of values: whole.
	away := func(s int) int { return max(s*len(all)-k*total, k*total-s*len(all)) }
	least, far, every := away(sum), 0.0, 0.0
	for s, w := range ways[k] {
		if every += w; away(s) >= least {
			far += w
		}
	}
	return min(1, far/every)
}
