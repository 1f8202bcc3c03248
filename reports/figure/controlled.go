package figure

import (
	"math"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// controlled is a run under a control loop: at every decision its progress and its predicted end. Times are seconds
// since the start of the run.
type controlled struct {
	to                         float64 // end of the time axis
	now                        float64 // the end, or the last decision
	note                       string  // below the title of the ends
	deadline, middle, progress *lineLayer
	band                       *areaLayer // of predictions
	changes                    []layer    // rules in all panels
}

// newControlled returns a run without decisions. band names the interval of its predictions.
func newControlled(to, now float64, band, note string) *controlled {
	blue := lookAt(0)
	return &controlled{to: to, now: now, note: note, deadline: newLine("deadline", look{dash: []float64{6, 2}}.heavy()),
		middle:   newLine("predicted end: median, "+band, blue),
		progress: newLine("", look{}), band: newArea("", blue.faded(0.2))}
}

// predict adds a predicted end, with its interval.
func (c *controlled) predict(at float64, low, middle, high result.Number) {
	c.middle.add(at, float64(middle))
	c.band.add(at, float64(low), float64(high))
}

// panels returns the panels over the time of the run: predicted ends, progress, and a third, such as tokens.
func (c *controlled) panels(third panel, since string) []panel {
	x := spanAxis(0, c.to, 6, "since the "+since+"'s start")
	_, unit := clockUnit(c.to)
	ends := panel{title: "end, " + unit, notes: []string{c.note}, y: c.ends().in(x.write), high: 150,
		layers: []layer{c.deadline, newMarks("", lookAt(0), point{c.now, c.now}), c.middle, c.band}}
	progress := panel{title: "progress", y: shareSteps(0, 0.5, 1), high: 60, layers: []layer{c.progress}}
	return stacked([]panel{ends, progress, third}, x, c.changes...)
}

// ends returns the axis of predicted ends. It covers the deadlines, the end, and predictions not far beyond.
func (c *controlled) ends() axis {
	lo, hi := c.to, c.to
	cover := func(x, most float64) {
		if finite(x) && x >= 0 {
			lo, hi = min(lo, x), max(hi, min(x, most))
		}
	}
	for _, q := range c.deadline.points {
		cover(q.y, math.Inf(1))
	}
	for _, s := range c.band.spans {
		cover(s.low, 3*c.to)
		cover(s.high, 3*c.to)
	}
	if !finite(lo) || lo < 0 || lo >= hi {
		lo = 0
	}
	unit, _ := clockUnit(c.to)
	step := unit * roundUp((hi-lo)/4/unit)
	lo = math.Floor(lo/step) * step
	hi = max(hi*1.02, lo+step)
	return between(lo, hi, every(lo, hi, step)...)
}

// changedAt is a rule at the instant of a change.
func changedAt(at float64) layer { return upright("", dashedLook(style.Muted()), at) }
