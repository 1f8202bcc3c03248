package cpa

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"racecard/datasets/remaining"
)

// choose evaluates the columns of a grid up to most tokens, which is made finer until it is close enough to linear.
// Columns that evaluate leaves out are not in it. missed, unless nil, returns allocations that a grid which seems to be
// fine enough still needs.
func choose(most int32, bound float64, evaluate func(grid []int32) ([]*column, error),
	missed func(columns []*column) ([]int32, error)) ([]*column, error) {
	var columns []*column
	asked := map[int32]bool{}
	fresh := func(grid []int32) []int32 { return slices.DeleteFunc(grid, func(a int32) bool { return asked[a] }) }
	for grid := powers(most); len(grid) > 0; {
		for _, a := range grid {
			asked[a] = true
		}
		wave, err := evaluate(grid)
		if err != nil {
			return nil, err
		}
		columns = append(columns, wave...)
		slices.SortFunc(columns, func(a, b *column) int { return int(a.tokens - b.tokens) })
		if grid = fresh(between(columns, bound)); len(grid) == 0 && missed != nil {
			if grid, err = missed(columns); err != nil {
				return nil, err
			}
			grid = fresh(grid)
		}
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("a run takes more than 101 days on any number of tokens up to %d", most)
	}
	return columns, nil
}

// powers returns the powers of two below most, and most.
func powers(most int32) []int32 {
	var grid []int32
	for a := int32(1); a < most; a *= 2 {
		grid = append(grid, a)
	}
	return append(grid, most)
}

// maxGrid bounds a chosen grid.
const maxGrid = 256

// between returns the allocations that a grid still needs: the geometric middle between neighbours, unless the
// table is known to be within bound of the line between them. It is known for three neighbours if the middle one
// is within three times bound of the line between the others: at half the distance, a smooth curve is a quarter
// as far off the line.
func between(columns []*column, bound float64) []int32 {
	var grid []int32
	for k := range len(columns) - 1 {
		a, b := columns[k], columns[k+1]
		middle := int32(math.Round(math.Sqrt(float64(a.tokens) * float64(b.tokens))))
		if middle <= a.tokens || middle >= b.tokens || len(columns)+len(grid) >= maxGrid {
			continue
		}
		if !(k > 0 && straight(columns[k-1], a, b, 3*bound) || k+2 < len(columns) &&
			straight(a, b, columns[k+2], 3*bound)) {
			grid = append(grid, middle)
		}
	}
	return grid
}

// A gap of a grid is probed at up to probed allocations, with probes runs at each: whole waves of tasks make the time
// of a run fall in steps, which neighbours do not show. mostProbed bounds the tasks that are simulated so.
const (
	probed     = 12
	probes     = 4
	mostProbed = 2_000_000
)

// probe finds allocations at which runs are farther from the line between the neighbours in a grid than bound, as a
// share of their time. run returns the times of runs on some tokens, zeros if they take too long to simulate; each has
// the same luck on any number of tokens. Where runs disagree about the distance, it must be the larger.
type probe struct {
	run   func(tokens int32) ([probes]float64, error)
	bound float64
	most  int // numbers of tokens, all together
	done  map[int32][probes]float64
}

// missed returns the worst allocation of each gap.
func (p *probe) missed(columns []*column) (grid []int32, err error) {
	for k := range len(columns) - 1 {
		a, b := columns[k].tokens, columns[k+1].tokens
		worst, at := 0.0, int32(0)
		for c := range spaced(a, b) {
			far, err := p.far(a, c, b)
			if err != nil {
				return nil, err
			}
			if far > worst {
				worst, at = far, c
			}
		}
		if worst > p.bound && len(columns)+len(grid) < maxGrid {
			grid = append(grid, at)
		}
	}
	return grid, nil
}

// spaced returns allocations between two others, at even distances.
func spaced(a, b int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		n := min(b-a-1, probed)
		for i := range n {
			if !yield(a + int32(math.Round(float64(i+1)*float64(b-a)/float64(n+1)))) {
				return
			}
		}
	}
}

// far returns how far runs on c are from the line between those on a and b, as a share of their time, less twice its
// standard error.
func (p *probe) far(a, c, b int32) (float64, error) {
	var times [3][probes]float64
	for i, tokens := range [...]int32{a, c, b} {
		var err error
		if times[i], err = p.times(tokens); err != nil {
			return 0, err
		}
	}
	share, sum, squares, whole := float64(c-a)/float64(b-a), 0.0, 0.0, 0.0
	for k := range probes {
		x := times[1][k] - times[0][k] - share*(times[2][k]-times[0][k])
		sum, squares, whole = sum+x, squares+x*x, whole+times[1][k]
	}
	if whole == 0 || times[0][0] == 0 || times[2][0] == 0 {
		return 0, nil
	}
	spread := math.Sqrt(max(0, squares-sum*sum/probes) / (probes - 1) / probes)
	return (math.Abs(sum/probes) - 2*spread) / (whole / probes), nil
}

// times returns the times of runs on some tokens; zeros, which are no distance, when too many were simulated.
func (p *probe) times(tokens int32) (all [probes]float64, err error) {
	all, ok := p.done[tokens]
	if ok || len(p.done) >= p.most {
		return all, nil
	}
	if all, err = p.run(tokens); err == nil {
		p.done[tokens] = all
	}
	return all, err
}

// straight reports whether the median and p90 of b are close to the line between a and c, at every progress:
// within a share of the median time of a run on b.
func straight(a, b, c *column, bound float64) bool {
	share := float64(b.tokens-a.tokens) / float64(c.tokens-a.tokens)
	whole := b.quantiles[0][remaining.Levels/2]
	for i := range remaining.Steps {
		if b.samples[i] == 0 {
			continue
		}
		for _, q := range []int{50, 90} {
			line := a.quantiles[i][q] + share*(c.quantiles[i][q]-a.quantiles[i][q])
			if math.Abs(line-b.quantiles[i][q]) > bound*whole {
				return false
			}
		}
	}
	return true
}
