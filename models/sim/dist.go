package sim

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// maxDuration bounds one drawn time, in microseconds: about 100 days.
const maxDuration = 1 << 43

// Dist is a distribution of durations in microseconds, kept as equally likely
// ascending values, so that a draw is one multiplication and one load. The zero
// Dist draws 0. A Dist is never modified.
type Dist struct{ table []int64 }

// Constant is always d microseconds.
func Constant(d int64) (Dist, error) { return Empirical([]int64{d}) }

// Empirical draws each of the durations, in microseconds, alike. It copies them.
func Empirical(durations []int64) (Dist, error) {
	if len(durations) == 0 {
		return Dist{}, fmt.Errorf("distribution of durations: none given")
	}
	table := slices.Clone(durations)
	slices.Sort(table)
	if lo, hi := table[0], table[len(table)-1]; lo < 0 || hi > maxDuration {
		return Dist{}, fmt.Errorf("distribution of durations: %d..%d µs; want 0..%d", lo, hi, int64(maxDuration))
	}
	return Dist{table}, nil
}

// Inverse tabulates a quantile function (seconds at a probability in (0, 1))
// at the middles of n equally likely parts: inverse transform sampling.
func Inverse(quantile func(p float64) float64, n int) (Dist, error) {
	table := make([]int64, max(n, 0))
	for i := range table {
		x := math.Round(quantile((float64(i)+0.5)/float64(n)) * 1e6)
		if !(x >= 0 && x <= maxDuration) {
			return Dist{}, fmt.Errorf("distribution of durations: quantile %d of %d is %v µs; want 0..%d", i, n, x, int64(maxDuration))
		}
		table[i] = int64(x)
	}
	return Empirical(table)
}

// random is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), inlined into the
// event loop; each run starts it from one draw of the run's own stream.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d Dist) draw(r *random) int64 {
	if len(d.table) == 1 {
		return d.table[0]
	}
	i, _ := bits.Mul64(r.next(), uint64(len(d.table)))
	return d.table[i]
}
