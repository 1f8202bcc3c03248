package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// Forecast draws the time of the next run of a job on some numbers of tokens, with its cost and the probability of its
// deadline. Cores that no past run held have a grey background.
func Forecast(f *result.Forecast, source Source) *Figure {
	tokens := lists.Kept(f.Tokens, func(c result.ForecastTokens) bool {
		return c.Tokens > 0 && finite(c.P50S, c.P90S, c.P95S, c.CoreH) && min(c.P50S, c.P90S, c.P95S, c.CoreH) >= 0
	})
	c := &chart{about: "The time and the cost of the next run by its " + f.Unit() + "s",
		nothing: "no number of " + f.Unit() + "s could be simulated"}
	if len(tokens) > 0 {
		at := lists.Map(tokens, func(p result.ForecastTokens) float64 { return float64(p.Tokens) })
		x := logarithmic(slices.Min(at)/1.15, slices.Max(at)*1.15, at).labelled(f.Unit() + "s (task slots)")
		cost := overTokens(f.Unit(), "", look{}, tokens, func(c *result.ForecastTokens) float64 { return c.CoreH },
			"core-hours", words.Number)
		panels := []panel{finishPanel(f, tokens), {title: "core-hours held, on average", high: 92,
			y: amounts(), layers: []layer{cost}}}
		if finite(f.DeadlineS) && finite(f.Sure) {
			chance := overTokens(f.Unit(), "", look{}, tokens,
				func(c *result.ForecastTokens) float64 { return float64(c.Chance) }, "chance of the deadline", words.Percent)
			enough := across("chance that is enough, "+words.Percent(f.Sure), dashedLook(style.Muted()), f.Sure)
			y := linear(1, false).in(words.Percent)
			y.steps = []float64{0, 0.5, 1}
			panels = append(panels, panel{title: "chance of the deadline", y: y, high: 80,
				layers: []layer{chance, enough}})
		}
		c.panels = stacked(panels, x, unseen(f, x)...)
	}
	return c.figure("forecast", "When "+words.Shorten(f.Job, 40)+" ends, by its "+f.Unit()+"s", forecastCaption(f),
		source, Value{"tokens", "n", float64(len(tokens))}, Value{"tokens seen", "fewest", float64(f.TokensSeen[0])},
		Value{"tokens seen", "most", float64(f.TokensSeen[1])}, Value{"deadline", "s", float64(f.DeadlineS)})
}

// finishPanel draws the times within which half, 90% and 95% of runs end, and the deadline.
func finishPanel(f *result.Forecast, tokens []result.ForecastTokens) panel {
	n := panel{high: 210}
	for i, q := range []struct {
		name string
		of   func(*result.ForecastTokens) float64
	}{
		{"95% of runs end within", func(c *result.ForecastTokens) float64 { return c.P95S }},
		{"90%", func(c *result.ForecastTokens) float64 { return c.P90S }},
		{"half", func(c *result.ForecastTokens) float64 { return c.P50S }},
	} {
		n.layers = append(n.layers, overTokens(f.Unit(), q.name, lookAt(i), tokens, q.of, q.name, words.Seconds))
	}
	if due := float64(f.DeadlineS); finite(due) && due > 0 && due < 4*largest(n.ys()...) {
		n.layers = append(n.layers, across("deadline, "+words.Seconds(due), dashedLook(style.Alert()), due))
	}
	n.y = lengthAxis(largest(n.ys()...))
	n.title = "from submission to end, " + n.y.label
	return n
}

// overTokens returns a line of a quantity over tokens. The key shows name, and the alternative text what.
func overTokens(unit, name string, look look, tokens []result.ForecastTokens, of func(*result.ForecastTokens) float64,
	what string, write func(float64) string) *lineLayer {
	l := newLine(name, look)
	l.marked = true
	for i := range tokens {
		l.add(float64(tokens[i].Tokens), of(&tokens[i]))
	}
	return l.tell(what, func(x float64) string { return words.Number(x) + " " + unit + "s" }, write)
}

// unseen is the background of tokens that no past run held.
func unseen(f *result.Forecast, x axis) []layer {
	lo, hi := float64(f.TokensSeen[0]), float64(f.TokensSeen[1])
	if !finite(lo, hi) {
		return nil
	}
	b := newBoxes("extrapolated: no past run held so few or so many", look{colour: style.Faint(), opacity: 0.55})
	if lo = min(max(lo, x.min), x.max); lo > x.min*1.001 {
		b.boxes = append(b.boxes, box{x.min, math.Inf(-1), lo, math.Inf(1)})
	}
	if hi = min(max(hi, x.min), x.max); hi < x.max*0.999 {
		b.boxes = append(b.boxes, box{hi, math.Inf(-1), x.max, math.Inf(1)})
	}
	return given[layer](len(b.boxes) > 0, b)
}

func forecastCaption(f *result.Forecast) string {
	text := fmt.Sprintf("The next run of %s, simulated from %s, half of which took at most %s",
		words.Shorten(f.Job, 60), words.Of(f.Runs, "past run", "past runs"), words.Seconds(f.UsualS))
	text += words.When(finite(f.TokensSeen[0]), ", on %s %ss",
		words.Range(f.TokensSeen[0], f.TokensSeen[1], words.Number), f.Unit())
	text += "."
	if in := float64(f.Input); finite(in) {
		text += " Its input is " + words.Bytes(in)
		if low, high := float64(f.InputSeen[0]), float64(f.InputSeen[1]); finite(low, high) {
			text += ", that of past runs was " + words.Range(low, high, words.Bytes)
			text += words.When(in < low || in > high, ": all of it is extrapolated")
		}
		text += "."
	}
	switch due := float64(f.DeadlineS); {
	case math.IsNaN(due):
	case f.Fewest != nil:
		text += fmt.Sprintf(" %s with a chance of %s.", words.Of(f.Fewest.Tokens, f.Unit()+" meets the deadline",
			f.Unit()+"s meet the deadline"), words.Percent(f.Fewest.Chance))
	default:
		text += fmt.Sprintf(" No number of %ss that was tried meets the deadline with a chance of %s.", f.Unit(),
			words.Percent(f.Sure))
	}
	return text
}
