package figure

import (
	"math"

	"gonum.org/v1/plot"

	"racecard/datasets/words"
	"racecard/reports/style"
)

// controlled is a run under a control loop: at every decision its progress and its predicted end. Times are seconds
// since the start of the run. All slices but progressAt and progress have an entry per decision.
type controlled struct {
	to                   float64 // end of the time axis
	at, low, middle, top []float64
	progressAt, progress []float64
	deadline             *lineLayer
	deadlines            []float64 // to be shown on the axis of ends
	now                  float64   // the end, or the last decision
	band                 string    // names the interval of predictions
	note                 string    // below the title of the ends
}

// deadlineLine returns the line of deadlines.
func deadlineLine(xs, ys []float64) *lineLayer {
	return newLine("deadline", look{dash: []float64{6, 2}}.heavy(), xs, ys)
}

// panels returns the panels over the time of the run: predicted ends, progress, and a third, such as tokens.
func (c *controlled) panels(third panel, since string) []panel {
	x, write, unit := spanAxis(0, c.to, 6)
	blue := lookAt(0)
	ends := panel{title: "end, " + unit, notes: []string{c.note}, y: c.ends(), writeY: write, high: 150,
		layers: []layer{c.deadline, newMarks("", blue, point{c.now, c.now}), newLine("predicted end: median, "+c.band,
			blue, c.at, c.middle), newArea("", blue.faded(0.2), c.at, c.low, c.top)}}
	progress := panel{title: "progress", y: shareSteps(0, 0.5, 1), writeY: words.Percent, high: 60,
		layers: []layer{newLine("", look{}, c.progressAt, c.progress)}}
	return stacked([]panel{ends, progress, third}, x, write, unit+" since the "+since+"'s start")
}

// ends returns the axis of predicted ends. It covers the deadlines, the end, and predictions not far beyond.
func (c *controlled) ends() axis {
	lo, hi := c.to, c.to
	cover := func(xs []float64, most float64) {
		for _, x := range xs {
			if finite(x) && x >= 0 {
				lo, hi = min(lo, x), max(hi, min(x, most))
			}
		}
	}
	cover(c.deadlines, math.Inf(1))
	cover(c.low, 3*c.to)
	cover(c.top, 3*c.to)
	if !finite(lo) || lo < 0 || lo >= hi {
		lo = 0
	}
	unit, _ := clockUnit(c.to)
	step := unit * roundUp((hi-lo)/4/unit)
	lo = math.Floor(lo/step) * step
	hi = max(hi*1.02, lo+step)
	return axis{min: lo, max: hi, scale: plot.LinearScale{}, steps: every(lo, hi, step)}
}

// changedAt is a rule at the instant of a change.
func changedAt(at float64) layer { return upright("", dashedLook(style.Muted()), at) }
