package figure

import (
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/words"

	"gonum.org/v1/plot"
)

// apart leaves out points that cannot be distinguished from the last one kept; the first and the last stay.
func apart(points []point) []point {
	if len(points) < 3 {
		return points
	}
	out := points[:1:1]
	for _, q := range points[1 : len(points)-1] {
		if last := out[len(out)-1]; math.Abs(q.x-last.x) >= 0.4 || math.Abs(q.y-last.y) >= 0.4 {
			out = append(out, q)
		}
	}
	return append(out, points[len(points)-1])
}

// upTo returns an axis for values from 0 to most.
func upTo(most float64, whole bool) axis { return chooseAxis([][]float64{{0, most}}, nil, whole) }

// between returns a linear axis from lo to hi, with the given steps.
func between(lo, hi float64, steps ...float64) axis {
	return axis{min: lo, max: hi, scale: plot.LinearScale{}, steps: steps, write: words.Number[float64]}
}

// linear returns a linear axis from 0 to just beyond hi.
func linear(hi float64, whole bool) axis {
	if !(hi > 1e-9) {
		hi = 1
	}
	return between(0, hi*1.02, steps(hi, whole)...)
}

// logarithmic returns a logarithmic axis from lo to hi, which must be positive, with steps at the given places.
func logarithmic(lo, hi float64, steps []float64) axis {
	if !(hi > lo*1.0001) {
		lo, hi = lo/2, hi*2
	}
	a := between(lo, hi)
	a.scale = plot.LogScale{}
	for _, s := range steps {
		if s >= lo*0.999 && s <= hi*1.001 {
			a.steps = append(a.steps, min(max(s, lo), hi))
		}
	}
	return a
}

// roundAxis returns a logarithmic axis from lo to hi with steps at round numbers.
func roundAxis(lo, hi float64) axis { return logarithmic(lo, hi, roundSteps(lo, hi)) }

// secondsAxis returns a logarithmic axis of times from lo to hi with steps at round durations.
func secondsAxis(lo, hi float64) axis {
	return logarithmic(lo, hi, secondSteps(lo, hi)).in(words.Seconds)
}

// secondSteps returns round durations for a logarithmic axis: round numbers below a minute, then customary durations.
// The shorter the axis, the finer they are.
func secondSteps(lo, hi float64) []float64 {
	out := lists.Kept(roundSteps(lo, hi), func(s float64) bool { return s < 60 })
	const minute, hour, day = 60.0, 3600.0, 86_400.0
	switch {
	case hi < 12*lo:
		out = append(out, minute, 1.5*minute, 2*minute, 3*minute, 4*minute, 5*minute, 7*minute, 10*minute, 15*minute,
			20*minute, 30*minute, 45*minute, hour, 1.5*hour, 2*hour, 3*hour, 4*hour, 6*hour, 8*hour, 12*hour, 18*hour,
			day, 1.5*day, 2*day, 3*day, 5*day, 7*day)
	case hi < 500*lo:
		out = append(out, minute, 2*minute, 5*minute, 10*minute, 30*minute, hour, 2*hour, 6*hour, 12*hour, day, 2*day,
			5*day)
	default:
		out = append(out, minute, 10*minute, hour, 10*hour, day)
	}
	days := lists.Kept(roundSteps(lo/day, hi/day), func(s float64) bool { return s >= 10 })
	return append(out, lists.Map(days, func(s float64) float64 { return s * day })...)
}

// roundSteps returns round numbers for a logarithmic axis: powers of ten, and some between them on a short axis.
func roundSteps(lo, hi float64) []float64 {
	multiples := []float64{1}
	switch {
	case hi < 12*lo:
		multiples = []float64{1, 1.5, 2, 3, 4, 5, 7}
	case hi < 500*lo:
		multiples = []float64{1, 2, 5}
	}
	return powers(multiples...)
}

// powers returns multiples of the powers of ten from 1e-9 to 1e15.
func powers(of ...float64) (out []float64) {
	for e := -9; e <= 15; e++ {
		for _, m := range of {
			out = append(out, m*math.Pow10(e))
		}
	}
	return out
}

// asRatio writes a ratio or an index, with two decimals.
func asRatio(x float64) string { return words.Fixed(x, 2) }

// oneIn writes a share; a small one as "one in n".
func oneIn(share float64) string {
	switch n := 1 / share; {
	case n < 999:
		return words.Percent(share)
	case n < 999_999:
		return "1 in " + words.Count(int64(math.Round(n)))
	default:
		return "1 in " + words.Number(n/1e6) + " M"
	}
}

// corners leaves out points that lie on the horizontal line between their neighbours, or nearly so.
func corners(points []point) []point {
	out := points[:0:0]
	for i, q := range points {
		if i > 0 && i+1 < len(points) && math.Abs(q.y-out[len(out)-1].y) < 0.2 && math.Abs(q.y-points[i+1].y) < 0.2 {
			continue
		}
		out = append(out, q)
	}
	return out
}
