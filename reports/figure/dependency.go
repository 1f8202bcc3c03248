package figure

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// leastGap is where the axis of gaps begins at the earliest, in minutes: a millisecond.
const leastGap = 1e-3 / 60

// Dependency draws how jobs depend on each other as Figure 1 of Jockey does: cumulative distributions, on logarithmic axes, of
// the gap to a dependent run, the length of chains, and the runs and the groups downstream of a run. runs is the analysis's
// table, one row per run on which another depends; without it the last three are drawn through the percentiles of the
// document.
func Dependency(d *result.Dependency, runs *result.Table, source Source) *Figure {
	panels := dependencyPanels(d, runs)
	f := &Figure{Name: "dependency", Title: "How jobs depend on each other", source: source}
	f.Caption = dependencyCaption(d, panels) + " " + source.String()
	f.Alt = dependencyAlt(d)
	for i := range panels {
		f.Values = append(f.Values, panels[i].curve.values()...)
	}
	f.plan = func(width float64) sheet { return dependencySheet(width, panels) }
	return f
}

func dependencyPanels(d *result.Dependency, runs *result.Table) []panel {
	metrics := []struct {
		column, title, one, many string
		of                       result.Summary
		from                     float64
	}{
		{"gap_min", "gap to the dependent run, minutes", "pair", "pairs", d.GapMin, leastGap},
		{"chain_length", "longest chain from a run, edges", "run", "runs", d.ChainLength, 1},
		{"indirect_dependents", "runs downstream of a run", "run", "runs", d.IndirectDependents, 1},
		{"dependent_groups", "groups downstream of a run", "run", "runs", d.DependentGroups, 1},
	}
	panels := make([]panel, len(metrics))
	for i, m := range metrics {
		var values []float64
		switch {
		case m.column == "gap_min":
			values = d.GapQuantiles
		case runs != nil:
			values = runs.Floats(m.column)
		}
		c := newCurve(m.title, values, m.of, style.SeriesAt(0))
		c.intervals, c.marks = d.Intervals.Of[m.column], []string{"p50", "p95"}
		note := "n = " + style.Of(int64(m.of.N), m.one, m.many)
		if e := d.StandardError[m.column]; e > 0 {
			note += ", estimated (standard error " + style.Percent(e) + ")"
		}
		panels[i] = panel{title: m.title, note: note, curve: c, write: style.Number, axis: decadeAxis(c.xs, m.from)}
	}
	return panels
}

func dependencySheet(width float64, panels []panel) sheet {
	columns, across := 2, 190.0
	if width < 500 {
		columns, across = 1, 150
	}
	blue := style.SeriesAt(0)
	k := key{{keyLine, blue.Light, "share at or below, with median and 95th percentile"}}
	return panelSheet(width, panels, append(k, intervalKey(panels)...), columns, across)
}

func dependencyCaption(d *result.Dependency, panels []panel) string {
	text := fmt.Sprintf("Cumulative distributions on logarithmic axes. Gap: from the end of a run to the start of one that reads its output, "+
		"over %s", style.Of(int64(d.GapMin.N), "such pair", "such pairs"))
	if d.Overlapping > 0 {
		text += fmt.Sprintf(" (%s more overlap and have none)", style.Count(int64(d.Overlapping)))
	}
	text += fmt.Sprintf(". The others: over %s on which another depends.", style.Of(int64(d.ChainLength.N), "run", "runs"))
	if n := d.DependentGroups.N; n < d.ChainLength.N {
		text += fmt.Sprintf(" Groups: n = %s; of the others no group downstream is known.", style.Count(int64(n)))
	}
	text += " Downstream of a run are those that depend on it, directly or through others."
	for i := range panels {
		c := &panels[i].curve
		if len(c.xs) > 0 && c.xs[0] < panels[i].axis.min {
			text += fmt.Sprintf(" %s: what is below %s lies at the left end.", capital(c.name), style.Number(panels[i].axis.min))
		}
	}
	for i, of := range []string{"indirect_dependents", "dependent_groups"} {
		if e := d.StandardError[of]; e > 0 {
			text += fmt.Sprintf(" Numbers of %s downstream are estimates (HyperLogLog, standard error %s).", []string{"runs", "groups"}[i], style.Percent(e))
		}
	}
	text += intervalNote(panels, d.Intervals)
	for i := range panels {
		if panels[i].curve.few() {
			text += " Small dots are single pairs or runs; lines join them."
			break
		}
	}
	return text + " The same four distributions are Figure 1 of Jockey (EuroSys 2012), for a Microsoft cluster."
}

func dependencyAlt(d *result.Dependency) string {
	if d.ChainLength.N == 0 {
		return "No run depends on another."
	}
	text := "Four cumulative curves."
	if d.GapMin.N > 0 && !math.IsNaN(d.GapMin.P50) {
		text += fmt.Sprintf(" Half of the dependent runs start within %s of the end of the run whose output they read.", style.Seconds(60*d.GapMin.P50))
	}
	text += fmt.Sprintf(" Medians over %s: a chain of %s edges, %s runs", style.Of(int64(d.ChainLength.N), "run", "runs"),
		style.Number(d.ChainLength.P50), style.Number(d.IndirectDependents.P50))
	if d.DependentGroups.N > 0 {
		text += " and " + style.Number(d.DependentGroups.P50) + " groups"
	}
	return text + " downstream."
}
