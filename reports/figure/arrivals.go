package figure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Arrivals draws how runs arrive: how many over time, how much more their number varies than that of a Poisson process at
// several windows, and, of a trace of a day or more, at what hours.
func Arrivals(w *result.Workload, source Source) *Figure {
	d := &arrivalsDrawing{Arrivals: &w.Arrivals, unix: w.TimeBase == "unix"}
	for _, x := range w.Arrivals.Index {
		if finite(x.WindowS) && x.WindowS > 0 && finite(x.Index) && x.Index >= 0 && finite(x.Low) && finite(x.High) && x.Low <= x.High {
			d.index = append(d.index, x)
		}
	}
	for _, c := range w.Arrivals.HourOf {
		if r := c.PerHour(); finite(r) && r >= 0 {
			d.most = max(d.most, r)
		}
	}
	f := &Figure{Name: "arrivals", Title: "How runs arrive", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

type arrivalsDrawing struct {
	*result.Arrivals
	unix  bool
	index []result.Index // that can be drawn
	most  float64        // highest rate of an hour
}

// hours reports whether the trace is long enough to show the hours of the day.
func (d *arrivalsDrawing) hours() bool {
	return d.LastS-d.FirstS >= 86_400 && d.most > 0 && (len(d.HourOf) == 24 || len(d.HourOf) == 168)
}

// weekly reports whether hours are those of the week.
func (d *arrivalsDrawing) weekly() bool { return len(d.HourOf) == 168 }

func (d *arrivalsDrawing) sheet(width float64) sheet {
	k := key{{keyBox, style.SeriesAt(0).Light, "arrivals per " + style.Seconds(d.Counts.BinS)}}
	if len(d.index) > 0 {
		k = append(k, keyEntry{keyLine, style.SeriesAt(1).Light, "index of dispersion"},
			keyEntry{keyBand, style.Muted().Alpha(barOpacity), "95% of Poisson processes"})
	}
	top := k.height(newFaces(), width) + style.Gap
	const head, series, panel, gap = 20.0, 120.0, 150.0, 26.0
	panels := 0
	for _, there := range []bool{len(d.index) > 0, d.hours()} {
		panels += count(there)
	}
	perRow := max(panels, 1)
	if width < 500 {
		perRow = 1
	}
	rows := float64((panels + perRow - 1) / perRow)
	height := top + head + series + scaleBelow + rows*(head+panel+scaleBelow+gap) - gap*min(rows, 1)/2
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		d.drawCounts(p, rect{scaleLeft, top + head, width - scaleLeft, series})
		across := (width - float64(perRow-1)*gap) / float64(perRow)
		place := 0
		next := func() rect {
			x, y := float64(place%perRow)*(across+gap), top+head+series+scaleBelow+gap/2+float64(place/perRow)*(head+panel+scaleBelow+gap)
			place++
			return rect{x + scaleLeft, y + head, across - scaleLeft, panel}
		}
		if len(d.index) > 0 {
			d.drawIndex(p, next())
		}
		if d.hours() {
			d.drawHours(p, next())
		}
	}}
}

func (d *arrivalsDrawing) drawCounts(p *pen, r rect) {
	s := visible(d.Counts, r.w)
	from, to := covered(d.Counts)
	x, write, label := clockAxis(from, to, d.unix)
	g := graph{r, x, linear(largest(s.Values), true)}
	headline(p, r, "over time", "n = "+style.Of(d.N, "arrival", "arrivals"))
	g.frame(p, label, write, style.Number)
	g.area(p, style.SeriesAt(0), s)
	if len(s.Values) == 0 {
		p.text("no arrival with a known time", r.x+r.w/2, r.y+r.h/2, centred())
	}
}

// covered returns the time that a series covers; a second when it has no bins.
func covered(s result.Series) (from, to float64) {
	if len(s.Values) == 0 || !finite(s.FromS) || !finite(s.BinS) || !(s.BinS > 0) {
		return 0, 1
	}
	return s.FromS, s.FromS + float64(len(s.Values))*s.BinS
}

// largest returns the largest finite value, 0 for none.
func largest(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		if finite(v) {
			most = max(most, v)
		}
	}
	return most
}

func (d *arrivalsDrawing) drawIndex(p *pen, r rect) {
	low, high := 0.5, 2.0
	var xs, ys []float64
	for _, x := range d.index {
		low, high = min(low, max(x.Low, 0.01), max(x.Index, 0.01)), max(high, x.High, x.Index)
		xs, ys = append(xs, x.WindowS), append(ys, max(x.Index, 0.01))
	}
	first, last := xs[0], xs[len(xs)-1]
	g := graph{r, logarithmic(first/1.5, last*1.5, xs), logarithmic(low/1.2, high*1.2, roundSteps(low, high))}
	headline(p, r, "burstiness", "variance / mean of counts")
	g.frame(p, "window", style.Seconds, style.Number)
	one := g.at(g.x.min, 1)
	p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, one, point{r.x + r.w, one.y})
	for _, x := range d.index {
		a, b := g.at(x.WindowS, max(x.Low, g.y.min)), g.at(x.WindowS, min(x.High, g.y.max))
		p.stroke(line{colour: style.Muted().Alpha(barOpacity), width: 2 * barWidth}, a, point{b.x, min(b.y, a.y-1)})
	}
	g.curve(p, line{colour: style.SeriesAt(1).Light, width: style.LineWidth}, xs, ys)
	for i := range xs {
		at := g.at(xs[i], ys[i])
		p.dot(style.SeriesAt(1).Light, at.x, at.y, style.DotRadius)
	}
}

