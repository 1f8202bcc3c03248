package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// guarantee is the most tasks at once of runs against their guarantees, laid out for drawing.
type guarantee struct {
	points       []bubble
	x, y         axis  // tokens guaranteed, tasks at once
	ratio, lasts curve // at the most; but for the busiest twentieth of the time
	ratios       axis
	below, above float64
	dropped      int
}

// bubble is a number of runs with nearly the same guarantee and use.
type bubble struct {
	x, y float64
	n    int
}

// maxBubbles is the number of groups of runs that are drawn as discs; more become cells.
const maxBubbles = 150

// Guarantee draws the most tasks that runs ran at once against the tokens that they were guaranteed, and the distribution of
// the ratio of the two, with what was published for Jockey. runs is the analysis's table, one row per run; without it the
// distribution is drawn through the percentiles of the document, and the rest is left out.
func Guarantee(a *result.Allocation, runs *result.Table, source Source) *Figure {
	g := newGuarantee(a, runs)
	f := &Figure{Name: "guarantee", Title: "Tokens guaranteed and tasks run at once", source: source}
	f.Caption = g.caption(a) + " " + source.String()
	f.Alt = g.alt(a)
	f.Values = append(g.ratio.values(), g.lasts.values()...)
	below, above := jockeyGuarantee()
	for _, v := range []Value{{"runs", "share below 1", g.below}, {"runs", "share above 10", g.above},
		{"runs, published", "share below 1", below}, {"runs, published", "share above 10", above}, {"runs", "bubbles", float64(len(g.points))}} {
		if finite(v.Value) {
			f.Values = append(f.Values, v)
		}
	}
	f.plan = g.sheet
	return f
}

func newGuarantee(a *result.Allocation, runs *result.Table) *guarantee {
	g := &guarantee{below: float64(a.ShareBelowGuarantee), above: float64(a.ShareAbove10x)}
	var ratios, lasting []float64
	if runs != nil {
		tokens, tasks := runs.Floats("guaranteed"), runs.Floats("max_parallelism")
		lasting = runs.Floats("sustained_ratio")
		count := map[[2]int]*bubble{}
		for i := range min(len(tokens), len(tasks)) {
			x, y := tokens[i], tasks[i]
			if !(x > 0 && y > 0) || !finite(x) || !finite(y) {
				g.dropped++
				continue
			}
			ratios = append(ratios, y/x)
			at := [2]int{bin(x), bin(y)}
			if count[at] == nil {
				count[at] = &bubble{x: x, y: y}
			}
			count[at].n++
		}
		for _, b := range count {
			g.points = append(g.points, *b)
		}
		slices.SortFunc(g.points, func(a, b bubble) int { // the largest first: small ones lie on top
			return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
		})
	}
	g.ratio = newCurve("most at once", ratios, a.Ratio, style.SeriesAt(0))
	g.lasts = newCurve("sustained", lasting, a.SustainedRatio, style.SeriesAt(1))
	g.ratio.intervals, g.lasts.intervals = a.Intervals.Of["ratio"], a.Intervals.Of["sustained_ratio"]
	most, xs, ys := 10.0, []float64{1}, []float64{1}
	for _, b := range g.points {
		xs, ys = append(xs, b.x), append(ys, b.y)
		most = max(most, b.x, b.y)
	}
	g.x, g.y = around(slices.Min(xs), slices.Max(append(xs, 10))), around(slices.Min(ys), slices.Max(append(ys, 10)))
	low, high := 0.1, 20.0
	for _, c := range []*curve{&g.ratio, &g.lasts} {
		c.xs, c.ys = positive(c.xs, c.ys)
		c.marks = []string{"p10", "p50", "p90"}
		if n := len(c.xs); n > 0 {
			low, high = min(low, c.xs[0]), max(high, c.xs[n-1])
		}
	}
	g.ratios = around(low, high)
	return g
}

// bin returns the number of the eighth of a factor of ten in which x lies.
func bin(x float64) int { return int(math.Floor(8*math.Log10(x) + 1e-9)) }

// positive leaves out the points of an ascending curve at and below zero.
func positive(xs, ys []float64) ([]float64, []float64) {
	for len(xs) > 0 && !(xs[0] > 0) {
		xs, ys = xs[1:], ys[1:]
	}
	return xs, ys
}

// around returns a logarithmic axis with room on both sides of lo and hi, which must be positive.
func around(lo, hi float64) axis {
	lo, hi = max(lo, 1e-6), min(max(hi, lo), 1e12)
	return logarithmic(lo*0.8, hi*1.25, roundSteps(lo, hi))
}

