package distfit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"racecard/datasets/radix"
)

// Reading is the reason why numbers are multiples of a step.
type Reading uint8

// The readings: of a clock with ticks, or of counts from 1 on.
const (
	Rounded Reading = iota // x stands for x - step/2 to x + step/2, and 0 for all below step/2
	Counted                // x stands for x - step to x
)

// Sample holds numbers in ascending order, each once, with the number of times it occurs.
//
// The numbers may be clock readings or counts. If many are only a few steps large, the step is coarse and a number
// stands for its cell: all values that are read as it. Otherwise numbers are exact and positive: zeros are left out.
type Sample struct {
	Dropped int64 // values that could not be used: negative or infinite ones, and zeros unless they stand for a cell

	step         float64 // of the readings; 0 for none
	reading      Reading
	coarse       bool
	below, above float64 // a value's cell, from it, when the step is coarse

	x     []float64
	count []float64
	log   []float64 // of x; of the middle of the cell of 0

	n       float64
	sum     float64
	meanLog float64
	mid     midpoints
	open    open
}

// midpoints holds the sums that likelihoods need over the values from index from on. There the density at the middle
// of a cell approximates the cell's probability well enough; with a fine step this holds for all values. Sums
// run over the middles of cells.
type midpoints struct {
	from                    int
	n, sum, sumLog, squares float64   // squares is over logarithms
	log, count              []float64 // each logarithm, and how often
}

// A step is coarse when more than coarseShare of the positive values are below midpointCells steps. From there on the
// density in the middle of a cell gives its probability to one part in a thousand or so.
const (
	coarseShare   = 0.01
	midpointCells = 20
)

// NewSample returns the sample of values that occur counts[i] times each; nil counts mean once. Neither is modified.
// The values are multiples of step, unless it is 0.
func NewSample(values []float64, counts []int64, step float64, reading Reading) *Sample {
	s := &Sample{step: step, reading: reading}
	type pair struct {
		x float64
		n int64
	}
	pairs := make([]pair, 0, len(values))
	var zeros int64
	for i, v := range values {
		n := int64(1)
		if counts != nil {
			n = counts[i]
		}
		switch {
		case v == 0:
			zeros += n
		case !(v > 0) || math.IsInf(v, 1):
			s.Dropped += n
		default:
			pairs = append(pairs, pair{v, n})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.x, b.x) })
	for _, p := range pairs {
		if k := len(s.x); k > 0 && s.x[k-1] == p.x {
			s.count[k-1] += float64(p.n)
			continue
		}
		s.x, s.count = append(s.x, p.x), append(s.count, float64(p.n))
	}
	s.sums()
	small := 0.0
	for i := 0; i < len(s.x) && s.x[i] < midpointCells*step; i++ {
		small += s.count[i]
	}
	if s.coarse = len(s.x) > 0 && step > 0 && small > coarseShare*s.n; s.coarse {
		s.below, s.above = step, 0
		if reading == Rounded {
			s.below, s.above = step/2, step/2
		}
		s.sums()
	}
	if zeros > 0 && s.coarse && reading == Rounded {
		s.x, s.count = slices.Insert(s.x, 0, 0), slices.Insert(s.count, 0, float64(zeros))
		s.sums()
	} else {
		s.Dropped += zeros
	}
	return s
}

// like returns an empty sample of the same readings.
func (s *Sample) like() *Sample {
	return &Sample{step: s.step, reading: s.reading, coarse: s.coarse, below: s.below, above: s.above}
}

// cell returns the cell that x stands for.
func (s *Sample) cell(x float64) (from, to float64) { return max(0, x-s.below), x + s.above }

// sums computes the sums that the fits need, in ascending order of values.
func (s *Sample) sums() {
	s.log = slices.Grow(s.log[:0], len(s.x))[:len(s.x)]
	s.n, s.sum = 0, 0
	s.mid = midpoints{log: s.mid.log[:0]}
	sumLog := 0.0
	for i, x := range s.x {
		if x == 0 {
			x = s.above / 2
		}
		s.log[i] = math.Log(x)
		s.n += s.count[i]
		s.sum += s.count[i] * x
		sumLog += s.count[i] * s.log[i]
		if s.coarse && s.x[i] < midpointCells*s.step {
			s.mid.from = i + 1
			continue
		}
		l := s.log[i]
		if s.coarse {
			x += (s.above - s.below) / 2
			l = math.Log(x)
		}
		s.mid.n += s.count[i]
		s.mid.sum += s.count[i] * x
		s.mid.sumLog += s.count[i] * l
		s.mid.squares += s.count[i] * l * l
		s.mid.log = append(s.mid.log, l)
	}
	s.mid.count = s.count[s.mid.from:]
	s.meanLog = sumLog / s.n
}

// set makes s the sample of draws, as tick makes them, which are sorted in place. It reuses memory.
func (s *Sample) set(draws []float64) {
	radix.Floats(draws)
	s.x, s.count = s.x[:0], s.count[:0]
	for _, x := range draws {
		if k := len(s.x); k > 0 && s.x[k-1] == x {
			s.count[k-1]++
			continue
		}
		s.x, s.count = append(s.x, x), append(s.count, 1)
	}
	s.sums()
}

// N returns the number of values, repeats included.
func (s *Sample) N() int64 { return int64(s.n) }

// Coarse reports whether values stand for cells.
func (s *Sample) Coarse() bool { return s.coarse }

// Distinct returns the number of different values.
func (s *Sample) Distinct() int { return len(s.x) }

// Min and Max return the ends of the sample, which must not be empty.
func (s *Sample) Min() float64 { return s.x[0] }

// Max returns the largest value.
func (s *Sample) Max() float64 { return s.x[len(s.x)-1] }

// Mean returns the mean; zeros count as the middle of their cell.
func (s *Sample) Mean() float64 { return s.sum / s.n }

// values returns all values with repetitions, ascending.
func (s *Sample) values() []float64 {
	out := make([]float64, 0, int(s.n))
	for i, x := range s.x {
		for range int(s.count[i]) {
			out = append(out, x)
		}
	}
	return out
}

// draw returns most of the values, drawn without replacement, ascending; all of them when there are no more. Which ones
// depends on the multiset and the stream alone (R. W. Floyd's algorithm; J. Bentley, CACM 30(9), 1987).
func (s *Sample) draw(most int, rng *rand.Rand) []float64 {
	n := int64(s.n)
	if n <= int64(most) {
		return s.values()
	}
	chosen := make(map[int64]bool, most)
	ranks := make([]int64, 0, most)
	for j := n - int64(most); j < n; j++ {
		r := rng.Int64N(j + 1)
		if chosen[r] {
			r = j
		}
		chosen[r] = true
		ranks = append(ranks, r)
	}
	slices.Sort(ranks)
	out := make([]float64, 0, most)
	i, below := 0, int64(0) // values before x[i]
	for _, r := range ranks {
		for r >= below+int64(s.count[i]) {
			below += int64(s.count[i])
			i++
		}
		out = append(out, s.x[i])
	}
	return out
}
