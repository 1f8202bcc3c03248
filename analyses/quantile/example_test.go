package quantile_test

import (
	"fmt"

	"racecard/analyses/quantile"
)

// Quantiles interpolate between the sorted values.
func Example() {
	times := quantile.Sort([]float64{40, 10, 30, 20})
	fmt.Println(quantile.Quantile(times, 0.5), quantile.Quantile(times, 0.9))
	s := quantile.Summarize(times)
	fmt.Printf("n %d, mean %.0f, cov %.2f\n", s.N, s.Mean, quantile.CoV([]float64{10, 20, 30, 40}))
	low := quantile.Wilson(0.9, 50)
	fmt.Printf("45 of 50 met: %.2f to %.2f\n", low[0], low[1])
	// Output:
	// 25 37
	// n 4, mean 25, cov 0.52
	// 45 of 50 met: 0.79 to 0.96
}
