package figure

import (
	"math"

	"racecard/datasets/lists"
)

// category is a row of a y axis of names.
type category struct {
	name, note string // note is below the name where there is room
	bold       bool
	heading    bool                    // of the rows below it; has no data
	icon       func(p *pen, area rect) // drawn left of the name
}

// valueRow is a row of several values, with a text right of it.
type valueRow struct {
	category
	end    string
	values []float64
}

// row adds a row of a y axis of names, with a text right of it.
func (n *panel) row(c category, end string) {
	n.rows, n.ends = append(n.rows, c), append(n.ends, end)
}

// withRows returns panels that share rows; none if there are no rows.
func withRows(panels ...panel) []panel { return given(len(panels[0].rows) > 0, panels...) }

// rowAt is the y of the middle of the i-th row.
func rowAt(i int) float64 { return -float64(i) - 0.5 }

// newBars returns a layer of bars in rows, with their thickness.
func newBars(name string, l look, thick float64) *boxLayer {
	return &boxLayer{told: told{name: name, look: l}, thick: thick}
}

// bar adds a bar to a row.
func (b *boxLayer) bar(row int, from, to float64) {
	b.boxes = append(b.boxes, box{from, rowAt(row), to, rowAt(row)})
}

// written adds a bar from 0 to a row, with a text right of it.
func (b *boxLayer) written(row int, to float64, text string) {
	b.bar(row, 0, to)
	b.texts = append(b.texts, text)
}

// rowSpans returns a layer of bars along the rows of a panel.
func rowSpans(name string, l look, spans ...span) *spanLayer {
	s := newSpans(name, l, spans...)
	s.along = true
	return s
}

// dot adds a mark to a row, and a bar of its spread from low to high.
func (n *panel) dot(name string, l look, row int, x, low, high float64) (*markLayer, *spanLayer) {
	mark, bar := newMarks(name, l, point{x, rowAt(row)}), rowSpans("", l, span{rowAt(row), low, high})
	n.layers = append(n.layers, mark, bar)
	return mark, bar
}

// shareBars are stacked bars of shares in rows: a layer for each class.
type shareBars []*boxLayer

// newShareBars returns stacked bars of classes, each with its name and look.
func newShareBars(classes []told) shareBars {
	out := make(shareBars, len(classes))
	for i, c := range classes {
		out[i] = newBars(c.name, c.look, 14)
		out[i].gap = 0.75
	}
	return out
}

// stack adds the bar of a row: a share for every class. NaN is left out.
func (s shareBars) stack(row int, shares []float64) {
	x := 0.0
	for i, share := range shares {
		if !math.IsNaN(share) {
			s[i].bar(row, x, x+share)
			x += share
		}
	}
}

// panel returns the panel of the bars, whose rows are still to be added.
func (s shareBars) panel(of string) panel {
	return panel{x: shareSteps().labelled("share of " + of), rowHeight: 21,
		layers: lists.Map(s, func(b *boxLayer) layer { return b })}
}
