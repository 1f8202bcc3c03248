package figure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// perJob returns a column of the table of a comparison, by scheduler and job.
func perJob(t *result.Table, column string) map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	names, ids, values := t.Text("scheduler"), t.Text("job_id"), t.Numbers(column)
	if len(ids) != len(names) || len(values) != len(names) { // a column may be absent
		return out
	}
	for i, name := range names {
		if out[name] == nil {
			out[name] = map[string]float64{}
		}
		out[name][ids[i]] = values[i]
	}
	return out
}

// CarbyneCompletion draws the distributions of completion times under every scheduler.
func CarbyneCompletion(c *result.Carbyne, t *result.Table, source Source) *Figure {
	order, times := ordered(c), perJob(t, "jct_s")
	var curves []*curve
	for _, name := range c.Order {
		s := c.Schedulers[name]
		if s == nil {
			continue
		}
		xs := slices.Collect(maps.Values(times[name]))
		v := newCurve(words.Shorten(name, 40), xs, s.JCT, schedulerLook(order, name))
		v.entry, v.told = v.name, []string{"p50", "p75", "p95"}
		if len(v.xs) > 1 {
			curves = append(curves, v)
		}
	}
	ch := &chart{about: "Cumulative distributions of completion times", nothing: "no job was run"}
	// A few jobs with times near 0 would take most of the axis.
	if n := completions(curves, 0.01); n != nil {
		n.notes, n.y, n.high = []string{"share of jobs that took at most"}, shareSteps(0, 0.25, 0.5, 0.75, 0.95), 230
		ch.panels = []panel{*n}
	}
	return ch.figure("carbyne-completion", "Completion times under every scheduler",
		fmt.Sprintf("Cumulative distributions over %s, %s; further left is better (Carbyne, OSDI 2016, Figure 6, "+
			"whose numbers are not known).%s%s", words.Of(c.Workload.Jobs, "job", "jobs"),
			words.Of(c.Workload.Tasks, "task", "tasks"), OfSeed(c), hidden(curves)), source)
}

// completions returns a panel of distributions of completion times, with a logarithmic axis that leaves out times below
// a share of the jobs; nil where no time is positive.
func completions(curves []*curve, from float64) *panel {
	lo, hi := math.Inf(1), 0.0
	for _, c := range curves {
		for i, x := range c.xs {
			if x > 0 && c.ys[i] >= from {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		c.write = words.Seconds
	}
	if hi <= 0 {
		return nil
	}
	n := distribution("", secondsAxis(lo, hi).labelled("completion time"), curves...)
	return &n
}

// HasDAGPS reports whether Carbyne was run both with its own order inside jobs and with DAGPS' order, against
// another scheduler.
func HasDAGPS(c *result.Carbyne) bool {
	return slices.Contains(c.Order, "carbyne") && slices.Contains(c.Order, "carbyne-dagps") &&
		slices.ContainsFunc(c.Order, rival)
}

// rival reports whether Figure 12 compares with a scheduler.
func rival(name string) bool { return name == "drf" || name == "tetris" }

// CarbyneDAGPS draws the ratio of completion times under DRF and Tetris to those under Carbyne, with packing and with
// DAGPS.
func CarbyneDAGPS(c *result.Carbyne, t *result.Table, source Source) *Figure {
	order, times := ordered(c), perJob(t, "jct_s")
	ch := &chart{about: "Cumulative distributions of factors of improvement", nothing: "dagps was not compared",
		columns: 2, narrow: 1}
	for _, other := range c.Order {
		if !rival(other) || !HasDAGPS(c) {
			continue
		}
		var curves []*curve
		var lines []layer
		for _, name := range []string{"carbyne", "carbyne-dagps"} {
			var xs []float64
			for id, x := range times[name] {
				if y := times[other][id]; x > 0 && finite(y/x) {
					xs = append(xs, y/x)
				}
			}
			v := newCurve(name+" over "+other, xs, result.Summary{}, schedulerLook(order, name))
			if len(v.xs) < 2 {
				continue
			}
			l := newLine(name, v.look, v.points()...)
			l.values = []Value{{v.name, "p50", v.quantile(0.5)}, {v.name, "p75", v.quantile(0.75)}}
			l.says = fmt.Sprintf("%s, median factor %s", v.name, asRatio(v.quantile(0.5)))
			curves, lines = append(curves, v), append(lines, l)
		}
		if len(lines) == 0 {
			continue
		}
		n := distribution("over "+other, factors(curves).labelled("factor of improvement"))
		n.layers = lines
		n.notes, n.y, n.high = []string{"share of jobs at or below"}, shareSteps(0, 0.25, 0.5, 0.75, 0.95), 200
		if other == "drf" {
			for _, x := range papers.CarbyneDAGPS() {
				n.layers = append(n.layers, rings("published", plain(style.Muted()), point{x, 0.75}))
			}
		}
		ch.panels = append(ch.panels, n)
	}
	printed := papers.CarbyneDAGPS()
	return ch.figure("carbyne-dagps", "Carbyne with another order inside jobs",
		fmt.Sprintf("Factors of improvement of %s: completion time under the other scheduler / under Carbyne as it "+
			"packs, and with DAGPS, which places troublesome tasks first. Published (Carbyne, OSDI 2016, Figure 12): "+
			"over DRF the factor of at least a quarter of the jobs goes from %s to %s.%s",
			words.Of(c.Workload.Jobs, "job", "jobs"), words.Fixed(printed[0], 2), words.Fixed(printed[1], 2), OfSeed(c)),
		source)
}
