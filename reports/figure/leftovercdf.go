package figure

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// sharePanel is the leftover of one resource: its distribution over events and over time.
type sharePanel struct {
	title       string
	event, time curve
	axis        axis
	below       string // second line of the heading
}

// LeftoverShares draws the distributions of the cluster's leftover, one small plot per resource: over events, and over time,
// with the median that was published beside it.
func LeftoverShares(l *result.Leftover, source Source) *Figure {
	var panels []sharePanel
	for _, name := range available(l) {
		panels = append(panels, sharePanelOf(name, l.Resources[name]))
	}
	f := &Figure{Name: "leftover-shares", Title: "Leftover, as a share of what was held", source: source}
	f.Caption = sharesCaption(l) + " " + source.String()
	f.Alt = sharesAlt(l)
	for i := range panels {
		f.Values = append(append(f.Values, panels[i].event.values()...), panels[i].time.values()...)
	}
	f.plan = func(width float64) sheet { return sharesSheet(width, panels) }
	return f
}

func sharePanelOf(name string, of *result.LeftoverResource) sharePanel {
	s := sharePanel{title: ResourceTitle(name), axis: chooseAxis(nil, nil, false)}
	s.event = quantileCurve(s.title+", events", of.EventCurve, of.EventWeighted, style.SeriesAt(0))
	s.time = quantileCurve(s.title+", time", of.TimeCurve, of.TimeWeighted, style.SeriesAt(1))
	s.below = "n = " + style.Of(int64(of.EventWeighted.N), "event", "events")
	if s.event.published = carbyneLeftover(name); s.event.published != nil {
		s.below += ", published " + style.Percent(s.event.published[0].x)
	}
	return s
}

// quantileCurve returns a distribution by its quantiles at equal distances from 0 to 1; without them, through the
// percentiles of the summary.
func quantileCurve(name string, quantiles []float64, of result.Summary, colour style.Colour) curve {
	c := newCurve(name, nil, of, colour)
	if len(quantiles) > 1 {
		c.xs, c.ys = nil, nil
		for i, x := range quantiles {
			if finite(x) && (len(c.xs) == 0 || x >= c.xs[len(c.xs)-1]) {
				c.xs, c.ys = append(c.xs, x), append(c.ys, float64(i)/float64(len(quantiles)-1))
			}
		}
	}
	c.marks = []string{"p50"}
	return c
}

func sharesSheet(width float64, panels []sharePanel) sheet {
	columns, across := 3, 150.0
	if n := len(panels); n == 4 || n > 6 {
		columns = 4
	}
	if width < 500 {
		columns, across = 2, 140
	}
	if n := max(1, len(panels)); n < columns {
		columns, across = n, 200
	}
	k := key{
		{keyLine, style.SeriesAt(0).Light, "over events, with median"},
		{keyLine, style.SeriesAt(1).Light, "over time, with median"},
		{keyRing, style.SeriesAt(0).Light, "published median over events (Carbyne)"},
	}
	return cellSheet(width, k, len(panels), columns, across, "no resource is known", func(p *pen, i int, r rect, labels bool) { panels[i].draw(p, r, labels) })
}

func (s *sharePanel) draw(p *pen, r rect, labels bool) {
	note := "nothing was held"
	if s.event.of.N > 0 {
		note = fmt.Sprintf("median %s, over time %s", style.Percent(s.event.of.P50), style.Percent(s.time.of.P50))
	}
	heading(p, r, s.title, note, s.below)
	distribution(p, rect{r.x, r.y + cellHead, r.w, r.h - cellHead}, s.axis, style.Percent, labels, &s.time, &s.event, discs{&s.time}, discs{&s.event})
}

func sharesCaption(l *result.Leftover) string {
	text := fmt.Sprintf("Cumulative distributions: share of %s, or of the time between them, at which leftover is at most x.",
		style.Of(l.Events, "event", "events"))
	text += " Leftover is the share of what all runs held that they could have given away without ending later, right after an " +
		"event: the arrival or end of a run, the start or end of a task attempt. Events at which nothing was held are left out"
	var counts []string
	for _, name := range available(l) {
		counts = append(counts, fmt.Sprintf("%s n = %s", ResourceTitle(name), style.Count(int64(l.Resources[name].EventWeighted.N))))
	}
	if len(counts) > 0 {
		text += " (left: " + style.List(counts) + ")"
	}
	text += "."
	if l.Estimated {
		text += fmt.Sprintf(" Estimated from means over %s of %s.", style.Of(l.Instants, "time bin", "time bins"), style.Seconds(float64(l.BinS)))
	}
	return text + " Open circles: medians over events at Microsoft (Carbyne, OSDI 2016, section 2.2)."
}

func sharesAlt(l *result.Leftover) string {
	var parts []string
	for _, name := range available(l) {
		if of := l.Resources[name]; of.EventWeighted.N > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", ResourceTitle(name), style.Percent(of.EventWeighted.P50)))
		}
	}
	if len(parts) == 0 {
		return "No resource is known."
	}
	return "Cumulative curves per resource. Leftover at the median event: " + style.List(parts) + "."
}
