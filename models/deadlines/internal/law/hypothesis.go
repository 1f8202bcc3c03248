package law

import (
	"math"
	"slices"
)

// hypothesis is one combination of slopes, local term, drift and change of level. Sizes and certainty of the noise are
// averaged within it.
type hypothesis struct {
	input, tokens, local, drift, plan, scatter, period int // positions in the lists of [Prior]

	covariance, level int     // positions in the fit; level is below 0 where none changed
	by                float64 // product of the standardised level and residuals

	// loudest is the largest noise, as past runs show it, for which effects in units of the noise make sense
	loudest float64

	chance  float64 // logarithm of the probability of its change
	squares float64 // sum of squares of past runs but the first, standardised one after the other in units of the noise
	lost    float64 // degrees of freedom that its expected times lose
	log     float64 // logarithm of the determinant of their covariance
}

// Changes of level are sought among the newest runs only, after enough older ones. Any of the very newest runs may be
// an outlier instead, which is five times as likely: a single run is seldom a new level, two or three similar runs are.
// In the shared traces, forecasts that follow a single run are the worst.
const (
	newest        = 12
	settled       = 8
	undecided     = 3
	changeChance  = 0.004 // per run
	outlierChance = 0.02
	gentleChance  = 0.02
	steepChance   = 0.006
	modesChance   = 0.01
	shortest      = 3   // runs that a new trend has
	levelSize     = 10  // standard deviation of a level, in units of the noise
	quiet         = 0.2 // the largest noise that changes of level stand out from
)

// gentle and steep are the standard deviations of the slope of a new trend, in units of the noise per run. Most trends
// are gentle.
const (
	gentle = 0.35
	steep  = 1
)

// level is the hypothesis that some runs have another level, or that the newest runs have another trend.
type level struct {
	from, to int
	trend    float64   // gentle or steep, for a trend that begins at run from and goes on; 0 for a level
	order    []float64 // of past runs, for a trend
	// long tells which past runs have the level, where runs have it at random; nil elsewhere. share is the probability
	// that the next run has it.
	long    []bool
	share   float64
	chance  float64 // logarithm of its probability
	loudest float64
}

// older reports whether all runs before to have the level, and no others.
func (l *level) older() bool { return l.from == 0 && l.trend == 0 && !l.random() }

// random reports whether runs have the level at random.
func (l *level) random() bool { return l.long != nil }

// mark is the coefficient of the level, or of the slope of the trend, in the time of run i; the next run is i = n. If
// runs have the level at random, the next run has it or not: its coefficient is 1 or 0.
func (l *level) mark(i int) float64 {
	switch {
	case l.random():
		if i < len(l.long) && l.long[i] {
			return 1
		}
		return 0
	case i < l.from || l.trend == 0 && i >= l.to:
		return 0
	case l.trend > 0:
		at := 0.0
		if i < len(l.order) {
			at = l.order[i]
		}
		return at - l.order[l.from] + 1
	}
	return 1
}

// size is the variance of the level, or of the slope of the trend, in squares of the noise.
func (l *level) size() float64 {
	if l.trend > 0 {
		return l.trend * l.trend
	}
	return levelSize * levelSize
}

// levels returns the possible changes of level among past runs, and the logarithm of the probability that there is
// none.
func (s *series) levels(p *Prior) (all []level, none float64) {
	n := len(s.y)
	all = make([]level, 0, newest+2*(newest-shortest+1)+undecided)
	sum := 0.0
	begins := func(i int) bool { return s.order[i] > s.order[i-1] } // a wave, at run i
	for to := max(settled, n-newest); to < n; to++ {
		if !begins(to) {
			continue
		}
		all = append(all, level{from: 0, to: to, chance: math.Log(p.Change), loudest: quiet})
		sum += p.Change
	}
	for from := max(settled, n-newest); from <= n-shortest; from++ {
		if !begins(from) {
			continue
		}
		for _, x := range []struct{ size, chance float64 }{{gentle, p.Gentle}, {steep, p.Steep}} {
			all = append(all, level{from: from, to: n, trend: x.size, order: s.order, chance: math.Log(x.chance),
				loudest: quiet})
		}
		sum += p.Gentle + p.Steep
	}
	for k := max(1, n-undecided); k < n; k++ {
		all = append(all, level{from: k, to: k + 1, chance: math.Log(p.Outlier), loudest: math.Inf(1)})
		sum += p.Outlier
	}
	if modes := s.modes(p); len(modes) > 0 {
		all, sum = append(all, modes...), sum+p.Modes
	}
	return all, math.Log(1 - sum)
}

// Standard deviations above which a slope, a local term for other inputs and tokens, or noise of the next run as the
// luck of tasks is implausible.
const (
	steepest = 1.01
	farthest = 1.2
	luckiest = 1
)

// fit holds the likely hypotheses about a series.
type fit struct {
	s           *series
	terms       *terms
	levels      []level
	none        float64 // logarithm of the probability that no level changed
	covariances []standardised
	hypotheses  []hypothesis
	weights     weights
}

