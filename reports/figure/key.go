package figure

import (
	"image/color"

	"racecard/reports/style"
)

// key explains the marks of a figure, above it and never on it.
type key []keyEntry

type keyEntry struct {
	mark   keyMark
	colour color.Color
	text   string
}

type keyMark uint8

const (
	keyLine keyMark = iota
	keyRing
	keyBand
	keyBox
	keyFailed
	keySpeculative
	keyDashed
	keyHeavy
	keyHeavyDashed
	keyPlain
	keyThin
	keyBarrier
	keyRunDot
	keyDots
	keyDisc
)

const (
	keySwatch = 18.0
	keyRow    = 17.0
)

// height returns the height of the key when set within a width.
func (k key) height(f faces, width float64) float64 {
	h := 0.0
	k.layout(f, width, func(_ keyEntry, _, y float64) { h = y + keyRow })
	return h
}

// layout calls place with the upper left corner of every entry.
func (k key) layout(f faces, width float64, place func(e keyEntry, x, y float64)) {
	x, y := 0.0, 0.0
	for _, e := range k {
		w := keySwatch + 5 + f.width(e.text, text{})
		if x > 0 && x+w > width {
			x, y = 0, y+keyRow
		}
		place(e, x, y)
		x += w + 2*style.Gap
	}
}

// draw sets the key at the top of the sheet.
func (k key) draw(p *pen, width float64) {
	k.layout(p.faces, width, func(e keyEntry, x, y float64) {
		middle := y + keyRow/2 - 1
		left, right := point{x, middle}, point{x + keySwatch, middle}
		box := rect{x + 2, middle - 5, keySwatch - 4, 10}
		switch e.mark {
		case keyLine:
			p.stroke(line{colour: e.colour, width: style.LineWidth}, left, right)
			p.dot(e.colour, x+keySwatch/2, middle, style.DotRadius)
		case keyRing:
			p.ring(line{colour: e.colour, width: 1.1}, x+keySwatch/2, middle, style.DotRadius)
		case keyBand:
			p.stroke(line{colour: e.colour, width: barWidth}, left, right)
		case keyBox:
			p.fill(e.colour, box)
		case keyFailed:
			p.hatched(box)
		case keySpeculative:
			p.fill(e.colour, box)
			p.speculative(box)
		case keyDashed:
			p.stroke(line{colour: e.colour, width: 1, dash: dashes()}, left, right)
		case keyHeavy:
			p.stroke(line{colour: e.colour, width: style.HeavyWidth}, left, right)
		case keyHeavyDashed:
			p.stroke(line{colour: e.colour, width: style.HeavyWidth, dash: dashes()}, left, right)
		case keyPlain:
			p.stroke(line{colour: e.colour, width: 1.1}, left, right)
		case keyThin:
			p.stroke(line{colour: e.colour, width: 0.6}, left, right)
		case keyDots:
			p.specks(e.colour, 3, []point{{x + 3, middle}, {x + 9, middle}, {x + 15, middle}})
		case keyDisc:
			p.dot(e.colour, x+keySwatch/2, middle, style.DotRadius)
		case keyBarrier:
			p.stroke(line{colour: e.colour, width: 3}, point{x + keySwatch/2, middle - 6}, point{x + keySwatch/2, middle + 6})
		case keyRunDot:
			p.fill(e.colour, rect{x + keySwatch/2 - 2, middle - 2, 4, 4})
		}
		p.text(e.text, x+keySwatch+5, middle+4, text{})
	})
}

// dashes is the pattern of dashed lines.
func dashes() []float64 { return []float64{4, 3} }
