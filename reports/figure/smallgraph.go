package figure

import (
	"racecard/reports/style"
)

// smallGraph is one of several small graphs of the same kind, beside each other.
type smallGraph struct {
	title, label   string // above; of the x axis
	x, y           axis
	writeX, writeY func(float64) string
	lines          []plotted
	level          float64 // a dashed rule across at this height; 0 for none
	rings          []point // what was published
	// writeRight writes what the steps of the y axis up to 1 mean to lines that are shares; nil where there are none.
	writeRight func(float64) string
}

// plotted is a line, with a band where lows are given.
type plotted struct {
	colour      style.Colour
	look        line // its colour is set
	xs, ys      []float64
	lows, highs []float64
	dots        bool
	bars        bool // lows and highs are bars, not a band; lines of a panel then stand apart a little
}

// smallGraphs lays panels out in rows of at most so many, below a key.
func smallGraphs(width float64, k key, panels []smallGraph, across int, nothing string) sheet {
	const head, gap = 24.0, 16.0
	if width < 500 {
		across = min(across, 1+len(panels)/4)
	}
	across = max(1, min(across, len(panels)))
	high := 210.0
	if across > 2 {
		high = 170
	}
	top := k.height(newFaces(), width) + style.Gap
	rows := max(1, (len(panels)+across-1)/across)
	row := head + high + scaleBelow
	return sheet{height: top + float64(rows)*row + float64(rows-1)*gap, draw: func(p *pen) {
		k.draw(p, width)
		if len(panels) == 0 {
			p.text(nothing, width/2, top+row/2, centred())
		}
		cell := (width - float64(across-1)*gap) / float64(across)
		for i := range panels {
			x, y := float64(i%across)*(cell+gap), top+float64(i/across)*(row+gap)
			right := style.Gap
			if panels[i].writeRight != nil {
				right = scaleRight
			}
			panels[i].draw(p, rect{x + scaleLeft, y + head, cell - scaleLeft - right, high})
		}
	}}
}

func (l *smallGraph) draw(p *pen, r rect) {
	p.text(p.fit(l.title, r.w+scaleLeft, text{bold: true}), r.x-scaleLeft, r.y-12, text{bold: true})
	g := graph{r, l.x, l.y}
	g.frame(p, l.label, l.writeX, l.writeY)
	if l.writeRight != nil {
		for _, s := range l.y.steps {
			if s <= 1 {
				p.text(l.writeRight(s), r.x+r.w+6, g.at(l.x.max, s).y+3.5, text{size: style.SmallSize, colour: style.Muted().Light})
			}
		}
	}
	if l.level > 0 {
		p.stroke(line{colour: style.Muted().Light, width: 1}, g.at(l.x.min, l.level), g.at(l.x.max, l.level))
	}
	for i := range l.lines {
		s := &l.lines[i]
		if len(s.lows) != len(s.xs) || s.bars {
			continue
		}
		var band []point
		for k := range s.xs {
			band = append(band, g.at(s.xs[k], s.highs[k]))
		}
		for k := len(s.xs) - 1; k >= 0; k-- {
			band = append(band, g.at(s.xs[k], s.lows[k]))
		}
		if len(s.xs) > 1 {
			p.polygon(s.colour.Alpha(0.16), band)
		}
	}
	for _, q := range l.rings {
		at := g.at(q.x, q.y)
		p.ring(line{colour: style.Muted().Light, width: 1.2}, at.x, at.y, style.DotRadius+1.6)
	}
	for i := len(l.lines) - 1; i >= 0; i-- { // the first on top
		s := &l.lines[i]
		look := s.look
		look.colour = s.colour.Light
		g := g
		if s.bars {
			g.rect.x += (float64(i) - float64(len(l.lines)-1)/2) * 3
			for k := range s.lows {
				p.stroke(line{colour: s.colour.Alpha(barOpacity), width: 3}, g.at(s.xs[k], s.lows[k]), g.at(s.xs[k], s.highs[k]))
			}
		}
		g.curve(p, look, s.xs, s.ys)
		for k := range s.xs {
			if s.dots && finite(s.ys[k]) {
				at := g.at(s.xs[k], s.ys[k])
				p.dot(s.colour.Light, at.x, at.y, 2.4)
			}
		}
	}
}
