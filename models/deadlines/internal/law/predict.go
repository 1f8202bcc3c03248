package law

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Forecast is the predictive distribution of the time of the next run.
type Forecast struct {
	parts []part
	// the logarithms of the shortest and the longest past time, less the mean of all
	shortest, longest float64
	// Periodic is the probability that the time of the day or of the week at which runs are submitted matters.
	Periodic float64
}

// part is Student's t distribution of the logarithm of the next time, with its share of the forecast.
type part struct{ weight, middle, spread, df float64 }

// Predict returns the predictive distribution of the next run from past runs, oldest first. ok is false if no
// past run has a time.
func Predict(past []Run, next Next, p Prior) (f Forecast, ok bool) {
	return new(Laws).Predict(past, next, p)
}

// Log returns the logarithm of the probability density of the logarithm of a time.
func (f *Forecast) Log(seconds float64) float64 {
	logs := make([]float64, len(f.parts))
	for i, c := range f.parts {
		t := distuv.StudentsT{Mu: c.middle, Sigma: c.spread, Nu: c.df}
		logs[i] = math.Log(c.weight) + t.LogProb(math.Log(seconds))
	}
	return floats.LogSumExp(logs) - math.Log(f.sum())
}

// Mixed returns the mixture of a forecast and another one of the same past times, which has a share in [0, 1] of it.
func (f Forecast) Mixed(other Forecast, share float64) Forecast {
	own, theirs := f.sum(), other.sum()
	parts := make([]part, 0, len(f.parts)+len(other.parts))
	for _, c := range f.parts {
		c.weight *= (1 - share) / own
		parts = append(parts, c)
	}
	for _, c := range other.parts {
		c.weight *= share / theirs
		parts = append(parts, c)
	}
	f.parts = parts
	return f
}

// sum returns the sum of the shares of all parts.
func (f *Forecast) sum() float64 {
	sum := 0.0
	for _, c := range f.parts {
		sum += c.weight
	}
	return sum
}

// target is the next run among past ones.
type target struct {
	input, tokens, bend, base float64 // as the features of past runs
	plan                      int
	scatter                   float64
	local, drift, period      [][]float64 // covariance with past runs, by local term, drift and period
}

// target returns the next run.
func (s *series) target(next *Next) *target {
	t := &target{plan: next.Plan, scatter: factorOf(next.Scatter), local: make([][]float64, len(locals)),
		drift: make([][]float64, len(drifts)), period: make([][]float64, len(periods))}
	if s.input.known() {
		t.input = math.Log(next.InputBytes) - s.input.mean
	}
	if s.tokens.known() {
		t.tokens = math.Log(next.Tokens) - s.tokens.mean
		t.bend = bend(t.tokens) - s.bends.mean
	}
	if s.base.known() {
		t.base = math.Log(next.Expected) - s.base.mean
	}
	for k := range locals {
		if locals[k].kind != noLocal && (s.input.known() || s.tokens.known()) {
			for i := range s.y {
				t.local[k] = append(t.local[k], s.local(&locals[k], i, t.input, t.tokens))
			}
		}
	}
	for k := range drifts {
		if drifts[k].amplitude > 0 {
			for _, order := range s.order {
				t.drift[k] = append(t.drift[k], drifted(k, order))
			}
		}
	}
	for _, k := range s.periods {
		for _, at := range s.submits {
			t.period[k] = append(t.period[k], periods[k].of(next.Submit-at))
		}
	}
	return t
}

// covariance fills in the covariance of the next run with past ones, in squares of the noise, and returns the next
// run's variance with its noise.
func (t *target) covariance(s *series, c *shared, with []float64) (own float64) {
	constant, bends := anywhere*anywhere, 0.
	if c.tokens.bend > 0 {
		bends = bentSpread * bentSpread
	}
	for i := range with {
		with[i] = constant
	}
	own = constant + c.noise(1, t.scatter)
	for _, of := range []struct {
		size, at float64
		feature  *feature
	}{{c.input.spread * c.input.spread, t.input, &s.input}, {c.tokens.spread * c.tokens.spread, t.tokens, &s.tokens},
		{bends, t.bend, &s.bends}} {
		if of.feature.known() && of.size > 0 {
			floats.AddScaled(with, of.size*of.at, of.feature.values)
			own += of.size * of.at * of.at
		}
	}
	if of := t.local[c.local]; of != nil {
		floats.Add(with, of)
		own += locals[c.local].of(0, 0)
	}
	if of := t.drift[c.drift]; of != nil { // the next run is the origin of trends
		floats.Add(with, of)
		own += drifted(c.drift, 0)
	}
	if of := t.period[c.period]; of != nil {
		floats.Add(with, of)
		own += periods[c.period].of(0)
	}
	if a := byPlan[c.plan]; a > 0 {
		for i, plan := range s.plans {
			if plan == t.plan {
				with[i] += a * a
			}
		}
		own += a * a
	}
	return own
}

// predict returns the predictive distribution of a next run.
func (l *law) predict(next Next) Forecast {
	f, s := l.fit, l.fit.s
	t := s.target(&next)
	inputs, tokens := s.slopes()
	with := make([]float64, len(s.y))
	marks := make([]float64, len(f.levels)) // of the next run, less what past runs tell of them
	seen, of := -1, (*standardised)(nil)
	var own, y, base, input, token, bends float64
	out := Forecast{parts: make([]part, f.weights.parts), shortest: slices.Min(s.y), longest: slices.Max(s.y)}
	for _, c := range f.weights.components {
		h := &f.hypotheses[c.at]
		if h.period > 0 {
			out.Periodic += c.weight
		}
		if h.covariance != seen {
			seen, of = h.covariance, &f.covariances[h.covariance]
			own = t.covariance(s, &of.shared, with)
			of.eliminate(with, 0)
			own -= dot(with, with)
			y = dot(with, of.y)
			base, input, token, bends = dot(with, of.base), dot(with, of.input), dot(with, of.tokens), dot(with, of.bends)
			for k := range of.marks {
				if m := &of.marks[k]; m.used {
					marks[k] = m.level.mark(of.n) - dot(m.mark, with)
				}
			}
		}
		x, z := inputs[h.input], tokens[h.tokens]
		middle, variance := s.mean+y, own
		if z.expected {
			middle += t.base - base
		}
		if s.input.known() {
			middle += x.mean * (t.input - input)
		}
		if s.tokens.known() {
			middle += z.mean*(t.tokens-token) + z.bend*(t.bend-bends)
		}
		partOf := func(share, mark, shrink float64) part {
			return part{share * c.weight, middle + shrink*mark*h.by,
				max(next.Least, c.width*math.Sqrt(variance+shrink*mark*mark)), c.df}
		}
		if h.level < 0 {
			out.parts[c.part] = partOf(1, 0, 0)
			continue
		}
		mark, shrink := marks[h.level], of.marks[h.level].shrink
		if l := &f.levels[h.level]; l.random() {
			out.parts[c.part], out.parts[c.part+1] = partOf(l.share, mark+1, shrink), partOf(1-l.share, mark, shrink)
		} else {
			out.parts[c.part] = partOf(1, mark, shrink)
		}
	}
	return out
}
