package figure

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// maxWasteful bounds the jobs in a drawing of waste.
const maxWasteful = 15

// Waste draws the core-hours held by runs, by class, in all and for the jobs that waste most.
func Waste(w *result.Waste, source Source) *Figure {
	bars := newShareBars([]told{ // in the order of [result.WasteClasses.List]
		{name: "useful", look: lookAt(2).solid()}, {name: "failed", look: look{colour: style.Alert()}},
		{name: "speculative", look: lookAt(3)}, {name: "waiting for other tasks", look: lookAt(1)},
		{name: "idle at the end", look: lookAt(4)}, {name: "driver and start-up", look: lookAt(5)},
		{name: "never used", look: look{colour: style.Faint()}}})
	n := bars.panel("the core-hours held")
	row := func(name string, bold bool, a *result.WasteAmount, classes *result.WasteClasses) {
		if !(a.HeldCoreH > 0) || !finite(a.HeldCoreH) {
			return
		}
		var shares []float64
		for k, c := range classes.List() {
			share := c.CoreH / a.HeldCoreH
			if share >= 0 && share <= 1 {
				bars[k].values = append(bars[k].values, Value{name, c.Name + ", core-hours", c.CoreH})
			} else {
				share = math.NaN() // damaged
			}
			shares = append(shares, share)
		}
		bars.stack(len(n.rows), shares)
		end := words.Number(a.WastedCoreH) + " of " + words.Number(a.HeldCoreH) + " core-h"
		end += words.When(w.Priced, ", %s", words.Number(a.WastedCost))
		n.row(category{name: name, bold: bold}, end)
	}
	row("all "+words.Of(w.Runs, "run", "runs"), true, &w.WasteAmount, &w.Classes)
	for _, j := range w.Jobs[:min(len(w.Jobs), maxWasteful)] {
		if j.Job != "" {
			row(words.Shorten(j.Job, 40), false, &j.WasteAmount, &j.Classes)
		}
	}
	bars[0].says = fmt.Sprintf("%s of %s core-hours did no useful work", words.Number(w.WastedCoreH),
		words.Number(w.HeldCoreH))
	c := &chart{about: "Stacked bars of where core-hours went", nothing: "no run held anything", panels: withRows(n)}
	text := fmt.Sprintf("Where the core-hours that %s held went", words.Of(w.Runs, "run", "runs"))
	text += words.When(len(n.rows) > 1, ": all of them, and %s that waste most", words.Of(len(n.rows)-1, "job", "jobs"))
	text += ". Right: how many did no useful work, of how many"
	text += words.When(w.Priced, ", and their price")
	return c.figure("waste", "Where core-hours went", text+".", source)
}
