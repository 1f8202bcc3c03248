package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// bubble is a number of runs with nearly the same guarantee and use.
type bubble struct {
	x, y float64
	n    int
}

// maxBubbles is the number of groups of runs that are drawn as discs; more become cells.
const maxBubbles = 150

// Guarantee draws the parallelism of runs against their guaranteed tokens, and the distribution of the ratio of the
// two, with the values published for Jockey. runs is the analysis's table, one row per run; without it, the
// distribution is drawn through the percentiles of the document, and the other panel is left out.
func Guarantee(a *result.Allocation, runs *result.Table, source Source) *Figure {
	bubbles, ratios, dropped := guaranteed(runs)
	ratio := newCurve("most at once", ratios, a.Ratio, lookAt(0))
	lasts := newCurve("sustained", runs.Floats("sustained_ratio"), a.SustainedRatio, lookAt(1))
	ratio.entry, lasts.entry = "most tasks at once", "but for the busiest 5% of the time"
	ratio.intervals, lasts.intervals = a.Intervals.Of["ratio"], a.Intervals.Of["sustained_ratio"]
	ratio.lift, lasts.lift = -5.5, 5.5
	below, above := jockeyGuarantee()
	low, high := 0.1, 20.0
	for _, c := range []*curve{ratio, lasts} {
		c.xs, c.ys = positive(c.xs, c.ys)
		c.marks = []string{"p10", "p50", "p90"}
		if n := len(c.xs); n > 0 {
			low, high = min(low, c.xs[0]), max(high, c.xs[n-1])
		}
	}
	unit, ten := plain(style.Muted()), dashedLook(style.Muted())
	right := distribution("Share of runs at or below a ratio",
		around(low, high).labelled("tasks at once / tokens guaranteed"), ratio, lasts)
	right.layers = append(right.layers, upright("all that is guaranteed", unit, 1), upright("ten times that", ten, 10),
		rings("published for Jockey", lookAt(0), point{1, below}, point{10, 1 - above}))
	lessThanOne, beyondTen := float64(a.ShareBelowGuarantee), float64(a.ShareAbove10x)
	note := words.Either(finite(lessThanOne, beyondTen), fmt.Sprintf("%s below 1, %s above 10; published %s and %s",
		words.Percent(lessThanOne), words.Percent(beyondTen), words.Percent(below), words.Percent(above)), "no run")
	right.high, right.notes = 260, []string{note}
	left := runsPanel(bubbles)
	c := &chart{about: "A scatter of runs and cumulative distributions",
		nothing: "no run has both a guarantee and known use", columns: 2,
		panels: []panel{left, right}}
	return c.figure("guarantee", "Tokens guaranteed and tasks run at once", guaranteeCaption(a, len(bubbles),
		len(ratio.intervals) > 0, dropped), source, Value{"runs", "share below 1", lessThanOne},
		Value{"runs", "share above 10", beyondTen}, Value{"runs, published", "share below 1", below},
		Value{"runs, published", "share above 10", above}, Value{"runs", "bubbles", float64(len(bubbles))})
}

