package figure

import (
	"fmt"
	"math"
	"strings"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Tails draws, for each set of numbers that was fitted, the share that is at least x, on logarithmic scales, with the
// likeliest member of every family: a power law is a straight line, and what a family says of the largest values is seen
// beside them.
func Tails(w *result.Workload, source Source) *Figure {
	d := &tailsDrawing{}
	for i := range w.Fits {
		if plottable(&w.Fits[i]) {
			d.sets = append(d.sets, &w.Fits[i])
		}
	}
	f := &Figure{Name: "tails", Title: "Tails, and the distributions fitted to them", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

// HasTails reports whether there is a set of numbers to draw.
func HasTails(w *result.Workload) bool {
	for i := range w.Fits {
		if plottable(&w.Fits[i]) {
			return true
		}
	}
	return false
}

// plottable reports whether a set has a curve: at least two different positive numbers.
func plottable(f *result.Fitted) bool {
	known := 0
	for i, q := range f.Curve {
		if !finite(q.X) || !(q.X > 0) || !(q.Share > 0 && q.Share <= 1) || i > 0 && q.X <= f.Curve[i-1].X {
			return false
		}
		known++
	}
	return known > 1
}

type tailsDrawing struct{ sets []*result.Fitted }

// families are the families in the order of their colours.
func families() []string { return []string{"lognormal", "weibull", "gamma", "exponential", "pareto"} }

// familyName writes a family as people do.
func familyName(family string) string {
	switch family {
	case "weibull", "pareto":
		return capital(family)
	}
	return style.Shorten(family, 20)
}

// familyLine returns the look of a family's line; the best is heavy.
func familyLine(family string, best bool) line {
	look := line{colour: style.Muted().Light, width: 1.1}
	for i, name := range families() {
		if name == family {
			look.colour = style.SeriesAt(i + 1).Light
		}
	}
	if best {
		look.width = style.HeavyWidth
	}
	return look
}

func (d *tailsDrawing) sheet(width float64) sheet {
	k := key{{keyDots, style.SeriesAt(0).Light, "observed"}}
	for _, family := range families() {
		k = append(k, keyEntry{keyPlain, familyLine(family, false).colour, familyName(family)})
	}
	k = append(k, keyEntry{keyHeavy, style.Muted().Light, "best by AIC"})
	const head, high, gap = 34.0, 190.0, 22.0
	left := 62.0
	perRow := 2
	if width < 500 {
		perRow = 1
	}
	top := k.height(newFaces(), width) + style.Gap
	rows := (len(d.sets) + perRow - 1) / perRow
	height := top + float64(max(rows, 1))*(head+high+scaleBelow) + float64(max(rows-1, 0))*gap/2
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		if len(d.sets) == 0 {
			p.text("nothing to fit", width/2, top+100, centred())
		}
		across := (width - float64(perRow-1)*gap) / float64(perRow)
		for i, f := range d.sets {
			x, y := float64(i%perRow)*(across+gap), top+float64(i/perRow)*(head+high+scaleBelow+gap/2)
			drawTail(p, rect{x + left, y + head, across - left, high}, f)
		}
	}}
}

func drawTail(p *pen, r rect, f *result.Fitted) {
	first, last := f.Curve[0], f.Curve[len(f.Curve)-1]
	xs, write := roundSteps(first.X, last.X), style.Number
	if f.Unit == "s" {
		xs, write = secondSteps(first.X, last.X), style.Seconds
	}
	low := max(last.Share/2, 1e-9)
	g := graph{r, logarithmic(first.X, last.X, xs), logarithmic(low, 1, roundSteps(low, 1))}
	p.text(p.fit(capital(f.What), r.w+50, text{bold: true}), r.x-50, r.y-22, text{bold: true})
	p.text(p.fit(tailNote(f), r.w+50, smallText()), r.x-50, r.y-9, smallText())
	g.frame(p, "", write, oneIn)
	for i := len(f.Families) - 1; i >= 0; i-- { // the best on top
		fit := &f.Families[i]
		if len(fit.Above) == len(f.At) {
			g.curve(p, familyLine(fit.Family, i == 0), f.At, untilBelow(fit.Above, g.y.min))
		}
	}
	var seen []point
	for _, q := range f.Curve {
		at := g.at(q.X, q.Share)
		if n := len(seen); n > 0 && at.x-seen[n-1].x < 3 && at.y-seen[n-1].y < 3 {
			continue
		}
		seen = append(seen, at)
	}
	p.specks(style.SeriesAt(0).Light, 3, seen)
}

// untilBelow ends a falling curve where it falls below the axis.
func untilBelow(ys []float64, low float64) []float64 {
	out := make([]float64, len(ys))
	below := false
	for i, y := range ys {
		out[i] = y
		if below || !finite(y) {
			out[i] = math.NaN()
		}
		below = below || y < low
	}
	return out
}

// tailNote says how many values there are and how well the best family fits.
func tailNote(f *result.Fitted) string {
	note := "n = " + style.Count(f.N)
	if f.Open > 0 {
		note += ", " + style.Count(f.Open) + " not ended"
	}
	if f.Lost > 0 {
		note += ", " + style.Count(f.Lost) + " left out"
	}
	if len(f.Families) == 0 {
		return note
	}
	best := &f.Families[0]
	note += fmt.Sprintf("; %s: D = %s", familyName(best.Family), style.Number(best.KS))
	if p := float64(best.PKS); finite(p) {
		note += ", " + pText(p, f.Resamples)
	}
	return note
}

// pText writes a p-value of a bootstrap, which is at least one in the number of resamples and one.
func pText(p float64, resamples int) string {
	if resamples > 0 && p <= 1.5/float64(resamples+1) {
		return "p ≤ " + style.Number(math.Ceil(p*1000)/1000)
	}
	return "p = " + style.Number(p)
}

func (d *tailsDrawing) caption() string {
	text := "Share of values that are at least x, both axes logarithmic"
	var parts []string
	open, resamples := false, 0
	for _, f := range d.sets {
		resamples = max(resamples, f.Resamples)
		part := fmt.Sprintf("%s, n = %s", style.Printable(f.What), style.Count(f.N))
		if f.Open > 0 {
			part += fmt.Sprintf(" and %s that had not ended", style.Count(f.Open))
			open = true
		}
		if f.Lost > 0 {
			part += fmt.Sprintf(" (%s had not ended, nobody knows since when, and are left out)", style.Count(f.Lost))
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, "; ")
	}
	text += ". Lines: the likeliest member of each family, the best by AIC heavy. D: largest difference between the cumulative distributions; p: share " +
		"of samples of the fitted distribution that lie as far from their own fit (parametric bootstrap"
	if resamples > 0 {
		text += fmt.Sprintf(", %s", style.Of(int64(resamples), "resample", "resamples"))
	}
	text += "); textbook p-values do not hold for fitted parameters."
	if open {
		text += " What had not ended counts as longer than it was seen to last: dots are then the estimate of Kaplan and Meier, and the fits are not tested."
	}
	for _, f := range d.sets {
		if int64(f.Tested) < f.N && f.Tested > 0 {
			text += fmt.Sprintf(" Tests of large sets are on %s values drawn from them.", style.Count(int64(f.Tested)))
			break
		}
	}
	return text
}

func (d *tailsDrawing) alt() string {
	if len(d.sets) == 0 {
		return "No set of numbers is there to be fitted."
	}
	var parts []string
	for _, f := range d.sets {
		if len(f.Families) > 0 {
			parts = append(parts, fmt.Sprintf("of %s the %s fits best", style.Printable(f.What), familyName(f.Families[0].Family)))
		}
	}
	text := style.Of(int64(len(d.sets)), "falling curve", "falling curves") + " with fitted distributions"
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + "."
}

func (d *tailsDrawing) values() []Value {
	var out []Value
	add := func(of, what string, x float64) {
		if finite(x) {
			out = append(out, Value{of, what, x})
		}
	}
	for _, f := range d.sets {
		of := style.Shorten(f.Of, 40)
		add(of, "n", float64(f.N))
		if f.Open+f.Lost > 0 {
			add(of, "not ended, fitted", float64(f.Open))
			add(of, "not ended, left out", float64(f.Lost))
		}
		for i := range f.Families {
			fit := &f.Families[i]
			add(of, fit.Family+" delta AIC", fit.DeltaAIC)
			add(of, fit.Family+" D", fit.KS)
			add(of, fit.Family+" p", float64(fit.PKS))
		}
		if f.Tail != nil {
			add(of, "tail from", f.Tail.From)
			add(of, "tail alpha", f.Tail.Alpha)
		}
	}
	return out
}
