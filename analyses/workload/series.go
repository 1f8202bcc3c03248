package workload

import (
	"math"

	"racecard/analyses/internal/uint128"
	"racecard/datasets/result"
)

// Bins of a series: their number is bounded, and their width is the smallest possible baseWidth times a power of two.
// Bins begin at multiples of their width.
const (
	maxBins   = 1024
	baseWidth = 15_625 // microseconds: 1/64 s
)

// series integrates, per bin of time, the weight of the intervals under way. It uses whole numbers and is exact, so it
// does not depend on the order of its intervals. The zero value is an empty series. Adding costs O(1), except when its
// bins become twice as wide.
type series struct {
	shift uint
	first int64         // number of the first bin
	edges []uint128.Sum // weight x time of intervals in the bins in which they begin or end
	delta []int64       // change, from one bin to the next, of the weight that covers whole bins; one longer than edges
	n     int64
	from  int64 // ends of the union of all intervals
	to    int64
}

func (s *series) width() int64 { return baseWidth << s.shift }

// bin returns the number of the bin that t is in: dividing by a constant and shifting is quicker than by the width.
func (s *series) bin(t int64) int64 { return floorDiv(t, baseWidth) >> s.shift }

// floorDiv rounds down, also below zero.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// add adds an interval, from before to, with a weight that is not negative.
func (s *series) add(from, to, weight int64) {
	if from >= to {
		return
	}
	s.cover(from, to)
	s.n++
	w := s.width()
	a, b := s.bin(from), s.bin(to)
	if a == b {
		s.edges[a-s.first].AddProduct(uint64(weight), uint64(to-from))
		return
	}
	s.edges[a-s.first].AddProduct(uint64(weight), uint64((a+1)*w-from))
	s.edges[b-s.first].AddProduct(uint64(weight), uint64(to-b*w))
	s.delta[a+1-s.first] += weight
	s.delta[b-s.first] -= weight
}

// cover makes room for from .. to.
func (s *series) cover(from, to int64) {
	if len(s.edges) == 0 {
		s.from, s.to = from, to
		for s.bin(to)-s.bin(from) >= maxBins {
			s.shift++
		}
		s.first = s.bin(from)
		s.grow(s.first, s.bin(to))
		return
	}
	if s.from <= from && to <= s.to {
		return
	}
	s.from, s.to = min(s.from, from), max(s.to, to)
	for s.bin(s.to)-s.bin(s.from) >= maxBins {
		s.widen()
	}
	s.grow(s.bin(s.from), s.bin(s.to))
}

// grow makes room for the bins a .. b.
func (s *series) grow(a, b int64) {
	if len(s.edges) > 0 {
		a, b = min(a, s.first), max(b, s.first+int64(len(s.edges))-1)
		if a == s.first && int(b-a) < len(s.edges) {
			return
		}
		if a == s.first { // later ones: keep the memory
			more := int(b-a) + 1 - len(s.edges)
			s.edges, s.delta = append(s.edges, make([]uint128.Sum, more)...), append(s.delta, make([]int64, more)...)
			return
		}
	}
	edges, delta := make([]uint128.Sum, b-a+1), make([]int64, b-a+2)
	copy(edges[s.first-a:], s.edges)
	copy(delta[s.first-a:], s.delta)
	s.first, s.edges, s.delta = a, edges, delta
}

// integrals returns the integral of every bin.
func (s *series) integrals() []uint128.Sum {
	out := make([]uint128.Sum, len(s.edges))
	level := int64(0)
	for i := range out {
		level += s.delta[i]
		out[i] = s.edges[i]
		out[i].AddProduct(uint64(level), uint64(s.width()))
	}
	return out
}

// widen makes bins twice as wide.
func (s *series) widen() {
	fine := s.integrals()
	a := floorDiv(s.first, 2)
	b := floorDiv(s.first+int64(len(fine))-1, 2)
	edges := make([]uint128.Sum, b-a+1)
	for i := range fine {
		edges[floorDiv(s.first+int64(i), 2)-a].AddSum(fine[i])
	}
	s.shift++
	s.first, s.edges, s.delta = a, edges, make([]int64, len(edges)+1)
}

// merge adds the intervals of q, which is widened if needed.
func (s *series) merge(q *series) {
	if len(q.edges) == 0 {
		return
	}
	if len(s.edges) == 0 {
		*s = *q
		return
	}
	s.align(q)
	s.cover(q.from, q.to)
	s.align(q)
	s.n += q.n
	for i := range q.edges {
		s.edges[q.first+int64(i)-s.first].AddSum(q.edges[i])
	}
	for i, d := range q.delta {
		s.delta[q.first+int64(i)-s.first] += d
	}
}

// align gives both series bins of the same width.
func (s *series) align(q *series) {
	for s.shift < q.shift {
		s.widen()
	}
	for q.shift < s.shift {
		q.widen()
	}
}

// means returns the mean weight under way in every bin; in the first and the last bin over the part of it that the
// series covers. unit divides the weights.
func (s *series) means(unit float64) result.Series {
	out := result.Series{FromS: float64(s.first) * float64(s.width()) / 1e6, BinS: float64(s.width()) / 1e6,
		Values: []float64{}}
	for i, sum := range s.integrals() {
		low := max(s.from, (s.first+int64(i))*s.width())
		high := min(s.to, (s.first+int64(i)+1)*s.width())
		if high <= low { // the series ends where the bin begins
			continue
		}
		out.Values = append(out.Values, sum.Float64()/float64(high-low)/unit)
	}
	return out
}

// total returns the integral over all time, in seconds x unit.
func (s *series) total(unit float64) float64 {
	var all uint128.Sum
	for _, sum := range s.integrals() {
		all.AddSum(sum)
	}
	return all.Float64() / 1e6 / unit
}

// mean returns the mean over the time that the series covers, NaN for an empty one.
func (s *series) mean(unit float64) float64 {
	if s.n == 0 {
		return math.NaN()
	}
	return s.total(unit) * 1e6 / float64(s.to-s.from)
}