// guaranteed returns the runs of a table, with similar ones merged, and the ratios of use to guarantee.
func guaranteed(runs *result.Table) (bubbles []bubble, ratios []float64, dropped int) {
	tokens, tasks := runs.Floats("guaranteed"), runs.Floats("max_parallelism")
	groups := map[[2]int]*bubble{}
	for i := range min(len(tokens), len(tasks)) {
		x, y := tokens[i], tasks[i]
		if !(x > 0 && y > 0) || !finite(x, y) {
			dropped++
			continue
		}
		ratios = append(ratios, y/x)
		at := [2]int{bin(x), bin(y)}
		if groups[at] == nil {
			groups[at] = &bubble{x: x, y: y}
		}
		groups[at].n++
	}
	for _, b := range groups {
		bubbles = append(bubbles, *b)
	}
	slices.SortFunc(bubbles, func(a, b bubble) int { // the largest first: small ones lie on top
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	return bubbles, ratios, dropped
}

// bin returns the number of the bin of x; a factor of ten has eight bins.
func bin(x float64) int { return int(math.Floor(8*math.Log10(x) + 1e-9)) }

// edge returns where a bin begins.
func edge(bin int) float64 { return math.Pow(10, float64(bin)/8) }

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

// runsPanel draws a bubble for runs of nearly the same guarantee and use, or cells in five shades by the logarithm of
// their numbers, with the lines of use equal to the guarantee and ten times as much.
func runsPanel(bubbles []bubble) panel {
	xs, ys := []float64{1, 10}, []float64{1, 10}
	for _, b := range bubbles {
		xs, ys = append(xs, b.x), append(ys, b.y)
	}
	n := panel{title: "Runs", notes: []string{"most tasks at once"}, high: 260,
		x: around(slices.Min(xs), slices.Max(xs)).labelled("tokens guaranteed"), y: around(slices.Min(ys), slices.Max(ys))}
	for i, l := range []look{plain(style.Muted()), dashedLook(style.Muted())} {
		factor := math.Pow10(i)
		if from, to := max(n.x.min, n.y.min/factor), min(n.x.max, n.y.max/factor); from < to {
			n.layers = append(n.layers, newRule("", l, point{from, from * factor}, point{to, to * factor}))
		}
	}
	if len(bubbles) == 0 {
		n.nothing = "no run to show"
		return n
	}
	n.layers = append(n.layers, bubbleLayer(bubbles))
	return n
}

// bubbleLayer draws groups of runs, the largest first, as discs or cells.
func bubbleLayer(bubbles []bubble) layer {
	most := float64(bubbles[0].n)
	says := words.Of(len(bubbles), "group", "groups") + " of like runs"
	if len(bubbles) > maxBubbles {
		cells := newBoxes("", lookAt(0))
		cells.says = says
		for _, b := range bubbles {
			shade := min(4, math.Floor(5*math.Log(float64(b.n))/math.Log(most+1)))
			cells.boxes = append(cells.boxes,
				box{edge(bin(b.x)), edge(bin(b.y)), edge(bin(b.x) + 1), edge(bin(b.y) + 1)})
			cells.shades = append(cells.shades, (shade+1)/5)
		}
		return cells
	}
	discs := newMarks("", lookAt(0))
	discs.says = says
	for _, b := range bubbles {
		discs.points = append(discs.points, point{b.x, b.y})
		discs.radii = append(discs.radii, max(2, min(11, 4*math.Sqrt(most))*math.Sqrt(float64(b.n)/most)))
	}
	return discs
}

func guaranteeCaption(a *result.Allocation, bubbles int, intervals bool, dropped int) string {
	text := fmt.Sprintf("%s with a guarantee and known use", words.Of(a.Jobs, "run", "runs"))
	left := int64(0)
	for _, n := range a.LeftOut {
		left += n
	}
	text += words.When(left > 0, " (%s left out)", words.Count(left))
	text += ". Left: the most tasks that ran at once, against the tokens guaranteed; "
	text += words.Either(bubbles > maxBubbles, "darker where more runs lie.",
		"runs that are nearly alike are one disc, of an area in proportion to their number.")
	text += " Below the line a run never used its guarantee. Right: cumulative distribution of the ratio of the two, " +
		"and of the same but for the busiest twentieth of a run's time: attempts that hand a slot over overlap by " +
		"milliseconds in many logs. Marks: the 10th, 50th and 90th percentile"
	text += words.When(intervals, "; pale bars: their %s intervals (%s)", words.Percent(level(a.Intervals)),
		method(a.Intervals))
	text += ". Open marks: in a Microsoft cluster one job in three never reached its guarantee and one in four " +
		"exceeded it tenfold (Jockey, EuroSys 2012)."
	n := a.ByBasis["allocations"]
	text += words.When(n > 0, " For %s without times of single tasks, the most tokens held.", words.Of(n, "run", "runs"))
	text += words.When(dropped > 0, " %s without a finite value left out.", words.Of(dropped, "run", "runs"))
	return text
}
