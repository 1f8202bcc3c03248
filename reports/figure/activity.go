package figure

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// course is one quantity over time, in bins.
type course struct {
	name, what string // what is its label
	bars       bool   // counts, drawn as bars; otherwise means
	of         func(b *result.HealthBin) float64
}

// Activity draws the activity of a trace over time: arrivals, runs in progress and running attempts. It marks
// silences too long to be chance, and runs that the boundaries of the trace cut off.
func Activity(h *result.Health, source Source) *Figure {
	c := &h.Coverage
	ch := &chart{about: "Bars and areas over time", nothing: "no instant is known"}
	width, from, to := float64(c.WidthS), float64(c.FromS), float64(c.ToS)
	known := finite(width, from, to) && width > 0 && to >= from && len(c.Bins) > 0 && finite(c.Bins[0].AtS)
	var values []Value
	shaded := 0
	if known {
		end := max(to-from, width)
		since := "the first instant"
		if zone := source.zone(c.Base == "unix"); zone != nil && words.Instant(from) != words.None {
			since = words.InstantIn(from, zone)
		}
		x := spanAxis(0, end, 5, "since "+since)
		for i, q := range []course{
			{"runs arriving", "in %s", true, func(b *result.HealthBin) float64 { return float64(b.Arrivals) }},
			{"runs in progress", "on average over %s", false, func(b *result.HealthBin) float64 { return b.Runs }},
			{"task attempts running", "on average over %s", false,
				func(b *result.HealthBin) float64 { return b.Attempts }},
		} {
			ch.add(coursePanel(h, q, lookAt(i), width))
		}
		if len(ch.panels) > 0 {
			values = []Value{{"trace", "span_s", end}, {"trace", "bin_s", width}}
			gaps := gapLayer(h)
			for _, b := range gaps.boxes {
				values = append(values, Value{"gap", "from_s", b.x0}, Value{"gap", "seconds", b.x1 - b.x0})
			}
			shaded = len(gaps.boxes)
			cuts, words, told := boundaries(h, from)
			values = append(values, told...)
			ch.panels[0].notes = append(ch.panels[0].notes, words...)
			stacked(ch.panels, x, append(cuts, gaps)...)
		}
	}
	return ch.figure("activity", "Activity over time", activityCaption(c, width, shaded, len(ch.panels) > 0), source,
		values...)
}

// coursePanel draws a quantity; nil where it is 0 throughout.
func coursePanel(h *result.Health, q course, l look, width float64) *panel {
	s := result.Series{FromS: h.Coverage.Bins[0].AtS - float64(h.Coverage.FromS), BinS: width}
	for _, b := range h.Coverage.Bins {
		s.Values = append(s.Values, q.of(&b))
	}
	most := largest(s.Values...)
	if most == 0 {
		return nil
	}
	what := fmt.Sprintf(q.what, words.Seconds(width))
	said := told{look: l.solid(), values: []Value{{q.name, "most", most}},
		says: fmt.Sprintf("at most %s %s", words.Number(most), what)}
	n := &panel{title: q.name, notes: []string{what}, y: linear(most, most >= 1), high: 70}
	if whole := math.Floor(most); whole > 0 {
		n.y.steps = []float64{0, whole}
	}
	if !q.bars {
		area := seriesArea("", l, s)
		area.told, n.layers = said, []layer{area}
		return n
	}
	bars := &boxLayer{told: said}
	for k, x := range s.Values {
		if at := s.FromS + float64(k)*width; finite(x) && x > 0 {
			bars.boxes = append(bars.boxes, box{at, 0, at + width, x}) // few among many are seen
		}
	}
	n.layers = []layer{bars}
	return n
}

// gapLayer shades the long stretches without activity.
func gapLayer(h *result.Health) *boxLayer {
	from := float64(h.Coverage.FromS)
	timed := finite(h.Coverage.IdleShare) // times of runs are known
	out := newBoxes("nothing arrives"+words.When(timed, " or runs")+", for longer than by chance",
		look{colour: style.Faint()})
	for _, g := range h.Coverage.Gaps {
		if g.Long && finite(g.FromS, g.ToS) && g.ToS > g.FromS {
			out.boxes = append(out.boxes, box{g.FromS - from, math.Inf(-1), g.ToS - from, math.Inf(1)})
		}
	}
	return out
}

// boundaries marks the first and the last instant if many runs begin or end there, with their number.
func boundaries(h *result.Health, from float64) (cuts []layer, said []string, values []Value) {
	type boundary struct {
		one, many, which string
		at               result.Number
	}
	known := map[string]boundary{
		"begins-at-first-instant": {"run begins", "runs begin", "first", h.Coverage.Begins.AtS},
		"ends-at-last-instant":    {"run ends", "runs end", "last", h.Coverage.Ends.AtS}}
	for _, check := range h.Checks {
		b, ok := known[check.ID]
		if at := float64(b.at) - from; ok && check.Count != 0 && finite(at) {
			cuts = append(cuts, upright("", dashedLook(style.Ink()), at))
			said = append(said, words.Of(check.Count, b.one, b.many)+" at the "+b.which+" instant (dashed)")
			values = append(values, Value{"boundary", b.many, at})
		}
	}
	return cuts, said, values
}

func activityCaption(c *result.HealthCoverage, width float64, shaded int, some bool) string {
	if !some {
		return "The trace holds no instant."
	}
	text := fmt.Sprintf("Each bin spans %s. A run is in progress from the first instant that is known of it to the "+
		"last; an attempt runs from its start to its end, where both are known.", words.Seconds(width))
	if n := c.LongGaps; n > 0 {
		text += fmt.Sprintf(" %s too long to be chance",
			words.Of(n, "stretch without activity is", "stretches without activity are"))
		text += words.When(int64(shaded) < n, "; the %s longest are shaded", words.Count(shaded))
		text += "."
	}
	text += words.When(float64(c.FirstS) < float64(c.FromS) || float64(c.LastS) > float64(c.ToS),
		" Instants far outside this span are left out.")
	return text
}
