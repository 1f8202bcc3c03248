package cpa

import (
	"racecard/analyses/quantile"
	"racecard/datasets/remaining"
)

// mostWider bounds the factor by which remaining times are spread where whole runs differ by more than simulated ones.
const mostWider = 4

// agree gives the runs of a closed column, at progress 0, the times that are predicted for whole runs. Simulated runs
// differ by more where past runs were alike in what a simulation draws: each lost an attempt, say. They differ by less
// where the times of tasks cannot explain it, as where the driver starts late. At any progress, the median of remaining
// times changes by the same factor as the median of whole times. The other quantiles move away from the median as they
// do at progress 0, but never closer to it: whole times do not tell how much progress narrows remaining times.
func (c *column) agree(times []float64) {
	const half = remaining.Levels / 2
	whole := c.quantiles[0]
	if len(times) == 0 || c.samples[0] == 0 || !(whole[half] > 0) {
		return
	}
	predicted := quantile.Sort(times)
	want, wider := make([]float64, remaining.Levels), make([]float64, remaining.Levels)
	for q, p := range shares() {
		want[q] = quantile.Quantile(predicted, p)
	}
	factor := want[half] / whole[half]
	for q := range wider {
		wider[q] = 1
		if had := factor * (whole[q] - whole[half]); had != 0 {
			wider[q] = min(mostWider, max(1, (want[q]-want[half])/had))
		}
	}
	c.quantiles[0], c.mean[0] = want, quantile.Mean(times)
	for i := 1; i < remaining.Steps-1; i++ {
		if c.samples[i] == 0 {
			continue
		}
		of, sum := c.quantiles[i], 0.0
		median := of[half]
		for q, x := range of {
			of[q] = max(0, factor*(median+wider[q]*(x-median)))
			sum -= factor * x
		}
		for q := half + 1; q < len(of); q++ { // ascending, and no more than at less progress
			of[q] = max(of[q], of[q-1])
		}
		for q := half - 1; q >= 0; q-- {
			of[q] = min(of[q], of[q+1])
		}
		for q, x := range of {
			of[q] = min(x, want[q])
			sum += of[q]
		}
		want = of
		c.mean[i] = min(max(factor*c.mean[i]+sum/remaining.Levels, of[0]), of[len(of)-1])
	}
}
