package distfit

import (
	"cmp"
	"math"
	"slices"
)

// open holds right-censored values: only a lower bound is known. Bounds ascend and are positive.
type open struct {
	x, log, count []float64
	n, sum        float64
}

// Censor adds right-censored values: counts[i] values larger than bounds[i], from runs or attempts that had not
// ended when last seen. Neither slice is modified. Bounds that are not positive and finite carry no information
// and are left out; the number used is returned. The value and its bound are assumed to be independent, as when
// recording ends at an unrelated time.
func (s *Sample) Censor(bounds []float64, counts []int64) (used int64) {
	type pair struct{ x, n float64 }
	pairs := make([]pair, 0, len(bounds))
	for i, b := range bounds {
		if b > 0 && !math.IsInf(b, 1) && counts[i] > 0 {
			pairs = append(pairs, pair{b, float64(counts[i])})
			used += counts[i]
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.x, b.x) })
	for _, p := range pairs {
		s.open.x, s.open.log, s.open.count = append(s.open.x, p.x), append(s.open.log, math.Log(p.x)),
			append(s.open.count, p.n)
		s.open.n += p.n
		s.open.sum += p.n * p.x
	}
	return used
}

// Open returns the number of right-censored values.
func (s *Sample) Open() int64 { return int64(s.open.n) }

// pooling adapts the closed form of a family to start a search on samples with open values: it treats bounds as values.
func pooling[D Dist](fit func(*Sample) (D, error)) func(*Sample) (D, error) {
	return func(s *Sample) (D, error) {
		if len(s.open.x) == 0 {
			return fit(s)
		}
		all := &Sample{}
		i, k := 0, 0
		for i < len(s.x) || k < len(s.open.x) {
			if k == len(s.open.x) || i < len(s.x) && s.x[i] <= s.open.x[k] {
				x := s.x[i]
				if x == 0 {
					x = s.above / 2
				}
				all.x, all.count = append(all.x, x), append(all.count, s.count[i])
				i++
				continue
			}
			all.x, all.count = append(all.x, s.open.x[k]), append(all.count, s.open.count[k])
			k++
		}
		all.sums()
		return fit(all)
	}
}

// logAbove returns the sum of ln bound - least over bounds above it.
func (o *open) logAbove(least float64) (sum float64) {
	for i, l := range o.log {
		sum += o.count[i] * max(0, l-least)
	}
	return sum
}

// above returns the estimated survival function: for each of the ascending values, which occur counts[i] times, the
// share of all values that is at least as large, and finally the share that is larger than all of them. It is the
// estimate of E. L. Kaplan and P. Meier, "Nonparametric Estimation from Incomplete Observations", Journal of the
// American Statistical Association 53, 1958. A further below values are less than all others, known or open.
func (o *open) above(values, counts []float64, below float64) []float64 {
	left := o.n // those at risk: not below x
	for _, c := range counts {
		left += c
	}
	n, share := left+below, left/(left+below)
	out := make([]float64, len(values)+1)
	k := 0
	for i, x := range values {
		for ; k < len(o.x) && o.x[k] < x; k++ {
			left -= o.count[k]
		}
		if out[i] = share; len(o.x) == 0 {
			out[i] = left / n
		}
		share *= 1 - counts[i]/left
		left -= counts[i]
	}
	if out[len(values)] = share; left <= 0 {
		out[len(values)] = 0
	}
	return out
}

// Above returns, for each of the values, in any order, which occur counts[i] times, the share of all values that is at
// least as large. Open values of the sample enter by the Kaplan-Meier estimate. A further below values are less than
// all others.
func (s *Sample) Above(values []float64, counts []int64, below float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	sorted, times := make([]float64, len(values)), make([]float64, len(values))
	for k, i := range order {
		sorted[k], times[k] = values[i], float64(counts[i])
	}
	out := make([]float64, len(values))
	for k, share := range s.open.above(sorted, times, below)[:len(values)] {
		out[order[k]] = share
	}
	return out
}

// openDistance returns the largest difference between a distribution and the Kaplan-Meier estimate.
func openDistance(d Dist, s *Sample) (ks float64) {
	above := s.open.above(s.x, s.count, 0)
	for i, x := range s.x {
		from, to := s.cell(x)
		ks = max(ks, math.Abs(above[i]-d.Survival(from)), math.Abs(above[i+1]-d.Survival(to)))
	}
	return ks
}
