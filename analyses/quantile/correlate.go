package quantile

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"racecard/datasets/radix"
	"racecard/datasets/result"
)

// Observations are values, some of them missing, together with their ascending order. There are fewer than 2^31.
type Observations struct {
	values  []float64 // 0 where missing
	missing []bool
	order   []int32
}

// Observe returns the observations of values, which are not kept; NaN is missing. Time O(n log n).
func Observe(values []float64) *Observations { return ObserveInPlace(slices.Clone(values)) }

// ObserveInPlace is [Observe], but keeps values, which must not be used afterwards. Observations take 13 bytes each.
func ObserveInPlace(values []float64) *Observations {
	o := &Observations{values: values, missing: make([]bool, len(values))}
	known := make([]radix.Item[int32], 0, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			o.values[i], o.missing[i] = 0, true
		} else {
			known = append(known, radix.Item[int32]{Value: int32(i), Key: radix.Key(v)})
		}
	}
	o.order = make([]int32, len(known))
	for k, item := range radix.Sort(known, make([]radix.Item[int32], len(known))) {
		o.order[k] = item.Value
	}
	return o
}

// Weighted returns the values that are not missing in ascending order, with their weights.
func (o *Observations) Weighted(weights []int64) []Weighted {
	out := make([]Weighted, len(o.order))
	for k, i := range o.order {
		out[k] = Weighted{o.values[i], weights[i]}
	}
	return out
}

// ranks returns the rank of every value: the weight of the values below it and half the weight of those equal to it, so
// that ties have their average rank (minus a half if all weights are 1).
func (o *Observations) ranks(weights []float64) []float64 {
	out := make([]float64, len(o.values))
	below := 0.0
	for k := 0; k < len(o.order); {
		first, equal := k, 0.0
		for ; k < len(o.order) && o.values[o.order[k]] == o.values[o.order[first]]; k++ {
			equal += weights[o.order[k]]
		}
		for _, i := range o.order[first:k] {
			out[i] = below + equal/2
		}
		below += equal
	}
	return out
}

// constant reports whether all values with weight are equal.
func (o *Observations) constant(weights []float64) bool {
	first := -1
	for i, w := range weights {
		switch {
		case w == 0:
		case first < 0:
			first = i
		case o.values[i] != o.values[first]:
			return false
		}
	}
	return true
}

// Correlate returns the correlation of x and y over pairs in which both are known: Pearson's coefficient, and
// Spearman's, which is Pearson's coefficient of the ranks (C. Spearman, "The Proof and Measurement of Association
// between Two Things", American Journal of Psychology 15(1), 1904). Both are NaN for fewer than two pairs and where x
// or y is constant. Weights are not negative; nil means all 1. Pairs without weight do not count. Time O(n).
func Correlate(x, y *Observations, weights []float64) result.Correlation {
	w := make([]float64, len(x.values))
	c := result.Correlation{Pearson: result.Number(math.NaN()), Spearman: result.Number(math.NaN())}
	for i := range w {
		switch {
		case x.missing[i] || y.missing[i]:
			continue
		case weights == nil:
			w[i] = 1
		default:
			w[i] = weights[i]
		}
		if w[i] > 0 {
			c.N++
		}
	}
	if c.N < 2 || x.constant(w) || y.constant(w) {
		return c
	}
	c.Pearson = result.Number(stat.Correlation(x.values, y.values, w))
	c.Spearman = result.Number(stat.Correlation(x.ranks(w), y.ranks(w), w))
	return c
}
