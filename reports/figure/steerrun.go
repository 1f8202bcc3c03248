package figure

import (
	"fmt"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// SteerRun draws one live run under a control loop: the predicted end and the deadline, progress, and the executors
// wanted and held.
func SteerRun(s *result.Steered) *Figure {
	c := &chart{about: "Lines over time", nothing: "no decision is known",
		panels: steered(s).panels(executorsPanel(s.Steps), "run")}
	caption := fmt.Sprintf("Run %s of job %s, %s with %s. Above: the end predicted at every decision for the "+
		"executors then held, and its band; the disc is the time of the last decision. Below: executors wanted and "+
		"held.", words.Shorten(s.App, 40), words.Shorten(s.Job, 40), words.Either(s.Watch, "watched", "steered"),
		words.Of(len(s.Steps), "decision", "decisions"))
	return c.figure("steer-run-"+strings.Map(safe('_'), strings.ToLower(s.App)), "One live run and its deadline",
		caption, Source{Store: s.Journal, Format: "journal"}, Value{"run", "deadline, s", s.DeadlineS},
		Value{"run", "last decision, s", s.LastS}, Value{"run", "executors lost", float64(s.Lost)})
}

// steered returns the predictions and the deadlines.
func steered(d *result.Steered) *controlled {
	c := newControlled(max(d.LastS, 1), d.LastS, "10–90%", fmt.Sprintf("deadline %s, last decision after %s",
		words.Seconds(d.DeadlineS), words.Seconds(d.LastS)))
	for _, s := range d.Steps {
		c.deadline.add(s.AtS, s.DeadlineS)
		if finite(s.EndS) {
			c.predict(s.AtS, s.EarlyS, s.EndS, s.LateS)
		}
		if finite(s.Progress) {
			c.progress.add(s.AtS, float64(s.Progress))
		}
	}
	c.deadline.steps = true
	c.deadline.add(c.to, d.DeadlineS)
	c.deadline.says = fmt.Sprintf("the last decision was after %s, the deadline was %s", words.Seconds(d.LastS),
		words.Seconds(d.DeadlineS))
	return c
}

// executorsPanel draws executors wanted and held, with a rule wherever some were lost.
func executorsPanel(steps []result.SteeredStep) panel {
	wanted := newLine("executors wanted", lookAt(0).heavy())
	held := newArea("executors held", look{colour: style.SeriesAt(2), opacity: 0.35})
	lost := 0
	p := panel{title: "executors", y: counts(), high: 140}
	for _, s := range steps {
		wanted.add(s.AtS, float64(s.Wanted))
		held.add(s.AtS, 0, float64(s.Held))
		if s.Lost > lost {
			lost = s.Lost
			p.layers = append(p.layers, changedAt(s.AtS))
		}
	}
	p.notes = given(lost > 0, words.Of(lost, "executor was", "executors were")+" lost (dashed)")
	if len(wanted.points) > 0 {
		wanted.says = fmt.Sprintf("it wanted %s at first and %s at most",
			words.Of(int64(wanted.points[0].y), "executor", "executors"), words.Count(int64(largest(wanted.ys()...))))
	}
	wanted.steps = true
	p.layers = append(p.layers, wanted, held)
	return p
}
