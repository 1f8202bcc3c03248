package page

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/papers"
)

// aboutJockey reports the effect of policies on jobs with deadlines.
func (s *section) aboutJockey(j *result.Jockey, source figure.Source) {
	if j.Generated {
		s.Notes = append(s.Notes, "The jobs were made up after the statistics that the Jockey paper gives of seven "+
			"jobs: synthetic.")
	} else {
		s.Notes = append(s.Notes, "Simulated: the cluster runs jobs drawn from their models. The numbers are as good "+
			"as the models.")
	}
	source.Synthetic = source.Synthetic || j.Generated
	s.deadlines(j)
	s.adaptation(j)
	s.whyMissed(j)
	s.hardest(j)
	s.sensitivity(j)
	s.draw(figure.JockeyPolicies(j, source), figure.JockeyCompletion(j, source))
	for _, t := range append([]*result.JockeyTimeline{j.Shown}, j.Changed...) {
		if t != nil {
			s.draw(figure.JockeyRun(t, source))
		}
	}
	if len(j.Sensitive) > 0 {
		s.draw(figure.JockeySensitivity(j, source))
	}
	s.Tables = append(s.Tables, JockeyTables(j)...)
}

// of returns the score of a policy that was run, or nil.
func of(j *result.Jockey, policy string) *result.JockeyPolicy {
	if p := j.Policies[policy]; p != nil && p.Runs > 0 {
		return p
	}
	return nil
}

// missedOf writes a share of runs.
func missedOf(s *result.JockeyScore) string {
	return words.Percent(float64(s.Missed) / float64(s.Runs))
}

func above(s *result.JockeyScore) string { return words.Percent(s.AllocationAboveOracle.Mean) }

// deadlines states the loop's share of missed deadlines.
func (s *section) deadlines(j *result.Jockey) {
	p := of(j, "jockey")
	if p == nil {
		return
	}
	f := Finding{ID: "deadlines", See: "fig-jockey-policies", N: p.Runs,
		Text: fmt.Sprintf("The loop missed %s, and %s of the token-time that it asked for was above the oracle.",
			outOf(p.Missed, p.Runs, "deadline", "deadlines"), above(&p.JockeyScore)),
		Detail: fmt.Sprintf("%s missed, 95%% interval %s.", missedOf(&p.JockeyScore), words.PercentRange(p.MissedLow,
			p.MissedHigh)), Numbers: map[string]float64{"missed": float64(p.Missed), "runs": float64(p.Runs),
			"missed_low": float64(p.MissedLow), "missed_high": float64(p.MissedHigh),
			"allocation_above_oracle": p.AllocationAboveOracle.Mean}}
	if q := of(j, "jockey-2012"); q != nil {
		f.Detail += fmt.Sprintf(" As published, the loop misses %s, with %s above the oracle.",
			missedOf(&q.JockeyScore), above(&q.JockeyScore))
	}
	if q := of(j, "bound"); q != nil {
		f.Detail += fmt.Sprintf(" Were the remaining time known, it would be %s and %s", missedOf(&q.JockeyScore),
			above(&q.JockeyScore))
		f.Detail += words.When(q.Runs != p.Runs, " (of %s)", words.Of(q.Runs, "run", "runs"))
		f.Detail += "."
	}
	missed, runs := papers.JockeyMissed()
	f.Detail += fmt.Sprintf(" Published (Jockey, EuroSys 2012): %d of %d missed.", missed, runs)
	s.find(f)
}

// outOf writes a count out of another.
func outOf(n, all int, one, many string) string {
	return some(n) + " of " + words.Of(all, one, many)
}

// adaptation compares with policies that do not adapt.
func (s *section) adaptation(j *result.Jockey) {
	p, fixed, all := of(j, "jockey"), of(j, "no-adaptation"), of(j, "max-allocation")
	if p == nil || fixed == nil {
		return
	}
	f := Finding{ID: "adaptation", See: "table-jockey-policies", N: fixed.Runs,
		Numbers: map[string]float64{"missed": float64(fixed.Missed)},
		Text: fmt.Sprintf("Without adapting, %s would be missed.",
			outOf(fixed.Missed, fixed.Runs, "deadline", "deadlines"))}
	f.Detail = fmt.Sprintf("Tokens chosen once, at the start, with %s above the oracle.", above(&fixed.JockeyScore))
	if all != nil {
		f.Detail += fmt.Sprintf(" All tokens to the end miss %s, with %s above the oracle.", missedOf(&all.JockeyScore),
			above(&all.JockeyScore))
	}
	s.find(f)
}

