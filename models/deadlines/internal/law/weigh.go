package law

import (
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/radix"
)

// component is a hypothesis with a size and a sureness of the noise: Student's t distribution of the logarithm of the
// next time.
type component struct {
	at          int // hypothesis
	scale, sure int // positions in the lists of [Prior]
	weight      float64
	width       float64 // its scale, in units of the spread of the next run
	df          float64
	part        int // position of its first part in forecasts
}

// likely is the difference in log probability from the likeliest component beyond which a component is left out.
const likely = 12

// weights weighs hypotheses, one after the other.
type weights struct {
	// logarithms of the prior; nil where a series has no such part
	input, tokens, local, drift, plan, scatter, period []float64

	noises     []noise
	top        float64 // of the likeliest component so far
	components []component
	parts      int // of a forecast
}

// noise is a size and a sureness of the noise.
type noise struct{ constant, squares, df float64 }

// weighing returns the weights of a fit's hypotheses, without any yet.
func (f *fit) weighing(p *Prior) weights {
	w := weights{drift: logs(p.Drift), top: math.Inf(-1)}
	s, n := f.s, float64(len(f.s.y)-1) // but the first, which sets the level
	if s.several {
		w.plan = logs(p.Plan)
	}
	if s.scattered {
		w.scatter = logs(p.Scatter)
	}
	if len(s.periods) > 0 {
		w.period = logs(p.Period)
	}
	if s.input.known() {
		w.input = logs(p.Input)
	}
	switch {
	case s.tokens.known() && s.base.known():
		w.tokens = logs(p.Simulated)
	case s.tokens.known():
		w.tokens = logs(p.Tokens)
	}
	if s.input.known() || s.tokens.known() {
		w.local = logs(p.Local)
	}
	for i, scale := range scales {
		for j, nu := range sure {
			a, _ := math.Lgamma((nu + n) / 2)
			b, _ := math.Lgamma(nu / 2)
			squares := nu * scale * scale
			w.noises = append(w.noises, noise{a - b + nu/2*math.Log(squares) + math.Log(p.Scale[i]) + math.Log(p.Sure[j]),
				squares, nu + n})
		}
	}
	return w
}

// consider weighs a hypothesis with every size of the noise, by how likely it makes past runs, times the prior. The
// noise has an inverse gamma distribution around each size (A. O'Hagan and J. Forster, "Bayesian Inference", 2004, 11.3
// ff.). It keeps the hypothesis, and reports so, if none before it was much likelier.
func (f *fit) consider(h hypothesis) bool {
	w, before := &f.weights, len(f.weights.components)
	prior := h.log + h.chance + w.drift[h.drift]
	for _, part := range [...]struct {
		logs []float64
		at   int
	}{{w.plan, h.plan}, {w.scatter, h.scatter}, {w.input, h.input}, {w.tokens, h.tokens}, {w.local, h.local},
		{w.period, h.period}} {
		if part.logs != nil {
			prior += part.logs[part.at]
		}
	}
	least := math.Log(h.squares)
	for k := range w.noises {
		x := &w.noises[k]
		squares := x.squares + h.squares
		if squares > h.loudest*h.loudest*x.df { // as loud as past runs say it is
			continue
		}
		if prior+x.constant-x.df/2*least < w.top-likely { // whatever the noise, and without another logarithm
			continue
		}
		weight := prior + x.constant - x.df/2*math.Log(squares)
		if weight < w.top-likely {
			continue
		}
		w.top = max(w.top, weight)
		w.components = append(w.components, component{at: len(f.hypotheses), scale: k / len(sure), sure: k % len(sure),
			weight: weight, width: math.Sqrt(squares / (x.df - h.lost)), df: x.df - h.lost})
	}
	if len(w.components) == before {
		return false
	}
	f.hypotheses = append(f.hypotheses, h)
	return true
}

// settle leaves out components that are unlikely next to the likeliest, which is known now. Weights then add up to 1.
func (f *fit) settle() {
	w := &f.weights
	sum, k := 0.0, 0
	for _, c := range w.components {
		if c.weight < w.top-likely {
			continue
		}
		c.weight = math.Exp(c.weight - w.top)
		sum += c.weight
		w.components[k] = c
		k++
	}
	w.components = w.components[:k]
	for i := range w.components {
		w.components[i].weight /= sum
	}
}

// kept is the share of the mixture that forecasts are made of, by its likeliest components.
const kept = 0.995

// reduce keeps the likeliest components, and finds the places of their parts in forecasts: the likeliest first. It
// forgets the covariances of others, and all terms.
func (f *fit) reduce() {
	w := &f.weights
	order := make([]radix.Item[int], len(w.components))
	for i, c := range w.components {
		order[i] = radix.Item[int]{Value: i, Key: radix.Key(-c.weight)}
	}
	used, share := make([]bool, len(f.covariances)), 0.0
	for _, at := range radix.Sort(order, make([]radix.Item[int], len(order))) {
		c := &w.components[at.Value]
		if share > kept {
			c.weight = 0
			continue
		}
		share += c.weight
		c.part = w.parts
		w.parts += f.parts(c)
	}
	all := w.components
	w.components = nil
	for _, c := range all {
		if c.weight > 0 {
			w.components = append(w.components, c)
			used[f.hypotheses[c.at].covariance] = true
		}
	}
	for i, ok := range used {
		if !ok {
			f.covariances[i] = standardised{}
		}
	}
	f.terms = nil
}

// parts returns how many parts a component has in forecasts: two where runs have one of two levels at random.
func (f *fit) parts(c *component) int {
	if l := f.hypotheses[c.at].level; l >= 0 && f.levels[l].random() {
		return 2
	}
	return 1
}

// logs returns the logarithms of probabilities.
func logs(of []float64) []float64 {
	return lists.Map(of, math.Log)
}
