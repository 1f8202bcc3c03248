package law

// History is the past runs of a job, oldest first, by which a [Prior] is learned.
type History []Run

// rounds of expectation maximisation, and how many jobs the prior before it is worth.
const (
	rounds = 10
	worth  = 1
)

// Learn returns the prior of a store: the shares of hypotheses among its jobs, by expectation maximisation of how likely they make all
// past runs, starting from before, which is worth one job per hypothesis.
func Learn(jobs []History, before Prior) Prior {
	var fits []*fit
	for _, past := range jobs {
		if len(past) < 3 {
			continue
		}
		last := past[len(past)-1]
		next := Next{InputBytes: last.InputBytes, Tokens: last.Tokens, Expected: last.Expected, Plan: last.Plan}
		if s := newSeries(past, next); s != nil {
			f := newFit(s)
			f.roots, f.white = nil, nil
			fits = append(fits, f)
		}
	}
	return learn(fits, before)
}

func learn(fits []*fit, before Prior) Prior {
	now := before.clone()
	if len(fits) == 0 {
		return now
	}
	for range rounds {
		sum := before.clone()
		for _, l := range sum.lists() {
			for i := range *l.of {
				(*l.of)[i] *= worth * float64(l.n)
			}
		}
		for _, f := range fits {
			f.count(&now, &sum)
		}
		for _, l := range sum.lists() {
			total := 0.0
			for _, x := range *l.of {
				total += x
			}
			for i := range *l.of {
				(*l.of)[i] /= total
			}
		}
		now = sum
	}
	return now
}

// count adds to sum how likely each part is in a job under a prior.
func (f *fit) count(p, sum *Prior) {
	for _, c := range f.components(p) {
		h := &f.hypotheses[c.at]
		if f.s.input != nil {
			sum.Input[h.input] += c.weight
		}
		switch {
		case f.s.tokens != nil && f.s.base != nil:
			sum.Simulated[h.tokens] += c.weight
		case f.s.tokens != nil:
			sum.Tokens[h.tokens] += c.weight
		}
		if f.s.input != nil || f.s.tokens != nil {
			sum.Local[h.local] += c.weight
		}
		sum.Drift[h.drift] += c.weight
		if f.s.plans != nil {
			sum.Plan[h.plan] += c.weight
		}
		sum.Scale[c.scale] += c.weight
		sum.Sure[c.sure] += c.weight
	}
}

func (p *Prior) clone() Prior {
	out := *p
	for _, l := range out.lists() {
		*l.of = append([]float64(nil), *l.of...)
	}
	return out
}
