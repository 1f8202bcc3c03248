package figure

import (
	"fmt"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// maxChanges bounds the jobs in a drawing of changes.
const maxChanges = 20

// Changes draws the relative change of jobs between two periods, with intervals. why returns the cause of a job's
// change in a few words.
func Changes(d *result.Comparison, why func(*result.ChangeCause) string, source Source) *Figure {
	slower := newMarks("slower", look{colour: style.Alert()})
	faster := newMarks("faster", lookAt(2))
	same := rings("no change found", look{colour: style.Muted()})
	bars := rowSpans("95% interval", look{colour: style.Muted()})
	n := panel{rowHeight: 24, upright: true}
	for _, j := range d.Jobs {
		ratio := 1 + float64(j.Change)
		if len(n.rows) == maxChanges || !finite(ratio) || ratio <= 0 {
			continue
		}
		y := rowAt(len(n.rows))
		marks, note := same, ""
		if j.Changed {
			if marks = slower; ratio < 1 {
				marks = faster
			}
			note, n.rowHeight = why(&j.Cause), 30 // two lines
		}
		marks.points = append(marks.points, point{ratio, y})
		low, high := max(1e-3, 1+float64(j.Interval[0])), 1+float64(j.Interval[1])
		if finite(low, high) && low <= high {
			bars.spans = append(bars.spans, span{y, low, high})
		}
		slower.values = append(slower.values, Value{j.Job, "change", float64(j.Change)},
			Value{j.Job, "change low", float64(j.Interval[0])}, Value{j.Job, "change high", float64(j.Interval[1])},
			Value{j.Job, "p", float64(j.PValue)})
		n.row(category{name: words.Shorten(j.Job, 40), note: note},
			words.Seconds(j.Before.P50)+" → "+words.Seconds(j.After.P50))
	}
	n.layers = []layer{slower, faster, same, bars, upright("", plain(style.Ink()), 1)}
	lo, hi := min(0.8, slices.Min(n.xs())), max(1.25, slices.Max(n.xs()))
	n.x = logarithmic(max(lo, hi/1e6)/1.05, hi*1.05, ratioSteps(lo, hi))
	n.x.write, n.x.label = func(x float64) string { return SignedShare(x - 1) }, "change of the median completion time"
	slower.says = fmt.Sprintf("%s of %s changed", words.Count(d.Changed()), words.Of(d.Compared, "job", "jobs"))
	c := &chart{about: "Changes of jobs between two periods", nothing: "no job has enough runs in both periods",
		panels: withRows(n)}
	return c.figure("changes", "Which jobs became slower or faster", changesCaption(d, len(n.rows)), source,
		Value{"jobs", "compared", float64(d.Compared)}, Value{"jobs", "changed", float64(d.Changed())})
}

// SignedShare writes a change as a share.
func SignedShare(x float64) string {
	switch {
	case x > 0:
		return "+" + words.Percent(x)
	case x < 0:
		return "−" + words.Percent(-x)
	}
	return words.Percent(x) // zero, or not known
}

// ratioSteps returns round ratios for a logarithmic axis of changes.
func ratioSteps(lo, hi float64) []float64 {
	switch {
	case hi/lo < 3:
		return []float64{0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3}
	case hi/lo < 30:
		return []float64{0.05, 0.1, 0.2, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20}
	}
	return powers(1)
}

func changesCaption(d *result.Comparison, shown int) string {
	text := fmt.Sprintf("%s of %s with enough runs in both periods changed, at a corrected p-value below %s.",
		words.Count(d.Changed()), words.Of(d.Compared, "job", "jobs"), words.Number(d.Level))
	text += words.When(shown < d.Compared, " Shown are the %d with most time at stake.", shown)
	text += " Marks: the change of the median completion time of the runs that succeeded; bars: its 95% interval " +
		"(Price and Bonett). p-values are by ranks, corrected for the number of jobs (Benjamini and Hochberg)."
	return text
}
