// Package twosample compares two samples of a quantity with distribution-free methods: it tests whether the quantity
// changed, and estimates by how much.
package twosample

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/internal/ranks"
	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// exactPairs is the number of pairs up to which the p-value of samples without ties is exact.
const exactPairs = 400

// MannWhitney returns the two-sided p-value of the Mann-Whitney test: the probability of samples at least as far apart
// in ranks if both come from one distribution. It is exact for at most 400 pairs without ties, else by the normal
// approximation with corrections for ties and continuity. H. B. Mann and D. R. Whitney, "On a Test of Whether One of
// Two Random Variables is Stochastically Larger than the Other", Annals of Mathematical Statistics 18(1), 1947.
// Observations are assumed independent. The p-value of an empty sample is 1. Time O(n log n).
func MannWhitney(a, b quantile.Sorted) float64 {
	x, y := a.Values(), b.Values()
	n1, n2 := len(x), len(y)
	if n1 == 0 || n2 == 0 {
		return 1
	}
	var u, tied float64 // u: pairs in which x is larger, ties half
	i, j := 0, 0
	for i < n1 || j < n2 {
		var v float64
		if j == n2 || i < n1 && x[i] <= y[j] {
			v = x[i]
		} else {
			v = y[j]
		}
		i0, j0 := i, j
		for i < n1 && x[i] == v {
			i++
		}
		for j < n2 && y[j] == v {
			j++
		}
		u += float64(i-i0) * (float64(j0) + float64(j-j0)/2)
		t := float64(i - i0 + j - j0)
		tied += t*t*t - t
	}
	m1, m2 := float64(n1), float64(n2)
	away := math.Abs(u - m1*m2/2)
	if tied == 0 && n1*n2 <= exactPairs {
		return exact(n1, n2, m1*m2/2-away)
	}
	n := m1 + m2
	variance := m1 * m2 / 12 * (n + 1 - tied/(n*(n-1)))
	if !(variance > 0) {
		return 1
	}
	return math.Erfc(max(0, away-0.5) / math.Sqrt(2*variance))
}

// exact returns twice the share of the orders of n1 and n2 values in which the statistic is at most u.
func exact(n1, n2 int, u float64) float64 {
	return min(1, 2*lower(n1, n2, int(math.Floor(u))))
}

// lower returns the share of the orders of n1 and n2 values in which the statistic is at most u. Time O(n1 (n1 + n2)
// u).
func lower(n1, n2, u int) float64 {
	if u < 0 {
		return 0
	}
	// ways[k][s]: of choosing k of the ranks so far with statistic s
	ways := make([][]float64, n1+1)
	for k := range ways {
		ways[k] = make([]float64, u+1)
	}
	ways[0][0] = 1
	for rank := range n1 + n2 {
		for k := min(n1, rank+1); k >= 1; k-- {
			add := rank - (k - 1) // values of the other sample below
			if add > n2 {
				continue
			}
			for s := u; s >= add; s-- {
				ways[k][s] += ways[k-1][s-add]
			}
		}
	}
	low, all := 0.0, 1.0
	for _, w := range ways[n1] {
		low += w
	}
	for k := range n1 {
		all *= float64(n1+n2-k) / float64(k+1)
	}
	return low / all
}

// MedianRatio returns the relative difference of two medians, (after - before) / before, with a
// distribution-free 95% interval: R. M. Price and D. G. Bonett, "Distribution-Free Confidence Intervals for
// Difference and Ratio of Medians", Journal of Statistical Computation and Simulation 72(2), 2002. Values are
// positive. All results are NaN for an empty sample.
func MedianRatio(before, after quantile.Sorted) (change float64, interval result.Interval) {
	m1, m2 := quantile.Quantile(before, 0.5), quantile.Quantile(after, 0.5)
	log := math.Log(m2 / m1)
	half := 1.96 * math.Sqrt(logMedianVariance(before.Values())+logMedianVariance(after.Values()))
	return math.Expm1(log), result.Interval{math.Expm1(log - half), math.Expm1(log + half)}
}

// logMedianVariance estimates the variance of the logarithm of the median of ascending values from two of them, as far
// from the middle as the median may be.
func logMedianVariance(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	c := max(1, int(math.Round(float64(n+1)/2-math.Sqrt(float64(n)))))
	outside := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(c - 1))
	z := distuv.UnitNormal.Quantile(1 - outside)
	if !(z > 0) { // one or two values
		return math.Inf(1)
	}
	sd := (math.Log(sorted[n-c]) - math.Log(sorted[c-1])) / (2 * z)
	return sd * sd
}