func (g *guarantee) sheet(width float64) sheet {
	k := key{{keyLine, style.SeriesAt(0).Light, "most tasks at once"}, {keyLine, style.SeriesAt(1).Light, "but for the busiest 5% of the time"},
		{keyPlain, style.Muted().Light, "all that is guaranteed"}, {keyDashed, style.Muted().Light, "ten times that"},
		{keyRing, style.SeriesAt(0).Light, "published for Jockey"}}
	const head, gap = 44.0, 28.0
	top := k.height(newFaces(), width) + style.Gap
	left, right := rect{0, top, (width - gap) / 2, 310}, rect{(width + gap) / 2, top, (width - gap) / 2, 310}
	height := top + left.h
	if width < 500 {
		left.w, left.h = width, 280
		right = rect{0, top + left.h + 20, width, 260}
		height = right.y + right.h
	}
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		g.drawRuns(p, left, head)
		g.drawRatios(p, right, head)
	}}
}

// drawRuns draws a bubble for runs of nearly the same guarantee and use.
func (g *guarantee) drawRuns(p *pen, r rect, head float64) {
	heading(p, r, "Runs", "most tasks at once")
	plt := newPlot(p, g.x, r.w-40, "", style.Number)
	plt.Y.Min, plt.Y.Max, plt.Y.Scale = g.y.min, g.y.max, g.y.scale
	plt.Y.Tick.Marker = ticker{g.y, r.h - head, style.Number, func(string) float64 { return style.SmallSize }}
	plt.Add(g)
	labelled(p, plt, rect{r.x, r.y + head - 10, r.w, r.h - head + 10}, "tokens guaranteed")
	if len(g.points) == 0 {
		p.text("no run to show", r.x+r.w/2, r.y+r.h/2, centred())
	}
}

// Plot implements [plot.Plotter]: the two lines, and a bubble for each group of runs.
func (g *guarantee) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if len(g.points) > maxBubbles {
		g.cells(c, x, y)
	}
	for _, l := range []struct {
		factor float64
		dash   []vg.Length
	}{{1, nil}, {10, dashed()}} {
		from, to := max(g.x.min, g.y.min/l.factor), min(g.x.max, g.y.max/l.factor)
		if from >= to {
			continue
		}
		s := lineStyle(style.Muted().Light, style.HairWidth)
		s.Dashes = l.dash
		c.StrokeLine2(s, x(from), y(from*l.factor), x(to), y(to*l.factor))
	}
	if len(g.points) == 0 || len(g.points) > maxBubbles {
		return
	}
	most := float64(g.points[0].n)
	for _, b := range g.points {
		radius := min(11, 4*math.Sqrt(most)) * math.Sqrt(float64(b.n)/most)
		at := circle(vg.Point{X: x(b.x), Y: y(b.y)}, vg.Length(max(2, radius)))
		c.SetColor(style.SeriesAt(0).Alpha(0.5))
		c.Fill(at)
		c.SetLineStyle(lineStyle(style.SeriesAt(0).Light, style.HairWidth))
		c.Stroke(at)
	}
}

// cells draws groups of runs as cells, in five shades by the logarithm of their numbers.
func (g *guarantee) cells(c draw.Canvas, x, y func(float64) vg.Length) {
	const shades = 5
	var paths [shades]vg.Path
	most := math.Log(float64(g.points[0].n) + 1)
	for _, b := range g.points {
		left, right := x(edge(bin(b.x))), x(edge(bin(b.x)+1))
		low, high := y(edge(bin(b.y))), y(edge(bin(b.y)+1))
		shade := &paths[min(shades-1, int(shades*math.Log(float64(b.n))/most))]
		shade.Move(vg.Point{X: left, Y: low})
		shade.Line(vg.Point{X: right, Y: low})
		shade.Line(vg.Point{X: right, Y: high})
		shade.Line(vg.Point{X: left, Y: high})
		shade.Close()
	}
	for i, path := range paths {
		if len(path) > 0 {
			c.SetColor(style.SeriesAt(0).Alpha(float64(i+1) / shades))
			c.Fill(path)
		}
	}
}

// edge returns where a bin begins.
func edge(bin int) float64 { return math.Pow(10, float64(bin)/8) }

