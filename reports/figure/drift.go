package figure

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// driftPanel is one job over time.
type driftPanel struct {
	name, note string
	points     []point // time since the first run, completion time, in the units of the axes
	levels     []point // steps: where a level begins, and the level; with a trend, its two ends
	trend      bool
	dropped    int
	x, y       axis
	unit       string // of x
}

// Drift draws the completion times of some recurring jobs over time, those that drift first, with the levels between which they
// change.
func Drift(r *result.Recurrence, source Source) *Figure {
	panels := driftPanels(r)
	f := &Figure{Name: "drift", Title: "Completion time over time", source: source}
	drifting := 0
	for i := range r.Shown {
		if r.Shown[i].Drifting {
			drifting++
		}
	}
	f.Caption = fmt.Sprintf("%s of %s, %s. Each dot is a run, at the time it was submitted or, where that is not known, started; lines are "+
		"the medians between changes of level, or the trend where it leaves less. %s", style.Count(int64(len(panels))),
		style.Of(int64(len(r.Jobs)), "recurring job", "recurring jobs"), "those that drift first, then those of the greatest impact (variance × cost)",
		driftWords(r.Drifting))
	for _, p := range panels {
		if p.dropped > 0 {
			f.Caption += fmt.Sprintf(" %s: %s without a finite value left out.", style.Shorten(p.name, 40), style.Of(int64(p.dropped), "run", "runs"))
		}
	}
	f.Caption += " " + source.String()
	f.Alt = driftAlt(panels, drifting)
	for _, p := range panels {
		f.Values = append(f.Values, Value{p.name, "dots", float64(len(p.points))}, Value{p.name, "points of the line", float64(len(p.levels))})
		for i, l := range p.levels {
			f.Values = append(f.Values, Value{p.name, fmt.Sprintf("point %d", i+1), l.y})
		}
	}
	f.plan = func(width float64) sheet { return driftSheet(width, panels) }
	return f
}

// driftWords says how many jobs drift.
func driftWords(n int) string {
	if n == 0 {
		return "No job drifts."
	}
	return fmt.Sprintf("%s: the level changes, or there is a trend.", style.Of(int64(n), "job drifts", "jobs drift"))
}

func driftAlt(panels []driftPanel, drifting int) string {
	if len(panels) == 0 {
		return "No recurring job has runs at known times."
	}
	return fmt.Sprintf("Scatters of completion time over time for %s, of which %s.", style.Of(int64(len(panels)), "recurring job", "recurring jobs"),
		style.Of(int64(drifting), "drifts", "drift"))
}

func driftPanels(r *result.Recurrence) []driftPanel {
	rows := map[string]*result.RecurringJob{}
	for i := range r.Jobs {
		rows[r.Jobs[i].Name] = &r.Jobs[i]
	}
	var panels []driftPanel
	for i := range r.Shown {
		s := &r.Shown[i]
		if len(panels) == result.MostShown {
			break
		}
		if p, ok := newDriftPanel(s, rows[s.Name]); ok {
			panels = append(panels, p)
		}
	}
	return panels
}

func newDriftPanel(s *result.ShownJob, row *result.RecurringJob) (driftPanel, bool) {
	p := driftPanel{name: style.Shorten(s.Name, 60)}
	first, last, most := math.Inf(1), math.Inf(-1), 0.0
	for _, at := range s.Points {
		if !finite(at.AtS) || !finite(at.Seconds) || at.Seconds < 0 {
			p.dropped++
			continue
		}
		first, last, most = min(first, at.AtS), max(last, at.AtS), max(most, at.Seconds)
		p.points = append(p.points, point{at.AtS, at.Seconds})
	}
	if len(p.points) == 0 || len(s.Points) > 10*result.MostPoints {
		return p, false
	}
	per, unit := unitOf(last - first)
	length, seconds := unitOf(most)
	p.unit, p.note = unit+" since the first run", "in "+seconds
	for i := range p.points {
		p.points[i] = point{(p.points[i].x - first) / per, p.points[i].y / length}
	}
	most /= length
	if row != nil {
		p.levelsOf(row, first, (last-first)/per, per, length)
		p.note += fmt.Sprintf("; n = %s, CoV %s", style.Count(int64(row.Runs)), style.Percent(row.CoV))
		if within := float64(row.Drift.CoVWithin); row.Drift.Drifting && finite(within) {
			p.note += fmt.Sprintf(", without drift %s", style.Percent(within))
		}
	}
	for _, l := range p.levels {
		most = max(most, l.y)
	}
	p.x = chooseAxis([][]float64{{0, (last - first) / per}}, nil, false)
	p.y = chooseAxis([][]float64{{0, most}}, nil, false)
	return p, true
}

// unitOf returns the unit in which a time up to some seconds is written, and its name.
func unitOf(seconds float64) (length float64, name string) {
	switch {
	case seconds < 300:
		return 1, "seconds"
	case seconds < 2*3600:
		return 60, "minutes"
	case seconds < 4*86400:
		return 3600, "hours"
	}
	return 86400, "days"
}

