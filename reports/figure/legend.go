package figure

import "racecard/reports/style"

// legend explains the series of a chart, above it and never on it.
type legend []entry

// entry is a line of a [legend]: words and a sample of the named look.
type entry struct {
	words  string
	sample func(p *pen, r rect)
}

// height returns the height of the legend when set within a width.
func (k legend) height(f faces, width float64) float64 {
	h := 0.0
	k.layout(f, width, func(_ entry, lines []string, _, y float64) {
		h = max(h, y+keyRow+wordsHeight*float64(len(lines)-1))
	})
	return h
}

const (
	keySwatch = 18.0 // width of a sample
	keyRow    = 17.0 // height of an entry of one line
)

// wordsHeight is the height of a line of words in a legend.
const wordsHeight = 14.0

// layout calls place with the upper left corner of every entry and its words in lines.
func (k legend) layout(f faces, width float64, place func(e entry, lines []string, x, y float64)) {
	x, y, last := 0.0, 0.0, 0.0
	for _, e := range k {
		lines := f.wrap(e.words, width-keySwatch-5, text{})
		w := 0.0
		for _, l := range lines {
			w = max(w, keySwatch+5+f.width(l, text{}))
		}
		if x > 0 && x+w > width {
			x, y = 0, y+last
			last = 0
		}
		place(e, lines, x, y)
		last = max(last, keyRow+wordsHeight*float64(len(lines)-1))
		x += w + 2*style.Gap
	}
}

// draw sets the legend at the top of the sheet.
func (k legend) draw(p *pen, width float64) {
	k.layout(p.faces, width, func(e entry, lines []string, x, y float64) {
		e.sample(p, rect{x, y, keySwatch, keyRow - 2})
		for i, l := range lines {
			p.text(l, x+keySwatch+5, y+keyRow/2+3+wordsHeight*float64(i), text{})
		}
	})
}

// swatch returns the box of a sample.
func (r rect) swatch() rect { return rect{r.x + 1, r.y + r.h/2 - 5, r.w - 2, 10} }

// lineEntry explains a line.
func lineEntry(words string, l look) entry {
	return entry{words, func(p *pen, r rect) {
		y := r.y + r.h/2
		p.stroke(l.line(), point{r.x, y}, point{r.x + r.w, y})
	}}
}

// spotEntry explains a mark, open ones where hollow.
func spotEntry(words string, l look, hollow bool) entry {
	return entry{words, func(p *pen, r rect) {
		at := point{r.x + r.w/2, r.y + r.h/2}
		if hollow {
			p.hollow(l, at, style.DotRadius)
		} else {
			p.spot(l, at, style.DotRadius)
		}
	}}
}

// markedEntry explains a line with marks.
func markedEntry(words string, l look) entry {
	return entry{words, func(p *pen, r rect) {
		lineEntry("", l).sample(p, r)
		spotEntry("", l, false).sample(p, r)
	}}
}

// boxEntry explains an area or a bar.
func boxEntry(words string, l look) entry {
	return entry{words, func(p *pen, r rect) { p.filled(l, r.swatch()) }}
}

// spanEntry explains bars of intervals.
func spanEntry(words string) entry {
	return lineEntry(words, look{colour: style.Muted(), opacity: barOpacity, width: barWidth})
}

// dashes is the pattern of dashed lines.
func dashes() []float64 { return []float64{4, 3} }
