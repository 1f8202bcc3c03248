package figure

import (
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// percentileLooks are the percentiles of the curves of a sweep.
var percentileLooks = []struct {
	what  string
	about string
}{{"p50", "50th percentile"}, {"p90", "90th percentile"}, {"p99", "99th percentile"}}

// EagleSweep draws, over cluster sizes, percentiles of completion times of one scheduler relative to the base,
// for short and for long jobs, with the utilisation: two panels of Figure 3.2 of P. Delgado's thesis.
func EagleSweep(x *result.EagleExperiment, source Source) *Figure {
	return eagleSweeps{{Sweep: x}}.figure("eagle-"+Slug(x.Name), source)
}

// EagleTraces draws the same for several traces side by side, short jobs above long ones: with three, Figure 3.2
// of P. Delgado's thesis.
func EagleTraces(t *result.EagleTraces, source Source) *Figure {
	source.Traces = len(t.Traces)
	return eagleSweeps(t.Traces).figure("eagle-traces", source)
}

// Limits of the axis of ratios: it ends at the first, or at the second if some ratios are larger.
const (
	sweepTop  = 2.0
	sweepMost = 4.0
)

// sweptTrace is the sweep of one trace: a panel for each class of job.
type sweptTrace struct {
	trace       *result.EagleTrace
	other, base string
	panels      [2]panel
	beyond      int // medians above the end of the axis
}

// TraceName returns the name of a trace for a heading.
func TraceName(store string) string {
	return words.Shorten(strings.TrimSuffix(store, ".store"), 24)
}

// draw makes the panels of a trace. It reports whether they hold anything.
func (t *sweptTrace) draw(series eagleSeries, base []result.EaglePoint, several bool) bool {
	some := false
	for c, class := range eagleClasses {
		n := panel{title: class + " jobs", high: 210, layers: []layer{across("", plain(style.Muted()), 1)}}
		prefix := ""
		if several {
			prefix, n.high = TraceName(t.trace.Store)+", ", 170
			n.title = prefix + n.title
			n.title += words.When(t.trace.Synthetic, ", SYNTHETIC")
		}
		for i, look := range percentileLooks {
			s := series.swept(look.about, lookAt(i), class+"_"+look.what, true)
			for _, q := range s.points {
				s.values = append(s.values,
					Value{fmt.Sprintf("%s%s, %s workers", prefix, class, words.Number(q.x)), look.what, q.y})
			}
			t.beyond += above(s.ys(), sweepMost)
			n.layers = append(n.layers, s.sum(look.about, words.Number, asRatio),
				newArea("", lookAt(i).solid().faded(0.16), s.seeds...))
		}
		n.y = between(0, sweepTop, 0, 0.5, 1, 1.5, 2)
		if most := largest(n.ys()...); most > sweepTop {
			n.y = linear(min(most, sweepMost), false)
		}
		n.right = func(y float64) string { return words.Either(y > 1, "", words.Percent(y)) }
		n.x, some = variedAxis(n.xs(), t.trace.Sweep.Axis), some || len(n.xs()) > 0
		n.layers = append(n.layers, busyLine(base, t.base, prefix, c == 0))
		t.panels[c] = n
	}
	return some
}

// busyLine is the share of workers that are busy under the base.
func busyLine(base []result.EaglePoint, name, prefix string, tell bool) *lineLayer {
	busy := newLine("workers busy under "+name+" (right scale)", dashedLook(style.Muted()))
	for _, p := range base {
		y := float64(p.Utilization.Median)
		busy.add(p.X, y)
		if tell && finite(p.X) {
			busy.values = append(busy.values, Value{fmt.Sprintf("%s%s workers", prefix, words.Number(p.X)), "busy", y})
		}
	}
	return busy
}

// eagleSweeps are the sweeps of some traces.
type eagleSweeps []result.EagleTrace

func (traces eagleSweeps) figure(name string, source Source) *Figure {
	var all []sweptTrace
	for _, t := range traces {
		series := eagleSeriesOf(t.Sweep)
		base := slices.IndexFunc(series, func(s eagleSeries) bool { return s.name == t.Sweep.Base })
		other := slices.IndexFunc(series, func(s eagleSeries) bool { return s.name != t.Sweep.Base })
		if other < 0 || base < 0 {
			continue
		}
		of := sweptTrace{trace: &t, other: words.Shorten(series[other].name, 40), base: words.Shorten(t.Sweep.Base, 40)}
		if of.draw(series[other], series[base].points, len(traces) > 1) {
			all = append(all, of)
		}
	}
	title := "Eagle over Hawk, by cluster size"
	ch := &chart{about: "Lines of ratios", nothing: "nothing to compare", columns: min(3, max(2, len(all))),
		key: []entry{boxEntry("all seeds", look{colour: style.Muted(), opacity: 0.3})}}
	if len(all) > 0 {
		title = fmt.Sprintf("Completion times under %s over those under %s, by cluster size",
			words.Capital(all[0].other), words.Capital(all[0].base))
	}
	text := "Ratios of percentiles: below 1, jobs end earlier under the first. Lines are medians over seeds, bands, " +
		"often thinner than the lines, reach from the least to the largest."
	beyond := 0
	for _, t := range all {
		text += t.words(len(all) > 1)
		beyond += t.beyond
	}
	text += words.When(beyond > 0, " %s above %g and drawn at the edge.", words.Of(beyond, "point is", "points are"),
		sweepMost)
	for row := range slices.Chunk(all, ch.columns) { // a column per trace, or the two panels of a single one
		for c := range eagleClasses {
			for _, t := range row {
				ch.panels = append(ch.panels, t.panels[c])
			}
		}
	}
	return ch.figure(name, title, text+" Published (Eagle thesis, Figure 3.2; no values are printed there): short "+
		"jobs at or below 1 nearly everywhere, long jobs about 1.", source)
}

// words states the size of a sweep.
func (t *sweptTrace) words(several bool) string {
	w := &t.trace.Workload
	if !several && w.Jobs == 0 {
		return " " + words.Capital(runsOf(t.trace.Sweep)) + "."
	}
	text := fmt.Sprintf(" %s: %s, %s, %s", words.Capital(TraceName(t.trace.Store)), words.Of(w.Jobs, "job", "jobs"),
		words.Of(w.Tasks, "task", "tasks"), runsOf(t.trace.Sweep))
	if load := float64(w.Load) * float64(t.trace.Options.Workers); finite(load) && load > 0 {
		xs := t.panels[0].x.steps
		between := func(all float64) string {
			return words.Range(all/xs[len(xs)-1], all/xs[0], asRatio)
		}
		text += ", offered load " + between(load)
		if middle := float64(w.MiddleLoad) * float64(t.trace.Options.Workers); finite(middle) && middle > 1.5*load {
			text += ", " + between(middle) + " while the middle 90% of the jobs come"
		}
	}
	text += words.When(t.trace.Synthetic, ", SYNTHETIC")
	return text + "."
}
