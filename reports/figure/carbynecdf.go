package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// jobTimes returns completion times in seconds by scheduler and job, of the table of a comparison.
func jobTimes(t *result.Table) map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	if t == nil {
		return out
	}
	names, ids, times := t.Text("scheduler"), t.Text("job_id"), t.Floats("jct_s")
	if len(ids) != len(names) || len(times) != len(names) { // there is one of every row, or none
		return out
	}
	for i, name := range names {
		if out[name] == nil {
			out[name] = map[string]float64{}
		}
		out[name][ids[i]] = times[i]
	}
	return out
}

// shareAxis is of shares of jobs.
func shareAxis() axis { return axis{0, 1, plot.LinearScale{}, []float64{0, 0.25, 0.5, 0.75, 0.95}, 0} }

// CarbyneCompletion draws the distributions of completion times under every scheduler.
func CarbyneCompletion(c *result.Carbyne, t *result.Table, source Source) *Figure {
	f := &Figure{Name: "carbyne-completion", Title: "Completion times under every scheduler", source: source}
	order, times := ordered(c), jobTimes(t)
	l := smallGraph{title: "share of jobs that took at most", label: "completion time", y: shareAxis(), writeX: style.Seconds, writeY: style.Percent}
	var k key
	var medians []string
	var curves []curve
	lo, hi := math.Inf(1), 0.0
	for _, name := range c.Order {
		s := c.Schedulers[name]
		if s == nil {
			continue
		}
		var xs []float64
		for _, x := range times[name] {
			xs = append(xs, x)
		}
		curve := newCurve(style.Shorten(name, 40), xs, s.JCT, schedulerColour(order, name))
		if len(curve.xs) < 2 {
			continue
		}
		entry, look := keyEntry{keyHeavy, curve.colour.Light, curve.name}, line{width: style.LineWidth}
		if repeated(order, name) {
			entry.mark, look.dash = keyHeavyDashed, dashes()
		}
		k, curves = append(k, entry), append(curves, curve)
		l.lines = append(l.lines, plotted{colour: curve.colour, look: look, xs: curve.xs, ys: curve.ys})
		medians = append(medians, curve.name+" "+style.Seconds(s.JCT.P50))
		for i, x := range curve.xs {
			if x > 0 && curve.ys[i] >= 0.01 { // a few jobs of no time would take most of the axis
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		for _, what := range []string{"p50", "p75", "p95"} {
			f.Values = append(f.Values, Value{curve.name, what, percentile(s.JCT, what)})
		}
	}
	var panels []smallGraph
	if hi > 0 {
		l.x = logarithmic(lo, hi, secondSteps(lo, hi))
		panels = append(panels, l)
	}
	f.Values = slices.DeleteFunc(f.Values, func(v Value) bool { return !finite(v.Value) })
	f.Caption = fmt.Sprintf("Cumulative distributions over %s, %s; further left is better (Carbyne, OSDI 2016, Figure 6, of which no numbers are known).%s%s %s",
		style.Of(int64(c.Workload.Jobs), "job", "jobs"), style.Of(c.Workload.Tasks, "task", "tasks"), OfSeed(c), hidden(curves), source)
	f.Alt = "No job was run."
	if len(medians) > 0 {
		f.Alt = "Cumulative curves. Median completion times: " + style.List(medians) + "."
	}
	f.plan = func(width float64) sheet { return smallGraphs(width, k, panels, 1, "no job was run") }
	return f
}

// HasDAGPS reports whether Carbyne was run both with its own order inside jobs and with that of DAGPS, against another.
func HasDAGPS(c *result.Carbyne) bool {
	return slices.Contains(c.Order, "carbyne") && slices.Contains(c.Order, "carbyne-dagps") && slices.ContainsFunc(c.Order, rival)
}

// rival reports whether Figure 12 compares with a scheduler.
func rival(name string) bool { return name == "drf" || name == "tetris" }

// CarbyneDAGPS draws how many times longer jobs take under DRF and Tetris than under Carbyne, as it packs and with DAGPS.
func CarbyneDAGPS(c *result.Carbyne, t *result.Table, source Source) *Figure {
	f := &Figure{Name: "carbyne-dagps", Title: "Carbyne with another order inside jobs", source: source}
	order, times := ordered(c), jobTimes(t)
	own := []string{"carbyne", "carbyne-dagps"}
	var panels []smallGraph
	var parts []string
	for _, other := range c.Order {
		if !rival(other) || !HasDAGPS(c) {
			continue
		}
		l := smallGraph{title: "over " + other + ": share of jobs at or below", label: "factor of improvement", y: shareAxis(), writeX: style.Number, writeY: style.Percent}
		var curves []curve
		for _, name := range own {
			var xs []float64
			for id, x := range times[name] {
				if y := times[other][id]; x > 0 && finite(y/x) {
					xs = append(xs, y/x)
				}
			}
			curve := newCurve(name+" over "+other, xs, result.Summary{}, schedulerColour(order, name))
			if len(curve.xs) < 2 {
				continue
			}
			curves = append(curves, curve)
			l.lines = append(l.lines, plotted{colour: curve.colour, look: line{width: style.LineWidth}, xs: curve.xs, ys: curve.ys})
			at := func(p float64) float64 { return curve.xs[int(math.Round(p*float64(len(curve.xs)-1)))] }
			f.Values = append(f.Values, Value{curve.name, "p50", at(0.5)}, Value{curve.name, "p75", at(0.75)})
			parts = append(parts, fmt.Sprintf("%s %s", curve.name, style.Fixed(at(0.5), 2)))
		}
		if len(l.lines) > 0 {
			l.x = factors(curves)
			if other == "drf" {
				for _, x := range carbyneDAGPS() {
					l.rings = append(l.rings, point{x, 0.75})
				}
			}
			panels = append(panels, l)
		}
	}
	k := key{{keyRing, style.Muted().Light, "published"}}
	for i, name := range own {
		k = slices.Insert(k, i, keyEntry{keyHeavy, schedulerColour(order, name).Light, name})
	}
	f.Caption = fmt.Sprintf("Factors of improvement of %s: completion time under the other scheduler / under Carbyne as it packs, and with DAGPS, which places troublesome tasks first. "+
		"Published (Carbyne, OSDI 2016, Figure 12): over DRF the factor of at least a quarter of the jobs goes from 2.36 to 3.41.%s %s", style.Of(int64(c.Workload.Jobs), "job", "jobs"), OfSeed(c), source)
	f.Alt = "DAGPS was not compared."
	if len(parts) > 0 {
		f.Alt = "Cumulative curves. Median factors: " + style.List(parts) + "."
	}
	f.plan = func(width float64) sheet { return smallGraphs(width, k, panels, 2, "dagps was not compared") }
	return f
}
