package figure

import (
	"math"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// graph is a part of a sheet with a scale along its bottom and one along its left side.
type graph struct {
	rect
	x, y axis
}

// at returns the place of a point; outside the axes it is on their edge.
func (g graph) at(x, y float64) point {
	x, y = min(max(x, g.x.min), g.x.max), min(max(y, g.y.min), g.y.max) // a logarithmic scale knows nothing else
	along, up := g.x.scale.Normalize(g.x.min, g.x.max, x), g.y.scale.Normalize(g.y.min, g.y.max, y)
	return point{g.rect.x + along*g.w, g.rect.y + g.h - up*g.h}
}

// frame draws the scales: rules and labels at the left, ticks and labels below, and a label for the latter.
func (g graph) frame(p *pen, label string, writeX, writeY func(float64) string) {
	left := smallText()
	left.align = 1
	last := math.Inf(1)
	for _, s := range g.y.steps {
		at := g.at(g.x.min, s)
		p.stroke(line{colour: style.Faint().Light}, at, point{at.x + g.w, at.y})
		if last-at.y > style.SmallSize+1 {
			p.text(writeY(s), at.x-6, at.y+3.5, left)
			last = at.y
		}
	}
	g.below(p, label, writeX)
}

// below draws the scale along the bottom: ticks with what write makes of them, which may be nothing, and a label.
func (g graph) below(p *pen, label string, write func(float64) string) {
	bottom := g.rect.y + g.h
	p.stroke(line{colour: style.Muted().Light}, point{g.rect.x, bottom}, point{g.rect.x + g.w, bottom})
	small := smallText()
	small.align = 0.5
	end := math.Inf(-1)
	for _, s := range g.x.steps {
		at := g.at(s, g.y.min)
		p.stroke(line{colour: style.Muted().Light}, point{at.x, bottom}, point{at.x, bottom + 4})
		text := write(s)
		half := p.width(text, small) / 2
		x := min(at.x, p.w-half)
		if x-half > end+style.Gap {
			p.text(text, x, bottom+15, small)
			end = x + half
		}
	}
	if label != "" {
		p.text(p.fit(label, g.w+g.rect.x, small), g.rect.x+g.w/2, bottom+29, small)
	}
}

// The space that labels of scales take: left of a graph, right of one that has two, and below it.
const (
	scaleLeft  = 46.0
	scaleRight = 38.0
	scaleBelow = 36.0
)

// curve draws a line through the points whose numbers are finite and which lie between the ends of the x axis; it breaks at
// others.
func (g graph) curve(p *pen, look line, xs, ys []float64) {
	var points []point
	flush := func() {
		p.stroke(look, apart(points)...)
		points = nil
	}
	for i, x := range xs {
		if !finite(x) || !finite(ys[i]) || x < g.x.min || x > g.x.max {
			flush()
			continue
		}
		points = append(points, g.at(x, ys[i]))
	}
	flush()
}

// area fills the ground below a series, which is a step for every bin.
func (g graph) area(p *pen, colour style.Colour, s result.Series) {
	p.polygon(colour.Light, g.outline(s, true))
}

// outline returns the upper edge of a series, of which unknown values are 0; closed down to the axis for an area.
func (g graph) outline(s result.Series, closed bool) []point {
	if len(s.Values) == 0 || !finite(s.FromS) || !finite(s.BinS) {
		return nil
	}
	var up []point
	for i, v := range s.Values {
		if !finite(v) || v < 0 {
			v = 0
		}
		a, b := g.at(s.FromS+float64(i)*s.BinS, v), g.at(s.FromS+float64(i+1)*s.BinS, v)
		up = append(up, a, b)
	}
	up = corners(up)
	if closed {
		bottom := g.rect.y + g.h
		up = append(up, point{up[len(up)-1].x, bottom}, point{up[0].x, bottom})
	}
	return up
}

// visible merges neighbouring bins to their mean until each is at least as wide as the eye can see on a scale of a width.
func visible(s result.Series, width float64) result.Series {
	k := int(math.Ceil(float64(len(s.Values)) / max(width, 1)))
	if k < 2 {
		return s
	}
	out := result.Series{FromS: s.FromS, BinS: s.BinS * float64(k)}
	for from := 0; from < len(s.Values); from += k {
		sum := 0.0
		part := s.Values[from:min(from+k, len(s.Values))]
		for _, v := range part {
			if finite(v) {
				sum += v
			}
		}
		out.Values = append(out.Values, sum/float64(len(part)))
	}
	return out
}

// apart leaves out points that are too near to the last one kept to be told apart; the first and the last stay.
func apart(points []point) []point {
	if len(points) < 3 {
		return points
	}
	out := points[:1:1]
	for _, q := range points[1 : len(points)-1] {
		if last := out[len(out)-1]; math.Abs(q.x-last.x) >= 0.4 || math.Abs(q.y-last.y) >= 0.4 {
			out = append(out, q)
		}
	}
	return append(out, points[len(points)-1])
}

// linear returns a linear axis from 0 to just beyond hi.
func linear(hi float64, whole bool) axis {
	if !(hi > 1e-9) {
		hi = 1
	}
	return axis{min: 0, max: hi * 1.02, scale: plot.LinearScale{}, steps: steps(hi, whole)}
}

// logarithmic returns a logarithmic axis from lo to hi, which must be positive, with steps at the given places.
func logarithmic(lo, hi float64, steps []float64) axis {
	if !(hi > lo*1.0001) {
		lo, hi = lo/2, hi*2
	}
	a := axis{min: lo, max: hi, scale: plot.LogScale{}}
	for _, s := range steps {
		if s >= lo*0.999 && s <= hi*1.001 {
			a.steps = append(a.steps, min(max(s, lo), hi))
		}
	}
	return a
}

// secondSteps returns round durations for a logarithmic axis: below a minute round numbers, then those that people use. The
// shorter the axis, the finer they are.
func secondSteps(lo, hi float64) []float64 {
	var out []float64
	for _, s := range roundSteps(lo, hi) {
		if s < 60 {
			out = append(out, s)
		}
	}
	const minute, hour, day = 60.0, 3600.0, 86_400.0
	switch {
	case hi < 12*lo:
		out = append(out, minute, 1.5*minute, 2*minute, 3*minute, 4*minute, 5*minute, 7*minute, 10*minute, 15*minute, 20*minute, 30*minute, 45*minute,
			hour, 1.5*hour, 2*hour, 3*hour, 4*hour, 6*hour, 8*hour, 12*hour, 18*hour, day, 1.5*day, 2*day, 3*day, 5*day, 7*day)
	case hi < 500*lo:
		out = append(out, minute, 2*minute, 5*minute, 10*minute, 30*minute, hour, 2*hour, 6*hour, 12*hour, day, 2*day, 5*day)
	default:
		out = append(out, minute, 10*minute, hour, 10*hour, day)
	}
	for _, s := range roundSteps(lo/day, hi/day) {
		if s >= 10 {
			out = append(out, s*day)
		}
	}
	return out
}

// roundSteps returns round numbers for a logarithmic axis: powers of ten, and some between them on a short axis.
func roundSteps(lo, hi float64) []float64 {
	between := []float64{1}
	switch {
	case hi < 12*lo:
		between = []float64{1, 1.5, 2, 3, 4, 5, 7}
	case hi < 500*lo:
		between = []float64{1, 2, 5}
	}
	var out []float64
	for e := -9; e <= 15; e++ {
		for _, m := range between {
			out = append(out, m*math.Pow10(e))
		}
	}
	return out
}

// oneIn writes a share, a small one as one in so many.
func oneIn(share float64) string {
	switch n := 1 / share; {
	case n < 999:
		return style.Percent(share)
	case n < 999_999:
		return "1 in " + style.Count(int64(math.Round(n)))
	default:
		return "1 in " + style.Number(n/1e6) + " M"
	}
}
