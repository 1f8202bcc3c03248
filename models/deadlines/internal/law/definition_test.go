package law

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// entry is run i of a series; the next run follows the last.
type entry struct {
	input, tokens, bend, order, submit float64
	plan                               int
}

func entryOf(s *series, i int, next *target, submit float64) entry {
	if i == len(s.y) {
		return entry{next.input, next.tokens, next.bend, 0, submit, next.plan}
	}
	return entry{s.input.values[i], s.tokens.values[i], s.bends.values[i], s.order[i], s.submits[i], s.plans[i]}
}

// covariance of two runs, in squares of the noise, without the noise, term by term.
func covariance(i, j entry, input, tokens slope, l local, d, plan int, p period) float64 {
	c := anywhere*anywhere + input.spread*input.spread*i.input*j.input + tokens.spread*tokens.spread*i.tokens*j.tokens
	if tokens.bend > 0 {
		c += bentSpread * bentSpread * i.bend * j.bend
	}
	dx, dm := math.Abs(i.input-j.input), math.Abs(i.tokens-j.tokens)
	switch r := math.Sqrt(3) * math.Hypot(dx, dm) / l.reach; l.kind {
	case rough:
		c += l.amplitude * l.amplitude * math.Exp(-math.Hypot(dx, dm)/l.reach)
	case smooth:
		c += l.amplitude * l.amplitude * (1 + r) * math.Exp(-r)
	case apart:
		c += l.amplitude * l.amplitude * (math.Exp(-dx/l.reach) + math.Exp(-dm/l.reach))
	}
	if drift := drifts[d]; drift.amplitude > 0 {
		c += drift.amplitude * drift.amplitude * math.Exp(-math.Abs(i.order-j.order)/drift.reach)
	}
	c += drifts[d].trend * drifts[d].trend * i.order * j.order
	if i.plan == j.plan {
		c += byPlan[plan] * byPlan[plan]
	}
	if p.amplitude > 0 {
		x := math.Sin(math.Pi * (i.submit - j.submit) / p.seconds)
		c += p.amplitude * p.amplitude * math.Exp(-2*x*x/sameTime)
	}
	return c
}

// A hypothesis agrees with the inverse of the covariance matrix, by another program text: with another level of some
// runs, its outer product is added to the matrix itself. Next runs are predicted from one law, also where the noise grows
// with tokens.
func TestHypothesesAgainstTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var past []Run
	for i := range 14 {
		past = append(past, Run{Submit: float64(i) * 0.9 * day, Seconds: math.Exp(0.3 * rng.NormFloat64()),
			InputBytes: math.Exp(rng.NormFloat64()),
			Tokens:     1 + 9*rng.Float64(),
			Expected:   nan, Plan: rng.IntN(2), Scatter: 0.5 + rng.Float64()})
	}
	prior := DefaultPrior()
	prior.Period = []float64{0.01, 0.25, 0.25, 0.25, 0.24} // so that some are likely
	l := learn(past, Next{InputBytes: 3, Tokens: 4, Expected: nan, Plan: 1, Scatter: 0.7}, prior)
	s, f, changed, scattered, periodic := l.fit.s, l.fit, 0, 0, 0
	n := len(s.y)
	for _, next := range []Next{{Submit: 13 * day, InputBytes: 3, Tokens: 4, Expected: nan, Plan: 1, Scatter: 0.7},
		{Submit: 12.3 * day, InputBytes: 0.5, Tokens: 20, Expected: nan, Scatter: 2.5}} {
		own, to := s.target(&next), l.predict(next)
		for k, part := range partsOf(f, to) {
			if k%37 > 0 {
				continue
			}
			c, h := part.component, &f.hypotheses[part.at]
			by := func(i, j int) float64 {
				return covariance(entryOf(s, i, own, next.Submit), entryOf(s, j, own, next.Submit),
					byInput[h.input], byTokens[h.tokens],
					locals[h.local], h.drift, h.plan, periods[h.period]) + f.own(h, i, part.long)*f.own(h, j, part.long)
			}
			noise := func(i int, scatter float64) float64 {
				if !byScatter[h.scatter] {
					scatter = 1
				}
				if i < n {
					scatter *= s.noise[i]
				}
				return scatter
			}
			m := mat.NewDense(n, n, nil)
			y, cross := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
			x, z := byInput[h.input], byTokens[h.tokens]
			for i := range n {
				for j := range n {
					m.Set(i, j, by(i, j))
				}
				m.Set(i, i, m.At(i, i)+noise(i, past[i].Scatter))
				at := entryOf(s, i, own, next.Submit)
				y.SetVec(i, s.y[i]-x.mean*at.input-z.mean*at.tokens-z.bend*at.bend)
				cross.SetVec(i, by(i, n))
			}
			var alpha, beta mat.VecDense
			if alpha.SolveVec(m, y) != nil || beta.SolveVec(m, cross) != nil {
				t.Fatal("cannot be solved")
			}
			middle := mat.Dot(cross, &alpha) + s.mean + x.mean*own.input + z.mean*own.tokens + z.bend*own.bend
			spread := c.width * math.Sqrt(noise(n, next.Scatter)+by(n, n)-mat.Dot(cross, &beta))
			squares := mat.Dot(y, &alpha) - y.AtVec(0)*y.AtVec(0)/m.At(0, 0) // but for the first run
			log := -(math.Log(mat.Det(m)) - math.Log(m.At(0, 0))) / 2
			for _, v := range [][2]float64{{part.middle, middle}, {part.spread, spread}, {h.squares, squares},
				{h.log, log}} {
				if math.Abs(v[0]-v[1]) > 1e-6*(1+math.Abs(v[1])) {
					t.Fatalf("hypothesis %d, %+v: got %v, want %v", c.at, h, v[0], v[1])
				}
			}
			if h.level >= 0 {
				changed++
			}
			if byScatter[h.scatter] {
				scattered++
			}
			if h.period > 0 {
				periodic++
			}
		}
	}
	if changed < 20 || scattered < 20 || periodic < 20 {
		t.Errorf("%d hypotheses with a change, %d with the luck of tasks and %d with a period were looked at", changed,
			scattered, periodic)
	}
}

// partOf is a part of a forecast with the component that it comes from, and whether it is of a run that has a level at
// random.
type partOf struct {
	part
	component
	long bool
}

func partsOf(f *fit, of Forecast) []partOf {
	var out []partOf
	for _, c := range f.weights.components {
		n := f.parts(&c)
		for k := range n {
			out = append(out, partOf{of.parts[c.part+k], c, n == 2 && k == 0})
		}
	}
	return out
}

// own is the standard deviation of a level or a trend of its own in run i, in units of the noise. long says whether the
// next run has a level that runs have at random.
func (f *fit) own(h *hypothesis, i int, long bool) float64 {
	if h.level < 0 {
		return 0
	}
	switch l := f.levels[h.level]; {
	case l.random():
		if i < len(l.long) && l.long[i] || i == len(l.long) && long {
			return levelSize
		}
	case l.trend > 0 && i >= l.from:
		return l.trend * float64(i-l.from+1)
	case l.trend == 0 && l.from <= i && i < l.to:
		return levelSize
	}
	return 0
}
