package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// percentileLooks are the percentiles of the curves of a sweep.
var percentileLooks = []struct {
	what  string
	about string
}{{"p50", "50th percentile"}, {"p90", "90th percentile"}, {"p99", "99th percentile"}}

// EagleSweep draws, over cluster sizes, percentiles of completion times of one scheduler over those of the base, for short and
// for long jobs, with the utilisation: two panels of Figure 3.2 of P. Delgado's thesis.
func EagleSweep(x *result.EagleExperiment, source Source) *Figure {
	d := newSweeps([]result.EagleTrace{{Sweep: x}})
	return d.figure("eagle-"+Slug(x.Name), source)
}

// EagleTraces draws the same of several traces beside each other, short jobs above long ones: with three, Figure 3.2 of P. Delgado's
// thesis.
func EagleTraces(t *result.EagleTraces, source Source) *Figure {
	d := newSweeps(t.Traces)
	source.Traces = len(t.Traces)
	return d.figure("eagle-traces", source)
}

// Limits of the ratios that are drawn: the axis ends at the first, and at the second where some are larger.
const (
	sweepTop  = 2.0
	sweepMost = 4.0
)

// eagleSweeps are the sweeps of some traces.
type eagleSweeps struct {
	traces []sweptTrace
	beyond int // medians above the end of the axis
	values []Value
}

// sweptTrace is what one trace shows, by class of job.
type sweptTrace struct {
	trace       *result.EagleTrace
	other, base string
	panels      [2]smallGraph
}

// TraceName returns the name of a trace for a heading.
func TraceName(store string) string {
	return style.Shorten(strings.TrimSuffix(store, ".store"), 24)
}

func newSweeps(traces []result.EagleTrace) *eagleSweeps {
	d := &eagleSweeps{}
	for i := range traces {
		t := &traces[i]
		series := eagleSeriesOf(t.Sweep)
		other, base := -1, -1
		for k := range series {
			if series[k].name == t.Sweep.Base {
				base = k
			} else if other < 0 {
				other = k
			}
		}
		if other < 0 || base < 0 {
			continue
		}
		of := sweptTrace{trace: t, other: style.Shorten(series[other].name, 40), base: style.Shorten(t.Sweep.Base, 40)}
		if d.panels(&of, series[other].points, series[base].points, len(traces) > 1) {
			d.traces = append(d.traces, of)
		}
	}
	return d
}

// panels makes the panels of a trace. It reports whether there is something in them.
func (d *eagleSweeps) panels(of *sweptTrace, points, base []*result.EaglePoint, several bool) bool {
	var all []float64
	for c, class := range eagleClasses {
		l := smallGraph{title: class + " jobs", label: of.trace.Sweep.Axis, writeX: style.Number, writeY: style.Number, level: 1, writeRight: style.Percent}
		prefix := ""
		if several {
			l.title = TraceName(of.trace.Store) + ", " + l.title
			prefix = TraceName(of.trace.Store) + ", "
			if of.trace.Synthetic {
				l.title += ", SYNTHETIC"
			}
		}
		most := sweepTop
		for i, look := range percentileLooks {
			s := eagleSeries{colour: style.SeriesAt(i), points: points}
			line := s.lineOf(class+"_"+look.what, true)
			for n := range line.xs {
				d.values = append(d.values, Value{fmt.Sprintf("%s%s, %s workers", prefix, class, style.Number(line.xs[n])), look.what, line.ys[n]})
				most = max(most, line.highs[n])
				if line.ys[n] > sweepMost {
					d.beyond++
				}
			}
			all = append(all, line.xs...)
			l.lines = append(l.lines, line)
		}
		busy := plotted{colour: style.Muted(), look: line{width: 1, dash: dashes()}}
		for _, p := range base {
			busy.xs, busy.ys = append(busy.xs, p.X), append(busy.ys, float64(p.Utilization.Median))
			if c == 0 && finite(busy.ys[len(busy.ys)-1]) && finite(p.X) {
				d.values = append(d.values, Value{fmt.Sprintf("%s%s workers", prefix, style.Number(p.X)), "busy", busy.ys[len(busy.ys)-1]})
			}
		}
		l.lines = append(l.lines, busy)
		l.y = axis{0, sweepTop, plot.LinearScale{}, []float64{0, 0.5, 1, 1.5, 2}, 0}
		if most > sweepTop {
			l.y = linear(min(most, sweepMost), false)
		}
		l.x = variedAxis(all)
		of.panels[c] = l
	}
	return len(all) > 0
}

