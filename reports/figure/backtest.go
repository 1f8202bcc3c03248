package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Calibration draws how often predictions were right: the share of runs at or below each quantile of what was predicted, and the
// histogram of where in the predicted distribution runs fell. runs is the document's table, one row per run; without it there is
// no line between the quantiles.
func Calibration(b *result.Backtest, runs *result.Table, source Source) *Figure {
	c := &calibration{doc: b}
	if runs != nil {
		c.places = slices.DeleteFunc(runs.Floats("pit"), func(x float64) bool { return !(x >= 0 && x <= 1) })
		slices.Sort(c.places)
	}
	for _, at := range b.Coverage {
		if finite(at.Level) && at.Level >= 0 && at.Level <= 1 && at.Share >= 0 && at.Share <= 1 {
			c.levels = append(c.levels, at)
		}
	}
	for _, n := range b.PIT {
		c.most = max(c.most, n)
	}
	f := &Figure{Name: "calibration", Title: "How often predictions were right", source: source}
	f.Caption = c.caption() + " " + source.String()
	f.Alt = c.alt()
	f.Values = c.values()
	f.plan = c.sheet
	return f
}

// calibration is what is promised against what came true.
type calibration struct {
	doc    *result.Backtest
	levels []result.BacktestCoverage // with shares that can be drawn
	places []float64                 // of runs in their predicted distributions, ascending
	most   int                       // of runs in a class of the histogram
}

func (c *calibration) sheet(width float64) sheet {
	k := key{{keyLine, style.SeriesAt(0).Light, "runs, with 95% interval"}, {keyDashed, style.Muted().Light, "as promised"},
		{keyBox, style.Faint().Light, "where 95% of the counts would lie, were predictions right"}}
	const gap, head, across = 34.0, 34.0, 260.0
	top := k.height(newFaces(), width) + style.Gap
	left, right := rect{0, top, (width - gap) / 2, head + across + 34}, rect{(width + gap) / 2, top, (width - gap) / 2, head + across + 34}
	height := top + left.h
	if width < 500 {
		left.w, right = width, rect{0, top + left.h + 12, width, left.h}
		height = right.y + right.h
	}
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		c.drawLevels(p, left, head)
		c.drawPlaces(p, right, head)
		if c.doc.Predicted == 0 {
			p.text("no run was predicted", width/2, top+head+across/2, centred())
		}
	}}
}

// shareFrame draws a title, what it means, a horizontal axis of shares and its label; it returns the area for the rest.
func shareFrame(p *pen, r rect, head float64, title, note, label string) rect {
	p.text(title, r.x, r.y+11, text{bold: true})
	p.text(p.fit(note, r.w, smallText()), r.x, r.y+25, smallText())
	area := rect{r.x + 38, r.y + head + 6, r.w - 54, r.h - head - 40}
	bottom := area.y + area.h
	t := smallText()
	t.align = 0.5
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		x := area.x + share*area.w
		p.stroke(line{colour: style.Muted().Light}, point{x, bottom}, point{x, bottom + 4})
		p.text(style.Percent(share), x, bottom+14, t)
	}
	p.stroke(line{colour: style.Muted().Light}, point{area.x, bottom}, point{area.x + area.w, bottom})
	p.text(label, area.x+area.w/2, bottom+29, centred())
	return area
}

// rule draws a faint line across an area and its label at the left.
func rule(p *pen, area rect, y float64, label string) {
	t := smallText()
	t.align = 1
	p.stroke(line{colour: style.Faint().Light}, point{area.x, y}, point{area.x + area.w, y})
	p.text(label, area.x-6, y+3.5, t)
}

