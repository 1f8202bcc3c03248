package twosample

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// saddlepoint approximates [lower] far from the mean: R. Lugannani and S. Rice, "Saddle Point Approximation for the
// Distribution of the Sum of Independent Random Variables", Advances in Applied Probability 12(2), 1980, with the second
// continuity correction of H. E. Daniels, "Tail Probability Approximations", International Statistical Review 55(1),
// 1987. The statistic has the generating function of a Gaussian binomial coefficient. Time O(n1).
func saddlepoint(n1, n2, u int) float64 {
	x := float64(n1*n2-u) - 0.5 // the same distance above the mean, and half a step back
	mean := float64(n1*n2) / 2
	if x <= mean {
		return 1
	}
	// k, k1 and k2 are the cumulant generating function at t and its derivatives.
	cumulants := func(t float64) (k, k1, k2 float64) {
		for i := 1; i <= n1; i++ {
			for _, part := range [2]struct{ sign, by float64 }{{1, float64(n2 + i)}, {-1, float64(i)}} {
				f, f1, f2 := exponential(part.by * t)
				k, k1, k2 = k+part.sign*f, k1+part.sign*part.by*f1, k2+part.sign*part.by*part.by*f2
			}
		}
		return k, k1, k2
	}
	_, _, k2 := cumulants(0)
	low, high := 0.0, math.Inf(1)
	t := (x - mean) / k2
	var k float64
	for range 60 {
		var k1 float64
		if k, k1, k2 = cumulants(t); math.Abs(k1-x) < 1e-4*mean {
			break
		} else if k1 < x {
			low = t
		} else {
			high = t
		}
		next := t + (x-k1)/k2
		if !(next > low && next < high) {
			if next = (low + high) / 2; math.IsInf(high, 1) {
				next = 2 * t
			}
		}
		t = next
	}
	w, v := math.Sqrt(2*(t*x-k)), 2*math.Sinh(t/2)*math.Sqrt(k2)
	density := math.Exp(-w*w/2) / math.Sqrt(2*math.Pi)
	return min(1, max(0, distuv.UnitNormal.Survival(w)+density*(1/v-1/w)))
}

// exponential returns log((exp(x) - 1) / x) and its first two derivatives, for x of at least 0.
func exponential(x float64) (f, f1, f2 float64) {
	if x < 1e-2 {
		return x/2 + x*x/24, 0.5 + x/12 - x*x*x/720, 1.0/12 - x*x/240
	}
	e := math.Exp(-x)
	return x + math.Log((1-e)/x), 1/(1-e) - 1/x, 1/(x*x) - e/((1-e)*(1-e))
}
