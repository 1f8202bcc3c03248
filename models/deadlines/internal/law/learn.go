package law

import (
	"math"
	"reflect"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// mostLaws bounds the laws that [Laws] keeps.
const mostLaws = 16

// Laws keeps what was learned from the past runs of a job, for predictions of other next runs: on other tokens, or of
// another input, which take a twentieth of the time of learning. The zero value is empty; several goroutines may use it
// at once.
type Laws struct {
	mutex sync.Mutex
	all   []*law // the latest last
}

// Predict returns what [Predict] does.
func (l *Laws) Predict(past []Run, next Next, p Prior) (f Forecast, ok bool) {
	of := l.learn(past, next, p)
	if of == nil {
		return f, false
	}
	f = of.predict(next)
	return f, len(f.parts) > 0
}

// learn returns the law of past runs, which it may have kept; nil where no past run has a time.
func (l *Laws) learn(past []Run, next Next, p Prior) *law {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, of := range l.all {
		if of.answers(past, next, &p) {
			return of
		}
	}
	of := learn(past, next, p)
	if of != nil {
		if len(l.all) == mostLaws {
			l.all = slices.Delete(l.all, 0, 1)
		}
		l.all = append(l.all, of)
	}
	return of
}

// law is what past runs teach of a next run of which some numbers are known.
type law struct {
	past  []Run
	prior Prior
	knows [3]bool // input, tokens, expected time of the next run
	fit   *fit
}

// numbers reports which numbers of a run are known.
func (n *Next) numbers() [3]bool {
	return [3]bool{positive(n.InputBytes), positive(n.Tokens), positive(n.Expected)}
}

// learn learns a law.
func learn(past []Run, next Next, p Prior) *law {
	s := newSeries(past, next)
	if s == nil {
		return nil
	}
	l := &law{past: slices.Clone(past), prior: p, knows: next.numbers(), fit: newFit(s, &p)}
	if p.Outlier > 0 && l.fit.discount() {
		l.fit = newFit(s, &p)
	}
	return l
}

// answers reports whether a law is what would be learned from past runs about a next one.
func (l *law) answers(past []Run, next Next, p *Prior) bool {
	several, scattered := l.fit.s.differ(next)
	return l.knows == next.numbers() && l.fit.s.several == several && l.fit.s.scattered == scattered &&
		slices.EqualFunc(l.past, past, same) && reflect.DeepEqual(&l.prior, p)
}

// same reports whether two runs are the same, also where numbers of both are not known.
func same(a, b Run) bool {
	for _, x := range [...][2]float64{{a.Seconds, b.Seconds}, {a.InputBytes, b.InputBytes}, {a.Tokens, b.Tokens},
		{a.Expected, b.Expected}, {a.Extra, b.Extra}, {a.Scatter, b.Scatter}} {
		if math.Float64bits(x[0]) != math.Float64bits(x[1]) {
			return false
		}
	}
	return a.Plan == b.Plan && a.Apart == b.Apart
}

// target is the next run among past ones.
type target struct {
	input, tokens, bend, base float64 // as the features of past runs
	plan                      int
	scatter                   float64
	local, drift              [][]float64 // covariance with past runs, by local term and drift
}

// target returns the next run.
func (s *series) target(next *Next) *target {
	t := &target{plan: next.Plan, scatter: factorOf(next.Scatter), local: make([][]float64, len(locals)),
		drift: make([][]float64, len(drifts))}
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
	return t
}

// covariance fills in the covariance of the next run with past ones, in squares of the noise, and returns the next
// run's variance with its noise.
func (t *target) covariance(s *series, c *shared, with []float64) (own float64) {
	constant, input, tokens, bends := anywhere*anywhere, c.input.spread*c.input.spread, c.tokens.spread*c.tokens.spread, 0.
	if c.tokens.bend > 0 {
		bends = bentSpread * bentSpread
	}
	for i := range with {
		with[i] = constant
	}
	own = constant + 1
	if byScatter[c.scatter] {
		own = constant + t.scatter
	}
	for _, of := range []struct {
		size, at float64
		feature  *feature
	}{{input, t.input, &s.input}, {tokens, t.tokens, &s.tokens}, {bends, t.bend, &s.bends}} {
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
	out := Forecast{parts: make([]part, len(f.weights.components)), shortest: slices.Min(s.y), longest: slices.Max(s.y)}
	for i, c := range f.weights.components {
		h := &f.hypotheses[c.at]
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
		if h.level >= 0 {
			shrink := of.marks[h.level].shrink
			middle += shrink * marks[h.level] * h.by
			variance += shrink * marks[h.level] * marks[h.level]
		}
		out.parts[i] = part{c.weight, middle, max(next.Least, c.width*math.Sqrt(variance)), c.df}
	}
	return out
}
