package page

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// steeredReport is the report.json of a run under a control loop.
type steeredReport struct {
	Figures []steeredFile   `json:"figures"`
	Steered *result.Steered `json:"steered"`
}

type steeredFile struct {
	SVG string `json:"svg"`
	PNG string `json:"png"`
}

// WriteSteered writes the page of one run under a control loop: its figure as SVG and PNG, report.json and last
// index.html.
func WriteSteered(sink Sink, s *result.Steered) error {
	f := figure.SteerRun(s)
	if err := writeFigure(sink, f, pngDPI); err != nil {
		return err
	}
	v := steeredView{Title: "Run " + words.Shorten(s.App, 60), Lead: steeredLead(s), Rows: SteeredRows(s),
		Figure: newFigureView(f)}
	err := writeDocument(sink, steeredReport{[]steeredFile{{v.Figure.SVG, v.Figure.PNG}}, s}, " ")
	if err != nil {
		return err
	}
	if v.looks, err = newLooks(); err != nil {
		return err
	}
	html, err := execute("steered.html", &v)
	if err != nil {
		return err
	}
	return sink("index.html", html)
}

// steeredView is the page of a run under a control loop.
type steeredView struct {
	looks
	Title, Lead string
	Figure      figureView
	Rows        [][]string
}

// steeredLead states the outcome.
func steeredLead(s *result.Steered) string {
	most := 0
	for _, x := range s.Steps {
		most = max(most, x.Held)
	}
	return fmt.Sprintf("Job %s, %s after %s, %s its deadline of %s; %s at most, %s lost.", words.Shorten(s.Job, 60),
		words.Either(s.Ended, "ended", "last seen"), words.Seconds(s.LastS),
		words.Either(s.LastS > s.DeadlineS, "after", "before"), words.Seconds(s.DeadlineS),
		words.Of(most, "executor", "executors"), words.Count(s.Lost))
}

// SteeredRows returns the decisions of a run that changed something, as texts: when, progress, predicted end with band,
// risk, executors held, wanted and lost, and the reason.
func SteeredRows(s *result.Steered) [][]string {
	var rows [][]string
	var last *result.SteeredStep
	for i := range s.Steps {
		x := &s.Steps[i]
		reason := ""
		switch {
		case x.Hold && (last == nil || !last.Hold || last.Why != x.Why):
			reason = "holds: " + x.Why
		case x.Hold:
			continue
		case last == nil:
			reason = "first decision"
		case last.Hold:
			reason = "the state of the run is known again"
		case x.Lost > last.Lost:
			reason = words.Of(x.Lost-last.Lost, "executor was", "executors were") + " lost"
		case x.DeadlineS != last.DeadlineS:
			reason = "the deadline changed to " + words.Seconds(x.DeadlineS)
		case x.Wanted > last.Wanted && x.Slower > last.Slower+0.01:
			reason = "the run is slower than predicted, " + words.Number(x.Slower) + " times so far"
		case x.Wanted > last.Wanted:
			reason = "its end is predicted too late"
		case x.Wanted < last.Wanted && float64(x.EarliestS) > x.DeadlineS:
			reason = "it is late, and ends as soon with fewer"
		case x.Wanted < last.Wanted:
			reason = "it is ahead"
		default:
			continue
		}
		rows = append(rows, []string{words.Seconds(x.AtS), words.Percent(x.Progress), ends(x),
			words.Percent(x.Risk), words.Count(x.Held), words.Count(x.Wanted), words.Count(x.Lost), reason})
		last = x
	}
	return rows
}

// ends writes a predicted end and its band.
func ends(x *result.SteeredStep) string {
	if math.IsNaN(float64(x.EndS)) {
		return words.None
	}
	return fmt.Sprintf("%s (%s to %s)", words.Seconds(x.EndS), words.Seconds(x.EarlyS), words.Seconds(x.LateS))
}
