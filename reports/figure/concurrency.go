package figure

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Concurrency draws how many attempts and runs are under way at once over time, and what was used of the tokens and the
// machines, where the trace says how much there was.
func Concurrency(w *result.Workload, source Source) *Figure {
	d := &concurrencyDrawing{unix: w.TimeBase == "unix"}
	for _, c := range []struct {
		of   *result.Concurrent
		name string
		what [2]string
	}{{w.Concurrency.Tasks, "task attempts at once", [2]string{"attempt", "attempts"}}, {w.Concurrency.Runs, "runs at once", [2]string{"run", "runs"}}} {
		if c.of != nil && len(c.of.Series.Values) > 0 {
			d.loads = append(d.loads, namedLoad{c.of, c.name, c.what})
		}
	}
	for i := range w.Concurrency.Utilization {
		if u := &w.Concurrency.Utilization[i]; len(u.Used.Values) > 0 && len(u.There.Values) > 0 {
			d.uses = append(d.uses, u)
		}
	}
	f := &Figure{Name: "concurrency", Title: "What runs at once", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

type concurrencyDrawing struct {
	loads []namedLoad
	uses  []*result.Utilization
	unix  bool
}

type namedLoad struct {
	*result.Concurrent
	name string
	what [2]string // one, many
}

func (d *concurrencyDrawing) sheet(width float64) sheet {
	k := key{{keyBox, style.SeriesAt(0).Light, "mean over each bin of " + d.bin()}}
	if len(d.uses) > 0 {
		k = append(k, keyEntry{keyHeavy, style.Ink().Light, "available"})
	}
	const head, high = 22.0, 92.0
	top := k.height(newFaces(), width) + style.Gap/2
	panels := len(d.loads) + len(d.uses)
	height := top + float64(max(panels, 1))*(head+high+20) + scaleBelow - 20
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		if panels == 0 {
			p.text("nothing has a known start and end", width/2, top+head+high/2, centred())
			return
		}
		from, to := d.span()
		x, write, label := clockAxis(from, to, d.unix)
		for i := range panels {
			r := rect{scaleLeft, top + float64(i)*(head+high+20) + head, width - scaleLeft, high}
			last := i == panels-1
			say := write
			if !last {
				say = func(float64) string { return "" }
			}
			if i < len(d.loads) {
				d.drawLoad(p, r, x, &d.loads[i], say, ended(last, label))
			} else {
				d.drawUse(p, r, x, d.uses[i-len(d.loads)], say, ended(last, label))
			}
		}
	}}
}

func ended(last bool, label string) string {
	if last {
		return label
	}
	return ""
}

// bin returns how long the bins are that are drawn.
func (d *concurrencyDrawing) bin() string {
	longest := 0.0
	for _, l := range d.loads {
		if finite(l.Series.BinS) {
			longest = max(longest, l.Series.BinS)
		}
	}
	for _, u := range d.uses {
		if finite(u.Used.BinS) {
			longest = max(longest, u.Used.BinS)
		}
	}
	return style.Seconds(longest)
}

// span returns the time that the panels cover.
func (d *concurrencyDrawing) span() (from, to float64) {
	first := true
	cover := func(s result.Series) {
		a, b := covered(s)
		if first {
			from, to, first = a, b, false
		}
		from, to = min(from, a), max(to, b)
	}
	for _, l := range d.loads {
		cover(l.Series)
	}
	for _, u := range d.uses {
		cover(u.Used)
		cover(u.There)
	}
	return from, to
}

func (d *concurrencyDrawing) drawLoad(p *pen, r rect, x axis, l *namedLoad, write func(float64) string, label string) {
	note := fmt.Sprintf("mean %s, 95%% ≤ %s, most %s", style.Number(l.Mean), style.Number(l.Weighted.P95), style.Number(l.Peak))
	if l.PeakError != "" {
		note += " (of means)"
	}
	headline(p, r, l.name, note)
	series := visible(l.Series, r.w)
	g := graph{r, x, upTo(largest(series.Values))}
	g.frame(p, label, write, style.Number)
	g.area(p, style.SeriesAt(0), series)
}

// upTo returns an axis for numbers of things, in whole ones where there are any.
func upTo(most float64) axis { return linear(most, most >= 1) }

// drawUse draws what was in use and what was available, unless that is so much more that nothing could be seen beside it.
func (d *concurrencyDrawing) drawUse(p *pen, r rect, x axis, u *result.Utilization, write func(float64) string, label string) {
	usedBins, thereBins := visible(u.Used, r.w), visible(u.There, r.w)
	used, there := largest(usedBins.Values), largest(thereBins.Values)
	note := style.Percent(u.Share) + " of what was available"
	beyond := there > 20*used
	if beyond {
		note += ", which is up to " + style.Number(there) + ", beyond the axis"
	} else {
		used = max(used, there)
	}
	headline(p, r, resourceName(u.Resource)+" in use", note)
	g := graph{r, x, upTo(used)}
	g.frame(p, label, write, style.Number)
	g.area(p, style.SeriesAt(2), usedBins)
	if !beyond {
		p.stroke(line{width: style.LineWidth}, g.outline(thereBins, false)...)
	}
}

// resourceName writes a resource as people do.
func resourceName(resource string) string {
	switch resource {
	case "cpu":
		return "cores"
	case "gpu":
		return "GPUs"
	}
	return style.Shorten(resource, 20)
}

func (d *concurrencyDrawing) caption() string {
	text := "Number under way at once over time, as means over bins"
	var parts []string
	without := int64(0)
	for _, l := range d.loads {
		parts = append(parts, style.Of(l.N, l.what[0], l.what[1])+" with a known start and end")
		without += l.Without
	}
	if len(parts) > 0 {
		text += ": " + style.List(parts)
	}
	text += "."
	if without > 0 {
		text += " Left out without one of both: " + style.Count(without) + "."
	}
	text += " Runs count from submission, or start where none is recorded, to end."
	for _, u := range d.uses {
		text += fmt.Sprintf(" %s: %s.", capital(resourceName(u.Resource)), style.Printable(u.What))
	}
	return text
}

func (d *concurrencyDrawing) alt() string {
	if len(d.loads)+len(d.uses) == 0 {
		return "Nothing has a known start and end."
	}
	text := ""
	for _, l := range d.loads {
		text += fmt.Sprintf("%s: mean %s, most %s. ", capital(l.name), style.Number(l.Mean), style.Number(l.Peak))
	}
	for _, u := range d.uses {
		text += fmt.Sprintf("%s of the %s were in use. ", style.Percent(u.Share), resourceName(u.Resource))
	}
	return text[:len(text)-1]
}

func (d *concurrencyDrawing) values() []Value {
	var out []Value
	add := func(of, what string, x float64) {
		if finite(x) {
			out = append(out, Value{of, what, x})
		}
	}
	for _, l := range d.loads {
		add(l.name, "n", float64(l.N))
		add(l.name, "mean", l.Mean)
		add(l.name, "p95", l.Weighted.P95)
		add(l.name, "peak", l.Peak)
		add(l.name, "share idle", l.Idle)
	}
	for _, u := range d.uses {
		add(resourceName(u.Resource), "share used", u.Share)
	}
	return out
}