// drawRatios draws the distribution of use / guarantee.
func (g *guarantee) drawRatios(p *pen, r rect, head float64) {
	below, above := jockeyGuarantee()
	note := "no run"
	if finite(g.below) && finite(g.above) {
		note = fmt.Sprintf("%s below 1, %s above 10; published %s and %s", style.Percent(g.below), style.Percent(g.above),
			style.Percent(below), style.Percent(above))
	}
	heading(p, r, "Share of runs at or below a ratio", note)
	plt := newPlot(p, g.ratios, r.w-40, "", style.Number)
	plt.Y.Tick.Marker = shares{labels: true}
	plt.Add(grid{}, bars{&g.lasts, 5.5}, bars{&g.ratio, -5.5}, &g.lasts, &g.ratio, ratioLines{}, discs{&g.lasts}, discs{&g.ratio})
	labelled(p, plt, rect{r.x, r.y + head - 10, r.w, r.h - head + 10}, "tasks at once / tokens guaranteed")
}

// labelled draws a plot with a label below its horizontal axis. Given to gonum, a label that is longer than what lies right
// of the middle of a logarithmic axis makes the plot narrower.
func labelled(p *pen, plt *plot.Plot, r rect, label string) {
	const room = 18
	area := p.area(rect{r.x, r.y, r.w, r.h - room})
	data := plt.DataCanvas(area)
	plt.Draw(area)
	middle := (data.Min.X+data.Max.X).Points()/2 - p.x
	p.text(label, middle, r.y+r.h-5, centred())
}

// ratioLines draws the ratios of 1 and of 10, and what was published for them: [plot.Plotter].
type ratioLines struct{}

// Plot implements [plot.Plotter].
func (ratioLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	below, above := jockeyGuarantee()
	for _, l := range []struct {
		ratio, share float64
		dash         []vg.Length
	}{{1, below, nil}, {10, 1 - above, dashed()}} {
		s := lineStyle(style.Muted().Light, style.HairWidth)
		s.Dashes = l.dash
		c.StrokeLine2(s, x(l.ratio), c.Min.Y, x(l.ratio), c.Max.Y)
		at := circle(vg.Point{X: x(l.ratio), Y: y(l.share)}, style.DotRadius)
		c.SetColor(style.Paper().Light)
		c.Fill(at)
		c.SetLineStyle(lineStyle(style.SeriesAt(0).Light, 1.1))
		c.Stroke(at)
	}
}

// dashed is [dashes] for gonum's lines.
func dashed() []vg.Length { return []vg.Length{4, 3} }

func (g *guarantee) caption(a *result.Allocation) string {
	text := fmt.Sprintf("%s with a guarantee and known use", style.Of(int64(a.Jobs), "run", "runs"))
	left := int64(0)
	for _, n := range a.LeftOut {
		left += n
	}
	if left > 0 {
		text += fmt.Sprintf(" (%s left out)", style.Count(left))
	}
	text += ". Left: the most tasks that ran at once, against the tokens guaranteed; "
	if len(g.points) > maxBubbles {
		text += "darker where more runs lie."
	} else {
		text += "runs that are nearly alike are one disc, of an area in proportion to their number."
	}
	text += " Below the line a run never used its guarantee. Right: cumulative " +
		"distribution of the ratio of the two, and of the same but for the busiest twentieth of a run's time: attempts that hand " +
		"a slot over overlap by milliseconds in many logs. Discs mark the 10th, 50th and 90th percentile"
	if len(g.ratio.intervals) > 0 {
		text += fmt.Sprintf(", pale bars their %s intervals (%s)", style.Percent(level(a.Intervals)), method(a.Intervals))
	}
	text += ". Open circles: in a Microsoft cluster one job in three never reached its guarantee and one in four exceeded it " +
		"tenfold (Jockey, EuroSys 2012)."
	if n := a.ByBasis["allocations"]; n > 0 {
		text += fmt.Sprintf(" For %s without times of single tasks, the most tokens held.", style.Of(int64(n), "run", "runs"))
	}
	if g.dropped > 0 {
		text += fmt.Sprintf(" %s without a finite value left out.", style.Of(int64(g.dropped), "run", "runs"))
	}
	return text
}

func (g *guarantee) alt(a *result.Allocation) string {
	if a.Jobs == 0 {
		return "No run has both a guarantee and known use."
	}
	return fmt.Sprintf("A scatter and a cumulative curve over %s. The median run ran %s times as many tasks at once as it was "+
		"guaranteed; %s of runs never used their guarantee and %s exceeded it tenfold.", style.Of(int64(a.Jobs), "run", "runs"),
		style.Number(a.Ratio.P50), style.Percent(g.below), style.Percent(g.above))
}
