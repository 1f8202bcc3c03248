package quantile

import (
	"math"

	"racecard/datasets/result"
)

// Wilson returns the 95% interval of a share p of n: E. B. Wilson, "Probable Inference, the Law of Succession, and
// Statistical Inference", JASA 22, 1927. n, which is positive, may be an effective number.
func Wilson(p, n float64) result.Interval {
	const z = 1.959963984540054
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high := max(0, middle-half), min(1, middle+half)
	if p == 0 {
		low = 0 // which rounding misses
	}
	if p == 1 {
		high = 1
	}
	return result.Interval{low, high}
}
