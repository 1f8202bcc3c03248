package figure

import (
	"slices"

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

// hidden says which curves lie under others that are the same, "" where none does.
func hidden(curves []curve) string {
	var parts []string
	under := make([]bool, len(curves))
	for i := range curves {
		var names []string
		for k := i + 1; k < len(curves) && !under[i]; k++ {
			if !under[k] && slices.Equal(curves[i].xs, curves[k].xs) {
				under[k], names = true, append(names, curves[k].name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, style.List(names)+" under "+curves[i].name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " The same curves, so that one hides the other: " + style.List(parts) + "."
}

// factors returns an axis from a half to four times, or farther, to where all but the outermost hundredths of all curves are.
func factors(curves []curve) axis {
	lo, hi := 0.5, 4.0
	for i := range curves {
		xs := curves[i].xs
		lo, hi = min(lo, xs[len(xs)/100]), max(hi, xs[len(xs)-1-len(xs)/100])
	}
	return logarithmic(max(lo, 0.05), min(hi, 50), []float64{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 8, 12, 20, 50})
}

func (d *ratioCurves) sheet(width float64) sheet {
	var k key
	for i := range d.curves {
		entry := keyEntry{keyHeavy, d.curves[i].colour.Light, d.entry + d.curves[i].name}
		if d.curves[i].dashed {
			entry.mark = keyHeavyDashed
		}
		k = append(k, entry)
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
			look := line{colour: c.colour.Light, width: style.LineWidth}
			if c.dashed {
				look.dash = dashes()
			}
			g.curve(p, look, c.xs, c.ys)
		}
		if len(d.curves) == 0 {
			p.text(d.nothing, width/2, head+high/2, centred())
		}
	}}
}
