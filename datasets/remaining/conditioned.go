package remaining

import "math"

// State is how far a run is, and how old.
type State struct {
	Progress float64 // in [0, 1]
	ElapsedS float64 // since its submission
	// SinceS is when it reached that hundredth of progress, in seconds since its submission: 0 for progress 0. NaN: not known, then
	// it is taken to have been on time.
	SinceS float64
}

// Conditioned returns the quantile q of the remaining time, in seconds, of a run in some state that has not
// ended. Unlike [Table.Remaining] it takes the age of the run into account. Time that passes without progress is
// subtracted, at most until the next progress is due: so start-up, driver time and stages in flight count. A
// progress of 1 counts as the last one before the end. The result is NaN for impossible arguments. Conditioned
// does not allocate.
func (t *Table) Conditioned(s State, tokens, q float64) float64 {
	if math.IsNaN(s.Progress) || math.IsNaN(tokens) || !(s.ElapsedS >= 0) || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	start := t.At(0, tokens)
	i := min(Step(s.Progress), Steps-2)
	var wanted levels
	wanted.fill(&start, q)
	since := s.SinceS
	if math.IsNaN(since) {
		var median levels
		median.fill(&start, 0.5)
		since = min(s.ElapsedS, median.at(0)-median.at(i))
	}
	waited := max(0, s.ElapsedS-since)
	first := wanted.at(i)
	for j := i + 1; j < Steps-1; j++ {
		const noise = 1e-9
		if next := wanted.at(j); next < first*(1-noise) {
			return max(first-waited, next)
		}
	}
	return start.step(i).beyond(waited, q)
}

// levels is a quantile of the cells of some tokens.
type levels struct {
	low, high   []float64 // of a hundredth, and of the next one: of the allocation below the tokens, by progress
	low2, high2 []float64 // and of the one above
	rest, share float64   // of high, and of the allocation above
}

// fill sets l to a quantile at every progress, for a place at progress 0.
func (l *levels) fill(p *Place, q float64) {
	h := q * (Levels - 1)
	k := min(int(h+1e-9), Levels-1)
	l.share = p.share
	l.low = p.t.Quantiles[k][p.low : p.low+Steps]
	if p.share > 0 {
		l.low2 = p.t.Quantiles[k][p.high : p.high+Steps]
	}
	rest := h - float64(k)
	if rest <= 1e-9 {
		return
	}
	l.rest, l.high = rest, p.t.Quantiles[k+1][p.low:p.low+Steps]
	if p.share > 0 {
		l.high2 = p.t.Quantiles[k+1][p.high : p.high+Steps]
	}
}

// at returns the quantile at i hundredths of progress.
func (l *levels) at(i int) float64 {
	x := l.low[i]
	if l.share > 0 {
		x += l.share * (l.low2[i] - x)
	}
	if l.rest == 0 {
		return x
	}
	y := l.high[i]
	if l.share > 0 {
		y += l.share * (l.high2[i] - y)
	}
	return x + l.rest*(y-x)
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
