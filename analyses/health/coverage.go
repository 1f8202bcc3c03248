package health

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/result"
)

// The sizes of results.
const (
	shownBins = 400
	shownGaps = 5
)

// Thresholds for reporting times.
const (
	manyInstants = 20 // least number for judging the clock
	farSpans     = 10 // spans of the central instants that make an instant far from them
	coarseTicks  = second
)

// finishTimes judges the activity of the trace over time and the resolution of its clock.
func (p *Partial) finishTimes(h *result.Health) {
	bins := p.activity.sorted()
	c := &h.Coverage
	nan := result.Number(math.NaN())
	*c = result.HealthCoverage{Base: p.opts.TimeBase, FirstS: nan, LastS: nan, FromS: nan, ToS: nan, WidthS: nan,
		LongShare: nan,
		IdleShare: nan, ShortestS: nan, MeanEveryS: nan, Bins: []result.HealthBin{}, Gaps: []result.HealthGap{},
		Begins: p.begins.result(), Ends: p.ends.result()}
	h.Clock = result.HealthClock{Instants: p.clock.n, ResolutionS: result.Number(p.clock.resolution()),
		DurationResolutionS: result.Number(p.durations.resolution()), WholeSeconds: nan, WholeMillis: nan}
	if p.clock.n == 0 {
		return
	}
	n := float64(p.clock.n)
	h.Clock.WholeSeconds, h.Clock.WholeMillis = result.Number(float64(p.clock.seconds)/n),
		result.Number(float64(p.clock.millis)/n)
	from, to := p.bulk(bins)
	c.FirstS, c.LastS = number(bins[0].first), number(bins[len(bins)-1].last)
	c.FromS, c.ToS = number(bins[from].first), number(bins[to].last)
	p.finishFar(bins, from, to)
	p.draw(c, bins, from, to)
	p.findGaps(c, bins, from, to)
	p.finishPiles()
	p.finishClock()
}

func number(t int64) result.Number { return result.Number(float64(t) / float64(second)) }

// bulk returns the first and the last bin of the coherent part of the trace. It begins with the central bins,
// which leave out a hundredth of the instants at either side (at least three, never more than a quarter). It
// then grows over gaps of at most farSpans times their span plus a day.
func (p *Partial) bulk(bins []bin) (from, to int) {
	trim := min(p.clock.n/4, max(maxExamples, p.clock.n/100))
	from, to = 0, len(bins)-1
	for left := trim - bins[from].instants; left >= 0; left -= bins[from].instants {
		from++
	}
	for left := trim - bins[to].instants; left >= 0; left -= bins[to].instants {
		to--
	}
	span := bins[to].last - bins[from].first
	near := func(a, b bin) bool {
		distance := b.first - a.last
		return distance <= int64(day) || distance/farSpans <= span
	}
	for from > 0 && near(bins[from-1], bins[from]) {
		from--
	}
	for to+1 < len(bins) && near(bins[to], bins[to+1]) {
		to++
	}
	return from, to
}

// finishFar counts instants outside the bulk.
func (p *Partial) finishFar(bins []bin, from, to int) {
	t := &p.tallies[farInstants]
	t.of = p.clock.n
	for _, b := range bins[:from] {
		t.count += b.instants
		t.runs += b.runs.begins
	}
	for _, b := range bins[to+1:] {
		t.count += b.instants
		t.runs += b.runs.ends
	}
	for _, e := range p.first.runs {
		if int64(e.at) < bins[from].first {
			t.examples = append(t.examples, example{run: e.run, at: nowhere, value: seconds(e.at)})
		}
	}
	for _, e := range p.last.runs {
		if int64(e.at) > bins[to].last {
			t.examples = append(t.examples, example{run: e.run, at: nowhere, value: seconds(e.at)})
		}
	}
	t.examples = t.examples[:min(len(t.examples), maxExamples)]
}

// draw makes the bins that are shown, adjacent and few.
func (p *Partial) draw(c *result.HealthCoverage, bins []bin, from, to int) {
	shift := p.activity.shift
	for bins[to].last>>shift-bins[from].first>>shift >= shownBins {
		shift++
	}
	base := bins[from].first >> shift
	shown := make([]bin, bins[to].last>>shift-base+1)
	var runs, attempts int64 // in progress when a bin begins
	for _, b := range bins[:from] {
		runs += b.runs.begins - b.runs.ends
		attempts += b.attempts.begins - b.attempts.ends
	}
	for _, b := range bins[from : to+1] {
		start := b.key << p.activity.shift
		into := start>>shift - base
		b.shift(uint64(start - start>>shift<<shift))
		shown[into].add(&b)
	}
	width := math.Ldexp(1, int(shift))
	c.WidthS = result.Number(width / float64(second))
	for i := range shown {
		b := &shown[i]
		c.Bins = append(c.Bins, result.HealthBin{
			AtS: float64((base+int64(i))<<shift) / float64(second), Arrivals: b.arrivals,
			Runs: b.runs.mean(runs, width), Attempts: b.attempts.mean(attempts, width),
		})
		runs += b.runs.begins - b.runs.ends
		attempts += b.attempts.begins - b.attempts.ends
	}
}

