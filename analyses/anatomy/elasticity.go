package anatomy

import (
	"math"
	"slices"

	"racecard/analyses/changepoint"
)

// Standard deviation of the prior of the power of the input, whose mean is 1, and the largest power.
const (
	betaSpread = 0.25
	betaMost   = 2
)

// elasticity returns the power p for which the work of a job's runs grows as input^p, between 0 and 2. runs are in time
// order. It is a regression of the logarithm of work on the logarithm of input, with one step of the level of work at
// the likeliest place, if the step gains more than 3 ln n: a stage that became slower while the input grew is not
// attributed to input. The prior of the power is normal with mean 1 and standard deviation 0.25, so that nearly
// constant inputs carry little weight. It is 1 if inputs are unknown.
func elasticity(runs []Run) float64 {
	var x, y []float64
	for i := range runs {
		work := 0.0
		for k := range runs[i].Stages {
			work += runs[i].Stages[k].Work
		}
		if runs[i].Input > 0 && work > 0 {
			x, y = append(x, math.Log(runs[i].Input)), append(y, math.Log(work))
		}
	}
	return Elasticity(x, y)
}

// Elasticity is the regression of elasticity: x and y are the logarithms of input and work, or time, in time order.
func Elasticity(x, y []float64) float64 {
	n := len(y)
	if n < 3 {
		return 1
	}
	y = slices.Clone(y)
	for i := range y {
		y[i] -= x[i]
	}
	sd := changepoint.Noise(y)
	y = changepoint.Clip(y, sd)
	if !(sd > 0) {
		sd = 1e-6
	}
	prior := sd * sd / (betaSpread * betaSpread)
	xx, xy, yy := prefix(x, x), prefix(x, y), prefix(y, y)
	sx, sy := prefix(x, nil), prefix(y, nil)
	within := func(from, to int) (a, b, c float64) { // sums of squares and products about the means
		m := float64(to - from)
		dx, dy := sx[to]-sx[from], sy[to]-sy[from]
		return xx[to] - xx[from] - dx*dx/m, xy[to] - xy[from] - dx*dy/m, yy[to] - yy[from] - dy*dy/m
	}
	best, beta := math.Inf(1), 0.0
	try := func(a, b, c, penalty float64) {
		d := b / (a + prior) // beyond 1
		if cost := (c-b*d)/(sd*sd) + penalty; cost < best {
			best, beta = cost, d
		}
	}
	a, b, c := within(0, n)
	try(a, b, c, 0)
	for k := changepoint.MinLength; k <= n-changepoint.MinLength; k++ {
		a, b, c := within(0, k)
		a2, b2, c2 := within(k, n)
		try(a+a2, b+b2, c+c2, 3*math.Log(float64(n)))
	}
	return min(max(1+beta, 0), betaMost)
}

// prefix returns the sums of the first products of two columns about the middle of the first value of each, of one
// column for nil.
func prefix(a, b []float64) []float64 {
	out := make([]float64, len(a)+1)
	for i := range a {
		v := a[i] - a[0]
		if b != nil {
			v *= b[i] - b[0]
		}
		out[i+1] = out[i] + v
	}
	return out
}
