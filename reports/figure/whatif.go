package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// WhatIf draws what a finished run would have taken at other allocations: its time, with the parts that make it up, and below
// it what that costs.
func WhatIf(w *result.WhatIf, source Source) *Figure {
	d := &whatIfDrawing{WhatIf: w}
	for _, p := range w.Points {
		if p.Tokens > 0 && finite(p.TimeS) && finite(p.CostS) && finite(p.WorkS) && finite(p.BarriersS) && finite(p.SkewS) {
			d.points = append(d.points, p)
		}
	}
	f := &Figure{Name: "whatif", Title: "One run at other allocations", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

type whatIfDrawing struct {
	*result.WhatIf
	points []result.WhatIfPoint
}

// parts are what a time is made of, from below. Skew that saves time is taken off the barriers.
func parts() []struct {
	name string
	of   func(p *result.WhatIfPoint) float64
} {
	return []struct {
		name string
		of   func(p *result.WhatIfPoint) float64
	}{
		{"work / tokens", func(p *result.WhatIfPoint) float64 { return p.WorkS }},
		{"barriers", func(p *result.WhatIfPoint) float64 { return p.BarriersS + min(p.SkewS, 0) }},
		{"skew", func(p *result.WhatIfPoint) float64 { return max(p.SkewS, 0) }},
		{"driver", func(p *result.WhatIfPoint) float64 { return p.DriverS }},
	}
}

// whatIfTint is how strong the areas below a time are.
const whatIfTint = 0.55

func (d *whatIfDrawing) sheet(width float64) sheet {
	k := key{{keyHeavy, style.Ink().Light, "time"}}
	for i, part := range parts() {
		k = append(k, keyEntry{keyBox, style.SeriesAt(i).Alpha(whatIfTint), part.name})
	}
	k = append(k, keyEntry{keyRing, style.Ink().Light, "as it ran"}, keyEntry{keyLine, style.Alert().Light, "the fewest tokens within " + style.Percent(d.Within) + " of the shortest time"})
	const head, high, low = 24.0, 190.0, 92.0
	top := k.height(newFaces(), width) + style.Gap/2
	return sheet{height: top + 2*head + high + 20 + low + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		r := rect{scaleLeft + 8, top + head, width - scaleLeft - 8 - style.Gap, high}
		if len(d.points) == 0 {
			p.text("no allocation could be simulated", width/2, r.y+high/2, centred())
			return
		}
		x := d.tokens()
		most := d.most(func(q *result.WhatIfPoint) float64 { return q.TimeS })
		if o := float64(d.ObservedS); finite(o) {
			most = max(most, o)
		}
		unit, name := clockUnit(most)
		headline(p, r, "from submission to end, "+name, "")
		d.drawTime(p, graph{r, x, axis{max: most * 1.02, scale: plot.LinearScale{}, steps: every(0, most, unit*roundUp(most/5/unit))}}, unit)
		r = rect{r.x, r.y + high + 20 + head, r.w, low}
		headline(p, r, "token-seconds held", "filled: in which tasks ran")
		d.drawCost(p, graph{r, x, linear(d.most(func(q *result.WhatIfPoint) float64 { return q.CostS }), false)})
	}}
}

// tokens returns the axis of allocations.
func (d *whatIfDrawing) tokens() axis {
	lo, hi := float64(d.points[0].Tokens), float64(d.points[len(d.points)-1].Tokens)
	if d.Tokens > 0 {
		lo, hi = min(lo, float64(d.Tokens)), max(hi, float64(d.Tokens))
	}
	var steps []float64
	for e := 1.0; e <= hi; e *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if x := m * e; x >= lo && x <= hi {
				steps = append(steps, x)
			}
		}
	}
	return logarithmic(lo, max(hi, lo*1.5), steps)
}

func (d *whatIfDrawing) most(of func(*result.WhatIfPoint) float64) float64 {
	most := 0.0
	for i := range d.points {
		most = max(most, of(&d.points[i]))
	}
	return most
}

