package figure

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// farMissed is the largest share of missed deadlines on the axis: larger ones are written as text.
const farMissed = 0.1

// JockeySensitivity draws the effect of other values of the loop's parameters, one at a time, on missed deadlines and
// on the allocation above the oracle.
func JockeySensitivity(j *result.Jockey, source Source) *Figure {
	missed := panel{title: "deadlines missed", rowHeight: 14}
	above := panel{title: "above the oracle, mean", rowHeight: 14,
		x: shareSteps(0, 0.5, 1).labelled("share of the token-time")}
	most, runs, group := 0.02, 0, ""
	for _, s := range j.Sensitive {
		p := jockeyPolicy{JockeyPolicy: &result.JockeyPolicy{JockeyScore: s.JockeyScore}}
		share, low, high := p.missed()
		of := s.AllocationAboveOracle
		if s.Runs < 1 || of.N < 1 || !(share >= 0 && share <= 1) || !(of.Mean >= 0 && of.Mean <= 1) {
			continue
		}
		if !(of.P25 >= 0 && of.P25 <= of.P75 && of.P75 <= 1) {
			of.P25, of.P75 = of.Mean, of.Mean
		}
		runs = max(runs, s.Runs)
		if s.Parameter == "" {
			missed.layers = append(missed.layers, upright("the defaults", dashedLook(style.Muted()), share))
			above.layers = append(above.layers, upright("", dashedLook(style.Muted()), of.Mean))
			continue
		}
		if name := words.Shorten(s.Parameter, 40); name != group {
			group = name
			missed.row(category{name: name, heading: true}, "")
		}
		row, value, end := len(missed.rows), words.Shorten(s.Value, 40), ""
		if most = max(most, share); share > farMissed {
			end = words.Percent(share)
		}
		missed.row(category{name: value, bold: s.Base}, end)
		dot, _ := missed.dot("", lookAt(0), row, share, low, high)
		dot.values = []Value{{group + " " + value, "missed", share}, {group + " " + value, "above oracle", of.Mean}}
		dot.says = fmt.Sprintf("%s %s: %s missed, %s above the oracle", group, value, words.Percent(share),
			words.Percent(of.Mean))
		excess, _ := above.dot("", lookAt(1), row, of.Mean, of.P25, of.P75)
		dot.radius, excess.radius = 2.6, 2.6
	}
	above.rows = missed.rows
	missed.x = linear(min(most, farMissed), false).in(words.Percent).labelled("share of runs")
	c := &chart{about: "Dots with bars for values of parameters", nothing: "no parameter was changed", columns: 2,
		narrow: 2, sharedY: true, panels: withRows(missed, above),
		key: []entry{spanEntry("95% interval; quartiles of runs")}}
	text := fmt.Sprintf("The loop with one parameter changed at a time, on the same %s each; in bold the default.",
		words.Of(runs, "controlled run", "controlled runs"))
	text += words.When(most > farMissed, " Shares beyond the axis are written at its end.")
	return c.figure("jockey-sensitivity", "What each parameter of the loop does", text+" The last group is the loop "+
		"as published, and what Jockey (EuroSys 2012, section 5.5) changes of it.", source)
}
