package figure

import (
	"cmp"
	"image/color"

	"gonum.org/v1/plot/vg"

	"racecard/datasets/lists"
	"racecard/reports/style"
)

// look is the appearance of a series. Two series of a chart never differ by colour alone: lines differ in their dashes
// as well, marks in their shapes and areas in their stripes.
type look struct {
	colour  style.Colour
	opacity float64 // 0 is opaque
	width   float64 // of lines; 0 is [style.LineWidth]
	dash    []float64
	shape   shape
	stripe  stripe
}

// shape is the shape of a mark.
type shape uint8

const (
	disc shape = iota
	square
	diamond
	triangle
	wedge // a triangle on its tip
	cross
)

// stripe is a pattern of upright lines over an area: their pitch and whether they are dotted.
type stripe struct {
	pitch  float64 // 0 is none
	dotted bool
}

// lookAt returns the look of the i-th series, which is not negative. The first seven differ in colour, the first 49 in
// colour or dashes.
func lookAt(i int) look {
	colours := append(style.Series(), style.Muted())
	dashed := [][]float64{nil, {7, 2.5}, {1.5, 2}, {9, 2.5, 1.5, 2.5}, {4, 2}, {12, 3}, {3, 1.5, 1, 1.5}}
	stripes := []stripe{{}, {6, false}, {4, true}, {8, false}, {2.5, true}, {8, true}, {2.5, false}}
	n := len(colours)
	k := (i + i/n) % n
	return look{colour: colours[i%n], dash: dashed[k], shape: shape(k) % (cross + 1), stripe: stripes[k]}
}

// plain is the look of references and other marks that are not a series.
func plain(c style.Colour) look { return look{colour: c, width: 1} }

// dashedLook is [plain], dashed.
func dashedLook(c style.Colour) look { return look{colour: c, width: 1, dash: dashes()} }

// heavy returns the look with a wide line.
func (l look) heavy() look { l.width = style.HeavyWidth; return l }

// thin returns the look with a line of a width.
func (l look) thin(width float64) look { l.width = width; return l }

// faded returns the look with an opacity.
func (l look) faded(opacity float64) look { l.opacity = opacity; return l }

// solid returns the look without stripes and dashes.
func (l look) solid() look { l.stripe, l.dash = stripe{}, nil; return l }

// ink returns the colour with its opacity.
func (l look) ink() color.Color {
	if l.colour.Name == "" {
		l.colour = style.Ink()
	}
	if l.opacity > 0 && l.opacity < 1 {
		return l.colour.Alpha(l.opacity)
	}
	return l.colour.Light
}

// line returns how lines of the look are drawn.
func (l look) line() line {
	return line{colour: l.ink(), width: cmp.Or(l.width, style.LineWidth), dash: l.dash}
}

// spot draws a mark with a thin border in the background colour, so that it stands out from the lines below it.
func (p *pen) spot(l look, at point, radius float64) {
	p.c.SetColor(style.Paper().Light)
	p.c.Fill(p.outlineOf(l.shape, at, radius+1))
	p.c.SetColor(l.ink())
	p.c.Fill(p.outlineOf(l.shape, at, radius))
}

// hollow draws the outline of a mark, filled with the background colour.
func (p *pen) hollow(l look, at point, radius float64) {
	p.ring(line{colour: l.ink(), width: 1.3}, style.Paper().Light, p.outlineOf(l.shape, at, radius))
}

// outlineOf returns a mark as a path. Shapes of a radius have about the same area.
func (p *pen) outlineOf(s shape, at point, radius float64) vg.Path {
	corners := map[shape][]point{
		square:   {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}},
		diamond:  {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
		triangle: {{0, -1.3}, {1.2, 0.85}, {-1.2, 0.85}},
		wedge:    {{0, 1.3}, {1.2, -0.85}, {-1.2, -0.85}},
		cross: {{-0.45, -1.2}, {0.45, -1.2}, {0.45, -0.45}, {1.2, -0.45}, {1.2, 0.45}, {0.45, 0.45}, {0.45, 1.2},
			{-0.45, 1.2}, {-0.45, 0.45}, {-1.2, 0.45}, {-1.2, -0.45}, {-0.45, -0.45}},
	}[s]
	if corners == nil {
		return p.circle(at.x, at.y, radius)
	}
	return p.closed(lists.Map(corners, func(c point) point { return point{at.x + radius*c.x, at.y + radius*c.y} }))
}

// filled fills rectangles with a look, all as one shape, and stripes them.
func (p *pen) filled(l look, rects ...rect) {
	p.fill(l.ink(), rects...)
	for _, r := range rects {
		p.stripes(l, r.x, r.x+r.w, func(float64) (top, bottom float64) { return r.y, r.y + r.h })
	}
}

// stripes draws the stripes of a look between two edges, which bound gives at every x.
func (p *pen) stripes(l look, from, to float64, bound func(x float64) (top, bottom float64)) {
	if l.stripe.pitch == 0 {
		return
	}
	look := line{colour: style.Paper().Light, width: 1}
	if l.stripe.dotted {
		look.dash = []float64{1.5, 2.5}
	}
	var path vg.Path
	for x := from + l.stripe.pitch; x < to; x += l.stripe.pitch {
		if top, bottom := bound(x); bottom-top > 1 {
			path.Move(p.at(x, top))
			path.Line(p.at(x, bottom))
		}
	}
	if len(path) > 0 {
		look.apply(p.c)
		p.c.Stroke(path)
	}
}
