package figure

import "racecard/reports/style"

// hatched draws the bar of a failed attempt: outlined and hatched if there is room, else solid.
func (p *pen) hatched(r rect) {
	red := style.Alert().Light
	if r.w < 4 || r.h < 4 {
		p.fill(red, r)
		return
	}
	p.fill(style.Paper().Light, r)
	inner := rect{r.x + 0.5, r.y + 0.5, r.w - 1, r.h - 1}
	hatch := line{colour: red, width: 0.8}
	for s := 3.0; s < inner.w+inner.h; s += 3.5 { // lines x + y = s, inside the rectangle
		from := point{inner.x + max(0, s-inner.h), inner.y + min(s, inner.h)}
		to := point{inner.x + min(s, inner.w), inner.y + max(0, s-inner.w)}
		p.stroke(hatch, from, to)
	}
	p.outline(line{colour: red, width: 1}, inner)
}

// speculative marks the bar of a speculative copy with a line in the ground's colour along its middle and an outline.
func (p *pen) speculative(r rect) {
	if r.w < 3 || r.h < 4 {
		return
	}
	middle := r.y + r.h/2
	p.stroke(line{colour: style.Paper().Light, width: 1.6, dash: []float64{2, 2}}, point{r.x + 1, middle},
		point{r.x + r.w - 1, middle})
	p.outline(line{colour: style.Ink().Light, width: 0.8}, rect{r.x + 0.4, r.y + 0.4, r.w - 0.8, r.h - 0.8})
}