// mean returns the mean number in progress in a bin that begins with n of them.
func (f *flow) mean(n int64, width float64) float64 {
	begun := float64(f.begins) - f.beginsAfter.Float64()/width
	ended := float64(f.ends) - f.endsOff.Float64()/width
	return max(0, float64(n)+begun-ended)
}

// findGaps finds the periods of the bulk without an arrival and without a run in progress.
func (p *Partial) findGaps(c *result.HealthCoverage, bins []bin, from, to int) {
	span := bins[to].last - bins[from].first
	if span <= 0 {
		return
	}
	var arrivals, running int64
	for _, b := range bins[:from] {
		running += b.runs.begins - b.runs.ends
	}
	var gaps []result.HealthGap
	idle := int64(0)
	for i := from; i <= to; i++ {
		b := &bins[i]
		arrivals += b.arrivals
		running += b.runs.begins - b.runs.ends
		if i == to || running != 0 {
			continue
		}
		length := bins[i+1].first - b.last
		idle += length
		gaps = append(gaps, result.HealthGap{FromS: float64(b.last) / float64(second),
			ToS: float64(bins[i+1].first) / float64(second), Seconds: float64(length) / float64(second)})
	}
	every := float64(span) / float64(second) / float64(max(arrivals, 1))
	chance := (math.Log(float64(max(arrivals, 1))) + 5) * every
	long := 0.0
	for i := range gaps {
		if gaps[i].Seconds > chance {
			gaps[i].Long = true
			c.LongGaps++
			long += gaps[i].Seconds
		}
	}
	slices.SortStableFunc(gaps, func(a, b result.HealthGap) int { return cmp.Compare(b.Seconds, a.Seconds) })
	c.GapCount, c.Gaps = int64(len(gaps)), append(c.Gaps, gaps[:min(len(gaps), shownGaps)]...)
	c.ShortestS, c.MeanEveryS = result.Number(math.Ldexp(1, int(p.activity.shift))/float64(second)),
		result.Number(every)
	c.LongShare = result.Number(long / (float64(span) / float64(second)))
	p.tallies[coverageGap] = tally{of: max(c.GapCount, 1), count: c.LongGaps}
	if c.LongGaps > 0 {
		p.tallies[coverageGap].largest = c.Gaps[0].Seconds
		if c.LongShare >= 0.05 && 2*p.timed >= p.extents {
			p.tallies[coverageGap].level = warn
		}
	}
	if 2*p.timed >= p.extents { // otherwise the times of most runs are unknown
		c.IdleShare = result.Number(float64(idle) / float64(span))
		p.tallies[notContinuous].of = 1
		if c.IdleShare > 0.5 {
			p.tallies[notContinuous].count = 1
		}
	}
}

func (x *pile) result() result.HealthPile {
	r := result.HealthPile{AtS: result.Number(math.NaN()), Runs: x.n, Of: x.of}
	if x.n > 0 {
		r.AtS = result.Number(seconds(x.at))
	}
	return r
}

// finishPiles judges how many runs begin first, and end last.
func (p *Partial) finishPiles() {
	for _, x := range []struct {
		c    check
		pile *pile
	}{{beginsAtFirst, &p.begins}, {endsAtLast, &p.ends}} {
		t := &p.tallies[x.c]
		t.of = x.pile.of
		if x.pile.n < 3 || 100*x.pile.n < x.pile.of {
			continue
		}
		t.count, t.runs = x.pile.n, x.pile.n
		for _, run := range x.pile.runs {
			t.examples = append(t.examples, example{run: run, at: nowhere, value: math.NaN()})
		}
	}
}

// finishClock judges the resolution of recorded times.
func (p *Partial) finishClock() {
	if p.clock.n >= manyInstants && p.clock.gcd > 0 {
		p.tallies[coarseClock].of = p.clock.n
		p.tallies[mixedClock].of = p.clock.n
		whole := float64(p.clock.seconds) / float64(p.clock.n)
		switch {
		case p.clock.gcd >= coarseTicks:
			p.tallies[coarseClock].count = p.clock.n
		case whole >= max(0.2, 3*p.clock.resolution()) && whole < 1:
			p.tallies[mixedClock].count = p.clock.seconds
		}
	}
	if p.opts.TimeBase == "unix" {
		p.tallies[zoneUnknown] = tally{of: 1, count: 1}
	}
}