// drawLevels draws the share of runs against the share that was promised.
func (c *calibration) drawLevels(p *pen, r rect, head float64) {
	area := shareFrame(p, r, head, "Promised and kept", "share of runs that took at most the predicted quantile", "quantile of the prediction")
	at := func(x, y float64) point { return point{area.x + x*area.w, area.y + (1-y)*area.h} }
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		rule(p, area, at(0, share).y, style.Percent(share))
	}
	p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, at(0, 0), at(1, 1))
	if n := len(c.places); n > 0 {
		points := []point{at(0, 0)}
		for i := 0; i < n; i += 1 + n/200 {
			points = append(points, at(c.places[i], float64(i+1)/float64(n)))
		}
		p.stroke(line{colour: style.SeriesAt(0).Alpha(0.6), width: style.LineWidth}, append(points, at(1, 1))...)
	}
	for _, l := range c.levels {
		if low, high := l.Interval[0], l.Interval[1]; low >= 0 && high <= 1 && low <= high {
			p.stroke(line{colour: style.SeriesAt(0).Alpha(0.35), width: barWidth}, at(l.Level, low), at(l.Level, high))
		}
		q := at(l.Level, l.Share)
		p.dot(style.SeriesAt(0).Light, q.x, q.y, style.DotRadius)
	}
}

// drawPlaces draws the histogram of where in their predicted distributions runs fell.
func (c *calibration) drawPlaces(p *pen, r rect, head float64) {
	area := shareFrame(p, r, head, "Where runs fell in the prediction", "runs per tenth of the predicted distribution", "simulated times below the observed one")
	low, high := c.doc.PITRange[0], c.doc.PITRange[1]
	top := float64(max(c.most, high, 1)) * 1.08
	y := func(n float64) float64 { return area.y + area.h*(1-min(n/top, 1)) }
	if 0 <= low && low <= high && c.doc.Predicted > 0 {
		p.fill(style.Faint().Alpha(0.7), rect{area.x, y(float64(high)), area.w, y(float64(low)) - y(float64(high))})
	}
	for _, n := range steps(top, true) {
		rule(p, area, y(n), style.Number(n))
	}
	var bars []rect
	wide := area.w / float64(max(1, len(c.doc.PIT)))
	for i, n := range c.doc.PIT {
		if n > 0 {
			bars = append(bars, rect{area.x + float64(i)*wide + 2, y(float64(n)), max(1, wide-4), area.y + area.h - y(float64(n))})
		}
	}
	p.fill(style.SeriesAt(0).Alpha(0.75), bars...)
	if n := len(c.doc.PIT); n > 0 && c.doc.Predicted > 0 {
		even := y(float64(c.doc.Predicted) / float64(n))
		p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, point{area.x, even}, point{area.x + area.w, even})
	}
}

func (c *calibration) values() []Value {
	var out []Value
	for _, l := range c.levels {
		what := "at most p" + style.Number(100*l.Level)
		out = append(out, Value{"runs", what, l.Share})
		if finite(l.Interval[0]) && finite(l.Interval[1]) {
			out = append(out, Value{"runs", what + " low", l.Interval[0]}, Value{"runs", what + " high", l.Interval[1]})
		}
	}
	for i, n := range c.doc.PIT {
		out = append(out, Value{"histogram", fmt.Sprintf("class %d", i+1), float64(n)})
	}
	if x := float64(c.doc.Sharpness); finite(x) {
		out = append(out, Value{"runs", "sharpness", x})
	}
	return out
}

func (c *calibration) caption() string {
	b := c.doc
	text := fmt.Sprintf("%s of %s, each predicted from runs of its job that had ended when it was submitted (at least %s), at the tokens and on the "+
		"input that it had. Left: the share of runs that took at most a quantile of the predicted distribution, with 95%% Wilson intervals; on the "+
		"dashed line, predictions are as sure as they claim. Right: the share of simulated times below the observed one, in tenths; with right "+
		"predictions every tenth holds as many runs (A. P. Dawid, 1984); too many at both ends mean that predictions are too narrow, too many in the "+
		"middle that they are too wide.", style.Of(int64(b.Predicted), "run", "runs"),
		style.Of(int64(b.Jobs), "recurring job", "recurring jobs"), style.Of(int64(b.After), "run", "runs"))
	if x := float64(b.Sharpness); finite(x) {
		text += fmt.Sprintf(" The interval from p10 to p90 is %s of p50 wide (median).", style.Percent(x))
	}
	return text
}

func (c *calibration) alt() string {
	if len(c.levels) == 0 {
		return "No run was predicted."
	}
	var parts []string
	for _, l := range c.levels {
		parts = append(parts, fmt.Sprintf("%s within p%s", style.Percent(l.Share), style.Number(math.Round(1000*l.Level)/10)))
	}
	return "A calibration curve and a histogram. Shares of runs: " + style.List(parts) + "."
}
