package figure

import (
	"fmt"
	"strings"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// PlanShapes draws how many runs have a stage graph of each shape, and how many different graphs those are.
func PlanShapes(d *result.DAG, source Source) *Figure {
	shapes := drawable(d.Plans.Shapes)
	f := &Figure{Name: "plan-shapes", Title: "Classes of stage graphs", source: source}
	f.Caption = fmt.Sprintf("%s with stages, which have %s, by the class of their stage graph; bars are shares of runs.",
		style.Of(int64(d.Jobs), "run", "runs"), style.Of(int64(d.Plans.Distinct), "different plan", "different plans")) +
		" A plan is a graph of stages and the kinds of its edges, however its stages are numbered or named. Edges that only the driver " +
		"imposes are left out, which parts the graphs of runs with several jobs in a row. The drawings are examples of the classes. " + source.String()
	f.Alt = planAlt(d, shapes)
	for _, s := range shapes {
		f.Values = append(f.Values, Value{s.Shape, "runs", float64(s.Runs)}, Value{s.Shape, "plans", float64(s.Plans)})
	}
	f.plan = func(width float64) sheet { return planSheet(width, d, shapes) }
	return f
}

// drawable returns the counts that can be drawn.
func drawable(shapes []result.ShapeCount) []result.ShapeCount {
	var out []result.ShapeCount
	for _, s := range shapes {
		if s.Runs > 0 && finite(float64(s.Runs)) && finite(float64(s.Plans)) && len(out) < 40 {
			out = append(out, s)
		}
	}
	return out
}

func planAlt(d *result.DAG, shapes []result.ShapeCount) string {
	if len(shapes) == 0 {
		return "No run has stages."
	}
	var parts []string
	for _, s := range shapes {
		parts = append(parts, fmt.Sprintf("%s %s", shapeName(s.Shape), style.Percent(float64(s.Runs)/float64(max(1, d.Jobs)))))
	}
	return "Bars of the share of runs with each class of stage graph: " + style.List(parts) + "."
}

func shapeName(shape string) string {
	if shape == "map_reduce" {
		return "map and reduce"
	}
	return style.Shorten(strings.ReplaceAll(shape, "_", "-"), 30)
}

func planSheet(width float64, d *result.DAG, shapes []result.ShapeCount) sheet {
	const row, icon, head = 34.0, 58.0, 18.0
	label := 96.0
	return sheet{height: max(60, head+float64(len(shapes))*row+4), draw: func(p *pen) {
		if len(shapes) == 0 {
			p.text("no run has stages", width/2, 30, centred())
			return
		}
		small := smallText()
		most := 1
		for _, s := range shapes {
			most = max(most, s.Runs)
		}
		note := func(s result.ShapeCount) (string, string) {
			return style.Percent(float64(s.Runs) / float64(max(1, d.Jobs))),
				fmt.Sprintf("%s, %s", style.Of(int64(s.Runs), "run", "runs"), style.Of(int64(s.Plans), "plan", "plans"))
		}
		room := 0.0
		for _, s := range shapes {
			share, detail := note(s)
			room = max(room, p.width(share, text{bold: true})+style.Gap+p.width(detail, small))
		}
		left := icon + style.Gap + label
		scale := max(10, width-left-room-2*style.Gap) / float64(most)
		p.text(fmt.Sprintf("share of the %s with stages", style.Of(int64(d.Jobs), "run", "runs")), left, 10, small)
		for i, s := range shapes {
			y := head + float64(i)*row
			p.icon(s.Shape, rect{0, y + 4, icon, row - 8})
			p.text(p.fit(shapeName(s.Shape), label-style.Gap, text{}), icon+style.Gap, y+row/2+4, text{})
			bar := rect{left, y + 8, max(1, scale*float64(s.Runs)), row - 16}
			p.fill(style.SeriesAt(0).Light, bar)
			share, detail := note(s)
			x := bar.x + bar.w + style.Gap
			p.text(share, x, y+row/2+4, text{bold: true})
			p.text(detail, x+p.width(share, text{bold: true})+style.Gap, y+row/2+4, small)
		}
		p.stroke(line{colour: style.Muted().Light}, point{left, head}, point{left, head + float64(len(shapes))*row})
	}}
}

// graphIcon is a small graph: places in a unit square, from left to right, and edges between them.
type graphIcon struct {
	at    []point
	edges [][2]int
}

// iconOf returns an example of a class, nothing for one that is not known.
func iconOf(shape string) graphIcon {
	third := 1.0 / 3
	return map[string]graphIcon{
		"single":       {[]point{{0.5, 0.5}}, nil},
		"map_reduce":   {[]point{{0.2, 0.5}, {0.8, 0.5}}, [][2]int{{0, 1}}},
		"chain":        {[]point{{0, 0.5}, {third, 0.5}, {2 * third, 0.5}, {1, 0.5}}, [][2]int{{0, 1}, {1, 2}, {2, 3}}},
		"fork":         {[]point{{0.2, 0.5}, {0.8, 0}, {0.8, 0.5}, {0.8, 1}}, [][2]int{{0, 1}, {0, 2}, {0, 3}}},
		"join":         {[]point{{0.2, 0}, {0.2, 0.5}, {0.2, 1}, {0.8, 0.5}}, [][2]int{{0, 3}, {1, 3}, {2, 3}}},
		"diamond":      {[]point{{0, 0.5}, {0.5, 0}, {0.5, 1}, {1, 0.5}}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}}},
		"out_tree":     {[]point{{0, 0.5}, {0.5, 0.2}, {0.5, 1}, {1, 0}, {1, 0.5}}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}}},
		"in_tree":      {[]point{{0, 0}, {0, 0.5}, {0.5, 0.2}, {0.5, 1}, {1, 0.5}}, [][2]int{{0, 2}, {1, 2}, {2, 4}, {3, 4}}},
		"tree":         {[]point{{0, 0}, {0, 1}, {0.5, 0.5}, {1, 0}, {1, 1}}, [][2]int{{0, 2}, {1, 2}, {2, 3}, {2, 4}}},
		"general":      {[]point{{0, 0}, {0, 1}, {0.5, 0}, {0.5, 1}, {1, 0.5}}, [][2]int{{0, 2}, {0, 3}, {1, 3}, {1, 2}, {2, 4}, {3, 4}}},
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
