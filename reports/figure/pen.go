package figure

import (
	"cmp"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"racecard/datasets/lists"
	"racecard/reports/style"
)

// pen draws on a canvas with the origin at the upper left, as pages are read, x to the right and y downwards.
type pen struct {
	w, h float64 // size of the sheet
	x, y float64 // place of the sheet's origin on the canvas, from the upper left
	full float64 // height of the canvas
	c    vg.Canvas
	faces
}

func newPen(c vg.Canvas, w, h float64) *pen {
	return &pen{w: w, h: h, full: h, c: c, faces: newFaces()}
}

// rect is a rectangle by its upper left corner and its size.
type rect struct{ x, y, w, h float64 }

// point is a place on a sheet or in the data.
type point struct{ x, y float64 }

func (q point) finite() bool { return finite(q.x, q.y) }

// inset returns a pen for a part of the sheet.
func (p *pen) inset(r rect) *pen {
	q := *p
	q.w, q.h, q.x, q.y = r.w, r.h, p.x+r.x, p.y+r.y
	return &q
}

func (p *pen) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Points(p.x + x), Y: vg.Points(p.full - p.y - y)}
}

// line is how a line is drawn; the zero value of a field means ink, the width of rules and solid.
type line struct {
	colour color.Color
	width  float64
	dash   []float64
}

func (l line) apply(c vg.Canvas) {
	c.SetColor(cmp.Or[color.Color](l.colour, style.Ink().Light))
	c.SetLineWidth(vg.Points(cmp.Or(l.width, style.HairWidth)))
	c.SetLineDash(lists.Map(l.dash, vg.Points), 0)
}

// stroke draws a line through the points.
func (p *pen) stroke(l line, points ...point) {
	if len(points) < 2 {
		return
	}
	l.apply(p.c)
	p.c.Stroke(p.through(points))
}

// curve draws a line that leaves a and reaches b along the given axis of the sheet.
func (p *pen) curve(l line, a, b point, downwards bool) {
	c, d := point{(a.x + b.x) / 2, a.y}, point{(a.x + b.x) / 2, b.y}
	if downwards {
		c, d = point{a.x, (a.y + b.y) / 2}, point{b.x, (a.y + b.y) / 2}
	}
	var path vg.Path
	path.Move(p.at(a.x, a.y))
	path.CubeTo(p.at(c.x, c.y), p.at(d.x, d.y), p.at(b.x, b.y))
	l.apply(p.c)
	p.c.Stroke(path)
}

// fill fills rectangles, all as one shape.
func (p *pen) fill(colour color.Color, rects ...rect) {
	if len(rects) == 0 {
		return
	}
	var path vg.Path
	for _, r := range rects {
		path = append(path, p.box(r, 0)...)
	}
	p.c.SetColor(colour)
	p.c.Fill(path)
}

// outline draws the border of a rectangle.
func (p *pen) outline(l line, r rect) {
	l.apply(p.c)
	p.c.Stroke(p.box(r, 0))
}

func (p *pen) box(r rect, radius float64) vg.Path {
	var path vg.Path
	right, bottom := r.x+r.w, r.y+r.h
	path.Move(p.at(r.x+radius, r.y))
	corner := func(cx, cy, x, y float64) {
		if radius > 0 {
			path.QuadTo(p.at(cx, cy), p.at(x, y))
		}
	}
	path.Line(p.at(right-radius, r.y))
	corner(right, r.y, right, r.y+radius)
	path.Line(p.at(right, bottom-radius))
	corner(right, bottom, right-radius, bottom)
	path.Line(p.at(r.x+radius, bottom))
	corner(r.x, bottom, r.x, bottom-radius)
	if radius > 0 {
		path.Line(p.at(r.x, r.y+radius))
	}
	corner(r.x, r.y, r.x+radius, r.y)
	path.Close()
	return path
}

// polygon fills the shape with the given corners.
func (p *pen) polygon(colour color.Color, points []point) {
	if len(points) < 3 {
		return
	}
	p.c.SetColor(colour)
	p.c.Fill(p.closed(points))
}

// through returns the lines between points.
func (p *pen) through(points []point) (path vg.Path) {
	path.Move(p.at(points[0].x, points[0].y))
	for _, q := range points[1:] {
		path.Line(p.at(q.x, q.y))
	}
	return path
}

// closed returns the outline through points.
func (p *pen) closed(points []point) vg.Path {
	path := p.through(points)
	path.Close()
	return path
}

// circle returns a circle as four Bézier curves. The error is below 0.03% of the radius.
func (p *pen) circle(x, y, radius float64) (path vg.Path) {
	const quarter = math.Pi / 2
	pull := 4.0 / 3 * math.Tan(quarter/4) // distance of the control points, in radii
	at := func(angle, sideways float64) vg.Point {
		s, c := math.Sincos(angle)
		return p.at(x, y).Add(vg.Point{X: vg.Points(radius * (c - sideways*s)), Y: vg.Points(radius * (s + sideways*c))})
	}
	path.Move(p.at(x+radius, y))
	for k := range 4 {
		from := float64(k) * quarter
		path.CubeTo(at(from, pull), at(from+quarter, -pull), at(from+quarter, 0))
	}
	path.Close()
	return path
}

// specks draws small squares, all as one shape.
func (p *pen) specks(colour color.Color, size float64, at []point) {
	p.fill(colour, lists.Map(at, func(q point) rect { return rect{q.x - size/2, q.y - size/2, size, size} })...)
}

// ring draws an outline, filled with a colour.
func (p *pen) ring(l line, ground color.Color, path vg.Path) {
	p.c.SetColor(ground)
	p.c.Fill(path)
	l.apply(p.c)
	p.c.Stroke(path)
}
