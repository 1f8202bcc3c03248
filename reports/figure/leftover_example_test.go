package figure_test

import (
	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/internal/figuretest"
)

func ExampleLeftover() {
	b := figuretest.Leftover()
	show(figure.Leftover(b.Documents["leftover"].(*result.Leftover), b.Provenance.Units, source(b)), 5)
	// Output:
	// Resources held, and slack
	// cpu, share: 0.29
	// cpu, events: 4000
	// cpu, event p50: 0.2968
	// cpu, time p50: 0.2344
	// cpu, event p50, published: 0.35
	// SVG: true PNG: true <nil>
}

func ExampleLeftoverShares() {
	b := figuretest.Leftover()
	show(figure.LeftoverShares(b.Documents["leftover"].(*result.Leftover), source(b)), 4)
	// Output:
	// Slack, as a share of the resources held
	// CPU, events, n: 4000
	// CPU, events, min: 0
	// CPU, events, p10: 0.01229
	// CPU, events, p50: 0.2968
	// SVG: true PNG: true <nil>
}

func ExampleLeftoverShape() {
	b := figuretest.Leftover()
	show(figure.LeftoverShape(b.Documents["leftover"].(*result.Leftover), b.Tables["leftover"], source(b)), 5)
	// Output:
	// Slack of runs and the shape of their graphs
	// stages, n: 76
	// stages, points: 76
	// stages, pearson: 0.58
	// stages, spearman: 0.54
	// stages, published: 0.66
	// SVG: true PNG: true <nil>
}