// levelsOf reads the levels of a job, one, its median, for a job without changes, or its trend. last is where its runs end.
func (n *driftPanel) levelsOf(row *result.RecurringJob, first, last, per, length float64) {
	if from, to := float64(row.Drift.TrendFromS), float64(row.Drift.TrendToS); from > 0 && to > 0 && finite(from) && finite(to) {
		n.trend, n.levels = true, []point{{0, from / length}, {last, to / length}}
		return
	}
	changes := row.Drift.Changes
	level := row.P50S
	if len(changes) > 0 {
		level = float64(changes[0].Before)
	}
	add := func(x, y float64) {
		if finite(x) && finite(y) && y >= 0 && x >= 0 {
			n.levels = append(n.levels, point{x, y / length})
		}
	}
	add(0, level)
	for i := range changes {
		if i < 50 {
			add((changes[i].AtS-first)/per, float64(changes[i].After))
		}
	}
}

func driftSheet(width float64, panels []driftPanel) sheet {
	columns, across, gap := 3, 128.0, 26.0
	if width < 500 {
		columns = 1
	} else if n := len(panels); n < 3 || n == 4 {
		columns, across = min(2, max(1, n)), 150
	}
	const left, head, foot = 34.0, 34.0, 44.0
	k := key{{keyRunDot, style.SeriesAt(0).Alpha(0.75), "run"}, {keyHeavy, style.SeriesAt(1).Light, "median between changes of level, or trend"}}
	top := k.height(newFaces(), width) + 2*style.Gap
	cell := (width - float64(columns-1)*gap) / float64(columns)
	rows := max(1, (len(panels)+columns-1)/columns)
	return sheet{height: top + float64(rows)*(head+across+foot), draw: func(p *pen) {
		k.draw(p, width)
		if len(panels) == 0 {
			p.text("no recurring job has runs at known times", width/2, top+40, centred())
		}
		for i := range panels {
			x := float64(i%columns) * (cell + gap)
			y := top + float64(i/columns)*(head+across+foot)
			panels[i].draw(p, rect{x, y, cell, head + across}, left, head)
		}
	}}
}

// draw draws one job: its name and variation, the axes, the runs and the levels.
func (n *driftPanel) draw(p *pen, r rect, left, head float64) {
	small := smallText()
	p.text(p.fit(n.name, r.w, text{bold: true}), r.x, r.y+11, text{bold: true})
	p.text(p.fit(n.note, r.w, small), r.x, r.y+25, small)
	area := rect{r.x + left, r.y + head, r.w - left - 4, r.h - head}
	bottom := area.y + area.h
	place := func(q point) point {
		return point{area.x + n.x.scale.Normalize(n.x.min, n.x.max, q.x)*area.w, bottom - n.y.scale.Normalize(n.y.min, n.y.max, q.y)*area.h}
	}
	small.align = 1
	for _, t := range (ticker{n.y, area.h, style.Number, func(string) float64 { return style.SmallSize }}).Ticks(n.y.min, n.y.max) {
		y := place(point{n.x.min, t.Value}).y
		p.stroke(line{colour: style.Faint().Light}, point{area.x, y}, point{area.x + area.w, y})
		p.text(t.Label, area.x-5, y+3.5, small)
	}
	small.align = 0.5
	width := func(s string) float64 { return p.width(s, small) }
	for _, t := range (ticker{n.x, area.w, style.Number, width}).Ticks(n.x.min, n.x.max) {
		x := place(point{t.Value, n.y.min}).x
		p.stroke(line{colour: style.Muted().Light}, point{x, bottom}, point{x, bottom + 4})
		p.text(t.Label, x, bottom+14, small)
	}
	p.stroke(line{colour: style.Muted().Light}, point{area.x, bottom}, point{area.x + area.w, bottom})
	p.text(n.unit, area.x+area.w/2, bottom+27, small)
	n.steps(p, place, area.x+area.w)
	size := 2.4 // smaller where there are many
	if len(n.points) <= 100 {
		size = 4
	}
	dots := make([]rect, 0, len(n.points))
	for _, q := range n.points {
		at := place(q)
		dots = append(dots, rect{at.x - size/2, at.y - size/2, size, size})
	}
	p.fill(style.SeriesAt(0).Alpha(0.75), dots...)
}

// steps draws the levels as a line of steps, or the trend.
func (n *driftPanel) steps(p *pen, place func(point) point, end float64) {
	var steps []point
	if n.trend {
		p.stroke(line{colour: style.SeriesAt(1).Light, width: style.HeavyWidth}, place(n.levels[0]), place(n.levels[1]))
		return
	}
	for i, l := range n.levels {
		at := place(l)
		if i > 0 {
			steps = append(steps, point{at.x, steps[len(steps)-1].y})
		}
		steps = append(steps, at)
	}
	if len(steps) > 0 {
		p.stroke(line{colour: style.SeriesAt(1).Light, width: style.HeavyWidth}, append(steps, point{end, steps[len(steps)-1].y})...)
	}
}
