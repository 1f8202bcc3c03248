package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// curve is a cumulative distribution: the share of values at or below x. It joins the i-th of n values in ascending order
// at height (i-1)/(n-1), so that its height is the inverse of the percentiles that every result states (definition 7 of
// Hyndman and Fan, 1996).
type curve struct {
	name      string
	of        result.Summary
	intervals map[string]result.Interval
	colour    style.Colour
	xs, ys    []float64 // ascending
	marks     []string  // percentiles that are marked, such as "p50"
	published []mark    // what a paper printed
	dropped   int       // values that are not finite
	dashed    bool      // another curve has its colour
}

// mark is a percentile by its name and value.
type mark struct {
	what string
	x    float64
}

// newCurve returns the distribution of values, which it copies. Without values it is drawn through the percentiles of the
// summary.
func newCurve(name string, values []float64, of result.Summary, colour style.Colour) curve {
	c := curve{name: name, of: of, colour: colour}
	for _, x := range values {
		if !finite(x) {
			c.dropped++
			continue
		}
		c.xs = append(c.xs, x)
	}
	slices.Sort(c.xs)
	switch n := len(c.xs); {
	case n > 1:
		c.ys = make([]float64, n)
		for i := range c.ys {
			c.ys[i] = float64(i) / float64(n-1)
		}
	case n == 1:
		c.xs, c.ys = []float64{c.xs[0], c.xs[0]}, []float64{0, 1}
	case of.N > 0:
		for _, what := range []string{"min", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "max"} {
			if x, y := percentile(of, what), height(what); finite(x) {
				c.xs, c.ys = append(c.xs, x), append(c.ys, y)
			}
		}
	}
	return c
}

// few reports whether the values are so few that each is drawn.
func (c *curve) few() bool { return c.of.N > 0 && c.of.N <= 30 && len(c.xs) >= c.of.N }

// percentile returns a field of a summary by its name; NaN when there is none.
func percentile(s result.Summary, what string) float64 {
	x, ok := map[string]float64{"min": s.Min, "p10": s.P10, "p25": s.P25, "p50": s.P50, "p75": s.P75, "p90": s.P90,
		"p95": s.P95, "p99": s.P99, "max": s.Max}[what]
	if !ok || s.N == 0 {
		return math.NaN()
	}
	return x
}

// height returns the share of values at or below a percentile.
func height(what string) float64 {
	return map[string]float64{"min": 0, "p10": 0.1, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95,
		"p99": 0.99, "max": 1}[what]
}

// interval returns the interval of a percentile, and whether there is one.
func (c *curve) interval(what string) (result.Interval, bool) {
	i, ok := c.intervals[what]
	return i, ok && finite(i[0]) && finite(i[1])
}

// bars draws the intervals of a curve's marked percentiles, beside the height of the percentile so that those of several
// curves do not cover each other: [plot.Plotter].
type bars struct {
	*curve
	offset vg.Length // from the height, upwards
}

// Plot implements [plot.Plotter].
func (b bars) Plot(area draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&area)
	for _, what := range b.marks {
		if i, ok := b.interval(what); ok && i[0] <= p.X.Max && i[1] >= p.X.Min {
			at := y(height(what)) + b.offset
			area.StrokeLine2(draw.LineStyle{Color: b.colour.Alpha(barOpacity), Width: barWidth},
				x(max(i[0], p.X.Min)), at, x(min(i[1], p.X.Max)), at)
		}
	}
}

// Looks of intervals.
const (
	barWidth   = 4
	barOpacity = 0.32
)

// Plot implements [plot.Plotter]: the curve, and observations where they are few.
func (c *curve) Plot(area draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&area)
	var points []vg.Point
	for i := range c.xs {
		if c.xs[i] > p.X.Max {
			points = c.leave(points, i, p.X.Max, x, y)
			break
		}
		points = append(points, vg.Point{X: x(max(c.xs[i], p.X.Min)), Y: y(c.ys[i])})
	}
	points = thin(points, 0.4)
	area.StrokeLines(lineStyle(c.colour.Light, style.LineWidth), points)
	if c.few() {
		area.SetColor(c.colour.Light)
		for i := range c.of.N {
			if c.xs[i] >= p.X.Min && c.xs[i] <= p.X.Max {
				area.Fill(circle(vg.Point{X: x(c.xs[i]), Y: y(c.ys[i])}, 1.6))
			}
		}
	}
}

// discs draws the marked percentiles of a curve over what was published for them, as open circles: [plot.Plotter].
type discs struct{ *curve }

// Plot implements [plot.Plotter].
func (d discs) Plot(area draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&area)
	for _, m := range d.published {
		if m.x >= p.X.Min && m.x <= p.X.Max {
			at := circle(vg.Point{X: x(m.x), Y: y(height(m.what))}, style.DotRadius)
			area.SetColor(style.Paper().Light)
			area.Fill(at)
			area.SetLineStyle(lineStyle(d.colour.Light, 1.1))
			area.Stroke(at)
		}
	}
	for _, what := range d.marks {
		if v := percentile(d.of, what); v >= p.X.Min && v <= p.X.Max {
			at := vg.Point{X: x(v), Y: y(height(what))}
			area.SetColor(style.Paper().Light)
			area.Fill(circle(at, style.DotRadius+1))
			area.SetColor(d.colour.Light)
			area.Fill(circle(at, style.DotRadius))
		}
	}
}

// leave ends a curve where it crosses the end of the axis, between its points i-1 and i.
func (c *curve) leave(points []vg.Point, i int, end float64, x, y func(float64) vg.Length) []vg.Point {
	if i == 0 {
		return points
	}
	share := (end - c.xs[i-1]) / (c.xs[i] - c.xs[i-1])
	return append(points, vg.Point{X: x(end), Y: y(c.ys[i-1] + share*(c.ys[i]-c.ys[i-1]))})
}

// thin leaves out points of a monotone curve that lie within a distance of the last one kept, in both directions. The first
// and the last stay.
func thin(points []vg.Point, distance vg.Length) []vg.Point {
	if len(points) < 3 {
		return points
	}
	out := points[:1:1]
	for _, p := range points[1 : len(points)-1] {
		last := out[len(out)-1]
		if math.Abs(float64(p.X-last.X)) >= float64(distance) || math.Abs(float64(p.Y-last.Y)) >= float64(distance) {
			out = append(out, p)
		}
	}
	return append(out, points[len(points)-1])
}

// values lists the percentiles of the curve and what was published.
func (c *curve) values() []Value {
	out := []Value{{c.name, "n", float64(c.of.N)}}
	add := func(of, what string, x float64) {
		if finite(x) {
			out = append(out, Value{of, what, x})
		}
	}
	for _, what := range []string{"min", "p10", "p50", "p90", "p95", "p99", "max"} {
		add(c.name, what, percentile(c.of, what))
		if i, ok := c.interval(what); ok && slices.Contains(c.marks, what) {
			add(c.name, what+" low", i[0])
			add(c.name, what+" high", i[1])
		}
	}
	for _, m := range c.published {
		add(c.name+", published", m.what, m.x)
	}
	return out
}
