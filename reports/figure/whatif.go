package figure

import (
	"fmt"
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// timePart is a part of the time of a run.
type timePart struct {
	name string
	of   func(p *result.WhatIfPoint) float64
}

// timeParts are the parts of a time, from below. Skew that saves time is taken off the barriers.
func timeParts() []timePart {
	return []timePart{
		{"work / tokens", func(p *result.WhatIfPoint) float64 { return p.WorkS }},
		{"barriers", func(p *result.WhatIfPoint) float64 { return p.BarriersS + min(p.SkewS, 0) }},
		{"skew", func(p *result.WhatIfPoint) float64 { return max(p.SkewS, 0) }},
		{"driver", func(p *result.WhatIfPoint) float64 { return p.DriverS }},
	}
}

// WhatIf draws the time that a finished run would have taken at other allocations, with the parts that make it up, and
// below it the cost.
func WhatIf(w *result.WhatIf, source Source) *Figure {
	points := lists.Kept(w.Points, func(p result.WhatIfPoint) bool {
		return p.Tokens > 0 && finite(p.TimeS, p.CostS, p.WorkS, p.BarriersS, p.SkewS)
	})
	c := &chart{about: "The time and the cost of a run by the tokens that it holds",
		nothing: "no allocation could be simulated"}
	if len(points) > 0 {
		lo, hi := float64(points[0].Tokens), float64(points[len(points)-1].Tokens)
		if w.Tokens > 0 {
			lo, hi = min(lo, float64(w.Tokens)), max(hi, float64(w.Tokens))
		}
		c.panels = stacked([]panel{timePanel(w, points), costPanel(w, points)},
			logarithmic(lo, max(hi, lo*1.5), powers(1, 2, 5)).labelled("tokens held"))
	}
	values := []Value{{"allocations", "n", float64(len(points))}}
	add := func(of string, p *result.WhatIfPoint) {
		values = append(values, Value{of, "tokens", float64(p.Tokens)}, Value{of, "time, s", p.TimeS},
			Value{of, "token-seconds", p.CostS})
		for _, part := range timeParts() {
			values = append(values, Value{of, part.name + ", s", part.of(p)})
		}
	}
	if len(points) > 0 {
		add("fewest tokens", &points[0])
		add("recommended", &w.Recommended)
		add("most tokens", &points[len(points)-1])
	}
	if finite(w.ObservedS) {
		values = append(values, Value{"as it ran", "time, s", float64(w.ObservedS)},
			Value{"as it ran", "tokens", float64(w.Tokens)})
	}
	return c.figure("whatif", "One run at other allocations", whatIfCaption(w, len(points)), source, values...)
}

// whatIfTint is the opacity of the areas below a time.
const whatIfTint = 0.55

func timePanel(w *result.WhatIf, points []result.WhatIfPoint) panel {
	time := newLine("time", look{}.heavy())
	base := make([]float64, len(points))
	for _, p := range points {
		time.add(float64(p.Tokens), p.TimeS)
	}
	first, last := &points[0], &points[len(points)-1]
	time.says = fmt.Sprintf("the time goes from %s with %s to %s with %s", words.Seconds(first.TimeS),
		words.Of(first.Tokens, "token", "tokens"), words.Seconds(last.TimeS), words.Of(last.Tokens, "token", "tokens"))
	n := panel{high: 190, layers: []layer{time}}
	for i, part := range timeParts() {
		area := newArea(part.name, lookAt(i).faded(whatIfTint))
		for k := range points {
			low := base[k]
			base[k] += part.of(&points[k])
			area.add(float64(points[k].Tokens), low, base[k])
		}
		n.layers = append(n.layers, area)
	}
	ran := rings("as it ran", look{}, point{float64(w.Tokens), float64(w.ObservedS)})
	n.layers = append(n.layers, given[layer](finite(w.ObservedS) && w.Tokens > 0, ran)...)
	n.y = lengthAxis(largest(n.ys()...))
	n.title = "from submission to end, " + n.y.label
	entry := "the fewest tokens within " + words.Percent(w.Within) + " of the shortest time"
	n.layers = append(n.layers, recommended(w, w.Recommended.TimeS, words.Seconds(w.Recommended.TimeS), entry)...)
	return n
}

// recommended marks the allocation that is recommended, at a height.
func recommended(w *result.WhatIf, y float64, label, entry string) []layer {
	rising := entry == ""
	r := &w.Recommended
	if r.Tokens < 1 || !finite(y) {
		return nil
	}
	l := look{colour: style.Alert(), shape: diamond, dash: dashes(), width: 1}
	at := point{float64(r.Tokens), y}
	mark := newMarks(entry, l, at)
	mark.says = words.Of(r.Tokens, "token", "tokens") + ", " + label
	return []layer{mark, newRule("", l, at, point{at.x, math.Inf(-1)}),
		&nameLayer{names: []named{{at, mark.says, l, true}}, above: true, left: rising}}
}

func costPanel(w *result.WhatIf, points []result.WhatIfPoint) panel {
	cost := newLine("", look{}.heavy())
	used := newArea("", lookAt(0).faded(whatIfTint))
	for _, p := range points {
		cost.add(float64(p.Tokens), p.CostS)
		used.add(float64(p.Tokens), 0, p.CostS*p.Utilisation)
	}
	return panel{title: "token-seconds held", notes: []string{"filled: in which tasks ran"}, y: amounts(), high: 92,
		layers: append(recommended(w, w.Recommended.CostS, words.Number(w.Recommended.CostS)+" token-seconds", ""),
			cost, used)}
}

func whatIfCaption(w *result.WhatIf, n int) string {
	of := words.When(w.Job != "", " of %s", words.Printable(w.Job))
	text := fmt.Sprintf("Run %s%s, simulated with its own task durations (first tasks of a stage on a machine with "+
		"those of recorded first ones) and driver times at %s. Its time is the sum "+
		"of four parts: its work divided by the tokens; barriers, the wait for other stages and whole waves of "+
		"tasks; skew, tasks that take longer than others of their stage (where that saves a wave, it is taken off "+
		"the barriers); and the driver. ", words.Printable(w.Run), of, words.Of(n, "allocation", "allocations"))
	text += words.When(finite(w.ReplayS, w.ObservedS), "It took %s on up to %s (circle); simulated so, %s.",
		words.Seconds(w.ObservedS), words.Of(w.Tokens, "token", "tokens"), words.Seconds(w.ReplayS))
	return text
}
