package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// Indicators draws one run by several progress indicators: its progress over time and its predicted end. Indicators
// with equal values share a line.
func Indicators(r *result.Remaining, source Source) *Figure {
	c := &chart{about: "Lines over the time of a run", nothing: "no indicator tells anything"}
	var values []Value
	best := math.Inf(1)
	for _, u := range r.Indicators {
		values = append(values, Value{u.Name, "delta T", u.Jumps}, Value{u.Name, "longest constant interval", u.Still},
			Value{u.Name, "error", u.Off})
		if len(u.Trace) > 1 {
			best = min(best, u.Off)
		}
	}
	if finite(r.TracedS) && r.TracedS > 0 && !math.IsInf(best, 1) {
		_, unit := clockUnit(r.TracedS)
		x := spanAxis(0, r.TracedS, 6, "from the start of the run")
		progress, notes := progressLines(r)
		up := newRule("share of the time that has passed", dashedLook(style.Ink()), point{0, 0}, point{r.TracedS, 1})
		end := across("true end", dashedLook(style.Ink()).thin(1.4), r.TracedS)
		end.says = fmt.Sprintf("nearest to the true end: off by %s of a run on average", words.Percent(best))
		ends := panel{title: "predicted end", notes: []string{unit + " from the start"}, high: 170,
			layers: append(predictedEnds(r), end)}
		ends.y = lengthAxis(largest(ends.ys()...))
		c.panels = stacked([]panel{{title: "progress", notes: notes, y: shareSteps(), high: 170,
			layers: append(progress, up)}, ends}, x)
	}
	return c.figure("indicators", "One run, as progress indicators see it", fmt.Sprintf("A simulated run of %s on "+
		"%s: the one of median duration, %s, of %s. Above: the progress that each indicator tells. Below: the "+
		"predicted end, the time plus the %s of C(p,a), as published, and as live loops use it, by the age of "+
		"the run, too. A good prediction stays where it is.", words.Printable(r.Job), words.Of(r.Tokens, "token",
		"tokens"), words.Seconds(r.TracedS), words.Count(r.Tried), r.Predicted), source, values...)
}

// predictedEnds returns the ends that the table's indicator predicts, by progress alone and by the age of the run, too.
// A document of an earlier version has only the first and may not name the indicator: then the first indicator with
// values stands for it.
func predictedEnds(r *result.Remaining) (lines []layer) {
	var chosen result.IndicatorUse
	for _, u := range r.Indicators {
		if len(u.Trace) > 1 && (chosen.Trace == nil || u.Name == r.Indicator) {
			chosen = u
		}
	}
	ends := func(t result.IndicatorTell) float64 { return t.EndS }
	for i, x := range []struct {
		name  string
		trace []result.IndicatorTell
	}{{"by progress (" + chosen.Name + ")", chosen.Trace}, {"by progress and age", r.Aged}} {
		if len(x.trace) > 1 {
			lines = append(lines, toldLine(r, x.name, i+len(r.Indicators), x.trace, ends, r.TracedS))
		}
	}
	return lines
}

// toldLine returns what a trace tells over the time of the run as a line, until its value at the end.
func toldLine(r *result.Remaining, name string, look int, trace []result.IndicatorTell,
	of func(result.IndicatorTell) float64, end float64) *lineLayer {
	l := newLine(name, lookAt(look))
	for _, t := range trace {
		l.add(t.AtS, of(t))
	}
	l.add(r.TracedS, end)
	return l
}

// progressLines returns a line for every indicator. Indicators that differ by less than 0.01 everywhere share a line,
// as stated in notes.
func progressLines(r *result.Remaining) (lines []layer, notes []string) {
	var all []*lineLayer
	progress := func(t result.IndicatorTell) float64 { return t.Progress }
	for _, u := range r.Indicators {
		if len(u.Trace) > 1 {
			all = append(all, toldLine(r, u.Name, len(all), u.Trace, progress, 1))
		}
	}
	for _, same := range grouped(all, func(a, b *lineLayer) bool { return a.near(b, 0.01) }) {
		if lines = append(lines, same[0]); len(same) > 1 {
			notes = append(notes, "one line: "+words.List(lists.Map(same, func(l *lineLayer) string { return l.name })))
		}
	}
	return lines, notes
}

// near reports whether two lines have the same points, up to a distance in y.
func (a *lineLayer) near(b *lineLayer, distance float64) bool {
	return slices.EqualFunc(a.points, b.points, func(p, q point) bool {
		return p.x == q.x && math.Abs(p.y-q.y) <= distance
	})
}
