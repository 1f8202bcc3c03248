package jobmodel

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/models/deadlines/internal/law"
)

// Rules by which the plan of a run is guessed from the runs before it.
const (
	byNewest    = iota // the plan of the run before it, as often as runs repeated plans so far; otherwise another one
	byFrequency        // any plan, as often as runs had it
	byInput            // a plan of runs of nearly the same input: a job may read its files in batches
	byTime             // a plan of runs of nearly the same time of the week
	rules
)

// trust is how likely the rules are before any run is seen. A plan that changes seldom changes back.
var trust = [rules]float64{byNewest: 0.94, byFrequency: 0.02, byInput: 0.02, byTime: 0.02}

const (
	leastChance = 0.05 // of a plan, below which it counts as unseen
	mostJudged  = 60   // runs by which rules are judged, the newest
	nearInput   = 0.1  // difference of the logarithms of inputs at which a run counts half
	anyPlan     = 2    // how many runs after the newest run's plan count as much as what followed any plan
	unlikeRuns  = 0.5  // how many runs of nearly the same input or time count as much as all others
)

// unseen is a plan that no past run had: only the times of whole runs of all plans tell of it. It also stands for all
// plans with a low chance, as where every run has another.
const unseen = -1

// chance is the probability that the next run has a plan.
type chance struct {
	plan   int
	chance float64
}

// NextPlan returns the plan that the next run, of an input of some bytes (NaN: not known), most likely has: the newest
// run's, unless plans alternate or depend on the input. It is the only way to choose the plan of a model: the first
// plan of a profile, which most runs had, may be out of use.
func NextPlan(p *modelfile.Profile, inputBytes float64) *modelfile.Plan {
	o := DefaultOptions()
	o.InputBytes = inputBytes
	return &p.Plans[nextPlan(p, NewJob(p).submitted(o))]
}

// nextPlan is the position of [NextPlan].
func nextPlan(p *modelfile.Profile, o Options) int {
	byChance := func(a, b chance) int { return cmp.Compare(a.chance, b.chance) }
	seen := lists.Kept(nextPlans(p, o), func(c chance) bool { return c.plan != unseen })
	return slices.MaxFunc(seen, byChance).plan
}

// nextPlans returns the plans that the next run may have, the newest run's first, and [unseen] last. Each rule weighs
// as much as it was right: its trust times the chances that it gave to the plans of past runs. A run with a new plan
// tells nothing of the rules, as none of them foresees it.
func nextPlans(p *modelfile.Profile, o Options) []chance {
	past := pastRuns(p)
	if len(p.Plans) == 1 || len(past) == 0 {
		return []chance{{0, 1}}
	}
	past = past[max(0, len(past)-mostJudged):]
	guess, weights := newGuesser(len(p.Plans)), trust
	for _, r := range past {
		if guess.shares[r.plan] > 0 {
			for rule, chances := range guess.of(inputOf(r.RunFactor), submission(r.RunFactor)) {
				weights[rule] *= chances[r.plan]
			}
		}
		guess.add(r)
	}
	mixed, all := make([]float64, len(p.Plans)), 0.0
	for rule, chances := range guess.of(o.InputBytes, o.Submit) {
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
	if len(out) < len(p.Plans) {
		out, sum = append(out, chance{unseen, all - sum}), all
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

// repeats counts runs, and how many had the plan of the run before them.
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

// of returns the chances of plans by each rule, for a run of an input that is submitted at some time. At least one run
// was added.
func (g *guesser) of(inputBytes, submit float64) (by [rules][]float64) {
	newest := g.runs[len(g.runs)-1].plan
	usual, own := (1+g.any.repeated)/(g.any.runs+1), g.after[newest]
	again := (anyPlan*usual + own.repeated) / (anyPlan + own.runs)
	others := g.all - g.shares[newest]
	if others == 0 { // no other plan came up yet
		again = 1
	}
	by[byNewest], by[byFrequency] = make([]float64, len(g.shares)), make([]float64, len(g.shares))
	by[byInput] = g.like(func(r pastRun) float64 {
		d := math.Log(inputBytes/inputOf(r.RunFactor)) / nearInput
		return 1 / (1 + d*d)
	})
	by[byTime] = g.like(func(r pastRun) float64 { return law.SimilarInWeek(submit - submission(r.RunFactor)) })
	for plan, weight := range g.shares {
		share := weight / g.all
		by[byFrequency][plan] = share
		if plan == newest {
			by[byNewest][plan] = again
		} else if others > 0 {
			by[byNewest][plan] = (1 - again) * weight / others
		}
	}
	return by
}

// like returns the chances of plans, if a run has the plan of a run like it: by a similarity between 0 and 1, or NaN
// where it is not known.
func (g *guesser) like(like func(r pastRun) float64) []float64 {
	chances, all := make([]float64, len(g.shares)), unlikeRuns
	for plan, weight := range g.shares {
		chances[plan] = unlikeRuns * weight / g.all
	}
	for _, r := range g.runs {
		if x := like(r); x > 0 {
			chances[r.plan], all = chances[r.plan]+x, all+x
		}
	}
	for plan := range chances {
		chances[plan] /= all
	}
	return chances
}
