// Package remaining holds tables of C(p,a), the remaining time of a run that has made progress p and holds a tokens.
// Package models/deadlines/cpa builds them, package tablefile keeps them on disk, and control loops and live schedulers
// look them up.
//
// C(p,a) is a distribution. A [Table] has its quantiles 1% to 99%, its least and largest value and its mean on a grid:
// progress 0, 0.01, ... 1 by some allocations. Between allocations remaining time is linear, progress is rounded down,
// and the table is monotone: for a fixed quantile it never rises with tokens nor with progress. It follows A. D.
// Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters" (EuroSys 2012, section 4.1).
package remaining

// Steps is the number of values of progress of a table: i/100 for i from 0 to 100.
const Steps = 101

// Levels is the number of quantiles of a cell: the least value, 1%, ... 99%, the largest.
const Levels = 101

// MaxCells bounds a table: a Parquet file of some hundred bytes can claim any number of rows that are equal.
const MaxCells = 1 << 20

// Table is C(p,a) of one job. It may be looked up by any number of goroutines, and must not be modified then. A Table
// is valid if [Table.Verify] returns no error.
type Table struct {
	About       About
	Allocations []int32 // tokens, ascending, the first at least 1

	// Cells are in the order of allocations, and of progress within each: cell k·Steps+i is of Allocations[k] at
	// progress i/100. Times are seconds.
	Samples   []int64           // that the cell rests on; 0 where no simulated run was seen: filled by its neighbours
	Mean      []float64         //
	Quantiles [Levels][]float64 // the least, 1%, ... 99%, the largest
}

// New returns a table of zeros, for a builder to fill.
func New(about About, allocations []int32) *Table {
	cells := len(allocations) * Steps
	t := &Table{About: about, Allocations: allocations, Samples: make([]int64, cells), Mean: make([]float64, cells)}
	values := make([]float64, Levels*cells)
	for q := range t.Quantiles {
		t.Quantiles[q] = values[q*cells : (q+1)*cells : (q+1)*cells]
	}
	return t
}

// Cells is the number of cells of the table.
func (t *Table) Cells() int { return len(t.Allocations) * Steps }

// Progress returns i/100.
func Progress(i int) float64 { return float64(i) / (Steps - 1) }

// Step returns the largest i with i/100 <= p, and no less than 0. p must not be NaN.
func Step(p float64) int {
	if p >= 1 {
		return Steps - 1
	}
	if !(p > 0) {
		return 0
	}
	i := int(p * (Steps - 1))
	switch {
	case Progress(i) > p: // i/100 was rounded up
		i--
	case Progress(i+1) <= p: // p·100 was rounded down
		i++
	}
	return i
}
