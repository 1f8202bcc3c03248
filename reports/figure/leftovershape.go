package figure

import (
	"cmp"
	"fmt"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
)

// LeftoverShape draws the leftover of runs against the shape of their graphs of stages, one small plot per measure,
// with the correlation and the published one. runs is the analysis's table, one row per run.
func LeftoverShape(l *result.Leftover, runs *result.Table, source Source) *Figure {
	c := &chart{about: "Scatters of the slack of runs against measures of their graphs", nothing: "no run is known",
		columns: 5, narrow: 2, sharedY: true}
	n := 0
	for _, m := range [][2]string{{"stages", "stages"}, {"barriers", "barriers"},
		{"critical_path_stages", "critical path"}, {"disjoint_paths", "disjoint paths"}, {"width", "width"}} {
		c.panels = append(c.panels, scatterPanel(m[0], m[1], l, runs))
		n = max(n, l.Correlation[m[0]].N)
	}
	text := fmt.Sprintf("Across: a measure of the graph; up: slack, the mean over the resources that are known (%s) "+
		"of the time-weighted share that the run could release. Each dot is a run, larger where it stands for "+
		"several at one place: n = %s. r: Pearson's correlation; rank: Spearman's. Published: correlation at "+
		"Microsoft (Carbyne, OSDI 2016, section 2.2). Edges that only the driver imposes are "+
		"left out of the graphs.", cmp.Or(words.List(lists.Map(available(l), ResourceTitle)), "none"),
		words.Of(n, "run", "runs"))
	return c.figure("leftover-shape", "Slack of runs and the shape of their graphs", text+beyondAxes(c.panels), source)
}

func scatterPanel(measure, title string, l *result.Leftover, runs *result.Table) panel {
	of := l.Correlation[measure]
	dots := &crowdLayer{told: told{look: lookAt(0)}}
	var xs []float64
	if runs != nil {
		all, ys := runs.Pairs(measure, "leftover")
		for i, x := range all {
			if finite(x) && x >= 0 && ys[i] >= 0 && ys[i] <= 1 {
				xs, dots.points = append(xs, x), append(dots.points, point{x, ys[i]})
			}
		}
	}
	slices.Sort(xs)
	measured := "no correlation: constant"
	if x := float64(of.Pearson); finite(x) {
		measured = "r " + asRatio(x)
		if rho := float64(of.Spearman); finite(rho) {
			measured += ", rank " + asRatio(rho)
		}
	} else if of.N < 2 {
		measured = "fewer than two runs"
	}
	dots.says = measured
	dots.values = []Value{{measure, "n", float64(of.N)}, {measure, "points", float64(len(dots.points))},
		{measure, "pearson", float64(of.Pearson)}, {measure, "spearman", float64(of.Spearman)}}
	n := panel{title: title, notes: []string{measured}, x: chooseAxis([][]float64{xs}, nil, true),
		y: shareSteps(0, 0.5, 1), high: 110, layers: []layer{dots}}
	if x, ok := papers.CarbyneCorrelation(measure); ok {
		n.notes = append(n.notes, "published "+asRatio(x))
		dots.values = append(dots.values, Value{measure, "published", x})
	}
	return n
}
