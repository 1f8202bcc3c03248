package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// CarbyneSweeps draws the factor of improvement of Carbyne as load, estimates, altruism, demands or Tetris' fairness
// vary.
func CarbyneSweeps(c *result.Carbyne, source Source) *Figure {
	ch := &chart{about: "Lines of factors of improvement", nothing: "nothing was varied", columns: 2}
	seeds, order := 0, ordered(c)
	for _, x := range c.Experiments {
		if x.Axis == "" {
			continue
		}
		if n := factorPanel(&x, order); len(n.layers) > 1 {
			ch.panels, seeds = append(ch.panels, n), max(seeds, len(x.Seeds))
		}
	}
	load, altruism, fair := papers.CarbyneSweep("load"), papers.CarbyneSweep("p-altruism"),
		papers.CarbyneSweep("tetris-fair")
	at := func(q [2]float64) string { return words.Number(q[0]) }
	factor := func(q [2]float64) string { return words.Fixed(q[1], 2) }
	return ch.figure("carbyne-sweeps", "What altruism brings as conditions change", fmt.Sprintf("Mean completion "+
		"time under another scheduler / under carbyne: above 1, altruism pays. Medians of %s. Published "+
		"(Carbyne, OSDI 2016): up to %s at the load %s, %s to %s at %s; over DRF %s with P(Altruism) %s and %s with %s; "+
		"%s over Tetris with f near %s.", words.Of(seeds, "seed", "seeds"), factor(load[0]), at(load[0]), factor(load[1]),
		factor(load[2]), at(load[2]), factor(altruism[0]), at(altruism[0]), factor(altruism[1]), at(altruism[1]),
		factor(fair[0]), at(fair[0])), source)
}

// factorPanel draws a line for every other scheduler and series of an experiment.
func factorPanel(x *result.CarbyneExperiment, order []string) panel {
	name := words.Shorten(x.Name, 40)
	n := panel{title: name, high: 130, layers: []layer{across("", dashedLook(style.Ink()), 1)}}
	own := lists.Kept(x.Points, func(p result.CarbynePoint) bool { return p.Scheduler == "carbyne" })
	for i, points := range grouped(own, func(a, b result.CarbynePoint) bool { return a.Series == b.Series }) {
		series := words.Shorten(points[0].Series, 30)
		for _, other := range order {
			over, look := "over "+words.Shorten(other, 30), schedulerLook(order, other)
			of := name + ", " + over + words.When(series != "", ", %s", series)
			if i > 0 { // another series of the same schedulers
				look.dash, look.shape = []float64{2, 2}, square
				over += words.When(series != "", ", %s", words.Shorten(points[0].Series, 40))
			}
			line := newSwept(over, look)
			for _, p := range points {
				if f, ok := p.Improvement[other]; ok {
					line.measure(p.X, f.OfMeans)
				}
			}
			if len(line.points) > 0 {
				n.layers = append(n.layers, line.tell(of, words.Number, asRatio), line.bars())
			}
		}
	}
	n.x = variedAxis(n.xs(), words.Shorten(x.Axis, 40))
	n.x.scale = plot.LinearScale{}
	for _, q := range papers.CarbyneSweep(name) {
		n.layers = append(n.layers, rings("published", plain(style.Muted()), point{q[0], q[1]}))
	}
	if n.y = linear(largest(n.ys()...), false); slices.Min(n.ys()) >= 0.5 {
		n.y.min = 0.5
		n.y.steps = slices.DeleteFunc(n.y.steps, func(s float64) bool { return s < n.y.min })
	}
	return n
}