// shared identifies a covariance. All hypotheses with these terms have it, and slopes of the same kinds; they differ in
// the means of slopes and in changes of level.
type shared struct {
	local, drift, plan, scatter, period int // positions in the lists of [Prior]
	input, tokens                       slope
}

// newFit fits every hypothesis to a series, and keeps the likely ones.
func newFit(s *series, p *Prior) *fit {
	f := &fit{s: s, terms: s.terms()}
	f.levels, f.none = s.levels(p)
	f.weights = f.weighing(p)
	w := newWorkspace(len(s.y), len(f.levels))
	inputs, tokens := s.slopes()
	for _, c := range s.covariances() {
		f.add(c, inputs, tokens, &w)
	}
	for _, c := range f.periodic() {
		f.add(c, inputs, tokens, &w)
	}
	f.settle()
	return f
}

// covariances lists the covariances of all hypotheses about a series.
func (s *series) covariances() (all []shared) {
	inputs, tokens := s.slopes()
	kinds := func(of []slope) []slope { // one of those that share a covariance
		var out []slope
		for _, x := range of {
			if !slices.ContainsFunc(out, x.alike) {
				out = append(out, x)
			}
		}
		return out
	}
	plans := byPlan
	if !s.several {
		plans = plans[:1]
	}
	scatters := byScatter
	if !s.scattered {
		scatters = scatters[:1]
	}
	for l := range locals {
		if l > 0 && !s.input.known() && !s.tokens.known() || locals[l].kind == apart &&
			(!s.input.known() || !s.tokens.known()) {
			continue
		}
		for d := range drifts {
			for _, a := range kinds(inputs) {
				for _, b := range kinds(tokens) {
					if len(inputs) > 1 && len(tokens) > 1 && a.spread == free && b.spread == tight && b.bend == 0 {
						continue // slopes of input and tokens are free together
					}
					if len(inputs) > 1 && len(tokens) > 1 && (a.spread == 0) != (b.spread == 0) {
						continue // and exact together
					}
					if l > 0 && (len(inputs) > 1 && a.spread == 0 || len(tokens) > 1 && b.spread == 0) {
						continue // a local term is too loud where an exact slope is needed
					}
					for plan := range plans {
						for scatter := range scatters {
							all = append(all, shared{l, d, plan, scatter, 0, a, b})
						}
					}
				}
			}
		}
	}
	return all
}

// add explains a series by the hypotheses that share a covariance. It keeps those that are not much less likely than
// hypotheses before.
func (f *fit) add(c shared, inputs, tokens []slope, w *workspace) {
	of, ok := f.standardise(c, w)
	if !ok {
		return
	}
	log := 0.0
	for i := 1; i < of.n; i++ {
		log -= math.Log(of.row(i)[0])
	}
	f.mark(&of, w)
	used := false
	keep := func(h hypothesis) {
		if !f.consider(h) {
			return
		}
		if used = true; h.level >= 0 {
			of.marks[h.level].used = true
		}
	}
	for a, x := range inputs {
		if !x.alike(c.input) {
			continue
		}
		for b, t := range tokens {
			if !t.alike(c.tokens) {
				continue
			}
			z, lost := f.residuals(&of, x, t, w.z)
			h := hypothesis{loudest: c.loudest(x, t), input: a, tokens: b, local: c.local, drift: c.drift, plan: c.plan,
				scatter: c.scatter, period: c.period, covariance: len(f.covariances), level: -1, chance: f.none,
				squares: dot(z[1:], z[1:]), lost: lost, log: log}
			keep(h)
			for i := range of.marks {
				keep(h.with(i, &of.marks[i], z))
			}
		}
	}
	if used {
		f.covariances = append(f.covariances, of.clone())
	}
}

// loudest returns the largest noise for which the effects of a hypothesis make sense.
func (c *shared) loudest(input, tokens slope) float64 {
	out := drifts[c.drift].loudest
	if widest := max(input.spread, tokens.spread); widest > 0 {
		out = min(out, steepest/widest)
	}
	if a := locals[c.local].amplitude; a > 0 {
		out = min(out, farthest/a)
	}
	if a := periods[c.period].amplitude; a > 0 {
		out = min(out, farthest/a)
	}
	if byScatter[c.scatter] {
		out = min(out, luckiest)
	}
	return out
}

// with adds a level or a trend of some runs to a hypothesis with standardised residuals z. The covariance grows by the
// outer product of the level's coefficients, and its inverse follows from the Sherman-Morrison formula.
func (h hypothesis) with(level int, x *marked, z []float64) hypothesis {
	h.level, h.by = level, dot(x.mark, z)
	h.chance, h.loudest = x.chance, min(h.loudest, x.loudest)
	h.squares = max(0, h.squares+z[0]*z[0]*(1-1/x.first)-x.shrink*h.by*h.by)
	h.log += x.log
	return h
}