func (d *arrivalsDrawing) drawHours(p *pen, r rect) {
	if !d.weekly() {
		headline(p, r, "by hour of the trace's days", "per hour; "+style.Number(d.most)+" at most")
		g := graph{r, axis{min: 0, max: 24, scale: linear(24, true).scale, steps: []float64{0, 6, 12, 18, 24}}, linear(d.most, false)}
		g.frame(p, "hour since the trace's zero, modulo 24", style.Number, style.Number)
		for h, c := range d.HourOf {
			if rate := c.PerHour(); finite(rate) && rate > 0 {
				a, b := g.at(float64(h), rate), g.at(float64(h+1), 0)
				p.fill(style.SeriesAt(0).Light, rect{a.x + 0.5, a.y, b.x - a.x - 1, b.y - a.y})
			}
		}
		return
	}
	headline(p, r, "by hour and day of the week, UTC", "darkest: "+style.Number(d.most)+" per hour")
	small := smallText()
	small.align = 1
	high, wide := r.h/7, r.w/24
	shades := map[float64][]rect{}
	for i, c := range d.HourOf {
		row, column := float64(i/24), float64(i%24)
		if i%24 == 0 {
			p.text([]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}[i/24], r.x-6, r.y+(row+0.5)*high+3.5, small)
		}
		cell := rect{r.x + column*wide, r.y + row*high, wide - 1, high - 1}
		rate := c.PerHour()
		if !finite(rate) || rate < 0 {
			p.outline(line{colour: style.Faint().Light}, cell, 0)
			continue
		}
		shade := math.Round(20*rate/d.most) / 20
		shades[shade] = append(shades[shade], cell)
	}
	for _, shade := range slices.Sorted(maps.Keys(shades)) {
		p.fill(style.SeriesAt(0).Alpha(0.06+0.94*shade), shades[shade]...)
	}
	small.align = 0.5
	for h := 0; h <= 24; h += 6 {
		p.text(fmt.Sprintf("%02d", h), min(r.x+float64(h)*wide, p.w-8), r.y+r.h+15, small)
	}
	p.text("hour", r.x+r.w/2, r.y+r.h+29, small)
}

func (d *arrivalsDrawing) caption() string {
	text := style.Of(d.N, "arrival", "arrivals")
	if d.ByStart > 0 {
		text += fmt.Sprintf(", %s of which are starts of runs without a recorded submission", style.Count(d.ByStart))
	}
	text += "."
	if len(d.index) > 0 {
		text += " Burstiness: the index of dispersion, the variance of the number of arrivals in a window divided by its mean, over all whole " +
			"windows; it is 1 at any window for a Poisson process (dashed), and within the bars for 95% of them."
	}
	if d.hours() {
		text += " Rates by hour are arrivals per hour that the trace covers"
		if d.weekly() {
			text += "; cells without colour are not covered"
		}
		text += "."
		if !d.unix {
			text += " The trace's times are relative: what time of day its zero was is not known."
		}
	}
	return text
}

func (d *arrivalsDrawing) alt() string {
	if d.N == 0 {
		return "No arrival has a known time."
	}
	text := fmt.Sprintf("%s over %s.", style.Of(d.N, "arrival", "arrivals"), style.Seconds(d.LastS-d.FirstS))
	if len(d.index) > 0 {
		x := slices.MaxFunc(d.index, func(a, b result.Index) int { return compare(a.Index, b.Index) })
		text += fmt.Sprintf(" The index of dispersion is at most %s, in windows of %s.", style.Number(x.Index), style.Seconds(x.WindowS))
	}
	return text
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (d *arrivalsDrawing) values() []Value {
	out := []Value{{"arrivals", "n", float64(d.N)}}
	add := func(of, what string, x float64) {
		if finite(x) {
			out = append(out, Value{of, what, x})
		}
	}
	add("arrivals", "per hour", float64(d.PerHour))
	add("arrivals", "CoV of gaps", float64(d.GapCoV))
	add("arrivals", "longest gap, s", d.Longest.Seconds)
	for _, x := range d.index {
		of := "window of " + style.Seconds(x.WindowS)
		add(of, "index of dispersion", x.Index)
		add(of, "Poisson low", x.Low)
		add(of, "Poisson high", x.High)
		add(of, "peak / mean", x.PeakToMean)
	}
	for i, c := range d.HourOf {
		if d.hours() && c.Hours > 0 {
			add(fmt.Sprintf("hour %d", i), "arrivals per hour", c.PerHour())
		}
	}
	return out
}
