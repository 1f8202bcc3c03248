package quantile

import "math"

// Unsorted is [Quantile] of values that need not be in order, and may hold NaN, which is left out. It changes their
// order. Time O(n) in the mean: C. A. R. Hoare, "Algorithm 65: FIND", Communications of the ACM 4(7), 1961.
func Unsorted(values []float64, p float64) float64 {
	n := 0
	for _, x := range values {
		if !math.IsNaN(x) {
			values[n] = x
			n++
		}
	}
	values = values[:n]
	if n == 0 {
		return math.NaN()
	}
	k, f := position(n, p)
	low := find(values, k)
	if f == 0 {
		return low
	}
	high := math.Inf(1) // the least of those after it
	for _, x := range values[k+1:] {
		high = min(high, x)
	}
	return between(low, high, f)
}

// find puts the k-th value in order at its place, smaller ones before it and larger ones behind. It returns that value.
func find(values []float64, k int) float64 {
	for from, to := 0, len(values)-1; from < to; {
		x := middle(values[from], values[from+(to-from)/2], values[to])
		i, j := from, to
		for i <= j {
			for values[i] < x {
				i++
			}
			for values[j] > x {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			to = j
		case k >= i:
			from = i
		default:
			return values[k]
		}
	}
	return values[k]
}

// middle returns the median of three.
func middle(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