func (d *whatIfDrawing) drawTime(p *pen, g graph, unit float64) {
	g.frame(p, "", func(float64) string { return "" }, func(s float64) string { return style.Number(s / unit) })
	base := make([]float64, len(d.points))
	for i, part := range parts() {
		var up, down []point
		for k := range d.points {
			q := &d.points[k]
			down = append(down, g.at(float64(q.Tokens), base[k]))
			base[k] += part.of(q)
			up = append(up, g.at(float64(q.Tokens), base[k]))
		}
		slices.Reverse(down)
		p.polygon(style.SeriesAt(i).Alpha(whatIfTint), append(up, down...))
	}
	var xs, ys []float64
	for k := range d.points {
		xs, ys = append(xs, float64(d.points[k].Tokens)), append(ys, d.points[k].TimeS)
	}
	g.curve(p, line{width: style.HeavyWidth}, xs, ys)
	if r := &d.Recommended; r.Tokens > 0 && finite(r.TimeS) {
		at := g.at(float64(r.Tokens), r.TimeS)
		p.stroke(line{colour: style.Alert().Light, width: 1, dash: dashes()}, at, point{at.x, g.rect.y + g.h})
		p.dot(style.Alert().Light, at.x, at.y, style.DotRadius+1)
		d.say(p, at, fmt.Sprintf("%s, %s", style.Of(int64(r.Tokens), "token", "tokens"), style.Seconds(r.TimeS)))
	}
	if finite(float64(d.ObservedS)) && d.Tokens > 0 {
		at := g.at(float64(d.Tokens), float64(d.ObservedS))
		p.ring(line{width: 1.4}, at.x, at.y, style.DotRadius+1)
	}
}

// say writes beside a point, on the side where there is room.
func (d *whatIfDrawing) say(p *pen, at point, words string) {
	t := text{bold: true, colour: style.Alert().Light}
	x := at.x + 8
	if x+p.width(words, t) > p.w {
		t.align, x = 1, at.x-8
	}
	p.text(words, x, at.y-9, t)
}

func (d *whatIfDrawing) drawCost(p *pen, g graph) {
	g.frame(p, "tokens held", style.Number, style.Number)
	var xs, ys []float64
	var up, down []point
	for k := range d.points {
		q := &d.points[k]
		x := float64(q.Tokens)
		xs, ys = append(xs, x), append(ys, q.CostS)
		up, down = append(up, g.at(x, q.CostS*q.Utilisation)), append(down, g.at(x, 0))
	}
	slices.Reverse(down)
	p.polygon(style.SeriesAt(0).Alpha(whatIfTint), append(up, down...))
	g.curve(p, line{width: style.HeavyWidth}, xs, ys)
	if r := &d.Recommended; r.Tokens > 0 && finite(r.CostS) {
		at := g.at(float64(r.Tokens), r.CostS)
		p.dot(style.Alert().Light, at.x, at.y, style.DotRadius+1)
		d.say(p, at, style.Number(r.CostS))
	}
}

func (d *whatIfDrawing) caption() string {
	text := fmt.Sprintf("Run %s%s, simulated with its own task durations and driver times at %s. ", style.Printable(d.Run), d.of(),
		style.Of(int64(len(d.points)), "allocation", "allocations"))
	text += "Its time is the sum of four parts: its work divided by the tokens, what waiting for other stages and whole waves of tasks add (barriers), " +
		"that some tasks take longer than others of their stage (skew; where that saves a wave, it is taken off the barriers), and the driver. "
	if replay := float64(d.ReplayS); finite(replay) && finite(float64(d.ObservedS)) {
		text += fmt.Sprintf("It took %s on up to %s (circle); simulated so, %s.", style.Seconds(float64(d.ObservedS)),
			style.Of(int64(d.Tokens), "token", "tokens"), style.Seconds(replay))
	}
	return text
}

func (d *whatIfDrawing) of() string {
	if d.Job == "" {
		return ""
	}
	return " of " + style.Printable(d.Job)
}

func (d *whatIfDrawing) alt() string {
	if len(d.points) == 0 {
		return "No allocation could be simulated."
	}
	first, last := d.points[0], d.points[len(d.points)-1]
	return fmt.Sprintf("The time falls from %s with %s to %s with %s. %s, %s, cost %s token-seconds.", style.Seconds(first.TimeS),
		style.Of(int64(first.Tokens), "token", "tokens"), style.Seconds(last.TimeS), style.Of(int64(last.Tokens), "token", "tokens"),
		capital(style.Of(int64(d.Recommended.Tokens), "token", "tokens")), style.Seconds(d.Recommended.TimeS), style.Number(d.Recommended.CostS))
}

func (d *whatIfDrawing) values() []Value {
	out := []Value{{"allocations", "n", float64(len(d.points))}}
	add := func(of string, p *result.WhatIfPoint) {
		out = append(out, Value{of, "tokens", float64(p.Tokens)}, Value{of, "time, s", p.TimeS}, Value{of, "token-seconds", p.CostS})
		for _, part := range parts() {
			out = append(out, Value{of, part.name + ", s", part.of(p)})
		}
	}
	if len(d.points) > 0 {
		add("fewest tokens", &d.points[0])
		add("recommended", &d.Recommended)
		add("most tokens", &d.points[len(d.points)-1])
	}
	if finite(float64(d.ObservedS)) {
		out = append(out, Value{"as it ran", "time, s", float64(d.ObservedS)}, Value{"as it ran", "tokens", float64(d.Tokens)})
	}
	return out
}
