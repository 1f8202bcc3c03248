package figure

import (
	"fmt"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
)

// Shape draws metrics of runs' stage graphs: one small cumulative distribution per metric, over all runs with stages,
// with the percentiles published for Microsoft's graphs (Carbyne). runs is the analysis's table, one row per run;
// without it, the distributions are drawn through the percentiles of the document.
func Shape(d *result.DAG, runs *result.Table, source Source) *Figure {
	c := &chart{about: "Small cumulative distributions", nothing: "no run has stages", columns: 4, narrow: 2,
		sharedY: true}
	var curves []*curve
	for _, m := range []struct {
		column, title string
		of            result.Summary
		whole         bool
		write         func(float64) string
	}{
		{"stages", "stages", d.Stages, true, words.Number[float64]},
		{"barriers", "barriers", d.Barriers, true, words.Number[float64]},
		{"synchronisations", "synchronisations", d.Synchronisations, true, words.Number[float64]},
		{"width", "width, stages", d.Width, true, words.Number[float64]},
		{"critical_path_stages", "critical path, stages", d.CriticalPathStages, true, words.Number[float64]},
		{"critical_path_s", "critical path, seconds", d.CriticalPathS, false, words.Number[float64]},
		{"disjoint_paths", "disjoint paths", d.DisjointPaths, true, words.Number[float64]},
		{"input_work", "input work, share", d.InputWork, false, words.Percent[float64]},
	} {
		v := newCurve(m.title, runs.Floats(m.column), m.of, lookAt(0))
		v.intervals, v.marks, v.published, v.write = d.Intervals.Of[m.column], []string{"p50", "p95"},
			papers.CarbyneShape(m.column), m.write
		v.entry = "runs of this trace, with median and 95th percentile"
		near := lists.Kept(v.published, func(p papers.Percentile) bool { return p.X <= 2.5*m.of.Max })
		x := chooseAxis([][]float64{v.xs}, lists.Map(near, func(p papers.Percentile) float64 { return p.X }), m.whole)
		if m.column == "input_work" {
			x = chooseAxis(nil, nil, false)
		}
		n := distribution(m.title, x.in(m.write), v)
		n.notes = append([]string{v.summary()}, publishedNote(v.published, m.write)...)
		c.panels, curves = append(c.panels, n), append(curves, v)
	}
	c.panels = given(d.Stages.N > 0, c.panels...)
	c.key = []entry{spotEntry("published for Microsoft (Carbyne)", lookAt(0), true)}
	return c.figure("dag-shape", "Shape of the stage graphs", shapeCaption(d, c.panels, curves), source)
}

// publishedNote states the published values, if any.
func publishedNote(published []papers.Percentile, write func(float64) string) []string {
	var parts []string
	for _, m := range published {
		switch m.What {
		case "p50":
			parts = append(parts, write(m.X))
		case "p95":
			parts = append(parts, "95% ≤ "+write(m.X))
		}
	}
	return given(len(parts) > 0, "published "+strings.Join(parts, ", "))
}

func shapeCaption(d *result.DAG, panels []panel, curves []*curve) string {
	text := fmt.Sprintf("Cumulative distributions over %s with at least one stage", words.Of(d.Jobs, "run", "runs"))
	text += words.When(d.WithoutStages > 0, " (%s without stages left out)", words.Count(d.WithoutStages))
	text += ": share of runs at or below x."
	for _, c := range curves {
		text += words.When(c.of.N < d.Jobs && c.of.N > 0, " %s: n = %s.", words.Capital(c.name), words.Count(c.of.N))
	}
	text += intervalNote(d.Intervals, curves...) + " Open circles: published percentiles of jobs at Microsoft " +
		"(Carbyne, OSDI 2016, Table 1), where there are any. Edges that only the driver imposes are left out. " +
		"Barriers are stages with more than one parent, synchronisations all-to-all edges; width is the most stages " +
		"that could run at once, input work the share of task-seconds in stages without parents."
	return text + beyondAxes(panels)
}

// beyondAxes states how many runs lie beyond the ends of axes.
func beyondAxes(panels []panel) (text string) {
	for i := range panels {
		text += words.When(panels[i].x.beyond > 0, " %s: %s of the axis.", words.Capital(panels[i].title),
			words.Of(panels[i].x.beyond, "run lies beyond the end", "runs lie beyond the end"))
	}
	return text
}
