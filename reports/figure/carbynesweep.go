package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// sweepLine is the factor of improvement over one scheduler as one setting varies.
type sweepLine struct {
	*swept
	over, series string
}

// CarbyneSweeps draws the factor of improvement of Carbyne as load, estimates, altruism, demands or Tetris' fairness
// vary.
func CarbyneSweeps(c *result.Carbyne, source Source) *Figure {
	ch := &chart{about: "Lines of factors of improvement", nothing: "nothing was varied", columns: 2}
	seeds, order := 0, ordered(c)
	for _, x := range c.Experiments {
		if x.Axis == "" {
			continue
		}
		if lines := sweepLines(&x, order); len(lines) > 0 {
			ch.panels, seeds = append(ch.panels, sweepPanel(&x, lines)), max(seeds, len(x.Seeds))
		}
	}
	return ch.figure("carbyne-sweeps", "What altruism brings as conditions change", fmt.Sprintf("Mean completion "+
		"time under another scheduler / under carbyne: above 1, altruism pays. Medians of %s. Published "+
		"(Carbyne, OSDI 2016): up to 1.57 at the load 1, 1.76 to 1.91 at 2; over DRF 1.24 with P(Altruism) 0.5 "+
		"and 1.56 with 1; 1.22 over Tetris with f near 1.", words.Of(seeds, "seed", "seeds")), source)
}

// sweepLines returns the lines of an experiment: one for every other scheduler and series.
func sweepLines(x *result.CarbyneExperiment, order []string) []sweepLine {
	var lines []sweepLine
	for _, p := range x.Points {
		for _, other := range order {
			f, ok := p.Improvement[other]
			y, low, high := float64(f.OfMeans.Median), float64(f.OfMeans.Low), float64(f.OfMeans.High)
			if !ok || p.Scheduler != "carbyne" || !finite(p.X, y) || y < 0 {
				continue
			}
			if !finite(low, high) || low > y || high < y {
				low, high = y, y
			}
			k := slices.IndexFunc(lines, func(l sweepLine) bool { return l.over == other && l.series == p.Series })
			if k < 0 {
				k = len(lines)
				name, look := "over "+words.Shorten(other, 30), schedulerLook(order, other)
				if k > 0 && p.Series != lines[0].series { // another series of the same schedulers
					look.dash, look.shape = []float64{2, 2}, square
					name += words.When(p.Series != "", ", %s", words.Shorten(p.Series, 40))
				}
				lines = append(lines, sweepLine{newSwept(name, look), other, p.Series})
			}
			lines[k].add(p.X, y, low, high)
		}
	}
	return lines
}

func sweepPanel(x *result.CarbyneExperiment, lines []sweepLine) panel {
	name := words.Shorten(x.Name, 40)
	n := panel{title: name, high: 130,
		layers: []layer{across("", dashedLook(style.Ink()), 1)}}
	for _, l := range lines {
		of := name + ", over " + words.Shorten(l.over, 30) + words.When(l.series != "", ", %s", words.Shorten(l.series, 30))
		n.layers = append(n.layers, l.tell(of, words.Number, asRatio), l.bars())
	}
	n.x = variedAxis(n.xs(), words.Shorten(x.Axis, 40))
	n.x.scale = plot.LinearScale{}
	for _, q := range carbyneSweep(name) {
		n.layers = append(n.layers, rings("published", plain(style.Muted()), q))
	}
	if n.y = linear(largest(n.ys()...), false); slices.Min(n.ys()) >= 0.5 {
		n.y.min = 0.5
		n.y.steps = slices.DeleteFunc(n.y.steps, func(s float64) bool { return s < n.y.min })
	}
	return n
}
