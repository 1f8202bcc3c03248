package lists

// Ascend makes values ascend, as near to them as possible in weighted least squares: neighbours that fall are replaced
// by their mean, until none does (isotonic regression: R. E. Barlow et al., "Statistical Inference under Order
// Restrictions", 1972). Weights are positive, one for each value; nil weighs all alike. Time O(n).
func Ascend(values, weights []float64) {
	type pool struct {
		mean, weight float64
		n            int
	}
	var pools []pool
	for i, x := range values {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		pools = append(pools, pool{x, w, 1})
		for k := len(pools) - 1; k > 0 && pools[k].mean < pools[k-1].mean; k-- {
			a, b := pools[k-1], pools[k]
			w := a.weight + b.weight
			pools[k-1] = pool{(a.mean*a.weight + b.mean*b.weight) / w, w, a.n + b.n}
			pools = pools[:k]
		}
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			values[i] = p.mean
			i++
		}
	}
}
