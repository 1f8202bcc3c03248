package figure

import (
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/reports/style"
)

// nameLayer writes words next to points, clear of other words and of points. A line leads from a point to words that
// are not next to it.
type nameLayer struct {
	told
	names []named
	avoid []span  // upright bars that words do not cover
	marks []point // nor these
	above bool    // rather above a point than right of it
	left  bool    // rather left of a point
}

// named is words next to a point.
type named struct {
	at    point
	words string
	look  look
	bold  bool
}

func (n *nameLayer) level() int { return levelName }

// draw implements [layer].
func (n *nameLayer) draw(v view) {
	marks := lists.Kept(n.marks, func(q point) bool { return finite(q.x) && v.within(q.x) })
	taken := lists.Map(append(lists.Map(n.names, func(m named) point { return m.at }), marks...), func(q point) rect {
		at := v.at(q.x, q.y)
		return rect{at.x - 5, at.y - 5, 10, 10}
	})
	for _, s := range n.avoid {
		a, b := v.at(s.at, s.low), v.at(s.at, s.high)
		taken = append(taken, rect{a.x - barWidth/2, b.y, barWidth, a.y - b.y})
	}
	var written []rect
	for _, m := range n.names {
		if !finite(m.at.x, m.at.y) || !v.within(m.at.x) {
			continue
		}
		t := smallText()
		t.bold = m.bold
		if m.look.colour.Name != "" {
			t.colour = m.look.colour.Light
		}
		at, w := v.at(m.at.x, m.at.y), v.width(m.words, t)
		var best rect
		var end point // of the line to the words
		room := false
		for _, r := range n.places(at, w) {
			r.x = min(max(r.x, v.area.x), v.area.x+v.area.w-w)
			free := r.y >= v.area.y && r.y+r.h <= v.area.y+v.area.h && !slices.ContainsFunc(taken, r.covers)
			if !free {
				continue
			}
			if end, room = lead(at, r, written); room {
				best = r
				break
			}
		}
		if !room {
			continue // the key and the table show it
		}
		taken, written = append(taken, best), append(written, best)
		if end != at {
			v.stroke(line{colour: style.Muted().Light, width: style.HairWidth}, at, end)
		}
		v.text(m.words, best.x, best.y+10.5, t)
	}
}

// lead returns the end of a line from a point to words in r that crosses no other words, and whether there is one.
// Where the words are next to the point there is no line: it ends at the point.
func lead(at point, r rect, written []rect) (end point, ok bool) {
	middle := r.y + r.h/2
	if math.Abs(middle-at.y) <= r.h {
		return at, true
	}
	for _, x := range []float64{min(max(at.x, r.x), r.x+r.w), r.x + r.w/2, r.x, r.x + r.w} {
		end := point{x, r.y}
		if middle < at.y {
			end.y += r.h
		}
		crossed := false
		for k := range 50 {
			part := float64(k) / 50
			q := rect{x: at.x + (end.x-at.x)*part, y: at.y + (end.y-at.y)*part}
			crossed = crossed || slices.ContainsFunc(written, q.covers)
		}
		if !crossed {
			return end, true
		}
	}
	return at, false
}

// covers reports whether two rectangles overlap.
func (r rect) covers(o rect) bool {
	return r.x < o.x+o.w && o.x < r.x+r.w && r.y < o.y+o.h && o.y < r.y+r.h
}

// places returns candidate places for a text of a width around a point, the nearest first: right of it, left of it and
// centred on it, at rising distances above and below.
func (n *nameLayer) places(at point, w float64) []rect {
	var out []rect
	first, along := 0.0, []float64{8, -8 - w, -w / 2}
	if n.above {
		first = 14
	}
	if n.left {
		along[0], along[1] = along[1], along[0]
	}
	for y := first; y <= 140; y += 14 {
		for _, up := range []float64{-1, 1} {
			for _, x := range along {
				out = append(out, rect{at.x + x, at.y - 7 + up*y, w, 14})
			}
		}
	}
	return out
}
