package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
)

// curve is a cumulative distribution: the share of values at or below x. It joins the i-th of n values in ascending
// order at height (i-1)/(n-1), so that its height is the inverse of the percentiles in all results (definition 7 of
// Hyndman and Fan, 1996).
type curve struct {
	name      string
	entry     string // its name in the key; empty for none
	of        result.Summary
	intervals map[string]result.Interval
	look      look
	xs, ys    []float64 // ascending
	marks     []string  // percentiles that are marked, such as "p50"
	published []papers.Percentile
	dropped   int     // values that are not finite
	lift      float64 // of the intervals, in units of the drawing, to separate the intervals of several curves
	write     func(float64) string
	told      []string // percentiles in the values of the figure; nil for all
}

// newCurve returns the distribution of values, which it copies. Without values it is drawn through the percentiles of
// the summary.
func newCurve(name string, values []float64, of result.Summary, look look) *curve {
	c := &curve{name: name, of: of, look: look, write: words.Number[float64]}
	c.xs = lists.Kept(values, func(x float64) bool { return finite(x) })
	c.dropped = len(values) - len(c.xs)
	slices.Sort(c.xs)
	switch n := len(c.xs); {
	case n > 1:
		c.ys = lists.Indexed(n, func(i int) float64 { return float64(i) / float64(n-1) })
	case n == 1:
		c.xs, c.ys = []float64{c.xs[0], c.xs[0]}, []float64{0, 1}
	case of.N > 0:
		for _, what := range percentiles {
			if x := percentile(of, what); finite(x) {
				c.xs, c.ys = append(c.xs, x), append(c.ys, height(what))
			}
		}
	}
	return c
}

// quantile returns a quantile of the values of a curve that has all of them, interpolated as everywhere in racecard:
// where the curve has height p.
func (c *curve) quantile(p float64) float64 {
	h := p * float64(len(c.xs)-1)
	k := min(int(h), len(c.xs)-2)
	return c.xs[k] + (h-float64(k))*(c.xs[k+1]-c.xs[k])
}

// quantileCurve returns a distribution by its quantiles at equal distances from 0 to 1; without them, through the
// percentiles of the summary.
func quantileCurve(name string, quantiles []float64, of result.Summary, look look) *curve {
	c := newCurve(name, nil, of, look)
	if len(quantiles) > 1 {
		c.xs, c.ys = nil, nil
		for i, x := range quantiles {
			if finite(x) && (len(c.xs) == 0 || x >= c.xs[len(c.xs)-1]) {
				c.xs, c.ys = append(c.xs, x), append(c.ys, float64(i)/float64(len(quantiles)-1))
			}
		}
	}
	c.marks = []string{"p50"}
	return c
}

// few reports whether there are few enough values to draw each.
func (c *curve) few() bool { return c.of.N > 0 && c.of.N <= 30 && len(c.xs) >= c.of.N }

// single reports whether the values are too few for a line: each is a mark.
func (c *curve) single() bool { return c.few() && c.of.N < 5 }

// layers returns the curve, the marks of its percentiles, their intervals and the published values. A curve without
// values has no entry in the key.
func (c *curve) layers() []layer {
	if len(c.xs) == 0 {
		c.entry = ""
	}
	line := newLine(c.entry, c.look, c.points()...)
	line.values = c.values()
	if p50, p95 := percentile(c.of, "p50"), percentile(c.of, "p95"); finite(p50) {
		line.says = c.name + ": median " + c.write(p50)
		line.says += words.When(finite(p95) && c.of.N > 4, ", 95%% at most %s", c.write(p95))
	}
	var spans []span
	var discs []point
	for _, what := range c.marks {
		if i, ok := c.interval(what); ok {
			spans = append(spans, span{height(what), i[0], i[1]})
		}
		discs = append(discs, point{percentile(c.of, what), height(what)})
	}
	published := rings("", c.look, lists.Map(c.published, printed)...)
	var dots []point
	if c.few() {
		dots = c.points()[:c.of.N]
	}
	if c.single() {
		if c.of.N == 1 {
			dots[0].y = 0.5
		}
		marks := newMarks(c.entry, c.look, dots...)
		marks.values, marks.says = line.values, line.says
		return []layer{marks, published}
	}
	intervals := rowSpans("95% interval", c.look, spans...)
	intervals.shift = c.lift
	out := []layer{line, newMarks("", c.look, discs...), published, intervals}
	if len(dots) > 0 {
		values := newMarks("", c.look, dots...)
		values.specks = 3
		out = append(out, values)
	}
	return out
}

