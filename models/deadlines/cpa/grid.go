package cpa

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/remaining"
)

// choose evaluates the columns of a grid up to most tokens, which is made finer until it is close enough to linear.
// Columns that evaluate leaves out are not in it.
func choose(most int32, bound float64, evaluate func(grid []int32) ([]*column, error)) ([]*column, error) {
	var columns []*column
	asked := map[int32]bool{}
	for grid := powers(most); len(grid) > 0; grid = between(columns, bound) {
		grid = slices.DeleteFunc(grid, func(a int32) bool { return asked[a] })
		for _, a := range grid {
			asked[a] = true
		}
		wave, err := evaluate(grid)
		if err != nil {
			return nil, err
		}
		columns = append(columns, wave...)
		slices.SortFunc(columns, func(a, b *column) int { return int(a.tokens - b.tokens) })
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
