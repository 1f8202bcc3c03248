package cpa

import (
	"math"
	"slices"

	"racecard/datasets/remaining"
	"racecard/models/deadlines/progress"
)

// amdahl returns the remaining time of a run, in seconds, on the given tokens, when the given fractions of its stages'
// tasks are done. It is the formula that Jockey compares its simulator with (section 4.1), an extension of Amdahl's
// law,
//
//	S_t + P_t/a,  S_t = max over f_s<1 of (1-f_s) l_s + L_s,  P_t = Σ over f_s<1 of (1-f_s) T_s
//
// for the longest task l_s of a stage, the longest path L_s after it, and the total execution time T_s of its
// tasks. Amdahl's law itself divides work into parallel and serial parts: with apart, P_t leaves out the path,
// but is never below 0.
func amdahl(p *progress.Plan, done []float64, tokens float64, apart bool) float64 {
	path, work := p.Path(done), p.Work(done)
	if apart {
		work = max(0, work-path)
	}
	return path + work/tokens
}

// AmdahlOptions are the options of a table by the formula.
type AmdahlOptions struct {
	Indicator   progress.Indicator
	Allocations []int32 // ascending; empty: chosen, up to Most
	Most        int32   // tasks of the widest stage
	GridError   float64 // as in Options
	Apart       bool    // as in Amdahl
	Runs        int64   // number of runs behind the totals: the samples of every cell
}

// BuildAmdahl returns the table of the formula. A progress stands for the state in which the earlier run reached
// it, so that no simulation is needed. All quantiles are equal, as the formula has a single value.
func BuildAmdahl(p *progress.Plan, about remaining.About, o AmdahlOptions) (*remaining.Table, error) {
	check := DefaultOptions()
	check.Indicator, check.Allocations, check.GridError = o.Indicator, o.Allocations, o.GridError
	if err := check.Validate(); err != nil {
		return nil, err
	}
	if math.IsNaN(p.At(o.Indicator, p.During(0))) {
		return nil, unknown(o.Indicator)
	}
	var done [remaining.Steps][]float64
	for i := range done {
		done[i] = reached(p, o.Indicator, remaining.Progress(i))
	}
	evaluate := func(grid []int32) ([]*column, error) {
		columns := make([]*column, len(grid))
		for k, a := range grid {
			c := &column{tokens: a, exact: true}
			for i := range remaining.Steps - 1 {
				c.mean[i] = amdahl(p, done[i], float64(a), o.Apart)
			}
			for i := range remaining.Steps {
				c.samples[i] = max(1, o.Runs)
				c.quantiles[i] = slices.Repeat([]float64{c.mean[i]}, remaining.Levels)
			}
			columns[k] = c
		}
		return columns, nil
	}
	var columns []*column
	var err error
	if len(o.Allocations) > 0 {
		columns, err = evaluate(o.Allocations)
	} else {
		columns, err = choose(max(1, o.Most), o.GridError, evaluate, nil)
	}
	if err != nil {
		return nil, err
	}
	t := assemble(columns, about)
	t.About.Method, t.About.Indicator, t.About.Sampling = remaining.Amdahl, o.Indicator.String(), remaining.ByProgress
	t.About.Monotone, _, _ = monotonize(t, len(t.Allocations))
	return t, t.Verify()
}

// reached returns the state in which the earlier run first reached a progress.
func reached(p *progress.Plan, of progress.Indicator, x float64) []float64 {
	low, high := 0.0, 1.0
	for range 60 { // until they are neighbours
		middle := low + (high-low)/2
		if p.At(of, p.During(middle)) >= x {
			high = middle
		} else {
			low = middle
		}
	}
	if p.At(of, p.During(low)) >= x {
		high = low
	}
	return p.During(high)
}
