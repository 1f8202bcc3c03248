package figure

import (
	"fmt"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// jockeyPolicy is a policy in a figure.
type jockeyPolicy struct {
	name string
	look look
	*result.JockeyPolicy
}

// jockeyPolicies returns the policies of a comparison that have runs, each with a look.
func jockeyPolicies(j *result.Jockey) []jockeyPolicy {
	var out []jockeyPolicy
	for _, name := range j.Names() {
		if p := j.Policies[name]; p.Runs > 0 {
			out = append(out, jockeyPolicy{words.Shorten(name, 40), lookAt(len(out)), p})
		}
	}
	return out
}

// missed is the share of the deadlines that a policy missed, with its interval.
func (p *jockeyPolicy) missed() (share, low, high float64) {
	share = float64(p.Missed) / float64(p.Runs)
	low, high = float64(p.MissedLow), float64(p.MissedHigh)
	if !finite(low, high) || low > share || high < share {
		low, high = share, share
	}
	return share, low, high
}

// JockeyPolicies draws policies by two criteria: the share of missed deadlines against the share of the requested
// token-time above the oracle.
func JockeyPolicies(j *result.Jockey, source Source) *Figure {
	var policies []jockeyPolicy
	runs := 0
	for _, p := range jockeyPolicies(j) {
		if share, _, _ := p.missed(); share >= 0 && share <= 1 && p.AllocationAboveOracle.N > 0 &&
			finite(p.AllocationAboveOracle.Mean) {
			policies, runs = append(policies, p), max(runs, p.Runs)
		}
	}
	floor := 0.4 / float64(max(runs, 10)) // position of a policy that missed nothing
	y := logarithmic(floor, 1, nil)
	y.steps = slices.DeleteFunc(roundSteps(2.4*floor, 1), func(s float64) bool { return s < 2.4*floor || s > 1 })
	y.steps = append([]float64{floor}, y.steps...)
	n := panel{notes: []string{"share of deadlines missed"},
		x: shareSteps().labelled("requested token-time above the oracle, mean over runs"), high: 320,
		y: y.in(func(s float64) string { return words.Either(s == floor, "none", words.Percent(s)) })}
	names := &nameLayer{}
	for _, p := range policies {
		share, low, high := p.missed()
		at := point{p.AllocationAboveOracle.Mean, max(share, floor)}
		mark := newMarks("", p.look, at)
		mark.radius = style.DotRadius + 1
		mark.says = fmt.Sprintf("%s %s missed, %s above the oracle", p.name, words.Percent(share), words.Percent(at.x))
		mark.values = []Value{{p.name, "runs", float64(p.Runs)}, {p.name, "missed", share}, {p.name, "missed low", low},
			{p.name, "missed high", high}, {p.name, "above oracle", at.x}}
		bar := span{at.x, max(low, floor), max(high, floor)}
		n.layers = append(n.layers, mark, newSpans("", p.look, bar))
		names.names, names.avoid = append(names.names, named{at, p.name, p.look, true}), append(names.avoid, bar)
	}
	n.layers = append(n.layers, names)
	c := &chart{about: "Scatter of policies", nothing: "no policy was run", panels: given(len(policies) > 0, n)}
	return c.figure("jockey-policies", "Deadlines missed, and tokens asked for", policiesCaption(j, runs), source)
}

func policiesCaption(j *result.Jockey, runs int) string {
	deadlines := lists.Map(j.Jobs, func(job result.JockeyJob) int { return len(job.Deadlines) })
	text := fmt.Sprintf("Up to %s per policy: %s, %s each, under %s. Lower is better, and so is further left. Pale "+
		"bars: 95%% intervals (Wilson).", words.Of(runs, "controlled run", "controlled runs"),
		words.Of(len(j.Jobs), "job", "jobs"), words.Of(slices.Max(append(deadlines, 0)), "deadline", "deadlines"),
		words.Of(len(j.Scenarios), "scenario", "scenarios"))
	text += words.When(j.Generated, " The jobs were made up after published statistics.")
	text += " Above the oracle: the share of the token-time requested that lies above the work of the run / the " +
		"time to its deadline."
	text += words.When(j.Policies["bound"] != nil, " bound: the same loop as jockey, with the true remaining time.")
	missed, runs := papers.JockeyMissed()
	return text + fmt.Sprintf(" Published (Jockey, EuroSys 2012): %d of %d deadlines missed.", missed, runs)
}

// JockeyCompletion draws the distribution of completion over deadline under every policy.
func JockeyCompletion(j *result.Jockey, source Source) *Figure {
	x := between(0, 1.5, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5).in(asRatio)
	var curves []*curve
	text := "Cumulative distributions of the completion time of runs over their deadline; both count from the " +
		"submission."
	var beyond []string
	for _, p := range jockeyPolicies(j) {
		c := quantileCurve(p.name, p.Curve, p.JCTOverDeadline, p.look)
		if len(c.xs) < 2 {
			continue
		}
		curves = append(curves, c)
		if last := c.xs[len(c.xs)-1]; last > x.max {
			beyond = append(beyond,
				fmt.Sprintf("%s %s, up to %s", c.name, words.Percent(c.beyond(x.max)), asRatio(last)))
		}
	}
	text += words.When(len(beyond) > 0, " Beyond the axis: %s.", words.List(beyond))
	c := ratioChart(curves, x, "runs", "completion time / deadline", "", "deadline")
	c.nothing = "no policy was run"
	return c.figure("jockey-completion", "When jobs end, relative to their deadline", text, source)
}

// ratioChart is cumulative distributions of a ratio, with a rule at 1.
func ratioChart(curves []*curve, x axis, of, label, entry, one string) *chart {
	n := distribution("", x.labelled(label))
	n.notes, n.high = []string{"share of " + of + " at or below"}, 270
	rule := upright("", dashedLook(style.Ink()), 1)
	rule.words = one
	for _, c := range curves {
		c.entry, c.marks, c.write = entry+c.name, nil, asRatio
		n.layers = append(n.layers, c.layers()...)
	}
	n.layers = append(n.layers, rule)
	return &chart{about: "Cumulative distributions", panels: given(len(curves) > 0, n)}
}
