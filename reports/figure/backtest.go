package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// Calibration draws the calibration of predictions: the share of runs at or below each quantile of the prediction, and
// the histogram of the places of runs in the predicted distribution. runs is the document's table, one row per run;
// without it, there is no line between the quantiles.
func Calibration(b *result.Backtest, runs *result.Table, source Source) *Figure {
	c := &chart{about: "A calibration curve and a histogram", nothing: "no run was predicted", columns: 2,
		panels: given(b.Predicted != 0 || len(b.Coverage) > 0, promisePanel(b, runs), placesPanel(b))}
	var values []Value
	for i, n := range b.PIT {
		values = append(values, Value{"histogram", fmt.Sprintf("class %d", i+1), float64(n)})
	}
	values = append(values, Value{"runs", "sharpness", float64(b.Sharpness)})
	return c.figure("calibration", "How often predictions were right", calibrationCaption(b), source, values...)
}

// promisePanel draws the observed share of runs against the predicted share.
func promisePanel(b *result.Backtest, runs *result.Table) panel {
	n := panel{title: "Promised and kept", notes: []string{"share of runs that took at most the predicted quantile"},
		x: shareSteps().labelled("quantile of the prediction"), y: shareSteps(), high: 210,
		layers: []layer{newRule("as promised", dashedLook(style.Muted()), point{0, 0}, point{1, 1})}}
	marks := newMarks("runs, with 95% interval", lookAt(0))
	bars := newSpans("", lookAt(0))
	for _, l := range b.Coverage {
		if !finite(l.Level) || l.Level < 0 || l.Level > 1 || !(l.Share >= 0 && l.Share <= 1) {
			continue
		}
		what := "at most p" + words.Number(100*l.Level)
		marks.points = append(marks.points, point{l.Level, l.Share})
		marks.values = append(marks.values, Value{"runs", what, l.Share}, Value{"runs", what + " low", l.Interval[0]},
			Value{"runs", what + " high", l.Interval[1]})
		if low, high := l.Interval[0], l.Interval[1]; low >= 0 && high <= 1 && low <= high {
			bars.spans = append(bars.spans, span{l.Level, low, high})
		}
		marks.says += words.When(marks.says != "", ", ")
		marks.says += fmt.Sprintf("%s within p%s", words.Percent(l.Share), words.Number(math.Round(1000*l.Level)/10))
	}
	n.layers = append(n.layers, marks, bars)
	places := slices.DeleteFunc(runs.Floats("pit"), func(x float64) bool { return !(x >= 0 && x <= 1) })
	if len(places) == 0 {
		return n
	}
	slices.Sort(places)
	line := newLine("", lookAt(0).faded(0.6), point{0, 0})
	for i := 0; i < len(places); i += 1 + len(places)/200 {
		line.add(places[i], float64(i+1)/float64(len(places)))
	}
	line.add(1, 1)
	n.layers = append(n.layers, line)
	return n
}

// placesPanel draws the histogram of the places of runs in their predicted distributions.
func placesPanel(b *result.Backtest) panel {
	n := panel{title: "Where runs fell in the prediction",
		notes: []string{"runs per tenth of the predicted distribution"}, high: 210,
		x: shareSteps().labelled("simulated times below the observed one")}
	low, high := b.PITRange[0], b.PITRange[1]
	bars := newBoxes("", lookAt(0).faded(0.75))
	bars.gap = 4
	classes := float64(len(b.PIT))
	for i, count := range b.PIT {
		if count > 0 {
			bars.boxes = append(bars.boxes, box{float64(i) / classes, 0, float64(i+1) / classes, float64(count)})
		}
	}
	if len(b.PIT) > 0 && b.Predicted > 0 {
		n.layers = append(n.layers, across("", dashedLook(style.Muted()), float64(b.Predicted)/classes))
	}
	n.layers = append(n.layers, bars)
	if 0 <= low && low <= high && b.Predicted > 0 {
		n.layers = append(n.layers, newBoxes("where 95% of the counts would lie, were predictions right",
			look{colour: style.Faint(), opacity: 0.7}, box{0, float64(low), 1, float64(high)})) // under the bars
	}
	n.y = linear(max(1, largest(n.ys()...))*1.06, true)
	return n
}

func calibrationCaption(b *result.Backtest) string {
	text := fmt.Sprintf("%s of %s, each predicted from runs of its job that had ended when it was submitted (at "+
		"least %s), at the tokens and on the input that it had. Left: the share of runs that took at most a quantile "+
		"of the predicted distribution, with 95%% Wilson intervals, which are wider where runs submitted in the same "+
		"hour are late together; on the dashed line, predictions are as sure as they claim. Right: the share of simulated times below the observed one, in tenths; with right predictions "+
		"every tenth holds as many runs (A. P. Dawid, 1984); too many at both ends mean that predictions are too "+
		"narrow, too many in the middle that they are too wide.", words.Of(b.Predicted, "run", "runs"),
		words.Of(b.Jobs, "recurring job", "recurring jobs"), words.Of(b.After, "run", "runs"))
	return text + words.When(finite(b.Sharpness), " The interval from p10 to p90 is %s of p50 wide (median).",
		words.Percent(b.Sharpness))
}
