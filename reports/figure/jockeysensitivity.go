package figure

import (
	"fmt"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// settingRow is a value of a parameter.
type settingRow struct {
	value               string
	base                bool
	missed, low, high   float64
	above, lower, upper float64 // mean, and the quartiles of runs
}

// settingGroup is a parameter.
type settingGroup struct {
	parameter string
	rows      []settingRow
}

// JockeySensitivity draws what other values of the loop's parameters, one at a time, do to deadlines missed and to the allocation
// above the oracle.
func JockeySensitivity(j *result.Jockey, source Source) *Figure {
	d := &sensitivityDrawing{}
	for i := range j.Sensitive {
		d.add(&j.Sensitive[i])
	}
	f := &Figure{Name: "jockey-sensitivity", Title: "What each parameter of the loop does", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	for _, g := range d.groups {
		for _, r := range g.rows {
			f.Values = append(f.Values, Value{g.parameter + " " + r.value, "missed", r.missed}, Value{g.parameter + " " + r.value, "above oracle", r.above})
		}
	}
	f.plan = d.sheet
	return f
}

type sensitivityDrawing struct {
	base   *settingRow
	groups []settingGroup
	runs   int
	most   float64 // share missed on the axis
}

// add adds a setting whose numbers can be drawn.
func (d *sensitivityDrawing) add(s *result.JockeySetting) {
	p := jockeyPolicy{JockeyPolicy: &result.JockeyPolicy{JockeyScore: s.JockeyScore}}
	row := settingRow{value: style.Shorten(s.Value, 40), base: s.Base}
	row.missed, row.low, row.high = p.missed()
	of := s.AllocationAboveOracle
	row.above, row.lower, row.upper = of.Mean, of.P25, of.P75
	if s.Runs < 1 || of.N < 1 || !(row.missed >= 0 && row.missed <= 1) || !(row.above >= 0 && row.above <= 1) {
		return
	}
	if !(row.lower >= 0 && row.lower <= row.upper && row.upper <= 1) {
		row.lower, row.upper = row.above, row.above
	}
	d.runs = max(d.runs, s.Runs)
	if s.Parameter == "" {
		d.base = &row
		return
	}
	name := style.Shorten(s.Parameter, 40)
	if n := len(d.groups); n == 0 || d.groups[n-1].parameter != name {
		d.groups = append(d.groups, settingGroup{parameter: name})
	}
	g := &d.groups[len(d.groups)-1]
	g.rows = append(g.rows, row)
	d.most = max(d.most, row.missed)
}

func (d *sensitivityDrawing) sheet(width float64) sheet {
	k := key{
		{keyRunDot, style.SeriesAt(0).Light, "deadlines missed"}, {keyRunDot, style.SeriesAt(1).Light, "above the oracle, mean"},
		{keyBand, style.Muted().Alpha(barOpacity), "95% interval; quartiles of runs"}, {keyDashed, style.Muted().Light, "the defaults"},
	}
	const rowHeight, gap, head = 13.0, 7.0, 20.0
	left := 196.0
	if width < 500 {
		left = 158
	}
	top := k.height(newFaces(), width) + head
	body := 0.0
	for _, g := range d.groups {
		body += float64(len(g.rows))*rowHeight + gap
	}
	body = max(body, 40)
	return sheet{height: top + body + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		if len(d.groups) == 0 {
			p.text("no parameter was changed", width/2, top+20, centred())
			return
		}
		across := (width - left - 20) / 2
		missed := graph{rect{left, top, across, body}, linear(min(max(d.most, 0.02), farMissed), false), axis{0, 1, plot.LinearScale{}, nil, 0}}
		above := graph{rect{left + across + 20, top, across - 6, body}, axis{0, 1, plot.LinearScale{}, []float64{0, 0.25, 0.5, 0.75, 1}, 0}, missed.y}
		missed.frame(p, "deadlines missed", style.Percent, style.Percent)
		above.frame(p, "above the oracle", style.Percent, style.Percent)
		for _, g := range []graph{missed, above} {
			for _, x := range g.x.steps {
				p.stroke(line{colour: style.Faint().Light}, g.at(x, 0), g.at(x, 1))
			}
		}
		if d.base != nil {
			look := line{colour: style.Muted().Light, width: 1, dash: dashes()}
			p.stroke(look, missed.at(d.base.missed, 0), missed.at(d.base.missed, 1))
			p.stroke(look, above.at(d.base.above, 0), above.at(d.base.above, 1))
		}
		y := top + gap/2
		for i, g := range d.groups {
			if i > 0 {
				p.stroke(line{colour: style.Faint().Light}, point{0, y - gap/2}, point{width, y - gap/2})
			}
			for n, r := range g.rows {
				d.row(p, &g, n, &r, y+rowHeight/2, left, missed, above)
				y += rowHeight
			}
			y += gap
		}
	}}
}

// farMissed is the largest share of missed deadlines on the axis: others are written.
const farMissed = 0.1

// row draws a value of a parameter at a height.
func (d *sensitivityDrawing) row(p *pen, g *settingGroup, n int, r *settingRow, y, left float64, missed, above graph) {
	small := smallText()
	small.align = 1
	t := small
	if r.base {
		t.bold, t.colour = true, style.Ink().Light
	}
	w := p.width(r.value, t)
	p.text(p.fit(r.value, left-style.Gap, t), left-style.Gap, y+3.5, t)
	if n == 0 {
		name := text{size: style.SmallSize, bold: true}
		p.text(p.fit(g.parameter, left-w-3*style.Gap, name), 0, y+3.5, name)
	}
	bar := func(g graph, colour style.Colour, x, low, high float64) {
		p.stroke(line{colour: colour.Alpha(barOpacity), width: barWidth}, point{g.at(low, 0).x, y}, point{g.at(high, 0).x, y})
		if at := g.at(x, 0).x; x <= g.x.max {
			p.dot(colour.Light, at, y, 2.6)
			return
		}
		small := smallText()
		small.align, small.colour = 1, colour.Light
		p.text(style.Percent(x), g.rect.x+g.w, y+3.5, small)
	}
	bar(missed, style.SeriesAt(0), r.missed, r.low, r.high)
	bar(above, style.SeriesAt(1), r.above, r.lower, r.upper)
}

func (d *sensitivityDrawing) caption() string {
	text := fmt.Sprintf("The loop with one parameter changed at a time, on the same %s each; in bold the default.", style.Of(int64(d.runs), "controlled run", "controlled runs"))
	if d.most > farMissed {
		text += " Shares beyond the axis are written at its end."
	}
	return text + " The last group is the loop as published, and what Jockey (EuroSys 2012, section 5.5) changes of it."
}

func (d *sensitivityDrawing) alt() string {
	if len(d.groups) == 0 {
		return "No parameter was changed."
	}
	text := ""
	for _, g := range d.groups {
		low, high := g.rows[0], g.rows[0]
		for _, r := range g.rows {
			if r.above < low.above {
				low = r
			}
			if r.above > high.above {
				high = r
			}
		}
		text += fmt.Sprintf(" %s: from %s missed and %s above the oracle (%s) to %s and %s (%s).", g.parameter, style.Percent(low.missed), style.Percent(low.above),
			low.value, style.Percent(high.missed), style.Percent(high.above), high.value)
	}
	return "Dots with bars for values of parameters." + text
}
