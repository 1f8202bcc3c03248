package figure

import (
	"cmp"
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// namedLoad is the number of attempts or runs under way over time.
type namedLoad struct {
	*result.Concurrent
	name string
	what [2]string // one, many
}

// Concurrency draws the numbers of attempts and runs under way over time, and the use of tokens and machines if their
// capacity is known.
func Concurrency(w *result.Workload, source Source) *Figure {
	var loads []namedLoad
	var uses []result.Utilization
	var all []result.Series
	bin := 0.0
	for _, c := range []namedLoad{{w.Concurrency.Tasks, "task attempts at once", [2]string{"attempt", "attempts"}},
		{w.Concurrency.Runs, "runs at once", [2]string{"run", "runs"}}} {
		if c.Concurrent != nil && len(c.Series.Values) > 0 {
			loads, all, bin = append(loads, c), append(all, c.Series), max(bin, c.Series.BinS)
		}
	}
	for _, u := range w.Concurrency.Utilization {
		if len(u.Used.Values) > 0 && len(u.There.Values) > 0 {
			uses, all, bin = append(uses, u), append(all, u.Used, u.There), max(bin, u.Used.BinS)
		}
	}
	c := &chart{about: "Areas over time", nothing: "nothing has a known start and end"}
	for _, l := range loads {
		c.panels = append(c.panels, loadPanel(l, "mean over each bin of "+words.Seconds(bin)))
	}
	for _, u := range uses {
		c.panels = append(c.panels, usePanel(u))
	}
	if len(all) > 0 {
		c.panels = stacked(c.panels, timesOf(source.zone(w.TimeBase == "unix"), all...))
	}
	return c.figure("concurrency", "What runs at once", concurrencyCaption(loads, uses), source)
}

func loadPanel(l namedLoad, entry string) panel {
	note := fmt.Sprintf("mean %s, 95%% ≤ %s, most %s", words.Number(l.Mean), words.Number(l.Weighted.P95),
		words.Number(l.Peak))
	note += words.When(l.PeakError != "", " (of means)")
	area := seriesArea(entry, lookAt(0), l.Series)
	area.says = fmt.Sprintf("mean %s, most %s", words.Number(l.Mean), words.Number(l.Peak))
	area.values = []Value{{l.name, "n", float64(l.N)}, {l.name, "mean", l.Mean}, {l.name, "p95", l.Weighted.P95},
		{l.name, "peak", l.Peak}, {l.name, "share idle", l.Idle}}
	return panel{title: l.name, notes: []string{note}, y: means(), high: 92, layers: []layer{area}}
}

// usePanel draws usage, and capacity if it is on a comparable scale.
func usePanel(u result.Utilization) panel {
	there := newLine("available", look{width: style.LineWidth}, edges(u.There)...)
	area := seriesArea("in use", lookAt(2), u.Used)
	area.says = words.Percent(u.Share) + " in use"
	area.values = []Value{{resourceName(u.Resource), "share used", u.Share}}
	n := panel{title: resourceName(u.Resource) + " in use", y: means(), high: 92, layers: []layer{area}}
	note := words.Percent(u.Share) + " of the capacity"
	if available := largest(there.ys()...); available > 20*largest(n.ys()...) {
		note += ", which is up to " + words.Number(available) + ", beyond the axis"
	} else {
		n.layers = append(n.layers, there)
	}
	n.notes = []string{note}
	return n
}

// resourceName returns the display name of a resource.
func resourceName(resource string) string {
	return cmp.Or(map[string]string{"cpu": "cores", "gpu": "GPUs"}[resource], words.Shorten(resource, 20))
}

func concurrencyCaption(loads []namedLoad, uses []result.Utilization) string {
	text := "Number under way at once over time, as means over bins"
	var parts []string
	without := int64(0)
	for _, l := range loads {
		parts = append(parts, words.Of(l.N, l.what[0], l.what[1])+" with a known start and end")
		without += l.Without
	}
	text += words.When(len(parts) > 0, ": %s", words.List(parts))
	text += "."
	text += words.When(without > 0, " Left out, without a known start or end: %s.", words.Count(without))
	text += " Runs count from submission, or start where none is recorded, to end."
	for _, u := range uses {
		text += fmt.Sprintf(" %s: %s.", words.Capital(resourceName(u.Resource)), words.Printable(u.What))
	}
	return text
}
