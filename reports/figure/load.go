package figure

import (
	"math"
	"slices"

	"racecard/reports/style"
)

// drawLoad draws how many attempts ran at once, as an area, and the tokens held, as a line.
func (w *waterfall) drawLoad(p *pen, b bands) {
	columns := max(1, int(b.w))
	most := 1.0
	for _, n := range running(w.attempts, columns, w.end, w.slack()) {
		most = max(most, float64(n))
	}
	for _, t := range w.tokens {
		most = max(most, float64(t.Tokens))
	}
	y := func(n float64) float64 { return b.axis - n/most*(b.loadHeight-8) }
	t := smallText()
	t.align = 1
	p.stroke(line{colour: style.Faint().Light}, point{b.x, y(most)}, point{b.x + b.w, y(most)})
	p.text(style.Count(int64(most)), b.x-6, y(most)+3.5, t)
	p.text("0", b.x-6, y(0)+3.5, t)
	per := b.w / float64(columns)
	base := make([]float64, columns)
	for _, l := range occupancy(w.attempts, columns, w.end) {
		var up, down []point
		for k, n := range l.mean {
			x0, x1 := b.x+float64(l.from+k)*per, b.x+float64(l.from+k+1)*per
			low := base[l.from+k]
			base[l.from+k] += n
			up = append(up, point{x0, y(low + n)}, point{x1, y(low + n)})
			down = append(down, point{x0, y(low)}, point{x1, y(low)})
		}
		slices.Reverse(down)
		p.polygon(style.SeriesAt(l.stage).Light, corners(append(up, down...)))
	}
	if len(w.tokens) == 0 {
		return
	}
	var held []point
	for _, c := range w.tokens {
		x := b.at(c.AtS, w.end)
		if len(held) > 0 {
			last := held[len(held)-1]
			if x-last.x < 0.4 && len(held) > 2 { // changes too close to be told apart: the last counts
				held[len(held)-1].y = y(float64(c.Tokens))
				continue
			}
			held = append(held, point{x, last.y})
		} else {
			held = append(held, point{x, y(0)})
		}
		held = append(held, point{x, y(float64(c.Tokens))})
	}
	held = append(held, point{b.x + b.w, held[len(held)-1].y})
	p.stroke(line{width: style.LineWidth}, held...)
}

// corners leaves out points that lie on the horizontal line between their neighbours, or nearly so.
func corners(points []point) []point {
	out := points[:0:0]
	for i, q := range points {
		if i > 0 && i+1 < len(points) && math.Abs(q.y-out[len(out)-1].y) < 0.2 && math.Abs(q.y-points[i+1].y) < 0.2 {
			continue
		}
		out = append(out, q)
	}
	return out
}
