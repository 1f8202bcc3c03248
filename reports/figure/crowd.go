package figure

import (
	"cmp"
	"math"
	"slices"
)

// crowdLayer draws dots for points. Points too near to be distinguished share a dot, which grows with their number.
type crowdLayer struct {
	told
	points []point
	scale  float64 // of the dots; 0 is 1
}

// maxDots is the number of dots of a plot beyond which they are drawn as squares, which make smaller files.
const maxDots = 100

func (m *crowdLayer) level() int     { return levelMark }
func (m *crowdLayer) reach() []point { return m.points }

// draw implements [layer].
func (m *crowdLayer) draw(v view) {
	scale := cmp.Or(m.scale, 1)
	pitch := 6 * scale
	type spot struct {
		column, row int
		x, y        float64 // sums
		n           float64
	}
	at := map[[2]int]int{}
	var spots []spot
	for _, q := range m.points {
		if !v.within(q.x) {
			continue
		}
		here := v.at(q.x, q.y)
		place := [2]int{int(here.x / pitch), int(here.y / pitch)}
		k, ok := at[place]
		if !ok {
			k = len(spots)
			at[place] = k
			spots = append(spots, spot{column: place[0], row: place[1]})
		}
		spots[k].x, spots[k].y, spots[k].n = spots[k].x+here.x, spots[k].y+here.y, spots[k].n+1
	}
	slices.SortFunc(spots, func(a, b spot) int { // the largest first, so that none is hidden
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.column, b.column), cmp.Compare(a.row, b.row))
	})
	least, most := 1.5, 10.0
	if len(spots) > 0 && spots[0].n > 100 {
		least, most = 0.5, spots[0].n
	}
	v.c.SetColor(m.look.faded(0.6).ink())
	var squares []rect
	for _, s := range spots {
		x, y := s.x/s.n, s.y/s.n
		radius := scale * (least + (4-least)*math.Sqrt((s.n-1)/most))
		if len(spots) <= maxDots {
			v.c.Fill(v.circle(x, y, radius))
		} else {
			squares = append(squares, rect{x - radius, y - radius, 2 * radius, 2 * radius})
		}
	}
	v.fill(m.look.faded(0.6).ink(), squares...)
}
