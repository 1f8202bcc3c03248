// Package digest describes multisets of whole numbers of any size in bounded memory: exactly up to a number of values,
// and beyond it by counts in bins of at most 0.1% width, as HdrHistogram does (G. Tene, "How NOT to Measure Latency",
// 2013).
//
// Digests can be merged. Results depend on the values alone, not on their order or their division among partial
// digests.
package digest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"racecard/analyses/internal/uint128"
	"racecard/analyses/quantile"
	"racecard/datasets/gcd"
	"racecard/datasets/lists"
	"racecard/datasets/radix"
	"racecard/datasets/result"
)

// Digest is a multiset of whole numbers that are not negative. Make one with [New].
type Digest struct {
	limit  int64
	n      int64
	sum    uint128.Sum
	least  int64
	most   int64
	step   int64     // greatest common divisor
	chunks [][]int64 `partial:"multiset"` // the values; none when there are counts
	sorted bool      // there is one chunk, ascending
	counts []int64   // per bin, once there are more than limit values
}

// New returns an empty digest that keeps up to limit values one by one, 8 bytes each. Counts in bins take 400 kB.
func New(limit int64) *Digest { return &Digest{limit: limit} }

// Add adds v, which must not be negative.
func (d *Digest) Add(v int64) {
	d.see(v, v, v, 1)
	d.sum.Add(uint64(v))
	if d.counts != nil {
		d.counts[bin(v)]++
		return
	}
	d.chunks = lists.Push(d.chunks, v)
	d.sorted = false
	if d.n > d.limit {
		d.coarsen()
	}
}

// see updates the extremes, the step and the count for n values between least and most, all multiples of step.
func (d *Digest) see(least, most, step, n int64) {
	if d.n == 0 {
		d.least, d.most = least, most
	}
	d.least, d.most = min(d.least, least), max(d.most, most)
	d.step = int64(gcd.Of(uint64(d.step), step))
	d.n += n
}

// coarsen counts the values in bins instead of keeping them.
func (d *Digest) coarsen() {
	d.counts = make([]int64, bins)
	for _, chunk := range d.chunks {
		for _, v := range chunk {
			d.counts[bin(v)]++
		}
	}
	d.chunks = nil
}

// Merge adds the values of q, which must have the same limit and must not be used afterwards.
func (d *Digest) Merge(q *Digest) {
	if q.n == 0 {
		return
	}
	d.see(q.least, q.most, q.step, q.n)
	d.sum.AddSum(q.sum)
	d.sorted = false
	if d.counts == nil && (q.counts != nil || d.n > d.limit) {
		d.coarsen()
	}
	switch {
	case q.counts != nil:
		for i, n := range q.counts {
			d.counts[i] += n
		}
	case d.counts != nil:
		for _, chunk := range q.chunks {
			for _, v := range chunk {
				d.counts[bin(v)]++
			}
		}
	default:
		d.chunks = append(d.chunks, q.chunks...)
	}
}

// N returns the number of values.
func (d *Digest) N() int64 { return d.n }

// Max returns the largest value, 0 when there is none.
func (d *Digest) Max() int64 { return d.most }

// Sum returns the sum of the values, rounded once.
func (d *Digest) Sum() float64 { return d.sum.Float64() }

// Step returns the greatest common divisor of the values: the resolution of the clock that measured them, or a multiple
// of it. It is 0 when there are none but zeros.
func (d *Digest) Step() int64 { return d.step }

// Exact reports whether every value is kept. Otherwise quantiles are within [RelativeError] of their value; n, mean,
// min and max stay exact.
func (d *Digest) Exact() bool { return d.counts == nil }

// RelativeError bounds the relative difference between a value and the middle of its bin.
const RelativeError = 1.0 / (2 * subBins)

// values returns the values of an exact digest in ascending order.
func (d *Digest) values() []int64 {
	if !d.sorted {
		d.chunks = [][]int64{slices.Concat(d.chunks...)}
		radix.Ints(d.chunks[0])
		d.sorted = true
	}
	return d.chunks[0]
}

// Summary describes the values, each divided by unit; quantiles are of type 7. Time O(n log n) on the first call.
func (d *Digest) Summary(unit float64) result.Summary {
	s := result.Summary{N: int(d.n)}
	if d.n == 0 {
		nan := math.NaN()
		return result.Summary{Mean: nan, Min: nan, P10: nan, P25: nan, P50: nan, P75: nan, P90: nan, P95: nan, P99: nan,
			Max: nan}
	}
	s.Mean = d.sum.Float64() / float64(d.n) / unit
	s.Min, s.Max = float64(d.least)/unit, float64(d.most)/unit
	shares := []float64{.10, .25, .50, .75, .90, .95, .99}
	for i, into := range []*float64{&s.P10, &s.P25, &s.P50, &s.P75, &s.P90, &s.P95, &s.P99} {
		*into = d.quantile(shares[i]) / unit
	}
	return s
}

