package figure

import (
	"math"
	"slices"
)

// form is the layout of a graph for a width: its detail, its direction, the pitch of its layers and the size of a stage
// along and across them.
type form struct {
	detail        detail
	down          bool // layers run downwards, not to the right
	perRow        int  // layers in a row if one row does not hold all; otherwise 0
	pitch         float64
	along, across float64
	gap           float64
}

// Space around rows of layers.
const (
	rowMargin = 12.0 // at the left, for edges from the row before
	rowGap    = 26.0 // between rows
)

// choose returns the most detailed form that fits a width and a reasonable height. It prefers names of stages over
// numbers, and numbers over dots; then one row of layers over a column, and a column over several rows.
func (d *graphDrawing) choose(width float64) form {
	n, layers := len(d.graph.Stages), float64(max(len(d.perLayer), 1))
	widest := 1.0
	for _, k := range d.perLayer {
		widest = max(widest, float64(k))
	}
	const column, tall = 720, 1100 // most height of a column, and of several rows
	if n <= maxBoxed {
		const height, between, least, most = 34.0, 24.0, 84.0, 152.0
		if pitch := width / layers; pitch-between >= least && widest*(height+12) <= column {
			return form{boxes, false, 0, min(pitch, most+50), min(pitch-between, most), height, 12}
		}
		if room := width/widest - 10; room >= least && layers*(height+26) <= column {
			return form{boxes, true, 0, height + 26, height, min(room, most), 10}
		}
		perRow := int((width - rowMargin) / (least + between))
		if perRow > 0 && d.rowsHeight(perRow, height+12) <= tall {
			pitch := (width - rowMargin) / float64(perRow)
			return form{boxes, false, perRow, pitch, pitch - between, height, 12}
		}
	}
	if n <= maxNumbered {
		const size, least = 18.0, 26.0
		if pitch := width / layers; pitch >= least && widest*(size+2) <= 820 {
			return form{numbers, false, 0, min(pitch, 60), size, size, max(2, min(6, 640/widest-size))}
		}
		if width/widest >= size+6 && layers*34 <= column {
			return form{numbers, true, 0, 34, size, size, 6}
		}
		perRow := int((width - rowMargin) / (least + 8))
		if d.rowsHeight(perRow, size+6) <= tall {
			return form{numbers, false, perRow, (width - rowMargin) / float64(perRow), size, size, 6}
		}
	}
	if n <= maxDotted {
		const size = 5.0
		if pitch := width / layers; pitch >= size+2 && widest*(size+2) <= 640 {
			return form{dots, false, 0, min(pitch, 40), size, size, min(6, max(2, 400/widest-size))}
		}
		if width/widest >= size+2 && layers*10 <= tall {
			return form{dots, true, 0, max(10, min(24, 500/layers)), size, size, 2}
		}
		if perRow := int((width - rowMargin) / (2 * size)); d.rowsHeight(perRow, size+2) <= tall {
			return form{dots, false, perRow, (width - rowMargin) / float64(perRow), size, size, 2}
		}
	}
	return form{detail: profile}
}

// rowsHeight returns the height of rows of layers in which a stage takes the given height, without room for long edges.
func (d *graphDrawing) rowsHeight(perRow int, stage float64) float64 {
	rows := slices.Collect(slices.Chunk(d.perLayer, perRow))
	sum := rowGap * float64(len(rows)-1)
	for _, row := range rows {
		sum += float64(slices.Max(row)) * stage
	}
	return sum
}

// frame places the vertices of a layout on a sheet.
type frame struct {
	form
	layout *layered
	left   float64
	rows   []row
	height float64 // of all rows
	width  float64
	spread float64 // factor on the extent across the layers, below 1 if waypoints make a column wider than the sheet
}

// row is a row of layers: the first place that it shows, and where that is on the sheet.
type row struct{ low, top float64 }

// newFrame lays a graph out on a sheet of a width, from a height downwards.
func newFrame(g *layered, f form, width, top float64) *frame {
	r := &frame{form: f, layout: g, width: width, left: rowMargin, spread: 1}
	along := float64(len(g.layers)-1)*f.pitch + f.along
	switch {
	case f.down:
		r.spread = min(1, width/max(g.extent(), 1))
		r.left, r.rows, r.height = (width-g.extent()*r.spread)/2, []row{{0, top + 2}}, along+4
		return r
	case f.perRow == 0:
		r.left, r.rows, r.height = max(1, (width-along)/2), []row{{0, top + 2}}, g.extent()+4
		return r
	}
	for first := 0; first < len(g.layers); first += f.perRow {
		low, high := g.bounds(first, first+f.perRow+1) // the layer after it, too: edges leave towards its vertices
		r.rows = append(r.rows, row{low, top + 2 + r.height})
		r.height += high - low + rowGap
	}
	r.height += 4 - rowGap
	return r
}

// bounds returns the extent across the layers [from, to).
func (g *layered) bounds(from, to int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, layer := range g.layers[from:min(to, len(g.layers))] {
		for _, v := range layer {
			at := &g.vertices[v]
			low, high = min(low, at.place-at.size/2), max(high, at.place+at.size/2)
		}
	}
	return low, high
}

// rowOf returns the row that a vertex is in.
func (r *frame) rowOf(v int) int {
	if r.perRow == 0 {
		return 0
	}
	return r.layout.vertices[v].layer / r.perRow
}

// at returns the centre of a vertex.
func (r *frame) at(v int) point {
	at := &r.layout.vertices[v]
	layer := at.layer
	if r.perRow > 0 {
		layer %= r.perRow
	}
	along, across := float64(layer)*r.pitch+r.along/2, at.place
	if r.down {
		return point{r.left + across*r.spread, r.rows[0].top + along}
	}
	in := r.rows[r.rowOf(v)]
	return point{r.left + along, in.top + across - in.low}
}

// edge draws the part of an edge between two vertices. Between rows it leaves at the right, at the height of its end,
// and enters at the left.
func (r *frame) edge(p *pen, look line, u, v int) {
	a, b := r.move(r.at(u), r.along/2), r.move(r.at(v), -r.along/2)
	if r.rowOf(u) == r.rowOf(v) {
		p.curve(look, a, b, r.down)
		return
	}
	from := r.rows[r.rowOf(u)]
	p.curve(look, a, point{r.width, from.top + r.layout.vertices[v].place - from.low}, false)
	p.stroke(look, point{0, b.y}, b)
}
