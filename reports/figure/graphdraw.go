package figure

import (
	"strconv"

	"racecard/datasets/words"
	"racecard/reports/style"
)

// sheet lays the graph out for a width.
func (d *graphDrawing) sheet(width float64) sheet {
	f := d.choose(width)
	k := d.key(f)
	top := 0.0
	if len(k) > 0 {
		top = k.height(newFaces(), width) + 2*style.Gap
	}
	if f.detail == profile {
		return d.profileSheet(width)
	}
	g := layout(len(d.graph.Stages), d.edges, f.across, f.gap)
	frame := newFrame(g, f, width, top)
	height := top + frame.height
	if len(d.graph.Stages) == 0 {
		height = 4 * style.Gap
	}
	list := d.list(f, width)
	return sheet{height: height + list.height(), draw: func(p *pen) {
		if len(d.graph.Stages) == 0 {
			p.text("no stage", width/2, height-6, centred())
			return
		}
		k.draw(p, width)
		list.draw(p, height, d)
		d.drawEdges(p, frame)
		for i := range d.graph.Stages {
			d.drawStage(p, f, i, frame.at(i))
		}
	}}
}

// drawEdges draws the edges, the quiet ones first.
func (d *graphDrawing) drawEdges(p *pen, r *frame) {
	for pass := range 3 {
		for i, e := range d.edges {
			look := line{colour: style.Muted().Alpha(0.75), width: 1.1}
			rank := 1
			switch {
			case e.critical:
				look, rank = line{colour: style.SeriesAt(0).Light, width: style.HeavyWidth}, 2
			case e.driver:
				look.dash, look.width, rank = dashes(), 0.9, 0
			case !e.all:
				look.width = 0.6
			}
			if r.detail == dots && !e.critical {
				look.width, look.colour = look.width*0.6, style.Muted().Alpha(0.45)
			}
			if rank != pass {
				continue
			}
			route := r.layout.routes[i]
			for k := 1; k < len(route); k++ {
				r.edge(p, look, route[k-1], route[k])
				if k < len(route)-1 { // straight past the stages of the layer
					waypoint := r.at(route[k])
					p.stroke(look, r.move(waypoint, -r.along/2), r.move(waypoint, r.along/2))
				}
			}
		}
	}
}

// move returns a point moved along the direction of the layers.
func (f form) move(q point, by float64) point {
	if f.down {
		return point{q.x, q.y + by}
	}
	return point{q.x + by, q.y}
}

func (d *graphDrawing) drawStage(p *pen, f form, i int, c point) {
	s := &d.graph.Stages[i]
	border := line{colour: style.Muted().Light, width: 0.9}
	if s.Critical {
		border = line{colour: style.SeriesAt(0).Light, width: 1.8}
	}
	switch f.detail {
	case dots:
		colour := style.Muted()
		if s.Critical {
			colour = style.SeriesAt(0)
		}
		p.spot(look{colour: colour}, c, f.along/2)
		return
	case numbers:
		p.ring(border, c.x, c.y, f.along/2)
		if d.barrier[i] {
			p.barrier(f, c, f.along/2+1, 6)
		}
		label := text{size: 9, align: 0.5, bold: s.Critical}
		if i > 98 {
			label.size = 7.5
		}
		p.text(strconv.Itoa(i), c.x, c.y+3.2, label)
		return
	}
	w, h := f.along, f.across
	if f.down {
		w, h = f.across, f.along
	}
	box := rect{c.x - w/2, c.y - h/2, w, h}
	p.fillBox(style.Wash().Light, box, 4)
	p.outline(border, box, 4)
	if d.barrier[i] {
		p.barrier(f, c, f.along/2, f.across/2-5)
	}
	number, small := strconv.Itoa(i), text{size: 9.5, colour: style.Muted().Light}
	x := box.x + 7
	p.text(number, x, box.y+14, small)
	indent := p.width(number, small) + 4
	p.text(p.fit(stageLabel(s.Name), w-12-indent, text{bold: s.Critical, size: 10.5}), x+indent, box.y+14,
		text{bold: s.Critical, size: 10.5})
	note := stageNote(s.Tasks, float64(s.Seconds))
	// the caption explains the numbers
	if p.width(note, small) > w-12 && s.Tasks > 0 && finite(s.Seconds) {
		note = words.Count(s.Tasks) + " · " + words.Seconds(float64(s.Seconds))
	}
	p.text(p.fit(note, w-12, small), x, box.y+27, small)
}

// stageNote states the tasks and the seconds of a stage, if known.
func stageNote(tasks int64, seconds float64) string {
	note := ""
	if tasks > 0 {
		note = words.Of(tasks, "task", "tasks")
	}
	if finite(seconds) {
		note += words.When(note != "", " · ")
		note += words.Seconds(seconds)
	}
	return note
}

// barrier draws the mark of a barrier where edges enter a stage.
func (p *pen) barrier(f form, c point, back, half float64) {
	look := line{width: 3}
	if f.down {
		p.stroke(look, point{c.x - half, c.y - back}, point{c.x + half, c.y - back})
		return
	}
	p.stroke(look, point{c.x - back, c.y - half}, point{c.x - back, c.y + half})
}

// profileSheet draws the number of stages of each layer, layers to the right; layers that share a column show the
// largest number.
func (d *graphDrawing) profileSheet(width float64) sheet {
	const height, left, bottom, head = 190.0, 44.0, 36.0, 18.0
	columns := min(len(d.perLayer), int(width-left))
	tallest := make([]float64, max(columns, 1))
	most := 1.0
	for i, n := range d.perLayer {
		c := i * columns / len(d.perLayer)
		tallest[c] = max(tallest[c], float64(n))
		most = max(most, float64(n))
	}
	return sheet{height: height, draw: func(p *pen) {
		pitch := (width - left) / float64(max(columns, 1))
		base := height - bottom
		y := func(n float64) float64 { return base - n/most*(base-head) }
		t := text{size: style.SmallSize, colour: style.Muted().Light, align: 1}
		p.text("stages in the layer", 0, 8, smallText())
		for _, n := range steps(most, true) {
			p.stroke(line{colour: style.Faint().Light}, point{left, y(n)}, point{width, y(n)})
			p.text(words.Number(n), left-6, y(n)+3.5, t)
		}
		var bars []rect
		for c, n := range tallest {
			if n > 0 {
				bars = append(bars, rect{left + float64(c)*pitch, y(n), max(0.8, pitch-min(1.5, pitch/4)), base - y(n)})
			}
		}
		p.fill(style.SeriesAt(0).Light, bars...)
		p.stroke(line{colour: style.Muted().Light}, point{left, base}, point{width, base})
		p.text("1", left, base+14, smallText())
		p.text(words.Count(len(d.perLayer)), width, base+14, t)
		p.text("layer", left+(width-left)/2, base+28, centred())
	}}
}
