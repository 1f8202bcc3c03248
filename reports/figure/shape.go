package figure

import (
	"fmt"
	"math"
	"strings"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Shape draws how the stage graphs of runs are shaped: one small cumulative distribution per metric, over all runs with
// stages, with the percentiles published for Microsoft's graphs (Carbyne) beside them. runs is the analysis's table, one
// row per run; without it the distributions are drawn through the percentiles of the document.
func Shape(d *result.DAG, runs *result.Table, source Source) *Figure {
	panels := shapePanels(d, runs)
	f := &Figure{Name: "dag-shape", Title: "Shape of the stage graphs", source: source}
	f.Caption = shapeCaption(d, panels) + " " + source.String()
	f.Alt = shapeAlt(d)
	for i := range panels {
		f.Values = append(f.Values, panels[i].curve.values()...)
	}
	f.plan = func(width float64) sheet { return shapeSheet(width, panels) }
	return f
}

func shapePanels(d *result.DAG, runs *result.Table) []panel {
	metrics := []struct {
		column, title string
		of            result.Summary
		whole         bool
		write         func(float64) string
	}{
		{"stages", "stages", d.Stages, true, style.Number},
		{"barriers", "barriers", d.Barriers, true, style.Number},
		{"synchronisations", "synchronisations", d.Synchronisations, true, style.Number},
		{"width", "width, stages", d.Width, true, style.Number},
		{"critical_path_stages", "critical path, stages", d.CriticalPathStages, true, style.Number},
		{"critical_path_s", "critical path, seconds", d.CriticalPathS, false, style.Number},
		{"disjoint_paths", "disjoint paths", d.DisjointPaths, true, style.Number},
		{"input_work", "input work, share", d.InputWork, false, style.Percent},
	}
	panels := make([]panel, len(metrics))
	for i, m := range metrics {
		var values []float64
		if runs != nil {
			values = runs.Floats(m.column)
		}
		c := newCurve(m.title, values, m.of, style.SeriesAt(0))
		c.intervals, c.marks, c.published = d.Intervals.Of[m.column], []string{"p50", "p95"}, carbyneShape(m.column)
		var extra []float64
		for _, p := range c.published {
			if p.x <= 2.5*m.of.Max {
				extra = append(extra, p.x)
			}
		}
		panels[i] = panel{title: m.title, note: printed(c.published, m.write), curve: c, write: m.write, axis: chooseAxis([][]float64{c.xs}, extra, m.whole)}
		if m.column == "input_work" {
			panels[i].axis = chooseAxis(nil, nil, false)
		}
	}
	return panels
}

func shapeSheet(width float64, panels []panel) sheet {
	columns, across := 4, 150.0
	if width < 500 {
		columns, across = 2, 140
	}
	blue := style.SeriesAt(0)
	k := key{{keyLine, blue.Light, "runs of this trace, with median and 95th percentile"}}
	k = append(k, intervalKey(panels)...)
	k = append(k, keyEntry{keyRing, blue.Light, "published for Microsoft (Carbyne)"})
	return panelSheet(width, panels, k, columns, across)
}

// printed states what was published, if anything.
func printed(published []mark, write func(float64) string) string {
	var parts []string
	for _, m := range published {
		switch m.what {
		case "p50":
			parts = append(parts, write(m.x))
		case "p95":
			parts = append(parts, "95% ≤ "+write(m.x))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "published " + strings.Join(parts, ", ")
}

func shapeCaption(d *result.DAG, panels []panel) string {
	text := fmt.Sprintf("Cumulative distributions over %s with at least one stage", style.Of(int64(d.Jobs), "run", "runs"))
	if d.WithoutStages > 0 {
		text += fmt.Sprintf(" (%s without stages left out)", style.Count(int64(d.WithoutStages)))
	}
	text += ": share of runs at or below x."
	for i := range panels {
		if n := panels[i].curve.of.N; n < d.Jobs && n > 0 {
			text += fmt.Sprintf(" %s: n = %s.", capital(panels[i].title), style.Count(int64(n)))
		}
	}
	text += intervalNote(panels, d.Intervals) + " Open circles: published percentiles of jobs at Microsoft (Carbyne, OSDI 2016, Table 1), where there are any. " +
		"Edges that only the driver imposes are left out. Barriers are stages with more than one parent, synchronisations " +
		"all-to-all edges; width is the most stages that could run at once, input work the share of task-seconds in stages " +
		"without parents."
	for i := range panels {
		if b := panels[i].axis.beyond; b > 0 {
			text += fmt.Sprintf(" %s: %s of the axis.", capital(panels[i].title),
				style.Of(int64(b), "run lies beyond the end", "runs lie beyond the end"))
		}
	}
	return text
}

func shapeAlt(d *result.DAG) string {
	if d.Stages.N == 0 {
		return "No run has stages."
	}
	text := fmt.Sprintf("Eight small cumulative curves over %s. Medians: %s stages, %s barriers, %s stages on the critical path",
		style.Of(int64(d.Jobs), "run", "runs"), style.Number(d.Stages.P50), style.Number(d.Barriers.P50),
		style.Number(d.CriticalPathStages.P50))
	if !math.IsNaN(d.CriticalPathS.P50) && d.CriticalPathS.N > 0 {
		text += ", " + style.Seconds(d.CriticalPathS.P50)
	}
	return text + fmt.Sprintf("; %s disjoint paths, width %s.", style.Number(d.DisjointPaths.P50), style.Number(d.Width.P50))
}
