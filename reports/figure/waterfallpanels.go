package figure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"racecard/datasets/words"
	"racecard/reports/style"
)

// panels returns the parts of a waterfall from the top: stages, slots, and the attempts that run at once.
func (w *waterfall) panels(says string) []panel {
	var out []panel
	if n := len(w.stages); n > 0 && n <= maxSpans {
		out = append(out, w.stagesPanel())
	}
	x := between(0, w.end, steps(w.end, false)...).labelled("seconds since the run's first event")
	return stacked(append(out, w.slotsPanel(says), w.loadPanel()), x)
}

// stagesPanel draws every stage from its first start to its last end, with its name where there is room.
func (w *waterfall) stagesPanel() panel {
	n := panel{notes: []string{"stages, first start to last end"},
		rowHeight: max(2, min(13, 200/float64(len(w.stages)))), upright: true}
	if len(w.stages) <= maxNamed {
		n.rowHeight = 13
	}
	for i, s := range w.stages {
		n.rows = append(n.rows, category{})
		bar := newBars("", lookAt(i).solid(), n.rowHeight-min(4, n.rowHeight/2))
		bar.inside = true
		if s.known {
			bar.bar(i, s.start, s.end)
			bar.texts = given(n.rowHeight == 13, stageLabel(s.name))
		}
		n.layers = append(n.layers, bar)
	}
	return n
}

// slotsNote names the rows of the slots.
func (w *waterfall) slotsNote() string {
	text := words.Of(w.slots, "task slot", "task slots")
	switch {
	case w.merge > 1:
		text += fmt.Sprintf(", %d to a row", w.merge)
	case w.named():
		text += " by machine"
	}
	return text
}

// named reports whether machines are written next to their slots.
func (w *waterfall) named() bool {
	return len(w.groups) <= maxGroups && w.merge == 1 && (len(w.groups) != 1 || w.groups[0].machine != "")
}

// slotsPanel draws the attempts on the slots of their machines.
func (w *waterfall) slotsPanel(says string) panel {
	rows := (w.slots + w.merge - 1) / w.merge
	high := math.Floor(min(12, max(3, 260/float64(max(rows, 1)))))
	n := panel{notes: []string{w.slotsNote()}, rows: make([]category, rows), rowHeight: high, upright: true,
		layers: []layer{&attemptLayer{told{says: says}, w}}}
	if w.named() {
		for _, g := range w.groups {
			n.rows[g.from].name = words.Shorten(g.machine, 24)
			n.layers = append(n.layers,
				across("", look{colour: style.Faint(), width: style.HairWidth}, -float64(g.from)))
		}
	}
	return n
}

// loadPanel draws the number of running attempts, as areas by stage, and the tokens held, as a line.
func (w *waterfall) loadPanel() panel {
	n := panel{notes: []string{"attempts running at once, by stage"}, high: 72, upright: true}
	if w.cells {
		n.high = 120
	}
	most := max(1, float64(mostAtOnce(w.attempts, w.slack())))
	held := newLine("tokens held", look{})
	held.steps = true
	for _, t := range w.tokens {
		if len(held.points) == 0 {
			held.add(t.AtS, 0)
		}
		held.add(t.AtS, float64(t.Tokens))
		most = max(most, float64(t.Tokens))
	}
	if len(held.points) > 0 {
		held.add(max(w.end, held.last().x), held.last().y)
		n.layers = append(n.layers, held)
	}
	n.y = linear(most, true)
	n.y.steps = []float64{0, most}
	per := w.end / mostBins
	base := make([]float64, mostBins)
	for _, l := range occupancy(w.attempts, mostBins, w.end) {
		area := newArea("", lookAt(l.stage).solid())
		for k, count := range l.mean {
			low := base[l.from+k]
			base[l.from+k] += count
			area.step(float64(l.from+k)*per, float64(l.from+k+1)*per, low, low+count)
		}
		n.layers = append(n.layers, area)
	}
	return n
}

// attemptLayer draws the attempts of a run: a bar each, or, if they are too many, cells in the colour of the busiest
// stage.
type attemptLayer struct {
	told
	of *waterfall
}

// draw implements [layer].
func (a *attemptLayer) draw(v view) {
	if a.of.cells {
		a.cells(v)
	} else {
		a.bars(v)
	}
}

// bars draws one bar per attempt, the bars of a stage as one shape.
func (a *attemptLayer) bars(v view) {
	plain, pale := map[int][]rect{}, map[int][]rect{}
	var failed, marked []rect
	row := v.area.h / float64(max(1, a.of.slots))
	gap := min(1, row/6)
	for _, t := range a.of.attempts {
		from, to := v.at(t.start, 0).x, v.at(t.end, 0).x
		r := rect{from, v.area.y + float64(t.slot)*row + gap, max(to-from, 0.6), row - 2*gap}
		if r.w > 3 {
			r.w -= 0.5 // separates neighbours
		}
		switch {
		case t.failed:
			failed = append(failed, r)
		case t.open:
			pale[t.stage] = append(pale[t.stage], r)
		default:
			plain[t.stage] = append(plain[t.stage], r)
		}
		if t.speculative && !t.failed {
			marked = append(marked, r)
		}
	}
	for _, stage := range slices.Sorted(maps.Keys(plain)) {
		v.fill(lookAt(stage).ink(), plain[stage]...)
	}
	for _, stage := range slices.Sorted(maps.Keys(pale)) {
		v.fill(lookAt(stage).faded(0.4).ink(), pale[stage]...)
	}
	for _, r := range failed {
		v.hatched(r)
	}
	for _, r := range marked {
		v.speculative(r)
	}
}

// cells draws attempts merged into cells, and every failed attempt over them.
func (a *attemptLayer) cells(v view) {
	const per = 2.0 // width of a column
	w, row := a.of, v.area.h/float64((a.of.slots+a.of.merge-1)/a.of.merge)
	columns := max(1, int(math.Ceil(v.area.w/per)))
	var ran []attempt
	var failed []rect
	seen := map[rect]bool{}
	for _, t := range w.attempts {
		if !t.failed {
			ran = append(ran, t)
			continue
		}
		from, to := math.Round(v.at(t.start, 0).x), math.Round(v.at(t.end, 0).x)
		y := v.area.y + float64(t.slot)/float64(w.merge)*row
		if r := (rect{from, math.Floor(y), max(to-from, 1), max(1.2, row/float64(w.merge))}); !seen[r] {
			seen[r], failed = true, append(failed, r)
		}
	}
	type shade struct {
		colour int
		load   float64
	}
	rects := map[shade][]rect{}
	n := len(style.Series()) + 1
	for _, c := range rasterise(ran, w.slots, w.merge, columns, w.end*float64(columns)*per/v.area.w) {
		s := shade{c.stage % n, c.load}
		from, to := float64(c.from)*per, min(float64(c.to)*per, v.area.w)
		rects[s] = append(rects[s], rect{v.area.x + from, v.area.y + float64(c.row)*row, to - from, row - 0.4})
	}
	for colour := range n {
		for _, load := range loads() {
			v.fill(lookAt(colour).faded(0.1+0.9*load).ink(), rects[shade{colour, load}]...)
		}
	}
	v.fill(style.Alert().Light, failed...)
}
