package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// chart is a figure as a declaration: panels in a grid, each with axes and layers. Its key, values and alternative text
// derive from the layers; positions derive from the width for which it is drawn.
type chart struct {
	about   string // kind of drawing, such as "Cumulative curves"
	nothing string // text in place of the panels if there is nothing to show
	panels  []panel
	columns int     // panels side by side on a wide sheet; 0 is 1
	narrow  int     // the same on a narrow sheet
	sharedY bool    // panels of a row have the same y axis: only the first is labelled
	key     []entry // entries in addition to those of the layers
}

// panel is a plot of a chart.
type panel struct {
	title     string
	notes     []string // below the title
	x, y      axis
	right     func(float64) string // writes the steps of y at the right, in another unit
	rows      []category           // of a y axis of names, which the chart makes; y is then [rowAt]
	ends      []string             // written right of the rows
	rowHeight float64              // 0 is 22
	high      float64              // height of the plot; 0 is 200
	wide      bool                 // takes a row of the grid
	joined    bool                 // the panel below has the same x axis: only that is labelled
	upright   bool                 // rules at the steps of x, none at those of y
	nothing   string               // text in the middle of an empty plot
	layers    []layer
}

// add adds a panel, unless there is none.
func (c *chart) add(n *panel) {
	if n != nil {
		c.panels = append(c.panels, *n)
	}
}

// layer is a part of a panel, with its values and description.
type layer interface {
	draw(view)
	level() int            // layers of a higher level are drawn over those of a lower
	explain() []entry      // for the key
	shown() []Value        // the numbers that it shows
	summary() string       // the same in a few words, for the alternative text; may be empty
	outside() (w []string) // texts right of the plot
	reach() []point        // the points between which it lies, for the axes
}

// xs and ys return the finite coordinates between which the layers lie. Axes are made for them.
func (n *panel) xs() []float64 { return n.reach(func(q point) float64 { return q.x }) }
func (n *panel) ys() []float64 { return n.reach(func(q point) float64 { return q.y }) }

func (n *panel) reach(of func(point) float64) (out []float64) {
	for _, l := range n.layers {
		out = append(out, lists.Map(l.reach(), of)...)
	}
	return lists.Kept(out, func(x float64) bool { return finite(x) })
}

// figure returns the chart as a figure. Its values are the given ones, followed by the values of the layers.
func (c *chart) figure(name, title, caption string, source Source, values ...Value) *Figure {
	f := &Figure{Name: name, Title: title, Caption: caption + " " + source.String(), Alt: c.alt(), source: source,
		plan: c.sheet}
	for i := range c.panels {
		n := &c.panels[i]
		if n.x, n.y = n.x.fitted(n.xs()), n.y.fitted(n.ys()); len(n.rows) > 0 {
			n.y = rowAxis(len(n.rows))
		}
		for _, l := range n.layers {
			values = append(values, l.shown()...)
		}
	}
	f.Values = slices.DeleteFunc(values, func(v Value) bool { return !finite(v.Value) })
	return f
}

// mostClauses bounds the series that an alternative text describes.
const mostClauses = 24

// alt returns the alternative text: the kind of drawing and what every layer shows.
func (c *chart) alt() string {
	var parts []string
	for _, p := range c.panels {
		var clauses []string
		for _, l := range p.layers {
			if s := l.summary(); s != "" && !slices.Contains(clauses, s) {
				clauses = append(clauses, s)
			}
		}
		if n := len(clauses); n > mostClauses {
			clauses = append(clauses[:mostClauses], fmt.Sprintf("and %d more", n-mostClauses))
		}
		if text := strings.Join(clauses, "; "); text != "" {
			if p.title != "" && len(c.panels) > 1 {
				text = p.title + ": " + text
			}
			parts = append(parts, words.Capital(text)+".")
		}
	}
	if len(parts) == 0 {
		return words.Capital(c.nothing) + "."
	}
	return c.about + ". " + strings.Join(parts, " ")
}

// legend returns the key: the entries of all layers, each text once, bars of intervals after the others.
func (c *chart) legend() legend {
	var all, intervals, out legend
	for i := range c.panels {
		for _, l := range c.panels[i].layers {
			if _, spans := l.(*spanLayer); spans {
				intervals = append(intervals, l.explain()...)
			} else {
				all = append(all, l.explain()...)
			}
		}
	}
	for _, e := range slices.Concat(all, intervals, c.key) {
		if e.words != "" && !slices.ContainsFunc(out, func(o entry) bool { return o.words == e.words }) {
			out = append(out, e)
		}
	}
	return out
}

// sheet lays the chart out for a width.
func (c *chart) sheet(width float64) sheet {
	f, k := newFaces(), c.legend()
	g := c.grid(f, width)
	top := 0.0
	if len(k) > 0 {
		top = k.height(f, width) + style.Gap/2
	}
	height := g.height
	if len(c.panels) == 0 {
		height = 60
	}
	for _, s := range g.places {
		s.plot.y += top
	}
	return sheet{height: top + height, draw: func(p *pen) {
		if len(c.panels) == 0 {
			p.text(p.fit(c.nothing, width, text{}), width/2, height/2, centred())
			return
		}
		k.draw(p, width)
		for _, s := range g.places {
			s.draw(p)
		}
	}}
}