// Scan returns the p-value of a test for a change in a series. The statistic is the smallest p-value of [MannWhitney]
// over all places that have at least least values before and after them, so that a change near an end, where few
// values cannot be many standard deviations apart, is as apparent as one in the middle. Trends are found, too. The
// result is the smaller of two bounds on the probability that a series in random order has such a place: the number of
// places that can have it times that p-value (Bonferroni), and the approximation of R. Miller and D. Siegmund,
// "Maximally Selected Chi Square Statistics", Biometrics 38(4), 1982, for its normal quantile, which is good where the
// probability is small; see B. Lausen and M. Schumacher, "Maximally Selected Rank Statistics", Biometrics 48(1), 1992.
// Where slow values come in spells, which make the variance of means so many times as large ([Spells]), it is at least
// that approximation for such a series. values are in time order. Time O(n log n).
func Scan(values []float64, least int, spells float64) float64 {
	n := len(values)
	least = max(1, least)
	if n < 2*least {
		return 1
	}
	centred := ranks.Centred(values)
	squares := 0.0
	for _, x := range centred {
		squares += x * x
	}
	if squares == 0 {
		return 1
	}
	untied := float64(n) * float64(n*n-1) / 3 // squares of ranks without ties
	sum, smallest := 0.0, 1.0
	for k, x := range centred[:n-least] {
		if sum += x; k+1 >= least && smallest > certain {
			smallest = min(smallest, apart(k+1, n, math.Abs(sum)*math.Sqrt(untied/squares)))
		}
	}
	places := 0.0 // that can have so small a p-value
	for k, ways := 1, float64(n); k <= n-least; k++ {
		if k >= least && 2/ways <= smallest*(1+1e-9) || n > 2*largeSample {
			places++
		}
		ways *= float64(n-k) / float64(k+1)
	}
	p := places * smallest
	if share := float64(least) / float64(n); smallest > 0 {
		p = min(p, selected(distuv.UnitNormal.Quantile(1-smallest/2), share))
	}
	if spells > 1 {
		p = max(p, scanInSpells(centred, least, squares, spells))
	}
	return min(1, p)
}

// Bounds of the exact probabilities of [apart]: the sample size from which the normal distribution is good, the
// distance from which another is worth its time, in standard deviations, the steps of an exact one, and a probability
// that no other needs to be below.
const (
	largeSample = 30
	doubtfulZ   = 2
	exactSteps  = 20_000
	certain     = 1e-12
)

// apart returns the two-sided p-value of a sample of n1 of n values without ties whose centred ranks have this sum or
// its negative.
func apart(n1, n int, sum float64) float64 {
	n1 = min(n1, n-n1)
	n2 := n - n1
	z := sum / math.Sqrt(variance(n1, n, float64(n)*float64(n*n-1)/3))
	u := max(0, int(math.Floor((float64(n1*n2)-sum)/2+1e-9)))
	switch {
	case n1 <= largeSample && n1*n*(u+1) <= exactSteps:
		return min(1, 2*lower(n1, n2, u))
	case n1 > largeSample || z < doubtfulZ:
		return math.Erfc(z / math.Sqrt2)
	}
	return 2 * saddlepoint(n1, n2, u)
}

// variance returns the variance of the sum of the first k of n centred ranks in random order. squares is the sum of
// squares of all ranks.
func variance(k, n int, squares float64) float64 {
	return float64(k) * float64(n-k) / float64(n) / float64(n-1) * squares
}

// selected returns the probability that the largest standardised distance exceeds z, where both parts have at least
// this share of the values (Miller and Siegmund, 1982).
func selected(z, share float64) float64 {
	if z < 1 || share >= 0.5 {
		return 1
	}
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return min(1, density*((z-1/z)*2*math.Log((1-share)/share)+4/z))
}

// BenjaminiHochberg returns p-values corrected for the number of tests: among the tests with corrected values of at
// most q, the expected share of false discoveries is at most q if the tests are independent. Y. Benjamini and Y.
// Hochberg, "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing", Journal of
// the Royal Statistical Society B 57(1), 1995.
func BenjaminiHochberg(p []float64) []float64 {
	order := lists.Order(len(p), func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	out := make([]float64, len(p))
	least := 1.0
	for k, i := range order { // the largest first
		least = min(least, p[i]*float64(len(p))/float64(len(p)-k))
		out[i] = least
	}
	return out
}
