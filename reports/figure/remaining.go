package figure

import (
	"fmt"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// mostFans bounds the allocations that are drawn.
const mostFans = 4

// Remaining draws C(p,a): the remaining time of a run by its progress, as a fan of quantiles for each of a few
// allocations.
func Remaining(r *result.Remaining, source Source) *Figure {
	var fans []result.RemainingAt
	most := 0.0
	for _, a := range r.At {
		damaged := func(s []float64) bool { return len(s) < 2 || len(s) != len(a.S[0]) || !finite(s...) }
		if len(a.S) == len(result.RemainingQuantiles()) && !slices.ContainsFunc(a.S, damaged) {
			fans, most = append(fans, a), max(most, a.S[len(a.S)-1][0])
		}
	}
	fans = lists.Thin(fans, mostFans)
	c := &chart{about: "Fans that fall to 0 as progress is made", nothing: "no remaining time is known",
		columns: max(1, len(fans)), narrow: 2, sharedY: true}
	y := lengthAxis(most)
	for i := range fans {
		n := fanPanel(r, &fans[i])
		n.x, n.y = shareSteps(0, 0.5, 1).labelled("progress"), y
		if i == 0 {
			n.notes = append([]string{y.label}, n.notes...)
		}
		c.panels = append(c.panels, n)
	}
	return c.figure("remaining", "How long a run still takes", remainingCaption(r, fans), source)
}

func fanPanel(r *result.Remaining, a *result.RemainingAt) panel {
	tokens := words.Of(a.Tokens, "token", "tokens")
	beyond := float64(a.Tokens) > float64(r.MostTokens) // false if that is not known
	n := panel{title: tokens, notes: given(beyond, "extrapolated"), high: 190}
	median := newLine("median", lookAt(0).heavy())
	half, most := newArea("half of the runs", lookAt(0).faded(0.45)), newArea("nine in ten", lookAt(0).faded(0.2))
	for i := range a.S[0] {
		x := float64(i) / float64(len(a.S[0])-1)
		median.add(x, a.S[2][i])
		half.add(x, a.S[1][i], a.S[3][i])
		most.add(x, a.S[0][i], a.S[4][i])
	}
	median.says = "a run that begins takes " + words.Seconds(a.S[2][0]) + " in the median"
	for q, name := range result.RemainingQuantiles() {
		median.values = append(median.values, Value{tokens, name + " at 0, s", a.S[q][0]},
			Value{tokens, name + " halfway, s", a.S[q][len(a.S[q])/2]})
	}
	n.layers = []layer{median}
	if r.Method != "amdahl" {
		n.layers = append(n.layers, half, most)
	}
	return n
}

func remainingCaption(r *result.Remaining, fans []result.RemainingAt) string {
	text := fmt.Sprintf("C(p,a) of %s: the time that a run still takes, by its progress p (%s) and the tokens a that "+
		"it holds until its end", words.Printable(r.Job), words.Printable(r.Indicator))
	if r.Method == "amdahl" {
		text += ", by Amdahl's law from the longest path and the work that are left; no distribution."
	} else {
		text += fmt.Sprintf(": %s, by a model of %s.", words.Of(r.Simulated, "simulated run", "simulated runs"),
			words.Of(r.Runs, "past run", "past runs"))
	}
	// The step is mentioned where more than a tenth of a run goes by before it makes progress.
	late := slices.ContainsFunc(fans, func(a result.RemainingAt) bool { return a.S[2][1] < 0.9*a.S[2][0] })
	text += words.When(late, " The step at 0%% is the time before the first task is done.")
	text += words.When(len(fans) < len(r.At), " %d of %d allocations are shown.", len(fans), len(r.At))
	return text + words.When(finite(r.MostTokens), " Past runs held %s at most; beyond, run times are extrapolated.",
		words.Of(int64(r.MostTokens), "token", "tokens"))
}
