package figure

import (
	"cmp"
	"math"

	"racecard/reports/style"
)

// place is the position of a panel on a sheet.
type place struct {
	panel  *panel
	plot   rect     // the data, without labels
	left   float64  // left edge of the cell
	right  float64  // space right of the plot
	head   float64  // height above the plot
	notes  []string // in lines
	label  []string // likewise
	labels bool     // the y axis is labelled
	above  float64  // height of names above their rows; 0 if names are left of the rows
	row    int
	column int
	beyond float64 // space right of the cell that names of rows may take
}

// room returns the width of the cell.
func (s *place) room() float64 { return s.plot.x + s.plot.w + s.right - s.left }

// grid is the layout of a chart for a width.
type grid struct {
	places []*place
	height float64
}

// Sizes of the parts of a panel and the space between panels.
const (
	titleHeight = 16.0
	noteHeight  = 12.5
	tickHeight  = 18.0
	columnGap   = 20.0
	rowGap2     = 12.0
	narrowSheet = 500.0 // sheets below this width are narrow
	leastPlot   = 30.0  // width of a plot; where it is less, panels stand in fewer columns
	namesAbove  = 0.42  // share of a sheet beyond which names of rows are above the rows
)

// grid lays the panels out: columns of plots of one width, aligned, each with the space that its labels need.
func (c *chart) grid(f faces, width float64) grid {
	columns := c.columns
	if width < narrowSheet {
		columns = c.narrow
	}
	for columns = max(1, columns); ; columns-- {
		if g, fits := c.inColumns(f, width, columns); fits || columns == 1 {
			g.down(f, width)
			return g
		}
	}
}

// inColumns places the panels in at most so many columns. fits reports whether labels leave enough room for the plots.
func (c *chart) inColumns(f faces, width float64, columns int) (g grid, fits bool) {
	row, column, cells := 0, 0, 0
	for i := range c.panels {
		p := &c.panels[i]
		if !p.wide {
			cells++
		}
		if column > 0 && (p.wide || column == columns) {
			row, column = row+1, 0
		}
		g.places = append(g.places, &place{panel: p, row: row, column: column, labels: column == 0 || !c.sharedY})
		if column++; p.wide {
			row, column = row+1, 0
		}
	}
	return g, g.across(f, width, max(1, min(columns, cells)))
}

// across places the panels from left to right, and tells whether their plots are wide enough.
func (g *grid) across(f faces, width float64, columns int) (fits bool) {
	above := 0.0
	for _, s := range g.places {
		p := s.panel
		if names := p.names(f); names > namesAbove*width || names > 0 && names+
			f.widest(smallText(), p.ends...) > width/2 {
			above = 14
		}
	}
	left, right := make([]float64, columns), make([]float64, columns)
	for _, s := range g.places {
		if len(s.panel.rows) > 0 {
			s.above = above
		}
		last := s.column
		if s.panel.wide {
			last = columns - 1
		}
		left[s.column] = max(left[s.column], s.before(f, width))
		right[last] = max(right[last], s.panel.after(f))
	}
	plot := width - columnGap*float64(columns-1)
	for i := range columns {
		plot -= left[i] + right[i]
	}
	plot /= float64(columns)
	fits = plot >= leastPlot
	plot = max(leastPlot, plot)
	for i, s := range g.places {
		for k := range s.column {
			s.left += left[k] + plot + right[k] + columnGap
		}
		s.plot.x, s.plot.w, s.right = s.left+left[s.column], plot, right[s.column]
		if s.panel.wide {
			s.right = right[columns-1]
			s.plot.w = width - s.plot.x - s.right
		}
		if i+1 < len(g.places) && !g.places[i+1].labels {
			s.beyond = width - s.left - s.room()
		}
	}
	return fits
}

// names returns the width of the names of rows.
func (p *panel) names(f faces) float64 {
	w := 0.0
	for _, c := range p.rows {
		if c.heading {
			continue
		}
		own := max(f.width(c.name, text{bold: c.bold}), f.width(c.note, text{size: style.SmallSize - 1}))
		if c.icon != nil {
			own += iconWidth + style.Gap
		}
		w = max(w, own)
	}
	return w
}

// before returns the space that a panel needs left of its plot.
func (s *place) before(f faces, width float64) float64 {
	p := s.panel
	switch rows := len(p.rows) > 0; {
	case rows && s.labels && s.above == 0:
		return min(p.names(f), namesAbove*width) + style.Gap
	case rows || !s.labels || p.y.write == nil:
		return 2
	}
	w := 0.0
	for _, v := range p.y.steps {
		w = max(w, f.width(p.y.write(v), smallText()))
	}
	return math.Ceil(w + 8)
}

// after returns the space that a panel needs right of its plot.
func (p *panel) after(f faces) float64 {
	w := max(f.widest(smallText(), p.ends...), 0)
	for _, l := range p.layers {
		w = max(w, f.widest(text{}, l.outside()...))
	}
	if p.right != nil {
		for _, v := range p.y.steps {
			w = max(w, f.width(p.right(v), smallText()))
		}
	}
	if w > 0 {
		return math.Ceil(w + style.Gap + 2)
	}
	if n := len(p.x.steps); n > 0 && p.x.write != nil && p.x.share(p.x.steps[n-1]) > 0.95 {
		w = f.width(p.x.write(p.x.steps[n-1]), smallText()) / 2
	}
	return max(style.DotRadius+2, min(w, 24))
}

// down places the rows of the grid from top to bottom.
func (g *grid) down(f faces, width float64) {
	for i, row := range grouped(g.places, func(a, b *place) bool { return a.row == b.row }) {
		head, high, foot := 0.0, 0.0, 0.0
		for _, s := range row {
			s.measure(f, width)
			head, high = max(head, s.head), max(high, s.plot.h)
			below := noteHeight * float64(len(s.label))
			if !s.panel.joined && s.panel.x.write != nil {
				below += tickHeight
			} else {
				below += 6
			}
			foot = max(foot, below)
		}
		if i > 0 {
			g.height += rowGap2
		}
		for _, s := range row {
			s.head, s.plot.y, s.plot.h = head, g.height+head, high
		}
		g.height += head + high + foot + 2
	}
}

// measure finds the heights of a panel and of the text above it.
func (s *place) measure(f faces, width float64) {
	p := s.panel
	if p.title != "" {
		s.head += titleHeight
	}
	for _, n := range p.notes {
		s.notes = append(s.notes, f.wrap(n, s.room()-1, smallText())...)
	}
	s.head += noteHeight * float64(len(s.notes))
	s.head += style.Gap - 1
	if !p.joined {
		s.label = f.wrap(p.x.label, max(s.room(), s.plot.w), smallText())
	}
	s.plot.h = cmp.Or(p.high, 200)
	if width < narrowSheet && s.plot.h > 200 {
		s.plot.h *= 0.85
	}
	if n := len(p.rows); n > 0 {
		s.plot.h = float64(n) * (cmp.Or(p.rowHeight, 22) + s.above)
	}
}
