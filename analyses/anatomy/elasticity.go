package anatomy

import (
	"math"
	"slices"

	"racecard/analyses/changepoint"
)

// Standard deviations of the prior of the power of the input, whose mean is 1, for a whole job and for one of its
// stages, which differ more; and the largest power.
const (
	betaSpread  = 0.25
	stageSpread = 0.35
	betaMost    = 2
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

// powers returns the power for the work of each stage, by name: a stage that writes a report takes no longer if the job
// reads more. Stages are left out if inputs are unknown.
func powers(runs []Run) map[string]float64 {
	type sample struct{ x, y []float64 }
	of := map[string]*sample{}
	for i := range runs {
		if !(runs[i].Input > 0) {
			continue
		}
		x := math.Log(runs[i].Input)
		for k := range runs[i].Stages {
			if st := &runs[i].Stages[k]; st.Work > 0 {
				s := of[st.Name]
				if s == nil {
					s = &sample{}
					of[st.Name] = s
				}
				s.x, s.y = append(s.x, x), append(s.y, math.Log(st.Work))
			}
		}
	}
	out := make(map[string]float64, len(of))
	for name, s := range of {
		out[name] = power(s.x, s.y, stageSpread)
	}
	return out
}

// Elasticity is the regression of elasticity: x and y are the logarithms of input and work, or time, in time order.
func Elasticity(x, y []float64) float64 { return power(x, y, betaSpread) }

// power is the regression, with a given standard deviation of the prior. It is done twice: the noise is first that
// about the power 1, and then about the power found.
func power(x, y []float64, spread float64) float64 {
	if len(y) < 3 {
		return 1
	}
	return about(x, y, about(x, y, 1, spread), spread)
}

// about is one regression, of what the power first leaves of y.
func about(x, y []float64, first, spread float64) float64 {
	n := len(y)
	y = slices.Clone(y)
	for i := range y {
		y[i] -= first * x[i]
	}
	sd := changepoint.Noise(y)
	y = changepoint.Clip(y, sd)
	if !(sd > 0) {
		sd = 1e-6
	}
	prior := sd * sd / (spread * spread)
	xx, xy, yy := prefix(x, x), prefix(x, y), prefix(y, y)
	sx, sy := prefix(x, nil), prefix(y, nil)
	within := func(from, to int) (a, b, c float64) { // sums of squares and products about the means
		m := float64(to - from)
		dx, dy := sx[to]-sx[from], sy[to]-sy[from]
		return xx[to] - xx[from] - dx*dx/m, xy[to] - xy[from] - dx*dy/m, yy[to] - yy[from] - dy*dy/m
	}
	best, beta := math.Inf(1), first
	try := func(a, b, c, penalty float64) {
		d := (b + prior*(1-first)) / (a + prior) // beyond first
		off := first + d - 1
		if cost := (c-2*b*d+a*d*d+prior*off*off)/(sd*sd) + penalty; cost < best {
			best, beta = cost, first+d
		}
	}
	a, b, c := within(0, n)
	try(a, b, c, 0)
	for k := changepoint.MinLength; k <= n-changepoint.MinLength; k++ {
		a, b, c := within(0, k)
		a2, b2, c2 := within(k, n)
		try(a+a2, b+b2, c+c2, 3*math.Log(float64(n)))
	}
	return min(max(beta, 0), betaMost)
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
