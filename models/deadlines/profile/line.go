package profile

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/datasets/modelfile"
)

// point is a run in a regression.
type point struct{ x, y, w float64 }

// line fits a line to at least three points with two different x; nil where there is none. Weights count relative to
// their mean, so that equal weights give ordinary least squares.
func line(points []point) *modelfile.Line {
	n := float64(len(points))
	if len(points) < 3 {
		return nil
	}
	var sum, mx, my float64
	low, high := points[0].x, points[0].x
	for _, p := range points {
		sum += p.w
		mx += p.w * p.x
		my += p.w * p.y
		low, high = min(low, p.x), max(high, p.x)
	}
	if low == high {
		return nil
	}
	mx, my = mx/sum, my/sum
	var xx, xy, yy float64
	for _, p := range points {
		w := p.w * n / sum
		xx += w * (p.x - mx) * (p.x - mx)
		xy += w * (p.x - mx) * (p.y - my)
		yy += w * (p.y - my) * (p.y - my)
	}
	if !(xx > 0) { // the weight of all but one x is next to nothing
		return nil
	}
	slope := xy / xx
	left := max(0, yy-slope*xy)
	r2 := 1.0
	if yy > 0 {
		r2 = 1 - left/yy
	}
	return &modelfile.Line{
		N: len(points), Intercept: my - slope*mx, Slope: slope, R2: r2, ResidualSD: math.Sqrt(left / (n - 2)),
		XMean: mx, XSquares: xx, XMin: low, XMax: high,
	}
}

// predict returns what a line says of x: the expected value and the interval in which a new observation lies with the
// given probability, by Student's t distribution with n - 2 degrees of freedom.
func predict(l *modelfile.Line, x, level float64) (y, low, high float64) {
	y = l.Intercept + l.Slope*x
	t := distuv.StudentsT{Sigma: 1, Nu: float64(l.N - 2)}.Quantile((1 + level) / 2)
	half := t * l.ResidualSD * math.Sqrt(1+1/float64(l.N)+(x-l.XMean)*(x-l.XMean)/l.XSquares)
	return y, y - half, y + half
}
