package figure

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Cutoff draws how jobs divide into short and long: as the cutoff on the mean task duration falls, more jobs are long and
// hold more of the task-seconds. The suggested cutoff is marked, and what Hawk published for its traces.
func Cutoff(c *result.Cutoff, source Source) *Figure {
	d := &cutoffDrawing{c: c}
	for _, r := range c.Curve {
		if finite(r.ShareOfJobs) && r.ShareOfJobs > 0 && r.ShareOfJobs <= 1 && finite(r.ShareOfTime) && r.ShareOfTime >= 0 && r.ShareOfTime <= 1 {
			d.xs, d.ys = append(d.xs, r.ShareOfJobs), append(d.ys, r.ShareOfTime)
		}
	}
	f := &Figure{Name: "cutoff", Title: "Short and long jobs", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

type cutoffDrawing struct {
	c      *result.Cutoff
	xs, ys []float64
}

// suggested returns the suggested cutoff, if it can be drawn.
func (d *cutoffDrawing) suggested() *result.CutoffRow {
	if s := d.c.Suggested; s != nil && finite(s.ShareOfJobs) && s.ShareOfJobs > 0 && s.ShareOfJobs <= 1 && finite(s.ShareOfTime) && finite(s.CutoffS) {
		return s
	}
	return nil
}

func (d *cutoffDrawing) sheet(width float64) sheet {
	k := key{
		{keyPlain, style.SeriesAt(0).Light, fmt.Sprintf("this trace (%s)", style.Of(d.c.Jobs, "job", "jobs"))},
		{keyRing, style.Muted().Light, "published for Hawk"},
		{keyDashed, style.Muted().Light, "equal shares"},
	}
	note := k.height(newFaces(), width)
	top := note + 34
	if d.suggested() != nil {
		top += 20
		if width < 500 {
			top += 15
		}
	}
	high := 270.0
	if width < 500 {
		high = 230
	}
	return sheet{height: top + high + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		p.text("share of the task-seconds that long jobs hold", 0, top-18, smallText()) // above the names of traces whose long jobs hold all
		low := 0.01
		if len(d.xs) > 0 {
			low = min(low, max(d.xs[0], 1e-6))
		}
		shares := []float64{1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}
		g := graph{rect{scaleLeft, top, width - scaleLeft - style.Gap, high}, logarithmic(low, 1, shares), linear(1/1.02, false)}
		g.y.steps = []float64{0, 0.25, 0.5, 0.75, 1}
		g.frame(p, "share of jobs that are long", oneInShort, style.Percent)
		var even []point
		for i := range 41 {
			x := low + (1-low)*float64(i*i)/1600
			even = append(even, g.at(x, x))
		}
		p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, even...)
		g.curve(p, line{colour: style.SeriesAt(0).Light, width: style.HeavyWidth}, d.xs, d.ys)
		d.drawPublished(p, g)
		if s := d.suggested(); s != nil {
			d.mark(p, g, s, note)
		}
		if len(d.xs) == 0 {
			p.text("no cutoff divides the jobs", g.rect.x+g.w/2, g.rect.y+high/2, centred())
		}
	}}
}

// oneInShort writes a share on an axis.
func oneInShort(share float64) string {
	if share < 0.0099 {
		return oneIn(share)
	}
	return style.Percent(share)
}

func (d *cutoffDrawing) drawPublished(p *pen, g graph) {
	small := smallText()
	for _, h := range hawkLong() {
		at := g.at(h.jobs, h.time)
		p.ring(line{colour: style.Muted().Light, width: 1.1}, at.x, at.y, style.DotRadius)
		t, x, y := small, at.x+7, at.y+h.below
		if h.left {
			t.align, x = 1, at.x-7
		}
		if h.left && x-p.width(h.trace, t) < g.rect.x { // else over the labels of the axis
			t.align, x = 0, at.x+7
		}
		p.text(h.trace, x, y, t)
	}
}

// mark draws the suggested cutoff, and says below the key, from y downwards, what it is.
func (d *cutoffDrawing) mark(p *pen, g graph, s *result.CutoffRow, y float64) {
	at := g.at(s.ShareOfJobs, s.ShareOfTime)
	p.stroke(line{colour: style.SeriesAt(0).Light, width: 1, dash: dashes()}, at, point{at.x, g.rect.y + g.h})
	p.dot(style.SeriesAt(0).Light, at.x, at.y, style.DotRadius+1)
	head := "suggested: mean task > " + style.Seconds(s.CutoffS)
	rest := style.Percent(s.ShareOfJobs) + " of the jobs, " + style.Percent(s.ShareOfTime) + " of the task-seconds"
	blue := text{bold: true, colour: style.SeriesAt(0).Light}
	p.text(head, 0, y+14, blue)
	if wide := p.width(head+"  ", blue); wide+p.width(rest, text{}) <= p.w {
		p.text(rest, wide, y+14, text{})
	} else {
		p.text(rest, 0, y+29, text{})
	}
	say := style.Seconds(s.CutoffS)
	x := at.x + 5
	if x+p.width(say, blue) > p.w {
		x, blue.align = at.x-5, 1
	}
	p.text(say, x, g.rect.y+g.h-8, blue)
}

func (d *cutoffDrawing) caption() string {
	text := fmt.Sprintf("%s with known task durations, divided by a cutoff on their mean task duration: a job is long when its mean exceeds the cutoff. "+
		"The curve is drawn from high cutoffs, at the left, to low ones.", style.Of(d.c.Jobs, "job", "jobs"))
	if s := d.suggested(); s != nil {
		text += " Suggested (disc): " + style.Printable(d.c.Reason) + "."
	}
	return text + " Circles: shares published for the traces of Hawk (ATC 2015)."
}

func (d *cutoffDrawing) alt() string {
	s := d.suggested()
	if s == nil {
		return "No cutoff divides the jobs into short and long ones."
	}
	return fmt.Sprintf("A rising curve. With a cutoff of %s, %s of the jobs are long and hold %s of the task-seconds.", style.Seconds(s.CutoffS),
		style.Percent(s.ShareOfJobs), style.Percent(s.ShareOfTime))
}

func (d *cutoffDrawing) values() []Value {
	out := []Value{{"jobs", "n", float64(d.c.Jobs)}}
	if s := d.suggested(); s != nil {
		out = append(out, Value{"suggested", "cutoff, s", s.CutoffS}, Value{"suggested", "share of jobs", s.ShareOfJobs},
			Value{"suggested", "share of task-seconds", s.ShareOfTime})
	}
	for _, h := range hawkLong() {
		out = append(out, Value{h.trace + ", published", "share of jobs", h.jobs}, Value{h.trace + ", published", "share of task-seconds", h.time})
	}
	return out
}
