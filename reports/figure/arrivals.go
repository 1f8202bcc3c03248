package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// Arrivals draws arrivals over time, their index of dispersion against a Poisson process at several windows,
// and, for a trace of a day or more, the hours of the day.
func Arrivals(w *result.Workload, source Source) *Figure {
	a, unix := &w.Arrivals, w.TimeBase == "unix"
	area := seriesArea("arrivals per "+words.Seconds(a.Counts.BinS), lookAt(0), a.Counts)
	area.values = []Value{{"arrivals", "n", float64(a.N)}, {"arrivals", "per hour", float64(a.PerHour)},
		{"arrivals", "CoV of gaps", float64(a.GapCoV)}, {"arrivals", "longest gap, s", a.Longest.Seconds}}
	if a.N > 0 {
		area.says = fmt.Sprintf("%s over %s", words.Of(a.N, "arrival", "arrivals"), words.Seconds(a.LastS-a.FirstS))
	}
	c := &chart{about: "Areas, intervals and bars", nothing: "no arrival has a known time", columns: 2,
		panels: []panel{{
			title: "over time", notes: []string{"n = " + words.Of(a.N, "arrival", "arrivals")}, x: timesOf(source.zone(unix), a.Counts),
			y: counts(), high: 120, wide: true, layers: []layer{area}}}}
	if len(a.Counts.Values) == 0 {
		c.panels[0].nothing = c.nothing
	}
	bursts, hours := burstPanel(a), hoursPanel(a)
	c.add(bursts)
	c.add(hours)
	return c.figure("arrivals", "How runs arrive", arrivalsCaption(a, bursts != nil, hours != nil, source.zone(unix)), source)
}

// burstPanel draws the index of dispersion at several windows; nil if none is known.
func burstPanel(a *result.Arrivals) *panel {
	low, high := 0.5, 2.0
	line := newLine("index of dispersion", lookAt(1))
	bars := newSpans("95% of Poisson processes", look{colour: style.Muted()})
	bars.width = 2 * barWidth
	worst := -1
	for i, x := range a.Index {
		if !finite(x.WindowS, x.Index, x.Low, x.High) || !(x.WindowS > 0) || x.Index < 0 || x.Low > x.High {
			continue
		}
		of := "window of " + words.Seconds(x.WindowS)
		low, high = min(low, max(x.Low, 0.01), max(x.Index, 0.01)), max(high, x.High, x.Index)
		line.add(x.WindowS, max(x.Index, 0.01))
		line.values = append(line.values, Value{of, "index of dispersion", x.Index}, Value{of, "Poisson low", x.Low},
			Value{of, "Poisson high", x.High}, Value{of, "peak / mean", x.PeakToMean})
		bars.spans = append(bars.spans, span{x.WindowS, x.Low, x.High})
		if worst < 0 || x.Index > a.Index[worst].Index {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	line.marked = true
	line.says = fmt.Sprintf("the index of dispersion is at most %s, in windows of %s",
		words.Number(a.Index[worst].Index), words.Seconds(a.Index[worst].WindowS))
	windows := lists.Map(line.points, func(q point) float64 { return q.x })
	return &panel{title: "burstiness", notes: []string{"variance / mean of counts"}, high: 150,
		x:      logarithmic(slices.Min(windows)/1.5, slices.Max(windows)*1.5, windows).in(words.Seconds).labelled("window"),
		y:      logarithmic(low/1.2, high*1.2, roundSteps(low, high)),
		layers: []layer{across("", dashedLook(style.Muted()), 1), line, bars}}
}

// hoursPanel draws the rate of arrivals by hour of the day, or of the week where that is known; nil for a trace of less
// than a day.
func hoursPanel(a *result.Arrivals) *panel {
	rates := lists.Map(a.HourOf, result.Cell.PerHour)
	most, weekly := largest(rates...), len(a.HourOf) == 168
	if !(a.LastS-a.FirstS >= daySeconds) || most == 0 || !weekly && len(a.HourOf) != 24 {
		return nil
	}
	cells := newBoxes("", lookAt(0))
	cells.gap = 1
	n := &panel{x: between(0, 24, 0, 6, 12, 18, 24), high: 150, layers: []layer{cells}}
	if !weekly {
		n.title, n.notes = "by hour of the trace's days", []string{"per hour; " + words.Number(most) + " at most"}
		n.x.label, n.y = "hour since the trace's zero, modulo 24", amounts()
	} else {
		n.title, n.notes = "by hour and day of the week, "+cmp.Or(a.HourZone, "UTC"), []string{"darkest: " + words.Number(most) + " per hour"}
		n.x.label, n.x.write = "hour", func(h float64) string { return fmt.Sprintf("%02.0f", h) }
		n.rows = lists.Map(strings.Fields("Mon Tue Wed Thu Fri Sat Sun"), func(day string) category {
			return category{name: day}
		})
		n.rowHeight, n.upright = 150.0/7, true
	}
	for i, rate := range rates {
		if a.HourOf[i].Hours > 0 {
			cells.values = append(cells.values, Value{fmt.Sprintf("hour %d", i), "arrivals per hour", rate})
		}
		switch h, y := float64(i%24), -float64(i/24); {
		case !finite(rate) || rate < 0:
		case weekly:
			cells.boxes = append(cells.boxes, box{h, y - 0.96, h + 1, y - 0.04})
			cells.shades = append(cells.shades, 0.06+0.94*math.Round(20*rate/most)/20)
		case rate > 0:
			cells.boxes = append(cells.boxes, box{h, 0, h + 1, rate})
		}
	}
	return n
}

// arrivalsCaption describes the panels. dates is the time zone of dates; nil where times are relative to the trace.
func arrivalsCaption(a *result.Arrivals, bursts, hours bool, dates *time.Location) string {
	text := words.Of(a.N, "arrival", "arrivals")
	text += words.When(a.ByStart > 0, ", %s of which are starts of runs without a recorded submission",
		words.Count(a.ByStart))
	text += "."
	text += words.When(bursts, " Burstiness: the index of dispersion, the variance of the number of arrivals in a "+
		"window divided by its mean, over all whole windows; it is 1 at any window for a Poisson process (dashed), "+
		"and within the bars for 95%% of them.")
	if hours {
		text += " Rates by hour are arrivals per hour that the trace covers"
		text += words.When(len(a.HourOf) == 168, "; cells without colour are not covered")
		text += "."
		if dates == nil {
			return text + " The trace's times are relative: the time of day of its zero is not known."
		}
		counted := cmp.Or(a.HourZone, "UTC")
		text += words.When(dates.String() != counted, " Hours are in %s, in which the analysis counted them, dates in %s: "+
			"`racecard analyze --timezone %s` counts hours anew.", counted, dates, dates)
	}
	return text
}
