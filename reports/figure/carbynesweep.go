package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// sweepLine is the factor of improvement over one scheduler, as one thing varies.
type sweepLine struct {
	name        string
	colour      style.Colour
	dashed      bool
	xs, ys      []float64
	lows, highs []float64
	series      string
}

// sweep is one experiment.
type sweep struct {
	name, axis string
	lines      []sweepLine
	seeds      int
}

// sweeps returns the experiments in which something varies.
func sweeps(c *result.Carbyne) (out []sweep) {
	order := ordered(c)
	for i := range c.Experiments {
		x := &c.Experiments[i]
		if x.Axis == "" {
			continue
		}
		s := sweep{name: style.Shorten(x.Name, 40), axis: style.Shorten(x.Axis, 40), seeds: len(x.Seeds)}
		for _, p := range x.Points {
			for _, other := range order {
				if f, ok := p.Improvement[other]; ok && p.Scheduler == "carbyne" {
					s.add(&p, other, &f, schedulerColour(order, other))
				}
			}
		}
		if len(s.lines) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// add adds a point to the line over another scheduler.
func (s *sweep) add(p *result.CarbynePoint, other string, f *result.CarbyneFactor, colour style.Colour) {
	y, low, high := float64(f.OfMeans.Median), float64(f.OfMeans.Low), float64(f.OfMeans.High)
	if !finite(p.X) || !finite(y) || y < 0 {
		return
	}
	if !finite(low) || !finite(high) || low > y || high < y {
		low, high = y, y
	}
	k := slices.IndexFunc(s.lines, func(l sweepLine) bool { return l.name == other && l.series == p.Series })
	if k < 0 {
		first := s.lines
		s.lines = append(s.lines, sweepLine{name: other, colour: colour, series: p.Series, dashed: len(first) > 0 && first[0].series != p.Series})
		k = len(s.lines) - 1
	}
	l := &s.lines[k]
	l.xs, l.ys, l.lows, l.highs = append(l.xs, p.X), append(l.ys, y), append(l.lows, low), append(l.highs, high)
}

// CarbyneSweeps draws the factor of improvement of Carbyne as load, estimates, altruism, demands or another's fairness vary.
func CarbyneSweeps(c *result.Carbyne, source Source) *Figure {
	d := &sweepsDrawing{sweeps: sweeps(c)}
	f := &Figure{Name: "carbyne-sweeps", Title: "What altruism brings as conditions change", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	for _, s := range d.sweeps {
		for _, l := range s.lines {
			for k, x := range l.xs {
				of := s.name + ", over " + style.Shorten(l.name, 30)
				if l.series != "" {
					of += ", " + style.Shorten(l.series, 30)
				}
				f.Values = append(f.Values, Value{of, style.Number(x), l.ys[k]})
			}
		}
	}
	f.plan = d.sheet
	return f
}

type sweepsDrawing struct{ sweeps []sweep }

func (d *sweepsDrawing) key() (k key) {
	seen := map[string]bool{}
	dashed := ""
	for _, s := range d.sweeps {
		for _, l := range s.lines {
			if !seen[l.name] {
				seen[l.name] = true
				k = append(k, keyEntry{keyHeavy, l.colour.Light, "over " + style.Shorten(l.name, 30)})
			}
			if l.dashed {
				dashed = l.series
			}
		}
	}
	if dashed != "" {
		k = append(k, keyEntry{keyDashed, style.Muted().Light, style.Shorten(dashed, 40)})
	}
	k = append(k, keyEntry{keyBand, style.Muted().Alpha(barOpacity), "all seeds"})
	if slices.ContainsFunc(d.sweeps, func(s sweep) bool { return carbyneSweep(s.name) != nil }) {
		k = append(k, keyEntry{keyRing, style.Muted().Light, "published"})
	}
	return k
}

func (d *sweepsDrawing) sheet(width float64) sheet {
	k := d.key()
	const high, head = 130.0, 30.0
	columns := 2
	if width < 500 {
		columns = 1
	}
	rows := (len(d.sweeps) + columns - 1) / columns
	top := k.height(newFaces(), width)
	each := head + high + scaleBelow
	return sheet{height: top + max(float64(rows)*each, 60), draw: func(p *pen) {
		k.draw(p, width)
		if len(d.sweeps) == 0 {
			p.text("nothing was varied", width/2, top+40, centred())
		}
		across := width / float64(columns)
		for i := range d.sweeps {
			s := &d.sweeps[i]
			r := rect{float64(i%columns)*across + scaleLeft, top + float64(i/columns)*each + head, across - scaleLeft - 2*style.Gap, high}
			headline(p, r, s.name, "")
			s.draw(p, r)
		}
	}}
}

func (s *sweep) draw(p *pen, r rect) {
	lo, hi, least, most := math.Inf(1), math.Inf(-1), 1.0, 1.0
	for _, l := range s.lines {
		lo, hi = min(lo, slices.Min(l.xs)), max(hi, slices.Max(l.xs))
		least, most = min(least, slices.Min(l.lows)), max(most, slices.Max(l.highs))
	}
	for _, q := range carbyneSweep(s.name) {
		most = max(most, q.y)
	}
	if !(hi > lo) {
		lo, hi = lo-1, hi+1
	}
	var steps []float64
	for _, x := range s.lines[0].xs {
		if !slices.Contains(steps, x) {
			steps = append(steps, x)
		}
	}
	y := linear(most, false)
	if least >= 0.5 {
		y.min = 0.5
		y.steps = slices.DeleteFunc(y.steps, func(s float64) bool { return s < y.min })
	}
	g := graph{r, axis{lo, hi, plot.LinearScale{}, steps, 0}, y}
	g.frame(p, s.axis, style.Number, style.Number)
	p.stroke(line{width: 1, dash: dashes()}, g.at(lo, 1), g.at(hi, 1))
	for _, q := range carbyneSweep(s.name) {
		if q.x >= lo && q.x <= hi {
			at := g.at(q.x, q.y)
			p.ring(line{colour: style.Muted().Light, width: 1.2}, at.x, at.y, style.DotRadius+1.6)
		}
	}
	for i := len(s.lines) - 1; i >= 0; i-- {
		l := &s.lines[i]
		for k, x := range l.xs {
			p.stroke(line{colour: l.colour.Alpha(barOpacity), width: barWidth}, g.at(x, l.lows[k]), g.at(x, l.highs[k]))
			p.dot(l.colour.Light, g.at(x, l.ys[k]).x, g.at(x, l.ys[k]).y, 2.4)
		}
		look := line{colour: l.colour.Light, width: style.LineWidth}
		if l.dashed {
			look.dash = dashes()
		}
		g.curve(p, look, l.xs, l.ys)
	}
}

func (d *sweepsDrawing) caption() string {
	seeds := 0
	for _, s := range d.sweeps {
		seeds = max(seeds, s.seeds)
	}
	return fmt.Sprintf("Mean completion time under another scheduler / under carbyne: above 1, altruism pays. Medians of %s. Published (Carbyne, OSDI 2016): up to 1.57 at the load "+
		"1, 1.76 to 1.91 at 2; over DRF 1.24 with P(Altruism) 0.5 and 1.56 with 1; 1.22 over Tetris with f near 1.", style.Of(int64(seeds), "seed", "seeds"))
}

func (d *sweepsDrawing) alt() string {
	text := ""
	for _, s := range d.sweeps {
		l := &s.lines[0]
		text += fmt.Sprintf(" %s: over %s from %s at %s to %s at %s.", capital(s.name), style.Shorten(l.name, 30), style.Fixed(l.ys[0], 2), style.Number(l.xs[0]),
			style.Fixed(l.ys[len(l.ys)-1], 2), style.Number(l.xs[len(l.xs)-1]))
	}
	return "Lines of factors of improvement." + text
}
