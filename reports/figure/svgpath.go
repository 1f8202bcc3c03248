package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// trace appends a path to the data of the current shape.
func (c *svg) trace(path vg.Path) {
	var lastX, lastY string
	to := func(command string, points ...vg.Point) {
		c.path.WriteString(command)
		for i, p := range points {
			x, y := c.place(p)
			lastX, lastY = num(x), num(y)
			if i > 0 {
				c.path.WriteByte(' ')
			}
			c.path.WriteString(lastX)
			c.path.WriteByte(' ')
			c.path.WriteString(lastY)
		}
	}
	if c.rectangle(path) {
		return
	}
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp:
			to("M", part.Pos)
		case vg.LineComp:
			x, y := c.place(part.Pos)
			switch sx, sy := num(x), num(y); {
			case sx == lastX && sy == lastY:
			case sy == lastY:
				c.path.WriteString("H" + sx)
				lastX = sx
			case sx == lastX:
				c.path.WriteString("V" + sy)
				lastY = sy
			default:
				to("L", part.Pos)
			}
		case vg.CurveComp:
			if len(part.Control) == 1 {
				to("Q", part.Control[0], part.Pos)
			} else {
				to("C", part.Control[0], part.Control[1], part.Pos)
			}
		case vg.ArcComp:
			for _, piece := range arcs(part) {
				to("C", piece[0], piece[1], piece[2])
			}
		case vg.CloseComp:
			c.path.WriteByte('Z')
			lastX, lastY = "", ""
		}
	}
}

// rectangle appends a path to the data in its shortest form if it is one upright rectangle, or several, and reports
// whether it is.
func (c *svg) rectangle(path vg.Path) bool {
	const corners = 5 // a move, three lines and a close
	if len(path) == 0 || len(path)%corners != 0 {
		return false
	}
	for i := 0; i < len(path); i += corners {
		r := path[i : i+corners]
		upright := r[0].Type == vg.MoveComp && r[4].Type == vg.CloseComp &&
			r[0].Pos.Y == r[1].Pos.Y && r[1].Pos.X == r[2].Pos.X && r[2].Pos.Y == r[3].Pos.Y && r[3].Pos.X == r[0].Pos.X
		for _, part := range r[1:4] {
			upright = upright && part.Type == vg.LineComp
		}
		if !upright || c.to != [6]float64{1, 0, 0, 1, 0, 0} {
			return false
		}
	}
	for i := 0; i < len(path); i += corners {
		x, y := c.place(path[i].Pos)
		right, bottom := c.place(path[i+2].Pos)
		w, h := right-x, bottom-y
		c.path.WriteString("M" + num(x) + " " + num(y) + "h" + num(w) + "v" + num(h) + "h" + num(-w) + "z")
	}
	return true
}

// arcs approximates an arc by Bézier curves of at most a quarter turn each: two control points and the end. The error
// is below 0.03% of the radius.
func arcs(a vg.PathComp) [][3]vg.Point {
	n := int(math.Ceil(math.Abs(a.Angle)/(math.Pi/2) - 1e-9))
	step := a.Angle / float64(max(n, 1))
	k := 4.0 / 3 * math.Tan(step/4) // distance of the control points, in radii
	at := func(angle, sideways float64) vg.Point {
		s, c := math.Sincos(angle)
		r := a.Radius.Points()
		return vg.Point{X: a.Pos.X + vg.Points(r*(c-sideways*s)), Y: a.Pos.Y + vg.Points(r*(s+sideways*c))}
	}
	var out [][3]vg.Point
	for i := range n {
		from := a.Start + float64(i)*step
		out = append(out, [3]vg.Point{at(from, k), at(from+step, -k), at(from+step, 0)})
	}
	return out
}
