package figure

import (
	"fmt"
	"image/color"
	"math"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// activity is when a trace was active, laid out for drawing. Times are seconds since the first that is shown.
type activity struct {
	courses []course
	width   float64 // of a bin, positive
	start   float64 // of the first bin
	end     float64 // of the time axis, positive
	unit    timeUnit
	gaps    []rangeOf
	gapKey  string
	begins  string // what is said of the first instant, and of the last
	ends    string
	first   float64 // where that is
	last    float64
	axis    string
}

// course is one quantity over time: its value in every bin.
type course struct {
	name   string
	what   string // how it is shown
	values []float64
	most   float64
	bars   bool // counts, which are 0 between bins; else means, which are joined
	colour color.Color
}

// rangeOf is a stretch of time.
type rangeOf struct{ from, to float64 }

// timeUnit is the unit of a time axis.
type timeUnit struct {
	seconds float64
	name    string
}

// Activity draws when a trace was active: the runs that arrived, the runs in progress and the attempts running, over time, with
// the stretches too long to be chance in which there was nothing, and what its boundaries cut off.
func Activity(h *result.Health, source Source) *Figure {
	a := newActivity(h)
	f := &Figure{Name: "activity", Title: "Activity over time", source: source}
	f.Caption = a.caption(h) + " " + source.String()
	f.Alt = a.alt(h)
	f.Values = a.values()
	f.plan = a.sheet
	return f
}

func newActivity(h *result.Health) *activity {
	c := &h.Coverage
	a := &activity{width: float64(c.WidthS), unit: timeUnit{1, "seconds"}, first: math.NaN(), last: math.NaN()}
	from, to := float64(c.FromS), float64(c.ToS)
	if !finite(a.width) || a.width <= 0 || !finite(from) || !finite(to) || to < from || len(c.Bins) == 0 || !finite(c.Bins[0].AtS) {
		a.width, a.end, a.axis = 1, 1, "time"
		return a
	}
	a.start = c.Bins[0].AtS - from
	a.end = max(to-from, a.width)
	for _, u := range []timeUnit{{60, "minutes"}, {3600, "hours"}, {86400, "days"}} {
		if a.end >= 3*u.seconds {
			a.unit = u
		}
	}
	a.axis = a.unit.name + " since the first instant"
	if c.Base == "unix" && style.Instant(from) != style.None {
		a.axis = a.unit.name + " since " + style.Instant(from)
	}
	a.courses = coursesOf(h, a.width)
	a.gapKey = "nothing arrives or runs, for longer than by chance"
	if !finite(float64(c.IdleShare)) { // when runs ran is not known
		a.gapKey = "nothing arrives, for longer than by chance"
	}
	for _, g := range c.Gaps {
		if g.Long && finite(g.FromS) && finite(g.ToS) && g.ToS > g.FromS {
			a.gaps = append(a.gaps, rangeOf{g.FromS - from, g.ToS - from})
		}
	}
	for i := range h.Checks {
		switch check := &h.Checks[i]; {
		case check.Count == 0:
		case check.ID == "begins-at-first-instant":
			a.begins, a.first = style.Of(check.Count, "run begins here", "runs begin here"), float64(c.Begins.AtS)-from
		case check.ID == "ends-at-last-instant":
			a.ends, a.last = style.Of(check.Count, "run ends here", "runs end here"), float64(c.Ends.AtS)-from
		}
	}
	return a
}

// coursesOf returns the quantities that are not 0 throughout.
func coursesOf(h *result.Health, width float64) []course {
	all := []course{
		{name: "runs arriving", what: ", in " + style.Seconds(width), bars: true, colour: style.SeriesAt(0).Light},
		{name: "runs in progress", what: ", on average over " + style.Seconds(width), colour: style.SeriesAt(1).Light},
		{name: "task attempts running", what: ", on average over " + style.Seconds(width), colour: style.SeriesAt(2).Light},
	}
	for _, b := range h.Coverage.Bins {
		for i, x := range []float64{float64(b.Arrivals), b.Runs, b.Attempts} {
			if !finite(x) || x < 0 {
				x = 0
			}
			all[i].values = append(all[i].values, x)
			all[i].most = max(all[i].most, x)
		}
	}
	var out []course
	for _, p := range all {
		if p.most > 0 {
			out = append(out, p)
		}
	}
	return out
}

// The parts of the figure, from the top.
const (
	panelHead   = 18.0
	panelHeight = 74.0
	panelLeft   = 46.0
)

func (a *activity) key() key {
	if len(a.gaps) == 0 {
		return nil
	}
	return key{{keyBox, gapColour(), a.gapKey}}
}

func gapColour() color.Color { return style.Faint().Light }

func (a *activity) sheet(width float64) sheet {
	top := a.key().height(newFaces(), width) + 16
	if a.begins == "" && a.ends == "" {
		top -= 14
	}
	axis := top + float64(max(1, len(a.courses)))*(panelHead+panelHeight)
	return sheet{height: axis + 36, draw: func(p *pen) {
		a.key().draw(p, width)
		at := func(s float64) float64 { return panelLeft + min(max(s/a.end, 0), 1)*(width-panelLeft) }
		for _, g := range a.gaps {
			w, t := at(g.to)-at(g.from), smallText()
			p.fill(gapColour(), rect{at(g.from), top + panelHead, max(1, w), axis - top - panelHead})
			if label := style.Seconds(g.to - g.from); p.width(label, t) < w {
				t.align = 0.5
				p.text(label, at(g.from)+w/2, top+panelHead+14, t)
			}
		}
		for i := range a.courses {
			a.courses[i].draw(p, a, at, top+float64(i)*(panelHead+panelHeight), width)
		}
		a.drawBoundaries(p, at, top, axis)
		a.drawAxis(p, at, axis, width)
		if len(a.courses) == 0 {
			p.text("no instant is known", width/2, axis-panelHeight/2, centred())
		}
	}}
}

// draw draws a course from a height downwards.
func (q *course) draw(p *pen, a *activity, at func(float64) float64, top, width float64) {
	base := top + panelHead + panelHeight
	y := func(x float64) float64 { return base - x/q.most*(panelHeight-6) }
	t := smallText()
	p.text(q.name+q.what, panelLeft+4, top+panelHead-5, t)
	p.stroke(line{colour: style.Faint().Light}, point{panelLeft, y(q.most)}, point{width, y(q.most)})
	p.stroke(line{colour: style.Muted().Light}, point{panelLeft, base}, point{width, base})
	t.align = 1
	p.text(style.Number(q.most), panelLeft-6, y(q.most)+3.5, t)
	p.text("0", panelLeft-6, base+1, t)
	var bars []rect
	shape := []point{{at(a.start), base}}
	for i, x := range q.values {
		from, to := at(a.start+float64(i)*a.width), at(a.start+float64(i+1)*a.width)
		if x > 0 && q.bars {
			bars = append(bars, rect{from, min(y(x), base-0.8), max(to-from, 0.5), max(base-y(x), 0.8)}) // few among many are seen
		}
		shape = append(shape, point{from, y(x)}, point{to, y(x)})
	}
	if q.bars {
		p.fill(q.colour, bars...)
		return
	}
	shape = append(shape, point{shape[len(shape)-1].x, base})
	p.polygon(q.colour, corners(shape))
}

// drawBoundaries marks the first and the last instant where many runs begin or end.
func (a *activity) drawBoundaries(p *pen, at func(float64) float64, top, axis float64) {
	for _, b := range []struct {
		says  string
		at    float64
		align float64
	}{{a.begins, a.first, 0}, {a.ends, a.last, 1}} {
		if b.says == "" || !finite(b.at) {
			continue
		}
		x, t := at(b.at), text{size: style.SmallSize, bold: true, align: b.align}
		p.stroke(line{width: 1, dash: dashes()}, point{x, top - 4}, point{x, axis})
		p.text(b.says, x, top-7, t)
	}
}

func (a *activity) drawAxis(p *pen, at func(float64) float64, axis, width float64) {
	last := math.Inf(-1)
	for _, s := range steps(a.end/a.unit.seconds, false) {
		x := at(s * a.unit.seconds)
		p.stroke(line{colour: style.Muted().Light}, point{x, axis}, point{x, axis + 4})
		label := style.Number(s)
		half := p.width(label, smallText()) / 2
		if x-half < last {
			continue
		}
		t := smallText()
		t.align = 0.5
		x = min(x, width-half)
		p.text(label, x, axis+14, t)
		last = x + half + style.Gap
	}
	p.text(a.axis, panelLeft+(width-panelLeft)/2, axis+30, centred())
}

func (a *activity) caption(h *result.Health) string {
	c := &h.Coverage
	text := fmt.Sprintf("Each bin spans %s. A run is in progress from the first instant that is known of it to the last; an attempt runs "+
		"from its start to its end, where both are known.", style.Seconds(a.width))
	if len(a.courses) == 0 {
		return "The trace holds no instant."
	}
	if n := c.LongGaps; n > 0 {
		text += fmt.Sprintf(" %s too long to be chance", style.Of(n, "stretch without activity is", "stretches without activity are"))
		if int64(len(a.gaps)) < n {
			text += fmt.Sprintf("; the %s longest are shaded", style.Count(int64(len(a.gaps))))
		}
		text += "."
	}
	if float64(c.FirstS) < float64(c.FromS) || float64(c.LastS) > float64(c.ToS) {
		text += " Instants far outside this span are left out."
	}
	return text
}

func (a *activity) alt(h *result.Health) string {
	if len(a.courses) == 0 {
		return "No instant is known."
	}
	text := fmt.Sprintf("Bars and areas over %s.", style.Seconds(a.end))
	for _, q := range a.courses {
		text += fmt.Sprintf(" At most %s %s%s.", style.Number(q.most), q.name, q.what)
	}
	if n := h.Coverage.LongGaps; n > 0 {
		text += " " + style.Of(n, "long stretch", "long stretches") + " without activity."
	}
	return text
}

func (a *activity) values() []Value {
	if len(a.courses) == 0 {
		return nil
	}
	out := []Value{{"trace", "span_s", a.end}, {"trace", "bin_s", a.width}}
	for _, q := range a.courses {
		out = append(out, Value{q.name, "most", q.most})
	}
	for _, g := range a.gaps {
		out = append(out, Value{"gap", "from_s", g.from}, Value{"gap", "seconds", g.to - g.from})
	}
	for _, b := range []struct {
		what string
		at   float64
	}{{"runs begin", a.first}, {"runs end", a.last}} {
		if finite(b.at) {
			out = append(out, Value{"boundary", b.what, b.at})
		}
	}
	return out
}
