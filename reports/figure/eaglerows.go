package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// EagleAblation draws schedulers in rows: percentiles of the completion times of short and of long jobs over those of the base.
func EagleAblation(x *result.EagleExperiment, source Source) *Figure {
	f := &Figure{Name: "eagle-" + Slug(x.Name), Title: eagleTitle(x), source: source}
	var rows []*result.EaglePoint
	lo, hi := 0.5, 2.0
	for i := range x.Points {
		p := &x.Points[i]
		if p.Scheduler == x.Base || p.Over == nil {
			continue
		}
		known := true
		for _, m := range result.EagleMeasures {
			v := float64(p.Over[m].Median)
			if known = known && finite(v) && v > 0; known {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if !known {
			continue
		}
		rows = append(rows, p)
		for _, m := range result.EagleMeasures {
			f.Values = append(f.Values, Value{style.Shorten(p.Scheduler, 40), m, float64(p.Over[m].Median)})
		}
	}
	f.Caption = fmt.Sprintf("Completion times over those of %s: left of 1, jobs end earlier. Medians of %s, bars, often hidden by the dots, from the least to the largest. %s %s",
		style.Shorten(x.Base, 40), runsOf(x), seedsNote, source)
	f.Alt = experimentAlt(x, true)
	f.plan = func(width float64) sheet { return ablationSheet(width, style.Shorten(x.Base, 40), rows, lo, hi) }
	return f
}

// schedulerParts says in a few words what a scheduler is.
func schedulerParts(name string) string {
	return map[string]string{
		"sparrow": "probes anywhere, no partition", "eagle": "all parts", "eagle-nosbp": "knows long tasks; no more", "eagle-fifo": "no shortest first",
		"eagle-nosss": "blind to long tasks", "ideal-eagle": "sees all long tasks", "lwl": "central, least wait", "dlwl": "least wait, heartbeats",
		"mercury": "least queued, sheds", "yaq-c": "central, bounded queues", "yaq-d": "least wait, no partition", "srpt": "one queue: a bound",
	}[name]
}

func ablationSheet(width float64, base string, rows []*result.EaglePoint, lo, hi float64) sheet {
	var k key
	for i, look := range percentileLooks {
		k = append(k, keyEntry{keyRunDot, style.SeriesAt(i).Light, look.about})
	}
	const rowHeight, head = 28.0, 26.0
	left := 104.0
	if width > 500 {
		left = 150
	}
	top := k.height(newFaces(), width) + head
	body := max(40, rowHeight*float64(len(rows)))
	return sheet{height: top + body + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		if len(rows) == 0 {
			p.text("nothing to compare", width/2, top+20, centred())
			return
		}
		across := (width - left - 24) / 2
		for c, class := range eagleClasses {
			x := logarithmic(lo*0.9, hi*1.1, roundSteps(lo*0.9, hi*1.1))
			g := graph{rect{left + float64(c)*(across+20), top, across, body}, x, axis{0, 1, plot.LinearScale{}, nil, 0}}
			p.text(class+" jobs", g.rect.x, top-10, text{bold: true})
			g.frame(p, "completion time over that of "+base, style.Number, style.Number)
			p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, g.at(1, 0), g.at(1, 1))
			for i, r := range rows {
				for n, look := range percentileLooks {
					y := top + (float64(i)+0.5)*rowHeight + float64(n-1)*6
					v := r.Over[class+"_"+look.what]
					from, to := g.at(float64(v.Low), 0).x, g.at(float64(v.High), 0).x
					p.stroke(line{colour: style.SeriesAt(n).Alpha(barOpacity), width: barWidth}, point{from, y}, point{to, y})
					p.dot(style.SeriesAt(n).Light, g.at(float64(v.Median), 0).x, y, 2.6)
				}
			}
		}
		small := text{size: style.SmallSize, align: 1}
		for i, r := range rows {
			y := top + (float64(i)+0.5)*rowHeight
			if what := schedulerParts(r.Scheduler); what != "" && width > 500 {
				p.text(what, left-10, y+9, text{size: style.SmallSize - 1, colour: style.Muted().Light, align: 1})
				y -= 7
			}
			p.text(p.fit(r.Scheduler, left-12, small), left-10, y+3.5, small)
			y = top + (float64(i)+0.5)*rowHeight
			if i > 0 {
				p.stroke(line{colour: style.Faint().Light}, point{0, y - rowHeight/2}, point{width, y - rowHeight/2})
			}
		}
	}}
}

// EagleWaits draws what tasks of short jobs wait for in queues under every scheduler: while a long task runs at their worker, and
// otherwise.
func EagleWaits(e *result.Eagle, source Source) *Figure {
	f := &Figure{Name: "eagle-waits", Title: "What tasks of short jobs wait for", source: source}
	type bar struct {
		name         string
		behind, rest float64
	}
	var bars []bar
	most := 0.0
	for _, name := range e.Names() {
		w := e.Schedulers[name].ShortWait
		if w == nil || !finite(w.MeanS) || !(w.MeanBehindLongS >= 0) || w.MeanBehindLongS > w.MeanS*1.0001+1e-9 {
			continue
		}
		bars = append(bars, bar{style.Shorten(name, 40), w.MeanBehindLongS, max(0, w.MeanS-w.MeanBehindLongS)})
		most = max(most, w.MeanS)
		f.Values = append(f.Values, Value{style.Shorten(name, 40), "behind long tasks", w.MeanBehindLongS}, Value{style.Shorten(name, 40), "in all", w.MeanS})
	}
	when := "the worker ran a task of a long job"
	if e.Options.Slots > 1 || e.Options.SlotsMost > 1 {
		when = "every slot of the worker was taken by a task of a long job, " + EagleCluster(&e.Options)
	}
	f.Caption = "Mean time in the queue of a worker per task of a short job. Dark: while " + when + ". Probes of a task that ran elsewhere do not count. " + source.String()
	f.Alt = "Bars."
	for _, b := range bars {
		f.Alt += fmt.Sprintf(" %s: %s, of that %s behind long tasks.", b.name, style.Seconds(b.behind+b.rest), style.Seconds(b.behind))
	}
	f.plan = func(width float64) sheet {
		k := key{{keyBox, style.SeriesAt(1).Light, "behind a long task"}, {keyBox, style.SeriesAt(1).Alpha(0.35), "behind short ones"}}
		const rowHeight, left = 24.0, 104.0
		top := k.height(newFaces(), width) + style.Gap
		body := max(40, rowHeight*float64(len(bars)))
		return sheet{height: top + body + scaleBelow, draw: func(p *pen) {
			k.draw(p, width)
			if len(bars) == 0 {
				p.text("no waits were kept: --out keeps them", width/2, top+20, centred())
				return
			}
			g := graph{rect{left, top, width - left - 70, body}, duration(max(most, 1e-3)), axis{0, 1, plot.LinearScale{}, nil, 0}}
			g.frame(p, "mean time in a queue", style.Seconds, style.Number)
			small := text{size: style.SmallSize, align: 1}
			for i, b := range bars {
				y := top + (float64(i)+0.5)*rowHeight
				mid, end := g.at(b.behind, 0).x, g.at(b.behind+b.rest, 0).x
				p.fill(style.SeriesAt(1).Light, rect{left, y - 7, mid - left, 14})
				p.fill(style.SeriesAt(1).Alpha(0.35), rect{mid, y - 7, math.Max(end-mid, 0), 14})
				p.text(b.name, left-10, y+3.5, small)
				p.text(style.Seconds(b.behind+b.rest), end+6, y+3.5, smallText())
			}
		}}
	}
	return f
}
