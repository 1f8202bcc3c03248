package figure

import (
	"slices"
	"strconv"
	"strings"

	"racecard/datasets/words"
	"racecard/reports/style"
)

// sheet lays the graph out for a width.
func (d *graphDrawing) sheet(width float64) sheet {
	if len(d.graph.Stages) == 0 {
		return (&chart{nothing: "no stage"}).sheet(width)
	}
	f := d.choose(width)
	if f.detail == profile {
		return d.profile().sheet(width)
	}
	k := d.key(f)
	top := 0.0
	if len(k) > 0 {
		top = k.height(newFaces(), width) + 2*style.Gap
	}
	g := layout(len(d.graph.Stages), d.edges, f.across, f.gap)
	frame := newFrame(g, f, width, top)
	height := top + frame.height
	list := d.list(f, width)
	return sheet{height: height + list.height, draw: func(p *pen) {
		k.draw(p, width)
		list.draw(p.inset(rect{0, height, width, list.height}))
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
		p.ring(border, style.Paper().Light, p.circle(c.x, c.y, f.along/2))
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
	p.ring(border, style.Wash().Light, p.box(box, 4))
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
		note = words.Count(s.Tasks) + " · " + words.Seconds(s.Seconds)
	}
	p.text(p.fit(note, w-12, small), x, box.y+27, small)
}

// stageNote states the tasks and the seconds of a stage, if known.
func stageNote(tasks int64, seconds float64) string {
	return strings.Join(slices.Concat(given(tasks > 0, words.Of(tasks, "task", "tasks")),
		given(finite(seconds), words.Seconds(seconds))), " · ")
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

// profile returns a chart of the number of stages of each layer; layers that share a bar show the largest number.
func (d *graphDrawing) profile() *chart {
	bars, layers := newBoxes("", lookAt(0)), float64(len(d.perLayer))
	bars.gap = 0.5
	each := len(d.perLayer)/mostBins + 1
	for i, part := range slices.Collect(slices.Chunk(d.perLayer, each)) {
		from := float64(i*each) + 0.5
		bars.boxes = append(bars.boxes, box{from, 0, from + float64(len(part)), float64(slices.Max(part))})
	}
	return &chart{panels: []panel{{notes: []string{"stages in the layer"}, high: 140,
		x: between(0.5, layers+0.5, steps(layers, true)[1:]...).labelled("layer"),
		y: linear(float64(slices.Max(d.perLayer)), true), layers: []layer{bars}}}}
}
