package law

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Outliers are runs whose distance from the prediction by the others exceeds this multiple of the typical distance.
const (
	outlying = 3
	fewest   = 6 // runs needed to detect outliers
)

// discount raises the noise of outliers under the likeliest hypothesis without a change of level. Outliers among the
// newest runs are hypotheses. Where runs probably have one of two levels at random, none is an outlier. It reports
// whether there are any.
func (f *fit) discount() bool {
	n, components := len(f.s.y), f.weights.components
	if n < fewest {
		return false
	}
	best, modes := -1, 0.0
	for i, c := range components {
		switch l := f.hypotheses[c.at].level; {
		case l >= 0 && f.levels[l].random():
			modes += c.weight
		case l < 0 && (best < 0 || c.weight > components[best].weight):
			best = i
		}
	}
	if best < 0 || modes > 0.5 {
		return false
	}
	h := &f.hypotheses[components[best].at]
	inputs, tokens := f.s.slopes()
	input, token := inputs[h.input], tokens[h.tokens]
	of := &f.covariances[h.covariance]
	z, _ := f.residuals(of, input, token, make([]float64, n))
	lower := mat.NewTriDense(n, mat.Lower, nil)
	for i := range n {
		for j := range i + 1 {
			lower.SetTri(i, j, of.row(j)[i-j])
		}
	}
	var inverse mat.TriDense
	if inverse.InverseTri(lower) != nil {
		return false
	}
	distance := make([]float64, n) // of a run from the prediction by all others, in units of the noise
	for i := range n {
		sum, squares := 0.0, 0.0
		for k := i; k < n; k++ {
			sum += inverse.At(k, i) * z[k]
			squares += inverse.At(k, i) * inverse.At(k, i)
		}
		distance[i] = math.Abs(sum) / math.Sqrt(squares)
	}
	sorted := slices.Sorted(slices.Values(distance))
	typical := (sorted[(n-1)/2] + sorted[n/2]) / 2 / 0.6745 // of a normal distribution
	scale, nu := scales[components[best].scale], sure[components[best].sure]
	typical = max(typical, math.Sqrt(nu*scale*scale/(nu+float64(n))))
	// If one of the newest runs is as far off, the two disagree, and it is not known which one is right.
	least := max(outlying, slices.Max(distance[n-undecided:])/typical)
	found := false
	for i := range n - undecided {
		if d := distance[i] / typical; d > least {
			f.s.noise[i] *= math.Pow(d/outlying, 4)
			found = true
		}
	}
	return found
}
