package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// Tails draws, for each set of fitted numbers, the share that is at least x, on logarithmic scales, with the
// likeliest member of every family. A power law is a straight line, and the families' probabilities of the
// largest values can be compared.
func Tails(w *result.Workload, source Source) *Figure {
	c := &chart{about: "Falling curves with fitted distributions", nothing: "nothing to fit", columns: 2,
		key: []entry{lineEntry("best by AIC", plain(style.Muted()).heavy())}}
	sets := lists.Kept(w.Fits, plottable)
	c.panels = lists.Map(sets, tailPanel)
	return c.figure("tails", "Tails, and the distributions fitted to them", tailsCaption(sets), source)
}

// HasTails reports whether there is a set of numbers to draw.
func HasTails(w *result.Workload) bool { return slices.ContainsFunc(w.Fits, plottable) }

// plottable reports whether a set has a curve: at least two different positive numbers.
func plottable(f result.Fitted) bool {
	for i, q := range f.Curve {
		if !finite(q.X) || !(q.X > 0) || !(q.Share > 0 && q.Share <= 1) || i > 0 && q.X <= f.Curve[i-1].X {
			return false
		}
	}
	return len(f.Curve) > 1
}

// FamilyName returns the display name of a family.
func FamilyName(family string) string {
	switch family {
	case "weibull", "pareto":
		return words.Capital(family)
	}
	return words.Shorten(family, 20)
}

// tailPanel draws a set of numbers and the families fitted to it.
func tailPanel(f result.Fitted) panel {
	first, last := f.Curve[0], f.Curve[len(f.Curve)-1]
	x := roundAxis(first.X, last.X)
	if f.Unit == "s" {
		x = secondsAxis(first.X, last.X)
	}
	low := max(last.Share/2, 1e-9)
	n := panel{title: words.Capital(f.What), notes: []string{tailNote(f)}, x: x,
		y: roundAxis(low, 1).in(oneIn), high: 190}
	of := words.Shorten(f.Of, 40)
	seen := newMarks("observed", lookAt(0), lists.Map(f.Curve, func(q result.Point) point { return point{q.X, q.Share} })...)
	seen.specks = 3
	seen.values = []Value{{of, "n", float64(f.N)}}
	seen.values = append(seen.values, given(f.Open+f.Lost > 0, Value{of, "not ended, fitted", float64(f.Open)},
		Value{of, "not ended, left out", float64(f.Lost)})...)
	n.layers = []layer{seen}
	colours := []string{"lognormal", "weibull", "gamma", "exponential", "pareto"}
	for i, fit := range f.Families {
		look := plain(style.Muted())
		if k := slices.Index(colours, fit.Family); k >= 0 {
			look = lookAt(k + 1).thin(1.3)
		}
		if i == 0 {
			look = look.heavy()
			seen.says = "the " + FamilyName(fit.Family) + " fits best"
		}
		line := newLine(FamilyName(fit.Family), look)
		if len(fit.Above) == len(f.At) {
			line.points = untilBelow(f.At, fit.Above, low)
		}
		line.values = []Value{{of, fit.Family + " delta AIC", fit.DeltaAIC}, {of, fit.Family + " D", fit.KS},
			{of, fit.Family + " p", float64(fit.PKS)}}
		n.layers = append(n.layers, line)
	}
	if f.Tail != nil {
		tail := newMarks("", lookAt(0))
		tail.values = []Value{{of, "tail from", f.Tail.From}, {of, "tail alpha", f.Tail.Alpha}}
		n.layers = append(n.layers, tail)
	}
	return n
}

// untilBelow returns a falling curve, which ends at the lower end of the axis.
func untilBelow(xs, ys []float64, low float64) (out []point) {
	for i, y := range ys {
		if out = append(out, point{xs[i], y}); y < low {
			break
		}
	}
	return out
}

// tailNote states the number of values and the fit of the best family.
func tailNote(f result.Fitted) string {
	note := "n = " + words.Count(f.N)
	note += words.When(f.Open > 0, ", %s not ended", words.Count(f.Open))
	note += words.When(f.Lost > 0, ", %s left out", words.Count(f.Lost))
	if len(f.Families) == 0 {
		return note
	}
	best := &f.Families[0]
	note += fmt.Sprintf("; %s: D = %s", FamilyName(best.Family), words.Number(best.KS))
	if p := float64(best.PKS); finite(p) {
		note += ", " + pText(p, f.Resamples)
	}
	return note
}

// pText writes a bootstrap p-value, which is at least 1/(resamples+1).
func pText(p float64, resamples int) string {
	return words.Either(resamples > 0 && p <= 1.5/float64(resamples+1), "p ≤ "+words.Number(math.Ceil(p*1000)/1000),
		"p = "+words.Number(p))
}

func tailsCaption(sets []result.Fitted) string {
	text := "Share of values that are at least x, both axes logarithmic"
	var parts []string
	open, resamples := false, 0
	for _, f := range sets {
		resamples = max(resamples, f.Resamples)
		part := fmt.Sprintf("%s, n = %s", words.Printable(f.What), words.Count(f.N))
		if f.Open > 0 {
			part += fmt.Sprintf(" and %s that had not ended", words.Count(f.Open))
			open = true
		}
		part += words.When(f.Lost > 0, " (%s had not ended, start time unknown, and are left out)", words.Count(f.Lost))
		parts = append(parts, part)
	}
	text += words.When(len(parts) > 0, ": %s", strings.Join(parts, "; "))
	text += ". Lines: the likeliest member of each family, the best by AIC heavy. D: largest difference between the " +
		"cumulative distributions; p: share of samples of the fitted distribution that lie as far from their own fit " +
		"(parametric bootstrap"
	text += words.When(resamples > 0, ", %s", words.Of(resamples, "resample", "resamples"))
	text += "); textbook p-values do not hold for fitted parameters."
	text += words.When(open, " Runs and attempts that had not ended count as longer than they were seen to last: "+
		"dots are then the estimate of Kaplan and Meier, and the fits are not tested.")
	for _, f := range sets {
		if int64(f.Tested) < f.N && f.Tested > 0 {
			text += fmt.Sprintf(" Tests of large sets are on %s values drawn from them.", words.Count(f.Tested))
			break
		}
	}
	return text
}
