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
// ended. Unlike [Table.Remaining] it takes the age of the run into account.
//
// Time that passes without progress is subtracted, at most until the next progress is due: so start-up, driver time and
// stages in flight count. The median says for all quantiles which progress is due next; where none is, the end is.
//
// A run that waits for longer than others did is one of the slow ones: runs that would have gone on by now are left
// out, all of them where the run waits for its end, half of them where half of the remaining time comes after the wait.
// A run that waits for its end for longer than 99 of 100 is taken for the slowest of these.
//
// The result never grows with a smaller q, and the end that it foretells is never earlier after a longer wait. A
// progress of 1 counts as the last one before the end. The result is NaN for impossible arguments. Conditioned does not
// allocate.
func (t *Table) Conditioned(s State, tokens, q float64) float64 {
	if math.IsNaN(s.Progress) || !(tokens > 0) || !(s.ElapsedS >= 0) || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	start := t.At(0, tokens)
	i := min(Step(s.Progress), Steps-2)
	median := t.Quantiles[Levels/2]
	w := wait{start: &start, from: i, to: Steps - 1}
	left, after := start.mix(median, i), 0.0
	for j := i + 1; j < Steps-1; j++ {
		const noise = 1e-9
		if x := start.mix(median, j); x < left*(1-noise) {
			w.to, after = j, x
			break
		}
	}
	since := s.SinceS
	if math.IsNaN(since) {
		since = min(s.ElapsedS, start.mix(median, 0)-left)
	}
	waited := max(0, s.ElapsedS-since)
	if over := w.over(waited); over > 0 {
		if after > 0 {
			over *= 1 - after/left
		} else {
			waited = min(waited, w.takes(oldest))
		}
		q = over + q*(1-over)
	}
	k, rest := hundredth(q)
	x, y := w.left(k), w.leftAfter(k)
	if rest > 0 {
		x += rest * (w.left(k+1) - x)
		y += rest * (w.leftAfter(k+1) - y)
	}
	return max(x-waited, y)
}

// wait is the time between two progresses of a run.
type wait struct {
	start    *Place
	from, to int // in hundredths
}

// left and leftAfter return a hundredth of the time, in seconds, that remains before and after the wait.
func (w *wait) left(k int) float64      { return w.start.mix(w.start.t.Quantiles[k], w.from) }
func (w *wait) leftAfter(k int) float64 { return w.start.mix(w.start.t.Quantiles[k], w.to) }

// takes returns a hundredth of the wait in seconds.
func (w *wait) takes(k int) float64 { return w.left(k) - w.leftAfter(k) }

// oldest is the hundredth of runs that no run is taken to be slower than.
const oldest = Levels - 2

// over returns the share of runs in which the wait is over after some seconds. It is at most oldest hundredths.
func (w *wait) over(seconds float64) float64 {
	low, high := 0, oldest
	least, most := w.takes(low), math.Inf(1)
	if seconds <= least {
		return 0
	}
	for low < high {
		k := (low + high + 1) / 2
		if x := w.takes(k); x <= seconds {
			low, least = k, x
		} else {
			high, most = k-1, x
		}
	}
	return (float64(low) + (seconds-least)/(most-least)) / (Levels - 1)
}
