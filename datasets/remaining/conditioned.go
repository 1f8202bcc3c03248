package remaining

import "math"

// State is how far a run is, and how old.
type State struct {
	Progress float64 // in [0, 1]
	ElapsedS float64 // since its submission
	// SinceS is when it reached that hundredth of progress, in seconds since its submission: 0 for progress 0. NaN: not
	// known, then it is taken to have been on time.
	SinceS float64
}

// Conditioned returns the quantile q of the remaining time, in seconds, of a run in some state that has not
// ended. Unlike [Table.Remaining] it takes the age of the run into account. Time that passes without progress is
// subtracted, at most until the next progress is due: so start-up, driver time and stages in flight count. The
// median says for all quantiles which progress is due next, so the result never grows with a smaller q. A progress
// of 1 counts as the last one before the end. The result is NaN for impossible arguments. Conditioned does not
// allocate.
func (t *Table) Conditioned(s State, tokens, q float64) float64 {
	if math.IsNaN(s.Progress) || math.IsNaN(tokens) || !(s.ElapsedS >= 0) || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	start := t.At(0, tokens)
	i := min(Step(s.Progress), Steps-2)
	median := t.Quantiles[Levels/2]
	here := start.step(i)
	first := here.mix(median)
	since := s.SinceS
	if math.IsNaN(since) {
		since = min(s.ElapsedS, start.mix(median)-first)
	}
	waited := max(0, s.ElapsedS-since)
	for j := i + 1; j < Steps-1; j++ {
		const noise = 1e-9
		if due := start.step(j); due.mix(median) < first*(1-noise) {
			return max(here.Quantile(q)-waited, due.Quantile(q))
		}
	}
	return here.beyond(waited, q)
}

// step returns the place at i hundredths of progress, for one at progress 0.
func (p Place) step(i int) Place {
	p.low, p.high, p.Progress = p.low+i, p.high+i, Progress(i)
	return p
}

// beyond returns the quantile q of the rest of a time, given that the time exceeds its elapsed part; 0 if it
// never did.
func (p Place) beyond(passed, q float64) float64 {
	low, high := 0.0, 1.0
	if p.Quantile(high) <= passed {
		return 0
	}
	if p.Quantile(low) >= passed {
		high = 0
	}
	for high-low > 0.001 {
		if middle := (low + high) / 2; p.Quantile(middle) < passed {
			low = middle
		} else {
			high = middle
		}
	}
	return max(0, p.Quantile(low+q*(1-low))-passed)
}
