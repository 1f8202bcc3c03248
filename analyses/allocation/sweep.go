package allocation

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
)

// use is the usage of a run over time.
type use struct {
	most            int64   // the most tokens at once
	from, to        int64   // microseconds: when the run held its guarantee; from > to when not known
	levels          []level // time spent at each number of tokens, ascending by tokens
	spare, notSpare int     // attempts
	untimed         int     // attempts without a known time
}

// level is the time during which a run used a number of tokens.
type level struct {
	tokens int64
	micros float64
}

// cover widens the time of the run to hold t, if that is known.
func (u *use) cover(t trace.Instant) {
	if t.Known() {
		u.from, u.to = min(u.from, int64(t)), max(u.to, int64(t))
	}
}

// seconds returns the time for which the run held its guarantee, NaN if it is not known.
func (u *use) seconds() float64 {
	if u.to < u.from {
		return math.NaN()
	}
	return trace.Duration(u.to - u.from).Seconds()
}

// against returns the share of the guaranteed token-time that was not used, NaN when the run has no known length, and
// the share of the used token-time that lay beyond the guarantee, NaN when there is none.
func (u *use) against(guaranteed int64) (unused, beyond float64) {
	var within, above float64
	for _, l := range u.levels {
		within += float64(min(l.tokens, guaranteed)) * l.micros
		above += float64(max(0, l.tokens-guaranteed)) * l.micros
	}
	unused, beyond = math.NaN(), math.NaN()
	if u.to > u.from {
		unused = max(0, 1-within/(float64(guaranteed)*float64(u.to-u.from)))
	}
	if within+above > 0 {
		beyond = above / (within + above)
	}
	return unused, beyond
}

// sustained returns the least number of tokens that was not exceeded for 95% of the time during which any was used; the
// most where none was used for any time.
func (u *use) sustained() int64 {
	var busy, below float64
	for _, l := range u.levels {
		if l.tokens > 0 {
			busy += l.micros
		}
	}
	for _, l := range u.levels {
		if l.tokens > 0 {
			if below += l.micros; below >= 0.95*busy {
				return l.tokens
			}
		}
	}
	return u.most
}

// sweeper finds how many attempts run at once by a sweep over their starts and ends. It keeps its memory between runs.
type sweeper struct {
	starts, ends, moments []int64   // of attempts with a length; of those without
	micros                []float64 // time during which exactly i attempts ran
	levels                []level
}

// attempts measures a run by its attempts; known is false when none of them has a known time. An attempt runs from its
// start up to, and not including, its end; one of no length runs at its instant; one that had not ended when the trace
// did runs until the end of the run. Attempts without a known time are counted. The result is valid until the next
// call. Time O(n log n) for n attempts.
func (s *sweeper) attempts(run *trace.Run) (u use, known bool) {
	u = use{from: math.MaxInt64, to: math.MinInt64}
	s.starts, s.ends, s.moments = s.starts[:0], s.ends[:0], s.moments[:0]
	u.cover(run.Start)
	u.cover(run.End)
	open := 0
	for i := range run.Attempts {
		a := &run.Attempts[i]
		switch a.Spare {
		case trace.Yes:
			u.spare++
		case trace.No:
			u.notSpare++
		}
		switch {
		case !a.Start.Known() || !a.End.Known() && a.Status != trace.Running:
			u.untimed++
			continue
		case !a.End.Known():
			open++
			s.starts = append(s.starts, int64(a.Start))
		case a.End == a.Start:
			s.moments = append(s.moments, int64(a.Start))
		default:
			s.starts, s.ends = append(s.starts, int64(a.Start)), append(s.ends, int64(a.End))
		}
		u.cover(a.Start)
		u.cover(a.End)
	}
	if len(s.starts)+len(s.moments) == 0 {
		return u, false
	}
	for range open {
		s.ends = append(s.ends, u.to)
	}
	slices.Sort(s.starts)
	slices.Sort(s.ends)
	slices.Sort(s.moments)
	s.sweep(&u)
	return u, true
}

// sweep goes through the instants at which something changes: there, ends come first, then starts, then attempts of no
// length for that instant only.
func (s *sweeper) sweep(u *use) {
	s.micros = append(s.micros[:0], 0)
	var started, ended, passed int
	last := u.from
	for started < len(s.starts) || ended < len(s.ends) || passed < len(s.moments) {
		now := min(next(s.starts, started), next(s.ends, ended), next(s.moments, passed))
		s.micros[started-ended] += float64(now - last)
		last = now
		for next(s.ends, ended) == now && ended < len(s.ends) {
			ended++
		}
		for next(s.starts, started) == now && started < len(s.starts) {
			started++
		}
		here := passed
		for next(s.moments, passed) == now && passed < len(s.moments) {
			passed++
		}
		u.most = max(u.most, int64(started-ended+passed-here))
		for len(s.micros) <= started-ended {
			s.micros = append(s.micros, 0)
		}
	}
	s.levels = s.levels[:0]
	for tokens, micros := range s.micros {
		if micros > 0 {
			s.levels = append(s.levels, level{int64(tokens), micros})
		}
	}
	u.levels = s.levels
}

// next returns element i, or the largest number past the end.
func next(at []int64, i int) int64 {
	if i < len(at) {
		return at[i]
	}
	return math.MaxInt64
}

// held measures a run by its allocations; known is false if it has none above 0. Changes at unknown times count for the
// most tokens only.
func held(run *trace.Run) (u use, known bool) {
	h := run.Held()
	if h.Basis != trace.HeldAllocations {
		return u, false
	}
	u = use{most: h.Most, from: math.MaxInt64, to: math.MinInt64}
	u.cover(run.Start)
	u.cover(run.End)
	for _, s := range h.Steps[1:] {
		u.cover(s.At)
	}
	if len(h.Steps) == 1 {
		h.Steps[0].Tokens = 0
	}
	for i, s := range h.Steps {
		from, to := u.from, u.to
		if i > 0 {
			from = int64(s.At)
		}
		if i+1 < len(h.Steps) {
			to = int64(h.Steps[i+1].At)
		}
		if to > from {
			u.levels = append(u.levels, level{s.Tokens, float64(to - from)})
		}
	}
	slices.SortStableFunc(u.levels, func(a, b level) int { return cmp.Compare(a.tokens, b.tokens) })
	return u, true
}