// points returns the corners of the curve.
func (c *curve) points() []point {
	out := make([]point, len(c.xs))
	for i, x := range c.xs {
		out[i] = point{x, c.ys[i]}
	}
	return out
}

// printed is the point of a published percentile.
func printed(p papers.Percentile) point { return point{p.X, height(p.What)} }

// percentiles are those that a summary holds.
var percentiles = []string{"min", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "max"}

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
	return i, ok && finite(i[0], i[1])
}

// Looks of intervals.
const (
	barWidth   = 4
	barOpacity = 0.32
)

// values lists the percentiles of the curve and the published values; if some are selected, only those.
func (c *curve) values() []Value {
	if c.told != nil {
		return lists.Map(c.told, func(what string) Value { return Value{c.name, what, percentile(c.of, what)} })
	}
	out := []Value{{c.name, "n", float64(c.of.N)}}
	for _, what := range []string{"min", "p10", "p50", "p90", "p95", "p99", "max"} {
		out = append(out, Value{c.name, what, percentile(c.of, what)})
		if i, ok := c.interval(what); ok && slices.Contains(c.marks, what) {
			out = append(out, Value{c.name, what + " low", i[0]}, Value{c.name, what + " high", i[1]})
		}
	}
	for _, m := range c.published {
		out = append(out, Value{c.name + ", published", m.What, m.X})
	}
	return out
}

// beyond returns the share of values that are larger than x, which is less than the largest.
func (c *curve) beyond(x float64) float64 {
	k, _ := slices.BinarySearch(c.xs, x)
	if k == 0 {
		return 1
	}
	low, high := c.xs[k-1], c.xs[k]
	return 1 - c.ys[k-1] - (c.ys[k]-c.ys[k-1])*(x-low)/(high-low)
}

// shareSteps is an axis of shares.
func shareSteps(steps ...float64) axis {
	if len(steps) == 0 {
		steps = []float64{0, 0.25, 0.5, 0.75, 1}
	}
	return between(0, 1, steps...).in(words.Percent)
}

// distribution returns a panel of curves: its y axis is the share of values at or below x.
func distribution(title string, x axis, curves ...*curve) panel {
	n := panel{title: title, x: x, y: shareSteps(), high: 150}
	for _, c := range curves {
		n.layers = append(n.layers, c.layers()...)
	}
	return n
}

// intervalNote explains the bars of intervals in a caption, if a curve has any.
func intervalNote(of result.Intervals, curves ...*curve) string {
	if !slices.ContainsFunc(curves, func(c *curve) bool { return len(c.intervals) > 0 }) {
		return ""
	}
	return fmt.Sprintf(" Pale bars: %s intervals of the percentiles (%s).", words.Percent(level(of)), method(of))
}

// level returns the level of intervals; 95% if none is stated.
func level(i result.Intervals) float64 {
	return cmp.Or(largest(i.Level), 0.95)
}

func method(i result.Intervals) string {
	return cmp.Or(i.Method, "bootstrap") +
		words.When(i.Resamples > 0, ", %s", words.Of(i.Resamples, "resample", "resamples"))
}

// hidden names the curves that are hidden by equal ones; "" if none is.
func hidden(curves []*curve) string {
	var parts []string
	for _, same := range grouped(curves, func(a, b *curve) bool { return slices.Equal(a.xs, b.xs) }) {
		if names := lists.Map(same[1:], func(c *curve) string { return c.name }); len(names) > 0 {
			parts = append(parts, words.List(names)+" under "+same[0].name)
		}
	}
	return words.When(len(parts) > 0, " The same curves, so that one hides the other: %s.", words.List(parts))
}

// factors returns an axis that covers a half to four times, and all curves except their outermost 1%.
func factors(curves []*curve) axis {
	lo, hi := 0.5, 4.0
	for _, c := range curves {
		last := len(c.xs) - 1
		lo, hi = min(lo, c.xs[len(c.xs)/100]), max(hi, c.xs[last-len(c.xs)/100])
	}
	return logarithmic(max(lo, 0.05), min(hi, 50),
		[]float64{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 8, 12, 20, 50})
}
