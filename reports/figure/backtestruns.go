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

// predicted is one run with its prediction.
type predicted struct {
	observed, low, middle, high float64 // seconds, positive: observed; p10, p50, p90 of the prediction
	before                      float64 // number of past runs of the prediction
}

// error is relative to the observed time.
func (r predicted) error() float64 { return r.middle/r.observed - 1 }

// Predicted draws predicted against observed completion times of runs, and errors against the number of past runs. runs
// is the document's table, one row per run.
func Predicted(b *result.Backtest, runs *result.Table, source Source) *Figure {
	points, dropped := predictedRuns(runs)
	text := fmt.Sprintf("%s. Left: the predicted median against the observed time; ",
		words.Of(len(points), "run", "runs"))
	text += words.Either(len(points) <= maxWhiskers, "lines run from the predicted p10 to p90. On", "on") +
		" the diagonal, the prediction is right. "
	text += "Right: its relative error against the number of runs that the prediction was made from. One run in ten " +
		"should take longer than the predicted p90."
	text += words.When(dropped > 0, " %s without a finite value left out.", words.Of(dropped, "run", "runs"))
	late := lists.SumOf(points, func(q predicted) int { return seriesOf(&q) })
	c := &chart{about: "Scatters of predicted against observed times, and of errors against the length of the history",
		nothing: "no run was predicted", columns: 2}
	if len(points) > 0 {
		c.panels = []panel{timesPanel(points, late), historyPanel(points)}
	}
	return c.figure("predicted", "Predicted and observed completion times", text, source,
		Value{"runs", "n", float64(len(points))}, Value{"runs", "above p90", float64(late)})
}

// maxWhiskers is the number of runs beyond which their intervals are not drawn.
const maxWhiskers = 150

func predictedRuns(t *result.Table) (points []predicted, dropped int) {
	if t == nil {
		return nil, 0
	}
	column := map[string][]float64{}
	for _, name := range []string{"observed_s", "p10_s", "p50_s", "p90_s", "before"} {
		column[name] = t.Numbers(name)
		if len(column[name]) != t.Len() {
			return nil, t.Len()
		}
	}
	const least, most = 1e-6, 1e12 // a microsecond to 30,000 years: other values are damaged
	for i := range t.Len() {
		r := predicted{column["observed_s"][i], column["p10_s"][i], column["p50_s"][i], column["p90_s"][i],
			column["before"][i]}
		if !(r.observed >= least && r.low >= least && r.low <= r.middle && r.middle <= r.high && r.high <= most &&
			r.observed <= most && r.before >= 0 && r.before <= most) {
			dropped++
			continue
		}
		points = append(points, r)
	}
	return points, dropped
}

// timesAxis returns an axis for positive times: logarithmic if they span more than a factor of 20, otherwise linear but
// not from 0.
func timesAxis(low, high float64) axis {
	if high > 20*low {
		return logarithmic(low*0.85, high*1.15, decades(low, high))
	}
	a := between(low, high, steps(high*1.05, false)...)
	for _, s := range a.steps {
		if s <= low {
			a.min = s
		}
	}
	a.max = max(high*1.03, a.min+1e-9)
	return a
}

// timesPanel draws predicted against observed times.
func timesPanel(points []predicted, late int) panel {
	low, high := math.Inf(1), 0.0
	for _, q := range points {
		low, high = min(low, q.observed, q.middle), max(high, q.observed, q.middle)
		if len(points) <= maxWhiskers {
			low, high = min(low, q.low), max(high, q.high)
		}
	}
	per, unit := clockUnit(high)
	a := timesAxis(low/per, high/per)
	n := panel{title: "Times", notes: []string{"predicted, in " + unit}, high: 230,
		x: a.labelled("observed, in " + unit), y: a,
		layers: []layer{newRule("as predicted", dashedLook(style.Muted()), point{a.min, a.min}, point{a.max, a.max})}}
	dots := runDots(points, func(q predicted) point { return point{q.observed / per, q.middle / per} })
	dots[0].(*markLayer).says = fmt.Sprintf("%s, %s of which took longer than the predicted p90",
		words.Of(len(points), "run", "runs"), words.Count(late))
	n.layers = append(n.layers, dots...)
	if len(points) <= maxWhiskers {
		for s := range 2 {
			bars := newSpans("", lookAt(s))
			bars.width = 1.5
			for _, q := range points {
				if seriesOf(&q) == s {
					bars.spans = append(bars.spans, span{q.observed / per, q.low / per, q.high / per})
				}
			}
			n.layers = append(n.layers, bars)
		}
	}
	return n
}

// seriesOf returns the series of a run: 1 if it took longer than p90, else 0.
func seriesOf(q *predicted) int { return count(q.observed > q.high) }

// runDots returns the marks of runs: within p90, and those that took longer.
func runDots(points []predicted, at func(predicted) point) []layer {
	within, late := newMarks("run, within p90", lookAt(0)), newMarks("run that took longer than p90", lookAt(1))
	late.look.shape, within.radius, late.radius = square, 2.4, 2.6
	if len(points) > maxWhiskers {
		within.specks, late.specks = 2.4, 2.4
	}
	for _, q := range points {
		m := []*markLayer{within, late}[seriesOf(&q)]
		m.points = append(m.points, at(q))
	}
	return []layer{within, late}
}

// thinned leaves out points that lie on others, to half a unit.
func thinned(points []point) []point {
	seen := map[[2]int]bool{}
	return slices.DeleteFunc(points, func(q point) bool {
		place := [2]int{int(2 * q.x), int(2 * q.y)}
		twice := seen[place]
		seen[place] = true
		return twice
	})
}

// historyPanel draws the errors of runs against the number of runs that they were predicted from.
func historyPanel(points []predicted) panel {
	most, far := 1.0, 0.2
	for _, q := range points {
		most, far = max(most, q.before), max(far, math.Abs(q.error()))
	}
	far = min(1, far) * 1.05
	y := between(-far, far)
	for _, s := range steps(far, false) {
		if y.steps = append(y.steps, s); s > 0 {
			y.steps = append(y.steps, -s)
		}
	}
	slices.Sort(y.steps)
	note := "(predicted − observed) / observed"
	note += words.When(far > 1, ", at most ±100%%")
	dots := runDots(points, func(q predicted) point { return point{q.before, max(-1, min(1, q.error()))} })
	return panel{title: "Errors and history", notes: []string{note}, high: 230,
		x: upTo(most, true).labelled("runs that it was predicted from"), y: y.in(words.Percent),
		layers: append(dots, across("", dashedLook(style.Muted()), 0))}
}
