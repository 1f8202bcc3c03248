package figure

import (
	"fmt"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// CoV draws the variation of recurring jobs' completion times from run to run: the distribution, over jobs, of
// the coefficient of variation, once over all runs of a job and once over groups of runs whose inputs are within
// 10%. The values published for Jockey are drawn next to it.
func CoV(r *result.Recurrence, source Source) *Figure {
	jobs := lists.Map(r.Jobs, func(j result.RecurringJob) float64 { return j.CoV })
	groups := lists.Map(r.Groups, func(g result.SimilarInputSet) float64 { return g.CoV })
	all := newCurve("all runs of a job", jobs, r.CoV, lookAt(0))
	similar := newCurve("inputs within 10%", groups, r.CoVSimilarInput, lookAt(1))
	all.published, similar.published = papers.JockeyCoV()
	all.intervals, similar.intervals = r.Intervals.Of["cov"], r.Intervals.Of["cov_similar_input"]
	all.lift, similar.lift = -5.5, 5.5
	x := chooseAxis([][]float64{all.xs, similar.xs}, []float64{all.published[2].X}, false).in(words.Percent).
		labelled("standard deviation / mean of the completion time")
	medians := &nameLayer{above: true}
	for _, c := range []*curve{all, similar} {
		c.marks, c.write = []string{"p10", "p50", "p90"}, words.Percent
		p50 := percentile(c.of, "p50")
		medians.marks = append(append(medians.marks, lists.Map(c.published, printed)...), point{p50, 0.5})
		for p := 0.4; p < 0.6 && len(c.xs) > 1; p += 0.01 { // the words do not cover the curve
			medians.marks = append(medians.marks, point{c.quantile(p), p})
		}
		medians.names = append(medians.names, named{point{p50, 0.5}, words.Percent(p50), c.look, true})
	}
	all.entry = fmt.Sprintf("%s (%s)", all.name, words.Of(all.of.N, "job", "jobs"))
	similar.entry = fmt.Sprintf("%s (%s)", similar.name, words.Of(similar.of.N, "group", "groups"))
	n := distribution("", x, all, similar)
	n.layers = append(n.layers, medians)
	n.notes, n.high = []string{"share of jobs or groups at or below"}, 280
	c := &chart{about: "Cumulative distributions of the coefficient of variation",
		nothing: "no job recurs often enough to be shown", panels: given(all.of.N > 0, n),
		key: []entry{spotEntry("published for Jockey", plain(style.Muted()), true)}}
	return c.figure("cov", "Variation of completion time from run to run", covCaption(r, all, similar, x), source)
}

func covCaption(r *result.Recurrence, all, similar *curve, x axis) string {
	counted := words.When(r.Unstated == 0, "succeeded ")
	text := fmt.Sprintf("Cumulative distributions over %s (at least %s each) and over %s of at least three runs of "+
		"one job whose inputs are within 10%% of the smallest.", words.Of(all.of.N, "recurring job", "recurring jobs"),
		words.Of(r.MinRuns, counted+"run", counted+"runs"), words.Of(similar.of.N, "group", "groups"))
	switch {
	case all.single() || similar.single():
		text += " Fewer than five jobs or groups are single marks."
	case all.few() || similar.few():
		text += " Small dots are single jobs or groups; lines join them."
	}
	text += " Larger marks: the 10th, 50th and 90th percentile." + intervalNote(r.Intervals, all, similar)
	dropped := all.dropped + similar.dropped
	text += words.When(dropped > 0, " %s without a finite value left out.",
		words.Of(dropped, "job or group", "jobs or groups"))
	text += words.When(x.beyond > 0, " %s beyond the end of the axis.", words.Of(x.beyond, "value lies", "values lie"))
	text += " Open marks: the same percentiles in a Microsoft cluster (Jockey, EuroSys 2012, Table 1)"
	published := slices.Concat(all.published, similar.published)
	beyond := lists.Kept(published, func(p papers.Percentile) bool { return p.X > x.max })
	out := lists.Map(beyond, func(p papers.Percentile) string { return words.Percent(p.X) })
	text += words.When(len(out) > 0, "; its 99th %s, %s, %s beyond the axis",
		words.Noun(len(out), "percentile", "percentiles"), words.List(out), words.Noun(len(out), "lies", "lie"))
	return text + "."
}
