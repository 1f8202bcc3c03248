// Package ranks replaces values by their ranks.
package ranks

import (
	"cmp"

	"racecard/datasets/lists"
)

// Centred returns, per value, the number of smaller values minus the number of larger ones: twice the distance of its
// rank from the mean rank, with mean ranks for equal values. Values must not be NaN. Time O(n log n).
func Centred(values []float64) []float64 {
	n := len(values)
	order := lists.Order(n, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, n)
	for from := 0; from < n; {
		to := from + 1
		for to < n && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from - (n - to))
		}
		from = to
	}
	return out
}
