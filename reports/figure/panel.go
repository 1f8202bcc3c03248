package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// panel is one of several small plots side by side.
type panel struct {
	title string
	note  string // below the title and the percentiles
	axis  axis
	curve curve
	write func(float64) string
}

// panelSheet sets panels in columns, each with a plot of the given height, below a key.
func panelSheet(width float64, panels []panel, k key, columns int, across float64) sheet {
	return cellSheet(width, k, len(panels), columns, across, "", func(p *pen, i int, r rect, labels bool) { panels[i].draw(p, r, labels) })
}

// cellHead is the height of what is written above the plot of a panel.
const cellHead = 46.0

// cellSheet sets n panels in columns, each with a plot of the given height, below a key. draw draws one, with labels at its left
// where it is the first of its row; nothing is said where there is none.
func cellSheet(width float64, k key, n, columns int, across float64, nothing string, draw func(p *pen, i int, r rect, labels bool)) sheet {
	const left, right, gap = 34.0, 6.0, 20.0
	top := k.height(newFaces(), width) + 2*style.Gap
	cell := (width - left - right - float64(columns-1)*gap) / float64(columns)
	rows := max(1, (n+columns-1)/columns)
	height := top + float64(rows)*(cellHead+across) + float64(rows-1)*gap
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		for i := range n {
			x, y := left+float64(i%columns)*(cell+gap), top+float64(i/columns)*(cellHead+across+gap)
			draw(p, i, rect{x, y, cell, cellHead + across}, i%columns == 0)
		}
		if n == 0 {
			p.text(nothing, width/2, height/2, centred())
		}
	}}
}

// draw draws the panel: title, median and 95th percentile in words, note, plot.
func (n *panel) draw(p *pen, r rect, labels bool) {
	note := "no run"
	if n.curve.of.N > 0 {
		note = fmt.Sprintf("median %s, 95%% ≤ %s", n.write(n.curve.of.P50), n.write(n.curve.of.P95))
	}
	heading(p, r, n.title, note, n.note)
	distribution(p, rect{r.x, r.y + cellHead, r.w, r.h - cellHead}, n.axis, n.write, labels, bars{&n.curve, 0}, &n.curve, discs{&n.curve})
}

// distribution draws plotters over an axis of values and one of shares, labelled where asked for.
func distribution(p *pen, r rect, x axis, write func(float64) string, labels bool, plotters ...plot.Plotter) {
	plt := newPlot(p, x, r.w, "", write)
	plt.Y.Tick.Marker = shares{}
	plt.Add(append([]plot.Plotter{grid{}}, plotters...)...)
	area := p.area(r)
	plt.Draw(area)
	if labels {
		shareLabels(p, r.x, plt.DataCanvas(area))
	}
}

// intervalKey explains the bars of intervals, where a panel has any.
func intervalKey(panels []panel) key {
	if !slices.ContainsFunc(panels, func(n panel) bool { return len(n.curve.intervals) > 0 }) {
		return nil
	}
	return key{{keyBand, style.SeriesAt(0).Alpha(barOpacity), "95% interval"}}
}

// intervalNote says in a caption what the bars of intervals are, where a panel has any.
func intervalNote(panels []panel, of result.Intervals) string {
	if intervalKey(panels) == nil {
		return ""
	}
	return fmt.Sprintf(" Pale bars: %s intervals of the percentiles (%s).", style.Percent(level(of)), method(of))
}

// heading writes what a plot shows at the top of its place: a title, and lines below it that may be empty.
func heading(p *pen, r rect, title string, lines ...string) {
	p.text(title, r.x, r.y+11, text{bold: true})
	for i, l := range lines {
		p.text(p.fit(l, r.w+style.Gap, smallText()), r.x, r.y+25+12*float64(i), smallText())
	}
}

// headline writes what a plot shows in one line above it: a title and a note that may be empty.
func headline(p *pen, r rect, title, note string) {
	p.text(title, r.x, r.y-8, text{bold: true})
	if note != "" {
		at := r.x + p.width(title, text{bold: true}) + style.Gap
		p.text(p.fit(note, r.x+r.w-at, smallText()), at, r.y-8, smallText())
	}
}

// shareLabels writes the labels of a vertical axis of shares at the left of a small plot that begins at x.
func shareLabels(p *pen, x float64, data draw.Canvas) {
	bottom := p.full - p.y - data.Min.Y.Points()
	t := smallText()
	t.align = 1
	for _, share := range []float64{0, 0.5, 1} {
		p.text(style.Percent(share), x-6, bottom-share*(data.Max.Y-data.Min.Y).Points()+3.5, t)
	}
}
