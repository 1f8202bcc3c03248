package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// predicted is one run against what was predicted of it.
type predicted struct {
	observed, low, middle, high float64 // seconds, positive: observed; p10, p50, p90 of the prediction
	before                      float64 // runs that it was predicted from
}

// error is relative to the observed time.
func (r *predicted) error() float64 { return r.middle/r.observed - 1 }

// Predicted draws predicted against observed completion times of runs, and how errors shrink with the number of runs that they were
// predicted from. runs is the document's table, one row per run.
func Predicted(b *result.Backtest, runs *result.Table, source Source) *Figure {
	points, dropped := predictedRuns(runs)
	f := &Figure{Name: "predicted", Title: "Predicted and observed completion times", source: source}
	f.Caption = fmt.Sprintf("%s. Left: the predicted median against the observed time; ", style.Of(int64(len(points)), "run", "runs"))
	if len(points) <= maxWhiskers {
		f.Caption += "lines run from the predicted p10 to p90. On the diagonal, the prediction is right. "
	} else {
		f.Caption += "on the diagonal, the prediction is right. "
	}
	f.Caption += "Right: its relative error against the number of runs that the prediction was made from. Of runs that took longer than the predicted p90 there " +
		"should be one in ten."
	if dropped > 0 {
		f.Caption += fmt.Sprintf(" %s without a finite value left out.", style.Of(int64(dropped), "run", "runs"))
	}
	f.Caption += " " + source.String()
	late := 0
	for _, r := range points {
		if r.observed > r.high {
			late++
		}
	}
	f.Alt = "No run was predicted."
	if n := len(points); n > 0 {
		f.Alt = fmt.Sprintf("A scatter of predicted against observed times and one of errors against the length of the history, over %s, %s of which took longer than the predicted p90.",
			style.Of(int64(n), "run", "runs"), style.Count(int64(late)))
	}
	f.Values = []Value{{"runs", "n", float64(len(points))}, {"runs", "above p90", float64(late)}}
	f.plan = func(width float64) sheet { return predictedSheet(width, points) }
	return f
}

// maxWhiskers is the number of runs beyond which their intervals are not drawn.
const maxWhiskers = 150

func predictedRuns(t *result.Table) (points []predicted, dropped int) {
	if t == nil {
		return nil, 0
	}
	column := map[string][]float64{}
	for _, name := range []string{"observed_s", "p10_s", "p50_s", "p90_s", "before"} {
		column[name] = t.Floats(name)
		if len(column[name]) != t.Len() {
			return nil, t.Len()
		}
	}
	const least, most = 1e-6, 1e12 // a microsecond to 30,000 years: else it is damaged
	for i := range t.Len() {
		r := predicted{column["observed_s"][i], column["p10_s"][i], column["p50_s"][i], column["p90_s"][i], column["before"][i]}
		if !(r.observed >= least && r.low >= least && r.low <= r.middle && r.middle <= r.high && r.high <= most && r.observed <= most && r.before >= 0 && r.before <= most) {
			dropped++
			continue
		}
		points = append(points, r)
	}
	return points, dropped
}

// timesAxis returns an axis for positive times: logarithmic where they span more than a factor of 20, and not from 0 else.
func timesAxis(low, high float64) axis {
	if high > 20*low {
		return axis{min: low * 0.85, max: high * 1.15, scale: plot.LogScale{}, steps: decades(low, high)}
	}
	a := axis{min: low, max: high, scale: plot.LinearScale{}, steps: steps(high*1.05, false)}
	for _, s := range a.steps {
		if s <= low {
			a.min = s
		}
	}
	a.max = max(high*1.03, a.min+1e-9)
	return a
}

func predictedSheet(width float64, points []predicted) sheet {
	k := key{{keyDisc, style.SeriesAt(0).Light, "run, within p90"}, {keyDisc, style.SeriesAt(1).Light, "run that took longer than p90"},
		{keyDashed, style.Muted().Light, "as predicted"}}
	const gap, head, foot = 34.0, 34.0, 40.0
	top := k.height(newFaces(), width) + style.Gap
	left := rect{0, top, (width - gap) / 2, head + 280 + foot}
	right := rect{(width + gap) / 2, top, (width - gap) / 2, left.h}
	height := top + left.h
	if width < 500 {
		left.w, right = width, rect{0, top + left.h + 12, width, head + 190 + foot}
		height = right.y + right.h
	}
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		if len(points) == 0 {
			p.text("no run was predicted", width/2, top+head+60, centred())
			return
		}
		drawTimes(p, left, head, points)
		drawHistory(p, right, head, points)
	}}
}