// whyMissed states the reasons of missed deadlines.
func (s *section) whyMissed(j *result.Jockey) {
	p := of(j, "jockey")
	if p == nil || len(j.Misses) == 0 {
		return
	}
	n := map[string]int{}
	for i := range j.Misses {
		n[j.Misses[i].Why]++
	}
	f := Finding{ID: "missed-why", See: "table-jockey-misses",
		Numbers: map[string]float64{"beyond_all_tokens": float64(n[result.MissedByAll]),
			"by_bound": float64(n[result.MissedByBound]), "by_prediction": float64(n[result.MissedByPrediction])},
		Text: fmt.Sprintf("Of the %s that were missed, %s could not have been met with all tokens from the start.",
			words.Of(len(j.Misses), "deadline", "deadlines"), some(n[result.MissedByAll]))}
	switch {
	case len(j.Misses) == 1 && n[result.MissedByAll] == 1:
		f.Text = "The one deadline that was missed could not have been met with all tokens from the start."
	case len(j.Misses) == 1:
		f.Text = "The one deadline that was missed could have been met with all tokens from the start."
	case n[result.MissedByAll] == len(j.Misses):
		f.Text = fmt.Sprintf("None of the %s that were missed could have been met with all tokens from the start.",
			words.Of(len(j.Misses), "deadline", "deadlines"))
	case n[result.MissedByAll] == 0:
		f.Text = fmt.Sprintf("All of the %s that were missed could have been met with all tokens from the start.",
			words.Of(len(j.Misses), "deadline", "deadlines"))
	}
	if n[result.MissedByBound] > 0 {
		f.Detail = fmt.Sprintf("Of the others, the loop that knows the remaining time misses %s, too. ",
			some(n[result.MissedByBound]))
	}
	f.Detail += fmt.Sprintf("The loop said beforehand of %s that they would be missed; it said so of %s that were "+
		"met, too.", some(p.Warned), some(p.FalseAlarm))
	s.find(f)
}

// some writes a count in a sentence.
func some(n int) string { return words.Either(n == 0, "none", words.Count(n)) }

// hardest names the scenario in which most deadlines are missed.
func (s *section) hardest(j *result.Jockey) {
	p := of(j, "jockey")
	if p == nil || p.Missed == 0 {
		return
	}
	var most *result.JockeyScore
	var name, about string
	for _, x := range j.Scenarios {
		if q := p.ByScenario[x.Name]; q != nil && q.Runs > 0 &&
			(most == nil || q.Missed*most.Runs > most.Missed*q.Runs) {
			most, name, about = q, x.Name, x.About
		}
	}
	if most == nil || most.Missed == 0 {
		return
	}
	var as []string // scenarios with the same share of missed deadlines
	for _, x := range j.Scenarios {
		if q := p.ByScenario[x.Name]; q != nil && q.Runs > 0 && q.Missed*most.Runs == most.Missed*q.Runs {
			as = append(as, "“"+words.Shorten(x.Name, 40)+"”")
		}
	}
	if len(as) > 1 {
		s.find(Finding{ID: "hardest", See: "table-jockey-scenarios", N: most.Runs,
			Numbers: map[string]float64{"missed": float64(most.Missed), "runs": float64(most.Runs)},
			Text: fmt.Sprintf("Most deadlines are missed in the scenarios %s: %s in each.", words.List(as),
				outOf(most.Missed, most.Runs, "run", "runs"))})
		return
	}
	s.find(Finding{ID: "hardest", See: "table-jockey-scenarios", N: most.Runs,
		Numbers: map[string]float64{"missed": float64(most.Missed), "runs": float64(most.Runs)},
		Text: fmt.Sprintf("Most deadlines are missed in the scenario “%s”: %s.", words.Shorten(name, 40),
			outOf(most.Missed, most.Runs, "run", "runs")), Detail: words.Capital(words.Printable(about)) + "."})
}

// sensitivity names the parameter that changes the allocation most.
func (s *section) sensitivity(j *result.Jockey) {
	type span struct{ low, high *result.JockeySetting }
	var order []string
	spans := map[string]span{}
	for i := range j.Sensitive {
		x := &j.Sensitive[i]
		if x.Parameter == "" || x.Parameter == "published loop" || x.Runs == 0 || !known(x.AllocationAboveOracle.Mean) {
			continue
		}
		at, ok := spans[x.Parameter]
		if !ok {
			order = append(order, x.Parameter)
			at = span{x, x}
		}
		if x.AllocationAboveOracle.Mean < at.low.AllocationAboveOracle.Mean {
			at.low = x
		}
		if x.AllocationAboveOracle.Mean > at.high.AllocationAboveOracle.Mean {
			at.high = x
		}
		spans[x.Parameter] = at
	}
	best, width := "", 0.0
	for _, name := range order {
		if w := spans[name].high.AllocationAboveOracle.Mean - spans[name].low.AllocationAboveOracle.Mean; w > width {
			best, width = name, w
		}
	}
	if best == "" {
		return
	}
	x := spans[best]
	s.find(Finding{ID: "sensitivity", See: "fig-jockey-sensitivity", N: x.low.Runs,
		Text: fmt.Sprintf("Of the loop’s parameters %s matters most: from %s above the oracle at %s to %s at %s.",
			words.Shorten(best, 40), above(&x.low.JockeyScore), words.Shorten(x.low.Value, 40),
			above(&x.high.JockeyScore), words.Shorten(x.high.Value, 40)),
		Detail: fmt.Sprintf("The former misses %s of the deadlines, the latter %s. One parameter is changed at a time.",
			missedOf(&x.low.JockeyScore), missedOf(&x.high.JockeyScore))})
}
