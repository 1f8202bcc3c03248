package figure

import (
	"fmt"
	"math"

	"racecard/reports/style"
)

// bands are the heights and places of the parts of a waterfall, from the top.
type bands struct {
	x, w             float64 // of the time axis
	spans, span      float64 // top of the stages; height of one, 0 without
	rows, row        float64 // top of the slots; height of one row
	load, loadHeight float64
	axis, height     float64
}

func (w *waterfall) bands(f faces, width float64) bands {
	b := bands{x: 40}
	if w.named() {
		for _, g := range w.groups {
			b.x = max(b.x, min(f.width(g.machine, smallText()), width/5)+10)
		}
	}
	b.x = math.Ceil(b.x)
	b.w = math.Floor(width - b.x)
	const heading = 18.0
	b.spans = w.key().height(f, width) + heading + style.Gap/2
	switch n := len(w.stages); {
	case n <= maxNamed:
		b.span = 13
	case n <= maxSpans:
		b.span = max(2, 200/float64(n))
	}
	b.rows = b.spans
	if b.span > 0 && len(w.stages) > 0 {
		b.rows += math.Ceil(b.span*float64(len(w.stages))) + heading + style.Gap/2
	}
	rows := float64((w.lanes + w.merge - 1) / w.merge)
	b.row = math.Floor(min(12, max(3, 260/max(rows, 1))))
	b.load = b.rows + rows*b.row + heading
	b.loadHeight = 72
	if w.cells {
		b.loadHeight = 120
	}
	b.axis = b.load + b.loadHeight
	b.height = b.axis + 36
	return b
}

// slots says what the rows of a waterfall are.
func (w *waterfall) slots() string {
	text := style.Of(int64(w.lanes), "task slot", "task slots")
	switch {
	case w.merge > 1:
		text += fmt.Sprintf(", %d to a row", w.merge)
	case w.named():
		text += " by machine"
	}
	return text
}

// named reports whether machines are written beside their slots.
func (w *waterfall) named() bool {
	return len(w.groups) <= maxGroups && w.merge == 1 && (len(w.groups) != 1 || w.groups[0].machine != "")
}

func (w *waterfall) sheet(width float64) sheet {
	b := w.bands(newFaces(), width)
	return sheet{height: b.height, draw: func(p *pen) {
		w.key().draw(p, width)
		w.drawGrid(p, b)
		if b.span > 0 && len(w.stages) > 0 {
			p.text("stages, first start to last end", b.x, b.spans-5, smallText())
		}
		p.text(w.slots(), b.x, b.rows-5, smallText())
		p.text("attempts running at once, by stage", b.x, b.load-1, smallText())
		w.drawSpans(p, b)
		w.drawMachines(p, b)
		if w.cells {
			w.drawCells(p, b)
		} else {
			w.drawBars(p, b)
		}
		w.drawLoad(p, b)
		if len(w.attempts) == 0 {
			p.text("no attempt with a known time", b.x+b.w/2, b.load+b.loadHeight/2,
				centred())
		}
	}}
}

func (b bands) at(seconds, end float64) float64 { return b.x + min(max(seconds/end, 0), 1)*b.w }

// drawGrid draws the time axis and its rules.
func (w *waterfall) drawGrid(p *pen, b bands) {
	last := 0.0
	for _, s := range steps(w.end, false) {
		x := b.at(s, w.end)
		p.stroke(line{colour: style.Faint().Light}, point{x, b.spans}, point{x, b.axis})
		p.stroke(line{colour: style.Muted().Light}, point{x, b.axis}, point{x, b.axis + 4})
		label := style.Number(s)
		half := p.width(label, smallText()) / 2
		if s > 0 && x-half < last {
			continue
		}
		t := smallText()
		t.align = 0.5
		x = min(x, b.x+b.w-half)
		p.text(label, x, b.axis+14, t)
		last = x + half + style.Gap
	}
	p.stroke(line{colour: style.Muted().Light}, point{b.x, b.axis}, point{b.x + b.w, b.axis})
	p.text("seconds since the run's first event", b.x+b.w/2, b.axis+30, centred())
}

