package figure

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// maxReasonBars is how many reasons have a bar of their own.
const maxReasonBars = 12

// Failures draws why attempts did not succeed: per reason how many, and how many task-seconds they took.
func Failures(f *result.Failures, source Source) *Figure {
	d := &failuresDrawing{f: f}
	for i, r := range f.Reasons {
		name := style.Shorten(r.Reason, 80)
		switch {
		case r.Reason == "":
			name = "(" + style.Shorten(r.Status, 20) + ", no reason given)"
		case r.Status != "failed":
			name += " (" + style.Shorten(r.Status, 20) + ")"
		}
		if i >= maxReasonBars {
			name = fmt.Sprintf("(%s)", style.Of(int64(len(f.Reasons)-maxReasonBars), "other reason", "other reasons"))
		}
		if n := len(d.bars); n > maxReasonBars {
			d.bars[n-1].attempts += float64(r.Attempts)
			d.bars[n-1].seconds += r.TaskSeconds
		} else {
			d.bars = append(d.bars, reasonBar{name, float64(r.Attempts), r.TaskSeconds})
		}
	}
	for i := range d.bars {
		if !finite(d.bars[i].seconds) || d.bars[i].seconds < 0 {
			d.bars[i].seconds = 0
		}
		d.attempts, d.seconds = max(d.attempts, d.bars[i].attempts), max(d.seconds, d.bars[i].seconds)
	}
	fig := &Figure{Name: "failures", Title: "Why task attempts did not succeed", source: source}
	fig.Caption = d.caption() + " " + source.String()
	fig.Alt = d.alt()
	fig.Values = d.values()
	fig.plan = d.sheet
	return fig
}

type reasonBar struct {
	name              string
	attempts, seconds float64
}

type failuresDrawing struct {
	f                 *result.Failures
	bars              []reasonBar
	attempts, seconds float64 // most of a bar
}

func (d *failuresDrawing) sheet(width float64) sheet {
	k := key{{keyFailed, nil, "attempts"}, {keyBox, style.Muted().Light, "task-seconds that they took"}}
	const row, name = 40.0, 15.0
	top := k.height(newFaces(), width) + style.Gap
	return sheet{height: top + float64(max(len(d.bars), 1))*row, draw: func(p *pen) {
		k.draw(p, width)
		if len(d.bars) == 0 {
			p.text("every attempt succeeded", width/2, top+row/2, centred())
		}
		const room = 92.0 // right of the bars, for numbers
		full := width - room
		for i, b := range d.bars {
			y := top + float64(i)*row
			p.text(p.fit(b.name, width, text{}), 0, y+name-3, text{})
			long := max(1, full*b.attempts/max(d.attempts, 1))
			p.hatched(rect{0, y + name, long, 10})
			p.text(style.Count(int64(b.attempts)), long+6, y+name+9, smallText())
			if d.seconds > 0 {
				long = max(0.5, full*b.seconds/d.seconds)
				p.fill(style.Muted().Light, rect{0, y + name + 12, long, 5})
				p.text(style.Seconds(b.seconds), long+6, y+name+19, smallText())
			}
		}
	}}
}

func (d *failuresDrawing) caption() string {
	text := fmt.Sprintf("%s that ended; %s did not succeed, in %s. Upper bars: attempts, lower bars: the time that they took, each to a scale of its own.",
		style.Of(d.f.Ended, "task attempt", "task attempts"), style.Count(d.f.Bad), style.Of(int64(len(d.f.Reasons)), "reason", "reasons"))
	if d.f.ReasonNote != "" {
		text += " " + capital(style.Printable(d.f.ReasonNote)) + "."
	}
	return text + " Reasons are in the trace's own words, with long numbers, dates and the like as #."
}

func (d *failuresDrawing) alt() string {
	if len(d.bars) == 0 {
		return "Every attempt succeeded."
	}
	return fmt.Sprintf("%s of %s attempts did not succeed; the most frequent reason, %s, has %s.", style.Count(d.f.Bad), style.Count(d.f.Ended),
		d.bars[0].name, style.Count(int64(d.bars[0].attempts)))
}

func (d *failuresDrawing) values() []Value {
	out := []Value{{"attempts", "ended", float64(d.f.Ended)}, {"attempts", "unsuccessful", float64(d.f.Bad)}}
	for _, b := range d.bars {
		out = append(out, Value{b.name, "attempts", b.attempts}, Value{b.name, "task-seconds", b.seconds})
	}
	return out
}
