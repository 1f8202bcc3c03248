package jobmodel

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/modelfile"
)

// Rules by which the plan of a run is guessed from the runs before it.
const (
	byNewest    = iota // the plan of the run before it, as often as runs repeated plans so far; otherwise another one
	byFrequency        // any plan, as often as runs had it
	byInput            // a plan of runs of nearly the same input: a job may read its files in batches
	rules
)

// trust is how likely the rules are before any run is seen. A plan that changes seldom changes back.
var trust = [rules]float64{byNewest: 0.96, byFrequency: 0.02, byInput: 0.02}

const (
	leastChance = 0.05 // of a plan, below which it is left out
	mostJudged  = 60   // runs by which rules are judged, the newest
	nearInput   = 0.1  // difference of the logarithms of inputs at which a run counts half
	alikePlans  = 2    // runs after one with a plan that count as much as all runs after others
	unlikeRuns  = 0.5  // how many runs of nearly the same input count as much as all runs of other inputs
)

// chance is the probability that the next run has a plan.
type chance struct {
	plan   int
	chance float64
}

// NextPlan returns the plan that the next run, of an input of some bytes (NaN: not known), most likely has: the newest
// run's, unless plans alternate or depend on the input. It is the only way to choose the plan of a model: the first
// plan of a profile, which most runs had, may be out of use.
func NextPlan(p *modelfile.Profile, inputBytes float64) *modelfile.Plan {
	return &p.Plans[nextPlan(p, inputBytes)]
}

// nextPlan is the position of [NextPlan].
func nextPlan(p *modelfile.Profile, inputBytes float64) int {
	byChance := func(a, b chance) int { return cmp.Compare(a.chance, b.chance) }
	return slices.MaxFunc(nextPlans(p, inputBytes), byChance).plan
}

// nextPlans returns the plans that the next run may have, the newest run's first. Each rule weighs as much as it was
// right: its trust times the chances that it gave to the plans of past runs. A run with a new plan tells nothing of the
// rules, as none of them foresees it.
func nextPlans(p *modelfile.Profile, inputBytes float64) []chance {
	past := pastRuns(p)
	if len(p.Plans) == 1 || len(past) == 0 {
		return []chance{{0, 1}}
	}
	past = past[max(0, len(past)-mostJudged):]
	guess, weights := newGuesser(len(p.Plans)), trust
	for _, r := range past {
		if guess.shares[r.plan] > 0 {
			for rule, chances := range guess.of(inputOf(r.RunFactor)) {
				weights[rule] *= chances[r.plan]
			}
		}
		guess.add(r)
	}
	mixed, all := make([]float64, len(p.Plans)), 0.0
	for rule, chances := range guess.of(inputBytes) {
		for plan, c := range chances {
			mixed[plan] += weights[rule] * c
			all += weights[rule] * c
		}
	}
	newest := past[len(past)-1].plan
	out, sum := []chance{{newest, mixed[newest]}}, mixed[newest]
	for plan, c := range mixed {
		if plan != newest && c >= leastChance*all {
			out, sum = append(out, chance{plan, c}), sum+c
		}
	}
	for i := range out {
		out[i].chance /= sum
	}
	return out
}

// inputOf returns the input of a past run in bytes, NaN if it is not known.
func inputOf(f *modelfile.RunFactor) float64 {
	if f.InputBytes == nil {
		return math.NaN()
	}
	return float64(*f.InputBytes)
}

// guesser guesses the plan of the run after those that were added.
type guesser struct {
	shares []float64 // of each plan: the weights of its runs
	all    float64   // sum of shares
	runs   []pastRun
	after  []repeats // of each plan: the runs after one with it
	any    repeats   // of all plans
}

// repeats counts runs, and those that had the plan of the run before them.
type repeats struct{ runs, repeated float64 }

func (r *repeats) add(again bool) {
	if r.runs++; again {
		r.repeated++
	}
}

func newGuesser(plans int) *guesser {
	return &guesser{shares: make([]float64, plans), after: make([]repeats, plans)}
}

func (g *guesser) add(r pastRun) {
	if n := len(g.runs); n > 0 {
		before := g.runs[n-1].plan
		g.any.add(before == r.plan)
		g.after[before].add(before == r.plan)
	}
	w := max(r.Weight, leastWeight)
	g.shares[r.plan], g.all = g.shares[r.plan]+w, g.all+w
	g.runs = append(g.runs, r)
}

// of returns the chances of plans by each rule, for a run of an input. At least one run was added.
func (g *guesser) of(inputBytes float64) (by [rules][]float64) {
	near, alike := make([]float64, len(g.shares)), 0.0
	for _, r := range g.runs {
		d := math.Log(inputBytes/inputOf(r.RunFactor)) / nearInput
		if like := 1 / (1 + d*d); like > 0 { // not NaN
			near[r.plan], alike = near[r.plan]+like, alike+like
		}
	}
	newest := g.runs[len(g.runs)-1].plan
	again := (1 + g.any.repeated) / (g.any.runs + 1)
	again = (alikePlans*again + g.after[newest].repeated) / (alikePlans + g.after[newest].runs)
	others := g.all - g.shares[newest]
	if others == 0 { // no other plan came up yet
		again = 1
	}
	for rule := range by {
		by[rule] = make([]float64, len(g.shares))
	}
	for plan, weight := range g.shares {
		share := weight / g.all
		by[byFrequency][plan] = share
		by[byInput][plan] = (near[plan] + unlikeRuns*share) / (alike + unlikeRuns)
		if plan == newest {
			by[byNewest][plan] = again
		} else if others > 0 {
			by[byNewest][plan] = (1 - again) * weight / others
		}
	}
	return by
}
