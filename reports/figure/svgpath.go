package figure

import (
	"bytes"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// pathData is the data of a path. Coordinates are hundredths, and relative to the last point: rounding errors do not
// add up.
type pathData struct {
	bytes.Buffer
	x, y           int64
	startX, startY int64 // of the part that is being drawn, where Z leads
	last           byte  // command
}

// reset begins a new path.
func (d *pathData) reset() { *d = pathData{Buffer: d.Buffer}; d.Reset() }

// hundredths returns a coordinate in hundredths.
func hundredths(x float64) int64 { return int64(math.Round(x * 100)) }

// command appends a command and its numbers, in hundredths. The letter is left out if the last one was the same.
func (d *pathData) command(letter byte, numbers ...int64) {
	again := letter == d.last && letter != 'm'
	if !again {
		d.WriteByte(letter)
	}
	for i, n := range numbers {
		if (i > 0 || again) && n >= 0 {
			d.WriteByte(' ')
		}
		d.WriteString(num(float64(n) / 100))
	}
	d.last = letter
}

// move begins a part.
func (d *pathData) move(x, y float64) {
	toX, toY := hundredths(x), hundredths(y)
	if d.Len() == 0 {
		d.command('M', toX, toY)
	} else {
		d.command('m', toX-d.x, toY-d.y)
	}
	d.x, d.y, d.startX, d.startY = toX, toY, toX, toY
}

// line appends a line.
func (d *pathData) line(x, y float64) {
	right, down := hundredths(x)-d.x, hundredths(y)-d.y
	switch {
	case right == 0 && down == 0:
		return
	case down == 0:
		d.command('h', right)
	case right == 0:
		d.command('v', down)
	default:
		d.command('l', right, down)
	}
	d.x, d.y = d.x+right, d.y+down
}

// curve appends a Bézier curve with one or two control points, x and y of each, and its end.
func (d *pathData) curve(letter byte, points ...float64) {
	numbers := make([]int64, len(points))
	for i, x := range points {
		if numbers[i] = hundredths(x); i%2 == 0 {
			numbers[i] -= d.x
		} else {
			numbers[i] -= d.y
		}
	}
	d.command(letter, numbers...)
	d.x, d.y = d.x+numbers[len(numbers)-2], d.y+numbers[len(numbers)-1]
}

// end leads back to the start of the part.
func (d *pathData) end() {
	d.command('z')
	d.x, d.y = d.startX, d.startY
}

// trace appends a path to the data of the current shape. Paths have no arcs: see [pen.circle].
func (c *svg) trace(path vg.Path) {
	at := func(points ...vg.Point) (out []float64) {
		for _, p := range points {
			x, y := c.place(p)
			out = append(out, x, y)
		}
		return out
	}
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp:
			c.path.move(c.place(part.Pos))
		case vg.LineComp:
			c.path.line(c.place(part.Pos))
		case vg.CurveComp:
			c.path.curve("qc"[len(part.Control)-1], at(slices.Concat(part.Control, []vg.Point{part.Pos})...)...)
		case vg.CloseComp:
			c.path.end()
		}
	}
}
