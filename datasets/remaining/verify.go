package remaining

import (
	"fmt"
	"math"
	"slices"
)

// Verify reports the first law that the table breaks: a table that breaks one must not be used.
//
//  1. Allocations ascend from at least 1, at most [MaxCells] cells, and there is a value for every one.
//  2. Times are finite and not negative; in a cell, quantiles ascend and the mean is between the least and the largest.
//  3. More tokens are never slower, for any quantile and the mean.
//  4. More progress is never longer.
//  5. Nothing remains at progress 1.
//  6. There are samples of whole runs.
//  7. The graph, unless it is empty, has as many stages as the plan, and finite totals; edges join stages of it.
func (t *Table) Verify() error {
	if err := t.shape(); err != nil {
		return err
	}
	if err := t.About.Graph.verify(t.About.Stages); err != nil {
		return err
	}
	for k := range t.Allocations {
		for i := range Steps {
			if err := t.cell(k, i); err != nil {
				return fmt.Errorf("%d tokens, progress %v: %w", t.Allocations[k], Progress(i), err)
			}
		}
	}
	return nil
}

// Monotonize enforces laws 3 and 4 of [Table.Verify]. Among the first known allocations it raises every
// quantile, and the mean, to the largest value at no less progress and with no fewer tokens. It does the same
// among the other allocations, then lowers these to the values of the last known allocation: tokens that were
// never seen make a run less certain, not slower, and may stay unused. Cells without samples must be 0 and take
// the values of cells at more progress; if there are any, all allocations should be known.
func (t *Table) Monotonize(known int) {
	n := len(t.Allocations)
	t.eachColumn(func(of []float64) {
		for k := n - 1; k >= 0; k-- {
			for i := Steps - 1; i >= 0; i-- {
				c := k*Steps + i
				if i+1 < Steps {
					of[c] = max(of[c], of[c+1])
				}
				if k+1 < n && k+1 != known {
					of[c] = max(of[c], of[c+Steps])
				}
			}
		}
		if known == 0 {
			return
		}
		for c := known * Steps; c < n*Steps; c++ {
			of[c] = min(of[c], of[c-Steps])
		}
	})
}

func (t *Table) eachColumn(do func([]float64)) {
	for q := range t.Quantiles {
		do(t.Quantiles[q])
	}
	do(t.Mean)
}

func (t *Table) shape() error {
	if n := len(t.Allocations); n == 0 || n > MaxCells/Steps {
		return fmt.Errorf("%d allocations, want 1 to %d", n, MaxCells/Steps)
	}
	for k, a := range t.Allocations {
		if a < 1 || k > 0 && a <= t.Allocations[k-1] {
			return fmt.Errorf("allocations %v: want them ascending, from at least 1", t.Allocations)
		}
	}
	if len(t.Samples) != t.Cells() {
		return fmt.Errorf("samples of %d cells, want %d", len(t.Samples), t.Cells())
	}
	var err error
	t.eachColumn(func(of []float64) {
		if len(of) != t.Cells() {
			err = fmt.Errorf("times of %d cells, want %d", len(of), t.Cells())
		}
	})
	return err
}

// cell checks the cell of allocation k at progress i against itself and its neighbours.
func (t *Table) cell(k, i int) error {
	c := k*Steps + i
	mean := t.Mean[c]
	least, most := t.Quantiles[0][c], t.Quantiles[Levels-1][c]
	switch {
	case t.Samples[c] < 0:
		return fmt.Errorf("%d samples", t.Samples[c])
	case i == 0 && t.Samples[c] == 0:
		return fmt.Errorf("no samples of whole runs")
	case !(mean >= least && mean <= most):
		return fmt.Errorf("mean %v s, want it in %v to %v", mean, least, most)
	case i == Steps-1 && most != 0:
		return fmt.Errorf("%v s remain, want 0", most)
	}
	last := 0.0
	for q := range t.Quantiles {
		x := t.Quantiles[q][c]
		if !(x >= last) || math.IsInf(x, 1) {
			return fmt.Errorf("%s is %v s, want a finite time of at least %v", level(q), x, last)
		}
		last = x
	}
	for _, next := range t.after(k, i) {
		if t.Mean[next] > mean {
			return fmt.Errorf("mean %v s, and %v with more tokens or progress", mean, t.Mean[next])
		}
		for q := range t.Quantiles {
			if x, y := t.Quantiles[q][c], t.Quantiles[q][next]; y > x {
				return fmt.Errorf("%s is %v s, and %v with more tokens or progress", level(q), x, y)
			}
		}
	}
	return nil
}

// after returns the cells next to one, with more progress and with more tokens.
func (t *Table) after(k, i int) []int {
	out := slices.Grow([]int(nil), 2)
	if i+1 < Steps {
		out = append(out, k*Steps+i+1)
	}
	if k+1 < len(t.Allocations) {
		out = append(out, (k+1)*Steps+i)
	}
	return out
}

// level names a quantile.
func level(q int) string {
	switch q {
	case 0:
		return "min"
	case Levels - 1:
		return "max"
	}
	return fmt.Sprintf("p%d", q)
}
