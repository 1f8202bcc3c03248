package figure

import (
	"gonum.org/v1/plot"

	"racecard/reports/style"
)

// ratioCurves are cumulative distributions of a ratio, one of which is drawn over the other, with a rule at 1.
type ratioCurves struct {
	curves  []curve
	axis    axis
	what    string               // the ratio
	of      string               // what the shares are shares of
	entry   string               // written in the key before the name of a curve
	one     string               // what a ratio of 1 is, in words; may be empty
	write   func(float64) string // writes a ratio
	nothing string               // said where there is no curve
}

// add adds a curve, unless it has no length.
func (d *ratioCurves) add(c curve) {
	if len(c.xs) > 1 {
		d.curves = append(d.curves, c)
	}
}

// values returns the numbers of all curves.
func (d *ratioCurves) values() []Value {
	var out []Value
	for i := range d.curves {
		out = append(out, d.curves[i].values()...)
	}
	return out
}

// medians writes the median of every curve.
func (d *ratioCurves) medians() string {
	var parts []string
	for i := range d.curves {
		parts = append(parts, d.curves[i].name+" "+style.Fixed(percentile(d.curves[i].of, "p50"), 2))
	}
	return style.List(parts)
}

func (d *ratioCurves) sheet(width float64) sheet {
	var k key
	for i := range d.curves {
		k = append(k, keyEntry{keyHeavy, d.curves[i].colour.Light, d.entry + d.curves[i].name})
	}
	const high = 280.0
	head := k.height(newFaces(), width) + 26
	return sheet{height: head + high + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		p.text("share of "+d.of+" at or below", 0, head-10, smallText())
		share := axis{0, 1, plot.LinearScale{}, []float64{0, 0.25, 0.5, 0.75, 1}, 0}
		g := graph{rect{scaleLeft, head, width - scaleLeft - style.Gap, high}, d.axis, share}
		g.frame(p, d.what, d.write, style.Percent)
		p.stroke(line{width: 1, dash: dashes()}, g.at(1, 0), g.at(1, 1))
		p.text(d.one, g.at(1, 0).x+5, g.rect.y+g.h-6, smallText())
		for i := len(d.curves) - 1; i >= 0; i-- { // the first on top
			c := &d.curves[i]
			g.curve(p, line{colour: c.colour.Light, width: style.LineWidth}, c.xs, c.ys)
		}
		if len(d.curves) == 0 {
			p.text(d.nothing, width/2, head+high/2, centred())
		}
	}}
}
