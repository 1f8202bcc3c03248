package figure

import (
	"fmt"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// leastGap is the least start of the axis of gaps, in minutes: a millisecond.
const leastGap = 1e-3 / 60

// Dependency draws the dependencies between jobs like Figure 1 of Jockey: cumulative distributions, on logarithmic
// axes, of the gap to a dependent run, the length of chains, and the runs and the groups downstream of a run. runs is
// the analysis's table, one row per run on which another depends; without it, the last three are drawn through the
// percentiles of the document.
func Dependency(d *result.Dependency, runs *result.Table, source Source) *Figure {
	c := &chart{about: "Cumulative distributions", nothing: "no run depends on another", columns: 2, sharedY: true}
	var curves []*curve
	for _, m := range []struct {
		column, title, one, many string
		of                       result.Summary
		from                     float64
	}{
		{"gap_min", "gap to the dependent run, minutes", "pair", "pairs", d.GapMin, leastGap},
		{"chain_length", "longest chain from a run, edges", "run", "runs", d.ChainLength, 1},
		{"indirect_dependents", "runs downstream of a run", "run", "runs", d.IndirectDependents, 1},
		{"dependent_groups", "groups downstream of a run", "run", "runs", d.DependentGroups, 1},
	} {
		values := runs.Floats(m.column)
		if m.column == "gap_min" {
			values = d.GapQuantiles
		}
		v := newCurve(m.title, values, m.of, lookAt(0))
		v.intervals, v.marks = d.Intervals.Of[m.column], []string{"p50", "p95"}
		v.entry = "share at or below, with median and 95th percentile"
		n := distribution(m.title, decadeAxis(v.xs, m.from), v)
		sample := "n = " + words.Of(m.of.N, m.one, m.many)
		e := d.StandardError[m.column]
		sample += words.When(e > 0, ", estimated (standard error %s)", words.Percent(e))
		n.notes, n.high = []string{v.summary(), sample}, 165
		c.panels, curves = append(c.panels, n), append(curves, v)
	}
	return c.figure("dependency", "How jobs depend on each other", dependencyCaption(d, c.panels, curves), source)
}

// summary writes the median and the 95th percentile of a curve.
func (c *curve) summary() string {
	return words.Either(c.of.N == 0, "no run",
		fmt.Sprintf("median %s, 95%% ≤ %s", c.write(c.of.P50), c.write(c.of.P95)))
}

func dependencyCaption(d *result.Dependency, panels []panel, curves []*curve) string {
	text := fmt.Sprintf("Cumulative distributions on logarithmic axes. Gap: from the end of a run to the start of "+
		"one that reads its output, over %s", words.Of(d.GapMin.N, "such pair", "such pairs"))
	text += words.When(d.Overlapping > 0, " (%s more overlap and have none)", words.Count(d.Overlapping))
	text += fmt.Sprintf(". The others: over %s on which another depends.", words.Of(d.ChainLength.N, "run", "runs"))
	text += words.When(d.DependentGroups.N < d.ChainLength.N,
		" Groups: n = %s; for the other runs no group downstream is known.", words.Count(d.DependentGroups.N))
	text += " Downstream of a run are those that depend on it, directly or through others."
	for i, c := range curves {
		if low := panels[i].x.min; len(c.xs) > 0 && c.xs[0] < low {
			text += fmt.Sprintf(" %s: values below %s lie at the left end.", words.Capital(c.name), words.Number(low))
		}
	}
	for i, of := range []string{"indirect_dependents", "dependent_groups"} {
		e := d.StandardError[of]
		text += words.When(e > 0, " Numbers of %s downstream are estimates (HyperLogLog, standard error %s).",
			[]string{"runs", "groups"}[i], words.Percent(e))
	}
	text += intervalNote(d.Intervals, curves...)
	text += words.When(slices.ContainsFunc(curves, (*curve).few),
		" Small dots are single pairs or runs; lines join them.")
	return text + " The same four distributions are Figure 1 of Jockey (EuroSys 2012), for a Microsoft cluster."
}
