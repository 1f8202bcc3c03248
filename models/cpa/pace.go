package cpa

import (
	"math"
	"slices"

	"racecard/datasets/remaining"
)

const (
	pacedRuns = 200 // simulated to see how runs that are late go on
	// paceTrust is the part of the simulated elasticity that is believed. In runs of the shared traces that were late the rest took
	// longer by 0.1 to 0.5 of what it did in simulated ones.
	paceTrust = 0.3
)

// pace returns, per hundredth of progress, the elasticity of the remaining time with respect to the time at which the progress is
// reached: that of simulated runs on the allocation nearest to the tokens of past ones, as far as it is believed. It is the same for
// any number of workers.
func pace(job Job, o Options, allocations []int32) ([]float64, error) {
	tokens := allocations[len(allocations)/2]
	if job.Tokens > 0 {
		k, _ := slices.BinarySearch(allocations, job.Tokens)
		tokens = allocations[min(k, len(allocations)-1)]
	}
	paths, err := Paths(job, tokens, pacedRuns, o)
	if err != nil {
		return nil, err
	}
	out := make([]float64, remaining.Steps)
	for i := 1; i < remaining.Steps-1; i++ {
		out[i] = paceTrust * min(1, max(0, elasticity(paths, i)))
	}
	return out, nil
}

// elasticity returns the slope of the logarithm of the remaining time on that of the time at which a progress is reached, by least
// squares; 0 where that hardly differs between runs.
func elasticity(paths [][remaining.Steps]float64, i int) float64 {
	var n, meanX, meanY, xx, xy float64
	for k := range paths {
		reached, end := paths[k][i], paths[k][remaining.Steps-1]
		if !(reached > 0 && end > reached) {
			continue
		}
		x, y := math.Log(reached), math.Log(end-reached)
		n++
		dx := x - meanX
		meanX += dx / n
		meanY += (y - meanY) / n
		xx += dx * (x - meanX)
		xy += dx * (y - meanY)
	}
	const least = 1e-8 // of a variance that is more than rounding
	if n < float64(len(paths))/2 || xx/n < least {
		return 0
	}
	return xy / xx
}