// axes draws a title, a note and two axes, and returns where a value lies.
func axes(p *pen, r rect, head float64, title, note, label string, x, y axis, writeX, writeY func(float64) string) func(x, y float64) point {
	p.text(title, r.x, r.y+11, text{bold: true})
	p.text(p.fit(note, r.w, smallText()), r.x, r.y+25, smallText())
	t := smallText()
	room := 0.0
	for _, s := range y.steps {
		room = max(room, p.width(writeY(s), t))
	}
	area := rect{r.x + room + 8, r.y + head, r.w - room - 14, r.h - head - 40}
	bottom := area.y + area.h
	at := func(u, v float64) point {
		return point{area.x + x.scale.Normalize(x.min, x.max, u)*area.w, bottom - y.scale.Normalize(y.min, y.max, v)*area.h}
	}
	for _, s := range (ticker{y, area.h, writeY, func(string) float64 { return style.SmallSize }}).Ticks(y.min, y.max) {
		rule(p, area, at(x.min, s.Value).y, s.Label)
	}
	t.align = 0.5
	for _, s := range (ticker{x, area.w, writeX, func(s string) float64 { return p.width(s, t) }}).Ticks(x.min, x.max) {
		q := at(s.Value, y.min)
		p.stroke(line{colour: style.Muted().Light}, q, point{q.x, q.y + 4})
		p.text(s.Label, q.x, q.y+14, t)
	}
	p.stroke(line{colour: style.Muted().Light}, point{area.x, bottom}, point{area.x + area.w, bottom})
	p.text(label, area.x+area.w/2, bottom+30, centred())
	return at
}

// drawTimes draws predicted against observed times.
func drawTimes(p *pen, r rect, head float64, points []predicted) {
	low, high := math.Inf(1), 0.0
	for _, q := range points {
		low, high = min(low, q.observed, q.middle), max(high, q.observed, q.middle)
		if len(points) <= maxWhiskers {
			low, high = min(low, q.low), max(high, q.high)
		}
	}
	per, unit := unitOf(high)
	a := timesAxis(low/per, high/per)
	place := axes(p, r, head, "Times", "predicted, in "+unit, "observed, in "+unit, a, a, style.Number, style.Number)
	at := func(x, y float64) point { return place(x/per, y/per) }
	p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, place(a.min, a.min), place(a.max, a.max))
	if len(points) <= maxWhiskers {
		for i := range points {
			q := &points[i]
			p.stroke(line{colour: style.SeriesAt(seriesOf(q)).Alpha(0.35), width: 1.5}, at(q.observed, q.low), at(q.observed, q.high))
		}
	}
	runDots(p, points, func(q *predicted) point { return at(q.observed, q.middle) })
}

// seriesOf returns the number of the colour of a run: 1 for one that took longer than p90.
func seriesOf(q *predicted) int {
	if q.observed > q.high {
		return 1
	}
	return 0
}

// runDots draws a dot per run, those of a colour as one shape.
func runDots(p *pen, points []predicted, at func(*predicted) point) {
	size := 4.5
	if len(points) > maxWhiskers {
		size = 2.4
	}
	var of [2][]point
	for i := range points {
		s := seriesOf(&points[i])
		of[s] = append(of[s], at(&points[i]))
	}
	for s, places := range of {
		p.specks(style.SeriesAt(s).Alpha(0.85), size, thinned(places))
	}
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

// drawHistory draws the errors of runs against the number of runs that they were predicted from.
func drawHistory(p *pen, r rect, head float64, points []predicted) {
	most, far := 1.0, 0.2
	for i := range points {
		most, far = max(most, points[i].before), max(far, math.Abs(points[i].error()))
	}
	x := chooseAxis([][]float64{{0, most}}, nil, true)
	far = min(1, far) * 1.05
	y := axis{min: -far, max: far, scale: plot.LinearScale{}}
	for _, s := range steps(far, false) {
		if s > 0 {
			y.steps = append([]float64{-s}, y.steps...)
		}
		y.steps = append(y.steps, s)
	}
	slices.Sort(y.steps)
	note := "(predicted − observed) / observed"
	if far > 1 {
		note += ", at most ±100%"
	}
	at := axes(p, r, head, "Errors and history", note, "runs that it was predicted from", x, y, style.Number, style.Percent)
	p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, at(x.min, 0), at(x.max, 0))
	runDots(p, points, func(q *predicted) point { return at(q.before, max(-1, min(1, q.error()))) })
}
