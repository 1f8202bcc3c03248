package sim

import (
	"fmt"
	"math"
	"slices"
)

// MaxDuration bounds one drawn time, in microseconds: about 100 days.
const MaxDuration = 1 << 43

// Dist is a distribution of durations in microseconds, kept as equally likely ascending values, so that a draw is one
// multiplication and one load. The zero Dist draws 0. A Dist is never modified.
type Dist struct {
	table         []int64
	least, median int64
	inOrder       bool // the table is by task, not ascending
}

// Constant is always d microseconds.
func Constant(d int64) (Dist, error) { return Empirical([]int64{d}) }

// Empirical draws each of the durations, in microseconds, alike. It copies them.
func Empirical(durations []int64) (Dist, error) {
	if len(durations) == 0 {
		return Dist{}, fmt.Errorf("distribution of durations: none given")
	}
	table := slices.Clone(durations)
	slices.Sort(table)
	n := len(table)
	if lo, hi := table[0], table[n-1]; lo < 0 || hi > MaxDuration {
		return Dist{}, fmt.Errorf("distribution of durations: %d..%d µs; want 0..%d", lo, hi, int64(MaxDuration))
	}
	return Dist{table: table, least: table[0], median: (table[(n-1)/2] + table[n/2]) / 2}, nil
}

// Inverse tabulates a quantile function (seconds at a probability in (0, 1)) at the middles of n equally likely parts:
// inverse transform sampling.
func Inverse(quantile func(p float64) float64, n int) (Dist, error) {
	table := make([]int64, max(n, 0))
	for i := range table {
		x := math.Round(quantile((float64(i)+0.5)/float64(n)) * 1e6)
		if !(x >= 0 && x <= MaxDuration) {
			return Dist{}, fmt.Errorf("distribution of durations: quantile %d of %d is %v µs; want 0..%d", i, n, x,
				int64(MaxDuration))
		}
		table[i] = int64(x)
	}
	return Empirical(table)
}

// InOrder gives the i-th task of a stage the i-th duration, in microseconds, in every attempt: to replay a
// recording. It copies the durations. Compile requires as many as the stage has tasks.
func InOrder(durations []int64) (Dist, error) {
	d, err := Empirical(durations)
	if err != nil {
		return Dist{}, err
	}
	copy(d.table, durations)
	d.inOrder = true
	return d, nil
}

// none reports whether the distribution has no values: the zero Dist.
func (d *Dist) none() bool { return len(d.table) == 0 }

// draw returns the duration of the i-th task of a stage, at the uniform number u.
func (d *Dist) draw(u uint64, i int32) int64 {
	if d.inOrder {
		return d.table[i]
	}
	return d.table[below(u, len(d.table))]
}
