package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// SteerRun draws one live run under a control loop: the predicted end and the deadline, progress, and the executors
// that
// were wanted and held.
func SteerRun(s *result.Steered) *Figure {
	d := &steerRun{Steered: s, to: max(s.LastS, 1)}
	x, write, unit := lengthAxis(d.to, 6)
	x.max = d.to
	panels := []panel{d.endPanel(write, unit), d.progressPanel(), d.executorsPanel()}
	c := &chart{about: "Lines over time", nothing: "no decision is known", panels: stacked(panels, x, write,
		unit+" since the run's start")}
	verb := "steered"
	if s.Watch {
		verb = "watched"
	}
	caption := fmt.Sprintf(
		"Run %s of job %s, %s with %s. Above: the end predicted at every decision for the executors "+
			"then held, and its band; the disc is the time of the last decision. Below: executors wanted and held.",
		words.Shorten(
			s.App,
			40,
		),
		words.Shorten(s.Job, 40),
		verb,
		words.Of(int64(len(s.Steps)), "decision", "decisions"),
	)
	return c.figure("steer-run-"+strings.Map(safe, strings.ToLower(s.App)), "One live run and its deadline", caption,
		Source{Store: s.Journal, Format: "journal"}, Value{"run", "deadline, s", s.DeadlineS},
		Value{"run", "last decision, s", s.LastS}, Value{"run", "executors lost", float64(s.Lost)})
}

type steerRun struct {
	*result.Steered
	to float64 // end of the time axis
}

// endPanel draws the predicted end and the deadline.
func (d *steerRun) endPanel(write func(float64) string, unit string) panel {
	blue := lookAt(0)
	middle, deadline := newLine("predicted end: median, 10–90%", blue, nil, nil),
		newLine("deadline", look{dash: []float64{6, 2}}.heavy(), nil, nil)
	band := newArea("", blue.faded(0.2), nil, nil, nil)
	low, high := d.to, d.to
	for i := range d.Steps {
		s := &d.Steps[i]
		deadline.xs, deadline.ys = append(deadline.xs, s.AtS), append(deadline.ys, s.DeadlineS)
		low, high = min(low, s.DeadlineS), max(high, s.DeadlineS)
		if !finite(float64(s.EndS)) {
			continue
		}
		middle.xs, middle.ys = append(middle.xs, s.AtS), append(middle.ys, float64(s.EndS))
		band.lows, band.highs = append(band.lows, float64(s.EarlyS)), append(band.highs, float64(s.LateS))
		low, high = min(low, float64(s.EarlyS)), max(high, min(float64(s.LateS), 3*d.to))
	}
	band.xs, deadline.steps = middle.xs, true
	deadline.xs, deadline.ys = append(deadline.xs, d.to), append(deadline.ys, d.DeadlineS)
	deadline.says = fmt.Sprintf("the last decision was after %s, the deadline was %s", words.Seconds(d.LastS),
		words.Seconds(d.DeadlineS))
	if low < 0 || low >= high {
		low = 0
	}
	clock, _ := clockUnit(d.to)
	step := clock * roundUp((high-low)/4/clock)
	low = math.Floor(low/step) * step
	high = max(high*1.02, low+step)
	return panel{title: "end, " + unit, notes: []string{fmt.Sprintf("deadline %s, last decision after %s",
		words.Seconds(d.DeadlineS), words.Seconds(d.LastS))},
		y: axis{
			min:   low,
			max:   high,
			scale: plot.LinearScale{},
			steps: every(low, high, step),
		}, writeY: write, high: 150,
		layers: []layer{deadline, newMarks("", blue, point{d.LastS, d.LastS}), middle, band}}
}

func (d *steerRun) progressPanel() panel {
	l := newLine("", look{}, nil, nil)
	for i := range d.Steps {
		if p := float64(d.Steps[i].Progress); finite(p) {
			l.xs, l.ys = append(l.xs, d.Steps[i].AtS), append(l.ys, p)
		}
	}
	return panel{title: "progress", y: shareSteps(0, 0.5, 1), writeY: words.Percent, high: 60, layers: []layer{l}}
}

// executorsPanel draws executors wanted and held, with a rule wherever some were lost.
func (d *steerRun) executorsPanel() panel {
	wanted := newLine("executors wanted", lookAt(0).heavy(), nil, nil)
	held := newArea("executors held", look{colour: style.SeriesAt(2), opacity: 0.35}, nil, nil, nil)
	most, lost := 1.0, 0
	p := panel{title: "executors", writeY: words.Number, high: 140}
	for i := range d.Steps {
		s := &d.Steps[i]
		wanted.xs, wanted.ys = append(wanted.xs, s.AtS), append(wanted.ys, float64(s.Wanted))
		held.xs, held.lows, held.highs = append(
			held.xs,
			s.AtS,
		), append(
			held.lows,
			0,
		), append(
			held.highs,
			float64(s.Held),
		)
		most = max(most, float64(s.Wanted), float64(s.Held))
		if s.Lost > lost {
			lost = s.Lost
			p.layers = append(p.layers, upright("", dashedLook(style.Muted()), s.AtS))
		}
	}
	if lost > 0 {
		p.notes = []string{words.Of(int64(lost), "executor was", "executors were") + " lost (dashed)"}
	}
	if n := len(wanted.ys); n > 0 {
		wanted.says = fmt.Sprintf("it wanted %s at first and %s at most", words.Of(int64(wanted.ys[0]), "executor",
			"executors"), words.Count(int64(largest(wanted.ys))))
	}
	wanted.steps = true
	p.y, p.layers = linear(most, true), append(p.layers, wanted, held)
	return p
}
