package figure

import (
	"fmt"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Indicators draws one run as progress indicators see it: how far it is over time, and when it will end.
func Indicators(r *result.Remaining, source Source) *Figure {
	d := &indicatorsDrawing{Remaining: r}
	for _, u := range r.Indicators {
		if len(u.Trace) > 1 {
			d.all = append(d.all, u)
		}
	}
	f := &Figure{Name: "indicators", Title: "One run, as progress indicators see it", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	for _, u := range r.Indicators {
		f.Values = append(f.Values, Value{u.Name, "delta T", u.Jumps}, Value{u.Name, "longest constant interval", u.Still}, Value{u.Name, "error", u.Off})
	}
	f.plan = d.sheet
	return f
}

type indicatorsDrawing struct {
	*result.Remaining
	all []result.IndicatorUse
}

func (d *indicatorsDrawing) sheet(width float64) sheet {
	var k key
	for i, u := range d.all {
		k = append(k, keyEntry{keyHeavy, style.SeriesAt(i).Light, u.Name})
	}
	k = append(k, keyEntry{keyDashed, style.Ink().Light, "the time that has passed; the true end"})
	const head, high = 24.0, 170.0
	top := k.height(newFaces(), width) + style.Gap/2
	return sheet{height: top + 2*(head+high) + 20 + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		r := rect{scaleLeft, top + head, width - scaleLeft - style.Gap, high}
		if len(d.all) == 0 || !(d.TracedS > 0) {
			p.text("no indicator tells anything", width/2, r.y+high/2, centred())
			return
		}
		unit, name := clockUnit(d.TracedS)
		x := axis{max: d.TracedS, scale: plot.LinearScale{}, steps: every(0, d.TracedS, unit*roundUp(d.TracedS/6/unit))}
		write := func(s float64) string { return style.Number(s / unit) }
		headline(p, r, "progress", "")
		g := graph{r, x, axis{max: 1, scale: plot.LinearScale{}, steps: []float64{0, 0.25, 0.5, 0.75, 1}}}
		g.frame(p, "", func(float64) string { return "" }, style.Percent)
		p.stroke(line{width: 1, dash: dashes()}, g.at(0, 0), g.at(d.TracedS, 1))
		d.draw(p, g, func(t *result.IndicatorTell) float64 { return t.Progress })
		r.y += high + 20 + head
		most := d.TracedS
		for _, u := range d.all {
			for i := range u.Trace {
				if e := u.Trace[i].EndS; finite(e) {
					most = max(most, e)
				}
			}
		}
		headline(p, r, "end that is predicted", name+" from the start")
		g = graph{r, x, axis{max: most * 1.02, scale: plot.LinearScale{}, steps: every(0, most, unit*roundUp(most/5/unit))}}
		g.frame(p, name+" from the start of the run", write, write)
		p.stroke(line{width: 1, dash: dashes()}, g.at(0, d.TracedS), g.at(d.TracedS, d.TracedS))
		d.draw(p, g, func(t *result.IndicatorTell) float64 { return t.EndS })
	}}
}

func (d *indicatorsDrawing) draw(p *pen, g graph, of func(*result.IndicatorTell) float64) {
	for i, u := range d.all {
		var xs, ys []float64
		for k := range u.Trace {
			xs, ys = append(xs, u.Trace[k].AtS), append(ys, of(&u.Trace[k]))
		}
		done := result.IndicatorTell{AtS: d.TracedS, Progress: 1, EndS: d.TracedS}
		xs, ys = append(xs, done.AtS), append(ys, of(&done))
		g.curve(p, line{colour: style.SeriesAt(i).Light, width: style.LineWidth}, xs, ys)
	}
}

func (d *indicatorsDrawing) caption() string {
	return fmt.Sprintf("A simulated run of %s on %s: the one of median duration, %s, of %s. Above, the progress that each indicator tells; below, "+
		"the end that follows from it, which is the time plus the %s of C(p,a). A good indicator moves all the time and its end stays where it is.",
		style.Printable(d.Job), style.Of(int64(d.Tokens), "token", "tokens"), style.Seconds(d.TracedS), style.Count(int64(d.Tried)), d.Predicted)
}

func (d *indicatorsDrawing) alt() string {
	if len(d.all) == 0 {
		return "No indicator tells anything."
	}
	best := d.all[0]
	for _, u := range d.all {
		if u.Off < best.Off {
			best = u
		}
	}
	tied := 0
	for _, u := range d.all {
		if style.Percent(u.Off) == style.Percent(best.Off) {
			tied++
		}
	}
	if tied > 1 {
		return fmt.Sprintf("Curves that rise from 0 to 100%% with progress. The ends that %d of %d indicators predict are nearest to the true one: off by %s of a run on average.",
			tied, len(d.all), style.Percent(best.Off))
	}
	return fmt.Sprintf("Curves that rise from 0 to 100%% with progress. The end that %s predicts is nearest to the true one: off by %s of a run on average.", best.Name, style.Percent(best.Off))
}
