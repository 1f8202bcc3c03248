package figure

import (
	"fmt"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// PlanShapes draws the number of runs with a stage graph of each shape, and the number of different graphs.
func PlanShapes(d *result.DAG, source Source) *Figure {
	bars := newBars("", lookAt(0), 17)
	n := panel{notes: []string{fmt.Sprintf("share of the %s with stages", words.Of(d.Jobs, "run", "runs"))},
		x: amounts().in(nil), rowHeight: 34, layers: []layer{bars}}
	var parts []string
	for i, s := range drawable(d.Plans.Shapes) {
		share := float64(s.Runs) / float64(max(1, d.Jobs))
		bars.written(i, share, fmt.Sprintf("%s: %s, %s", words.Percent(share), words.Of(s.Runs, "run", "runs"),
			words.Of(s.Plans, "plan", "plans")))
		bars.values = append(bars.values, Value{s.Shape, "runs", float64(s.Runs)},
			Value{s.Shape, "plans", float64(s.Plans)})
		parts = append(parts, fmt.Sprintf("%s %s", shapeName(s.Shape), words.Percent(share)))
		n.rows = append(n.rows, category{name: shapeName(s.Shape), icon: func(p *pen, r rect) { p.icon(s.Shape, r) }})
	}
	bars.says = words.List(parts)
	c := &chart{about: "Bars of the share of runs with each class of stage graph", nothing: "no run has stages",
		panels: withRows(n)}
	return c.figure("plan-shapes", "Classes of stage graphs", fmt.Sprintf("%s with stages, which have %s, by the "+
		"class of their stage graph; bars are shares of runs. A plan is a graph of stages and the kinds of its "+
		"edges, however its stages are numbered or named. Edges that only the driver imposes are left out, which "+
		"parts the graphs of runs with several jobs in a row. The drawings are examples of the classes.",
		words.Of(d.Jobs, "run", "runs"), words.Of(d.Plans.Distinct, "different plan", "different plans")), source)
}

// drawable returns the counts that can be drawn.
func drawable(shapes []result.ShapeCount) []result.ShapeCount {
	out := lists.Kept(shapes, func(s result.ShapeCount) bool {
		return s.Runs > 0 && finite(float64(s.Runs), float64(s.Plans))
	})
	return out[:min(len(out), 40)]
}

func shapeName(shape string) string {
	return words.Either(shape == "map_reduce", "map and reduce", words.Shorten(strings.ReplaceAll(shape, "_", "-"), 30))
}

// graphIcon is a small graph: places in a unit square, from left to right, and edges between them.
type graphIcon struct {
	at    []point
	edges [][2]int
}

// iconOf returns an example of a class, nothing for an unknown one.
func iconOf(shape string) graphIcon {
	third := 1.0 / 3
	return map[string]graphIcon{
		"single":     {[]point{{0.5, 0.5}}, nil},
		"map_reduce": {[]point{{0.2, 0.5}, {0.8, 0.5}}, [][2]int{{0, 1}}},
		"chain":      {[]point{{0, 0.5}, {third, 0.5}, {2 * third, 0.5}, {1, 0.5}}, [][2]int{{0, 1}, {1, 2}, {2, 3}}},
		"fork":       {[]point{{0.2, 0.5}, {0.8, 0}, {0.8, 0.5}, {0.8, 1}}, [][2]int{{0, 1}, {0, 2}, {0, 3}}},
		"join":       {[]point{{0.2, 0}, {0.2, 0.5}, {0.2, 1}, {0.8, 0.5}}, [][2]int{{0, 3}, {1, 3}, {2, 3}}},
		"diamond":    {[]point{{0, 0.5}, {0.5, 0}, {0.5, 1}, {1, 0.5}}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}}},
		"out_tree": {[]point{{0, 0.5}, {0.5, 0.2}, {0.5, 1}, {1, 0}, {1, 0.5}},
			[][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}}},
		"in_tree": {[]point{{0, 0}, {0, 0.5}, {0.5, 0.2}, {0.5, 1}, {1, 0.5}},
			[][2]int{{0, 2}, {1, 2}, {2, 4}, {3, 4}}},
		"tree": {[]point{{0, 0}, {0, 1}, {0.5, 0.5}, {1, 0}, {1, 1}}, [][2]int{{0, 2}, {1, 2}, {2, 3}, {2, 4}}},
		"general": {[]point{{0, 0}, {0, 1}, {0.5, 0}, {0.5, 1}, {1, 0.5}},
			[][2]int{{0, 2}, {0, 3}, {1, 3}, {1, 2}, {2, 4}, {3, 4}}},
		"disconnected": {[]point{{0, 0.1}, {0.5, 0.1}, {0.5, 0.9}, {1, 0.9}}, [][2]int{{0, 1}, {2, 3}}},
	}[shape]
}

// icon draws an example of a class.
func (p *pen) icon(shape string, r rect) {
	const radius = 2.6
	g := iconOf(shape)
	at := func(i int) point {
		return point{r.x + radius + g.at[i].x*(r.w-2*radius), r.y + radius + g.at[i].y*(r.h-2*radius)}
	}
	for _, e := range g.edges {
		p.stroke(line{colour: style.Muted().Light, width: 1}, at(e[0]), at(e[1]))
	}
	for i := range g.at {
		p.c.SetColor(style.SeriesAt(0).Light)
		p.c.Fill(p.circle(at(i).x, at(i).y, radius))
	}
}