func (d *eagleSweeps) figure(name string, source Source) *Figure {
	f := &Figure{Name: name, Title: "Eagle over Hawk, by cluster size", source: source, Values: d.values}
	var k key
	if len(d.traces) > 0 {
		t := &d.traces[0]
		f.Title = fmt.Sprintf("Completion times under %s over those under %s, by cluster size", capital(t.other), capital(t.base))
		for i, look := range percentileLooks {
			k = append(k, keyEntry{keyHeavy, style.SeriesAt(i).Light, look.about})
		}
		k = append(k, keyEntry{keyBand, style.Muted().Alpha(0.3), "all seeds"}, keyEntry{keyDashed, style.Muted().Light, "workers busy under " + t.base + " (right scale)"})
	}
	f.Caption = "Ratios of percentiles: below 1, jobs end earlier under the first. Lines are medians over seeds, bands, often thinner than the lines, reach from the least to the largest."
	f.Alt = "Curves."
	for i := range d.traces {
		t := &d.traces[i]
		w := &t.trace.Workload
		if len(d.traces) > 1 || w.Jobs > 0 {
			f.Caption += fmt.Sprintf(" %s: %s, %s, %s", capital(TraceName(t.trace.Store)), style.Of(int64(w.Jobs), "job", "jobs"), style.Of(int64(w.Tasks), "task", "tasks"), runsOf(t.trace.Sweep))
			if load := float64(w.Load) * float64(t.trace.Options.Workers); finite(load) && load > 0 {
				xs := t.panels[0].x.steps
				between := func(all float64) string {
					return style.Range(all/xs[len(xs)-1], all/xs[0], func(x float64) string { return style.Fixed(x, 2) })
				}
				f.Caption += ", offered load " + between(load)
				if middle := float64(w.MiddleLoad) * float64(t.trace.Options.Workers); finite(middle) && middle > 1.5*load {
					f.Caption += ", " + between(middle) + " while the middle 90% of the jobs come"
				}
			}
			if t.trace.Synthetic {
				f.Caption += ", SYNTHETIC"
			}
			f.Caption += "."
		} else {
			f.Caption += " " + capital(runsOf(t.trace.Sweep)) + "."
		}
		f.Alt += " " + experimentText(t.trace, len(d.traces) > 1)
	}
	if d.beyond > 0 {
		f.Caption += fmt.Sprintf(" %s above %g and drawn at the edge.", style.Of(int64(d.beyond), "point is", "points are"), sweepMost)
	}
	f.Caption += " Published (Eagle thesis, Figure 3.2; no values are printed there): short jobs at or below 1 nearly everywhere, long jobs about 1. " + source.String()
	f.plan = func(width float64) sheet {
		return smallGraphs(width, k, d.laidOut(width), d.across(width), "nothing to compare")
	}
	return f
}

// experimentText says what becomes of short jobs of a trace.
func experimentText(t *result.EagleTrace, several bool) string {
	text := strings.TrimPrefix(experimentAlt(t.Sweep, true), "Curves per scheduler. ")
	if several {
		return TraceName(t.Store) + ": " + text
	}
	return text
}

// across is the number of panels beside each other: a column per trace, or the two of a single one, and one where there is little room.
func (d *eagleSweeps) across(width float64) int {
	switch {
	case width < 500:
		return 1
	case len(d.traces) < 2:
		return 2
	}
	return min(3, len(d.traces))
}

// laidOut returns the panels in the order of reading.
func (d *eagleSweeps) laidOut(width float64) []smallGraph {
	var all []smallGraph
	n := min(d.across(width), max(1, len(d.traces)))
	for from := 0; from < len(d.traces); from += n {
		row := d.traces[from:min(from+n, len(d.traces))]
		for c := range eagleClasses {
			for i := range row {
				all = append(all, row[i].panels[c])
			}
		}
	}
	return all
}
