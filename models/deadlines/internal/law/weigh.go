package law

import "math"

// component is a hypothesis with a size and a sureness of the noise: Student's t distribution of the logarithm of the
// next time.
type component struct {
	at                     int // hypothesis
	scale, sure            int // positions in the lists of [Prior]
	weight, middle, spread float64
	df                     float64
}

// likely is the difference in log probability from the likeliest component beyond which a component is left out.
const likely = 12

// components weighs every hypothesis with every size of the noise by how likely it makes past runs, times the prior.
// The weights add up to 1. The noise has an inverse gamma distribution around each size (A. O'Hagan and J. Forster,
// "Bayesian Inference", 2004, 11.3 ff.).
func (f *fit) components(p *Prior) []component {
	n := float64(f.n)
	_, tokens := f.s.slopes()
	ofTokens := logs(p.Tokens)
	if len(tokens) == len(bySimulated) {
		ofTokens = logs(p.Simulated)
	}
	ofInput, ofLocal, ofDrift, ofPlan, ofScatter := logs(p.Input), logs(p.Local), logs(p.Drift), logs(p.Plan),
		logs(p.Scatter)
	type noise struct{ constant, squares, df float64 }
	noises := make([]noise, 0, len(scales)*len(sure))
	for i, scale := range scales {
		for j, nu := range sure {
			a, _ := math.Lgamma((nu + n) / 2)
			b, _ := math.Lgamma(nu / 2)
			squares := nu * scale * scale
			noises = append(noises, noise{a - b + nu/2*math.Log(squares) + math.Log(p.Scale[i]) + math.Log(p.Sure[j]),
				squares, nu + n})
		}
	}
	var out []component
	top := math.Inf(-1)
	for at := range f.hypotheses {
		h := &f.hypotheses[at]
		prior := h.log + h.chance + ofDrift[h.drift]
		if f.s.plans != nil {
			prior += ofPlan[h.plan]
		}
		if f.s.scatter != nil {
			prior += ofScatter[h.scatter]
		}
		if f.s.input != nil {
			prior += ofInput[h.input]
		}
		if f.s.tokens != nil {
			prior += ofTokens[h.tokens]
		}
		if f.s.input != nil || f.s.tokens != nil {
			prior += ofLocal[h.local]
		}
		least := math.Log(h.squares)
		for k, x := range noises {
			squares := x.squares + h.squares
			if squares > h.loudest*h.loudest*x.df { // as loud as past runs say it is
				continue
			}
			if prior+x.constant-x.df/2*least < top-likely { // whatever the noise, and without another logarithm
				continue
			}
			weight := prior + x.constant - x.df/2*math.Log(squares)
			if weight < top-likely {
				continue
			}
			top = max(top, weight)
			out = append(out, component{at: at, scale: k / len(sure), sure: k % len(sure), weight: weight,
				middle: h.middle,
				spread: h.spread * math.Sqrt(squares/(x.df-h.lost)), df: x.df - h.lost})
		}
	}
	sum, k := 0.0, 0
	for _, c := range out {
		if c.weight < top-likely {
			continue
		}
		c.weight = math.Exp(c.weight - top)
		sum += c.weight
		out[k] = c
		k++
	}
	out = out[:k]
	for i := range out {
		out[i].weight /= sum
	}
	return out
}

// logs returns the logarithms of probabilities.
func logs(of []float64) []float64 {
	out := make([]float64, len(of))
	for i, x := range of {
		out[i] = math.Log(x)
	}
	return out
}
