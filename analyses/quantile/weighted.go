package quantile

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// Weighted is a value and its weight: a time, or how often it occurs.
type Weighted struct {
	Value  float64
	Weight int64 // not negative
}

// Distribution is a set of values with weights, in ascending order.
type Distribution struct {
	values   []Weighted
	upTo     []int64 // weight of all values up to each
	n        int
	quantile func(*Distribution, float64) float64
}

// ByWeight returns the distribution of weighted values, such as levels and their durations: a quantile is the smallest
// value with at least that share of the weight at or below it. values must hold no NaN and are sorted in place; those
// without weight are ignored. The sum of weights must fit in an int64.
func ByWeight(values []Weighted) *Distribution {
	d := accumulate(values)
	d.quantile = (*Distribution).weighted
	for _, v := range values {
		if v.Weight > 0 {
			d.n++
		}
	}
	return d
}

// ByCount returns the distribution of values that occur Weight times each: its quantiles equal [Quantile] of the
// repeated values.
func ByCount(values []Weighted) *Distribution {
	d := accumulate(values)
	d.quantile = (*Distribution).repeated
	d.n = int(d.total())
	return d
}

// accumulate sorts values and merges equal ones.
func accumulate(values []Weighted) *Distribution {
	slices.SortFunc(values, func(a, b Weighted) int { return cmp.Compare(a.Value, b.Value) })
	d := &Distribution{}
	var sum int64
	for _, v := range values {
		sum += v.Weight
		if n := len(d.values); n > 0 && d.values[n-1].Value == v.Value {
			d.values[n-1].Weight += v.Weight
			d.upTo[n-1] = sum
			continue
		}
		d.values, d.upTo = append(d.values, v), append(d.upTo, sum)
	}
	return d
}

func (d *Distribution) total() int64 {
	if len(d.upTo) == 0 {
		return 0
	}
	return d.upTo[len(d.upTo)-1]
}

// weighted returns the smallest value with at least share p of the weight at or below it.
func (d *Distribution) weighted(p float64) float64 {
	want := p * float64(d.total())
	if whole := math.Round(want); math.Abs(want-whole) < 1e-12*whole { // 0.07 x 100 is 7, not a little more
		want = whole
	}
	return d.at(func(i int) bool { return d.upTo[i] > 0 && float64(d.upTo[i]) >= want })
}

// repeated returns the type 7 quantile of the repeated values.
func (d *Distribution) repeated(p float64) float64 {
	occurrence := func(k int64) float64 { return d.at(func(i int) bool { return d.upTo[i] > k }) }
	h := p * float64(d.total()-1)
	k := int64(h)
	low := occurrence(k)
	if f := h - float64(k); f > 0 {
		return low + f*(occurrence(k+1)-low)
	}
	return low
}

// at returns the first value for which reached is true, or the last value.
func (d *Distribution) at(reached func(i int) bool) float64 {
	return d.values[sort.Search(len(d.values)-1, reached)].Value
}

// Summary describes the distribution. N is the number of values with weight, or of occurrences.
func (d *Distribution) Summary() result.Summary {
	if d.total() == 0 {
		return Summarize(Sorted{})
	}
	var sum float64
	for _, v := range d.values {
		sum += v.Value * float64(v.Weight)
	}
	q := func(p float64) float64 { return d.quantile(d, p) }
	return result.Summary{
		N: d.n, Mean: min(max(sum/float64(d.total()), q(0)), q(1)), Min: q(0), P10: q(0.10), P25: q(0.25), P50: q(0.50),
		P75: q(0.75), P90: q(0.90), P95: q(0.95), P99: q(0.99), Max: q(1),
	}
}

// Curve returns the quantiles 0, 0.01, ... 1, nil when nothing has weight.
func (d *Distribution) Curve() []float64 {
	if d.total() == 0 {
		return nil
	}
	return lists.Indexed(101, func(i int) float64 { return d.quantile(d, float64(i)/100) })
}
