package figure

import (
	"fmt"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
)

// LeftoverShares draws the distributions of the cluster's leftover, one small plot per resource: over events,
// and over time, with the published median.
func LeftoverShares(l *result.Leftover, source Source) *Figure {
	c := &chart{about: "Cumulative distributions per resource", nothing: "no resource is known", columns: 3, narrow: 2,
		sharedY: true}
	for _, name := range available(l) {
		of := l.Resources[name]
		title := ResourceTitle(name)
		event := quantileCurve(title+", events", of.EventCurve, of.EventWeighted, lookAt(0))
		time := quantileCurve(title+", time", of.TimeCurve, of.TimeWeighted, lookAt(1))
		event.write, time.write = words.Percent, words.Percent
		below := "n = " + words.Of(of.EventWeighted.N, "event", "events")
		if event.published = papers.CarbyneLeftover(name); event.published != nil {
			below += ", published " + words.Percent(event.published[0].X)
		}
		event.entry, time.entry = "over events, with median", "over time, with median"
		n := distribution(title, shareSteps(0, 0.5, 1), event, time)
		n.notes = []string{words.Either(of.EventWeighted.N > 0, fmt.Sprintf("median %s, over time %s",
			words.Percent(of.EventWeighted.P50), words.Percent(of.TimeWeighted.P50)), "nothing was held"), below}
		c.panels = append(c.panels, n)
	}
	if n := len(c.panels); n == 4 || n > 6 {
		c.columns = 4
	}
	c.key = []entry{spotEntry("published median over events (Carbyne)", lookAt(0), true)}
	return c.figure("leftover-shares", "Slack, as a share of the resources held", sharesCaption(l), source)
}

func sharesCaption(l *result.Leftover) string {
	text := fmt.Sprintf("Cumulative distributions: share of %s, or of the time between them, at "+
		"which slack is at most x.", words.Of(l.Events, "event", "events"))
	text += " Slack is the share of the resources held by all runs that they could release without ending later, " +
		"right after an event: the arrival or end of a run, the start or end of a task attempt. Events at which " +
		"nothing was held are left out"
	counts := lists.Map(available(l), func(name string) string {
		return fmt.Sprintf("%s n = %s", ResourceTitle(name), words.Count(l.Resources[name].EventWeighted.N))
	})
	text += words.When(len(counts) > 0, " (left: %s)", words.List(counts))
	text += "."
	text += words.When(l.Estimated, " Estimated from means over %s of %s.",
		words.Of(l.Instants, "time bin", "time bins"), words.Seconds(l.BinS))
	return text + " Open circles: medians over events at Microsoft (Carbyne, OSDI 2016, section 2.2)."
}