// drawSpans draws every stage from its first start to its last end, with its name where there is room.
func (w *waterfall) drawSpans(p *pen, b bands) {
	if len(w.stages) > maxSpans {
		return
	}
	small := text{size: style.SmallSize}
	for i, s := range w.stages {
		if !s.known {
			continue
		}
		x0, x1, y := b.at(s.start, w.end), b.at(s.end, w.end), b.spans+float64(i)*b.span
		gap := min(2, b.span/4)
		p.fill(style.SeriesAt(i).Light, rect{x0, y + gap, max(x1-x0, 1.5), b.span - 2*gap})
		if b.span < 13 {
			continue
		}
		label := stageLabel(s.name)
		right, left := b.x+b.w-x1-5, x0-b.x-5
		switch need := p.width(label, small); {
		case need <= right || right >= left:
			p.text(p.fit(label, right, small), x1+5, y+b.span-3.5, small)
		default:
			small.align = 1
			p.text(p.fit(label, left, small), x0-5, y+b.span-3.5, small)
			small.align = 0
		}
	}
}

// drawMachines separates the slots of machines and writes their names.
func (w *waterfall) drawMachines(p *pen, b bands) {
	if len(w.attempts) == 0 {
		return
	}
	t := smallText()
	t.align = 1
	if !w.named() {
		return
	}
	lastLabel := 0.0
	for _, g := range w.groups {
		top, bottom := b.rows+float64(g.from)*b.row, b.rows+float64(g.to)*b.row
		p.stroke(line{colour: style.Faint().Light}, point{0, top}, point{b.x + b.w, top})
		y := (top+bottom)/2 + 3.5
		if y-lastLabel >= style.SmallSize {
			p.text(p.fit(g.machine, b.x-8, t), b.x-6, y, t)
			lastLabel = y
		}
	}
	end := b.rows + float64(w.lanes)*b.row
	p.stroke(line{colour: style.Faint().Light}, point{0, end}, point{b.x + b.w, end})
}

// drawBars draws one bar per attempt, those of a stage as one shape.
func (w *waterfall) drawBars(p *pen, b bands) {
	plain := map[int][]rect{}
	pale := map[int][]rect{}
	var failed, marked []rect
	gap := min(1, b.row/6)
	for i := range w.attempts {
		a := &w.attempts[i]
		x0, x1 := b.at(a.start, w.end), b.at(a.end, w.end)
		r := rect{x0, b.rows + float64(a.lane)*b.row + gap, max(x1-x0, 0.6), b.row - 2*gap}
		if r.w > 3 {
			r.w -= 0.5 // so that neighbours are told apart
		}
		switch {
		case a.failed:
			failed = append(failed, r)
		case a.open:
			pale[a.stage] = append(pale[a.stage], r)
		default:
			plain[a.stage] = append(plain[a.stage], r)
		}
		if a.speculative && !a.failed {
			marked = append(marked, r)
		}
	}
	fillByStage(p, plain, 1)
	fillByStage(p, pale, 0.4)
	for _, r := range failed {
		p.hatched(r)
	}
	for _, r := range marked {
		p.speculative(r)
	}
}

// fillByStage fills the bars of each stage with its colour, stages in ascending order.
func fillByStage(p *pen, bars map[int][]rect, opacity float64) {
	for _, stage := range sortedKeys(bars) {
		p.fill(style.SeriesAt(stage).Alpha(opacity), bars[stage]...)
	}
}

// drawCells draws attempts merged into cells, and every failed attempt over them.
func (w *waterfall) drawCells(p *pen, b bands) {
	const per = 2.0 // width of a column
	columns := max(1, int(math.Ceil(b.w/per)))
	var ran []attempt
	var failed []rect
	seen := map[rect]bool{}
	for i := range w.attempts {
		a := &w.attempts[i]
		if !a.failed {
			ran = append(ran, *a)
			continue
		}
		from, to := math.Round(b.at(a.start, w.end)), math.Round(b.at(a.end, w.end))
		y := b.rows + float64(a.lane)/float64(w.merge)*b.row
		r := rect{from, math.Floor(y), max(to-from, 1), max(1.2, b.row/float64(w.merge))}
		if !seen[r] {
			seen[r] = true
			failed = append(failed, r)
		}
	}
	type look struct {
		stage int
		load  float64
	}
	rects := map[look][]rect{}
	for _, c := range rasterise(ran, w.lanes, w.merge, columns, w.end*float64(columns)*per/b.w) {
		l := look{c.stage % len(style.Series()), c.load}
		from, to := float64(c.from)*per, min(float64(c.to)*per, b.w)
		rects[l] = append(rects[l], rect{b.x + from, b.rows + float64(c.row)*b.row, to - from, b.row - 0.4})
	}
	for stage := range style.Series() {
		for _, load := range loads() {
			p.fill(style.SeriesAt(stage).Alpha(0.1+0.9*load), rects[look{stage, load}]...)
		}
	}
	p.fill(style.Alert().Light, failed...)
}
