package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// Guarantee draws the parallelism of runs against their guaranteed tokens, and the distribution of the ratio of the
// two, with the values published for Jockey. runs is the analysis's table, one row per run; without it, the
// distribution is drawn through the percentiles of the document, and the other panel is left out.
func Guarantee(a *result.Allocation, runs *result.Table, source Source) *Figure {
	points, dropped := guaranteed(runs)
	ratios := lists.Map(points, func(q point) float64 { return q.y / q.x })
	ratio := newCurve("most at once", ratios, a.Ratio, lookAt(0))
	lasts := newCurve("sustained", runs.Floats("sustained_ratio"), a.SustainedRatio, lookAt(1))
	ratio.entry, lasts.entry = "most tasks at once", "but for the busiest 5% of the time"
	ratio.intervals, lasts.intervals = a.Intervals.Of["ratio"], a.Intervals.Of["sustained_ratio"]
	ratio.lift, lasts.lift = -5.5, 5.5
	below, above := papers.JockeyGuarantee()
	low, high := 0.1, 20.0
	curves := []*curve{ratio, lasts}
	for _, c := range curves {
		c.xs, c.ys = positive(c.xs, c.ys)
		c.marks = []string{"p10", "p50", "p90"}
		if n := len(c.xs); n > 0 {
			low, high = min(low, c.xs[0]), max(high, c.xs[n-1])
		}
	}
	unit, ten := plain(style.Muted()), dashedLook(style.Muted())
	right := distribution("Share of runs at or below a ratio",
		around(low, high).labelled("tasks at once / tokens guaranteed"), curves...)
	right.layers = append(right.layers, upright("all that is guaranteed", unit, 1), upright("ten times that", ten, 10),
		rings("published for Jockey", lookAt(0), point{1, below}, point{10, 1 - above}))
	lessThanOne, beyondTen := float64(a.ShareBelowGuarantee), float64(a.ShareAbove10x)
	note := words.Either(finite(lessThanOne, beyondTen), fmt.Sprintf("%s below 1, %s above 10; published %s and %s",
		words.Percent(lessThanOne), words.Percent(beyondTen), words.Percent(below), words.Percent(above)), "no run")
	right.high, right.notes = 260, []string{note}
	c := &chart{about: "A scatter of runs and cumulative distributions",
		nothing: "no run has both a guarantee and known use", columns: 2, panels: []panel{runsPanel(points), right}}
	return c.figure("guarantee", "Tokens guaranteed and tasks run at once", guaranteeCaption(a, curves, dropped), source,
		Value{"runs", "share below 1", lessThanOne}, Value{"runs", "share above 10", beyondTen}, Value{"runs, published", "share below 1", below},
		Value{"runs, published", "share above 10", above}, Value{"runs", "dots", float64(len(points))})
}

// guaranteed returns the tokens and the most tasks at once of the runs of a table, and the number of runs whose values
// are not finite and above 0.
func guaranteed(runs *result.Table) (points []point, dropped int) {
	tokens, tasks := runs.Pairs("guaranteed", "max_parallelism")
	for i, x := range tokens {
		if y := tasks[i]; x > 0 && y > 0 && finite(x, y) {
			points = append(points, point{x, y})
		} else {
			dropped++
		}
	}
	return points, dropped
}

// positive leaves out the points of an ascending curve at and below zero.
func positive(xs, ys []float64) ([]float64, []float64) {
	for len(xs) > 0 && !(xs[0] > 0) {
		xs, ys = xs[1:], ys[1:]
	}
	return xs, ys
}

// around returns a logarithmic axis with room on both sides of lo and hi, which must be positive.
func around(lo, hi float64) axis {
	lo, hi = max(lo, 1e-6), min(max(hi, lo), 1e12)
	return logarithmic(lo*0.8, hi*1.25, roundSteps(lo, hi))
}

// runsPanel draws the runs with the lines of use equal to the guarantee and ten times as much.
func runsPanel(points []point) panel {
	xs, ys := []float64{1, 10}, []float64{1, 10}
	for _, q := range points {
		xs, ys = append(xs, q.x), append(ys, q.y)
	}
	n := panel{title: "Runs", notes: []string{"most tasks at once"}, high: 260,
		x: around(slices.Min(xs), slices.Max(xs)).labelled("tokens guaranteed"), y: around(slices.Min(ys), slices.Max(ys))}
	for i, l := range []look{plain(style.Muted()), dashedLook(style.Muted())} {
		factor := math.Pow10(i)
		if from, to := max(n.x.min, n.y.min/factor), min(n.x.max, n.y.max/factor); from < to {
			n.layers = append(n.layers, newRule("", l, point{from, from * factor}, point{to, to * factor}))
		}
	}
	if len(points) == 0 {
		n.nothing = "no run to show"
		return n
	}
	dots := &crowdLayer{told{look: lookAt(0), says: words.Of(len(points), "run", "runs")}, points, 2}
	n.layers = append(n.layers, dots)
	return n
}

func guaranteeCaption(a *result.Allocation, curves []*curve, dropped int) string {
	text := fmt.Sprintf("%s with a guarantee and known use", words.Of(a.Jobs, "run", "runs"))
	left := lists.Total(a.LeftOut)
	text += words.When(left > 0, " (%s left out)", words.Count(left))
	text += ". Left: the most tasks that ran at once, against the tokens guaranteed. Each dot is a run, larger where it " +
		"stands for several at one place. Below the line a run never used its guarantee. Right: cumulative " +
		"distribution of the ratio of the two, " +
		"and of the same but for the busiest twentieth of a run's time: attempts that hand a slot over overlap by " +
		"milliseconds in many logs. Marks: the 10th, 50th and 90th percentile." +
		intervalNote(a.Intervals, curves...) + " Open marks: in a Microsoft cluster one job in three never reached its " +
		"guarantee and one in four exceeded it tenfold (Jockey, EuroSys 2012)."
	n := a.ByBasis["allocations"]
	text += words.When(n > 0, " For %s without times of single tasks, the most tokens held.", words.Of(n, "run", "runs"))
	text += words.When(dropped > 0, " %s without a finite value left out.", words.Of(dropped, "run", "runs"))
	return text
}
