package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// CoV draws how much the completion times of recurring jobs vary from run to run: the distribution, over jobs, of the
// coefficient of variation, once over all runs of a job and once over groups of runs whose inputs are within 10%, with the
// values published for Jockey beside them.
func CoV(r *result.Recurrence, source Source) *Figure {
	var jobs, groups []float64
	for i := range r.Jobs {
		jobs = append(jobs, r.Jobs[i].CoV)
	}
	for i := range r.Groups {
		groups = append(groups, r.Groups[i].CoV)
	}
	all := newCurve("all runs of a job", jobs, r.CoV, style.SeriesAt(0))
	similar := newCurve("inputs within 10%", groups, r.CoVSimilarInput, style.SeriesAt(1))
	all.published, similar.published = jockeyCoV()
	all.intervals, similar.intervals = r.Intervals.Of["cov"], r.Intervals.Of["cov_similar_input"]
	all.marks, similar.marks = []string{"p10", "p50", "p90"}, []string{"p10", "p50", "p90"}
	x := chooseAxis([][]float64{all.xs, similar.xs}, []float64{all.published[2].x}, false)

	f := &Figure{Name: "cov", Title: "Variation of completion time from run to run", source: source}
	f.Values = append(all.values(), similar.values()...)
	f.Caption = covCaption(r, &all, &similar, x) + " " + source.String()
	f.Alt = covAlt(r)
	f.plan = func(width float64) sheet { return covSheet(width, x, &all, &similar) }
	return f
}

func covSheet(width float64, x axis, all, similar *curve) sheet {
	k := key{
		{keyLine, all.colour.Light, fmt.Sprintf("%s (%s)", all.name, style.Of(int64(all.of.N), "job", "jobs"))},
		{keyLine, similar.colour.Light, fmt.Sprintf("%s (%s)", similar.name, style.Of(int64(similar.of.N), "group", "groups"))},
	}
	if len(all.intervals)+len(similar.intervals) > 0 {
		k = append(k, keyEntry{keyBand, style.Muted().Alpha(barOpacity), "95% interval"})
	}
	k = append(k, keyEntry{keyRing, style.Muted().Light, "published for Jockey"})
	head := k.height(newFaces(), width) + 26
	plotHeight := 300.0
	if width < 500 {
		plotHeight = 250
	}
	return sheet{height: head + plotHeight, draw: func(p *pen) {
		k.draw(p, width)
		p.text("share of jobs or groups at or below", 0, head-10, smallText())
		plt := newPlot(p, x, width-40, "standard deviation / mean of the completion time", style.Percent)
		plt.Y.Tick.Marker = shares{labels: true}
		plt.Add(grid{}, bars{similar, 5.5}, bars{all, -5.5}, similar, all)
		plt.Add(discs{similar}, discs{all}, medians{p.faces, all, similar})
		plt.Draw(p.area(rect{0, head - 4, width, plotHeight + 4}))
		if len(all.xs)+len(similar.xs) == 0 {
			p.text("no recurring job", width/2, head+plotHeight/2, centred())
		}
	}}
}

// medians writes the medians of two curves beside their marks, each on the side where the other is not.
type medians struct {
	faces faces
	a, b  *curve
}

// Plot implements [plot.Plotter].
func (m medians) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	a, b := percentile(m.a.of, "p50"), percentile(m.b.of, "p50")
	put := func(k *curve, v float64, right bool) {
		if !(v >= p.X.Min && v <= p.X.Max) {
			return
		}
		t := text{bold: true, colour: k.colour.Light}
		label := style.Percent(v)
		at := vg.Point{X: x(v) + 9, Y: y(0.5) - 18}
		if !right {
			at = vg.Point{X: x(v) - 9 - vg.Points(m.faces.width(label, t)), Y: y(0.5) + 11}
		}
		c.SetColor(t.colour)
		c.FillString(m.faces.cache.Lookup(t.font(), t.font().Size), at, label)
	}
	put(m.a, a, !(a < b))
	put(m.b, b, a < b)
}

func covCaption(r *result.Recurrence, all, similar *curve, x axis) string {
	text := fmt.Sprintf("Cumulative distributions over %s (at least %s each) and over %s of at least three runs of one job "+
		"whose inputs are within 10%% of the smallest.", style.Of(int64(all.of.N), "recurring job", "recurring jobs"),
		style.Of(int64(r.MinRuns), "succeeded run", "succeeded runs"), style.Of(int64(similar.of.N), "group", "groups"))
	if all.few() || similar.few() {
		text += " Small dots are single jobs or groups; lines join them."
	}
	text += " Discs mark the 10th, 50th and 90th percentile"
	if len(all.intervals)+len(similar.intervals) > 0 {
		text += fmt.Sprintf(", pale bars their %s intervals (%s)", style.Percent(level(r.Intervals)), method(r.Intervals))
	}
	text += "."
	if n := all.dropped + similar.dropped; n > 0 {
		text += fmt.Sprintf(" %s without a finite value left out.", style.Of(int64(n), "job or group", "jobs or groups"))
	}
	if x.beyond > 0 {
		text += fmt.Sprintf(" %s beyond the end of the axis.", style.Of(int64(x.beyond), "value lies", "values lie"))
	}
	text += " Open circles: the same percentiles in a Microsoft cluster (Jockey, EuroSys 2012, Table 1)"
	var out []string
	for _, m := range append(append([]mark(nil), all.published...), similar.published...) {
		if m.x > x.max {
			out = append(out, style.Percent(m.x))
		}
	}
	if len(out) > 0 {
		text += "; its 99th " + style.Noun(int64(len(out)), "percentile", "percentiles") + ", " + style.List(out) + ", " +
			style.Noun(int64(len(out)), "lies", "lie") + " beyond the axis"
	}
	return text + "."
}

func covAlt(r *result.Recurrence) string {
	if r.CoV.N == 0 {
		return "No job recurs often enough to be shown."
	}
	text := fmt.Sprintf("Two cumulative curves. Over %s the median coefficient of variation is %s, the 90th percentile %s.",
		style.Of(int64(r.CoV.N), "recurring job", "recurring jobs"), style.Percent(r.CoV.P50), style.Percent(r.CoV.P90))
	if r.CoVSimilarInput.N > 0 {
		text += fmt.Sprintf(" Over %s of runs with similar input they are %s and %s.",
			style.Of(int64(r.CoVSimilarInput.N), "group", "groups"), style.Percent(r.CoVSimilarInput.P50),
			style.Percent(r.CoVSimilarInput.P90))
	}
	return text
}

// level returns the level of intervals; 95% where none is stated.
func level(i result.Intervals) float64 {
	if i.Level > 0 && !math.IsNaN(i.Level) {
		return i.Level
	}
	return 0.95
}

func method(i result.Intervals) string {
	text := i.Method
	if text == "" {
		text = "bootstrap"
	}
	if i.Resamples > 0 {
		text += ", " + style.Of(int64(i.Resamples), "resample", "resamples")
	}
	return text
}
