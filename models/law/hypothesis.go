package law

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// hypothesis is one combination of slopes, local term, drift and change of level, and what it says. Sizes and sureness of the noise
// are averaged within it.
type hypothesis struct {
	input, tokens, local, drift, plan int     // positions in the lists of [Prior]
	change                            float64 // logarithm of the probability that the level changed where it says, or did not at all

	loudest float64 // noise, with which effects in units of it make sense

	middle  float64 // of the logarithm of the next time
	spread  float64 // of the next run given past ones, in units of the noise
	squares float64 // of past runs, standardised one after the other in units of the noise, but for the first
	log     float64 // logarithm of the determinant that goes with it
}

// Changes of level are looked for behind the last runs only, and where enough runs are older.
const (
	newest       = 12
	settled      = 8
	changeChance = 0.002 // per run
	changeSize   = 10    // in units of the noise
	quiet        = 0.2   // the largest noise that changes of level stand out from
)

// Standard deviations above which a slope, and what runs of other inputs and tokens do beyond slopes, make no sense.
const (
	steepest = 1.01
	farthest = 2.5
)

// fit is everything that hypotheses say of a series.
type fit struct {
	s          *series
	hypotheses []hypothesis
	n          int // past runs but the first, which sets the level
	// what outliers are found by, per hypothesis without a change
	roots []*mat.TriDense
	white [][]float64
}

// newFit explains a series by every hypothesis.
func newFit(s *series) *fit {
	f := &fit{s: s, n: len(s.y) - 1}
	inputs, tokens := s.slopes()
	spreads := func(of []slope) []float64 {
		var out []float64
		for _, x := range of {
			if len(out) == 0 || out[len(out)-1] != x.spread {
				out = append(out, x.spread)
			}
		}
		return out
	}
	plans := byPlan
	if s.plans == nil {
		plans = plans[:1]
	}
	for l := range locals {
		if l > 0 && s.input == nil && s.tokens == nil || locals[l].kind == apart && (s.input == nil || s.tokens == nil) {
			continue
		}
		for d := range drifts {
			for _, a := range spreads(inputs) {
				for _, b := range spreads(tokens) {
					if len(inputs) > 1 && len(tokens) > 1 && a == free && b == tight {
						continue // what makes the input free makes tokens free
					}
					for plan := range plans {
						f.add(l, d, plan, inputs, tokens, a, b)
					}
				}
			}
		}
	}
	return f
}

// add explains a series by the hypotheses that share a covariance: slopes of these spreads, local term l,
// drift d and a difference of plans.
func (f *fit) add(l, d, plan int, inputs, tokens []slope, spreadInput, spreadTokens float64) {
	s, n := f.s, len(f.s.y)
	k := mat.NewSymDense(n+1, nil)
	for i := range n + 1 {
		for j := range i + 1 {
			k.SetSym(i, j, s.covariance(i, j, spreadInput, spreadTokens, locals[l], d, plan))
		}
		if i < n {
			k.SetSym(i, i, k.At(i, i)+s.noise[i])
		} else {
			k.SetSym(i, i, k.At(i, i)+1)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(k) {
		return
	}
	var root mat.TriDense
	chol.LTo(&root)
	solve := func(y []float64) []float64 { // standardises past runs one after the other
		z := make([]float64, n)
		for i := range n {
			sum := y[i]
			for j := range i {
				sum -= root.At(i, j) * z[j]
			}
			z[i] = sum / root.At(i, i)
		}
		return z
	}
	y := solve(s.y)
	var input, toks, base []float64
	if s.base != nil {
		base = solve(s.base)
	}
	if s.input != nil {
		input = solve(s.input)
	}
	if s.tokens != nil {
		toks = solve(s.tokens)
	}
	next := make([]float64, n)
	log := 0.0
	for i := range n {
		next[i] = root.At(n, i)
		if i > 0 {
			log -= math.Log(root.At(i, i))
		}
	}
	var olds [][]float64
	for c := max(settled, n-newest); c < n; c++ {
		old := make([]float64, n)
		for i := range c {
			old[i] = 1
		}
		olds = append(olds, solve(old))
	}
	for a, x := range inputs {
		if x.spread != spreadInput {
			continue
		}
		for b, t := range tokens {
			if t.spread != spreadTokens {
				continue
			}
			z, middle, fitted := make([]float64, n), s.mean, 1.0
			copy(z, y)
			if t.expected {
				middle += s.base[n]
				for i := range z {
					z[i] -= base[i]
				}
				fitted = s.fitted
			}
			if s.input != nil {
				middle += x.mean * s.input[n]
				for i := range z {
					z[i] -= x.mean * input[i]
				}
			}
			if s.tokens != nil {
				middle += t.mean * s.tokens[n]
				for i := range z {
					z[i] -= t.mean * toks[i]
				}
			}
			loudest := math.Inf(1)
			if x.spread == free || t.spread == free {
				loudest = steepest / free
			}
			if a := locals[l].amplitude; a > 0 {
				loudest = min(loudest, farthest/a)
			}
			h := hypothesis{loudest: loudest, input: a, tokens: b, local: l, drift: d, plan: plan, change: math.Log(1 - changeChance*float64(len(olds))),
				middle: middle + dot(next, z), spread: root.At(n, n), squares: fitted * dot(z[1:], z[1:]), log: log}
			f.hypotheses = append(f.hypotheses, h)
			f.roots, f.white = append(f.roots, &root), append(f.white, z)
			for _, old := range olds {
				f.hypotheses = append(f.hypotheses, h.after(z, old, next, fitted))
				f.roots, f.white = append(f.roots, nil), append(f.white, nil)
			}
		}
	}
}

// after is the hypothesis with another level of the runs that old marks: a covariance that is larger by the outer product of it,
// whose inverse the formula of Sherman and Morrison tells. z, old and next are standardised.
func (h hypothesis) after(z, old, next []float64, fitted float64) hypothesis {
	const size = changeSize * changeSize
	of, by, to := dot(old, old), dot(old, z), dot(old, next)
	first := 1 + size*old[0]*old[0] // by how much the variance of the first run grows
	h.change, h.loudest = math.Log(changeChance), min(h.loudest, quiet)
	h.middle -= size * to * by / (1 + size*of)
	h.spread = math.Sqrt(h.spread*h.spread + size*to*to/(1+size*of))
	h.squares = max(0, h.squares+fitted*(z[0]*z[0]*(1-1/first)-size*by*by/(1+size*of)))
	h.log += (math.Log(first) - math.Log(1+size*of)) / 2
	return h
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