// quantile interpolates linearly between order statistics: Hyndman and Fan, definition 7.
func (d *Digest) quantile(p float64) float64 {
	h := p * float64(d.n-1)
	k := int64(h)
	a := d.at(k)
	if k >= d.n-1 {
		return a
	}
	return a + (h-float64(k))*(d.at(k+1)-a)
}

// Min returns the smallest value, 0 when there is none.
func (d *Digest) Min() int64 { return d.least }

// Quantiles returns the quantiles of type 7 at shares in [0, 1], in any order, each divided by unit, or NaN if there
// are no values. Unlike [Digest.Summary], it reads the values once for all quantiles.
func (d *Digest) Quantiles(shares []float64, unit float64) []float64 {
	if !slices.IsSorted(shares) {
		return d.quantilesAnyOrder(shares, unit)
	}
	out := make([]float64, len(shares))
	order := d.ascending()
	var at, next float64 // order statistics k and k+1, of those that were taken
	taken := int64(0)
	for i, p := range shares {
		if d.n == 0 {
			out[i] = math.NaN()
			continue
		}
		h := p * float64(d.n-1)
		k := min(int64(h), d.n-1)
		for taken < min(k+2, d.n) {
			at, next = next, order()
			taken++
		}
		a, b := at, next
		if k == d.n-1 { // the largest was taken last
			a = next
		}
		out[i] = (a + (h-float64(k))*(b-a)) / unit
	}
	return out
}

// quantilesAnyOrder is Quantiles for shares that are not ascending.
func (d *Digest) quantilesAnyOrder(shares []float64, unit float64) []float64 {
	order := lists.Order(len(shares), func(a, b int) int { return cmp.Compare(shares[a], shares[b]) })
	out := make([]float64, len(shares))
	for i, x := range d.Quantiles(slices.Sorted(slices.Values(shares)), unit) {
		out[order[i]] = x
	}
	return out
}

// ascending returns a function that yields the n order statistics one after the other.
func (d *Digest) ascending() func() float64 {
	i := 0
	if d.Exact() {
		if d.n == 0 {
			return nil
		}
		values := d.values()
		return func() float64 {
			i++
			return float64(values[i-1])
		}
	}
	left := d.counts[0]
	return func() float64 {
		for left == 0 {
			i++
			left = d.counts[i]
		}
		left--
		return d.middle(i)
	}
}

// at returns the order statistic k, from 0.
func (d *Digest) at(k int64) float64 {
	if d.Exact() {
		return float64(d.values()[k])
	}
	for i, n := range d.counts {
		if k < n {
			return d.middle(i)
		}
		k -= n
	}
	return float64(d.most)
}

// Table returns the distinct values in ascending order, each divided by unit, and their counts. If there are more than
// most of them, it returns the middles of bins instead. It allocates.
func (d *Digest) Table(most int, unit float64) (values []float64, counts []int64) {
	if d.Exact() {
		if d.n == 0 {
			return nil, nil
		}
		var last int64 = -1
		for _, v := range d.values() {
			if v != last {
				values, counts, last = append(values, float64(v)/unit), append(counts, 0), v
			}
			counts[len(counts)-1]++
			if len(values) > most {
				return d.binned(unit)
			}
		}
		return values, counts
	}
	return d.binned(unit)
}

// binned returns the middles of the bins that hold values, and their counts.
func (d *Digest) binned(unit float64) (values []float64, counts []int64) {
	in := d.counts
	if in == nil {
		in = make([]int64, bins)
		for _, v := range d.values() {
			in[bin(v)]++
		}
	}
	for i, n := range in {
		if n > 0 {
			values, counts = append(values, d.middle(i)/unit), append(counts, n)
		}
	}
	return values, counts
}

// Bins: every power of two has subBins of them, of equal width; below 2 x subBins every number has its own.
const (
	subBits = 10
	subBins = 1 << subBits
	bins    = (63-subBits-1)*subBins + 2*subBins
)

// bin returns the bin of v.
func bin(v int64) int {
	e := max(0, bits.Len64(uint64(v))-subBits-1)
	return e<<subBits + int(v>>e)
}

// middle returns the middle of a bin, but no less than the least value and no more than the largest.
func (d *Digest) middle(i int) float64 {
	e := max(0, i>>subBits-1)
	low := int64(i-e<<subBits) << e
	m := float64(low) + float64(int64(1)<<e-1)/2
	return min(max(m, float64(d.least)), float64(d.most))
}

// Sorted returns the values, each divided by unit; none unless the digest is exact. It allocates.
func (d *Digest) Sorted(unit float64) quantile.Sorted {
	if !d.Exact() || d.n == 0 {
		return quantile.Sorted{}
	}
	out := make([]float64, d.n)
	for i, v := range d.values() {
		out[i] = float64(v) / unit
	}
	return quantile.SortInPlace(out)
}