// draw draws a panel at its place.
func (s *place) draw(p *pen) {
	n := s.panel
	s.drawHead(p)
	s.drawFrame(p)
	v := p.view(s.plot, n.x, n.y)
	if s.above > 0 { // names take the upper part of each row, so that data is in the middle of the rest
		down := s.above / 2 * float64(len(n.rows)) / s.plot.h
		v.y.min, v.y.max = v.y.min+down, v.y.max+down
	}
	layers := slices.Clone(n.layers)
	slices.Reverse(layers) // the first of a level is on top
	slices.SortStableFunc(layers, func(a, b layer) int { return a.level() - b.level() })
	for _, l := range layers {
		l.draw(v)
	}
	if n.nothing != "" {
		p.text(p.fit(n.nothing, s.plot.w, text{}), s.plot.x+s.plot.w/2, s.plot.y+s.plot.h/2, centred())
	}
}

// drawHead writes the title and the notes.
func (s *place) drawHead(p *pen) {
	y := s.plot.y - s.head
	if s.panel.title != "" {
		y += titleHeight
		p.text(p.fit(s.panel.title, s.room()-1, text{bold: true}), s.left+1, y-4, text{bold: true})
	}
	for _, l := range s.notes {
		y += noteHeight
		p.text(l, s.left+1, y-3, smallText())
	}
}

// drawFrame draws the axes: rules, ticks and labels.
func (s *place) drawFrame(p *pen) {
	n, r := s.panel, s.plot
	bottom := r.y + r.h
	xAt := func(x float64) float64 { return r.x + n.x.share(x)*r.w }
	yAt := func(y float64) float64 { return bottom - n.y.share(y)*r.h }
	if n.upright {
		for _, x := range n.x.steps {
			p.stroke(line{colour: style.Faint().Light}, point{xAt(x), r.y}, point{xAt(x), bottom})
		}
	}
	small := smallText()
	small.align = 1
	last := math.Inf(1)
	for _, v := range n.y.steps {
		y := yAt(v)
		if !n.upright {
			p.stroke(line{colour: style.Faint().Light}, point{r.x, y}, point{r.x + r.w, y})
		}
		if last-y <= style.SmallSize+1 {
			continue
		}
		if n.y.write != nil && s.labels {
			p.text(n.y.write(v), r.x-6, y+3.5, small)
			last = y
		}
		if n.right != nil {
			p.text(n.right(v), r.x+r.w+6, y+3.5, smallText())
			last = y
		}
	}
	s.drawRows(p)
	if len(n.rows) > 0 && n.x.write == nil && !n.joined {
		return
	}
	p.stroke(line{colour: style.Muted().Light}, point{r.x, bottom}, point{r.x + r.w, bottom})
	small.align = 0.5
	end := math.Inf(-1)
	for _, v := range n.x.steps {
		x := xAt(v)
		p.stroke(line{colour: style.Muted().Light}, point{x, bottom}, point{x, bottom + 4})
		if n.joined || n.x.write == nil {
			continue
		}
		label := n.x.write(v)
		half := p.width(label, small) / 2
		at := min(max(x, s.left+half), s.left+s.room()-half)
		if at-half > end+style.Gap {
			p.text(label, at, bottom+15, small)
			end = at + half
		}
	}
	for i, l := range s.label {
		half := p.width(l, small) / 2
		p.text(l, min(max(r.x+r.w/2, half), p.w-half), bottom+tickHeight+noteHeight*float64(i+1)-2, small)
	}
}

// drawRows writes the names of rows and the notes at their ends.
func (s *place) drawRows(p *pen) {
	n, r := s.panel, s.plot
	high := r.h / float64(max(1, len(n.rows)))
	last := math.Inf(-1) // where the last name is
	for i, c := range n.rows {
		y := r.y + (float64(i)+0.5)*high
		if c.name != "" {
			if y-last < style.SmallSize {
				c.name = "" // no room
			} else {
				last = y
			}
		}
		look, note := text{bold: c.bold || c.heading, align: 1}, smallText()
		if high < 14 {
			look.size = style.SmallSize
		}
		if i < len(n.ends) {
			p.text(n.ends[i], r.x+r.w+style.Gap, y+3.5+s.above/2, note)
		}
		if i > 0 && (s.labels || c.heading) && !n.upright {
			p.stroke(line{colour: style.Faint().Light}, point{r.x, y - high/2}, point{r.x + r.w, y - high/2})
		}
		switch {
		case !s.labels:
		case s.above > 0 || c.heading:
			look.align = 0
			x := s.left + 1
			if c.icon != nil {
				c.icon(p, rect{s.left, y - high/2 + 1, iconWidth, high - 2})
				x += iconWidth + style.Gap
			}
			top := y - high/2 + 11
			if c.heading {
				top = y + 4
			}
			p.text(p.fit(c.name, s.left+s.room()+s.beyond-x, look), x, top, look)
		default:
			room := r.x - s.left - style.Gap
			if c.icon != nil {
				c.icon(p, rect{s.left, y - high/2 + 4, iconWidth, high - 8})
				room -= iconWidth + style.Gap
			}
			if c.note != "" {
				y -= 6
				note.align, note.size = 1, style.SmallSize-1
				p.text(p.fit(c.note, room, note), r.x-style.Gap, y+14, note)
			}
			p.text(p.fit(c.name, room, look), r.x-style.Gap, y+4, look)
		}
	}
}

// iconWidth is the width of the icon of a row.
const iconWidth = 58.0

// rowAxis is the y axis of a number of rows.
func rowAxis(n int) axis { return between(-float64(max(1, n)), 0) }
