package figure

import (
	"cmp"
	"fmt"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
)

// Leftover draws the amount of every resource that runs held over time, and the part that they could have given
// away without ending later. units are the trace's own units by resource, if it keeps them. Resources that no
// run held are left out.
func Leftover(l *result.Leftover, units map[string]string, source Source) *Figure {
	span := largest(float64(l.Timeline.StepS) * float64(len(l.Timeline.Running)))
	c := &chart{about: "Areas over time", nothing: "no resource is known"}
	var values []Value
	for _, name := range available(l) {
		n, most, told := heldPanel(l, name, units[name], span)
		if values = append(values, told...); most > 0 {
			c.panels = append(c.panels, n)
		}
	}
	sample := words.Of(l.Runs, "run", "runs") + ", " + words.Of(l.Attempts, "task attempt", "task attempts")
	c.panels = stacked(c.panels, spanAxis(0, cmp.Or(span, 1), 6, "since the first event; "+sample))
	for i := range c.panels {
		if len(c.panels) > 3 {
			c.panels[i].high = 72
		}
	}
	return c.figure("leftover", "Resources held, and slack", leftoverCaption(l, span), source, values...)
}

// ResourceTitle returns the name of a resource for people.
func ResourceTitle(resource string) string {
	titles := map[string]string{"cpu": "CPU", "mem": "memory", "disk_read": "disk read", "disk_write": "disk write",
		"net_in": "network in", "net_out": "network out", "gpu": "GPU"}
	return cmp.Or(titles[resource], words.Shorten(resource, 30))
}

// quantity returns the function that writes amounts of a resource, and the unit that it leaves out.
func quantity(unit string) (write func(float64) string, label string) {
	switch unit {
	case "bytes":
		return words.Bytes, ""
	case "bytes/s":
		return func(x float64) string { return words.Bytes(x) + "/s" }, ""
	}
	return words.Number, words.Shorten(unit, 60)
}

// available returns the names of resources with data.
func available(l *result.Leftover) []string {
	return lists.Kept(l.Names(), func(name string) bool { return l.Resources[name].Available })
}

// heldPanel draws one resource over time, and returns its largest held amount and its values.
func heldPanel(l *result.Leftover, name, unit string, span float64) (panel, float64, []Value) {
	of, v := l.Resources[name], l.Timeline.Resources[name]
	write, label := quantity(unit)
	title := words.Capital(ResourceTitle(name))
	title += words.When(label != "", ", %s", label)
	var held, spare []float64
	for i := range min(len(v.Allocated), len(v.Spare)) {
		all, part := largest(v.Allocated[i]), v.Spare[i]
		if !(part >= 0) {
			part = 0
		}
		held, spare = append(held, all), append(spare, min(part, all))
	}
	values := []Value{{name, "share", float64(of.Share)}, {name, "events", float64(of.EventWeighted.N)}, {name,
		"event p50", percentile(of.EventWeighted, "p50")}, {name, "time p50", percentile(of.TimeWeighted, "p50")}}
	note := words.Percent(of.Share) + " was slack"
	note += words.When(of.EventWeighted.N > 0, "; at the median event %s", words.Percent(of.EventWeighted.P50))
	if p := papers.CarbyneLeftover(name); p != nil {
		note += " (published: " + words.Percent(p[0].X) + ")"
		values = append(values, Value{name, "event p50, published", p[0].X})
	}
	values = append(values, Value{name, "most held", largest(held...)}, Value{name, "steps", float64(len(held))})
	held, spare = visible(result.Series{Values: held}, mostBins).Values,
		visible(result.Series{Values: spare}, mostBins).Values
	needed := newArea("needed", lookAt(0))
	slack := newArea("slack", lookAt(1))
	for i := range held {
		from, to := span*float64(i)/float64(len(held)), span*float64(i+1)/float64(len(held))
		needed.step(from, to, 0, held[i]-spare[i])
		slack.step(from, to, held[i]-spare[i], held[i])
	}
	slack.says = words.Percent(of.Share) + " was slack"
	most := largest(held...)
	return panel{title: title, notes: []string{note}, y: linear(most, most >= 3).in(write), high: 110,
		layers: []layer{needed, slack}}, most, values
}

func leftoverCaption(l *result.Leftover, span float64) string {
	text := fmt.Sprintf("Resources that %s with %s held together, averaged within %s steps of %s.",
		words.Of(l.Runs, "run", "runs"), words.Of(l.Attempts, "timed task attempt", "timed task attempts"),
		words.Count(len(l.Timeline.Running)), words.Seconds(l.Timeline.StepS))
	if !finite(span) || span <= 0 {
		text = "The trace does not record the resources held."
	}
	return text + " The attempts of each run are packed again from its observed end backwards, each as late as the " +
		"stages that depend on it allow, never holding more at once than the run did. Resources held beyond the " +
		"needs of that schedule at the same time could have been given to others: the run would have ended no later. " +
		"Attempts that failed stay where they were; time in which nothing but the run's driver worked counts as " +
		"slack. Published: medians over events at Microsoft (Carbyne, OSDI 2016, section 2.2)."
}
