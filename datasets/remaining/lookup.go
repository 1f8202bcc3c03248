package remaining

import (
	"math"
	"slices"
)

// Place is where in a table a look-up is answered: between two cells of one progress.
type Place struct {
	Progress  float64 // of the cells: the requested one, rounded down to hundredths
	Tokens    float64 // nearest to the requested number within the grid
	Clamped   bool    // Tokens differs from the requested number, or progress was not in [0, 1]
	OffGrid   bool    // Tokens is not an allocation of the grid: the answer is interpolated
	t         *Table
	low, high int     // cells
	share     float64 // of high
	longer    float64 // factor on the cells: above 1 with fewer tokens than the grid has
}

// At finds the cells for a progress in [0, 1] and a number of tokens, above 0, which may be fractional. Neither may be
// NaN. Beyond the largest allocation of the grid its cells answer: a run may be faster. Below the smallest one its
// times are multiplied by the ratio of tokens, as if all time were work that tokens share: a run is no slower. So
// whoever seeks the fewest tokens for a deadline is on the safe side. At does not allocate.
func (t *Table) At(progress, tokens float64) Place {
	i := Step(progress)
	grid := t.Allocations
	last := len(grid) - 1
	p := Place{Progress: Progress(i), Tokens: tokens, Clamped: progress < 0 || progress > 1, t: t, longer: 1}
	switch {
	case tokens <= float64(grid[0]):
		p.low, p.Tokens, p.longer = 0, float64(grid[0]), float64(grid[0])/tokens
	case tokens >= float64(grid[last]):
		p.low, p.Tokens = last, float64(grid[last])
	default:
		k, found := slices.BinarySearchFunc(grid, tokens, func(a int32, tokens float64) int {
			switch x := float64(a); {
			case x < tokens:
				return -1
			case x > tokens:
				return 1
			}
			return 0
		})
		p.low = k
		if !found {
			a, b := float64(grid[k-1]), float64(grid[k])
			p.low, p.share, p.OffGrid = k-1, (tokens-a)/(b-a), true
		}
	}
	p.Clamped = p.Clamped || p.Tokens != tokens
	p.high = p.low
	if p.OffGrid {
		p.high++
	}
	p.low, p.high = p.low*Steps+i, p.high*Steps+i
	return p
}

// Quantile returns the quantile q of the remaining time, in seconds: 0 is the least that was seen, 1 the largest, and
// between hundredths it is linear. q is in [0, 1]; beyond, and for NaN, the result is NaN.
func (p Place) Quantile(q float64) float64 {
	if !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	k, rest := hundredth(q)
	x := p.mix(p.t.Quantiles[k], 0)
	if rest > 0 {
		x += rest * (p.mix(p.t.Quantiles[k+1], 0) - x)
	}
	return x
}

// nothing is the median time, as a share of a run, below which nothing remains.
const nothing = 0.001

// Unfinished returns the place of the largest progress, up to this one, at which runs have not ended. Where many tasks
// end together, runs pass many hundredths of progress and end at once: nothing remains there. That says little of a run
// that rests there because it held other tokens before.
func (p Place) Unfinished() Place {
	i, start, median := p.low%Steps, p, p.t.Quantiles[Levels/2]
	start.low, start.high = p.low-i, p.high-i
	for 0 < i && i < Steps-1 && start.mix(median, i) <= nothing*start.mix(median, 0) {
		i--
	}
	p.low, p.high, p.Progress = start.low+i, start.high+i, Progress(i)
	return p
}

// hundredth returns the one at or below a quantile q in [0, 1], and which share of the next one q is beyond it.
func hundredth(q float64) (k int, rest float64) {
	h := q * (Levels - 1)
	k = min(int(h+1e-9), Levels-1) // a hundredth times 100 may be a little less than whole
	if rest = h - float64(k); rest <= 1e-9 {
		rest = 0
	}
	return k, rest
}

// Mean returns the mean remaining time in seconds.
func (p Place) Mean() float64 { return p.mix(p.t.Mean, 0) }

// Samples is the number of samples behind the answer: the fewest of its cells.
func (p Place) Samples() int64 { return min(p.t.Samples[p.low], p.t.Samples[p.high]) }

// mix returns the value of the cells, so many hundredths of progress later.
func (p *Place) mix(of []float64, later int) float64 {
	a := of[p.low+later]
	if p.low == p.high {
		return p.longer * a
	}
	return a + p.share*(of[p.high+later]-a)
}

// Remaining returns the quantile q of the remaining time, in seconds, at a progress and with a number of tokens: see
// [Table.At] and [Place.Quantile]. It is NaN where progress is, and without tokens.
func (t *Table) Remaining(progress, tokens, q float64) float64 {
	if math.IsNaN(progress) || !(tokens > 0) {
		return math.NaN()
	}
	return t.At(progress, tokens).Quantile(q)
}
