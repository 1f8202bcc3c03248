package quantile

import (
	"math"

	"racecard/datasets/result"
)

// Wilson returns the 95% interval of a share of n observations, which need not be a whole number: E. B. Wilson, "Probable Inference,
// the Law of Succession, and Statistical Inference", Journal of the American Statistical Association 22, 1927. It is NaN for n = 0.
func Wilson(share, n float64) result.Interval {
	const z = 1.959963984540054
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return result.Interval{max(0, middle-half), min(1, middle+half)}
}
